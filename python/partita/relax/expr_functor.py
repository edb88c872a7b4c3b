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
from .block import BindingBlock, DataflowBlock
from .block_builder import BlockBuilder
from .expr import Call, Constant, Expr, GlobalVar, Op, Tuple, TupleGetItem, Var, lift
from .function import Function
from .graph import children, post_order

__all__ = ["ExprFunctor", "ExprMutator", "ExprVisitor", "mutator", "visitor"]

# From this depth on, what an expression uses is visited before it.
_MAX_DEPTH = 64


_METHODS: dict[type, str] = {
    Call: "visit_call",
    Var: "visit_var",
    Constant: "visit_constant",
    Tuple: "visit_tuple",
    TupleGetItem: "visit_tuple_getitem",
    GlobalVar: "visit_global_var",
    Op: "visit_op",
    Function: "visit_function",
}


def _forward(name: str) -> Callable[[Any, Any], Any]:
    """A method that calls the one called `name`, which classes override."""
    return lambda self, expr: getattr(self, name)(expr)


class ExprFunctor:
    """Calls the method for the class of an expression, once for each."""

    _depth = 0

    def __init__(self) -> None:
        self.memo_map: dict[Any, Any] = {}

    # A subclass need not call __init__.
    def __getattr__(self, name: str) -> Any:
        if name == "memo_map":
            self.memo_map = {}
            return self.memo_map
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def visit(self, expr: Any) -> Any:
        """The result of visiting `expr`, an Expr, Function, Op or GlobalVar."""
        memo = self.memo_map
        if expr in memo:
            return memo[expr]
        if self._depth >= _MAX_DEPTH and children(expr):
            depth, self._depth = self._depth, 0
            try:
                for inner in list(post_order(expr, set(), memo)):
                    if inner not in memo:
                        memo[inner] = self._dispatch(inner)
            finally:
                self._depth = depth
            return memo[expr]
        self._depth += 1
        try:
            result = self._dispatch(expr)
        finally:
            self._depth -= 1
        memo[expr] = result
        return result

    def visit_expr(self, expr: Any) -> Any:
        """The same as `visit`, by its name in Relax."""
        return self.visit(expr)

    def _dispatch(self, expr: Any) -> Any:
        for cls in type(expr).__mro__:
            if cls in _METHODS:
                return getattr(self, _METHODS[cls])(expr)
        raise TypeError(f"expected an expression to visit, but found {type(expr).__name__}")

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

    def visit_call_(self, call: Call) -> None:
        self.visit(call.op)
        for arg in call.args:
            self.visit(arg)

    def visit_tuple_(self, tup: Tuple) -> None:
        for field in tup.fields:
            self.visit(field)

    def visit_tuple_getitem_(self, item: TupleGetItem) -> None:
        self.visit(item.tuple_value)

    def visit_function_(self, func: Function) -> None:
        for param in func.params:
            self.visit(param)
        for block in func.blocks:
            for binding in block.bindings:
                self.visit(binding)
        if func.body is not None:
            self.visit(func.body)

    def _nothing(self, expr: Any) -> None:
        pass

    visit_var_ = visit_constant_ = visit_global_var_ = visit_op_ = _nothing


class ExprMutator(ExprFunctor):
    """Makes an expression from another.

    A visit returns the expression that replaces the one that it gets. An expression
    that does not change stays the same object.
    """

    def __init__(self, mod: Any = None) -> None:
        super().__init__()
        self.builder_ = BlockBuilder(mod)

    def __getattr__(self, name: str) -> Any:
        if name == "builder_":
            self.builder_ = BlockBuilder()
            return self.builder_
        return super().__getattr__(name)

    def visit(self, expr: Any) -> Any:
        result = super().visit(expr)
        if result is None and isinstance(expr, (Expr, Function)):
            raise TypeError(
                f"expected {type(self).__name__} to return an expression for a "
                f"{type(expr).__name__}, but it returned None"
            )
        return result

    def visit_expr_post_order(self, expr: Any) -> Any:
        """`expr` on rewritten operands; for visit methods that override the default."""
        methods: dict[type, Any] = {
            Call: ExprMutator.visit_call_,
            Tuple: ExprMutator.visit_tuple_,
            TupleGetItem: ExprMutator.visit_tuple_getitem_,
            Function: ExprMutator.visit_function_,
        }
        return methods.get(type(expr), ExprMutator._same)(self, expr)

    def _same(self, expr: Any) -> Any:
        return expr

    visit_var_ = visit_constant_ = visit_global_var_ = visit_op_ = _same

    def _visit_all(self, exprs: Sequence[Any]) -> list[Any] | None:
        """The expressions that replace `exprs`; None if all stay the same."""
        visited = [lift(self.visit(expr)) for expr in exprs]
        return None if all(new is old for new, old in zip(visited, exprs)) else visited

    def visit_call_(self, call: Call) -> Expr:
        op = self.visit(call.op)
        args = [lift(self.visit(arg)) for arg in call.args]
        if op == call.op and tuple(args) == call.args:
            return call
        return call._with_args(args, op)

    def visit_tuple_(self, tup: Tuple) -> Expr:
        fields = self._visit_all(tup.fields)
        return tup if fields is None else Tuple._of(fields, tup.loc)

    def visit_tuple_getitem_(self, item: TupleGetItem) -> Expr:
        value = self.visit(item.tuple_value)
        if value is item.tuple_value:
            return item
        if isinstance(value, Tuple):
            return value.fields[item.index]
        return TupleGetItem(value, item.index, item.loc)

    def visit_function_(self, func: Function) -> Function:
        if func.body is None:
            return func
        params = [self.visit(param) for param in func.params]
        is_same = all(new is old for new, old in zip(params, func.params))
        blocks = [self.visit_binding_block(block) for block in func.blocks]
        is_same &= all(new is old for new, old in zip(blocks, func.blocks))
        body = lift(self.visit(func.body))
        if is_same and body is func.body:
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


def mutator(cls: type) -> type:
    """TVM's decorator of mutators and visitors, which does nothing here."""
    return cls


visitor = mutator
