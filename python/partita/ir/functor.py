# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calling the method for the class of an expression: the base of visitors and mutators."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..mlir._mlir_libs import _partita
from .binding import MatchCast
from .node import IN_DATAFLOW, Expr

if TYPE_CHECKING:
    from .block import BindingBlock, SeqExpr

__all__ = ["ExprFunctor"]


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
    "visit_dataflow_var_def_",
)


@_partita.known_as("ExprFunctor")
class ExprFunctor:
    """Calls the method for the class of an expression, once for each.

    A class that defines `visit_var_`, `visit_dataflow_var_`, `visit_generic_const_`,
    `visit_global_var_` or `visit_op_`, the names in TVM's Relax, has them called at each use, and
    not for parameters.
    """

    # Whether methods for bindings are called. A class that defines some, and leaves this out, wants
    # them called.
    _visits_bindings = False
    # Whether methods for uses are there, in the same way.
    _visits_uses = False
    # Relay's `visit` is called for each expression; Relax has none.
    _visit_is_own = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Classes that are no functors can give methods to one.
        own = [base for base in cls.__mro__ if base is cls or not issubclass(base, ExprFunctor)]
        for flag, methods in (
            ("_visits_bindings", _BINDING_METHODS),
            ("_visits_uses", _partita.use_methods),
        ):
            defined = (name in vars(base) for base in own for name in methods)
            if flag not in vars(cls) and any(defined):
                setattr(cls, flag, True)

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
    visit_dataflow_var = _forward("visit_dataflow_var_")
    visit_constant = _forward("visit_constant_")
    #: In TVM 0.27 it is visit_generic_const_.
    visit_constant_ = _forward("visit_generic_const_")
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

    visit_call_ = visit_var_ = visit_dataflow_var_ = visit_generic_const_ = visit_tuple_ = _missing
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
        return block._accept(self)

    def visit_binding(self, binding: Any) -> None:
        """Visit a binding of a block."""
        if isinstance(binding, MatchCast):
            self.visit_match_cast_(binding)
        else:
            self.visit_var_binding_(binding)

    def visit_var_def(self, var: Expr) -> Any:
        """Visit a variable where it gets its value, or as a parameter."""
        if var._scope == IN_DATAFLOW:
            return self.visit_dataflow_var_def_(var)
        return self.visit_var_def_(var)

    visit_binding_block_ = visit_dataflow_block_ = visit_var_binding_ = _missing
    visit_match_cast_ = visit_var_def_ = visit_dataflow_var_def_ = _missing
