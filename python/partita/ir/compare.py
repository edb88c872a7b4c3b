# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equality and hashes of modules and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import check_type
from ..mlir import ir
from .function import BaseFunc
from .module import IRModule
from .show import elide


def _as_module(value: IRModule | BaseFunc) -> IRModule:
    if isinstance(value, BaseFunc):
        return IRModule({"main": value})
    check_type(value, IRModule, "an IRModule or a function")
    return value


def _is_type(value: Any) -> bool:
    """Whether it is a type of an expression; their classes are above this package."""
    return hasattr(value, "to_mlir")


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two modules, two functions, or two types of expressions, say the same.

    Locations and names of variables do not count, nor do the names of two functions that
    are compared. As in TVM, constants and shapes are values: where they stand is no
    difference, while the order of bindings is. `map_free_vars` is TVM's, and makes no
    difference: functions have no free variables, and names of dimensions always count.
    """
    if _is_type(lhs) and _is_type(rhs):
        return bool(lhs == rhs)
    return _as_module(lhs)._equivalent(_as_module(rhs))


def structural_hash(module: IRModule | BaseFunc) -> int:
    """A hash that modules and functions share if they are structural_equal.

    It is the same in every process.
    """
    return _as_module(module)._hash()


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Raise a ValueError with a diff unless both are structural_equal."""
    if structural_equal(lhs, rhs, map_free_vars):
        return
    if _is_type(lhs):
        raise ValueError(f"expected equal types, but found {lhs} and {rhs}")
    import difflib

    ops = [lhs.operation, rhs.operation]
    # The shortest text that shows the difference.
    prints: list[Callable[[ir.Operation], str]] = [
        elide,
        str,
        lambda op: str(op.get_asm(print_generic_op_form=True)),
    ]
    diff = ""
    while prints and not diff:
        show = prints.pop(0)
        left, right = (show(op).splitlines() for op in ops)
        diff = "\n".join(difflib.unified_diff(left, right, "lhs", "rhs", lineterm=""))
    raise ValueError("expected equal modules, but found:\n" + diff)
