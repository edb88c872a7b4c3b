# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of expressions, TVM's struct info."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Union

from ..ir.context import get_context
from ..ir.dtype import as_dtype, dtype_of, element_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita

__all__ = ["CallableType", "FuncType", "ObjectType", "ShapeType", "TensorType", "TupleType", "Type"]

# None is an unknown dimension, a str the name of one.
Dim = Union[int, str, None]
_DYNAMIC = ir.ShapedType.get_dynamic_size()
_UNRANKED_SHAPE = "!relax.shape<*>"


def check_dims(shape: Iterable[Any]) -> tuple[Dim, ...]:
    """`shape` as a tuple of ints, names and None."""
    dims: list[Dim] = []
    for dim in shape:
        if dim is None or isinstance(dim, str):
            dims.append(dim)
            continue
        try:
            dims.append(dim.__index__())
        except AttributeError:
            raise TypeError(
                "expected a dimension to be an int, a str (its name) or None, but found "
                + type(dim).__name__
            ) from None
    return tuple(dims)


def make_shape(dims: Iterable[Any], context: ir.Context) -> ir.Attribute:
    """The ``#relax.shape`` of dimensions."""

    def attribute(dim: Dim) -> ir.Attribute:
        if dim is None:
            return ir.UnitAttr.get(context)
        if isinstance(dim, str):
            return ir.StringAttr.get(dim, context)
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64, context), dim)

    array = ir.ArrayAttr.get([attribute(dim) for dim in check_dims(dims)], context)
    return _partita.make_shape(array)


def read_dims(shape: ir.Attribute | ir.Type) -> tuple[Dim, ...] | None:
    """The dimensions of a ``#relax.shape`` or ``!relax.shape``; None for others."""
    dims = _partita.get_dims(shape)
    if dims is None:
        return None
    return tuple(
        dim.value if isinstance(dim, (ir.IntegerAttr, ir.StringAttr)) else None for dim in dims
    )


def _check_list(dims: Iterable[Any] | None, ndim: int) -> tuple[Dim, ...] | None:
    """`dims`, or as many unknown ones as `ndim` says; None if neither is known."""
    if ndim < -1:
        raise ValueError(f"expected ndim to be -1, for unknown, or more, but found {ndim}")
    if dims is None:
        return None if ndim == -1 else (None,) * ndim
    checked = check_dims(dims)
    if ndim not in (-1, len(checked)):
        raise ValueError(f"expected {ndim} dimensions, as ndim says, but found {checked}")
    return checked


class Type:
    """The type of an expression."""

    __slots__: tuple[str, ...] = ()

    def to_mlir(self, context: ir.Context | None = None) -> ir.Type:
        """The type in MLIR; in the context of get_context() by default."""
        return self._make(context or get_context())

    def _make(self, context: ir.Context) -> ir.Type:
        raise NotImplementedError

    def _key(self) -> tuple[Any, ...]:
        fields = (getattr(self, name) for name in self.__slots__)
        return tuple(str(field) if isinstance(field, ir.Type) else field for field in fields)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __str__(self) -> str:
        return repr(self)


class TensorType(Type):
    """A tensor.

    Parameters
    ----------
    shape : sequence of int, str or None, optional
        The dimensions: each a size, a name for it, or None if it is unknown. None if even their
        number is unknown.
    dtype : str
        The type of an element.
    ndim : int, optional
        The number of dimensions, if there is no shape.
    """

    __slots__ = ("shape", "dtype")

    def __init__(
        self, shape: Sequence[Dim] | None = None, dtype: Any = "float32", *, ndim: int = -1
    ):
        if isinstance(shape, (str, int)):
            raise TypeError(
                "expected a shape to be a sequence of dimensions, but found " + type(shape).__name__
            )
        self.shape = _check_list(shape, ndim)
        self.dtype: Any = as_dtype(dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions; -1 if it is unknown."""
        return -1 if self.shape is None else len(self.shape)

    def _make(self, context: ir.Context) -> ir.Type:
        element = element_type(self.dtype, context)
        if self.shape is None:
            return ir.UnrankedTensorType.get(element, ir.Location.unknown(context))
        shape = [dim if isinstance(dim, int) else _DYNAMIC for dim in self.shape]
        is_named = any(isinstance(dim, str) for dim in self.shape)
        encoding = make_shape(self.shape, context) if is_named else None
        return ir.RankedTensorType.get(shape, element, encoding, ir.Location.unknown(context))

    def _key(self) -> tuple[Any, ...]:
        return (self.shape, str(self.dtype))

    def __repr__(self) -> str:
        return f'TensorType({self.shape!r}, "{self.dtype}")'


class TupleType(Type):
    """A tuple of values of the types `fields`."""

    __slots__ = ("fields",)

    def __init__(self, fields: Sequence[Type]):
        self.fields = tuple(fields)

    def _make(self, context: ir.Context) -> ir.Type:
        return ir.TupleType.get_tuple([field.to_mlir(context) for field in self.fields], context)

    def __repr__(self) -> str:
        return f"TupleType([{', '.join(map(repr, self.fields))}])"


class ShapeType(Type):
    """A shape with the dimensions `values`, or of `ndim` unknown ones; see TensorType."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Dim] | None = None, *, ndim: int = -1):
        self.values = _check_list(values, ndim)

    @property
    def ndim(self) -> int:
        """The number of dimensions; -1 if it is unknown."""
        return -1 if self.values is None else len(self.values)

    def _make(self, context: ir.Context) -> ir.Type:
        if self.values is None:
            return _partita.parse_type(_UNRANKED_SHAPE, context)
        return _partita.make_shape_type(make_shape(self.values, context))

    def __repr__(self) -> str:
        return f"ShapeType({None if self.values is None else list(self.values)!r})"


class FuncType(Type):
    """A function from values of the types `params` to `ret`."""

    __slots__ = ("params", "ret")

    def __init__(self, params: Sequence[Type], ret: Type):
        self.params = tuple(params)
        self.ret = ret

    def _make(self, context: ir.Context) -> ir.Type:
        return ir.FunctionType.get(
            [param.to_mlir(context) for param in self.params],
            split_results(self.ret.to_mlir(context)),
            context,
        )

    def __repr__(self) -> str:
        return f"FuncType([{', '.join(map(repr, self.params))}], {self.ret!r})"


class CallableType(FuncType):
    """A function that is a value: the FuncType of a variable."""

    __slots__ = ("purity",)

    def __init__(self, params: Sequence[Type], ret: Type, purity: bool = True):
        super().__init__(params, ret)
        self.purity = purity

    def _make(self, context: ir.Context) -> ir.Type:
        params = [as_value(param).to_mlir(context) for param in self.params]
        ret = as_value(self.ret).to_mlir(context)
        return _partita.make_callable(ir.FunctionType.get(params, [ret], context), self.purity)

    def _key(self) -> tuple[Any, ...]:
        return (self.params, self.ret, self.purity)


class ObjectType(Type):
    """Any value; or one of a type `mlir` that Relax does not have."""

    __slots__ = ("mlir",)

    def __init__(self, mlir: ir.Type | None = None):
        self.mlir = mlir

    def _make(self, context: ir.Context) -> ir.Type:
        text = "!relax.object" if self.mlir is None else str(self.mlir)
        return ir.Type.parse(text, context)

    def __repr__(self) -> str:
        return f"ObjectType({self.mlir or ''})"


def as_value(type_: Any) -> Any:
    """`type_`, that of a value: a function is a CallableType."""
    if type(type_) is FuncType:
        return CallableType(type_.params, type_.ret)
    if isinstance(type_, TupleType):
        return TupleType([as_value(field) for field in type_.fields])
    return type_


def unify(one: ir.Type, other: ir.Type) -> ir.Type:
    """What is known about a value that has one of two types."""
    if one == other:
        return one
    return to_mlir(_unify(from_mlir(one), from_mlir(other)), one.context)


def _unify(one: Type, other: Type) -> Type:
    if one == other:
        return one
    if isinstance(one, TensorType) and isinstance(other, TensorType):
        if one.dtype == other.dtype and one.ndim == other.ndim:
            dims = zip(one.shape or (), other.shape or ())
            return TensorType([a if a == b else None for a, b in dims], one.dtype)
        if one.dtype == other.dtype:
            return TensorType(None, one.dtype)
    if isinstance(one, TupleType) and isinstance(other, TupleType):
        if len(one.fields) == len(other.fields):
            return TupleType([_unify(a, b) for a, b in zip(one.fields, other.fields)])
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


def from_mlir(type_: ir.Type) -> Type:
    """An MLIR type as a Type."""
    if isinstance(type_, ir.RankedTensorType):
        shape = None if type_.encoding is None else read_dims(type_.encoding)
        if shape is None:
            shape = tuple(
                None if type_.is_dynamic_dim(i) else type_.get_dim_size(i)
                for i in range(type_.rank)
            )
        element = type_.element_type
        return TensorType(shape, dtype_of(element) or element)
    if isinstance(type_, ir.UnrankedTensorType):
        return TensorType(None, dtype_of(type_.element_type) or type_.element_type)
    if isinstance(type_, ir.TupleType):
        return TupleType([from_mlir(type_.get_type(i)) for i in range(type_.num_types)])
    if isinstance(type_, ir.FunctionType):
        results = list(type_.results)
        return FuncType(
            [from_mlir(t) for t in type_.inputs], from_mlir(join_results(results, type_.context))
        )
    dims = read_dims(type_)
    if dims is not None:
        return ShapeType(dims)
    function = _partita.get_callable(type_)
    if function is not None:
        type_, is_pure = function
        return CallableType(
            [from_mlir(param) for param in type_.inputs], from_mlir(type_.results[0]), is_pure
        )
    text = str(type_)
    if text == _UNRANKED_SHAPE:
        return ShapeType()
    return ObjectType(None if text == "!relax.object" else type_)


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
