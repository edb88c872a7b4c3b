# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed functions that the compiled code finds without being given them.

``partita.*`` are what objects of the code need. The others are TVM's that LegalizeOps or the lowering to its
virtual machine calls: what they print and compute is as in TVM.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .vm_builtins import VM_BUILTINS

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["DEFAULT_PACKED_FUNCS"]


class Shown(tuple[Any, ...]):
    """A tuple that is printed with its fields printed, as TVM does: (1, 2) of arrays 1 and 2."""

    def __str__(self) -> str:
        return f"({', '.join(map(str, self))})"


def _show(text: str, values: tuple[Any, ...], separator: str) -> str:
    def get_shown(value: Any) -> Any:
        return Shown(map(get_shown, value)) if isinstance(value, tuple) else value

    shown = get_shown(values)
    return text.format(*shown) if text else separator.join(map(str, shown))


def _print(text: str = "", *values: Any) -> None:
    print(_show(text, values, " "))


def _assert(condition: Any, text: str = "", *values: Any) -> None:
    if not condition:
        raise AssertionError(_show(text, values, ", ") or "Assertion Failed")


def _as_array(x: Any) -> Array:
    """`x` for NumPy, which makes one object of an array that has only DLPack's methods."""
    import numpy as np

    is_exchanged = hasattr(x, "__dlpack__") and not hasattr(x, "__array__")
    return np.from_dlpack(x) if is_exchanged else np.asarray(x)


def _nonzero(x: Array) -> Array:
    """The index of each element that is not zero: one column of int64 each."""
    import numpy as np

    return np.stack(np.nonzero(np.atleast_1d(_as_array(x)))).astype("int64")


def _unique(
    x: Array,
    is_sorted: bool,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    axis: int | None = None,
) -> Any:
    """The elements, or the slices along `axis`: in order, or as they first occur."""
    import numpy as np

    values, index, inverse, counts = np.unique(
        _as_array(x), return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    # Which shape it has depends on NumPy's version.
    inverse = inverse.reshape(-1)
    if not is_sorted:
        order = np.argsort(index)
        values = np.take(values, order, axis=axis or 0)
        index, counts = index[order], counts[order]
        inverse = np.argsort(order)[inverse]
    parts = [values]
    for part, is_wanted in zip(
        (index, inverse, counts), (return_index, return_inverse, return_counts), strict=True
    ):
        if is_wanted:
            parts.append(part.astype("int64"))
    return tuple(parts) if len(parts) > 1 else values


def _get_order(data: Array, axis: int, is_ascend: bool) -> Array:
    """The indices of the sorted elements; stable in both directions."""
    import numpy as np

    keys = data if is_ascend else np.flip(data, axis)
    order = np.argsort(keys, axis, kind="stable")
    return order if is_ascend else data.shape[axis] - 1 - np.flip(order, axis)


def _argsort(data: Array, out: Array, axis: int, is_ascend: bool) -> None:
    out[...] = _get_order(data, axis, is_ascend)


def _sort(data: Array, out: Array, axis: int, is_ascend: bool) -> None:
    import numpy as np

    out[...] = np.take_along_axis(data, _get_order(data, axis, is_ascend), axis)


def _topk(data: Array, *rest: Any) -> None:
    """Writes the first `k` sorted values, their indices, or both; all if `k` is 0 or less."""
    import numpy as np

    *outputs, k, axis, ret_type, is_ascend = rest
    order = _get_order(data, axis, is_ascend)
    if k >= 1:
        order = np.take(order, range(min(k, data.shape[axis])), axis)
    parts = {"values": np.take_along_axis(data, order, axis), "indices": order}
    wanted = list(parts.values()) if ret_type == "both" else [parts[ret_type]]
    for out, part in zip(outputs, wanted, strict=True):
        out[...] = part


def _argsort_nms(data: Array, sort_num: Array, out: Array, axis: int, is_ascend: bool) -> None:
    """Sorts the first elements of each row; the others stay where they are."""
    import numpy as np

    rows = np.moveaxis(data, axis, -1).reshape(-1, data.shape[axis])
    order = np.tile(np.arange(rows.shape[1], dtype=out.dtype), (len(rows), 1))
    for row, count, target in zip(rows, sort_num.reshape(-1), order, strict=True):
        _argsort(row[:count], target[:count], 0, is_ascend)
    moved = np.moveaxis(out, axis, -1)
    moved[...] = order.reshape(moved.shape)


class Closure:
    """A function of compiled code that has its last arguments. Call it with the others."""

    def __init__(
        self,
        native: Any,
        packed_funcs: dict[str, Callable[..., Any]],
        name: str,
        captured: tuple[Any, ...],
    ) -> None:
        self._native = native
        self._packed_funcs = packed_funcs
        self._captured = captured
        self.name = name

    def __call__(self, *args: Any) -> Any:
        return self._native.call(self.name, (*args, *self._captured), self._packed_funcs)

    def __repr__(self) -> str:
        return f"<closure {self.name}>"


def _make_closure(
    native: Any, packed_funcs: dict[str, Callable[..., Any]]
) -> Callable[..., Closure]:
    return lambda name, *captured: Closure(native, packed_funcs, name, captured)


def _box(value: Any) -> Any:
    """`value` for others than the code: the array is theirs."""
    if isinstance(value, tuple):
        for field in value:
            _box(field)
    elif hasattr(value, "setflags"):
        value.setflags(write=True)
    return value


def _shape_of(x: Any) -> tuple[int, ...]:
    return tuple(map(operator.index, x.shape))


def _reshape(x: Any, shape: tuple[int, ...]) -> Array:
    import numpy as np

    return np.reshape(_as_array(x), shape)


def _inspect(what: str, x: Any, axis: int = 0) -> int:
    """R.inspect's functions: DLPack's fields."""
    from ._runtime import describe_tensor

    code, bits, lanes, offset, shape, strides = describe_tensor(x)
    if what in ("tensor_shape_i", "tensor_stride_i"):
        if not 0 <= axis < len(shape):
            raise ValueError(
                f"expected an axis of at least 0 and less than {len(shape)}, but found {axis}"
            )
        return (shape if what == "tensor_shape_i" else strides)[axis]
    return {
        "tensor_ndim": len(shape),
        "tensor_dtype_bits": bits,
        "tensor_dtype_code": code,
        "tensor_dtype_lanes": lanes,
        "tensor_byte_offset": offset,
        "tensor_elem_offset": offset * 8 // (bits * lanes),
    }[what]


DEFAULT_PACKED_FUNCS: dict[str, Callable[..., Any]] = {
    "partita.box": _box,
    "partita.inspect": _inspect,
    "partita.make_closure": _make_closure,
    "partita.reshape": _reshape,
    "partita.shape_of": _shape_of,
    "partita.unbox": lambda value: value,
    "relax.run.assert_op": _assert,
    "relax.run.nonzero": _nonzero,
    "relax.run.print": _print,
    "relax.run.unique": _unique,
    "tvm.contrib.sort.argsort": _argsort,
    "tvm.contrib.sort.argsort_nms": _argsort_nms,
    "tvm.contrib.sort.sort": _sort,
    "tvm.contrib.sort.topk": _topk,
    "vm.builtin.reshape": _reshape,
    "vm.builtin.shape_of": _shape_of,
    **VM_BUILTINS,
}
"""By name. A function that the caller gives goes before."""
