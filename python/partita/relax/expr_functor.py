# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Visiting and rewriting expressions.

A class derives from ExprVisitor or ExprMutator and overrides visit_call,
visit_constant, ... or, by their names in TVM's Relax, visit_call_,
visit_generic_const_, ... Each value is visited once, and the result is kept. visit_var_ and
the others for expressions without operands are called at each use, as in Relax.
Deep parts of a graph are visited bottom up, so that Python's stack does not overflow.

Bindings in blocks are visited by visit_binding_block, visit_binding, visit_var_binding_, ..., which
can be overridden, too; there, a binding is an expression with `var` and `value`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import check_type
from ..ir.binding import rebind
from ..ir.block import BindingBlock, DataflowBlock, If, Parts, SeqExpr
from ..ir.call import Call, TupleGetItem, match_cast
from ..ir.functor import ExprFunctor
from ..ir.lift import Tuple
from ..ir.node import IN_DATAFLOW, Expr
from ..ir.relax_function import Function
from ..ir.rewriter import Rewriter, as_variable
from ..ir.var import Var
from ..ir.var_classes import DataflowVar
from ..mlir._mlir_libs import _partita
from .block_builder import BlockBuilder, copy_value, lookup_binding

__all__ = [
    "ExprFunctor",
    "ExprMutator",
    "ExprVisitor",
    "PyExprMutator",
    "PyExprVisitor",
    "mutator",
    "visitor",
]


@_partita.known_as("ExprVisitor")
class ExprVisitor(ExprFunctor):
    """Visits an expression and all that it uses."""

    _visits_bindings = _visits_uses = False

    visit_call_ = _partita.visit_call
    visit_tuple_ = _partita.visit_tuple
    visit_tuple_getitem_ = _partita.visit_tuple_getitem
    visit_if_ = _partita.visit_if
    visit_var_ = visit_dataflow_var_ = _partita.visit_var
    visit_generic_const_ = visit_global_var_ = visit_op_ = _partita.visit_nothing
    visit_shape_expr_ = visit_prim_value_ = visit_string_imm_ = _partita.visit_nothing
    visit_data_type_imm_ = visit_extern_func_ = _partita.visit_nothing

    visit_function_ = _partita.visit_function

    _visit_bindings: Callable[[Sequence[Any]], None] = _partita.visit_bindings
    _visit_bound: Callable[[Any], Any] = _partita.visit_binding
    _visit_params: Callable[[Sequence[Any]], None] = _partita.visit_params

    def _visit_parts(self, parts: Parts) -> None:
        """Does the work of visit_function_ where a class overrides methods that it would call."""
        self._visit_params(parts.params)
        if self._visits_bindings:
            for param in parts.params:
                self.visit_var_def(param)
        if parts.body is None:
            return
        if type(self).visit_seq_expr_ is not ExprVisitor.visit_seq_expr_:
            self.visit_expr(SeqExpr(parts.blocks, parts.body))
            return
        for block in parts.blocks:
            self.visit_binding_block(block)
        self.visit_expr(parts.body)

    def visit_seq_expr_(self, seq: SeqExpr) -> Any:
        for block in seq.blocks:
            self.visit_binding_block(block)
        return self.visit_expr(seq.body)

    def visit_binding_block_(self, block: BindingBlock) -> None:
        if not self._visits_bindings:
            self._visit_bindings(block.bindings)
            return
        for binding in block.bindings:
            self.visit_binding(binding)

    def visit_dataflow_block_(self, block: DataflowBlock) -> None:
        ExprVisitor.visit_binding_block_(self, block)

    def visit_binding(self, binding: Any) -> None:
        super().visit_binding(binding)
        # Whatever a class visits of a binding, what follows uses the variable.
        self.memo_map.setdefault(binding.var, None)

    def visit_var_binding_(self, binding: Any) -> None:
        self._visit_bound(binding.var)
        self.visit_var_def(binding.var)

    def visit_match_cast_(self, binding: Any) -> None:
        ExprVisitor.visit_var_binding_(self, binding)

    def visit_var_def_(self, var: Expr) -> None:
        pass

    def visit_dataflow_var_def_(self, var: Expr) -> None:
        self.visit_var_def_(var)


class ExprMutator(Rewriter):
    """Makes an expression from another.

    A visit returns the expression that replaces the one that it gets. An expression
    that does not change stays the same object.
    """

    _visits_bindings = False
    _visit_bound: Callable[[Any], Any] = _partita.visit_binding

    def __init__(self, mod: Any = None) -> None:
        super().__init__()
        if mod is not None:
            self.builder_ = BlockBuilder(mod)
            self.builder_._memo = self.memo_map

    @functools.cached_property
    def builder_(self) -> BlockBuilder:
        """Emits expressions that are made beside the result."""
        builder = BlockBuilder()
        # The first that is emitted goes into the block that is being visited, too.
        builder._collected, builder._memo = self._collecting, self.memo_map
        builder._names = self._names
        return builder

    def visit_expr_post_order(self, expr: Any) -> Any:
        """`expr` on rewritten operands; for visit methods that override the default."""
        methods: dict[type, Any] = {
            Call: ExprMutator.visit_call_,
            If: ExprMutator.visit_if_,
            SeqExpr: ExprMutator.visit_seq_expr_,
            Var: ExprMutator.visit_var_,
            Tuple: ExprMutator.visit_tuple_,
            TupleGetItem: ExprMutator.visit_tuple_getitem_,
        }
        if isinstance(expr, Function):
            return ExprMutator.visit_function_(self, expr)
        return methods.get(type(expr), _partita.mutate_nothing)(self, expr)

    def visit_with_new_scope(self, expr: Any) -> Any:
        """Like visit_expr; names of dimensions belong to the whole function here."""
        return self.visit_expr(expr)

    def with_type(self, var: Expr, ty: Any) -> Expr:
        """`var`, or a variable of its name if its type is not `ty`."""
        if var.struct_info == ty:
            return var
        return (DataflowVar if isinstance(var, DataflowVar) else Var)(var.name_hint, ty)

    def lookup_binding(self, var: Expr) -> Any:
        """The value of a variable of the function; None if it is a parameter."""
        return lookup_binding(var)

    def set_var_remap(self, old_var: Expr, new_var: Expr) -> None:
        """Let `new_var` take the place of the variable `old_var`."""
        self.memo_map[old_var] = new_var

    def get_var_remap(self, var: Expr) -> Any:
        """The variable that takes the place of the variable `var`."""
        return self.memo_map.get(var, var)

    def _visit_params(self, params: Sequence[Var]) -> Sequence[Any]:
        made = super()._visit_params(params)
        if not self._visits_bindings:
            return made
        defined = [self.visit_var_def(param) for param in made]
        # Users of a parameter use the one that takes its place.
        for old, param, new in zip(params, made, defined):
            if new is not param:
                self.memo_map[old] = new
        return defined

    def _visit_body(self, func: Function) -> tuple[Sequence[BindingBlock], Any]:
        if type(self).visit_seq_expr_ is ExprMutator.visit_seq_expr_:
            return super()._visit_body(func)
        seq = self.visit_expr(func.body)
        check_type(seq, SeqExpr, "the body of a function to be rewritten to a SeqExpr")
        return list(seq.blocks), seq.body

    def _visit_blocks(self, blocks: Sequence[BindingBlock]) -> list[BindingBlock]:
        visited = super()._visit_blocks(blocks)
        for block in visited:
            what = f"{type(self).__name__} to return a BindingBlock for one"
            check_type(block, BindingBlock, what)
        return visited

    def _get_collecting(self) -> list[tuple[list[Expr], dict[Any, Any], bool]]:
        builder = vars(self).get("builder_")
        return self._collecting if builder is None else builder._collected

    def _make_name(self, prefix: str) -> str:
        return self.builder_.get_unique_name(prefix)

    def _visit_each_binding(self, bindings: Sequence[Any], emitted: list[Any]) -> None:
        if not self._visits_bindings:
            super()._visit_each_binding(bindings, emitted)
            return
        for binding in bindings:
            self.visit_binding(binding)

    def visit_var_binding_(self, binding: Any) -> None:
        result = as_variable(self._visit_bound(binding.var))
        if not result._scope:
            result._put_in_block(binding.var._scope == IN_DATAFLOW)
        defined = self.visit_var_def(result)
        if defined is not result:
            result = _rename(result, defined)
            self.memo_map[defined] = self.memo_map[binding.var] = result
        self.builder_._emit(result, "", "")
        self.builder_._rename(binding.var, result)

    def visit_match_cast_(self, binding: Any) -> None:
        ExprMutator.visit_var_binding_(self, binding)

    def visit_var_def_(self, var: Expr) -> Expr:
        return var

    def visit_dataflow_var_def_(self, var: Expr) -> Expr:
        return self.visit_var_def_(var)


def _rename(expr: Any, var: Any) -> Any:
    """An expression like `expr` in place of `var`, with the name and the type of `var`."""
    copy = copy_value(expr._own_value)
    if copy is None:
        return rebind(var, expr.value)
    if var.struct_info != copy.struct_info:
        copy = match_cast(copy, var.struct_info)
    copy._set_name(var.name_hint, var._scope == IN_DATAFLOW)
    return copy


# Their names in TVM, where classes in Python derive from these.
PyExprVisitor = ExprVisitor
PyExprMutator = ExprMutator


def mutator(cls: type) -> type:
    """TVM's decorator of mutators and visitors; the class and its `_cls` are the same here.

    Its `visit`, if it defines one, is for something else, such as a module. It is not called for
    each visited expression. The `visit` of a class without the decorator is.
    """
    check_type(cls, type, "a class to make a mutator or a visitor from")
    if not issubclass(cls, ExprFunctor):
        raise TypeError(
            f"expected a class derived from PyExprMutator or PyExprVisitor, but found {cls.__name__}"
        )
    setattr(cls, "_cls", cls)
    setattr(cls, "_visit_is_own", True)
    return cls


visitor = mutator
