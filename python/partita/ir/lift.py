# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's values as expressions: numbers, arrays, sizes, strings, lists and functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from ..errors import check_list, check_type, pick
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .constant import Constant, as_constant
from .context import get_context
from .global_var import GlobalVar
from .node import Expr, Kind, Native
from .prim import FloatImm, IntImm
from .types import Shape, TensorType
from .values import ShapeExpr, global_value, make_value

__all__ = ["Tuple", "common_context", "in_context", "lift", "lift_part", "lift_value"]


def common_context(exprs: Sequence[Any]) -> ir.Context | None:
    """The context of expressions; a constant's counts only if all are constants."""
    found = None
    for expr in exprs:
        if isinstance(expr, Expr) and expr._types:
            if not isinstance(expr, Constant):
                return expr._context
            found = found or expr._context
    return found


@_partita.known_as("in_context")
def in_context(expr: Any, context: ir.Context) -> Any:
    """`expr` if it belongs to `context`; a constant is made anew in `context`."""
    if not isinstance(expr, Expr) or not expr._types or expr._context is context:
        return expr
    if isinstance(expr, Constant):
        return expr._in(context)
    raise ValueError(
        "expected expressions of one MLIR context, but found two; make all of them in "
        "one 'with context'"
    )


@_partita.known_as("Tuple")
class Tuple(Expr):
    """A tuple of expressions."""

    __slots__ = ()

    fields: tuple[Any, ...] = Native._fields

    def __init__(self, fields: Iterable[Any], span: Any = None):
        check_list(fields, "the fields of a Tuple to be a list")
        lifted = tuple(lift_value(field) for field in fields)
        types = None
        if all(field._types is not None for field in lifted):
            context = common_context(lifted) or get_context()
            lifted = tuple(in_context(field, context) for field in lifted)
            types = (ir.TupleType.get_tuple([field._type for field in lifted], context),)
        super().__init__(Kind.TUPLE, span, types, None, lifted)

    def __len__(self) -> int:
        return len(self.fields)

    def __getitem__(self, index: int) -> Expr:
        made: Expr = pick(self.fields, index, "Tuple", "fields")
        return made

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.fields)

    def __repr__(self) -> str:
        return f"Tuple(<{len(self.fields)} fields>)"


@_partita.known_as("lift")
def lift(value: Any, like: Expr | None = None) -> Any:
    """`value` as an expression: a number takes the element type of `like`.

    A str is a StringImm, unless it is a size.
    """
    if isinstance(value, (Expr, GlobalVar)):
        return value
    if hasattr(value, "_as_value"):
        return value._as_value()
    # A size, or a string.
    if isinstance(value, str):
        return make_value(value)
    if isinstance(value, Shape):
        return ShapeExpr(value)
    if isinstance(value, (list, tuple)):
        return Tuple(value)
    import numpy

    types = (bool, int, float, numpy.ndarray, numpy.generic)
    check_type(value, types, "an expression, a number or a NumPy array")
    dtype = None
    if like is not None and isinstance(value, (bool, int, float)):
        type_ = like.struct_info
        if isinstance(type_, TensorType):
            dtype = type_.dtype
            if isinstance(value, float) and "float" not in (dtype or "float"):
                raise TypeError(
                    f"expected a number of type {dtype}, but found {value}; convert one of them"
                )
    with nullcontext() if like is None else like._context:
        return as_constant(value, dtype)


def lift_part(value: Any) -> Any:
    """`value` as a binding, a result or a field: a number is none of a tensor there, as in TVM."""
    is_number = type(value) in (bool, int, float) or isinstance(value, (IntImm, FloatImm))
    return make_value(value) if is_number else lift(value)


def lift_value(value: Any) -> Expr:
    """The same; a function of the module is an expression, too."""
    part: Any = lift_part(value)
    made: Expr = global_value(part, get_context()) if isinstance(part, GlobalVar) else part
    return made
