# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions and blocks as text: the ops that compute them, as MLIR prints these."""

from __future__ import annotations

import textwrap
from typing import Any

from ..mlir._mlir_libs import _partita
from .as_function import as_function
from .block import BindingBlock, If, SeqExpr
from .call import Call, TupleGetItem
from .constant import Constant
from .lift import Tuple
from .node import Expr
from .rewriter import Rewriter
from .show import elide
from .var_classes import Var

__all__ = ["describe_expr"]


def _free_variables(root: Any) -> dict[Any, Var]:
    """A variable of its own for each variable that an expression uses, but does not bind."""
    params: dict[Any, Var] = {}
    own = set[Any]()
    worklist = [root]
    while worklist:
        node = worklist.pop()
        if isinstance(node, SeqExpr):
            own.update(binding for block in node.blocks for binding in block.bindings)
        for arg in node._args:
            if isinstance(arg, Var) and arg not in own:
                params.setdefault(arg, Var(arg.name_hint, arg.struct_info))
            elif isinstance(arg, Expr):
                worklist.append(arg)
    return params


def _print(value: Any, num_hidden: int) -> str:
    """The ops of a function that returns `value`, without the last `num_hidden` lines."""
    rewriter = Rewriter()
    rewriter.memo_map.update(_free_variables(value))
    func = as_function(rewriter.visit_expr(value), introduces_sizes=True)
    # The contents of large constants come last.
    lines = elide(func.operation).split("\n\n{-#")[0].rstrip().splitlines()
    return textwrap.dedent("\n".join(lines[1 : len(lines) - num_hidden]))


@_partita.known_as("describe_expr")
def describe_expr(node: Any) -> str:
    """The ops that compute an expression or a block, with what they use as variables.

    Variables, values without an op, and expressions that make no valid op have repr()'s text.
    """
    try:
        if isinstance(node, BindingBlock):
            return _print(SeqExpr([node], Tuple([])), 2)
        if isinstance(node, SeqExpr):
            return _print(node, 1)
        if isinstance(node, Tuple):
            # A function returns the fields of a tuple.
            return _print(Tuple([Tuple(node.fields, node.loc)]), 3)
        if isinstance(node, (Call, Constant, If, TupleGetItem)):
            return _print(node.value if isinstance(node, Var) else node, 2)
    except Exception:  # Text to look at is made of everything.
        pass
    return repr(node)
