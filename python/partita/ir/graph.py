# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph of expressions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .block import Parts
from .constant import Constant
from .function import BaseFunc
from .node import Expr
from .types import list_names
from .var import Var

__all__ = ["context_of", "free_vars", "list_roots", "names_of", "visit_all", "visit_parts"]


def context_of(params: Sequence[Var], body: Expr, default: ir.Context | None = None) -> ir.Context:
    """The context of a function; `default` if it is made of constants alone."""
    for param in params:
        return param._context
    for expr in _partita.post_order([body]):
        if expr._types and not isinstance(expr, Constant):
            return expr._context
    return default or body._context


def visit_parts(parts: Parts) -> list[Any]:
    """What the bindings and the body use, and these, each after what it uses."""
    roots = [binding for block in parts.blocks for binding in block.bindings]
    return _partita.post_order([*roots, parts.body])


def list_roots(expr: Any) -> list[Any]:
    """The expressions that `expr`, an expression or a function, is made of."""
    if not isinstance(expr, BaseFunc) or (parts := expr._read()) is None:
        check_type(expr, Expr, "an expression or a function")
        return [expr]
    bindings = [binding for block in parts.blocks for binding in block.bindings]
    return [*parts.params, *bindings, *([] if parts.body is None else [parts.body])]


def visit_all(expr: Any) -> list[Any]:
    """All that is in `expr`: expressions, and functions that variables are bound to."""
    found = _partita.post_order(list_roots(expr))
    if not any(isinstance(one, Var) and isinstance(one.value, BaseFunc) for one in found):
        return found
    order: dict[Any, None] = {}
    for one in found:
        if isinstance(one, Var) and isinstance(one.value, BaseFunc):
            order.update(dict.fromkeys([*visit_all(one.value), one.value]))
        order[one] = None
    return list(order)


def free_vars(expr: Any) -> list[Var]:
    """The variables that are not parameters, in the order of their first use."""
    everything = visit_all(expr)
    bound = set(expr._read().params) if isinstance(expr, BaseFunc) else set()
    for found in everything:
        if isinstance(found, BaseFunc):
            bound.update(found._read().params)
        elif isinstance(found, Var) and found.value is not None:
            # In a function that is its value, the variable is another one.
            bound.update((found, *found._args[1:]))
    return [found for found in everything if isinstance(found, Var) and found not in bound]


def names_of(expr: Any) -> Iterable[Any]:
    """The names of sizes in the type of an expression; none of a function."""
    return list_names(expr.struct_info) if isinstance(expr, Expr) else ()
