# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equality and hashes of modules and functions."""

from __future__ import annotations

from ..errors import check_type
from .function import BaseFunc
from .module import IRModule
from .show import elide


def _as_module(value: IRModule | BaseFunc) -> IRModule:
    if isinstance(value, BaseFunc):
        return IRModule({"main": value})
    check_type(value, IRModule, "an IRModule or a function")
    return value


def structural_equal(lhs: IRModule | BaseFunc, rhs: IRModule | BaseFunc) -> bool:
    """Whether two modules, or two functions, differ in nothing but locations.

    The names of two functions may differ, too.
    """
    return _as_module(lhs)._equivalent(_as_module(rhs))


def structural_hash(module: IRModule | BaseFunc) -> int:
    """A hash that modules and functions share if they are structural_equal."""
    return _as_module(module)._hash()


def assert_structural_equal(lhs: IRModule | BaseFunc, rhs: IRModule | BaseFunc) -> None:
    """Raise a ValueError with a diff unless both are structural_equal."""
    if structural_equal(lhs, rhs):
        return
    import difflib

    texts = [elide(lhs.operation), elide(rhs.operation)]
    if texts[0] == texts[1]:
        texts = [lhs.script(), rhs.script()]
    diff = difflib.unified_diff(
        texts[0].splitlines(), texts[1].splitlines(), "lhs", "rhs", lineterm=""
    )
    raise ValueError("expected equal modules, but found:\n" + "\n".join(diff))
