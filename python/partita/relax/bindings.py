# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variables that functions and blocks define, and their uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import check_type
from ..ir.block import BindingBlock, SeqExpr
from ..ir.graph import visit_all
from ..ir.node import Expr
from ..ir.relax_function import Function
from ..ir.var import Var

__all__ = ["binding_uses", "bound_vars", "get_var2val", "name_to_binding", "udchain"]


def bound_vars(expr: Expr | Function) -> list[Any]:
    """The variables that functions and blocks in `expr` define, its own ones first.

    A binding of a block is its own variable.
    """
    found: dict[Any, None] = {}
    for one in [expr, *visit_all(expr)]:
        if isinstance(one, Function):
            found.update(dict.fromkeys(one.params))
        if isinstance(one, (Function, SeqExpr)):
            for block in one.blocks:
                found.update(dict.fromkeys(binding.var for binding in block.bindings))
    return list(found)


def get_var2val(func: Function) -> dict[Any, Any]:
    """The values of the variables that the blocks of a function define."""
    check_type(func, Function, "a Function")
    params = set(func.params)
    return {
        var: var.value for var in bound_vars(func) if var not in params and var.value is not None
    }


def name_to_binding(func: Function) -> dict[str, list[Any]]:
    """The bindings in the blocks of a function, by the names of their variables.

    As in TVM, the bindings in branches and in functions in it are left out.
    """
    check_type(func, Function, "a Function")
    named: dict[str, list[Any]] = {}
    for binding in (binding for block in func.blocks for binding in block.bindings):
        named.setdefault(binding.var.name_hint, []).append(binding.var)
    return named


def binding_uses(binding: Any, bindings: Mapping[Any, Any]) -> list[Any]:
    """The variables, and the others of `bindings`, that a binding uses, each once."""
    # An expression in no block is a part of the binding.
    pending, seen = list(binding._args), set()
    found = []
    while pending:
        used = pending.pop()
        if not isinstance(used, Expr) or used in seen:
            continue
        seen.add(used)
        if used in bindings or isinstance(used, Var) or used._scope:
            found.append(used)
        else:
            pending.extend(used._args)
    return found


def udchain(dfb: BindingBlock) -> dict[Any, list[Any]]:
    """What the bindings of a block use, each with the bindings that use it."""
    check_type(dfb, BindingBlock, "a block of bindings")
    bindings = dict.fromkeys(dfb.bindings)
    users: dict[Any, list[Any]] = {binding: [] for binding in bindings}
    for binding in bindings:
        for used in binding_uses(binding, bindings):
            users.setdefault(used, []).append(binding)
    return users
