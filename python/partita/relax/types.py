# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of expressions, TVM's struct info."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Union

from ..ir.context import get_context
from ..ir.dtype import DTYPES, as_dtype, dtype_of, element_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita

__all__ = ["CallableType", "FuncType", "ObjectType", "ShapeType", "TensorType", "TupleType", "Type"]

# None is an unknown dimension, a str the name of one.
Dim = Union[int, str, None]


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


def print_dims(dims: Sequence[Dim]) -> str:
    """Dimensions as the dialect's assembly has them."""

    def text(dim: Dim) -> str:
        if dim is None:
            return "?"
        if isinstance(dim, int):
            return str(dim)
        return '"' + dim.replace("\\", "\\\\").replace('"', "\\22") + '"'

    return "[" + ", ".join(text(dim) for dim in dims) + "]"


def parse_dims(text: str) -> tuple[Dim, ...]:
    """The dimensions in ``...[1, "n", ?]...``."""

    def name(quoted: str) -> str:
        raw = re.sub(
            rb"\\([0-9A-Fa-f]{2}|.)",
            lambda m: bytes.fromhex(m[1].decode()) if len(m[1]) == 2 else m[1],
            quoted.encode(),
        )
        return raw.decode("utf-8", "replace")

    body = text[text.index("[") + 1 : text.rindex("]")]
    return tuple(
        None if m[0] == "?" else name(m[1]) if m[0][0] == '"' else int(m[0])
        for m in re.finditer(r'"((?:[^"\\]|\\.)*)"|\?|\d+', body)
    )


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
    shape : sequence of int, str or None
        The dimensions: each a size, a name for it, or None if it is unknown.
    dtype : str
        The type of an element.
    """

    __slots__ = ("shape", "dtype")

    def __init__(self, shape: Sequence[Dim], dtype: Any = "float32"):
        if shape is None or isinstance(shape, (str, int)):
            raise TypeError(
                "expected a shape to be a sequence of dimensions, but found " + type(shape).__name__
            )
        self.shape = check_dims(shape)
        self.dtype: Any = as_dtype(dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def _make(self, context: ir.Context) -> ir.Type:
        element = DTYPES.get(self.dtype) or element_type(self.dtype, context)
        dims = "".join(f"{d}x" if isinstance(d, int) else "?x" for d in self.shape)
        names = ""
        if any(isinstance(dim, str) for dim in self.shape):
            names = f", #relax.shape<{print_dims(self.shape)}>"
        return _partita.parse_type(f"tensor<{dims}{element}{names}>", context)

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
    """A shape with the dimensions `values`."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Dim]):
        self.values = check_dims(values)

    def _make(self, context: ir.Context) -> ir.Type:
        return ir.Type.parse(f"!relax.shape<{print_dims(self.values)}>", context)

    def __repr__(self) -> str:
        return f"ShapeType({list(self.values)!r})"


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
        params = ", ".join(str(as_value(param).to_mlir(context)) for param in self.params)
        ret = as_value(self.ret).to_mlir(context)
        end = "" if self.purity else ", impure"
        return _partita.parse_type(f"!relax.callable<({params}) -> {ret}{end}>", context)

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


def _split_types(text: str) -> list[str]:
    """The parts of `text` between commas that no bracket or quote encloses."""
    parts, depth, quoted = [""], 0, False
    for before, char in zip(" " + text, text):
        quoted ^= char == '"' and before != "\\"
        if not quoted:
            depth += (char in "<([{") - (char in ")]}" or (char == ">" and before != "-"))
            if char == "," and depth == 0:
                parts.append("")
                continue
        parts[-1] += char
    return [part.strip() for part in parts]


def _read_callable(type_: ir.Type) -> Type:
    """A !relax.callable; an ObjectType if it takes any arguments."""
    first, *rest = _split_types(str(type_)[len("!relax.callable<") : -1])
    if first.startswith("(*)") or any(part != "impure" for part in rest):
        return ObjectType(type_)
    # The type of a builtin function has the same text, but for a result that is one.
    depth, end = 0, 0
    for end, char in enumerate(first):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            break
    params = [part for part in _split_types(first[1:end]) if part]
    ret = first[end + 1 :].strip().removeprefix("->").strip()
    types = [from_mlir(_partita.parse_type(text, type_.context)) for text in [*params, ret]]
    return CallableType(types[:-1], types[-1], not rest)


def unify(one: ir.Type, other: ir.Type) -> ir.Type:
    """What is known about a value that has one of two types."""
    if one == other:
        return one
    return to_mlir(_unify(from_mlir(one), from_mlir(other)), one.context)


def _unify(one: Type, other: Type) -> Type:
    if one == other:
        return one
    if isinstance(one, TensorType) and isinstance(other, TensorType):
        if one.ndim == other.ndim and one.dtype == other.dtype:
            dims = zip(one.shape, other.shape)
            return TensorType([a if a == b else None for a, b in dims], one.dtype)
        if one.dtype == other.dtype:
            context = get_context()
            return ObjectType(
                ir.UnrankedTensorType.get(
                    ir.Type.parse(DTYPES[one.dtype], context), ir.Location.unknown(context)
                )
            )
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
        if type_.encoding is not None:
            shape = parse_dims(str(type_.encoding))
        else:
            shape = tuple(
                None if type_.is_dynamic_dim(i) else type_.get_dim_size(i)
                for i in range(type_.rank)
            )
        element = type_.element_type
        return TensorType(shape, dtype_of(element) or element)
    if isinstance(type_, ir.TupleType):
        return TupleType([from_mlir(type_.get_type(i)) for i in range(type_.num_types)])
    if isinstance(type_, ir.FunctionType):
        results = list(type_.results)
        return FuncType(
            [from_mlir(t) for t in type_.inputs], from_mlir(join_results(results, type_.context))
        )
    text = str(type_)
    if text.startswith("!relax.shape<["):
        return ShapeType(parse_dims(text))
    if text.startswith("!relax.callable<"):
        return _read_callable(type_)
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


def substitute(
    params: Sequence[ir.Type], args: Sequence[ir.Type], results: Sequence[ir.Type]
) -> list[ir.Type]:
    """The `results` of a function with `params` that is called with `args`.

    Names of dimensions in the parameters are replaced by the dimensions of the arguments.
    """
    names: dict[Dim, Dim] = {}

    def bind(param: Type, arg: Type) -> None:
        if isinstance(param, TupleType) and isinstance(arg, TupleType):
            for fields in zip(param.fields, arg.fields):
                bind(*fields)
            return
        for kind, field in ((TensorType, "shape"), (ShapeType, "values")):
            if isinstance(param, kind) and isinstance(arg, kind):
                for dim, actual in zip(getattr(param, field), getattr(arg, field)):
                    if isinstance(dim, str):
                        names.setdefault(dim, actual)

    def replace(type_: Type) -> Type:
        if isinstance(type_, TupleType):
            return TupleType([replace(field) for field in type_.fields])
        if isinstance(type_, TensorType):
            return TensorType([names.get(d, d) for d in type_.shape], type_.dtype)
        if isinstance(type_, ShapeType):
            return ShapeType([names.get(d, d) for d in type_.values])
        return type_

    for param, arg in zip(params, args):
        if "relax.shape" in str(param):
            bind(from_mlir(param), from_mlir(arg))
    if not names:
        return list(results)
    return [to_mlir(replace(from_mlir(t)), t.context) for t in results]
