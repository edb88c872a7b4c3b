# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instruments, which watch, time and veto passes: TVM's ``tvm.ir.instrument``."""

from typing import TYPE_CHECKING

from ..errors import explain_missing
from ..transform.instrument import PassInstrument, pass_instrument
from . import _instruments_gen, printing
from ._instruments_gen import *  # noqa: F403
from .printing import *  # noqa: F403
from .progress import Progress  # noqa: F401
from .registered import RegisteredInstrument, list_instruments, make_text  # noqa: F401

__all__ = [
    "PassInstrument",
    "RegisteredInstrument",
    "list_instruments",
    "pass_instrument",
]
__all__ += _instruments_gen.__all__ + printing.__all__

# Hidden from type checkers, which would accept any name.
if not TYPE_CHECKING:
    __getattr__ = explain_missing(
        __name__,
        "a name",
        __all__,
        "list_instruments() has all that there are",
    )
