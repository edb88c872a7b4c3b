# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pickles and copies of expressions: each is saved with the module of a function that has it."""

from __future__ import annotations

import copyreg
from typing import Any

from .as_function import as_function
from .block import BindingBlock, DataflowBlock, If, SeqExpr
from .call import Call, TupleGetItem
from .constant import Constant
from .lift import Tuple
from .values import DataTypeImm, ExternFunc, PrimValue, ShapeExpr, StringImm
from .var import Var

__all__: list[str] = []

_EXPRS = (Call, Constant, If, SeqExpr, Tuple, TupleGetItem, Var)
_VALUES = (DataTypeImm, ExternFunc, PrimValue, ShapeExpr, StringImm)


def _save(expr: Any) -> tuple[Any, ...]:
    if isinstance(expr, Var) and expr.value is None:
        return Var, (expr.name_hint, None if expr._types is None else expr.struct_info)
    func = as_function(expr, introduces_sizes=True)
    return _load, (isinstance(expr, SeqExpr), *func.__reduce__())


def _load(is_sequence: bool, load: Any, saved: Any) -> Any:
    seq: Any = load(*saved).body
    return seq if is_sequence else seq.body


def _save_block(block: BindingBlock) -> tuple[Any, ...]:
    outputs = block.outputs if isinstance(block, DataflowBlock) and block.outputs else ()
    return _load_block, (type(block), SeqExpr([block], Tuple(outputs)))


def _load_block(cls: type[BindingBlock], seq: SeqExpr) -> BindingBlock:
    return seq.blocks[0] if seq.blocks else cls([])


for _cls in (*_EXPRS, *_VALUES):
    copyreg.pickle(_cls, _save)
for _block in (BindingBlock, DataflowBlock):
    copyreg.pickle(_block, _save_block)
