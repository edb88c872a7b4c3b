# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes and PassContexts; see partita.ir.transform."""

from .ir.transform import *  # noqa: F401,F403
from .ir.transform import __all__  # noqa: F401
