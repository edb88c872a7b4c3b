# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants, and what they are made from."""

from __future__ import annotations

import abc
from typing import Any

from ..errors import check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from ..tensors import as_tensor, tensor_class
from .context import get_context
from .dtype import DTYPES
from .elements import (
    NARROWED,
    from_tensor,
    make_array,
    make_elements,
    name_of_dtype,
    read_elements,
    round_to_bfloat16,
)
from .node import Expr, Kind, Native
from .types import TensorType

__all__ = ["Constant", "GenericConst", "as_constant", "const"]


class GenericConst(abc.ABC):
    """A constant tensor, as TVM calls relax.Constant.

    Parameters
    ----------
    value : numpy.ndarray, or what relax.const takes
        Its elements.
    ty : relax.TensorType
        Its type.
    """

    __slots__ = ()

    def __new__(cls, value: Any, ty: Any, span: Any = None) -> Any:
        check_type(ty, TensorType, "the type of a constant to be a TensorType")
        made = const(value, ty.dtype)
        if ty.shape is not None and made.struct_info != ty:
            raise ValueError(
                f"expected the elements of a constant to have type {ty}, but found {made.ty}"
            )
        return made


@_partita.known_as("Constant")
@GenericConst.register
class Constant(Expr):
    """A constant tensor.

    Parameters
    ----------
    data : numpy.ndarray, a tensor that has ``__dlpack__``, or mlir.ir.Attribute
        Its elements.
    """

    __slots__ = ()

    # The array, once it is known.
    _data: Any = Native._object

    def __init__(self, data: Any, span: Any = None):
        if isinstance(data, ir.Attribute):
            self._init(None, data, span)
            return
        import numpy

        is_tensor = not isinstance(data, numpy.ndarray) and hasattr(data, "__dlpack__")
        data = numpy.array(from_tensor(data) if is_tensor else data)
        data.flags.writeable = False
        self._init(data, make_elements(data, name_of_dtype(data.dtype), get_context()), span)

    def _init(self, data: Any, value: Any, span: Any) -> None:
        super().__init__(Kind.CONSTANT, span, (value.type,), data, attribute=value)

    @classmethod
    def _of(cls, data: Any, value: ir.Attribute) -> Constant:
        self = cls.__new__(cls)
        self._init(data, value, None)
        return self

    @property
    def attribute(self) -> ir.Attribute:
        """The elements as an attribute of MLIR.

        Large ones are freed with the last constant or op that holds the attribute.
        """
        return self._value

    @property
    def data(self) -> Any:
        """The elements as a numpy.ndarray, which can't be written.

        It has TVM's ``numpy()``, which copies it.
        """
        data = self._data
        if data is None:
            data = read_elements(self._value)
            data.flags.writeable = False
            self._set_object(data)
        return as_tensor(data)

    #: The same, as the value of a variable.
    value = data

    def _in(self, context: ir.Context) -> Constant:
        """The constant in another context."""
        type_ = self.struct_info
        assert isinstance(type_, TensorType)
        data = round_to_bfloat16(self.data) if type_.dtype == "bfloat16" else self.data
        return Constant._of(self.data, make_elements(data, type_.dtype, context))

    def __repr__(self) -> str:
        return f"Constant({self._type})"


def const(value: Any, dtype: Any = None) -> Constant:
    """Make a constant.

    Parameters
    ----------
    value : bool, int, float, list, numpy.ndarray, or a tensor that has ``__dlpack__``
        Its elements.
    dtype : str, optional
        Their type; by default what NumPy finds, but int32 instead of int64 and float32 instead of
        float64. A tensor, such as the value of a constant, keeps its dtype. Arrays are converted as
        NumPy does it. ``Constant(array)`` keeps the type of an array.

    Raises
    ------
    OverflowError
        If an int, or one in a list, does not fit into the type, or one in an array into int32.
    """
    import numpy

    if isinstance(value, Constant):
        return value
    is_array = isinstance(value, (numpy.ndarray, numpy.generic))
    is_tensor = isinstance(value, tensor_class())
    if not is_array and hasattr(value, "__dlpack__"):
        value, is_array, is_tensor = from_tensor(value), True, True
    if is_tensor and dtype is None:
        return _keep_array(numpy.asarray(value))
    is_converted = not is_array or dtype is None and name_of_dtype(value.dtype) in NARROWED
    array = make_array(value, dtype) if is_converted else numpy.asarray(value)
    if dtype == "bfloat16":
        elements = make_elements(round_to_bfloat16(array), dtype, get_context())
        return Constant._of(array.astype("float32"), elements)
    if is_array and dtype is not None:
        array = array.astype(dtype)
    return _keep_array(array)


def as_constant(value: Any, dtype: Any = None) -> Constant:
    """What const makes, but of the type that an array has, for a value that has to fit others."""
    import numpy

    is_kept = dtype is None and isinstance(value, (numpy.ndarray, numpy.generic))
    return _keep_array(value) if is_kept else const(value, dtype)


def _keep_array(array: Any) -> Constant:
    if name_of_dtype(array.dtype) not in DTYPES:
        raise TypeError(f"expected a constant of numbers, but found elements of type {array.dtype}")
    return Constant(array)
