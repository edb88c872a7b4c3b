# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on buffers: TVM's ``tvm.tir.function``."""

from ..ir.function import PrimFunc
from ..ir.index_map import IndexMap

__all__ = ["IndexMap", "PrimFunc"]
