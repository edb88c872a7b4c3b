# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of passes."""

from __future__ import annotations

import os

from ..ir.module import IRModule
from ..mlir._mlir_libs import _partita


def _call(
    self: _partita.Pass,
    mod: IRModule,
    *,
    verify: bool = True,
    resume_from: str | os.PathLike[str] = "",
) -> IRModule:
    """Run on a copy of the module, under the current PassContext.

    As in TVM, a pass that is called directly runs whatever its opt_level.

    Parameters
    ----------
    mod : IRModule
        The module, which stays as it is.
    verify : bool, optional
        Whether MLIR's verifier runs after each pass.
    resume_from : Union[str, "os.PathLike[str]"], optional
        A directory with checkpoints that the instrument ``Checkpoint`` wrote for the same passes,
        module and context. The run goes on after the last; without one it begins at the start.

    Raises
    ------
    PassError
        If the pass or the verifier after it fails, or the checkpoints are of another run.
    """
    return self._run(mod, False, verify, os.fspath(resume_from) if resume_from else "")


def _run_in_place(
    self: _partita.Pass,
    mod: IRModule,
    *,
    verify: bool = True,
    resume_from: str | os.PathLike[str] = "",
) -> None:
    """Run as a call does, and put the result into `mod`.

    Functions that were taken from the module before stay as they were, and are
    not part of it any more.
    """
    self._run(mod, in_place=True, verify=verify, resume_from=os.fspath(resume_from))


def _pass_repr(self: _partita.Pass) -> str:
    info = self.info
    return (
        f'{type(self).__name__}(name="{info.name}", opt_level={info.opt_level}, '
        f"required={list(info.required)})"
    )


Pass = _partita.Pass
Pass.__call__ = _call  # type: ignore[method-assign]
Pass.run_in_place = _run_in_place  # type: ignore[method-assign]
Pass.__repr__ = _pass_repr  # type: ignore[method-assign]
Pass.__hash__ = lambda self: hash(self.info.name)  # type: ignore[method-assign]
