# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges of sizes: TVM's ``tvm.ir.Range``."""

from __future__ import annotations

from typing import Any

from ..errors import as_number, check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .identity import is_same
from .prim import IntImm, PrimExpr

__all__ = ["Range"]


class Range:
    """The numbers from `begin` on and before `end`; from 0 on and before `begin` without `end`.

    Parameters
    ----------
    begin : int or PrimExpr
        The first number, or their count.
    end : int or PrimExpr, optional
        The number after the last.

    Attributes
    ----------
    min : IntImm or PrimExpr
        The first number.
    extent : IntImm or PrimExpr
        How many numbers there are.
    """

    __slots__ = ("min", "extent")

    def __init__(self, begin: Any, end: Any = None, span: Any = None):
        begin = _as_size(begin, "the begin of a Range")
        if end is None:
            begin, end = _as_size(0, "0"), begin
        self.min: Any = begin
        self.extent: Any = _as_size(_as_size(end, "the end of a Range") - begin, "the extent")

    @staticmethod
    def from_min_extent(min_value: Any, extent: Any, span: Any = None) -> Range:
        """`extent` numbers from `min_value` on."""
        made = Range.__new__(Range)
        made.min = _as_size(min_value, "the min of a Range")
        made.extent = _as_size(extent, "the extent of a Range")
        return made

    same_as = is_ = is_same

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return _partita.write_node(self, context)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Range):
            return NotImplemented
        return bool(self.min == other.min and self.extent == other.extent)

    def __hash__(self) -> int:
        return hash((self.min, self.extent))

    def __repr__(self) -> str:
        return f"Range({self.min}, {self.min + self.extent})"


def _as_size(value: Any, what: str) -> Any:
    """`value` as an IntImm or a PrimExpr."""
    if hasattr(value, "_as_size") and (size := value._as_size()) is not None:
        value = size
    value = as_number(value)
    check_type(value, (int, PrimExpr), f"{what} to be an int or a size of tir.Var")
    return IntImm("int64", value) if type(value) is int else value
