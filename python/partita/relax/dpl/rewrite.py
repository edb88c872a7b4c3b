# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replacing the expressions that a pattern describes: TVM's ``tvm.relax.dpl.rewrite``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import check_type
from ...ir.compare import structural_equal
from ...ir.lift import lift
from ...ir.module import IRModule
from ...ir.relax_function import Function
from ...ir.rewriter import Rewriter
from ...mlir._mlir_libs import _partita
from ...transform import PassContext, Sequential
from ..bindings import get_var2val
from ..expr_functor import ExprMutator
from .base import DFPattern

__all__ = ["ExprPatternRewriter", "OrRewriter", "PatternMatchingRewriter", "rewrite_call"]


class PatternMatchingRewriter:
    """A rule that replaces expressions. Call it with a Function or an IRModule.

    It is applied again until nothing changes. Expressions that are no longer used are removed.
    """

    @staticmethod
    def from_pattern(
        pattern: DFPattern, func: Callable[[Any, dict[DFPattern, Any]], Any]
    ) -> ExprPatternRewriter:
        """The rule that rewrite_call applies."""
        return ExprPatternRewriter(pattern, func)

    def __call__(self, obj: Any) -> Any:
        check_type(obj, (Function, IRModule), "an IRModule or a Function to rewrite")
        if isinstance(obj, IRModule):
            names = [
                var.name_hint for var, func in obj.functions_items() if isinstance(func, Function)
            ]
            return self._rewrite_module(obj, names)
        mod = _make_module(obj)
        result = self._rewrite_module(mod, [obj.name])
        return obj if result is mod else result[obj.name]

    def __or__(self, other: PatternMatchingRewriter) -> OrRewriter:
        """A rule that applies this one, and `other` where this one does not."""
        return OrRewriter(self, other)

    def _rewrite_expr(self, expr: Any, var2val: Mapping[Any, Any]) -> Any:
        """What takes the place of `expr`, or None."""
        raise NotImplementedError

    def _rewrite_module(self, mod: IRModule, names: Sequence[str]) -> IRModule:
        """A module in which these functions are rewritten; `mod` if nothing changes."""
        result = mod
        while names:
            changed = {}
            for name in names:
                func: Any = result[name]
                new = _BindingRewriter(self, func).visit_expr(func)
                if new is not func and not structural_equal(new, func):
                    changed[name] = new
            simplified = _simplify(result, changed)
            names = [
                name for name in changed if not structural_equal(simplified[name], result[name])
            ]
            result = _with_functions(result, {name: simplified[name] for name in names})
        return result


def _make_module(func: Function) -> IRModule:
    """A module that has the function and the functions that it uses."""
    functions: dict[str, Any] = {func.name: func}
    owner = func._form.owner
    waiting = [] if owner is None else [IRModule(owner.operation)[func.name]]
    while waiting and owner is not None:
        for name in _partita.get_used_symbols(waiting.pop().operation):
            if name not in functions:
                functions[name] = IRModule(owner.operation)[name]
                waiting.append(functions[name])
    return IRModule(functions)


def _with_functions(mod: IRModule, functions: Mapping[str, Any]) -> IRModule:
    """A copy of `mod` with other functions of these names; `mod` if there are none."""
    if not functions:
        return mod
    result = mod.clone()
    for name, func in functions.items():
        result.update_func(name, func)
    return result


def _simplify(mod: IRModule, changed: Mapping[str, Any]) -> IRModule:
    """A module with `changed`, without aliases, equal and unused expressions there."""
    # The passes need patterns.
    from .. import transform

    passes = Sequential(
        [
            transform.CanonicalizeBindings(),
            transform.EliminateCommonSubexpr(),
            transform.DeadCodeElimination(list(changed)),
        ]
    )
    after = _with_functions(mod, changed)
    with PassContext(opt_level=3):
        while changed:
            before, after = after, passes(after)
            if all(structural_equal(before[name], after[name]) for name in changed):
                break
    return after


class ExprPatternRewriter(PatternMatchingRewriter):
    """Replaces what a pattern describes by what a function makes of it.

    Parameters
    ----------
    pattern : DFPattern
        The pattern.
    func : callable
        See rewrite_call.
    """

    def __init__(self, pattern: DFPattern, func: Callable[[Any, dict[DFPattern, Any]], Any]):
        check_type(pattern, DFPattern, "the pattern of a rewriter to be a pattern")
        if not callable(func):
            raise TypeError(f"expected a rewriter to be a function, but found {func!r}")
        self.pattern = pattern
        self.func = func

    def _rewrite_expr(self, expr: Any, var2val: Mapping[Any, Any]) -> Any:
        matched = self.pattern.extract_matched_expr(expr, var2val)
        if matched is None:
            return None
        new = lift(self.func(expr, matched))
        return None if new is expr or new == expr else new


class OrRewriter(PatternMatchingRewriter):
    """Applies `lhs`, and `rhs` where `lhs` does not replace anything."""

    def __init__(self, lhs: PatternMatchingRewriter, rhs: PatternMatchingRewriter):
        for rule in (lhs, rhs):
            check_type(rule, PatternMatchingRewriter, "a rule to be a PatternMatchingRewriter")
        self.lhs = lhs
        self.rhs = rhs

    def _rewrite_expr(self, expr: Any, var2val: Mapping[Any, Any]) -> Any:
        new = self.lhs._rewrite_expr(expr, var2val)
        return self.rhs._rewrite_expr(expr, var2val) if new is None else new


class _BindingRewriter(ExprMutator):
    """Applies a rule to what is bound in a function, once."""

    def __init__(self, rule: PatternMatchingRewriter, func: Function):
        super().__init__()
        self._rule = rule
        self._var2val = get_var2val(func)

    def _rewrite(self, expr: Any, otherwise: Callable[[Any], Any]) -> Any:
        new = self._rule._rewrite_expr(expr, self._var2val)
        if new is None:
            return otherwise(expr)
        # It is made of expressions that may have been replaced.
        parts = Rewriter()
        parts.memo_map = self.memo_map
        return parts.visit_expr(new)

    def visit_call_(self, call: Any) -> Any:
        return self._rewrite(call, super().visit_call_)

    def visit_tuple_(self, tuple_: Any) -> Any:
        return self._rewrite(tuple_, super().visit_tuple_)

    def visit_tuple_getitem_(self, item: Any) -> Any:
        return self._rewrite(item, super().visit_tuple_getitem_)


def rewrite_call(
    pattern: DFPattern, rewriter: Callable[[Any, dict[DFPattern, Any]], Any], func: Function
) -> Function:
    """Replace the calls in a function that a pattern describes.

    Parameters
    ----------
    pattern : DFPattern
        The pattern.
    rewriter : callable
        Gets an expression that the pattern describes, and what each pattern in it has matched. It
        returns the expression that takes the place, or the same expression.
    func : Function
        The function, which stays as it is.

    Examples
    --------
    ::

        x = wildcard()
        pattern = is_op("relax.add")(x, x)

        def double(call, matched):
            return relax.op.multiply(matched[x], relax.const(2.0, "float32"))

        func = rewrite_call(pattern, double, func)
    """
    return PatternMatchingRewriter.from_pattern(pattern, rewriter)(func)
