# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of the tir dialect, generated from its ODS records."""

from ._tir_ops_gen import *  # noqa: F401,F403
