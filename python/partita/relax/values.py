# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that are no tensors, and calls that take them: TVM's PrimValue, ExternFunc, ..."""

from __future__ import annotations

from typing import Any

from ..errors import check_type
from ..ir.context import get_context
from ..ir.dtype import dtype_of, element_type
from ..ir.global_var import GlobalVar
from ..mlir import ir
from . import types as _types
from .expr import Call, ExactTypes, Expr, Op, as_one_type, global_value, lift, type_args

__all__ = [
    "DataTypeImm",
    "ExternFunc",
    "PrimValue",
    "StringImm",
    "call_dps_packed",
    "call_packed",
    "call_pure_packed",
]


class PrimValue(Call):
    """A number.

    Parameters
    ----------
    value : bool, int or float
        The number; an int is an int64, a float a float64.
    """

    __slots__ = ()

    def __init__(self, value: bool | int | float, span: Any = None):
        check_type(value, (bool, int, float), "the value of a PrimValue to be a number")
        context = get_context()
        attr: ir.Attribute
        if isinstance(value, bool):
            attr = ir.BoolAttr.get(value, context)
        elif isinstance(value, int):
            attr = ir.IntegerAttr.get(ir.IntegerType.get_signless(64, context), value)
        else:
            attr = ir.FloatAttr.get(ir.F64Type.get(context), value, ir.Location.unknown(context))
        super().__init__(Op.get("relax.prim_value"), [], {"value": attr}, span=span)

    @property
    def value(self) -> Any:
        """The number; the text of an expression that is one, such as "n + 1"."""
        if "dims" in self._attrs:
            return _types.read_dims(self._attrs["dims"])[0]
        return getattr(self._attrs["value"], "value")


class StringImm(Call):
    """A string."""

    __slots__ = ()

    def __init__(self, value: str, span: Any = None):
        check_type(value, str, "the value of a StringImm to be a str")
        super().__init__(Op.get("relax.string"), [], {"value": value}, span=span)

    @property
    def value(self) -> str:
        """The string."""
        return str(getattr(self._attrs["value"], "value"))


class DataTypeImm(Call):
    """An element type as a value."""

    __slots__ = ()

    def __init__(self, value: Any, span: Any = None):
        context = get_context()
        attr = ir.TypeAttr.get(element_type(value, context), context)
        super().__init__(Op.get("relax.dtype"), [], {"value": attr}, span=span)

    @property
    def value(self) -> Any:
        """The name of the element type; a type of MLIR if it has none."""
        type_ = getattr(self._attrs["value"], "value")
        return dtype_of(type_) or type_


class ExternFunc(Call):
    """A function that is registered in TVM, by its name."""

    __slots__ = ()

    def __init__(self, global_symbol: str, span: Any = None):
        check_type(global_symbol, str, "the name of an ExternFunc to be a str")
        super().__init__(Op.get("relax.extern_func"), [], {"value": global_symbol}, span=span)

    @property
    def global_symbol(self) -> str:
        """The name."""
        return str(getattr(self._attrs["value"], "value"))


def _extern(func: Any) -> Any:
    return ExternFunc(func) if isinstance(func, str) else func


def call_packed(func: str | Expr, *args: Any, sinfo_args: Any) -> Call:
    """Call a function that is registered in TVM, and may have side effects.

    Parameters
    ----------
    func : str or ExternFunc
        The function.
    args : Expr, number or array
        Its arguments.
    sinfo_args : TensorType, ... or a list of them
        The type of its result.
    """
    return Call(_extern(func), list(args), sinfo_args=sinfo_args)


def _call(op: str, func: Any, args: list[Any], types: Any) -> Call:
    func = _extern(func)
    if isinstance(func, GlobalVar):
        func = global_value(func, get_context())
    context = func._context
    result = as_one_type(types)
    attrs = {"ty_args": type_args(result if op == "relax.call_dps_packed" else types, context)}
    return Call(op, [func, *args], attrs, ExactTypes([_types.to_mlir(result, context)]))


def call_pure_packed(func: str | Expr, *args: Any, sinfo_args: Any) -> Call:
    """Like `call_packed`, for functions without side effects."""
    return _call("relax.call_pure_packed", func, list(args), sinfo_args)


def call_dps_packed(func: str | Expr, args: Any, out_sinfo: Any) -> Call:
    """Call a function that is registered in TVM, which writes tensors of the types `out_sinfo`.

    Parameters
    ----------
    func : str or ExternFunc
        The function.
    args : Expr, or list or Tuple of them
        Its inputs.
    out_sinfo : TensorType or list of them
        The types of its outputs.
    """
    if not isinstance(args, (Expr, list, tuple)) or (
        isinstance(args, Expr) and not isinstance(args.struct_info, _types.TupleType)
    ):
        args = [args]
    return _call("relax.call_dps_packed", func, [lift(args)], out_sinfo)
