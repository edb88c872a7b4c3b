# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replacing the expressions that a pattern describes: TVM's ``tvm.relax.dpl.rewrite``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import check_type
from ...ir.module import IRModule
from ...ir.relax_function import Function
from ...mlir import ir
from ...transform import ModulePass
from ...transform.info import make_info
from .apply import rewrite_function, rewrite_module
from .base import DFPattern
from .context import PatternContext
from .from_module import read_module
from .rules import ContextRule, OrRule, PatternRule, Rule, TupleRule, as_maker, make_rule

__all__ = [
    "ExprPatternRewriter",
    "OrRewriter",
    "PatternMatchingRewriter",
    "TupleRewriter",
    "rewrite_bindings",
    "rewrite_call",
]


#: Makes an expression of an expression and what the patterns in it have matched.
Func = Callable[[Any, dict[DFPattern, Any]], Any]

_WHAT = "an IRModule or a Function to rewrite"


def _run(rule: Rule, mod: IRModule, ctx: Any) -> IRModule:
    return rewrite_module(rule, mod)


class PatternMatchingRewriter(ModulePass):
    """A rule that replaces expressions: a pass, which can be called with a Function, too.

    It is applied again until nothing changes; a rule that does not end is an error, where TVM goes
    on for ever. Expressions that are no longer used are removed. What a pattern describes is
    replaced if a dataflow block computes it, or other bindings without a call that has side
    effects, or a branch, between them.
    """

    _module: IRModule | None

    def __init__(self, rule: Rule):
        check_type(rule, Rule, "a rule, as from_pattern and from_module make it")
        super().__init__(functools.partial(_run, rule), make_info(0, "PatternMatchingRewriter", []))
        self._rule, self._module = rule, None

    @staticmethod
    def from_pattern(pattern: DFPattern, func: Func) -> PatternMatchingRewriter:
        """The rule that rewrite_call applies.

        If the pattern is one of two, the second one is tried where `func` returns the same
        expression for the first one. A tuple is replaced if a block computes its fields, too, and
        uses none before the last one is computed.
        """
        return PatternMatchingRewriter(make_rule(pattern, as_maker(func)))

    @staticmethod
    def from_module(mod: IRModule) -> PatternMatchingRewriter:
        """The rule that replaces what the function `pattern` computes by what `replacement` does.

        A call in the pattern describes calls with the same attributes, which TVM does not compare.
        Constants describe themselves; they are errors in TVM.

        Parameters
        ----------
        mod : IRModule
            The module. Both functions have the same type. Sizes that have names in it are any.
            Other functions, which are private, go into the module that is rewritten.

        Raises
        ------
        KeyError, TypeError or ValueError
            If a function is missing, is none of Relax, or has another type, or the pattern has
            branches or calls of functions of the module; or another function is not private.
        """
        made = PatternMatchingRewriter(read_module(mod))
        made._module = mod.clone()
        return made

    def __call__(self, mod: Any, *, verify: bool = True, resume_from: Any = "") -> Any:
        """The module, or the function, to which the rule is applied; see Pass."""
        if isinstance(mod, Function):
            return rewrite_function(self._rule, mod)
        check_type(mod, (IRModule, ir.Module, ir.Operation, ir.OpView), _WHAT)
        return super().__call__(mod, verify=verify, resume_from=resume_from)

    def __copy__(self) -> PatternMatchingRewriter:
        return self

    def __deepcopy__(self, memo: Any) -> PatternMatchingRewriter:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # A function finds what has matched by the patterns that it knows.
        if self._module is None:
            raise TypeError(
                "expected a rewriter that from_module has made to save, but found one of patterns, "
                "which are known as objects"
            )
        return PatternMatchingRewriter.from_module, (self._module,)

    def __or__(self, other: PatternMatchingRewriter) -> OrRewriter:
        """A rule that applies this one, and `other` where this one does not."""
        return OrRewriter(self, other)


class ExprPatternRewriter(PatternMatchingRewriter):
    """Replaces what a pattern describes by what a function makes of it.

    Parameters
    ----------
    pattern : DFPattern
        The pattern.
    func : callable
        See rewrite_call.
    """

    def __init__(self, pattern: DFPattern, func: Func):
        super().__init__(PatternRule(pattern, as_maker(func)))
        self.pattern, self.func = pattern, func


class TupleRewriter(PatternMatchingRewriter):
    """Replaces values that patterns describe together by the fields of a tuple.

    Parameters
    ----------
    patterns : sequence of DFPattern
        The patterns.
    func : callable
        See rewrite_call; it gets a tuple of the values.
    """

    def __init__(self, patterns: Sequence[DFPattern], func: Func):
        check_type(patterns, (list, tuple), "the patterns of fields to be a list")
        super().__init__(TupleRule(patterns, as_maker(func)))
        self.patterns, self.func = tuple(patterns), func


class OrRewriter(PatternMatchingRewriter):
    """Applies `lhs`, and `rhs` where `lhs` does not replace anything."""

    def __init__(self, lhs: PatternMatchingRewriter, rhs: PatternMatchingRewriter):
        for rule in (lhs, rhs):
            check_type(rule, PatternMatchingRewriter, "a rule to be a PatternMatchingRewriter")
        super().__init__(OrRule(lhs._rule, rhs._rule))
        self.lhs, self.rhs = lhs, rhs

    def __reduce__(self) -> tuple[Any, ...]:
        return OrRewriter, (self.lhs, self.rhs)


def rewrite_call(pattern: DFPattern, rewriter: Func, func: Function) -> Function:
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
    rule = make_rule(pattern, as_maker(rewriter))
    check_type(func, Function, _WHAT)
    return rewrite_function(rule, func)


def rewrite_bindings(
    ctx: PatternContext,
    rewriter: Callable[[dict[DFPattern, Any], Mapping[Any, Any]], Mapping[Any, Any]],
    func: Function,
) -> Function:
    """Replace bindings of a function that the patterns of a PatternContext match.

    Parameters
    ----------
    ctx : PatternContext
        The context.
    rewriter : callable
        Gets the variable that each pattern has matched, and the values of the variables that are
        bound in the block. It returns the new values of some of these; with none, the search goes
        on, where TVM ends it.
    func : Function
        The function, which stays as it is.

    Raises
    ------
    RewriteError
        If a variable is not bound in the block, or new values use each other in a circle. It is a
        ValueError, and a RuntimeError as in TVM.

    Examples
    --------
    ::

        with PatternContext() as ctx:
            x, v, w = wildcard(), wildcard(), wildcard()
            one, other = is_op("relax.matmul")(x, v), is_op("relax.matmul")(x, w)

        def join(matched, values):
            weights = relax.op.concat([matched[v], matched[w]], axis=1)
            product = relax.op.matmul(matched[x], weights)
            fields = relax.op.split(product, 2, axis=1)
            return {matched[one]: fields[0], matched[other]: fields[1]}

        func = rewrite_bindings(ctx, join, func)
    """
    rule = ContextRule(ctx, rewriter)
    check_type(func, Function, "a Function to rewrite")
    return rewrite_function(rule, func)
