# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph of expressions."""

from __future__ import annotations

from collections.abc import Sequence

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .nodes import Constant, Expr, Var


def context_of(params: Sequence[Var], body: Expr, default: ir.Context | None = None) -> ir.Context:
    """The context of a function; `default` if it is made of constants alone."""
    for param in params:
        return param._context
    for expr in _partita.post_order([body]):
        if expr._types and not isinstance(expr, Constant):
            return expr._context
    return default or body._context
