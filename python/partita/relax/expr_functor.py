# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Visiting and rewriting expressions.

A class derives from ExprVisitor or ExprMutator and overrides visit_call,
visit_constant, ... or, by their names in TVM's Relax, visit_call_,
visit_constant_, ... Each expression is visited once, and the result is kept.
Deep parts of a graph are visited bottom up, so that Python's stack does not overflow.

Bindings in blocks are visited by visit_binding_block, visit_binding, visit_var_binding_, ..., which
can be overridden, too; there, a binding is an expression with `var` and `value`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import check_type
from ..mlir._mlir_libs import _partita
from .block import BindingBlock, DataflowBlock, If, MatchCast, Parts, SeqExpr, _Placing
from .block_builder import BlockBuilder, lookup_binding
from .function import Function
from .nodes import Call, Expr, Tuple, TupleGetItem, Var, lift

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


# The methods for bindings. They are called for bindings in blocks if a class overrides one.
_BINDING_METHODS = (
    "visit_binding",
    "visit_var_binding_",
    "visit_match_cast_",
    "visit_var_def",
    "visit_var_def_",
)


class ExprFunctor:
    """Calls the method for the class of an expression, once for each."""

    _visits_bindings = False
    # Relay's `visit` is called for each expression; Relax has none.
    _visit_is_own = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__module__ != __name__ and any(name in vars(cls) for name in _BINDING_METHODS):
            cls._visits_bindings = True

    def __init__(self) -> None:
        self.memo_map = {}

    # A subclass need not call __init__. A __getattr__ would slow down every attribute.
    @functools.cached_property
    def memo_map(self) -> dict[Any, Any]:
        """The results by the expressions that were visited."""
        return {}

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
    visit_if = _forward("visit_if_")
    visit_seq_expr = _forward("visit_seq_expr_")
    visit_shape_expr = _forward("visit_shape_expr_")
    visit_prim_value = _forward("visit_prim_value_")
    visit_string_imm = _forward("visit_string_imm_")
    visit_data_type_imm = _forward("visit_data_type_imm_")
    visit_extern_func = _forward("visit_extern_func_")

    def _missing(self, expr: Any) -> Any:
        raise NotImplementedError(
            f"expected {type(self).__name__} to have a visit method for {type(expr).__name__}"
        )

    visit_call_ = visit_var_ = visit_constant_ = visit_tuple_ = _missing
    visit_tuple_getitem_ = visit_global_var_ = visit_op_ = visit_function_ = _missing
    visit_if_ = visit_shape_expr_ = visit_prim_value_ = _missing
    visit_string_imm_ = visit_data_type_imm_ = visit_extern_func_ = _missing

    def visit_seq_expr_(self, seq: SeqExpr) -> Any:
        """Visit the bindings of the blocks, and return the result of visiting the body."""
        for block in seq.blocks:
            for binding in block.bindings:
                self.visit_expr(binding)
        return self.visit_expr(seq.body)

    def visit_binding_block(self, block: BindingBlock) -> Any:
        """Visit a block of a function or branch."""
        if isinstance(block, DataflowBlock):
            return self.visit_dataflow_block_(block)
        return self.visit_binding_block_(block)

    def visit_binding(self, binding: Any) -> None:
        """Visit a binding of a block."""
        if isinstance(binding, MatchCast):
            self.visit_match_cast_(binding)
        else:
            self.visit_var_binding_(binding)

    def visit_var_def(self, var: Expr) -> Any:
        """Visit a variable where it gets its value, or as a parameter."""
        return self.visit_var_def_(var)

    visit_binding_block_ = visit_dataflow_block_ = visit_var_binding_ = _missing
    visit_match_cast_ = visit_var_def_ = _missing


class ExprVisitor(ExprFunctor):
    """Visits an expression and all that it uses."""

    visit_call_ = _partita.visit_call
    visit_tuple_ = _partita.visit_tuple
    visit_tuple_getitem_ = _partita.visit_tuple_getitem
    visit_if_ = _partita.visit_if
    visit_var_ = _partita.visit_var
    visit_constant_ = visit_global_var_ = visit_op_ = _partita.visit_nothing
    visit_shape_expr_ = visit_prim_value_ = visit_string_imm_ = _partita.visit_nothing
    visit_data_type_imm_ = visit_extern_func_ = _partita.visit_nothing

    visit_function_ = _partita.visit_function

    _visit_each: Callable[[Sequence[Any]], None] = _partita.visit_each

    def _visit_parts(self, parts: Parts) -> None:
        """Does the work of visit_function_ where a class overrides methods that it would call."""
        self._visit_each(parts.params)
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
            self._visit_each(block.bindings)
            return
        for binding in block.bindings:
            self.visit_binding(binding)

    def visit_dataflow_block_(self, block: DataflowBlock) -> None:
        ExprVisitor.visit_binding_block_(self, block)

    def visit_var_binding_(self, binding: Any) -> None:
        self.visit_expr(binding.var)
        self.visit_var_def(binding.var)

    def visit_match_cast_(self, binding: Any) -> None:
        ExprVisitor.visit_var_binding_(self, binding)

    def visit_var_def_(self, var: Expr) -> None:
        pass


class ExprMutator(ExprFunctor):
    """Makes an expression from another.

    A visit returns the expression that replaces the one that it gets. An expression
    that does not change stays the same object.
    """

    def __init__(self, mod: Any = None) -> None:
        super().__init__()
        if mod is not None:
            self.builder_ = BlockBuilder(mod)

    @functools.cached_property
    def builder_(self) -> BlockBuilder:
        """Emits expressions that are made beside the result."""
        builder = BlockBuilder()
        # The first that is emitted goes into the block that is being visited, too.
        builder._collected = self._collecting
        return builder

    @functools.cached_property
    def _collecting(self) -> list[tuple[list[Expr], dict[Any, Any], bool]]:
        """BlockBuilder's `_collected`, as long as there is no builder."""
        return []

    def visit_expr_post_order(self, expr: Any) -> Any:
        """`expr` on rewritten operands; for visit methods that override the default."""
        methods: dict[type, Any] = {
            Call: ExprMutator.visit_call_,
            If: ExprMutator.visit_if_,
            SeqExpr: ExprMutator.visit_seq_expr_,
            Var: ExprMutator.visit_var_,
            Tuple: ExprMutator.visit_tuple_,
            TupleGetItem: ExprMutator.visit_tuple_getitem_,
            Function: ExprMutator.visit_function_,
        }
        return methods.get(type(expr), _partita.mutate_nothing)(self, expr)

    visit_call_ = _partita.mutate_call
    visit_tuple_ = _partita.mutate_tuple
    visit_tuple_getitem_ = _partita.mutate_tuple_getitem
    visit_if_ = _partita.mutate_if
    visit_var_ = _partita.mutate_var
    visit_constant_ = visit_global_var_ = visit_op_ = _partita.mutate_nothing
    visit_shape_expr_ = visit_prim_value_ = visit_string_imm_ = _partita.mutate_nothing
    visit_data_type_imm_ = visit_extern_func_ = _partita.mutate_nothing

    #: The expressions that replace the expressions of a sequence; None if all stay the same.
    _visit_all: Callable[[Sequence[Any]], list[Any] | None] = _partita.mutate_all

    def visit_with_new_scope(self, expr: Any) -> Any:
        """Like visit_expr; names of dimensions belong to the whole function here."""
        return self.visit_expr(expr)

    def lookup_binding(self, var: Expr) -> Any:
        """The value of a variable of the function; None if it is a parameter."""
        return lookup_binding(var)

    def set_var_remap(self, vid: Expr, var: Expr) -> None:
        """Let `var` take the place of the variable `vid`."""
        self.memo_map[vid] = var

    def get_var_remap(self, vid: Expr) -> Any:
        """The variable that takes the place of the variable `vid`."""
        return self.memo_map.get(vid, vid)

    def visit_function_(self, func: Function) -> Function:
        before = func._read()
        if before.body is None:
            return func
        params = self._visit_all(before.params) or before.params
        if self._visits_bindings:
            defined = [self.visit_var_def(param) for param in params]
            # Users of a parameter use the one that takes its place.
            for old, param, new in zip(before.params, params, defined):
                if new is not param:
                    self.memo_map[old] = new
            params = defined
        if type(self).visit_seq_expr_ is not ExprMutator.visit_seq_expr_:
            seq = self.visit_expr(SeqExpr(before.blocks, before.body))
            check_type(seq, SeqExpr, "the body of a function to be rewritten to a SeqExpr")
            blocks, body = list(seq.blocks), seq.body
        else:
            blocks = self._visit_blocks(before.blocks)
            body = _as_variable(self.visit_expr(before.body))
        is_same = body is before.body and all(new is old for new, old in zip(params, before.params))
        if is_same and _is_same(blocks, before.blocks):
            return func
        for param in params:
            check_type(param, Var, "a parameter to be rewritten to a Var")
        return Function._make(params, body, blocks, like=func)

    def _visit_blocks(self, blocks: Sequence[BindingBlock]) -> list[BindingBlock]:
        visited = [self.visit_binding_block(block) for block in blocks]
        for block in visited:
            what = f"{type(self).__name__} to return a BindingBlock for one"
            check_type(block, BindingBlock, what)
        return visited

    def visit_seq_expr_(self, seq: SeqExpr) -> SeqExpr:
        blocks = self._visit_blocks(seq.blocks)
        body = _as_variable(self.visit_expr(seq.body))
        if body is seq.body and _is_same(blocks, seq.blocks):
            return seq
        return SeqExpr(blocks, body, seq.loc)

    def visit_binding_block_(self, block: BindingBlock) -> BindingBlock:
        bindings = self._visit_bindings(block)
        return block if bindings is None else BindingBlock(bindings)

    def visit_dataflow_block_(self, block: DataflowBlock) -> DataflowBlock:
        bindings = self._visit_bindings(block)
        if bindings is None:
            return block
        outputs = None if block.outputs is None else self._visit_all(block.outputs)
        return DataflowBlock(bindings, block.outputs if outputs is None else outputs)

    def _visit_bindings(self, block: BindingBlock) -> list[Any] | None:
        """The expressions that replace the block's bindings; None if all stay the same."""
        builder = vars(self).get("builder_")
        collecting = self._collecting if builder is None else builder._collected
        # Expressions that the builder is told to emit meanwhile go into the block.
        emitted: list[Any] = []
        is_dataflow = isinstance(block, DataflowBlock)
        collecting.append((emitted, self.memo_map, is_dataflow))
        try:
            if self._visits_bindings:
                for binding in block.bindings:
                    self.visit_binding(binding)
            else:
                self._visit_into(block.bindings, emitted)
        finally:
            collecting.pop()
        # An expression that is emitted and returned for a binding is one variable.
        made = list(dict.fromkeys(emitted))
        if _is_same(made, block.bindings):
            return None
        prefix = "lv" if is_dataflow else "gv"
        for expr in made:
            # The expression that takes the place of a binding has its name.
            if _partita.is_unnamed(expr) and expr._has_results:
                expr._set_name(self.builder_.get_unique_name(prefix), is_dataflow)
        return made

    #: Appends the expressions that replace the given ones to a list.
    _visit_into: Callable[[Sequence[Any], list[Any]], None] = _partita.mutate_into

    def visit_var_binding_(self, binding: Any) -> None:
        result = _as_variable(self.visit_expr(binding.var))
        self.builder_._emit(result, "", "")
        self.visit_var_def(result)

    def visit_match_cast_(self, binding: Any) -> None:
        ExprMutator.visit_var_binding_(self, binding)

    def visit_var_def_(self, var: Expr) -> Expr:
        return var


def _as_variable(value: Any) -> Any:
    """`value` as an expression; what was visited can be the value of one."""
    return _partita.to_variable(lift(value))


def _is_same(new: Sequence[Any], old: Sequence[Any]) -> bool:
    return len(new) == len(old) and all(a is b for a, b in zip(new, old))


_partita.set_functor_types(
    ExprVisitor,
    ExprMutator,
    [method for name, method in vars(ExprFunctor).items() if f"{name}_" in vars(ExprFunctor)],
)


def _separate(func: Function, var: Var) -> tuple[Function, Var]:
    own, mutate = Var(var.name_hint, var._type, var.loc), ExprMutator()
    mutate.memo_map[var] = own
    return mutate.visit_function_(func), own


setattr(Function, "_separate", _separate)
_Placing.make_mutator = ExprMutator


# Their names in TVM, where classes in Python derive from these.
PyExprVisitor = ExprVisitor
PyExprMutator = ExprMutator


def mutator(cls: type) -> type:
    """TVM's decorator of mutators and visitors; the class and its `_cls` are the same here.

    Its `visit`, if it defines one, is for something else, such as a module. It is not called for
    each visited expression. The `visit` of a class without the decorator is.
    """
    setattr(cls, "_cls", cls)
    setattr(cls, "_visit_is_own", True)
    return cls


visitor = mutator
