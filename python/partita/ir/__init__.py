# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and their comparison: TVM's ``tvm.ir``."""

from typing import TYPE_CHECKING

from .attrs import DictAttrs
from .base import load_json, save_json
from .compare import assert_structural_equal, structural_equal, structural_hash
from .context import get_context
from .expr import Expr, GenericConst
from .function import BaseFunc
from .global_info import DummyGlobalInfo, GlobalInfo, VDevice
from .global_var import GlobalVar
from .module import IRModule
from .prim import PrimExpr

if TYPE_CHECKING:
    # TVM's names for partita.instrument and partita.transform, which import these modules.
    from . import instrument, transform

__all__ = [
    "BaseFunc",
    "DictAttrs",
    "DummyGlobalInfo",
    "Expr",
    "GenericConst",
    "GlobalInfo",
    "GlobalVar",
    "IRModule",
    "PrimExpr",
    "VDevice",
    "assert_structural_equal",
    "get_context",
    "instrument",
    "load_json",
    "save_json",
    "structural_equal",
    "structural_hash",
    "transform",
]
