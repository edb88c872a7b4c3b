# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions as TVM has them, for patterns.

lib/Dialect/Relax/Transforms/Fusion/PatternMatcher.cpp does the same for ops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...ir.call import Call
from ...ir.op import Op
from ...ir.values import Value
from ...ir.var_classes import Var
from .shapes import is_same_size, list_names, substitute

if TYPE_CHECKING:
    from .base import DFPattern

__all__ = ["Matcher", "call_parts", "list_parts"]


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
        dependent, independent = self._split_by_parts(patterns)
        # All orders are tried for the dependent patterns alone.
        fits = [set(range(len(exprs))) for _ in dependent]
        fits += [
            {i for i, one in enumerate(exprs) if self._fits(part, one)} for part in independent
        ]
        assignment = _Assignment(fits)
        patterns = dependent + independent

        def visit_from(start: int) -> bool:
            if start == len(patterns):
                return True
            for index, expr in enumerate(exprs):
                if not assignment.assign(start, index):
                    continue
                count = len(self.matched)
                if self.visit(patterns[start], expr) and visit_from(start + 1):
                    return True
                self.forget(count)
            return False

        return assignment.is_complete and visit_from(0)

    def _fits(self, pattern: DFPattern, expr: Any) -> bool:
        count = len(self.matched)
        fits = self.visit(pattern, expr)
        self.forget(count)
        return fits

    def _split_by_parts(
        self, patterns: Sequence[DFPattern]
    ) -> tuple[list[DFPattern], list[DFPattern]]:
        """The patterns that share parts or sizes with others, and the rest.

        What one of the rest matches does not depend on the others.
        """
        parts_of = [list_parts(pattern) for pattern in patterns]
        users = Counter(part for parts in parts_of for part in parts)
        dependent: list[DFPattern] = []
        independent: list[DFPattern] = []
        for pattern, parts in zip(patterns, parts_of):
            is_alone = not any(
                users[part] > 1 or part in self.matched or part._has_sizes for part in parts
            )
            (independent if is_alone else dependent).append(pattern)
        return dependent, independent


class _Assignment:
    """Gives each pattern of an unordered tuple a field that it fits, and each field one pattern.

    Parameters
    ----------
    fits : sequence of set of int
        For each pattern the fields that it fits.
    """

    def __init__(self, fits: Sequence[set[int]]):
        self._fits = fits
        self._field_of: list[int] = [-1] * len(fits)
        self._pattern_of: list[int] = [-1] * len(fits)
        #: Whether all patterns got a field.
        self.is_complete = all(self._move(pattern, 0, set()) for pattern in range(len(fits)))

    def assign(self, pattern: int, field: int) -> bool:
        """Give `field` to `pattern`, if the patterns after it can have the others.

        The patterns before it stay where they are.
        """
        other, old = self._pattern_of[field], self._field_of[pattern]
        if other == pattern:
            return True
        if other < pattern or field not in self._fits[pattern]:
            return False
        self._pattern_of[old] = -1
        if not self._move(other, pattern + 1, {field}):
            self._pattern_of[old] = pattern
            return False
        self._set(pattern, field)
        return True

    def _set(self, pattern: int, field: int) -> None:
        self._field_of[pattern], self._pattern_of[field] = field, pattern

    def _move(self, pattern: int, fixed: int, tried: set[int]) -> bool:
        """Find another field for `pattern`; patterns from `fixed` on can move."""
        for field in sorted(self._fits[pattern]):
            other = self._pattern_of[field]
            if field in tried or 0 <= other < fixed:
                continue
            tried.add(field)
            if other < 0 or self._move(other, fixed, tried):
                self._set(pattern, field)
                return True
        return False


def list_parts(pattern: DFPattern) -> list[DFPattern]:
    """The pattern and the patterns in it, each once."""
    found: dict[DFPattern, None] = {pattern: None}
    waiting = [pattern]
    while waiting:
        for part in waiting.pop()._parts:
            if part not in found:
                found[part] = None
                waiting.append(part)
    return list(found)


def call_parts(expr: Any) -> tuple[Any, list[Any]] | None:
    """The callee and the arguments of a call in TVM; None if `expr` is none."""
    if not isinstance(expr, Call) or isinstance(expr, Value) or isinstance(expr, Var):
        return None
    callee = expr.op
    if isinstance(callee, Op) and callee.name in ("relax.alias", "relax.match_cast"):
        return None
    return callee, list(expr.args)
