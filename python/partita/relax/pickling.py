# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pickles and copies of expressions: each is saved with the module of a function that has it."""

from __future__ import annotations

from typing import Any

from ..errors import describe_type
from ..ir.function import as_function
from ..ir.module import IRModule
from .block import BindingBlock, DataflowBlock, SeqExpr
from .nodes import Expr, Tuple, Var

__all__: list[str] = []


def _save(expr: Expr) -> tuple[Any, ...]:
    if type(expr).__module__.rpartition(".")[0] != __name__.rpartition(".")[0]:
        raise TypeError(
            "expected an expression of Partita's own classes to save, but found "
            + describe_type(expr)
        )
    if isinstance(expr, Var) and expr.value is None:
        return Var, (expr.name_hint, None if expr._types is None else expr.struct_info)
    func = as_function(expr, introduces_sizes=True)
    return _load, (isinstance(expr, SeqExpr), *IRModule({"main": func}).__reduce__())


def _load(is_sequence: bool, load: Any, saved: Any) -> Any:
    seq: Any = load(*saved)["main"]
    return seq.body if is_sequence else seq.body.body


def _save_block(block: BindingBlock) -> tuple[Any, ...]:
    outputs = block.outputs if isinstance(block, DataflowBlock) and block.outputs else ()
    return _load_block, (type(block), SeqExpr([block], Tuple(outputs)))


def _load_block(cls: type[BindingBlock], seq: SeqExpr) -> BindingBlock:
    return seq.blocks[0] if seq.blocks else cls([])


for _cls, _reduce in ((Expr, _save), (BindingBlock, _save_block)):
    setattr(_cls, "__reduce__", _reduce)
