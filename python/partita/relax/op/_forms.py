# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions whose parameters differ from their op's, and functions that are several ops."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ...errors import CallError, check_type
from ...ir.call import Call
from ...ir.constant import Constant
from ...ir.dtype import element_type
from ...ir.elements import make_array
from ...ir.global_info import VDevice
from ...ir.index_map import IndexMap
from ...ir.lift import Tuple, lift
from ...ir.node import Expr
from ...ir.prim import PrimExpr, floordiv
from ...ir.types import TensorType
from ...ir.values import PrimValue, ShapeExpr, StringImm
from ...mlir import ir


def linear(ops: Any, data: Any, weight: Any, bias: Any = None, out_dtype: Any = None) -> Call:
    """``data @ weight.T + bias``."""
    product: Call = ops.matmul(data, ops.permute_dims(weight), out_dtype)
    return product if bias is None else product + bias


def masked_fill(ops: Any, x: Any, mask: Any, value: Any) -> Call:
    """`x`, but `value` where the mask is true."""
    return ops.where(mask, ops.full_like(x, value), x)


def relu6(ops: Any, data: Any) -> Call:
    """`data` between 0 and 6."""
    return ops.clip(data, 0, 6)


def arange(made: Any, start: Any, end: Any = None, step: Any = 1, dtype: Any = None) -> Call:
    """The numbers from `start`, or 0, to before `end`; int64 or float32 by default."""
    if end is None:
        start, end = 0, start
    if dtype is None:
        numbers = (n.value if isinstance(n, PrimValue) else n for n in (start, end, step))
        dtype = "float32" if any(isinstance(n, float) for n in numbers) else "int64"
    return made(start, end, step, dtype)


def eye(made: Any, n: Any, m: Any = None, k: Any = 0, dtype: Any = "float32") -> Call:
    """`n` rows of `m`, or `n`, columns, with ones on the diagonal `k`."""
    return made(n, n if m is None else m, k, dtype)


def reshape(made: Any, x: Any, shape: Any) -> Call:
    """`x` with another shape, in which -1 stands for what is left, and 0 for the size in `x`."""
    dims = shape.values if isinstance(shape, ShapeExpr) else shape
    if isinstance(dims, (list, tuple)) and any(isinstance(dim, int) and dim <= 0 for dim in dims):
        if any(isinstance(dim, int) and dim < -1 for dim in dims):
            raise CallError(f"expected sizes, -1 or 0 in a shape, but found {tuple(dims)}")
        x = lift(x)
        shape = _find_dims(x, list(dims))
    return made(x, shape)


def _find_dims(x: Expr, shape: list[Any]) -> list[Any]:
    type_ = x.struct_info
    known_dims = type_.shape if isinstance(type_, TensorType) else None
    dims = [None] if known_dims is None else list(known_dims)
    for index, dim in enumerate(shape):
        if isinstance(dim, int) and dim == 0 and index < len(dims):
            shape[index] = dims[index]
    if shape.count(-1) == 0:
        return shape
    # A name in both needs no number.
    left: list[Any] = list(dims)
    rest = [dim for dim in shape if dim != -1 and not _take(left, dim)]
    if shape.count(-1) != 1 or any(dim is None for dim in [*left, *rest]):
        raise CallError(
            f"expected one -1 in a shape, and sizes to find it from, but found {tuple(shape)} "
            f"for a tensor of {type_}"
        )
    total, known = _multiply(left), _multiply(rest)
    are_numbers = isinstance(total, int) and isinstance(known, int)
    if known == 0 or (are_numbers and total % known != 0):
        raise CallError(f"expected a shape of as many elements as {type_}, found {tuple(shape)}")
    shape[shape.index(-1)] = 1 if total == known else floordiv(total, known)
    return shape


def _take(dims: list[Any], dim: Any) -> bool:
    if not isinstance(dim, str) or dim not in dims:
        return False
    dims.remove(dim)
    return True


def _multiply(dims: list[Any]) -> Any:
    return math.prod(PrimExpr(dim) if isinstance(dim, str) else dim for dim in dims)


def print_(made: Any, *values: Any, format: Any = "") -> Call:
    """Print values, at run time."""
    return made([_to_expr(value) for value in (format, *values)])


def assert_op(made: Any, condition: Any, format_args: Any = None, format: Any = "") -> Call:
    """Fail, at run time, unless the condition holds."""
    if not isinstance(format_args, (list, tuple)):
        format_args = [] if format_args is None else [format_args]
    if isinstance(condition, bool):
        condition = PrimValue(condition)
    return made([condition, *(_to_expr(value) for value in (format, *format_args))])


def _to_expr(value: Any) -> Any:
    return StringImm(value) if isinstance(value, str) else value


def attention(
    made: Any,
    with_bias: Any,
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    scale: Any = None,
    causal_mask: Any = None,
    window_size: Any = None,
) -> Call:
    """Attention; relax.nn.attention_bias if there is a bias."""
    attrs = {"scale": scale, "causal_mask": causal_mask, "window_size": window_size}
    operands = (query, key, value) if bias is None else (query, key, value, bias)
    return (made if bias is None else with_bias)(*operands, **attrs)


def attention_var_len(
    made: Any,
    queries: Any,
    keys: Any,
    values: Any,
    seqstart_q: Any,
    max_seqlen_q: Any,
    seqstart_k: Any = None,
    max_seqlen_k: Any = None,
    scale: Any = None,
    causal_mask: Any = None,
    window_size: Any = None,
) -> Call:
    """Attention over sequences of different lengths."""
    seqstart_k = seqstart_q if seqstart_k is None else seqstart_k
    max_seqlen_k = max_seqlen_q if max_seqlen_k is None else max_seqlen_k
    lengths = (seqstart_q, seqstart_k, max_seqlen_q, max_seqlen_k)
    attrs = {"scale": scale, "causal_mask": causal_mask, "window_size": window_size}
    return made(queries, keys, values, *lengths, **attrs)


def strided_slice(
    made: Any,
    x: Any,
    axes: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    assume_inbound: bool = False,
) -> Call:
    """`x` from `begin` to before `end` by `strides`, on some axes: lists of numbers."""
    x = lift(x)
    given = [
        numbers for numbers in (axes, begin, end, strides) if isinstance(numbers, (list, tuple))
    ]
    if len(set(map(len, given))) > 1:
        raise CallError(
            "expected as many numbers in 'begin', 'end' and 'strides' as in 'axes', but found "
            f"{given}"
        )
    with x._context:
        lists = [_to_numbers(numbers) for numbers in (axes, begin, end, strides)]
    return made(x, *lists, assume_inbound)


def _to_numbers(numbers: Any) -> Any:
    """A list of numbers as a Tuple of them."""
    if not isinstance(numbers, (list, tuple)):
        return numbers
    return Tuple([PrimValue(n) if isinstance(n, (int, PrimExpr)) else n for n in numbers])


def checkpoint(made: Any, input: Any) -> Call:
    """Mark a variable for checkpoints of gradients."""
    is_var = isinstance(input, Expr) and not isinstance(input, (Constant, Tuple, ShapeExpr))
    check_type(input if is_var else None, Expr, "a variable or the value of one")
    return made(input)


def view(
    made: Any, data: Any, shape: Any = None, dtype: Any = None, relative_byte_offset: Any = None
) -> Call:
    """The memory of `data` as another tensor. None stands for the value in `data`, or offset 0."""
    data = lift(data)
    with data._context:
        given = [Tuple([]) if v is None else v for v in (shape, dtype, relative_byte_offset)]
    return made(data, *given)


# DLPack's numbers of the devices that targets are for.
_DEVICE_TYPES = {
    **{"c": 1, "llvm": 1, "cuda": 2, "opencl": 4, "vulkan": 7, "metal": 8, "rocm": 10},
    **{"webgpu": 15, "hexagon": 16},
}


def hint_on_device(made: Any, data: Any, dst_vdevice: Any, memory_scope: str = "global") -> Call:
    """Say that `data` is on a device: a VDevice, or a pair of DLPack's type and an index."""
    if isinstance(dst_vdevice, VDevice):
        kind = (dst_vdevice.target or {}).get("kind")
        if kind not in _DEVICE_TYPES:
            raise CallError(f"expected a vdevice of one of {[*_DEVICE_TYPES]}, found {kind}")
        device = (_DEVICE_TYPES[kind], dst_vdevice.vdevice_id)
    else:
        check_type(dst_vdevice, tuple, "a device to be a VDevice, or DLPack's type and an index")
        device = dst_vdevice
    return made(data, *device, memory_scope)


def to_vdevice(made: Any, data: Any, dst_vdevice: Any) -> Call:
    """`data` on another device."""
    data = lift(data)
    type_ = data.struct_info
    call: Call = made(data, dst_vdevice)
    if not isinstance(type_, TensorType):
        return call
    with data._context:
        return Call(call.op, [data], call._attrs, [type_.with_vdevice(dst_vdevice)])


def layout_transform(made: Any, x: Any, index_map: Any, pad_value: Any = None) -> Call:
    """`x` with its elements moved: by an IndexMap, or a function such as lambda i, j: (j, i).

    New elements have the value `pad_value`, a number.
    """
    x = lift(x)
    type_ = x.struct_info
    check_type(type_, TensorType, "a tensor whose layout is to be transformed")
    if callable(index_map):
        index_map = IndexMap.from_func(index_map, type_.ndim if type_.ndim >= 0 else None)
    if isinstance(pad_value, PrimValue):
        pad_value = pad_value.value
    if isinstance(pad_value, (int, float)):
        if type_.dtype is None:
            raise CallError(f"expected a tensor of a known dtype for pad_value, found {type_}")
        element = element_type(type_.dtype, x._context)
        number = make_array(pad_value, type_.dtype).item()
        if isinstance(element, ir.IntegerType):
            check_type(pad_value, int, f"the pad_value of a tensor of {type_.dtype} to be an int")
            pad_value = ir.IntegerAttr.get(element, number)
        else:
            pad_value = ir.FloatAttr.get(element, number, ir.Location.unknown(x._context))
    return made(x, index_map, pad_value)


def add_to(ops: ModuleType) -> None:
    """Put these functions into `partita.relax.op`, beside the functions of the ops."""

    def add(module: Any, form: Callable[..., Call], *args: Any, name: str = "") -> None:
        name = name or form.__name__.rstrip("_")

        def function(*values: Any, **kwargs: Any) -> Call:
            return form(*args, *values, **kwargs)

        signature = inspect.signature(form)
        parameters = list(signature.parameters.values())[len(args) :]
        function.__name__ = function.__qualname__ = name
        function.__module__, function.__doc__ = module.__name__, form.__doc__
        setattr(function, "__signature__", signature.replace(parameters=parameters))
        setattr(module, name, function)
        if name not in module.__all__:
            module.__all__.append(name)

    nn: Any = getattr(ops, "nn")
    vision: Any = getattr(ops, "vision")
    memory: Any = getattr(ops, "memory")
    forms: list[Callable[..., Call]] = [arange, eye, reshape, print_, assert_op]
    forms += [hint_on_device, layout_transform, strided_slice, to_vdevice]
    for form in forms:
        add(ops, form, getattr(ops, form.__name__.rstrip("_")))
    add(ops, linear, ops)
    add(ops, masked_fill, ops)
    add(nn, relu6, ops)
    add(memory, view, memory.view)
    grad: Any = getattr(ops, "grad")
    for name in ("start_checkpoint", "end_checkpoint"):
        add(grad, checkpoint, getattr(grad, name), name=name)
    add(nn, attention, nn.attention, nn.attention_bias)
    setattr(nn, "attention_bias", nn.attention)
    add(nn, attention_var_len, nn.attention_var_len)
    # TVM has these in `relax.op`, too.
    for name in vision.__all__:
        setattr(ops, name, getattr(vision, name))
        getattr(ops, "__all__").append(name)
