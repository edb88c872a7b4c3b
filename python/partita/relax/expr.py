# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The nodes of functions of tensors: TVM's ``tvm.relax.expr``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .block import Binding, BindingBlock, DataflowBlock, If, MatchCast, SeqExpr, VarBinding

# Scripts that compare constants import it from here.
from .elements import read_elements as _read_elements  # noqa: F401
from .function import Function
from .nodes import (
    Call,
    Constant,
    GlobalVar,
    Op,
    Tuple,
    TupleGetItem,
    Var,
    bind,
    const,
    match_cast,
    var,
)
from .values import DataTypeImm, ExternFunc, PrimValue, ShapeExpr, StringImm, get_shape_of

if TYPE_CHECKING:
    # What most of them are, with its methods.
    from .nodes import Expr
else:
    from ..ir.expr import Expr

# A variable of a DataflowBlock is none of another kind here.
DataflowVar = Var
extern = ExternFunc

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
    "Var",
    "VarBinding",
    "bind",
    "const",
    "extern",
    "get_shape_of",
    "match_cast",
    "var",
]
