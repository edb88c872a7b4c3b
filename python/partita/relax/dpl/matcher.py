# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions as TVM has them, for patterns.

lib/Dialect/Relax/Transforms/Fusion/PatternMatcher.cpp does the same for ops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...ir.call import Call, TupleGetItem
from ...ir.lift import Tuple
from ...ir.node import Expr
from ...ir.op import Op
from ...ir.values import Value
from ...ir.var_classes import Var
from .shapes import is_same_size, list_names, substitute

if TYPE_CHECKING:
    from .base import DFPattern

__all__ = ["Matcher", "as_tuple", "call_parts"]


class Matcher:
    """Matches one expression, and knows what each pattern has matched.

    Parameters
    ----------
    var2val : dict, optional
        The values of variables, which take the place of the variables.
    """

    def __init__(self, var2val: Mapping[Any, Any] | None):
        self._var2val = var2val or {}
        #: What each pattern has matched, in the order in which they did.
        self.matched: dict[DFPattern, Any] = {}
        # The sizes that names in the types of patterns stand for, each with how many patterns had
        # matched before the pattern that has the name.
        self._sizes: dict[str, tuple[Any, int]] = {}

    @property
    def sizes(self) -> dict[str, Any]:
        """The sizes that names in the types of patterns stand for."""
        return {name: size for name, (size, _) in self._sizes.items()}

    def unify(self, wanted: Sequence[Any], found: Sequence[Any]) -> bool:
        """Whether the sizes in a pattern can be these: a name stands for one size everywhere."""
        for one, size in zip(wanted, found):
            if one is None or size is None or isinstance(one, int):
                continue
            known: Any = None
            if str(one).isidentifier():
                known, _ = self._sizes.setdefault(str(one), (size, len(self.matched)))
            elif all(name in self._sizes for name in list_names(one)):
                known = substitute(one, self.sizes)
            if known is not None and not is_same_size(known, size):
                return False
        return True

    def unwrap(self, expr: Any) -> Any:
        """What a variable is bound to, if that is known."""
        while isinstance(expr, Var) and expr in self._var2val:
            expr = self._var2val[expr]
        return expr

    def visit(self, pattern: DFPattern, expr: Any) -> bool:
        """Whether `expr` is what `pattern` describes, and no other expression that it matched."""
        expr = self.unwrap(expr)
        if pattern in self.matched:
            return bool(self.matched[pattern] == expr)
        count = len(self.matched)
        if pattern._matches(self, expr):
            self.matched[pattern] = expr
            return True
        self.forget(count)
        return False

    def forget(self, count: int) -> None:
        """Forget all but the first `count` patterns."""
        while len(self.matched) > count:
            self.matched.popitem()
        while self._sizes and next(reversed(self._sizes.values()))[1] >= count:
            self._sizes.popitem()

    def visit_all(self, patterns: Sequence[DFPattern], exprs: Sequence[Any]) -> bool:
        """Whether each pattern matches the expression at its place; there can be more of these."""
        count = len(self.matched)
        for pattern, expr in zip(patterns, exprs):
            if not self.visit(pattern, expr):
                self.forget(count)
                return False
        return True

    def visit_unordered(self, patterns: Sequence[DFPattern], exprs: Sequence[Any]) -> bool:
        """Whether the patterns match the expressions in some order."""
        if not patterns:
            return True
        for index, expr in enumerate(exprs):
            count = len(self.matched)
            if self.visit(patterns[0], expr):
                others = [*exprs[:index], *exprs[index + 1 :]]
                if self.visit_unordered(patterns[1:], others):
                    return True
            self.forget(count)
        return False


def as_tuple(args: Sequence[Any]) -> Any:
    """The tuple that `args`, such as the operands of an op, are in TVM."""
    first = args[0] if args else None
    if isinstance(first, Expr) and len(args) == 1 and first._types is not None:
        if type(first._type).__name__ == "TupleType":
            return first
    if isinstance(first, TupleGetItem) and not isinstance(first, Var):
        whole = first.tuple_value
        is_whole = whole._count_fields("take a field of") == len(args) and all(
            isinstance(arg, TupleGetItem)
            and not isinstance(arg, Var)
            and (arg.index, arg.tuple_value) == (index, whole)
            for index, arg in enumerate(args)
        )
        if is_whole:
            return whole
    return Tuple(args)


def call_parts(expr: Any) -> tuple[Any, list[Any]] | None:
    """The callee and the arguments of a call in TVM; None if `expr` is none."""
    if not isinstance(expr, Call) or isinstance(expr, Value) or isinstance(expr, Var):
        return None
    callee, args = expr.op, list(expr.args)
    if not isinstance(callee, Op):
        return callee, args
    if callee.name in ("relax.alias", "relax.match_cast"):
        return None
    if callee.name == "relax.call_tir":
        return callee, [args[0], _as_call_tir_tuple(args[1:])]
    params = callee.params or ()
    # The arguments of an op that calls a value stand one by one.
    if any(param.name == "attrs_type" for param in params):
        return callee, args
    operands = [param.kind for param in params if param.is_operand]
    if "operands" in operands:
        first = operands.index("operands")
        return callee, [*args[:first], as_tuple(args[first:])]
    return callee, args


def _as_call_tir_tuple(args: Sequence[Any]) -> Any:
    return as_tuple(args) if len(args) != 1 else Tuple(args)
