# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search for a part of a block that patterns and their constraints describe.

It is backtracking over the patterns in a fixed order. A pattern that uses, or is used by, one that
has its variable already is tried on the neighbors of that variable alone. So the work for each
variable that the first pattern is tried on depends on its neighbors, not on the block. Where no
variable is left for a pattern, the search goes back to the last pattern whose variable had a part in
that: Prosser's conflict-directed backjumping.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import RewriteError
from ...ir.types import ShapeType, TensorType
from .graph import Graph
from .matcher import Matcher
from .shapes import is_same_shape

if TYPE_CHECKING:
    from .base import DFPattern

__all__ = ["Plan", "Use"]


class Use(NamedTuple):
    """The constraint that a pattern uses another one.

    Attributes
    ----------
    used, user : DFPattern
        The patterns.
    only : bool
        Whether nothing else in the block may use it.
    number : int
        The number of the variable among the variables in the arguments of `user`; -1 is any.
    """

    used: DFPattern
    user: DFPattern
    only: bool
    number: int


class Plan:
    """The order in which patterns get variables, and what is checked when.

    As in TVM, patterns that use no others come in the order of their constraints, each with the
    patterns that use it. So the first match is TVM's.

    Parameters
    ----------
    uses : sequence of Use
        The constraints.
    same_shapes : sequence of tuple of DFPattern
        The patterns that match values of the same shape.
    """

    def __init__(self, uses: Sequence[Use], same_shapes: Sequence[tuple[DFPattern, ...]]):
        self._uses: dict[DFPattern, list[Use]] = {}
        for use in uses:
            self._uses.setdefault(use.used, []).append(use)
            self._uses.setdefault(use.user, []).append(use)
        self._same_shapes: dict[DFPattern, list[tuple[DFPattern, ...]]] = {}
        for patterns in same_shapes:
            for pattern in patterns:
                if pattern not in self._uses:
                    raise RewriteError(
                        f"expected a constraint on a use of each pattern of same_shape_as, "
                        f"but found none of {pattern}"
                    )
                self._same_shapes.setdefault(pattern, []).append(patterns)
        self._order = self._sort(uses)

    def _sort(self, uses: Sequence[Use]) -> list[DFPattern]:
        """The patterns in their order; fewer than all if some only use each other in a circle."""
        users = {use.user for use in uses}
        roots = dict.fromkeys(use.used for use in uses if use.used not in users)
        order: dict[DFPattern, None] = {}
        waiting = list(reversed(roots))
        while waiting:
            pattern = waiting.pop()
            if pattern not in order:
                order[pattern] = None
                own = [use.user for use in self._uses[pattern] if use.used is pattern]
                waiting += reversed(own)
        # Arguments whose number is known come right after what uses them, as they can only be one.
        placed: dict[DFPattern, None] = {}
        for pattern in order:
            waiting = [pattern]
            while waiting:
                pattern = waiting.pop()
                if pattern not in placed:
                    placed[pattern] = None
                    own = [
                        u.used for u in self._uses[pattern] if u.user is pattern and u.number >= 0
                    ]
                    waiting += reversed(own)
        return list(placed)

    def find(self, graph: Graph) -> Iterator[dict[DFPattern, Any]]:
        """Yields matches, the first one for each variable that the first pattern is tried on.

        If bindings are removed meanwhile, that variable is tried again. After a match, all are:
        what is left can match patterns that it did not match before.
        """
        if not self._order or len(self._order) < len(self._uses):
            return
        is_done = False
        while not is_done:
            is_done = True
            for var in graph.variables:
                size = -1
                while size != len(graph.values):
                    size = len(graph.values)
                    found = self._search(graph, var)
                    if found is None:
                        break
                    yield found
                    is_done &= size == len(graph.values)

    def _search(self, graph: Graph, first: Any) -> dict[DFPattern, Any] | None:
        """The first match in which the first pattern matches the variable `first`."""
        state = _State(graph)
        candidates: list[Iterator[Any]] = [iter([first])]
        # The places in the order of the patterns whose variables rule others out for each pattern.
        conflicts: list[set[int]] = [set()]
        while candidates:
            place = len(candidates) - 1
            pattern = self._order[place]
            state.forget(pattern)
            for var in candidates[place]:
                if self._fits(state, pattern, var, conflicts[place]):
                    break
            else:
                blamed = conflicts[place]
                last = max(blamed, default=-1)
                for one in self._order[last + 1 : place]:
                    state.forget(one)
                del candidates[last + 1 :], conflicts[last + 1 :]
                if conflicts:
                    conflicts[last] |= blamed - {last}
                continue
            state.set(pattern, var, place)
            if place + 1 == len(self._order):
                return state.matched
            found, source = self._candidates(state, place + 1)
            candidates.append(iter(found))
            conflicts.append(source)
        return None

    def _candidates(self, state: _State, place: int) -> tuple[Iterable[Any], set[int]]:
        """The variables that a pattern can match, and the places of the patterns that say so."""
        graph, matched, pattern = state.graph, state.matched, self._order[place]
        uses = self._uses[pattern]
        for use in uses:
            if use.number >= 0 and use.user in matched:
                used = graph.used.get(matched[use.user], ())
                return used[use.number : use.number + 1], {state.places[use.user]}
        for use in uses:
            if use.used in matched:
                return graph.users(matched[use.used]), {state.places[use.used]}
        for use in uses:
            if use.user in matched:
                return graph.list_used(matched[use.user]), {state.places[use.user]}
        return graph.variables, set()

    def _fits(self, state: _State, pattern: DFPattern, var: Any, conflicts: set[int]) -> bool:
        """Whether a pattern can match a variable, given what others have matched.

        If not, the places of these others are added to `conflicts`.
        """
        # What depends on no other pattern comes first, as it blames none.
        if not state.matches(pattern, var):
            return False
        if var in state.owners:
            conflicts.add(state.places[state.owners[var]])
            return False
        for use in self._uses[pattern]:
            if not self._is_used(state, use, pattern, var):
                other = use.user if use.used is pattern else use.used
                conflicts.update({state.places[other]} if other in state.places else ())
                return False
        for patterns in self._same_shapes.get(pattern, ()):
            others = [one for one in patterns if one in state.matched]
            shapes = [_shape_of(var), *(_shape_of(state.matched[one]) for one in others)]
            if any(shape is None or not is_same_shape(shapes[0] or (), shape) for shape in shapes):
                conflicts.update(state.places[one] for one in others)
                return False
        return True

    def _is_used(self, state: _State, use: Use, pattern: DFPattern, var: Any) -> bool:
        """Whether a use is possible if `pattern`, which it names, matches `var`."""
        used = var if use.used is pattern else state.matched.get(use.used)
        user = var if use.user is pattern else state.matched.get(use.user)
        users = state.graph.users(used)
        if use.only and used is not None and len(users) != 1:
            return False
        if used is None or user is None:
            return True
        if use.number < 0:
            return user in users
        args = state.graph.used.get(user, ())
        return use.number < len(args) and bool(args[use.number] == used)


class _State:
    """The variables that patterns have matched so far, with the places of these in the order."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.matched: dict[DFPattern, Any] = {}
        self.owners: dict[Any, DFPattern] = {}
        self.places: dict[DFPattern, int] = {}
        self._known: dict[tuple[DFPattern, Any], bool] = {}

    def matches(self, pattern: DFPattern, var: Any) -> bool:
        """Whether a pattern alone matches a variable."""
        known = self._known.get((pattern, var))
        if known is None:
            known = Matcher(self.graph.values).visit(pattern, var)
            self._known[pattern, var] = known
        return known

    def set(self, pattern: DFPattern, var: Any, place: int) -> None:
        self.matched[pattern], self.owners[var], self.places[pattern] = var, pattern, place

    def forget(self, pattern: DFPattern) -> None:
        if pattern in self.matched:
            del self.owners[self.matched.pop(pattern)], self.places[pattern]


def _shape_of(var: Any) -> Sequence[Any] | None:
    """The shape of a tensor, or the shape that a value is; None if it is not known."""
    type_ = var.struct_info
    if isinstance(type_, TensorType):
        shape: Sequence[Any] | None = type_.shape
        return shape
    return type_.values if isinstance(type_, ShapeType) else None
