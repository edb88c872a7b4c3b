# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Visiting and rewriting expressions.

A class derives from ExprVisitor or ExprMutator and overrides visit_call,
visit_constant, ... or, by their names in TVM's Relax, visit_call_,
visit_constant_, ... Each expression is visited once, and the result is kept.
Deep parts of a graph are visited bottom up, so that Python's stack does not overflow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import check_type
from ..mlir._mlir_libs import _partita
from .block import BindingBlock, DataflowBlock
from .block_builder import BlockBuilder
from .expr import Call, Tuple, TupleGetItem, Var, lift
from .function import Function

__all__ = [
    "ExprFunctor",
    "ExprMutator",
    "ExprVisitor",
    "PyExprMutator",
    "PyExprVisitor",
    "mutator",
    "visitor",
]


def _forward(name: str) -> Callable[[Any, Any], Any]:
    """A method that calls the one called `name`, which classes override."""
    return lambda self, expr: getattr(self, name)(expr)


class ExprFunctor:
    """Calls the method for the class of an expression, once for each."""

    def __init__(self) -> None:
        self.memo_map: dict[Any, Any] = {}

    # A subclass need not call __init__.
    def __getattr__(self, name: str) -> Any:
        if name == "memo_map":
            self.memo_map = {}
            return self.memo_map
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    #: visit(expr): the result of visiting an Expr, Function, Op or GlobalVar.
    visit: Callable[[Any], Any] = _partita.functor_visit

    #: The same, by its name in TVM's Relax.
    visit_expr: Callable[[Any], Any] = _partita.functor_visit_expr

    visit_call = _forward("visit_call_")
    visit_var = _forward("visit_var_")
    visit_constant = _forward("visit_constant_")
    visit_tuple = _forward("visit_tuple_")
    visit_tuple_getitem = _forward("visit_tuple_getitem_")
    visit_global_var = _forward("visit_global_var_")
    visit_op = _forward("visit_op_")
    visit_function = _forward("visit_function_")

    def _missing(self, expr: Any) -> Any:
        raise NotImplementedError(
            f"expected {type(self).__name__} to have a visit method for {type(expr).__name__}"
        )

    visit_call_ = visit_var_ = visit_constant_ = visit_tuple_ = _missing
    visit_tuple_getitem_ = visit_global_var_ = visit_op_ = visit_function_ = _missing


class ExprVisitor(ExprFunctor):
    """Visits an expression and all that it uses."""

    visit_call_ = _partita.visit_call
    visit_tuple_ = _partita.visit_tuple
    visit_tuple_getitem_ = _partita.visit_tuple_getitem
    visit_function_ = _partita.visit_function
    visit_var_ = visit_constant_ = visit_global_var_ = visit_op_ = _partita.visit_nothing


class ExprMutator(ExprFunctor):
    """Makes an expression from another.

    A visit returns the expression that replaces the one that it gets. An expression
    that does not change stays the same object.
    """

    def __init__(self, mod: Any = None) -> None:
        super().__init__()
        if mod is not None:
            self.builder_ = BlockBuilder(mod)

    def __getattr__(self, name: str) -> Any:
        if name == "builder_":
            self.builder_ = BlockBuilder()
            return self.builder_
        return super().__getattr__(name)

    def visit_expr_post_order(self, expr: Any) -> Any:
        """`expr` on rewritten operands; for visit methods that override the default."""
        methods: dict[type, Any] = {
            Call: ExprMutator.visit_call_,
            Tuple: ExprMutator.visit_tuple_,
            TupleGetItem: ExprMutator.visit_tuple_getitem_,
            Function: ExprMutator.visit_function_,
        }
        return methods.get(type(expr), _partita.mutate_nothing)(self, expr)

    visit_call_ = _partita.mutate_call
    visit_tuple_ = _partita.mutate_tuple
    visit_tuple_getitem_ = _partita.mutate_tuple_getitem
    visit_var_ = visit_constant_ = visit_global_var_ = visit_op_ = _partita.mutate_nothing

    #: The expressions that replace those of a sequence; None if all stay the same.
    _visit_all: Callable[[Sequence[Any]], list[Any] | None] = _partita.mutate_all

    def visit_function_(self, func: Function) -> Function:
        before = func._read()
        if before.body is None:
            return func
        params = self._visit_all(before.params) or before.params
        blocks = [self.visit_binding_block(block) for block in before.blocks]
        body = lift(self.visit_expr(before.body))
        is_same = params is before.params and body is before.body
        if is_same and all(new is old for new, old in zip(blocks, before.blocks)):
            return func
        for param in params:
            check_type(param, Var, "a parameter to be rewritten to a Var")
        return Function._make(params, body, blocks, like=func)

    def visit_binding_block(self, block: BindingBlock) -> BindingBlock:
        """The block that replaces a block of a function's bindings."""
        if isinstance(block, DataflowBlock):
            return self.visit_dataflow_block_(block)
        return self.visit_binding_block_(block)

    def visit_binding_block_(self, block: BindingBlock) -> BindingBlock:
        bindings = self._visit_all(block.bindings)
        return block if bindings is None else BindingBlock(bindings)

    def visit_dataflow_block_(self, block: DataflowBlock) -> DataflowBlock:
        bindings = self._visit_all(block.bindings)
        if bindings is None:
            return block
        outputs = None if block.outputs is None else self._visit_all(block.outputs)
        return DataflowBlock(bindings, block.outputs if outputs is None else outputs)


_partita.set_functor_types(
    Function,
    ExprMutator,
    [method for name, method in vars(ExprFunctor).items() if f"{name}_" in vars(ExprFunctor)],
)


# Their names in TVM, where classes in Python derive from these.
PyExprVisitor = ExprVisitor
PyExprMutator = ExprMutator


def mutator(cls: type) -> type:
    """TVM's decorator of mutators and visitors, which does nothing here."""
    return cls


visitor = mutator
