# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The nodes of functions of tensors: TVM's ``tvm.relax.expr``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import check_list
from ..ir.binding import Binding, MatchCast, VarBinding, bind
from ..ir.block import BindingBlock, DataflowBlock, If, SeqExpr
from ..ir.call import Call, TupleGetItem, get_shape_of, match_cast
from ..ir.constant import Constant, const

# Scripts that compare constants import it from here.
from ..ir.elements import read_elements as _read_elements  # noqa: F401
from ..ir.global_var import GlobalVar
from ..ir.lift import Tuple
from ..ir.op import Op
from ..ir.prim_type import Type
from ..ir.relax_function import Function
from ..ir.value_classes import ShapeExpr
from ..ir.values import DataTypeImm, ExternFunc, PrimValue, StringImm
from ..ir.var import var
from ..ir.var_classes import DataflowVar, Var

if TYPE_CHECKING:
    # What most of them are, with its methods.
    from ..ir.node import Expr
else:
    from ..ir.any_expr import Expr

extern = ExternFunc


def make_shape(shape: Sequence[Any]) -> ShapeExpr:
    """The ShapeExpr of a list of sizes."""
    check_list(shape, "a shape to be a list of sizes")
    return ShapeExpr(shape)


__all__ = [
    "Binding",
    "BindingBlock",
    "Call",
    "Constant",
    "DataTypeImm",
    "DataflowBlock",
    "DataflowVar",
    "Expr",
    "ExternFunc",
    "Function",
    "GlobalVar",
    "If",
    "MatchCast",
    "Op",
    "PrimValue",
    "SeqExpr",
    "ShapeExpr",
    "StringImm",
    "Tuple",
    "TupleGetItem",
    "Type",
    "Var",
    "VarBinding",
    "bind",
    "const",
    "extern",
    "get_shape_of",
    "make_shape",
    "match_cast",
    "var",
]
