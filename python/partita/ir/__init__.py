# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules, and how they are compared: TVM's ``tvm.ir``."""

from . import transform, instrument
from .module import (
    GlobalVar,
    IRModule,
    assert_structural_equal,
    get_context,
    structural_equal,
    structural_hash,
)

__all__ = [
    "GlobalVar",
    "IRModule",
    "assert_structural_equal",
    "get_context",
    "instrument",
    "structural_equal",
    "structural_hash",
    "transform",
]
