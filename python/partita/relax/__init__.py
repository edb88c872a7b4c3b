# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of tensors as expressions: TVM's ``tvm.relax``."""

import sys

from ..ir.global_info import DummyGlobalInfo, VDevice
from . import analysis, binding_rewrite, expr, expr_functor, op, transform, types, utils
from .analysis import post_order_visit
from .binding_rewrite import DataflowBlockRewrite
from .block import Binding, BindingBlock, DataflowBlock, If, MatchCast, SeqExpr, VarBinding
from .block_builder import BlockBuilder
from .expr import (
    Call,
    Constant,
    Expr,
    GlobalVar,
    Op,
    Tuple,
    TupleGetItem,
    Var,
    const,
    var,
)
from .expr_functor import ExprFunctor, ExprMutator, ExprVisitor, PyExprMutator, PyExprVisitor
from .function import Function
from . import inline as _inline  # noqa: F401
from .op import *  # noqa: F401,F403
from .types import FuncType, ObjectType, PrimType, ShapeType, TensorType, TupleType, Type
from .utils import convert_to_expr
from .values import DataTypeImm, ExternFunc, PrimValue, ShapeExpr, StringImm, get_shape_of

# The names of types in Relax.
TensorStructInfo = TensorType
TupleStructInfo = TupleType
ShapeStructInfo = ShapeType
ObjectStructInfo = ObjectType
FuncStructInfo = FuncType
AnyType = ObjectType
# A variable of a DataflowBlock is none of another kind here.
DataflowVar = Var
extern = ExternFunc

# TVM has all nodes in `expr`, whose module here is imported by those of some of them.
vars(expr).update(
    {node.__name__: node for node in (Binding, BindingBlock, DataflowBlock, VarBinding, MatchCast)},
    **{node.__name__: node for node in (SeqExpr, If, Function)},
    **{node.__name__: node for node in (PrimValue, ShapeExpr, StringImm, DataTypeImm)},
    ExternFunc=ExternFunc,
    DataflowVar=DataflowVar,
    extern=extern,
    get_shape_of=get_shape_of,
)
type = struct_info = sys.modules["partita.relax.type"] = types
sys.modules["partita.relax.struct_info"] = types

__all__ = [
    "AnyType",
    "Binding",
    "BindingBlock",
    "BlockBuilder",
    "Call",
    "Constant",
    "DataTypeImm",
    "DataflowBlock",
    "DataflowBlockRewrite",
    "DataflowVar",
    "DummyGlobalInfo",
    "Expr",
    "ExprFunctor",
    "ExprMutator",
    "ExprVisitor",
    "PyExprMutator",
    "PyExprVisitor",
    "ExternFunc",
    "FuncStructInfo",
    "FuncType",
    "Function",
    "GlobalVar",
    "If",
    "MatchCast",
    "ObjectStructInfo",
    "ObjectType",
    "Op",
    "PrimType",
    "PrimValue",
    "SeqExpr",
    "ShapeExpr",
    "StringImm",
    "ShapeStructInfo",
    "ShapeType",
    "TensorStructInfo",
    "TensorType",
    "Tuple",
    "TupleGetItem",
    "TupleStructInfo",
    "TupleType",
    "Type",
    "VDevice",
    "Var",
    "VarBinding",
    "analysis",
    "binding_rewrite",
    "const",
    "convert_to_expr",
    "expr_functor",
    "extern",
    "get_shape_of",
    "op",
    "post_order_visit",
    "transform",
    "utils",
    "var",
]
__all__ += op.__all__
