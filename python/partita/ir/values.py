# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ops compute, and the values that are no calls in TVM: PrimValue, ExternFunc, ..."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import CallError, as_number, check_int64, check_type, pick
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .attrs import DictAttrs
from .context import get_context
from .dtype import dtype_of, element_type
from .global_var import GlobalVar
from .names import also_named
from .node import Expr, Kind, Native
from .op import Op
from .op_attrs import make_attributes
from .prim import FloatImm, IntImm, PrimExpr
from .types import (
    Dim,
    FuncType,
    ObjectType,
    PrimType,
    Type,
    as_value,
    make_shape,
    read_dims,
    to_mlir,
)
from .var import Var

__all__ = [
    "DataTypeImm",
    "ExternFunc",
    "OpExpr",
    "PrimValue",
    "ShapeExpr",
    "StringImm",
    "Value",
    "global_name",
    "global_value",
    "make_value",
]

EXTERN_FUNC = Op.get("relax.extern_func")
MATCH_CAST = Op.get("relax.match_cast")
_DIM = Op.get("relax.dim")
_GLOBAL = Op.get("relax.global")


class OpExpr(Expr):
    """What an op or a function computes: a Call, or a value that is no call in TVM."""

    __slots__ = ()

    op: Any = Native._callee
    args: tuple[Any, ...] = Native._call_args

    @property
    def attrs(self) -> DictAttrs:
        """The attributes of the op, including defaults; None are those that it can have."""
        return DictAttrs(self._attrs, getattr(self._object, "attr_kinds", None))

    @property
    def is_pure(self) -> bool:
        """Whether the call may be moved, merged and dropped."""
        if isinstance(self.op, Expr):
            return self.attrs.get("is_pure", False)
        if isinstance(self.op, GlobalVar):
            return self.attrs.get("is_pure", True)
        return self._types is None or self._is_pure

    @property
    def value(self) -> Any:
        """The computed value: the call, or the operand of a match_cast."""
        return self._arg if self._object is MATCH_CAST else self._own_value

    @property
    def sinfo_args(self) -> list[Type]:
        """The type of the results, as a list of one; empty if it follows from the operands."""
        op = self._object
        if not self._has_results or (isinstance(op, Op) and op.infers_type):
            return []
        return [self.struct_info]

    #: The same, by its name in TVM 0.27.
    ty_args = sinfo_args

    def __repr__(self) -> str:
        name = self.op.name if isinstance(self.op, Op) else str(self.op)
        return f"Call({name}, <{len(self.args)} args>)"


class Value(OpExpr):
    """A value that TVM writes where it is used, not as a binding."""

    __slots__ = ()

    def __init__(
        self,
        op: Op,
        attrs: Mapping[str, Any],
        types: Sequence[Type] | None = None,
        span: Any = None,
    ):
        context = get_context()
        attributes = make_attributes(op, attrs, context)
        given = None if types is None else [to_mlir(type_, context) for type_ in types]
        super().__init__(Kind.CALL, span, given, op, (), (context, attributes))


@_partita.known_as("PrimValue")
class PrimValue(Value):
    """A number.

    Parameters
    ----------
    value : bool, int, float or PrimExpr
        The number: an int is an int64, a float a float64, and an IntImm or a FloatImm of its
        dtype; or an expression such as ``n + 1``.
    """

    __slots__ = ()

    def __init__(self, value: Any, span: Any = None):
        types, value = (bool, int, float, PrimExpr), as_number(value)
        check_type(value, types, "the value of a PrimValue to be a number or a size of tir.Var")
        context = get_context()
        if isinstance(value, PrimExpr):
            dims = make_shape([value], context)
            super().__init__(_DIM, {"dims": dims}, [PrimType("int64")], span)
            return
        attr: ir.Attribute
        if isinstance(value, bool):
            attr = ir.BoolAttr.get(value, context)
        elif isinstance(value, int):
            check_int64(value, "a number of 64 bits")
            type_ = element_type(getattr(value, "dtype", "int64"), context)
            attr = ir.IntegerAttr.get(type_, value)
        else:
            type_ = element_type(getattr(value, "dtype", "float64"), context)
            attr = ir.FloatAttr.get(type_, value, ir.Location.unknown(context))
        super().__init__(Op.get("relax.prim_value"), {"value": attr}, span=span)

    @property
    def value(self) -> Any:
        """The number; a PrimExpr if it is an expression, such as "n + 1"."""
        if "dims" in self._attrs:
            (dim,) = read_dims(self._attrs["dims"]) or (None,)
            return dim
        return getattr(self._attrs["value"], "value")

    @property
    def dtype(self) -> str:
        """Its dtype."""
        return str(getattr(self.struct_info, "dtype"))

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def _as_size(self) -> Any:
        value = self.value
        is_size = isinstance(value, (int, PrimExpr)) and not isinstance(value, bool)
        return value if is_size else None

    def __repr__(self) -> str:
        return f"PrimValue({self.value!r})"


def make_value(value: Any) -> Expr:
    """A number, a str or a size as a value; a variable that is none as the one Var that it is."""
    if type(value) is str:
        return StringImm(value)
    if type(value) is int:
        # As large as needed, as in TVM.
        return PrimValue(IntImm("int32" if -(2**31) <= value < 2**31 else "int64", value))
    if type(value) is float:
        return PrimValue(FloatImm("float32", value))
    if not isinstance(value, PrimExpr):
        return PrimValue(value)
    if value.dtype == "int64":
        return PrimValue(value)
    if getattr(value, "_value") is None:
        setattr(value, "_value", Var(str(value), PrimType(value.dtype)))
    made: Expr = getattr(value, "_value")
    return made


@_partita.known_as("ShapeExpr")
class ShapeExpr(Value):
    """A shape as a value: an operand of relax.reshape.

    Parameters
    ----------
    values : sequence of int or str
        The dimensions: sizes, names, and expressions of names such as ``n + 1`` (see tir.Var).
        A negative number is no size, and unknown in the type; `reshape` takes -1 for what is left.
    """

    __slots__ = ()

    def __init__(self, values: Sequence[Dim], span: Any = None):
        if not isinstance(values, Iterable) or isinstance(values, str):
            raise TypeError(
                f"expected the dimensions of a ShapeExpr in a list, but found {values!r}"
            )
        dims = make_shape(values, get_context())
        super().__init__(Op.get("relax.shape"), {"dims": dims}, span=span)

    @property
    def values(self) -> tuple[Dim, ...]:
        """The dimensions."""
        return _partita.Array(read_dims(self._attrs["dims"]) or ())

    def __getitem__(self, index: Any) -> Any:
        return pick(self.values, index, "ShapeExpr", "dimensions")

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __repr__(self) -> str:
        return f"ShapeExpr({self.values!r})"


@_partita.known_as("StringImm")
class StringImm(Value):
    """A string."""

    __slots__ = ()

    def __init__(self, value: str, span: Any = None):
        check_type(value, str, "the value of a StringImm to be a str")
        super().__init__(Op.get("relax.string"), {"value": value}, span=span)

    @property
    def value(self) -> str:
        """The string."""
        return str(getattr(self._attrs["value"], "value"))

    def __repr__(self) -> str:
        return f"StringImm({self.value!r})"


@_partita.known_as("DataTypeImm")
class DataTypeImm(Value):
    """An element type as a value."""

    __slots__ = ()

    def __init__(self, value: Any, span: Any = None):
        context = get_context()
        attr = ir.TypeAttr.get(element_type(value, context), context)
        super().__init__(Op.get("relax.dtype"), {"value": attr}, span=span)

    @property
    def value(self) -> Any:
        """The name of the element type; a type of MLIR if it has none."""
        type_ = getattr(self._attrs["value"], "value")
        return dtype_of(type_) or type_

    def __repr__(self) -> str:
        return f"DataTypeImm({str(self.value)!r})"


@_partita.known_as("ExternFunc")
class ExternFunc(Value):
    """A function that is registered in TVM, by its name.

    Parameters
    ----------
    global_symbol : str
        The name.
    struct_info : FuncType, optional
        Its type; without one, TVM finds the types of its calls.
    """

    __slots__ = ()

    @also_named(ty="struct_info")
    def __init__(self, global_symbol: str, struct_info: Any = None, span: Any = None):
        check_type(global_symbol, str, "the name of an ExternFunc to be a str")
        attrs: dict[str, Any] = {"value": global_symbol}
        if struct_info is None:
            attrs.update(derive="tvm.relax.type.infer_by_ty_args", is_pure=False)
            struct_info = ObjectType()
        elif not isinstance(struct_info, FuncType):
            raise CallError(
                f"expected the type of an ExternFunc to be a FuncType, but found {struct_info!r}"
            )
        super().__init__(EXTERN_FUNC, attrs, [as_value(struct_info)], span)

    @property
    def struct_info(self) -> Type:
        """The type of the function; it returns any object if TVM finds the types of calls."""
        type_ = super().struct_info
        if isinstance(type_, FuncType):
            return type_
        attrs = self.attrs
        return FuncType.opaque_func(derive_func=attrs["derive"], purity=bool(attrs["is_pure"]))

    #: The same, by its name in Relay.
    checked_type = struct_info

    @property
    def global_symbol(self) -> str:
        """The name."""
        return str(getattr(self._attrs["value"], "value"))

    def __repr__(self) -> str:
        return f"ExternFunc({self.global_symbol!r})"


def global_value(gvar: GlobalVar, context: ir.Context) -> Value:
    """A function of the module as an operand."""
    with context:
        name = ir.FlatSymbolRefAttr.get(gvar.name_hint, context)
        return Value(_GLOBAL, {"value": name}, [ObjectType()])


def global_name(expr: Any) -> str | None:
    """The name of the function of the module that an operand is; None if it is none."""
    if not isinstance(expr, OpExpr) or expr.op is not _GLOBAL:
        return None
    return str(ir.FlatSymbolRefAttr(expr._attrs["value"]).value)
