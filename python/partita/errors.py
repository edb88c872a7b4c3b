# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors and warnings of runs of passes, made of MLIR's diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


def check_type(value: Any, types: Any, what: str) -> None:
    """Raise a TypeError that says that `what` was expected, unless `value` has one of `types`."""
    if not isinstance(value, types):
        raise TypeError(f"expected {what}, but found {type(value).__name__}")


class Diagnostic(NamedTuple):
    """A diagnostic of a run, as text that outlives the MLIR context.

    Attributes
    ----------
    severity : str
        "error", "warning", "note" or "remark".
    location : str
        The location of the op, in MLIR's syntax.
    message : str
        What was expected, and what was found.
    notes : list of str
        Its notes, such as "in pass 'FoldConstant'".
    """

    severity: str
    location: str
    message: str
    notes: list[str]

    def __str__(self) -> str:
        return f"{self.location}: {self.severity}: {self.message}"


class PassError(RuntimeError):
    """A pass, or the verifier after it, has failed.

    The message is that of the first error. The exception's notes hold its location,
    the passes in which it occurred, and the other errors of the run.

    Parameters
    ----------
    pass_name : str
        The pass that was called.
    diagnostics : sequence of tuple
        The fields of each Diagnostic of the run.
    """

    def __init__(self, pass_name: str, diagnostics: Sequence[tuple[str, str, str, list[str]]]):
        self.pass_name = pass_name
        self.diagnostics = [Diagnostic(*fields) for fields in diagnostics]
        errors = [d for d in self.diagnostics if d.severity == "error"]
        message = errors[0].message if errors else f"pass '{pass_name}' failed"
        super().__init__(message)
        notes = []
        for index, diagnostic in enumerate(errors):
            notes.append(f"at {diagnostic.location}" if index == 0 else str(diagnostic))
            notes += diagnostic.notes
        in_pass = f"in pass '{pass_name}'"
        if in_pass not in notes:
            notes.append(in_pass)
        # Python prints them since 3.11; before, they can only be read.
        self.__notes__ = notes


class PassWarning(UserWarning):
    """A warning of a run of passes, such as a name that no pass has."""
