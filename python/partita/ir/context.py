# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MLIR context that modules are made in."""

from __future__ import annotations

import os
import threading

from ..mlir import ir
from ..mlir._mlir_libs import _partita


def make_global_lock() -> threading.Lock:
    """A lock that is free in the child of a fork, which lacks the thread that may hold it."""
    lock = threading.Lock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lock._at_fork_reinit)  # type: ignore[attr-defined]
    return lock


_default_context: ir.Context | None = None
_default_context_lock = make_global_lock()
#: Contexts of the parent of this process that must not be used, nor freed.
_broken_contexts: list[ir.Context] = []


@_partita.known_as("get_context")
def get_context() -> ir.Context:
    """The MLIR context that modules are made in.

    Returns
    -------
    mlir.ir.Context
        The context of this thread's innermost ``with``; without one, inside a pass, the context of
        the pass's module; otherwise one that the whole process shares.
    """
    context = ir.Context.current or _partita.get_run_context()
    if context is not None:
        return context
    global _default_context
    with _default_context_lock:
        if _default_context is not None and _partita.is_broken(_default_context):
            _broken_contexts.append(_default_context)
            _default_context = None
        if _default_context is None:
            _default_context = ir.Context()
        return _default_context
