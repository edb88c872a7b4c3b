# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans: what a pass would run, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..errors import check_type
from ..mlir._mlir_libs import _partita
from .base import Pass
from .info import PassInfo


class PlanEntry(NamedTuple):
    """A line of a Plan.

    Attributes
    ----------
    info : PassInfo
        The pass's.
    depth : int
        How many Sequentials it is in.
    runs : bool
        Whether it runs, unless an instrument vetoes it.
    reason : str
        "direct", "opt_level", "required_pass", "required_by", "disabled_pass",
        "opt_level_too_high", for a pass that ran before a checkpoint "resumed", or
        "requirement_met" (see PassInfo.reuse_required).
    """

    info: PassInfo
    depth: int
    runs: bool
    reason: str


class Plan:
    """The passes that a pass would run under a context, and why; it prints as a table."""

    _reasons = (
        "direct",
        "opt_level",
        "required_pass",
        "required_by",
        "disabled_pass",
        "opt_level_too_high",
        "resumed",
        "requirement_met",
    )

    def __init__(self, description: tuple[Sequence[Any], str]):
        entries, self._text = description
        self.entries = [
            PlanEntry(p.info, depth, reason < 4, self._reasons[reason])
            for p, depth, reason in entries
        ]

    def __iter__(self) -> Iterator[PlanEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__


def plan(pass_: Pass, context: _partita.PassContext | None = None) -> Plan:
    """The passes that `pass_` would run under `context`, or under the current one.

    Raises
    ------
    ValueError
        If a required pass is not known, or passes require each other.
    """
    check_type(pass_, Pass, "a pass to be planned")
    return Plan(pass_._plan(context or _partita.PassContext.current()))
