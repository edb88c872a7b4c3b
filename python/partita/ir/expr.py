# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classes of expressions of all kinds: TVM's ``tvm.ir.expr``."""

from typing import Any

from .any_expr import Expr
from .call import Call, TupleGetItem
from .constant import Constant, GenericConst
from .global_var import GlobalVar
from .lift import Tuple
from .prim import PrimExpr
from .prim import Var as _Size
from .prim_type import PrimType
from .values import StringImm
from .var_classes import Var

__all__ = [
    "Call",
    "Constant",
    "Expr",
    "GenericConst",
    "GlobalVar",
    "PrimExpr",
    "StringImm",
    "Tuple",
    "TupleGetItem",
    "Var",
    "is_prim_expr",
    "is_prim_var",
]


def is_prim_expr(value: Any) -> bool:
    """Whether `value` is an expression whose type is a PrimType."""
    return isinstance(value, Expr) and isinstance(getattr(value, "ty", None), PrimType)


def is_prim_var(value: Any) -> bool:
    """The same, of a variable: of a function, or a size's."""
    return isinstance(value, (Var, _Size)) and is_prim_expr(value)
