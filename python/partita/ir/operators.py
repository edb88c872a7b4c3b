# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Python's operators make of expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..mlir._mlir_libs import _partita
from .op import Op
from .prim import PrimExpr

__all__ = ["as_size", "has_no_truth", "operator"]


def as_size(value: Any) -> Any:
    """`value` as a size: an int, or a PrimExpr; None if it is none.

    A Var of type int64 is one by its name: TVM 0.27 has one class for it and for tir.Var.
    """
    if isinstance(value, PrimExpr) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    find = getattr(value, "_as_size", None)
    return None if find is None else find()


def has_no_truth(self: Any) -> bool:
    """The __bool__ of expressions: ``if x < y`` would always hold, as a comparison is an op."""
    raise ValueError(
        f"expected no truth of {type(self).__name__}, as its value is known when the program runs; "
        "compare it with `is None`, or compute with relax.op.logical_and and relax.If"
    )


def operator(
    op: str, compute: Callable[[Any, Any], Any] | None = None, is_reflected: bool = False
) -> Callable[[Any, Any], Any]:
    """A method that calls the op `op`; for two sizes, what `compute` makes of them."""

    def apply(self: Any, other: Any) -> Any:
        operands: Sequence[Any] = (other, self) if is_reflected else (self, other)
        if compute is not None and (size := as_size(self)) is not None:
            other_size = as_size(other)
            if other_size is not None:
                sizes = (other_size, size) if is_reflected else (size, other_size)
                return compute(*sizes)
        if type(other) is str:
            raise TypeError("expected an expression, a number or a NumPy array, but found str")
        return _partita.make_call(Op.get(op), operands)

    return apply
