# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of bindings, and the parts of a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..ir.context import get_context
from ..ir.global_var import GlobalVar
from ..mlir._mlir_libs import _partita
from .expr import (
    Call,
    Constant,
    Expr,
    Op,
    Tuple,
    TupleGetItem,
    Var,
    in_context,
    lift,
    make_call,
)
from .infer import call_types


class BindingBlock:
    """Expressions in the order in which they are computed."""

    __slots__ = ("bindings",)

    def __init__(self, bindings: Sequence[Expr]):
        self.bindings = tuple(bindings)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self.bindings)} bindings>)"


class DataflowBlock(BindingBlock):
    """A BindingBlock without side effects: a ``relax.dataflow``.

    Parameters
    ----------
    bindings : list of Expr
        The expressions that it computes.
    outputs : list of Expr, optional
        Those that are used after the block, if they are known.
    """

    __slots__ = ("outputs",)

    def __init__(self, bindings: Sequence[Expr], outputs: Sequence[Expr] | None = None):
        super().__init__(bindings)
        self.outputs = None if outputs is None else tuple(outputs)


class Parts(NamedTuple):
    """A function as expressions.

    Attributes
    ----------
    params : sequence of Var
        Its parameters.
    body : Expr or None
        Its result; None if it is only declared.
    blocks : sequence of BindingBlock
        Its expressions in the order in which they are computed, as far as it is known.
    is_single : bool
        Whether a tuple as the body is one result, not several.
    """

    params: Sequence[Var]
    body: Expr | None
    blocks: Sequence[BindingBlock] = ()
    is_single: bool = False


_partita.set_relax_types(
    {
        "Var": Var,
        "Constant": Constant,
        "Tuple": Tuple,
        "TupleGetItem": TupleGetItem,
        "Call": Call,
        "Op": Op,
        "GlobalVar": GlobalVar,
        "ops": Op._all,
        "lift": lift,
        "get_context": get_context,
        "in_context": in_context,
        "call_types": call_types,
        "make_call": make_call,
        "BindingBlock": BindingBlock,
        "DataflowBlock": DataflowBlock,
        "Parts": Parts,
    }
)
