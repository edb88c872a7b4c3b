# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes in patterns, and sizes that are the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import check_type
from ...ir.context import get_context
from ...ir.prim import PrimExpr
from ...mlir._mlir_libs import _partita

__all__ = [
    "check_shape",
    "is_same_shape",
    "is_same_size",
    "list_names",
    "print_shape",
    "substitute",
]

_NAME = re.compile(r"[^\W\d]\w*")


def check_shape(shape: Sequence[Any]) -> tuple[Any, ...]:
    """The sizes of a pattern."""
    for size in shape:
        check_type(size, (int, PrimExpr), "a size in a pattern to be an int or a PrimExpr")
    return tuple(shape)


def is_same_shape(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two shapes are the same, whatever their names stand for."""
    return len(one) == len(other) and all(
        wanted is not None and size is not None and is_same_size(wanted, size)
        for wanted, size in zip(one, other)
    )


def is_same_size(one: Any, other: Any) -> bool:
    """Whether two sizes are the same, whatever their names stand for."""
    difference = _partita.simplify_dim(f"({one}) - ({other})", get_context())
    return isinstance(difference, int) and difference == 0


def list_names(size: Any) -> list[str]:
    """The names in a size."""
    return _NAME.findall(str(size))


def substitute(size: Any, sizes: Mapping[str, Any]) -> str:
    """The text of a size with sizes in place of names."""
    return _NAME.sub(lambda name: f"({sizes.get(name[0], name[0])})", str(size))


def print_shape(shape: Sequence[Any]) -> str:
    """The text of a shape in the text of a pattern."""
    return f"({', '.join(str(size) for size in shape)})"
