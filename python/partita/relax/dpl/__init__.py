# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns of expressions: TVM's ``tvm.relax.dpl``."""

from . import context, pattern, rewrite
from .context import PatternContext
from .pattern import *  # noqa: F401,F403
from .rewrite import *  # noqa: F401,F403

__all__ = ["PatternContext", "context", "pattern", "rewrite", *pattern.__all__, *rewrite.__all__]
