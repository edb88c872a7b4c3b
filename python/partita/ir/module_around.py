# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function together with the functions that it uses."""

from __future__ import annotations

from typing import Any

from ..mlir._mlir_libs import _partita
from .global_var import GlobalVar
from .graph import list_roots, visit_all
from .module import IRModule
from .node import Expr
from .relax_function import Function
from .values import OpExpr, global_name

__all__ = ["all_global_vars", "module_around"]


def all_global_vars(expr: Expr | Function) -> list[GlobalVar]:
    """The functions that are called, or used as values, each once."""
    names: dict[GlobalVar, None] = {}
    for found in visit_all(expr):
        if isinstance(found, OpExpr):
            if (name := global_name(found)) is not None:
                names[GlobalVar(name)] = None
            for callee in (found.op, *found.args):
                if isinstance(callee, GlobalVar):
                    names[callee] = None
    return list(names)


def module_around(func: Function, name: str | None = None) -> IRModule:
    """A module that has the function, by `name` or by its own, and the functions that it uses.

    A function that was made from one of a module uses the functions of that module.
    """
    functions: dict[str, Any] = {name or func.name: func}
    owner = func._form.owner
    if owner is None:
        owners = (root._owner for root in list_roots(func))
        owner = next((found for found in owners if found is not None), None)
    home = None if owner is None else IRModule(owner.operation)
    waiting = (
        [var.name_hint for var in all_global_vars(func)]
        if func._form.owner is None
        else list(_partita.get_used_symbols(func.operation))
    )
    while waiting and home is not None:
        used = waiting.pop()
        if used not in functions and used in home:
            functions[used] = home[used]
            waiting += _partita.get_used_symbols(functions[used].operation)
    return IRModule(functions)
