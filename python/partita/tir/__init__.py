# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on buffers: TVM's ``tvm.tir``."""

from ..ir.function import BaseFunc

__all__ = ["PrimFunc"]


class PrimFunc(BaseFunc):
    """A ``tir.prim_func`` of a module; its body is MLIR's, see `operation`."""

    __slots__ = ()
