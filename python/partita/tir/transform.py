# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes on prim_funcs: TVM's ``tvm.tir.transform``."""

from ._passes_gen import *  # noqa: F401,F403
