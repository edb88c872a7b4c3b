# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversion of the elements of constants between NumPy and MLIR."""

from __future__ import annotations

import functools
from typing import Any

from ..errors import NumberError
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .dtype import DTYPES, as_dtype, element_type
from .types import TensorType, from_mlir

# Elements of more bytes are a tensor that its constants own: an attribute's own
# elements live as long as the context.
_INLINE_BYTES = 256

# The dtypes that constants have by default in place of NumPy's, as in TVM.
NARROWED = {"float64": "float32", "int64": "int32"}


@functools.lru_cache(maxsize=64)
def name_of_dtype(dtype: Any) -> str:
    """The name of a NumPy dtype, which NumPy makes anew each time."""
    return str(dtype.name)


def make_elements(data: Any, dtype: str, context: ir.Context) -> ir.Attribute:
    """The elements of a NumPy array as an attribute.

    The attribute alone does not keep them: ``_partita.Elements`` does, or an op.
    """
    import numpy

    element = element_type(dtype, context)
    location = ir.Location.unknown(context)
    type_ = ir.RankedTensorType.get(list(data.shape), element, loc=location)
    if data.size > 1 and not any(data.strides):
        # One element for all: read_elements returns such data for splats.
        one = make_elements(numpy.array(data.flat[0]), dtype, context)
        assert isinstance(one, ir.DenseElementsAttr)
        return ir.DenseElementsAttr.get_splat(type_, one.get_splat_value())
    data = numpy.ascontiguousarray(data).reshape(data.shape)
    if data.nbytes > _INLINE_BYTES:
        return _partita.make_tensor(
            type_, data.reshape(-1).view(numpy.uint8), max(data.itemsize, 1)
        )
    if dtype == "bfloat16":
        bits = data.view(f"uint{8 * data.itemsize}")
        return ir.DenseElementsAttr.get(bits, type=type_, context=context)
    if data.size == 1 and dtype == "bool":
        return ir.DenseElementsAttr.get_splat(
            type_, ir.IntegerAttr.get(element, int(data.reshape(())))
        )
    if dtype == "bool":
        data = numpy.packbits(data, bitorder="little")
    return ir.DenseElementsAttr.get(data, type=type_, context=context)


def read_elements(value: ir.Attribute) -> Any:
    """The elements as a NumPy array."""
    import numpy

    type_ = from_mlir(value.type)
    assert isinstance(type_, TensorType)
    is_float8 = type_.dtype.startswith("float8_")
    if isinstance(value, ir.DenseElementsAttr) and type_.dtype != "bfloat16" and not is_float8:
        tensor = ir.RankedTensorType(value.type)
        if value.is_splat and tensor.rank:
            # One element for all, however many there are.
            location = ir.Location.unknown(value.context)
            scalar = ir.RankedTensorType.get([], tensor.element_type, loc=location)
            one = ir.DenseElementsAttr.get_splat(scalar, value.get_splat_value())
            return numpy.broadcast_to(numpy.array(one), tensor.shape)
        return numpy.array(value).reshape(type_.shape)
    # Upstream's bindings can't read a resource, a tensor or these floats.
    raw = _partita.get_bytes(value)
    shape = [dim for dim in type_.shape or () if isinstance(dim, int)]
    if not raw and 0 not in shape:
        raise ValueError(f"expected elements that NumPy can hold, but found {value.type}")
    if type_.dtype == "bfloat16":
        bits = numpy.frombuffer(raw, dtype="uint16").astype("uint32") << 16
        array = bits.view("float32")
    else:
        dtype = _dtype_of_package(type_.dtype) if is_float8 else type_.dtype
        array = numpy.frombuffer(raw, dtype=dtype)
    is_splat = array.size == 1
    return numpy.broadcast_to(array.reshape(()), shape) if is_splat else array.reshape(shape)


def _dtype_of_package(name: str) -> Any:
    """A dtype that NumPy lacks, of the package ml_dtypes."""
    try:
        import ml_dtypes

        return getattr(ml_dtypes, name)
    except (ImportError, AttributeError) as error:
        raise TypeError(
            f"expected ml_dtypes with {name}, but found none: pip install ml_dtypes --upgrade"
        ) from error


def make_array(value: Any, dtype: Any) -> Any:
    """Python's numbers, or lists of them, as an array of `dtype`, or of one that fits them."""
    import numpy

    array = numpy.asarray(value)
    is_int = array.dtype.kind == "O" and all(isinstance(item, int) for item in array.flat)
    if not is_int and array.dtype.kind not in "biuf":
        raise TypeError(f"expected a constant of numbers, but found elements of type {array.dtype}")
    if dtype is None:
        dtype = NARROWED.get(array.dtype.name, "int32" if is_int else array.dtype.name)
    name = str(as_dtype(dtype))
    if name.startswith("float8_"):
        return array.astype(_dtype_of_package(name))
    try:
        # Other packages register dtypes with NumPy.
        is_known = numpy.dtype("float32" if name == "bfloat16" else name).isbuiltin == 1
    except TypeError:
        is_known = False
    if not is_known:
        raise TypeError(f"expected a constant of a dtype that NumPy has, but found '{name}'")
    if name not in DTYPES or "int" not in name or array.dtype.kind == "b":
        return array if name == "bfloat16" else array.astype(name)
    if array.dtype.kind == "f" and array.size:
        # NumPy takes a list of large and small ints for one of floats.
        array = numpy.array(value, dtype=object)
    limits = numpy.iinfo(name)
    for item in (
        (array.min(), array.max()) if array.dtype.kind in "iu" and array.size else array.flat
    ):
        if isinstance(item, float) and item != item:
            raise ValueError(f"expected numbers for a constant of {name}, but found nan")
        is_infinite = isinstance(item, float) and item in (float("inf"), float("-inf"))
        # NumPy, before 2, takes the lowest bits of an int that is too large.
        if is_infinite or not limits.min <= int(item) <= limits.max:
            raise NumberError(
                f"expected a constant of {name} to be in {limits.min} to {limits.max}, "
                f"but found {item}"
            )
    return array.astype(name)


def from_tensor(tensor: Any) -> Any:
    """A tensor of another library, as a NumPy array."""
    import numpy

    return numpy.asarray(tensor) if hasattr(tensor, "__array__") else numpy.from_dlpack(tensor)


def round_to_bfloat16(array: Any) -> Any:
    """The bits of the numbers, rounded to bfloat16."""
    import numpy

    wide = numpy.ascontiguousarray(array, "float32").view("uint32")
    # Rounds to even, as the hardware does.
    bits = ((wide + 0x7FFF + ((wide >> 16) & 1)) >> 16).astype("uint16")
    return bits.reshape(array.shape)
