# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of TVM's virtual machine that VMShapeLower calls: checks, and sizes on a heap.

The numbers of the codes are TVM's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["VM_BUILTINS"]

_EQUALS_NUMBER, _STORES, _ANYTHING, _EQUALS_STORED = range(4)
_NUMBER, _LOADS = range(2)


def _check(is_right: bool, context: str | None, expected: str, found: object) -> None:
    if not is_right:
        prefix = f"{context}: " if context else ""
        raise ValueError(f"{prefix}expected {expected}, but found {found}")


def _alloc_shape_heap(size: int) -> Array:
    import numpy as np

    return np.zeros(size, "int64")


def _match_size(size: int, heap: Any, code: int, number: int, context: str | None) -> None:
    if code == _STORES:
        heap[number] = size
    elif code != _ANYTHING:
        wanted = number if code == _EQUALS_NUMBER else heap[number]
        _check(size == wanted, context, f"a size of {wanted}", size)


def _match_shape(value: Any, heap: Any, rank: int, *rest: Any) -> None:
    *pairs, context = rest
    shape = value if isinstance(value, tuple) else value.shape
    _check(len(shape) == rank, context, f"{rank} sizes", shape)
    for size, code, number in zip(shape, pairs[::2], pairs[1::2], strict=True):
        _match_size(size, heap, code, number, context)


def _make_size(heap: Any, code: int, number: int) -> int:
    return number if code == _NUMBER else int(heap[number])


def _make_shape(heap: Any, rank: int, *pairs: int) -> tuple[int, ...]:
    pairs = pairs[: 2 * rank]
    return tuple(map(_make_size, (heap,) * rank, pairs[::2], pairs[1::2]))


def _check_tensor(value: Any, rank: int, *rest: Any) -> None:
    dtype, context = rest if len(rest) > 1 else (None, *rest)
    _check(hasattr(value, "shape"), context, "a tensor", type(value).__name__)
    _check(rank in (-1, len(value.shape)), context, f"{rank} dimensions", value.shape)
    _check(dtype in (None, str(value.dtype)), context, f"dtype {dtype}", value.dtype)


def _check_shape(value: Any, rank: int, context: str | None = None) -> None:
    _check(isinstance(value, tuple), context, "a shape", type(value).__name__)
    _check(rank in (-1, len(value)), context, f"{rank} sizes", value)


def _check_tuple(value: Any, size: int, context: str | None = None) -> None:
    _check(isinstance(value, tuple), context, "a tuple", type(value).__name__)
    _check(len(value) == size, context, f"{size} fields", len(value))


def _check_func(value: Any, context: str | None = None) -> None:
    _check(callable(value), context, "a function", type(value).__name__)


def _check_number(value: Any, dtype: str, context: str | None = None) -> None:
    _check(isinstance(value, int | float), context, f"a number of {dtype}", type(value).__name__)


VM_BUILTINS: dict[str, Callable[..., Any]] = {
    "vm.builtin.alloc_shape_heap": _alloc_shape_heap,
    "vm.builtin.check_func_info": _check_func,
    "vm.builtin.check_prim_value_info": _check_number,
    "vm.builtin.check_shape_info": _check_shape,
    "vm.builtin.check_tensor_info": _check_tensor,
    "vm.builtin.check_tuple_info": _check_tuple,
    "vm.builtin.copy": lambda value: value,
    "vm.builtin.make_prim_value": _make_size,
    "vm.builtin.make_shape": _make_shape,
    "vm.builtin.match_prim_value": _match_size,
    "vm.builtin.match_shape": _match_shape,
    "vm.builtin.tuple_getitem": lambda value, index: value[index],
}
"""By name."""
