# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search for a part of a block that patterns and their constraints describe.

It is backtracking over the patterns in a fixed order. A pattern that uses, or is used by, one that
has its variable already is tried on the neighbors of that variable alone. So the work for each
variable that the first pattern is tried on depends on its neighbors, not on the block.
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
        return list(order)

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
        matched: dict[DFPattern, Any] = {}
        taken: set[Any] = set()
        candidates: list[Iterator[Any]] = [iter([first])]
        while candidates:
            pattern = self._order[len(candidates) - 1]
            if pattern in matched:
                taken.remove(matched.pop(pattern))
            for var in candidates[-1]:
                if var not in taken and self._fits(graph, matched, pattern, var):
                    break
            else:
                candidates.pop()
                continue
            matched[pattern] = var
            taken.add(var)
            if len(matched) == len(self._order):
                return matched
            candidates.append(iter(self._candidates(graph, matched)))
        return None

    def _candidates(self, graph: Graph, matched: dict[DFPattern, Any]) -> Iterable[Any]:
        """The variables that the next pattern can match."""
        pattern = self._order[len(matched)]
        uses = self._uses[pattern]
        for use in uses:
            if use.used in matched:
                return graph.users(matched[use.used])
        for use in uses:
            if use.user in matched:
                return graph.list_used(matched[use.user])
        return graph.variables

    def _fits(
        self, graph: Graph, matched: dict[DFPattern, Any], pattern: DFPattern, var: Any
    ) -> bool:
        """Whether a pattern can match a variable, given what others have matched."""

        def find(one: DFPattern) -> Any:
            return var if one is pattern else matched.get(one)

        for use in self._uses[pattern]:
            used, user = find(use.used), find(use.user)
            if use.only and used is not None and len(graph.users(used)) != 1:
                return False
            if used is None or user is None:
                continue
            if use.number < 0:
                if user not in graph.users(used):
                    return False
                continue
            args = graph.used.get(user, ())
            if use.number >= len(args) or args[use.number] != used:
                return False
        for patterns in self._same_shapes.get(pattern, ()):
            shapes = [_shape_of(find(one)) for one in patterns if find(one) is not None]
            if any(shape is None or not is_same_shape(shapes[0] or (), shape) for shape in shapes):
                return False
        return Matcher(graph.values).visit(pattern, var)


def _shape_of(var: Any) -> Sequence[Any] | None:
    """The shape of a tensor, or the shape that a value is; None if it is not known."""
    type_ = var.struct_info
    if isinstance(type_, TensorType):
        shape: Sequence[Any] | None = type_.shape
        return shape
    return type_.values if isinstance(type_, ShapeType) else None
