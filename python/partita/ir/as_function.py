# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that have an expression or a type in them, to compare, save and copy these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .function import BaseFunc
from .graph import free_vars, names_of, visit_all
from .lift import Tuple, lift_part
from .node import Expr
from .prim import FloatImm, IntImm, PrimExpr, undefined_vars
from .prim_type import Type
from .relax_function import Function
from .types import ShapeType, list_names
from .values import PrimValue
from .var import Var

__all__ = ["as_function"]


def as_function(value: Any, introduces_sizes: bool = False) -> BaseFunc:
    """`value` if it is a function; for an expression, the function that has it as its body.

    A type becomes a function whose first parameter has that type. With `introduces_sizes` the
    function has another parameter, which introduces the names of sizes.
    """
    if isinstance(value, BaseFunc):
        return value
    body: Any
    names: Iterable[Any]
    if isinstance(value, Type):
        params, body = [Var("value", value)], Tuple([])
        names = list_names(value)
    elif isinstance(value, (Expr, PrimExpr, IntImm, FloatImm)):
        body = value if isinstance(value, Expr) else lift_part(value)
        params = free_vars(body)
        names = (name for one in visit_all(body) for name in _names_in(one))
    else:
        raise TypeError(f"expected a function or an expression, but found {type(value).__name__}")
    if introduces_sizes:
        with body._context:
            params.append(Var("sizes", ShapeType(list(dict.fromkeys(map(str, names))))))
    return Function(params, body)


def _names_in(expr: Any) -> Iterable[Any]:
    """The names of sizes in an expression, but not in what it uses."""
    return undefined_vars(expr.value) if isinstance(expr, PrimValue) else names_of(expr)
