# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs take from TVM's ``tvm.relax.utils``."""

from __future__ import annotations

from typing import Any

from ..errors import check_type
from ..ir.lift import Tuple, lift_part
from ..ir.node import Expr
from ..ir.op_form import OpForm
from ..ir.relax_function import Function
from ..ir.types import Shape
from ..ir.values import PrimValue, StringImm

__all__ = ["convert_to_expr", "copy_with_new_vars"]


def convert_to_expr(value: Any) -> Expr:
    """`value` as an expression: a number as a PrimValue, a str as a StringImm, a list as a Tuple."""
    if type(value) is str:
        return StringImm(value)
    if isinstance(value, (bool, int, float)):
        return PrimValue(value)
    if isinstance(value, (list, tuple)) and not isinstance(value, Shape):
        return Tuple([convert_to_expr(item) for item in value])
    expr: Expr = lift_part(value)
    return expr


def copy_with_new_vars(func: Function) -> Function:
    """A copy of a function that shares no variable with it.

    The names of its sizes stay: they count in each function by itself.
    """
    check_type(func, Function, "a Function")
    return Function._of(OpForm(func.operation.clone(ip=False).operation))
