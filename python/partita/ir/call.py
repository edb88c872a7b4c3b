# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls, fields of tuples, and functions of the module as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import as_number, check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from ._ops_gen import VALUE_CALLS
from .attrs import DictAttrs
from .context import get_context
from .global_var import GlobalVar
from .lift import Tuple, common_context, in_context, lift, lift_part
from .names import also_named
from .node import Expr, Kind, Native
from .op import Op
from .op_attrs import make_attributes
from .operators import has_no_truth
from .types import (
    CallableType,
    ObjectType,
    TensorType,
    TupleType,
    Type,
    as_value,
    split_results,
    to_mlir,
)
from .values import EXTERN_FUNC, MATCH_CAST, OpExpr, ShapeExpr, global_value
from .var import Var

__all__ = [
    "Call",
    "ExactTypes",
    "TupleGetItem",
    "as_one_type",
    "get_shape_of",
    "match_cast",
    "remake_call",
    "type_args",
]

_CALL_TIR = Op.get("relax.call_tir")
_CALL_VALUE = Op.get("relax.call_value")
# The results of calls without type arguments, as TVM infers them.
_DEFAULT_TYPES: dict[str, Type] = {
    "relax.call_builtin_with_ctx": TupleType([]),
    "relax.call_inplace_packed": ObjectType(),
    "relax.call_pure_packed": ObjectType(),
    "relax.invoke_closure": ObjectType(),
    "relax.invoke_pure_closure": ObjectType(),
}
# The ops whose operands are the arguments of a function.
_CALLS = VALUE_CALLS | {_CALL_TIR.name}


@_partita.known_as("Call")
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

    __bool__ = has_no_truth

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
        if isinstance(op, Op):
            args = _flatten(op, args)
        # Functions take numbers, where the operands of other ops are tensors.
        calls_function = not isinstance(op, Op) or op.name in _CALLS
        lifted = [lift_part(arg) if calls_function else lift(arg, like) for arg in args]
        context = common_context(lifted) or get_context()
        lifted = [in_context(arg, context) for arg in lifted]
        first = 1 if op is _CALL_TIR else 0
        for index, arg in enumerate(lifted[first:], first):
            if isinstance(arg, GlobalVar):
                lifted[index] = global_value(arg, context)
        # Attributes of another call are taken as they are, not as Python values.
        given = attrs._attributes if isinstance(attrs, DictAttrs) else attrs or {}
        if attrs and not isinstance(given, dict):
            check_type(given, Mapping, "the attributes of a call to be a dict")
        attributes = make_attributes(op, given, context)
        types = None
        if sinfo_args is None and isinstance(op, Op) and op.name in _DEFAULT_TYPES:
            sinfo_args = []
        if sinfo_args is not None and not isinstance(sinfo_args, (list, tuple)):
            sinfo_args = [sinfo_args]
        if sinfo_args is not None and (sinfo_args or not isinstance(op, Op) or not op.infers_type):
            # Calls of one result, which keep the type arguments that it comes from.
            if isinstance(op, Op) and op is not _CALL_VALUE and op.name in VALUE_CALLS:
                # The attributes of another call already hold its type arguments, if it has any.
                is_known = isinstance(sinfo_args, ExactTypes) or isinstance(attrs, DictAttrs)
                if sinfo_args and not is_known:
                    attributes.setdefault("ty_args", type_args(sinfo_args, context))
                sinfo_args = ExactTypes(
                    [as_one_type(sinfo_args or _DEFAULT_TYPES.get(op.name, ObjectType()))]
                )
            types = [to_mlir(t, context) for t in sinfo_args]
            if len(types) == 1 and not isinstance(sinfo_args, ExactTypes):
                types = split_results(types[0])
        super().__init__(Kind.CALL, span, types, op, tuple(lifted), (context, attributes))


@_partita.known_as("TupleGetItem")
class TupleGetItem(Expr):
    """A field of a tuple."""

    __slots__ = ()

    tuple_value: Any = Native._arg
    index: int = Native._index

    __bool__ = has_no_truth

    def __init__(self, tuple_value: Expr, index: int, span: Any = None):
        tuple_value = lift(tuple_value)
        index = as_number(index)
        if not isinstance(index, int) or isinstance(index, bool):
            raise TypeError(
                f"expected the index of a field to be an int, but found {type(index).__name__}"
            )
        super().__init__(Kind.TUPLE_GET_ITEM, span, args=(tuple_value,), index=index)

    def __repr__(self) -> str:
        return f"TupleGetItem({type(self.tuple_value).__name__}, {self.index})"


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
    if not isinstance(type_, (CallableType, ObjectType)):
        raise TypeError(
            "expected a call of a function that is a value, an Op or a GlobalVar, "
            f"but found {type(callee).__name__}"
        )
    if isinstance(type_, CallableType) and type_.purity:
        attrs.setdefault("is_pure", True)
    if isinstance(type_, CallableType) and type_.params is not None:
        if len(args) != len(type_.params):
            raise ValueError(
                f"expected {len(type_.params)} arguments for {callee}, but found {len(args)}"
            )
        lifted = [lift_part(arg) for arg in args]
        params = [as_value(param).to_mlir(callee._context) for param in type_.params]
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
    elif isinstance(type_, CallableType) and types is None and not type_.derive_func:
        types = ExactTypes([type_.ret.to_mlir(callee._context)])
    elif types is None and isinstance(callee, OpExpr) and callee.op is EXTERN_FUNC:
        types = [ObjectType()]
    elif types is None:
        raise TypeError(
            f"expected sinfo_args, the types of the results of {callee}, but found none"
        )
    elif "ty_args" not in attrs:
        attrs["ty_args"] = type_args(types, callee._context)
        types = ExactTypes([to_mlir(as_one_type(types), callee._context)])
    return _CALL_VALUE, [callee, *args], attrs, types


def as_one_type(types: Any) -> Any:
    """One of `types`, or a tuple of them."""
    if not isinstance(types, (list, tuple)):
        return types
    return types[0] if len(types) == 1 else TupleType(types)


def type_args(types: Any, context: ir.Context) -> ir.Attribute:
    """The attribute that has the type arguments of a call of a function that is no Function."""
    listed = types if isinstance(types, (list, tuple)) else [types]
    made = [ir.TypeAttr.get(to_mlir(t, context), context) for t in listed]
    return ir.ArrayAttr.get(made, context)


def _flatten(op: Op, args: Sequence[Any]) -> list[Any]:
    """`args`, with tuples replaced by their fields if the op takes any number of operands."""
    if op is _CALL_TIR and len(args) == 2 and isinstance(args[1], (Tuple, list, tuple)):
        # A field can be a tuple itself.
        return [args[0], *args[1]]
    if not any(param.kind == "operands" for param in op.params or ()):
        return list(args)
    flat: list[Any] = []
    for arg in args:
        if isinstance(arg, (Tuple, list, tuple)):
            flat.extend(arg.fields if isinstance(arg, Tuple) else arg)
        else:
            flat.append(arg)
    return flat


@also_named(ty="struct_info")
def match_cast(value: Expr, struct_info: Any) -> Call:
    """Give a value a more precise type, which the program checks when it runs."""
    value = lift(value)
    with value._context:
        # Its one result may be a tuple.
        types = ExactTypes([as_value(struct_info)])
        return Call(MATCH_CAST, [value], sinfo_args=types)


def get_shape_of(expr: Expr) -> OpExpr:
    """The shape of a tensor: a ShapeExpr, or relax.shape_of where not all of it is known."""
    check_type(expr, Expr, "a tensor to have the shape of")
    type_ = expr.struct_info
    check_type(type_, TensorType, "a tensor to have the shape of")
    assert isinstance(type_, TensorType)
    with expr._context:
        if type_.shape is None or None in type_.shape:
            return Call(Op.get("relax.shape_of"), [expr])
        return ShapeExpr(type_.shape)


@_partita.known_as("remake_call")
def remake_call(call: Call, args: Sequence[Any], op: Any) -> Call:
    """`call` on operands of other types, or of another op."""
    was = call._args[0] if args and op is call._object else None
    if isinstance(was, Var) and isinstance(args[0], GlobalVar):
        # What was a function in the function is now one of the module.
        return Call(args[0], list(args[1:]), span=call.loc)
    known = op.infers_type if isinstance(op, Op) else getattr(op, "_type", None) is not None
    types = None if known or call._types is None else ExactTypes(call._types)
    return Call(op, list(args), dict(call._attrs), types, call.loc)
