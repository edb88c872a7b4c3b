# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on buffers, and their passes: TVM's ``tvm.tir``."""

from typing import TYPE_CHECKING

from ..errors import explain_missing
from ..ir import prim
from ..ir.value_classes import FloatImm, IntImm
from ..ir.prim import *  # noqa: F401,F403
from . import transform
from .function import IndexMap, PrimFunc

__all__ = ["FloatImm", "IndexMap", "IntImm", "PrimFunc", "transform"]
__all__ += prim.__all__

# Hidden from type checkers, which would accept any name.
if not TYPE_CHECKING:
    __getattr__ = explain_missing(
        __name__,
        "a name",
        __all__,
        "the bodies of prim_funcs are MLIR's ops, see PrimFunc.operation, and partita.mlir changes them",
    )
