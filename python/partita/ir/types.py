# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of expressions, TVM's struct info."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Union

from ..errors import check_bits, check_int64, check_list, check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .attrs import to_attribute
from .context import get_context
from .dtype import as_element_dtype, dtype_of, element_type
from .global_info import VDevice, read_global_info
from .identity import is_same
from .prim import IntImm, Var, undefined_vars
from .prim_type import PrimType, Type

__all__ = [
    "CallableType",
    "FuncType",
    "ObjectType",
    "PrimType",
    "ShapeType",
    "TensorType",
    "TupleType",
    "Type",
]

# None is an unknown dimension, a str the name of one or an expression.
Dim = Union[int, str, None]


def check_dims(shape: Iterable[Any]) -> tuple[Dim, ...]:
    """`shape` as a tuple of IntImm, names and None."""
    check_list(shape, "a shape to be a list of dimensions")
    dims: list[Dim] = []
    for dim in shape:
        if type(dim) is int and 0 <= dim < 2**31:
            dims.append(int.__new__(IntImm, dim))
            continue
        if dim is None or isinstance(dim, str):
            if getattr(dim, "dtype", "int64") != "int64":
                raise ValueError(
                    f"expected a dimension whose dtype is int64, but found '{dim}', whose dtype "
                    f"is {getattr(dim, 'dtype')}"
                )
            dims.append(dim)
            continue
        # A Var of type int64, or a number.
        if hasattr(dim, "_as_size") and (size := dim._as_size()) is not None:
            dim = size
        if isinstance(dim, str):
            dims.append(dim)
            continue
        try:
            size = operator.index(dim)
        except TypeError:
            raise TypeError(
                "expected a dimension to be an int, a str (its name), a size made of tir.Var or "
                f"None, but found {type(dim).__name__}"
            ) from None
        dims.append(int.__new__(IntImm, check_int64(size, "a size that fits in 64 bits")))
    return tuple(dims)


def make_shape(dims: Iterable[Any], context: ir.Context) -> ir.Attribute:
    """The ``#relax.shape`` of dimensions."""
    return _partita.make_shape(check_dims(dims), context)


def read_dims(shape: ir.Attribute) -> tuple[Dim, ...] | None:
    """The dimensions of a ``#relax.shape``; None for others."""
    return _partita.get_dims(shape)


def _check_list(dims: Iterable[Any] | None, ndim: int) -> tuple[Dim, ...] | None:
    """`dims`, or as many unknown ones as `ndim` says; None if TVM has none."""
    if ndim != -1 and check_bits(ndim, 32, "ndim to fit in 32 bits") < -1:
        raise ValueError(f"expected ndim to be -1, for unknown, or more, but found {ndim}")
    if dims is None:
        return None if ndim in (-1, 0) else (None,) * ndim
    checked = check_dims(dims)
    if ndim not in (-1, len(checked)):
        raise ValueError(f"expected {ndim} dimensions, as ndim says, but found {checked}")
    return checked


class Shape(_partita.Array):
    """The dimensions of a tensor, which TVM has as the `values` of its shape."""

    __slots__ = ()

    @property
    def values(self) -> tuple[Dim, ...]:
        """The dimensions."""
        return self

    @property
    def ty(self) -> ShapeType:
        """The type of the shape as a value."""
        return ShapeType(self)

    same_as = is_ = is_same


class TensorType(Type):
    """A tensor.

    Parameters
    ----------
    shape : sequence of int, str or None, or Expr, optional
        The dimensions: each a size, a name for it or an expression of names (see tir.Var), or
        None if it is unknown; a ShapeExpr; or a variable that is the shape. None if there is no
        shape: even their number is unknown then, unless `ndim` says it.
    dtype : str, optional
        The type of an element; None if it is unknown.
    vdevice : VDevice or int, optional
        The device that it is on, or its place in the module's global infos.
    ndim : int, optional
        The number of dimensions, if there is no shape.

    Attributes
    ----------
    shape : tuple of IntImm, PrimExpr or None, or None
        The dimensions. An IntImm is an int, a PrimExpr a str.
    shape_var : str or None
        The name of the variable that is the shape.
    """

    __slots__ = ("shape", "dtype", "vdevice", "ndim", "shape_var")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = "float32",
        vdevice: VDevice | int | None = None,
        ndim: int = -1,
        span: Any = None,
    ):
        if isinstance(shape, str):
            raise TypeError("expected a shape to be a list of dimensions, but found str")
        if vdevice is not None:
            check_type(vdevice, (VDevice, int), "a vdevice to be a VDevice or its place")
        self.shape_var: str | None = None
        self.vdevice = vdevice
        self.dtype: Any = None if dtype is None or dtype == "" else as_element_dtype(dtype)
        if hasattr(shape, "struct_info"):
            type_ = shape.struct_info
            check_type(type_, ShapeType, "the shape of a tensor to be an expression of ShapeType")
            if not hasattr(shape, "values"):
                self.shape_var = str(shape.name_hint)
            self.shape: Shape | None = None if type_.values is None else Shape(type_.values)
            self.ndim: int = type_.ndim
            if ndim not in (-1, self.ndim):
                raise ValueError(f"expected {ndim} dimensions, as ndim says, but found {type_}")
            return
        dims = _check_list(shape, ndim)
        self.shape = None if dims is None else Shape(dims)
        self.ndim = ndim if dims is None else len(dims)

    def _fits_device(self, derived: Type) -> bool:
        if not isinstance(derived, TensorType):
            return True
        return self.vdevice is None or self.vdevice == derived.vdevice

    def with_vdevice(self, vdevice: VDevice | int | None) -> TensorType:
        """The type on another device."""
        made = copy.copy(self)
        made.vdevice = vdevice
        return made

    def _make(self, context: ir.Context) -> ir.Type:
        element = None if self.dtype is None else element_type(self.dtype, context)
        dims: tuple[Dim, ...] | None = self.shape
        is_lacking = False
        if dims is None and self.ndim == 0:
            dims, is_lacking = (), True
        vdevice: ir.Attribute | None = None
        if self.vdevice is not None:
            vdevice = to_attribute(self.vdevice, context)
        return _partita.make_tensor_type(
            dims, is_lacking, element, self.shape_var, vdevice, context
        )

    def _key(self) -> tuple[Any, ...]:
        return (self.shape, str(self.dtype), self.vdevice, self.ndim, self.shape_var)

    def __repr__(self) -> str:
        dtype = None if self.dtype is None else f'"{self.dtype}"'
        parts = [repr(self.shape), str(dtype)]
        if self.shape is None and self.ndim != -1:
            parts.append(f"ndim={self.ndim}")
        if self.vdevice is not None:
            parts.append(f"vdevice={self.vdevice!r}")
        if self.shape_var is not None:
            parts.append(f"shape_var={self.shape_var!r}")
        return f"TensorType({', '.join(parts)})"


class TupleType(Type):
    """A tuple of values of the types `fields`."""

    __slots__ = ("fields",)

    def __init__(self, fields: Sequence[Type]):
        check_list(fields, "the fields of a TupleType to be a list")
        self.fields = _partita.Array(fields)
        for field in self.fields:
            if not isinstance(field, Type):
                check_type(field, ir.Type, "the fields of a TupleType to be types")

    def _make(self, context: ir.Context) -> ir.Type:
        return ir.TupleType.get_tuple([field.to_mlir(context) for field in self.fields], context)

    def _of_value(self) -> TupleType:
        return TupleType([field._of_value() for field in self.fields])

    def _fits_device(self, derived: Type) -> bool:
        if not isinstance(derived, TupleType):
            return True
        return all(one._fits_device(other) for one, other in zip(self.fields, derived.fields))

    def __repr__(self) -> str:
        return f"TupleType([{', '.join(map(repr, self.fields))}])"


class ShapeType(Type):
    """A shape with the dimensions `values`, or of `ndim` unknown ones; see TensorType."""

    __slots__ = ("values", "ndim")

    def __init__(self, values: Sequence[Dim] | None = None, ndim: int = -1, span: Any = None):
        self.values = _check_list(values, ndim)
        self.ndim: int = ndim if self.values is None else len(self.values)

    def _make(self, context: ir.Context) -> ir.Type:
        if self.values is None and self.ndim == 0:
            return _partita.make_shape_type((), True, context)
        return _partita.make_shape_type(self.values, False, context)

    def __repr__(self) -> str:
        values = None if self.values is None else list(self.values)
        return f"ShapeType({values!r}{', ndim=0' if values is None and self.ndim == 0 else ''})"


class FuncType(Type):
    """A function from values of the types `params` to `ret`.

    Parameters
    ----------
    params : sequence of TensorType, TupleType, ...
        The types of the parameters.
    ret : TensorType, TupleType, ...
        The type of the result.
    purity : bool, optional
        Whether calls may be moved, merged and dropped.
    """

    __slots__ = ("params", "ret", "purity")

    #: The name of the function of TVM's that knows the types of calls, of an opaque_func.
    derive_func: str | None = None

    def __init__(self, params: Sequence[Type], ret: Type, purity: bool = True, span: Any = None):
        check_list(params, "the parameters of a FuncType to be a list")
        self.params: Any = _partita.Array(params)
        for type_ in (*self.params, ret):
            if not isinstance(type_, Type):
                check_type(
                    type_, ir.Type, "the parameters and the result of a FuncType to be types"
                )
        self.ret = ret
        self.purity = purity

    @staticmethod
    def opaque_func(
        *,
        ret: Type | None = None,
        derive_func: str | None = None,
        purity: bool = False,
        span: Any = None,
    ) -> CallableType:
        """The type of functions that take any arguments.

        Parameters
        ----------
        ret : TensorType, TupleType, ..., optional
            The type of the result; any value by default.
        derive_func : str, optional
            The name of the function of TVM's that knows the types of calls.
        purity : bool, optional
            Whether calls may be moved, merged and dropped.
        """
        made = CallableType((), ObjectType() if ret is None else ret, purity)
        if derive_func is not None:
            check_type(derive_func, str, "derive_func to be the name of a function")
        made.params, made.derive_func = None, derive_func
        return made

    @property
    def arg_types(self) -> Any:
        """The same as `params`, by its name in ``ir.FuncType``."""
        return self.params

    @property
    def ret_type(self) -> Type:
        """The same as `ret`, by its name in ``ir.FuncType``."""
        return self.ret

    def _make(self, context: ir.Context) -> ir.Type:
        return ir.FunctionType.get(
            [param.to_mlir(context) for param in self.params or ()],
            split_results(self.ret.to_mlir(context)),
            context,
        )

    def _of_value(self) -> CallableType:
        return CallableType(self.params, self.ret, self.purity)

    def is_base_of(self, derived: Type) -> bool:
        if not isinstance(derived, FuncType):
            return super().is_base_of(derived)
        if self.purity > derived.purity or not self.ret.is_base_of(derived.ret):
            return False
        if self.params is None or derived.params is None:
            return self.params is None and self.derive_func in (None, derived.derive_func)
        return len(self.params) == len(derived.params) and all(
            one.is_base_of(other) for one, other in zip(self.params, derived.params)
        )

    def _key(self) -> tuple[Any, ...]:
        return (self.params, self.ret)

    def __repr__(self) -> str:
        return f"{type(self).__name__}([{', '.join(map(repr, self.params or ()))}], {self.ret!r})"


class CallableType(FuncType):
    """A function that is a value: the FuncType of a variable.

    Attributes
    ----------
    params : tuple of TensorType, TupleType, ..., or None
        The types of the parameters; None if it takes any arguments.
    derive_func : str or None
        The name of the function of TVM's that knows the types of calls.
    """

    __slots__ = ("derive_func",)

    def __init__(self, params: Sequence[Type], ret: Type, purity: bool = True):
        super().__init__(params, ret, purity)
        self.derive_func: str | None = None

    def _of_value(self) -> CallableType:
        return self

    def _make(self, context: ir.Context) -> ir.Type:
        params = None
        if self.params is not None:
            params = [as_value(param).to_mlir(context) for param in self.params]
        ret = as_value(self.ret).to_mlir(context)
        return _partita.make_callable(params, ret, self.purity, self.derive_func, context)

    def _key(self) -> tuple[Any, ...]:
        return (self.params, self.ret, self.purity, self.derive_func)

    def __repr__(self) -> str:
        if self.params is not None:
            return super().__repr__()
        return f"FuncType.opaque_func(ret={self.ret!r}, purity={self.purity})"


class ObjectType(Type):
    """Any value; or one of a type `mlir` that Relax does not have."""

    __slots__ = ("mlir",)

    def __init__(self, mlir: ir.Type | None = None):
        self.mlir = mlir

    def _make(self, context: ir.Context) -> ir.Type:
        return _partita.make_object(context) if self.mlir is None else to_mlir(self.mlir, context)

    def __repr__(self) -> str:
        return f"ObjectType({self.mlir or ''})"


def as_value(type_: Any) -> Any:
    """`type_` as the type of a value: a function is a CallableType."""
    return type_._of_value() if isinstance(type_, Type) else type_


def map_dims(type_: Any, change: Callable[[Any], Any]) -> Any:
    """`type_`, with the dimensions `change(dims)`, a list or None, in all tensors and shapes.

    A shape that is a variable is forgotten.
    """
    if isinstance(type_, TensorType):
        shape = None if type_.shape is None else change(type_.shape)
        return TensorType(shape, type_.dtype, type_.vdevice, type_.ndim)
    if isinstance(type_, ShapeType):
        values = None if type_.values is None else change(type_.values)
        return ShapeType(values, type_.ndim)
    if isinstance(type_, TupleType):
        return TupleType([map_dims(field, change) for field in type_.fields])
    if isinstance(type_, FuncType) and type_.params is not None:
        params = [map_dims(param, change) for param in type_.params]
        return type(type_)(params, map_dims(type_.ret, change), type_.purity)
    return type_


def list_dims(type_: Any) -> list[Any]:
    """The dimensions in a type that are names, or expressions of them."""
    found: list[Any] = []

    def add(dims: Any) -> Any:
        found.extend(dim for dim in dims if isinstance(dim, str))
        return dims

    map_dims(type_, add)
    return found


def list_names(type_: Any) -> list[Var]:
    """The names in the dimensions of a type, each once."""
    names = (name for dim in list_dims(type_) for name in undefined_vars(dim))
    return list(dict.fromkeys(names))


def keep_names(type_: Any, known: Collection[str]) -> Any:
    """`type_`, where no other names are known, and no shapes that are variables."""
    if isinstance(type_, TupleType):
        fields = [keep_names(field, known) for field in type_.fields]
        same = all(one is other for one, other in zip(fields, type_.fields))
        return type_ if same else TupleType(fields)
    if isinstance(type_, TensorType) and type_.shape_var is not None:
        return TensorType(None, type_.dtype, type_.vdevice, type_.ndim)
    # The names of a function's own parameters are defined by it.
    if isinstance(type_, FuncType) or set(list_names(type_)) <= set(known):
        return type_
    return map_dims(type_, lambda dims: None)


def unify(one: ir.Type, other: ir.Type) -> ir.Type:
    """What is known about a value that has one of two types."""
    if one == other:
        return one
    return to_mlir(unify_types(from_mlir(one), from_mlir(other)), one.context)


def _unify_dims(one: Any, dims: Any, other: Any, others: Any) -> tuple[Any, int]:
    """The dimensions that two tensors or shapes share, and how many there are."""
    if one.ndim != other.ndim:
        return None, -1
    if dims is None or others is None:
        return None, one.ndim
    return tuple(a if a == b else None for a, b in zip(dims, others)), one.ndim


def unify_types(one: Any, other: Any) -> Type:
    """What is known about a value that has one of two types."""
    if one == other:
        return one
    if isinstance(one, TensorType) and isinstance(other, TensorType):
        dtype = one.dtype if one.dtype == other.dtype else None
        vdevice = one.vdevice if one.vdevice == other.vdevice else None
        shape, ndim = _unify_dims(one, one.shape, other, other.shape)
        made = TensorType(shape, dtype, vdevice, ndim)
        if one.shape_var == other.shape_var:
            made.shape_var = one.shape_var
        return made
    if isinstance(one, ShapeType) and isinstance(other, ShapeType):
        return ShapeType(*_unify_dims(one, one.values, other, other.values))
    if isinstance(one, TupleType) and isinstance(other, TupleType):
        if len(one.fields) == len(other.fields):
            return TupleType([unify_types(a, b) for a, b in zip(one.fields, other.fields)])
    if isinstance(one, FuncType) and isinstance(other, FuncType):
        ret, purity = unify_types(one.ret, other.ret), one.purity and other.purity
        params = list(zip(one.params or (), other.params or ()))
        counts = {None if type_.params is None else len(type_.params) for type_ in (one, other)}
        if counts != {len(params)}:
            return FuncType.opaque_func(ret=ret, purity=purity)
        return type(one)([unify_types(a, b) for a, b in params], ret, purity)
    return ObjectType()


def split_results(type_: ir.Type) -> list[ir.Type]:
    """The types of the results of a function or op whose value has that type.

    A tuple is several results, unless it has one field: that would read back as the field.
    """
    if isinstance(type_, ir.TupleType) and type_.num_types != 1:
        return [type_.get_type(i) for i in range(type_.num_types)]
    return [type_]


def join_results(types: Sequence[ir.Type], context: ir.Context) -> ir.Type:
    """The type of the value of an op with such results."""
    if len(types) == 1:
        return types[0]
    return ir.TupleType.get_tuple(list(types), context)


def _read_tensor(
    shape: Any, is_lacking: bool, element: Any, shape_var: Any, vdevice: Any
) -> TensorType:
    made = TensorType.__new__(TensorType)
    made.shape = None if shape is None or is_lacking else Shape(shape)
    made.ndim = -1 if shape is None else len(shape)
    made.dtype = None if element is None else dtype_of(element) or element
    made.shape_var = shape_var
    made.vdevice = None if vdevice is None else read_global_info(vdevice)
    return made


def _read_shape(values: Any, is_lacking: bool) -> ShapeType:
    return ShapeType(ndim=0) if is_lacking else ShapeType(values)


def _read_callable(params: Any, ret: Any, purity: bool, derive_func: Any) -> CallableType:
    types = () if params is None else [from_mlir(param) for param in params]
    made = CallableType(types, from_mlir(ret), purity)
    if params is None:
        made.params = None
    made.derive_func = derive_func
    return made


def from_mlir(type_: ir.Type, expr: Any = None) -> Type:
    """An MLIR type as a Type.

    Names of sizes know the function of a module that has them, if `expr`, which has the type, does.
    """
    read = _partita.read_type(type_, expr)
    if read is not None:
        return _READERS[read[0]](*read[1:])
    if isinstance(type_, ir.TupleType):
        return TupleType([from_mlir(type_.get_type(i), expr) for i in range(type_.num_types)])
    if isinstance(type_, ir.FunctionType):
        results = list(type_.results)
        return FuncType(
            [from_mlir(t) for t in type_.inputs], from_mlir(join_results(results, type_.context))
        )
    dtype = dtype_of(type_)
    return ObjectType(type_) if dtype is None else PrimType(dtype)


_READERS: dict[str, Callable[..., Type]] = {
    "callable": _read_callable,
    "object": ObjectType,
    "shape": _read_shape,
    "tensor": _read_tensor,
}


def to_mlir(type_: Any, context: ir.Context | None = None) -> ir.Type:
    """`type_`, a Type or an mlir.ir.Type, as a type of MLIR in `context`."""
    context = context or get_context()
    if isinstance(type_, Type):
        return type_.to_mlir(context)
    if isinstance(type_, ir.Type):
        if type_.context is not context:
            return ir.Type.parse(str(type_), context)
        return type_
    raise TypeError(
        'expected a type, such as TensorType((10,), "float32"), but found ' + type(type_).__name__
    )
