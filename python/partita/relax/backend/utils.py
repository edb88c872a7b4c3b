# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What checks of matches ask: from TVM's ``tvm.relax.backend.utils``."""

from __future__ import annotations

from ...ir.var_classes import DataflowVar
from ..fusion import PatternCheckContext

__all__ = ["has_leaking_intermediate_variables"]


def has_leaking_intermediate_variables(context: PatternCheckContext) -> bool:
    """Whether something outside the match can use a variable of it that is not its result."""
    matched = set(context.matched_bindings)
    result = context.value_to_bound_var[context.matched_expr]
    inner = [var for var in matched if var != result]
    return not all(
        isinstance(var, DataflowVar) and matched.issuperset(context.var_usages[var])
        for var in inner
    )
