# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of functions that are no Function: in TIR, registered in TVM, or closures.

`args` is an expression, or a list or Tuple of them. `out_sinfo` is the type of the result, or a
list of them, and `sinfo_args` too; TVM 0.27 calls them `out_ty` and `ty_args`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import check_type
from ..ir.call import Call, ExactTypes, as_one_type
from ..ir.context import get_context
from ..ir.function import BaseFunc
from ..ir.global_var import GlobalVar
from ..ir.lift import Tuple
from ..ir.names import also_named
from ..ir.node import Expr
from ..ir.op import Op
from ..ir.types import ObjectType, Shape, TupleType
from ..ir.values import ExternFunc, StringImm, global_value
from .utils import convert_to_expr

__all__ = [
    "call_builtin_with_ctx",
    "call_dps_packed",
    "call_inplace_packed",
    "call_packed",
    "call_pure_packed",
    "call_py_func",
    "call_tir",
    "call_tir_inplace",
    "call_tir_with_grad",
    "invoke_closure",
    "invoke_pure_closure",
    "make_closure",
]


@also_named(out_ty="out_sinfo")
def call_tir(gvar: GlobalVar, args: Any, out_sinfo: Any) -> Call:
    """Call a tir.prim_func, which writes tensors of the types `out_sinfo`."""
    _check_callee(gvar)
    args = args if isinstance(args, Tuple) else _make_tuple(args)
    return Call(Op.get("relax.call_tir"), [gvar, args], sinfo_args=out_sinfo)


@also_named(out_ty="out_sinfo")
def call_tir_inplace(gvar: GlobalVar, args: Any, inplace_indices: Any, out_sinfo: Any) -> Call:
    """Call a tir.prim_func that writes results into arguments.

    `inplace_indices` has, for each result, the number of the argument; -1 for a new tensor.
    """
    _check_callee(gvar)
    attrs = {"inplace_indices": _to_list(inplace_indices)}
    return _call_one("relax.call_tir_inplace", gvar, args, out_sinfo, "CallTIRInplaceAttrs", attrs)


@also_named(out_ty="out_sinfo")
def call_tir_with_grad(
    gvar: GlobalVar,
    args: Any,
    out_sinfo: Any,
    te_grad_name: str,
    te_grad_kwargs: dict[str, Any] | None = None,
) -> Call:
    """Call a tir.prim_func whose gradient TVM computes by a function of the name `te_grad_name`."""
    _check_callee(gvar)
    attrs = {"te_grad_name": te_grad_name, "te_grad_kwargs": dict(te_grad_kwargs or {})}
    op = "relax.call_tir_with_grad"
    return _call_one(op, gvar, args, out_sinfo, "CallTIRWithGradAttrs", attrs)


@also_named(ty_args="sinfo_args")
def call_packed(func: str | Expr, *args: Any, sinfo_args: Any = None) -> Call:
    """Call a function that is registered in TVM, and may have side effects.

    It gives any object, unless `sinfo_args` says more.
    """
    return Call(_extern(func), _convert(args), sinfo_args=sinfo_args)


@also_named(ty_args="sinfo_args")
def call_pure_packed(func: str | Expr, *args: Any, sinfo_args: Any) -> Call:
    """Like `call_packed`, for functions without side effects."""
    return _call("relax.call_pure_packed", func, _convert(args), sinfo_args)


@also_named(ty_args="sinfo_args")
def call_inplace_packed(
    func: str | Expr, *args: Any, inplace_indices: Any, sinfo_args: Any
) -> Call:
    """Like `call_pure_packed`, for functions that change arguments that nobody else uses."""
    attrs = {"inplace_indices": _to_list(inplace_indices)}
    op = "relax.call_inplace_packed"
    return _call(op, func, _convert(args), sinfo_args, "CallInplacePackedAttrs", attrs)


@also_named(out_ty="out_sinfo")
def call_dps_packed(func: str | Expr, args: Any, out_sinfo: Any) -> Call:
    """Call a function that is registered in TVM, which writes tensors of the types `out_sinfo`."""
    return _call_one("relax.call_dps_packed", func, args, out_sinfo)


@also_named(out_ty="out_sinfo")
def call_py_func(func_name: str, args: Any, out_sinfo: Any) -> Call:
    """Call a function in Python that the module has in TVM."""
    check_type(func_name, str, "the name of a function in Python to be a str")
    return _call_one("relax.call_py_func", StringImm(func_name), args, out_sinfo)


@also_named(ty_args="sinfo_args")
def call_builtin_with_ctx(func: str | Expr, args: Any, *, sinfo_args: Any = None) -> Call:
    """Call a function of TVM's virtual machine, which gets the machine as well."""
    if sinfo_args is None:
        sinfo_args = ObjectType()
    return _call("relax.call_builtin_with_ctx", func, [_as_tuple(args)], sinfo_args)


@also_named(ty_args="sinfo_args")
def invoke_closure(closure: Expr, args: Any, sinfo_args: Any) -> Call:
    """Call a closure, which may have side effects."""
    return _call("relax.invoke_closure", closure, [_as_tuple(args)], sinfo_args)


@also_named(ty_args="sinfo_args")
def invoke_pure_closure(closure: Expr, args: Any, sinfo_args: Any) -> Call:
    """Call a closure without side effects."""
    return _call("relax.invoke_pure_closure", closure, [_as_tuple(args)], sinfo_args)


def make_closure(func: Any, args: Any) -> Call:
    """A closure: `func` with the first of its arguments given."""
    return _call("relax.make_closure", func, [_as_tuple(args)], None)


def _check_callee(gvar: Any) -> None:
    what = "a GlobalVar of a tir.prim_func to call"
    if isinstance(gvar, BaseFunc):
        what += ", which BlockBuilder.add_func and IRModule.get_global_var give"
    check_type(gvar, GlobalVar, what)


def _extern(func: Any) -> Any:
    return ExternFunc(func) if isinstance(func, str) else func


def _convert(args: Sequence[Any]) -> list[Any]:
    return [convert_to_expr(arg) for arg in args]


def _to_list(indices: Any) -> list[int]:
    return [int(index) for index in (indices if isinstance(indices, (list, tuple)) else [indices])]


def _as_tuple(args: Any) -> Any:
    is_tuple = isinstance(args, Expr) and isinstance(args.struct_info, TupleType)
    return args if is_tuple else _make_tuple(args)


def _make_tuple(args: Any) -> Tuple:
    """The tuple of a list of arguments, or of one argument."""
    # The shape of a type is a tuple in Python, and one expression in TVM.
    is_list = isinstance(args, (list, tuple)) and not isinstance(args, Shape)
    return Tuple(_convert(args if is_list else [args]))


def _call_one(op: str, func: Any, args: Any, types: Any, *attrs: Any) -> Call:
    """A call whose one type argument is the type of the result."""
    return _call(op, func, [_as_tuple(args)], as_one_type(types), *attrs)


def _call(
    op: str,
    func: Any,
    args: list[Any],
    types: Any,
    kind: str = "",
    attrs: dict[str, Any] | None = None,
) -> Call:
    """The call of an op whose operands are a function and its arguments.

    `attrs` are the fields of the attributes that have the class `kind` in TVM.
    """
    func = _extern(func)
    if isinstance(func, GlobalVar):
        func = global_value(func, get_context())
    check_type(func, Expr, "the function to call to be a str, a GlobalVar or an expression")
    given: dict[str, Any] = {}
    if kind:
        given = {"attrs_type": f"relax.attrs.{kind}", "attrs": attrs}
    if types is None:
        types = ExactTypes([ObjectType()])
    return Call(op, [func, *args], given, types)
