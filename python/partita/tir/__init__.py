# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TIR: prim_funcs and their passes."""

from . import transform

__all__ = ["transform"]
