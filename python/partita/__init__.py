# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TVM's pass infrastructure on MLIR."""

import sys

from . import bridge, errors, instrument, ir, relax, tir, transform
from .errors import PassError, PassWarning
from .ir import GlobalVar, IRModule

# TVM has them in `ir`; here they are no files of `ir`, which must not import the layers above it.
vars(ir).update(Op=relax.Op, Call=relax.Call)
ir.instrument = sys.modules["partita.ir.instrument"] = instrument
ir.transform = sys.modules["partita.ir.transform"] = transform

__version__ = "0.1.0"

__all__ = [
    "GlobalVar",
    "IRModule",
    "PassError",
    "PassWarning",
    "bridge",
    "errors",
    "instrument",
    "ir",
    "relax",
    "tir",
    "transform",
]
