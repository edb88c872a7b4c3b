# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules, functions, expressions and types, and their comparison: TVM's ``tvm.ir``."""

from typing import TYPE_CHECKING

from ..errors import explain_missing
from . import node_attr as _node_attr  # noqa: F401
from . import pickling as _pickling  # noqa: F401
from . import text as _text  # noqa: F401
from . import supply
from .attrs import DictAttrs, make_node
from .base import load_json, save_json
from .call import Call, TupleGetItem
from .compare import assert_structural_equal, structural_equal, structural_hash
from .constant import Constant
from .context import get_context
from .expr import Expr, GenericConst, is_prim_expr, is_prim_var
from .function import BaseFunc
from .global_info import DummyGlobalInfo, GlobalInfo, VDevice
from .global_var import GlobalVar
from .lift import Tuple
from .module import IRModule
from .op import Op, register_op_attr
from .prim import PrimExpr
from .prim_type import PrimType, Type
from .range import Range
from .types import FuncType, TupleType
from .values import StringImm
from .var_classes import Var

#: TVM's name for the attributes of a call.
Attrs = DictAttrs

if TYPE_CHECKING:
    # TVM's names for partita.instrument and partita.transform, which import these modules.
    from . import instrument, transform

__all__ = [
    "BaseFunc",
    "Call",
    "Constant",
    "Attrs",
    "DictAttrs",
    "DummyGlobalInfo",
    "Expr",
    "FuncType",
    "GenericConst",
    "GlobalInfo",
    "GlobalVar",
    "IRModule",
    "Op",
    "PrimExpr",
    "PrimType",
    "Range",
    "StringImm",
    "Tuple",
    "TupleGetItem",
    "TupleType",
    "Type",
    "VDevice",
    "Var",
    "assert_structural_equal",
    "get_context",
    "instrument",
    "is_prim_expr",
    "is_prim_var",
    "load_json",
    "make_node",
    "register_op_attr",
    "save_json",
    "structural_equal",
    "structural_hash",
    "supply",
    "transform",
]

# Hidden from type checkers, which would accept any name.
if not TYPE_CHECKING:
    __getattr__ = explain_missing(
        __name__,
        "a name",
        __all__,
        "lists and dicts of Python are in the places of TVM's Array and Map, and MLIR's locations in "
        "the places of Spans",
    )
