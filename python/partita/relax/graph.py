# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph of expressions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

from ..ir.global_var import GlobalVar
from ..mlir import ir
from .expr import Call, Constant, Expr, Tuple, TupleGetItem, Var


def children(expr: Any) -> Sequence[Expr]:
    """The expressions that `expr` uses."""
    if isinstance(expr, Call):
        if expr.args and isinstance(expr.args[0], GlobalVar):
            return expr.args[1:]
        return expr.args
    if isinstance(expr, Tuple):
        return expr.fields
    if isinstance(expr, TupleGetItem):
        return (expr.tuple_value,)
    return ()


def post_order(root: Expr, visited: set[int], known: Container[Expr] = ()) -> Iterable[Expr]:
    """`root` and all that it uses, each once, and after the expressions that it uses itself.

    Leaves out those whose ids are in `visited`, to which it adds the others, and the
    `known` ones. Without recursion, as a graph can be deeper than Python's stack.
    """
    if id(root) in visited or root in known:
        return
    visited.add(id(root))
    stack = [(root, iter(children(root)))]
    while stack:
        expr, rest = stack[-1]
        for child in rest:
            if id(child) not in visited and child not in known:
                visited.add(id(child))
                stack.append((child, iter(children(child))))
                break
        else:
            stack.pop()
            yield expr


def context_of(params: Sequence[Var], body: Expr, default: ir.Context | None = None) -> ir.Context:
    """The context of a function; `default` if it is made of constants alone."""
    for param in params:
        return param._context
    for expr in post_order(body, set()):
        if expr._types and not isinstance(expr, Constant):
            return expr._context
    return default or body._context
