# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns of functions, for rules that are written as modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ...errors import NoFunctionError, check_type
from ...ir.binding import MatchCast
from ...ir.call import Call, TupleGetItem
from ...ir.constant import Constant
from ...ir.global_var import GlobalVar
from ...ir.graph import visit_parts
from ...ir.inline import inline_call
from ...ir.lift import Tuple
from ...ir.module import IRModule
from ...ir.op import Op
from ...ir.relax_function import Function
from ...ir.types import to_mlir
from ...ir.values import DataTypeImm, ExternFunc, PrimValue, ShapeExpr, StringImm
from ...ir.var import Var
from .base import (
    AttrPattern,
    CallPattern,
    DFPattern,
    ExprPattern,
    TypePattern,
    call_attributes,
)
from .matcher import call_parts
from .rules import Rule, Scope, make_rule
from .values import ExternFuncPattern, TupleGetItemPattern, TuplePattern, WildcardPattern

__all__ = ["read_module"]


def read_module(mod: IRModule) -> Rule:
    """The rule that a module has written; see PatternMatchingRewriter.from_module."""
    check_type(mod, IRModule, "an IRModule with the functions 'pattern' and 'replacement'")
    pattern, replacement = _get(mod, "pattern"), _get(mod, "replacement")
    for var, func in mod.functions_items():
        is_private = "sym_visibility" in func.operation.attributes
        if var.name_hint not in ("pattern", "replacement") and not is_private:
            raise ValueError(
                "expected the functions other than 'pattern' and 'replacement' to be private, but "
                f"'{var.name_hint}' is publicly exposed"
            )
    types = [to_mlir(func.struct_info) for func in (pattern, replacement)]
    if types[0] != types[1]:
        raise ValueError(
            "the pattern and the replacement must have the same signature, but found "
            f"{types[0]} and {types[1]}"
        )
    params = {param: WildcardPattern() for param in pattern.params}
    made: dict[Any, DFPattern] = {
        param: TypePattern(part, param.struct_info) for param, part in params.items()
    }
    parts = pattern._read()
    # Each after its parts.
    for expr in visit_parts(parts):
        if not isinstance(expr, GlobalVar):
            made[expr] = _make_pattern(expr, made)
    whole = _make_pattern(parts.body, made)
    own, wildcards = mod.clone(), list(params.values())

    def make(expr: Any, matched: dict[DFPattern, Any], scope: Scope) -> Any:
        args = [matched[param] for param in wildcards]
        return inline_call(scope.get_replacement(own), args, scope.names)

    return make_rule(whole, make)


def _get(mod: IRModule, name: str) -> Function:
    if name not in mod:
        raise NoFunctionError(f"expected a module with a function '{name}', but found none")
    func: Any = mod[name]
    check_type(func, Function, f"'{name}' to be a function of Relax")
    if func.body is None:
        raise ValueError(f"expected '{name}' to have a body, but found a declaration")
    return cast(Function, func)


def _make_pattern(expr: Any, made: Mapping[Any, DFPattern]) -> DFPattern:
    """The pattern of an expression on the patterns of its parts."""
    if expr in made:
        return made[expr]
    if isinstance(expr, (Constant, ShapeExpr, PrimValue, StringImm, DataTypeImm)):
        return ExprPattern(expr)
    if isinstance(expr, ExternFunc):
        return ExternFuncPattern(expr.global_symbol)
    if isinstance(expr, Tuple):
        return TuplePattern([_make_pattern(field, made) for field in expr.fields])
    if isinstance(expr, TupleGetItem):
        whole = _make_pattern(expr.tuple_value, made)
        if isinstance(whole, TuplePattern):
            return whole.fields[expr.index]
        return TupleGetItemPattern(whole, expr.index)
    if isinstance(expr, MatchCast):
        return TypePattern(_make_pattern(expr.value, made), expr.struct_info)
    if isinstance(expr, Var) and expr.value is not None and not isinstance(expr.value, Function):
        return _make_pattern(expr.value, made)
    parts = call_parts(expr.value) if isinstance(expr, Call) else None
    if parts is None or isinstance(parts[0], GlobalVar):
        raise TypeError(
            "expected the pattern to be of calls of ops and extern functions, tuples, constants "
            f"and parameters, but found {expr!r}"
        )
    callee, args = parts
    op = ExprPattern(callee) if isinstance(callee, Op) else _make_pattern(callee, made)
    call = CallPattern(op, [_make_pattern(arg, made) for arg in args], add_constraint=False)
    attrs = {n: value for n, value in call_attributes(expr).items() if value is not None}
    return AttrPattern(call, attrs) if attrs else call
