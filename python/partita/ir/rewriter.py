# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making an expression from another: the base of mutators, and replacing variables."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import check_type
from ..mlir._mlir_libs import _partita
from .functor import ExprFunctor
from .lift import lift
from .names import UniqueNames
from .node import Expr
from .var import Var

if TYPE_CHECKING:
    from .block import BindingBlock, DataflowBlock, SeqExpr
    from .relax_function import Function

__all__ = ["Rewriter"]


@_partita.known_as("Rewriter")
class Rewriter(ExprFunctor):
    """Makes an expression from another, on the results of visiting its operands.

    What `memo_map` has is replaced by the value there.
    """

    _visits_uses = False

    visit_call_ = _partita.mutate_call
    visit_tuple_ = _partita.mutate_tuple
    visit_tuple_getitem_ = _partita.mutate_tuple_getitem
    visit_if_ = _partita.mutate_if
    visit_var_ = visit_dataflow_var_ = _partita.mutate_var
    visit_generic_const_ = visit_global_var_ = visit_op_ = _partita.mutate_nothing
    visit_shape_expr_ = visit_prim_value_ = visit_string_imm_ = _partita.mutate_nothing
    visit_data_type_imm_ = visit_extern_func_ = _partita.mutate_nothing

    #: The expressions that replace the expressions of a sequence; None if all stay the same.
    _visit_all: Callable[[Sequence[Any]], list[Any] | None] = _partita.mutate_all

    #: Appends the expressions that replace the given ones to a list.
    _visit_into: Callable[[Sequence[Any], list[Any]], None] = _partita.mutate_into

    @functools.cached_property
    def _collecting(self) -> list[tuple[list[Expr], dict[Any, Any], bool]]:
        """What is made for the blocks that are being visited: see BlockBuilder's `_collected`."""
        return []

    @functools.cached_property
    def _names(self) -> UniqueNames:
        return UniqueNames()

    def visit_function_(self, func: Function) -> Function:
        before = func._read()
        if before.body is None:
            return func
        params = self._visit_params(before.params)
        blocks, body = self._visit_body(func)
        is_same = body is before.body and all(new is old for new, old in zip(params, before.params))
        if is_same and is_same_sequence(blocks, before.blocks):
            return func
        for param in params:
            check_type(param, Var, "a parameter to be rewritten to a Var")
        return func._with_parts(params, body, blocks)

    def _visit_params(self, params: Sequence[Var]) -> Sequence[Any]:
        return _partita.mutate_params(self, params) or params

    def _visit_body(self, func: Function) -> tuple[Sequence[BindingBlock], Any]:
        """The blocks and the result that replace the blocks and the result of a function."""
        parts = func._read()
        return self._visit_blocks(parts.blocks), as_variable(self.visit_expr(parts.body))

    def _visit_blocks(self, blocks: Sequence[BindingBlock]) -> list[BindingBlock]:
        return [self.visit_binding_block(block) for block in blocks]

    def visit_seq_expr_(self, seq: SeqExpr) -> SeqExpr:
        blocks = self._visit_blocks(seq.blocks)
        body = as_variable(self.visit_expr(seq.body))
        if body is seq.body and is_same_sequence(blocks, seq.blocks):
            return seq
        return seq._with_parts(blocks, body)

    def visit_binding_block_(self, block: BindingBlock) -> BindingBlock:
        bindings = self._visit_bindings(block, is_dataflow=False)
        return block if bindings is None else block._with_bindings(bindings)

    def visit_dataflow_block_(self, block: DataflowBlock) -> DataflowBlock:
        bindings = self._visit_bindings(block, is_dataflow=True)
        if bindings is None:
            return block
        outputs = None if block.outputs is None else self._visit_all(block.outputs)
        return block._with_bindings(bindings, block.outputs if outputs is None else outputs)

    def _visit_bindings(self, block: BindingBlock, is_dataflow: bool) -> list[Any] | None:
        """The expressions that replace the block's bindings; None if all stay the same."""
        collecting = self._get_collecting()
        # Expressions that are emitted meanwhile go into the block.
        emitted: list[Any] = []
        collecting.append((emitted, self.memo_map, is_dataflow))
        try:
            self._visit_each_binding(block.bindings, emitted)
        finally:
            collecting.pop()
        # An expression that is emitted and returned for a binding is one variable.
        made = list(dict.fromkeys(emitted))
        if is_same_sequence(made, block.bindings):
            return None
        prefix = "lv" if is_dataflow else "gv"
        for expr in made:
            # The expression that takes the place of a binding has its name.
            if _partita.is_unnamed(expr) and expr._has_results:
                expr._set_name(self._make_name(prefix), is_dataflow)
        return made

    def _get_collecting(self) -> list[tuple[list[Expr], dict[Any, Any], bool]]:
        return self._collecting

    def _visit_each_binding(self, bindings: Sequence[Any], emitted: list[Any]) -> None:
        self._visit_into(bindings, emitted)

    def _make_name(self, prefix: str) -> str:
        return self._names.make(prefix)


def as_variable(value: Any) -> Any:
    """`value` as an expression; what was visited can be the value of one."""
    return _partita.to_variable(lift(value))


def is_same_sequence(new: Sequence[Any], old: Sequence[Any]) -> bool:
    """Whether two sequences have the same objects."""
    return len(new) == len(old) and all(a is b for a, b in zip(new, old))
