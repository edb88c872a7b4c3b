# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Maps of the indices of a tensor: TVM's ``tvm.tirx.IndexMap``."""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Callable
from typing import Any

from ..errors import check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita

__all__ = ["IndexMap"]

# The operators of an index, by TVM's names of their nodes.
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "prim.Add": operator.add,
    "prim.Sub": operator.sub,
    "prim.Mul": operator.mul,
    "prim.FloorDiv": operator.floordiv,
    "prim.FloorMod": operator.mod,
}
# The right operand with which an operator changes nothing.
_NEUTRAL = {"prim.Add": 0, "prim.Sub": 0, "prim.Mul": 1, "prim.FloorDiv": 1}
_COMMUTE = ("prim.Add", "prim.Mul")


class _Index:
    """An index: a variable, or +, -, *, // or % on two indices, or on one and an int."""

    __slots__ = ("kind", "operands")

    def __init__(self, kind: str, *operands: Any):
        self.kind = kind
        self.operands = operands

    @staticmethod
    def _make(kind: str, a: Any, b: Any) -> Any:
        for operand in (a, b):
            is_int = isinstance(operand, int) and not isinstance(operand, bool)
            if not is_int and not isinstance(operand, _Index):
                return NotImplemented
        if kind in ("prim.FloorDiv", "prim.FloorMod") and b == 0:
            raise ZeroDivisionError("expected a divisor of an index that is not 0")
        # Like TVM, simplify if an operand is a neutral number.
        if isinstance(b, int) and b == _NEUTRAL.get(kind):
            return a
        if isinstance(a, int) and kind in _COMMUTE and a == _NEUTRAL[kind]:
            return b
        return _Index(kind, a, b)

    def __add__(self, other: Any) -> Any:
        return self._make("prim.Add", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._make("prim.Add", other, self)

    def __sub__(self, other: Any) -> Any:
        return self._make("prim.Sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._make("prim.Sub", other, self)

    def __neg__(self) -> Any:
        return self * -1

    def __mul__(self, other: Any) -> Any:
        return self._make("prim.Mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._make("prim.Mul", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._make("prim.FloorDiv", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._make("prim.FloorDiv", other, self)

    def __mod__(self, other: Any) -> Any:
        return self._make("prim.FloorMod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._make("prim.FloorMod", other, self)

    def compute(self, values: dict[_Index, int]) -> int:
        """The index where the variables have these values."""
        if self in values:
            return values[self]
        a, b = (_compute(operand, values) for operand in self.operands)
        return int(_OPERATORS[self.kind](a, b))


def _compute(index: Any, values: dict[_Index, int]) -> int:
    return index.compute(values) if isinstance(index, _Index) else int(index)


class IndexMap:
    """Where the elements of a tensor go: a function from their indices to new ones.

    `relax.op.layout_transform` takes one, or the function. See `from_func`.
    """

    __slots__ = ("initial_indices", "final_indices", "_names", "_dtype")

    def __init__(self, initial: list[Any], final: list[Any], names: list[str], dtype: str):
        self.initial_indices = tuple(initial)
        self.final_indices = tuple(final)
        self._names = names
        self._dtype = dtype

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
        indices = [_Index("ir.Var") for _ in [*names, *keywords]]
        named = dict(zip(keywords, indices[len(names) :]))
        mapped = mapping_function(*indices[: len(names)], **named)
        final = list(mapped) if isinstance(mapped, (list, tuple)) else [mapped]
        for index in final:
            check_type(index, _Index, "a mapping of indices to give indices")
        return IndexMap(indices, final, [*names, *keywords], index_dtype)

    def map_indices(self, indices: list[int] | tuple[int, ...]) -> list[int]:
        """Where the element at these indices, ints, goes."""
        if len(indices) != len(self.initial_indices):
            raise ValueError(
                f"expected {len(self.initial_indices)} indices to map, but found {len(indices)}"
            )
        values = dict(zip(self.initial_indices, indices))
        return [index.compute(values) for index in self.final_indices]

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        text = json.dumps(self._make_graph(), separators=(",", ":"))
        return _partita.make_opaque("tirx.IndexMap", text, context)

    def _make_graph(self) -> dict[str, Any]:
        """The nodes that TVM writes."""
        nodes: list[dict[str, Any]] = [{"type": "None"}]

        def add(type: str, data: Any) -> int:
            nodes.append({"type": type, "data": data})
            return len(nodes) - 1

        dtype = add("ir.PrimType", {"span": 0, "dtype": self._dtype})
        seen: dict[Any, int] = {}

        def write(index: Any) -> int:
            if index not in seen:
                common = {"span": 0, "ty": dtype}
                if isinstance(index, int):
                    data = {**common, "value": add("int", index)}
                    seen[index] = add("ir.IntImm", data)
                else:
                    a, b = map(write, index.operands)
                    seen[index] = add(index.kind, {**common, "a": a, "b": b})
            return seen[index]

        for index, name in zip(self.initial_indices, self._names):
            var = {"span": 0, "ty": dtype, "name": add("ffi.String", name)}
            seen[index] = add("ir.Var", var)
        initial = add("ffi.Array", [write(index) for index in self.initial_indices])
        final = add("ffi.Array", [write(index) for index in self.final_indices])
        data = {"initial_indices": initial, "final_indices": final, "inverse_index_map": 0}
        root = add("tirx.IndexMap", data)
        return {"root_index": root, "nodes": nodes}
