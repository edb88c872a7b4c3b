# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instruments; see partita.ir.instrument."""

from .ir.instrument import *  # noqa: F401,F403
from .ir.instrument import __all__  # noqa: F401
