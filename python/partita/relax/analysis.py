# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Queries on expressions: their order, variables and callees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import check_type
from ..ir.function import BaseFunc, as_function
from ..mlir._mlir_libs import _partita
from .expr import Call, Expr, GlobalVar, Var
from .function import Function

__all__ = ["all_global_vars", "all_vars", "free_vars", "post_order_visit"]


def _visit(expr: Expr | Function) -> list[Any]:
    """All that is in `expr`: expressions, and functions that variables are bound to."""
    if isinstance(expr, Function):
        roots: list[Expr] = [*expr.params]
        for block in expr.blocks:
            roots.extend(block.bindings)
        if expr.body is not None:
            roots.append(expr.body)
    else:
        check_type(expr, Expr, "an expression or a function")
        roots = [expr]
    found = _partita.post_order(roots)
    if not any(isinstance(one, Var) and isinstance(one.value, Function) for one in found):
        return found
    order: dict[Any, None] = {}
    for one in found:
        if isinstance(one, Var) and isinstance(one.value, Function):
            order.update(dict.fromkeys([*_visit(one.value), one.value]))
        order[one] = None
    return list(order)


def post_order_visit(expr: Expr | Function, fvisit: Callable[[Any], Any]) -> None:
    """Call `fvisit` with each expression, once, after those that it uses.

    Parameters
    ----------
    expr : Expr or Function
        The expression or function to visit; it comes last itself.
    fvisit : callable
        The function to call.
    """
    for found in _visit(expr):
        fvisit(found)
    if isinstance(expr, BaseFunc):
        fvisit(expr)


def all_vars(expr: Expr | Function) -> list[Var]:
    """The variables in the order in which they are first used."""
    return [found for found in _visit(expr) if isinstance(found, Var)]


def free_vars(expr: Expr | Function) -> list[Var]:
    """The variables that are not parameters, in the order of their first use."""
    bound = set(expr.params) if isinstance(expr, Function) else set()
    for found in _visit(expr):
        if isinstance(found, Function):
            bound.update(found.params)
        elif isinstance(found, Var) and found.value is not None:
            # In a function that is its value, the variable is another one.
            bound.update((found, *found._args[1:]))
    return [found for found in all_vars(expr) if found not in bound]


def all_global_vars(expr: Expr | Function) -> list[GlobalVar]:
    """The functions that are called, each once."""
    names: dict[GlobalVar, None] = {}
    for found in _visit(expr):
        if isinstance(found, Call):
            for callee in (found.op, *found.args):
                if isinstance(callee, GlobalVar):
                    names[callee] = None
    return list(names)


as_function.register(Expr, lambda expr: Function(free_vars(expr), expr))
