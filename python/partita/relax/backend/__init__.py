# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels and external compilers can do: TVM's ``tvm.relax.backend``."""

from ..transform import DispatchSampling, DispatchSortScan
from . import pattern_registry, patterns, utils
from .pattern_registry import get_pattern, get_patterns_with_prefix, register_patterns

__all__ = [
    "DispatchSampling",
    "DispatchSortScan",
    "get_pattern",
    "get_patterns_with_prefix",
    "pattern_registry",
    "patterns",
    "register_patterns",
    "utils",
]
