# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules that replace bindings of a block.

A rule sees the bindings of a dataflow block, or bindings between two calls with side effects: what
it replaces can be computed anywhere among them.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...errors import RewriteError, check_takes, check_type
from ...ir.binding import MatchCast
from ...ir.call import TupleGetItem, match_cast
from ...ir.lift import Tuple, lift
from ...ir.module import IRModule
from ...ir.relax_function import Function
from ...ir.var import Var
from .base import DFPattern, NotPattern, OrPattern
from .context import PatternContext
from .graph import Graph, see_through
from .matcher import Matcher
from .values import TuplePattern, UnorderedTuplePattern

__all__ = [
    "ContextRule",
    "Maker",
    "OrRule",
    "PatternRule",
    "Rule",
    "Scope",
    "TupleRule",
    "as_maker",
    "make_rule",
]

#: Makes an expression of an expression and what the patterns in it have matched, in a scope. None
#: or the same expression is for an expression that stays.
Maker = Callable[[Any, dict[DFPattern, Any], "Scope"], Any]


class Scope:
    """What a rule adds functions to."""

    #: The names of sizes of the function that is being rewritten, as ir.inline counts them.
    names: dict[str, int]

    def get_replacement(self, mod: IRModule) -> Function:
        """The function `replacement` of a module, whose other functions are added, too."""
        raise NotImplementedError


class Rule:
    """A rule."""

    def rewrite(self, bindings: Sequence[Any], scope: Scope) -> dict[Any, Any]:
        """The new values of bindings, which it has in their order; see graph.list_bindings."""
        raise NotImplementedError


def _is_name(binding: Any) -> bool:
    """Whether a binding gives another name to a value, which has its own binding."""
    return isinstance(binding, (MatchCast, Var))


def make_rule(pattern: DFPattern, make: Maker, also: Sequence[DFPattern] = ()) -> Rule:
    """A rule that replaces what a pattern describes.

    As in TVM, the second of two patterns is tried where the first one matches, but nothing is
    replaced. The fields of a tuple are replaced where they are, too; see TupleRule.

    Parameters
    ----------
    pattern : DFPattern
        The pattern.
    make : Maker
        Makes the new expressions.
    also : sequence of DFPattern
        Patterns that match where `pattern` does.
    """
    check_type(pattern, DFPattern, "the pattern of a rewriter to be a pattern")
    if isinstance(pattern, OrPattern):
        left, right = (make_rule(one, make, [*also, pattern]) for one in pattern._parts)
        return OrRule(left, right)
    rule = PatternRule(pattern, make, also)
    if isinstance(pattern, TuplePattern) and not isinstance(pattern, UnorderedTuplePattern):
        return OrRule(rule, TupleRule(pattern._parts, make, [*also, pattern]))
    return rule


def as_maker(func: Callable[..., Any]) -> Maker:
    """A function of the user, which needs no scope."""
    if not callable(func):
        raise TypeError(f"expected a rewriter to be a function, but found {func!r}")
    check_takes(func, ("expr", "matched"), "a rewriter")
    return lambda expr, matched, scope: func(expr, matched)


class PatternRule(Rule):
    """Replaces expressions that a pattern describes; see make_rule."""

    def __init__(self, pattern: DFPattern, make: Maker, also: Sequence[DFPattern] = ()):
        check_type(pattern, DFPattern, "the pattern of a rewriter to be a pattern")
        self._pattern, self._maker, self._also = pattern, make, tuple(also)

    def rewrite(self, bindings: Sequence[Any], scope: Scope) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        # The values of earlier bindings that stay.
        known: dict[Any, Any] = {}
        for binding in bindings:
            value = binding.value
            new = None if _is_name(binding) else self._make(value, known, scope)
            if new is None:
                known[binding] = value
            else:
                made[binding] = new
        return made

    def _make(self, value: Any, known: Mapping[Any, Any], scope: Scope) -> Any:
        matcher = Matcher(known)
        if not matcher.visit(self._pattern, value):
            return None
        new = self._maker(value, {**matcher.matched, **dict.fromkeys(self._also, value)}, scope)
        new = None if new is None else lift(new)
        return None if new is value or new == value else new


class OrRule(Rule):
    """Applies a rule, and another one to the bindings that the first does not replace."""

    def __init__(self, left: Rule, right: Rule):
        self._left, self._right = left, right

    def rewrite(self, bindings: Sequence[Any], scope: Scope) -> dict[Any, Any]:
        made = self._left.rewrite(bindings, scope)
        rest = [binding for binding in bindings if binding not in made] if made else bindings
        return {**made, **self._right.rewrite(rest, scope)}


class _Element:
    """A binding that can be an element of a tuple."""

    __slots__ = ("binding", "matched", "is_free")

    def __init__(self, binding: Any, matched: dict[DFPattern, Any]):
        self.binding, self.matched, self.is_free = binding, matched, True


class TupleRule(Rule):
    """Replaces values that patterns describe together, as if the block made a tuple of them.

    As in TVM, nothing that is computed before the last of them may use one.

    Parameters
    ----------
    patterns : sequence of DFPattern
        The patterns of the fields. A pattern in several of them matches one expression.
    make : Maker
        Gets the tuple, which the block does not have, and makes another one.
    also : sequence of DFPattern
        Patterns that match the tuple.
    """

    def __init__(self, patterns: Sequence[DFPattern], make: Maker, also: Sequence[DFPattern] = ()):
        for pattern in patterns:
            check_type(pattern, DFPattern, "the pattern of a field to be a pattern")
        self._patterns, self._maker, self._also = tuple(patterns), make, tuple(also)

    def rewrite(self, bindings: Sequence[Any], scope: Scope) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        known: dict[Any, Any] = {}
        elements: dict[Any, list[_Element]] = {}
        pools = [_Pool(pattern) for pattern in self._patterns]
        for binding in bindings:
            value = binding.value
            found = None
            if not _is_name(binding) and self._patterns:
                found = self._complete(binding, known, pools, elements, scope)
            if found is None:
                known[binding] = value
            else:
                for element, new in found:
                    made[element.binding] = new
                    known.pop(element.binding, None)
                    _take(elements, element.binding)
            if see_through(binding) is binding:
                for used in binding._args:
                    _take(elements, see_through(used))
        return made

    def _complete(
        self,
        binding: Any,
        known: Mapping[Any, Any],
        pools: Sequence[_Pool],
        elements: dict[Any, list[_Element]],
        scope: Scope,
    ) -> list[tuple[_Element, Any]] | None:
        """The elements of a tuple whose last is `binding`, with their new values."""
        own: dict[int, _Element] = {}
        for index, pattern in enumerate(self._patterns):
            matcher = Matcher(known)
            if matcher.visit(pattern, binding.value):
                own[index] = _Element(binding, matcher.matched)
        for index in sorted(own, reverse=True):
            for chosen in self._choose({index: own[index]}, pools):
                if (new := self._make(chosen, scope)) is not None:
                    return new
        for index, element in own.items():
            pools[index].add(element)
            elements.setdefault(binding, []).append(element)
        return None

    def _choose(
        self, chosen: dict[int, _Element], pools: Sequence[_Pool]
    ) -> Iterator[dict[int, _Element]]:
        """Yields choices of elements that go with `chosen`, the latest first."""
        if len(chosen) == len(self._patterns):
            yield chosen
            return
        index = max(i for i in range(len(self._patterns)) if i not in chosen)
        matched: dict[DFPattern, Any] = {}
        for element in chosen.values():
            matched.update(element.matched)
        for element in pools[index].find(matched):
            if all(element.binding != other.binding for other in chosen.values()):
                yield from self._choose({**chosen, index: element}, pools)

    def _make(
        self, chosen: Mapping[int, _Element], scope: Scope
    ) -> list[tuple[_Element, Any]] | None:
        elements = [chosen[index] for index in range(len(self._patterns))]
        whole = Tuple([element.binding for element in elements])
        matched: dict[DFPattern, Any] = {}
        for element in elements:
            matched.update(element.matched)
        matched.update(dict.fromkeys(self._also, whole))
        new = self._maker(whole, matched, scope)
        if new is None or new is whole:
            return None
        new = lift(new)
        if isinstance(new, Tuple) and len(new.fields) != len(elements):
            raise ValueError(
                f"expected {len(elements)} values in place of a tuple of as many, "
                f"but found {len(new.fields)}"
            )
        if isinstance(new, Tuple):
            return list(zip(elements, new.fields))
        return [(element, TupleGetItem(new, i)) for i, element in enumerate(elements)]


def _take(elements: Mapping[Any, Sequence[_Element]], binding: Any) -> None:
    """Let a binding, which was replaced or used, be no element any more."""
    for element in elements.get(binding, ()):
        element.is_free = False


class _Pool:
    """The bindings that match the pattern of a field.

    Where a field has patterns of other fields in it, only bindings are found that match the same
    there: the work does not grow with the number of others.
    """

    def __init__(self, pattern: DFPattern) -> None:
        self._parts = _list_parts(pattern)
        self._all: list[_Element] = []
        # By patterns that other fields have, too: the elements by what these match.
        self._by: dict[tuple[DFPattern, ...], dict[tuple[Any, ...], list[_Element]]] = {}

    def add(self, element: _Element) -> None:
        self._all.append(element)
        for patterns, groups in self._by.items():
            groups.setdefault(_matches_of(element, patterns), []).append(element)

    def find(self, matched: Mapping[DFPattern, Any]) -> Iterator[_Element]:
        """Yields the elements that match what others have matched, the latest first."""
        patterns = tuple(pattern for pattern in self._parts if pattern in matched)
        if patterns not in self._by:
            groups = self._by[patterns] = {}
            for element in self._all:
                groups.setdefault(_matches_of(element, patterns), []).append(element)
        group = self._by[patterns].get(tuple(matched[pattern] for pattern in patterns), [])
        while group and not group[-1].is_free:
            group.pop()
        for element in reversed(group):
            one = element.matched
            if element.is_free and all(one[p] == matched[p] for p in one if p in matched):
                yield element


def _list_parts(pattern: DFPattern) -> list[DFPattern]:
    """The patterns in it that match something wherever it does."""
    found: dict[DFPattern, None] = {}
    waiting = [pattern]
    while waiting:
        part = waiting.pop()
        found[part] = None
        if not isinstance(part, (OrPattern, NotPattern)):
            waiting += [one for one in part._parts if one not in found]
    return list(found)


def _matches_of(element: _Element, patterns: Sequence[DFPattern]) -> tuple[Any, ...]:
    return tuple(element.matched[pattern] for pattern in patterns)


class ContextRule(Rule):
    """Replaces bindings that the patterns of a PatternContext match.

    Parameters
    ----------
    ctx : PatternContext
        The context.
    func : callable
        See rewrite_bindings.
    """

    def __init__(self, ctx: PatternContext, func: Callable[..., Any]):
        check_type(ctx, PatternContext, "a PatternContext to rewrite by")
        if not callable(func):
            raise TypeError(f"expected a rewriter to be a function, but found {func!r}")
        self._ctx, self._func = ctx, func

    def rewrite(self, bindings: Sequence[Any], scope: Scope) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        graph = Graph(bindings)
        for matched in self._ctx._plan().find(graph):
            new = self._func(matched, types.MappingProxyType(graph.values))
            check_type(new, Mapping, "a rewriter to return a dict of new values by variables")
            for key, value in new.items():
                var = see_through(key)
                if var not in graph.values:
                    raise RewriteError(
                        "expected new values of variables that are bound in the block, and that "
                        f"have none yet, but found one of {getattr(var, 'name_hint', '') or var!r}"
                    )
                value = lift(value)
                if isinstance(var, MatchCast):
                    value = match_cast(value, var.struct_info)
                made[var] = value
                graph.remove(var)
        return made
