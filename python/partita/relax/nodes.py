# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions: the bodies of functions are made of them.

They are objects in a graph without cycles, in which an expression that is used twice is
one object. They hold types and attributes, which belong to the MLIR context, but no ops:
so no pass can change or free them. What they hold, and what reads, builds and visits them,
is in python/Extension/Expr*.cpp. Users find them in partita.relax and partita.relax.expr.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from ..errors import check_type, pick
from ..ir.attrs import DictAttrs
from ..ir.context import get_context
from ..ir.dtype import DTYPES
from ..ir.expr import Expr as AnyExpr
from ..ir.expr import GenericConst
from ..ir.global_var import GlobalVar
from ..ir.prim import FloatImm, IntImm, PrimExpr
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from . import types as _types
from .elements import (
    NARROWED,
    as_tensor,
    from_tensor,
    make_array,
    make_elements,
    name_of_dtype,
    read_elements,
    round_to_bfloat16,
)
from .infer import make_attribute
from .names import also_named
from .operators import operator as binary
from .registry import TYPED_CALLS, Op, Param
from .types import Type

__all__ = [
    "Call",
    "Constant",
    "Expr",
    "GlobalVar",
    "Op",
    "Tuple",
    "TupleGetItem",
    "Var",
    "const",
    "match_cast",
    "var",
]


# Which class an expression has in C++, in the order there.
_VAR, _CONSTANT, _TUPLE, _TUPLE_GET_ITEM, _CALL, _IF, _SEQ_EXPR = range(7)

# The `_scope` of an expression in a dataflow block, as in C++.
IN_DATAFLOW = 2

# What an expression holds in C++, under the names that it has in each class.
_Native = _partita.Expr


@AnyExpr.register
class Expr(_Native):
    """An expression; arithmetic, comparisons with `<`, `<=`, `>`, `>=`, `@` and `astype` make others.

    It is its own variable. As a binding of a block it has TVM's fields `var`, which is the
    expression itself, and `value`, which equals it but is no instance of ``relax.Var``.

    Attributes
    ----------
    loc : mlir.ir.Location or None
        Where it comes from.
    """

    __slots__ = ()

    @property
    def struct_info(self) -> Type:
        """The type of the value: TensorType, TupleType, ..."""
        return _types.from_mlir(self._type, self)

    #: The same, by its name in Relay.
    checked_type = struct_info

    @property
    def span(self) -> ir.Location | None:
        """The same as `loc`, by its name in TVM."""
        return self.loc

    @property
    def ty(self) -> Type:
        """The same as `struct_info`, by its name in TVM 0.27."""
        return self.struct_info

    @property
    def var(self) -> Expr:
        """The variable that the value is bound to: the expression itself."""
        return self

    @property
    def vid(self) -> Expr:
        """What tells variables apart: the expression itself."""
        return self

    #: What is computed: an equal expression that is no variable, unless its class says otherwise.
    value: Any = _Native._own_value

    @property
    def name_hint(self) -> str:
        """Its name in the text; empty if it has none."""
        loc = self.loc
        return loc.name_str if loc is not None and loc.is_a_name() else ""

    @property
    def name(self) -> str:
        """The same as `name_hint`, by its name in TVM 0.27."""
        return self.name_hint

    def same_as(self, other: object) -> bool:
        """Whether `other` is this very expression."""
        return self == other

    def __call__(self, *args: Any, **kwargs: Any) -> Call:
        """A call of a function that is a value, with `args`."""
        return Call(self, args, **kwargs)

    __add__ = binary("relax.add", operator.add)
    __radd__ = binary("relax.add", operator.add, True)
    __sub__ = binary("relax.subtract", operator.sub)
    __rsub__ = binary("relax.subtract", operator.sub, True)
    __mul__ = binary("relax.multiply", operator.mul)
    __rmul__ = binary("relax.multiply", operator.mul, True)
    __truediv__ = binary("relax.divide")
    __rtruediv__ = binary("relax.divide", None, True)
    __floordiv__ = binary("relax.floor_divide", operator.floordiv)
    __rfloordiv__ = binary("relax.floor_divide", operator.floordiv, True)
    __mod__ = binary("relax.mod", operator.mod)
    __rmod__ = binary("relax.mod", operator.mod, True)
    __pow__ = binary("relax.power")
    __rpow__ = binary("relax.power", None, True)
    __matmul__ = binary("relax.matmul")
    __lt__ = binary("relax.less")
    __gt__ = binary("relax.greater")
    __le__ = binary("relax.less_equal")
    __ge__ = binary("relax.greater_equal")
    # Makes NumPy's arrays leave `array + expr` to __radd__.
    __array_ufunc__ = None

    def __neg__(self) -> Call:
        return Call(Op.get("relax.negative"), [self])

    def astype(self, dtype: Any) -> Call:
        """The elements converted to another type."""
        return Call(Op.get("relax.astype"), [self], {"dtype": dtype})

    def __getitem__(self, index: int) -> Expr:
        """A field of a tuple."""
        count = self._count_fields("take a field of")
        if isinstance(index, int) and -count <= index < 0:
            index += count
        if isinstance(index, int) and index >= count:
            raise IndexError(f"expected one of {count} fields, but found {index}")
        return TupleGetItem(self, index)

    def __iter__(self) -> Iterator[Expr]:
        return iter([TupleGetItem(self, i) for i in range(self._count_fields("iterate over"))])

    def _count_fields(self, what: str) -> int:
        type_ = self._type
        if not isinstance(type_, ir.TupleType):
            raise TypeError(f"expected a tuple to {what}, but found {type_}")
        return type_.num_types

    # Python would make `in` of __getitem__, and compare objects where numbers are meant.
    __contains__ = None

    def __str__(self) -> str:
        return repr(self)


class Var(Expr):
    """A variable: a parameter, or one that VarBinding binds to a value.

    Parameters
    ----------
    name_hint : str
        Its name; two variables may have the same one.
    struct_info : TensorType, TupleType, ..., str or mlir.ir.Type, optional
        Its type, or the dtype of a number; without it, the type of the value that a binding gives
        it.
    """

    __slots__ = ()

    name_hint: str = _Native._object

    @also_named(name="name_hint", ty="struct_info")
    def __init__(self, name_hint: str, struct_info: Any = None, span: Any = None):
        check_type(name_hint, str, "the name of a Var to be a str")
        types = None
        if isinstance(struct_info, str):
            struct_info = _types.PrimType(struct_info)
        if struct_info is not None:
            types = (_types.to_mlir(_types.as_value(struct_info)),)
        super().__init__(_VAR, span, types, name_hint)

    #: The type, by its name in Relay.
    type_annotation = Expr.struct_info

    #: What it is bound to: another expression, or a Function; None if it is free.
    value: Any = _Native._arg

    def _as_size(self) -> PrimExpr | None:
        if self._types is None or self.value is not None or not self.name_hint.isidentifier():
            return None
        type_ = self._type
        is_int64 = isinstance(type_, ir.IntegerType) and type_.width == 64 and type_.is_signless
        return PrimExpr(self.name_hint) if is_int64 else None

    def __repr__(self) -> str:
        type_ = "" if self._types is None else f", {self._type}"
        return f'Var("{self.name_hint}"{type_})'


def bind(var: Var, value: Any) -> Var:
    """Give a free variable its value."""
    if hasattr(value, "_as_value"):
        if var._types is None:
            raise ValueError(
                f"expected the Var '{var.name_hint}' to have a type, as its value is a function"
            )
    else:
        value = lift(value)
        if value._types is not None and var._types is not None and value._type != var._type:
            value = match_cast(value, var._type)
        if value.loc is None and not isinstance(value, Var) and value._types is not None:
            value.loc = ir.Location.name(var.name_hint, context=value._context)
    if hasattr(value, "_as_value") and value._uses(var):
        # In a function that calls itself, its variable is another one.
        value, own = value._separate(var)
        var._bind(value)
        var._bind_self(own)
        return var
    var._bind(value)
    return var


def rebind(var: Var, value: Any) -> Any:
    """What takes the place of `var`, whose value is now `value`."""
    if isinstance(value, GlobalVar):
        return value
    if hasattr(value, "_as_value"):
        return value._as_value(var.name_hint, *var._args[1:], span=var.loc)
    value = lift(value)
    return bind(Var(var.name_hint, value._type, var.loc), value)


def var(
    name_hint: str,
    type_annotation: Any = None,
    shape: Sequence[_types.Dim] | None = None,
    dtype: Any = "float32",
) -> Var:
    """Make a variable.

    Parameters
    ----------
    name_hint : str
        Its name.
    type_annotation : TensorType, ..., or a shape
        Its type.
    shape : sequence of int, str or None, optional
        The shape of a tensor, instead of `type_annotation`.
    dtype : str, optional
        Its element type.
    """
    if isinstance(type_annotation, (list, tuple)):
        type_annotation, shape = None, type_annotation
    if (type_annotation is None) == (shape is None):
        raise ValueError("expected a variable to have either a type or a shape")
    if shape is not None:
        type_annotation = _types.TensorType(shape, dtype)
    return Var(name_hint, type_annotation)


@GenericConst.register
class Constant(Expr):
    """A constant tensor.

    Parameters
    ----------
    data : numpy.ndarray or mlir.ir.Attribute
        Its elements.
    """

    __slots__ = ()

    # The array, once it is known.
    _data: Any = _Native._object

    def __init__(self, data: Any, span: Any = None):
        if isinstance(data, ir.Attribute):
            self._init(None, data, span)
            return
        import numpy

        data = numpy.array(data)
        data.flags.writeable = False
        self._init(data, make_elements(data, name_of_dtype(data.dtype), get_context()), span)

    def _init(self, data: Any, value: Any, span: Any) -> None:
        super().__init__(_CONSTANT, span, (value.type,), data, attribute=value)

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
    def value(self) -> Any:
        """The elements as a numpy.ndarray that has TVM's ``numpy()``, which copies it."""
        return as_tensor(self.data)

    @property
    def data(self) -> Any:
        """The elements as a numpy.ndarray, which can't be written."""
        data = self._data
        if data is None:
            data = read_elements(self._value)
            data.flags.writeable = False
            self._set_object(data)
        return data

    def _in(self, context: ir.Context) -> Constant:
        """The constant in another context."""
        type_ = self.struct_info
        assert isinstance(type_, _types.TensorType)
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
        float64. The dtype of a tensor which is no NumPy array is kept. Arrays are converted as
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
    if not is_array and hasattr(value, "__dlpack__"):
        value, is_array = from_tensor(value), True
        if dtype is None:
            return _keep_array(value)
    is_converted = not is_array or dtype is None and name_of_dtype(value.dtype) in NARROWED
    array = make_array(value, dtype) if is_converted else numpy.asarray(value)
    if dtype == "bfloat16":
        elements = make_elements(round_to_bfloat16(array), dtype, get_context())
        return Constant._of(array.astype("float32"), elements)
    if is_array and dtype is not None:
        array = array.astype(dtype)
    return _keep_array(array)


def _make_constant(value: Any, type_: Any) -> Constant:
    """A constant of a type."""
    check_type(type_, _types.TensorType, "the type of a constant to be a TensorType")
    made = const(value, type_.dtype)
    if type_.shape is not None and made.struct_info != type_:
        raise ValueError(
            f"expected the elements of a constant to have type {type_}, but found {made.ty}"
        )
    return made


GenericConst._make = _make_constant


def as_constant(value: Any, dtype: Any = None) -> Constant:
    """What const makes, but of the type that an array has, for a value that has to fit others."""
    import numpy

    is_kept = dtype is None and isinstance(value, (numpy.ndarray, numpy.generic))
    return _keep_array(value) if is_kept else const(value, dtype)


def _keep_array(array: Any) -> Constant:
    if name_of_dtype(array.dtype) not in DTYPES:
        raise TypeError(f"expected a constant of numbers, but found elements of type {array.dtype}")
    return Constant(array)


def _common_context(exprs: Sequence[Any]) -> ir.Context | None:
    """The context of expressions; a constant's counts only if all are constants."""
    found = None
    for expr in exprs:
        if isinstance(expr, Expr) and expr._types:
            if not isinstance(expr, Constant):
                return expr._context
            found = found or expr._context
    return found


def in_context(expr: Any, context: ir.Context) -> Any:
    """`expr` if it belongs to `context`; a constant is made anew in `context`."""
    if not isinstance(expr, Expr) or not expr._types or expr._context is context:
        return expr
    if isinstance(expr, Constant):
        return expr._in(context)
    raise ValueError(
        "expected expressions of one MLIR context, but found two; make all of them in "
        "one 'with context'"
    )


class Tuple(Expr):
    """A tuple of expressions."""

    __slots__ = ()

    fields: tuple[Any, ...] = _Native._args

    def __init__(self, fields: Iterable[Any], span: Any = None):
        lifted = tuple(lift_part(field) for field in fields)
        types = None
        if all(field._types is not None for field in lifted):
            context = _common_context(lifted) or get_context()
            lifted = tuple(in_context(field, context) for field in lifted)
            types = (ir.TupleType.get_tuple([field._type for field in lifted], context),)
        super().__init__(_TUPLE, span, types, None, lifted)

    def __len__(self) -> int:
        return len(self.fields)

    def __getitem__(self, index: int) -> Expr:
        made: Expr = pick(self.fields, index, "Tuple", "fields")
        return made

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.fields)

    def __repr__(self) -> str:
        return f"Tuple(<{len(self.fields)} fields>)"


class TupleGetItem(Expr):
    """A field of a tuple."""

    __slots__ = ()

    tuple_value: Any = _Native._arg
    index: int = _Native._index

    def __init__(self, tuple_value: Expr, index: int, span: Any = None):
        tuple_value = lift(tuple_value)
        if not isinstance(index, int) or isinstance(index, bool):
            raise TypeError(
                f"expected the index of a field to be an int, but found {type(index).__name__}"
            )
        super().__init__(_TUPLE_GET_ITEM, span, args=(tuple_value,), index=index)

    def __repr__(self) -> str:
        return f"TupleGetItem({type(self.tuple_value).__name__}, {self.index})"


class OpExpr(Expr):
    """What an op or a function computes: a Call, or a value that is no call in TVM."""

    __slots__ = ()

    op: Any = _Native._callee
    args: tuple[Any, ...] = _Native._call_args

    @also_named(ty_args="sinfo_args")
    def __init__(
        self,
        op: Op | str | GlobalVar | Expr,
        args: Sequence[Any],
        attrs: dict[str, Any] | None = None,
        sinfo_args: Sequence[Any] | None = None,
        span: Any = None,
    ):
        if isinstance(op, str):
            op = Op.get(op)
        elif not isinstance(op, (Op, GlobalVar, Expr)) and hasattr(op, "_as_value"):
            op = lift(op)
        check_type(op, (Op, GlobalVar, Expr), "a call of an Op, a GlobalVar or an expression")
        check_type(args, (list, tuple), "the arguments of a call to be a list")
        if isinstance(op, Expr):
            op, args, attrs, sinfo_args = _call_value(op, args, attrs, sinfo_args)
        like = next((a for a in args if isinstance(a, Expr) and a._types), None)
        if isinstance(op, Op) and op.params is not None:
            args = _flatten(op, args)
        lifted = [lift(arg, like) for arg in args]
        context = _common_context(lifted) or get_context()
        lifted = [in_context(arg, context) for arg in lifted]
        first = 1 if op is _CALL_TIR else 0
        for index, arg in enumerate(lifted[first:], first):
            if isinstance(arg, GlobalVar):
                lifted[index] = global_value(arg, context)
        params: list[Param] = getattr(op, "params", None) or []
        kinds = {p.name: p.kind for p in params}
        attributes = {}
        # Attributes of another call are taken as they are, not as Python values.
        given = attrs._attributes if isinstance(attrs, DictAttrs) else attrs or {}
        for name, value in given.items():
            if value is None and name in kinds:
                continue
            # One with a prefix is any dialect's.
            if kinds and name not in kinds and "." not in name:
                raise TypeError(
                    f"expected an attribute of {getattr(op, 'name')}, one of "
                    f"{[p.name for p in params if not p.is_operand]}, but found '{name}'"
                )
            attributes[name] = make_attribute(kinds.get(name), value, context)
        types = None
        if sinfo_args is not None:
            if not isinstance(sinfo_args, (list, tuple)):
                sinfo_args = [sinfo_args]
            if isinstance(op, Op) and op.name in TYPED_CALLS:
                # The attributes of another call already hold its type arguments, if it has any.
                is_known = isinstance(sinfo_args, ExactTypes) or isinstance(attrs, DictAttrs)
                if sinfo_args and not is_known:
                    attributes.setdefault("ty_args", type_args(sinfo_args, context))
                sinfo_args = ExactTypes([as_one_type(sinfo_args or _types.ObjectType())])
            types = [_types.to_mlir(t, context) for t in sinfo_args]
            if len(types) == 1 and not isinstance(sinfo_args, ExactTypes):
                types = _types.split_results(types[0])
        super().__init__(_CALL, span, types, op, tuple(lifted), (context, attributes))

    @property
    def attrs(self) -> DictAttrs:
        """The attributes of the op, including defaults; None are those that it can have."""
        params = getattr(self._object, "params", None) or ()
        return DictAttrs(
            self._attrs, lambda name: any(p.name == name and not p.is_operand for p in params)
        )

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
        return self._arg if self._object is _MATCH_CAST else self._own_value

    @property
    def sinfo_args(self) -> list[_types.Type]:
        """The type of the results, as a list of one."""
        return [] if not self._has_results else [self.struct_info]

    #: The same, by its name in TVM 0.27.
    ty_args = sinfo_args

    def __repr__(self) -> str:
        name = self.op.name if isinstance(self.op, Op) else str(self.op)
        return f"Call({name}, <{len(self.args)} args>)"


class Call(OpExpr):
    """A call of an op or of a function.

    Parameters
    ----------
    op : Op, str, GlobalVar or Expr
        The callee.
    args : sequence of Expr
        Its operands; numbers and NumPy arrays become constants.
    attrs : dict, optional
        The attributes of the op.
    sinfo_args : sequence of TensorType, ..., optional
        The types of the results, if they do not follow from the operands.

    Raises
    ------
    CallError
        If the op does not take such operands; with MLIR's message. It is a ValueError, a
        TypeError and a RuntimeError, as TVM raises one of these.
    """

    __slots__ = ()


GlobalVar._make_call = Call
GlobalVar._read_type = _types.from_mlir
Op._make_call = Call
_CALL_TIR = Op.get("relax.call_tir")
_EXTERN_FUNC = Op.get("relax.extern_func")
_GLOBAL = Op.get("relax.global")
_MATCH_CAST = Op.get("relax.match_cast")


def global_value(gvar: GlobalVar, context: ir.Context) -> Call:
    """A function of the module as a value."""
    with context:
        name = ir.FlatSymbolRefAttr.get(gvar.name_hint, context)
        return Call(_GLOBAL, [], {"value": name}, [_types.ObjectType()])


class ExactTypes(tuple[Any, ...]):
    """The types of an op's results. A single one of them may be a tuple."""


def _call_value(
    callee: Expr, args: Sequence[Any], attrs: Any, types: Any
) -> tuple[Op, list[Any], dict[str, Any], Any]:
    """What Call takes for a call of `callee`."""
    attrs = dict(attrs or {})
    # As in TVM, no types are the type of any object.
    types = None if types == [] else types
    type_ = callee.struct_info
    if not isinstance(type_, (_types.CallableType, _types.ObjectType)):
        raise TypeError(
            "expected a call of a function that is a value, an Op or a GlobalVar, "
            f"but found {type(callee).__name__}"
        )
    if isinstance(type_, _types.CallableType) and type_.purity:
        attrs.setdefault("is_pure", True)
    if isinstance(type_, _types.CallableType) and type_.params is not None:
        if len(args) != len(type_.params):
            raise ValueError(
                f"expected {len(type_.params)} arguments for {callee}, but found {len(args)}"
            )
        lifted = [lift(arg) for arg in args]
        params = [_types.as_value(param).to_mlir(callee._context) for param in type_.params]
        for index, (param, arg) in enumerate(zip(params, lifted)):
            known = None if isinstance(arg, GlobalVar) else arg._types
            if known is not None and not _partita.is_castable(arg._type, param):
                raise ValueError(
                    f"expected argument {index} of {callee} to have type {param}, but found "
                    f"{arg._type}"
                )
        if types is None:
            ret = type_.ret.to_mlir(callee._context)
            function = ir.FunctionType.get(params, [ret], ret.context)
            types = ExactTypes(_partita.bind_types(function, [arg._type for arg in lifted]))
        args = lifted
    elif isinstance(type_, _types.CallableType) and types is None and not type_.derive_func:
        types = ExactTypes([type_.ret.to_mlir(callee._context)])
    elif types is None and isinstance(callee, OpExpr) and callee.op is _EXTERN_FUNC:
        types = [_types.ObjectType()]
    elif types is None:
        raise TypeError(
            f"expected sinfo_args, the types of the results of {callee}, but found none"
        )
    elif "ty_args" not in attrs:
        attrs["ty_args"] = type_args(types, callee._context)
        types = ExactTypes([_types.to_mlir(as_one_type(types), callee._context)])
    return Op.get("relax.call_value"), [callee, *args], attrs, types


def as_one_type(types: Any) -> Any:
    """One of `types`, or a tuple of them."""
    if not isinstance(types, (list, tuple)):
        return types
    return types[0] if len(types) == 1 else _types.TupleType(types)


def type_args(types: Any, context: ir.Context) -> ir.Attribute:
    """The attribute that has the type arguments of a call of a function that is no Function."""
    listed = types if isinstance(types, (list, tuple)) else [types]
    made = [ir.TypeAttr.get(_types.to_mlir(t, context), context) for t in listed]
    return ir.ArrayAttr.get(made, context)


def _flatten(op: Op, args: Sequence[Any]) -> list[Any]:
    """`args`, with tuples replaced by their fields if the op takes any number of operands."""
    if not any(param.kind == "operands" for param in op.params or ()):
        return list(args)
    flat: list[Any] = []
    for arg in args:
        if isinstance(arg, (Tuple, list, tuple)):
            flat.extend(arg.fields if isinstance(arg, Tuple) else arg)
        else:
            flat.append(arg)
    return flat


def lift(value: Any, like: Expr | None = None) -> Any:
    """`value` as an expression: a number takes the element type of `like`.

    A str is a StringImm, unless it is a size.
    """
    if isinstance(value, (Expr, GlobalVar)):
        return value
    if hasattr(value, "_as_value"):
        return value._as_value()
    # A size, or a string.
    if isinstance(value, str):
        return PrimExpr._make_value(value)
    if isinstance(value, (list, tuple)):
        return Tuple(value)
    import numpy

    types = (bool, int, float, numpy.ndarray, numpy.generic)
    check_type(value, types, "an expression, a number or a NumPy array")
    dtype = None
    if like is not None and isinstance(value, (bool, int, float)):
        type_ = like.struct_info
        if isinstance(type_, _types.TensorType):
            dtype = type_.dtype
            if isinstance(value, float) and "float" not in (dtype or "float"):
                raise TypeError(
                    f"expected a number of type {dtype}, but found {value}; convert one of them"
                )
    with nullcontext() if like is None else like._context:
        return as_constant(value, dtype)


def lift_part(value: Any) -> Any:
    """`value` as a binding, a result or a field: a number is none of a tensor there, as in TVM."""
    is_number = type(value) in (bool, int, float) or isinstance(value, (IntImm, FloatImm))
    return PrimExpr._make_value(value) if is_number else lift(value)


@also_named(ty="struct_info")
def match_cast(value: Expr, struct_info: Any) -> Call:
    """Give a value a more precise type, which the program checks when it runs."""
    value = lift(value)
    with value._context:
        # Its one result may be a tuple.
        types = ExactTypes([_types.as_value(struct_info)])
        return Call(Op.get("relax.match_cast"), [value], sinfo_args=types)
