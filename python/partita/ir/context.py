# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MLIR context that modules are made in."""

from __future__ import annotations

import threading

from ..mlir import ir
from ..mlir._mlir_libs import _partita

_default_context: ir.Context | None = None
_default_context_lock = threading.Lock()


def get_context() -> ir.Context:
    """The MLIR context that modules are made in.

    Returns
    -------
    mlir.ir.Context
        The context of this thread's innermost ``with``; without one, inside a pass, that of
        the pass's module; otherwise one that the whole process shares.
    """
    context = ir.Context.current or _partita.get_run_context()
    if context is not None:
        return context
    global _default_context
    with _default_context_lock:
        if _default_context is None:
            _default_context = ir.Context()
        return _default_context
