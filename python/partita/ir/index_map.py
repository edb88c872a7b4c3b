# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Maps of the indices of a tensor: TVM's ``tvm.tirx.IndexMap``."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

from ..errors import check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .context import get_context

__all__ = ["IndexMap"]

# What computes an index, by the operator in an affine map.
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
}
# The right operand with which an operator changes nothing.
_NEUTRAL = {"+": 0, "-": 0, "*": 1, "floordiv": 1}
_COMMUTE = ("+", "*")


class Index:
    """An index: a variable, or +, -, *, // or % on two indices, or on one and an int."""

    __slots__ = ("kind", "operands")

    def __init__(self, kind: str, *operands: Any):
        self.kind = kind
        self.operands = operands

    @staticmethod
    def _make(kind: str, a: Any, b: Any) -> Any:
        for operand in (a, b):
            is_int = isinstance(operand, int) and not isinstance(operand, bool)
            if not is_int and not isinstance(operand, Index):
                return NotImplemented
        if kind in ("floordiv", "mod"):
            check_type(b, int, "an index to be divided by an int")
            if b == 0:
                raise ZeroDivisionError("expected a divisor of an index that is not 0")
            if b < 0:
                raise ValueError(f"expected an index to be divided by a positive int, but by {b}")
        if kind == "*" and isinstance(a, Index):
            check_type(b, int, "an index to be multiplied by an int")
        # Like TVM, simplify if an operand is a neutral number.
        if isinstance(b, int) and b == _NEUTRAL.get(kind):
            return a
        if isinstance(a, int) and kind in _COMMUTE and a == _NEUTRAL[kind]:
            return b
        return Index(kind, a, b)

    def __add__(self, other: Any) -> Any:
        return self._make("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._make("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return self._make("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._make("-", other, self)

    def __neg__(self) -> Any:
        return self * -1

    def __mul__(self, other: Any) -> Any:
        return self._make("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._make("*", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._make("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._make("floordiv", other, self)

    def __mod__(self, other: Any) -> Any:
        return self._make("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._make("mod", other, self)

    def compute(self, values: dict[Index, int]) -> int:
        """The index where the variables have these values."""
        if self in values:
            return values[self]
        a, b = (_compute(operand, values) for operand in self.operands)
        return int(_OPERATORS[self.kind](a, b))

    def __repr__(self) -> str:
        return _to_text(self, {})


def _to_text(index: Any, names: dict[Any, str]) -> str:
    """The text of an index, with other names for variables."""
    if not isinstance(index, Index) or index.kind == "var":
        return names.get(index) or str(index if isinstance(index, int) else index.operands[0])
    operands = (
        f"({_to_text(x, names)})"
        if isinstance(x, Index) and x.kind != "var"
        else _to_text(x, names)
        for x in index.operands
    )
    return f" {index.kind} ".join(operands)


def _compute(index: Any, values: dict[Index, int]) -> int:
    return index.compute(values) if isinstance(index, Index) else int(index)


def _read(expr: Any, indices: list[Index]) -> Any:
    """The index that an MLIR affine expression of these variables is."""
    if isinstance(expr, ir.AffineConstantExpr):
        return expr.value
    if isinstance(expr, ir.AffineDimExpr):
        return indices[expr.position]
    kind = {
        ir.AffineAddExpr: "+",
        ir.AffineMulExpr: "*",
        ir.AffineFloorDivExpr: "floordiv",
        ir.AffineModExpr: "mod",
    }[type(expr)]
    return Index(kind, _read(expr.lhs, indices), _read(expr.rhs, indices))


class IndexMap:
    """Where the elements of a tensor go: a function from their indices to new ones.

    `relax.op.layout_transform` takes one, or the function. See `from_func`.
    """

    __slots__ = ("initial_indices", "final_indices", "_dtype")

    def __init__(self, initial: list[Any], final: list[Any], dtype: str):
        self.initial_indices = tuple(initial)
        self.final_indices = tuple(final)
        self._dtype = dtype

    @staticmethod
    def _of(attribute: ir.Attribute) -> IndexMap | None:
        """The map of a `#relax.index_map`; None if `attribute` is none."""
        found = _partita.get_index_map(attribute)
        if found is None:
            return None
        affine, dtype = found
        indices = [Index("var", f"i{i}") for i in range(affine.n_dims)]
        return IndexMap(indices, [_read(expr, indices) for expr in affine.results], dtype)

    @staticmethod
    def from_func(
        mapping_function: Callable[..., Any],
        ndim: int | None = None,
        *,
        index_dtype: str = "int64",
    ) -> IndexMap:
        """The map that a function says, such as ``lambda i, j: (i // 4, j, i % 4)``.

        The function gets the indices and gives an index, or a list of them, made by ``+``,
        ``-``, ``*``, ``//`` and ``%``. `ndim` is how many there are, for one with ``*args``.

        Raises
        ------
        TypeError
            If the function gives something else.
        ValueError
            If the function has ``*args`` and `ndim` is not given, or has ``**kwargs``.
        """
        names: list[str] = []
        keywords: list[str] = []
        variadic = None
        for name, param in inspect.signature(mapping_function).parameters.items():
            if param.kind == inspect.Parameter.VAR_KEYWORD:
                raise ValueError("expected a mapping of indices without **kwargs")
            if param.kind == inspect.Parameter.VAR_POSITIONAL:
                variadic = name
            elif param.kind == inspect.Parameter.KEYWORD_ONLY:
                keywords.append(name)
            else:
                names.append(name)
        if variadic is not None:
            if ndim is None:
                raise ValueError(f"expected ndim for a mapping of indices with *{variadic}")
            names += [f"{variadic}_{i}" for i in range(ndim - len(names) - len(keywords))]
        indices = [Index("var", name) for name in [*names, *keywords]]
        named = dict(zip(keywords, indices[len(names) :]))
        mapped = mapping_function(*indices[: len(names)], **named)
        final = list(mapped) if isinstance(mapped, (list, tuple)) else [mapped]
        for index in final:
            check_type(index, Index, "a mapping of indices to give indices")
        return IndexMap(indices, final, index_dtype)

    def map_indices(self, indices: list[int] | tuple[int, ...]) -> list[int]:
        """Where the element at these indices, ints, goes."""
        if len(indices) != len(self.initial_indices):
            raise ValueError(
                f"expected {len(self.initial_indices)} indices to map, but found {len(indices)}"
            )
        values = dict(zip(self.initial_indices, indices))
        return [_compute(index, values) for index in self.final_indices]

    def __repr__(self) -> str:
        initial, final = (
            ", ".join(map(str, indices)) for indices in (self.initial_indices, self.final_indices)
        )
        return f"({initial}) -> ({final})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IndexMap):
            return NotImplemented
        context = get_context()
        return bool(self._to_attribute(context) == other._to_attribute(context))

    def __hash__(self) -> int:
        return hash(str(self._to_attribute(get_context())))

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        # Python's names need not be MLIR's.
        names = {index: f"d{i}" for i, index in enumerate(self.initial_indices)}
        final = ", ".join(_to_text(index, names) for index in self.final_indices)
        text = f"({', '.join(names.values())}) -> ({final})"
        width = self._dtype.removeprefix("int")
        return ir.Attribute.parse(f"#relax.index_map<{text}, i{width}>", context)
