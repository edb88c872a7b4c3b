# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of the parameters of instruments that are written in C++."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Union

from ..errors import check_type
from ..ir.module import IRModule
from ..transform import info

Runner = Callable[[IRModule], Any]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def check_bool(field: str, value: bool) -> bool:
    """`value`, if it is a bool."""
    check_type(value, bool, f"{field} to be a bool")
    return value


def check_steps(field: str, steps: Sequence[int | str], what: str) -> list[str] | None:
    """A list of numbers and texts as one of texts; None if it is empty."""
    try:
        elements = None if isinstance(steps, (str, bytes)) else list(steps)
    except TypeError:
        elements = None
    if elements is None:
        raise TypeError(
            f"expected {field} to be a list of {what}, but found {type(steps).__name__}; "
            f"write [{steps!r}]"
        )
    for element in elements:
        if isinstance(element, bool) or not isinstance(element, (int, str)):
            raise TypeError(
                f"expected {field} to be a list of {what}, but found {type(element).__name__} in it"
            )
    return [str(element) for element in elements] or None


def check_names(field: str, names: Sequence[str]) -> list[str] | None:
    """A list of names; None if it is empty."""
    return list(info.check_names(field, names)) or None


def decode(path: Path | None) -> str | None:
    """A path as a str; None for None."""
    return None if path is None else os.fsdecode(path)
