# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on buffers."""

from ..ir.function import BaseFunc


class PrimFunc(BaseFunc, op_name="tir.prim_func"):
    """A ``tir.prim_func`` of a module; its body is MLIR's, see `operation`."""

    __slots__ = ()
