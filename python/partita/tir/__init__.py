# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on buffers, and their passes: TVM's ``tvm.tir``."""

from ..ir import prim
from ..ir.value_classes import FloatImm, IntImm
from ..ir.prim import *  # noqa: F401,F403
from . import transform
from .function import IndexMap, PrimFunc

__all__ = ["FloatImm", "IndexMap", "IntImm", "PrimFunc", "transform"]
__all__ += prim.__all__
