# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that runs around passes: TVM's ``tvm.ir.instrument``."""

from ..transform.instrument import PassInstrument, pass_instrument
from . import classes, printing
from .classes import *  # noqa: F403
from .printing import *  # noqa: F403
from .progress import Progress
from .registered import RegisteredInstrument, list_instruments, make_text  # noqa: F401

__all__ = [
    "PassInstrument",
    "Progress",
    "RegisteredInstrument",
    "list_instruments",
    "pass_instrument",
]
__all__ += classes.__all__ + printing.__all__
