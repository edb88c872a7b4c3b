# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns by the names of compilers: TVM's ``tvm.relax.backend.pattern_registry``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import check_type
from ..fusion import FusionPattern

__all__ = ["get_pattern", "get_patterns_with_prefix", "register_patterns"]

_patterns: list[FusionPattern] = []


def register_patterns(patterns: Sequence[FusionPattern | tuple[Any, ...]]) -> None:
    """Register patterns. The last one comes first when they are matched.

    Parameters
    ----------
    patterns : list of FusionPattern or tuple
        The patterns. A tuple has the arguments of FusionPattern.
    """
    check_type(patterns, (list, tuple), "the patterns to be a list")
    for item in patterns:
        check_type(item, (FusionPattern, tuple), "a pattern to be a FusionPattern or a tuple")
    made = [item if isinstance(item, FusionPattern) else FusionPattern(*item) for item in patterns]
    _patterns.extend(made)


def get_patterns_with_prefix(prefix: str) -> list[FusionPattern]:
    """The patterns whose names begin with `prefix`; the last one registered comes first."""
    return [pattern for pattern in reversed(_patterns) if pattern.name.startswith(prefix)]


def get_pattern(name: str) -> FusionPattern | None:
    """The last pattern registered under a name; None if there is none."""
    return next((pattern for pattern in reversed(_patterns) if pattern.name == name), None)
