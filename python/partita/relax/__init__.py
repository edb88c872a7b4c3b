# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of tensors as expressions: TVM's ``tvm.relax``."""

import sys
from typing import TYPE_CHECKING

from ..errors import explain_missing
from ..ir.global_info import DummyGlobalInfo, VDevice
from . import (
    analysis,
    backend,
    binding_rewrite,
    dpl,
    expr,
    expr_functor,
    frontend,
    op,
    transform,
    types,
    utils,
)
from .analysis import post_order_visit
from .binding_rewrite import DataflowBlockRewrite
from .block_builder import BlockBuilder
from .expr import (
    Binding,
    BindingBlock,
    Call,
    Constant,
    DataflowBlock,
    DataflowVar,
    DataTypeImm,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    MatchCast,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    StringImm,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
    const,
    extern,
    get_shape_of,
    var,
)
from .expr_functor import ExprFunctor, ExprMutator, ExprVisitor, PyExprMutator, PyExprVisitor
from .op import *  # noqa: F401,F403
from .pipeline import get_pipeline, register_pipeline
from .types import FuncType, ObjectType, PrimType, ShapeType, TensorType, TupleType, Type
from .utils import convert_to_expr

# The names of types in Relax.
TensorStructInfo = TensorType
TupleStructInfo = TupleType
ShapeStructInfo = ShapeType
ObjectStructInfo = ObjectType
FuncStructInfo = FuncType
AnyType = ObjectType

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
    "backend",
    "binding_rewrite",
    "const",
    "convert_to_expr",
    "dpl",
    "expr",
    "expr_functor",
    "extern",
    "frontend",
    "get_pipeline",
    "get_shape_of",
    "op",
    "post_order_visit",
    "register_pipeline",
    "transform",
    "utils",
    "var",
]
__all__ += op.__all__

# Hidden from type checkers, which would accept any name.
if not TYPE_CHECKING:
    __getattr__ = explain_missing(
        __name__,
        "a name",
        __all__,
        "TVM's VirtualMachine, relax.build and readers of models are not here: partita.compile "
        "makes functions, and IRModule.from_tvm_json reads modules",
    )
