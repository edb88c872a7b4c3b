# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constraints between patterns: TVM's ``tvm.relax.dpl.context``.

A pattern describes one expression and what it is made of. A PatternContext has patterns that use
each other: it describes a part of a block, where an expression can have other users, too.
"""

from __future__ import annotations

import contextvars
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import RewriteError, check_type
from ...ir.block import DataflowBlock
from .graph import Graph
from .search import Plan, Use

if TYPE_CHECKING:
    from .base import DFPattern

__all__ = ["DFConstraint", "Linked", "PatternContext", "PatternSeq", "SameShapeConstraint"]

# The contexts whose scopes this is in, the innermost last.
_contexts: contextvars.ContextVar[tuple[PatternContext, ...]]
_contexts = contextvars.ContextVar("partita_pattern_contexts", default=())


class _Link(NamedTuple):
    """How a pattern of a sequence is used by the next one."""

    only: bool
    number: int


class Linked:
    """A pattern, or a sequence of them, that others use.

    ``a ^ b`` is ``a.used_by(b)``, and ``a >> b`` is ``a.only_used_by(b)``. In the scope of a
    PatternContext, that becomes a constraint of it.
    """

    __slots__ = ()

    def _as_sequence(self) -> PatternSeq:
        raise NotImplementedError

    def used_by(self, other: Linked, index: int = -1) -> PatternSeq:
        """The sequence in which `other` uses the last pattern of this one.

        Parameters
        ----------
        other : DFPattern or PatternSeq
            The user; of a sequence, its first pattern is.
        index : int
            The number of the variable among the variables in the arguments of the user; -1 is any.
        """
        return _join(self, other, _Link(False, index))

    def only_used_by(self, other: Linked, index: int = -1) -> PatternSeq:
        """Like `used_by`; nothing else in the block may use it."""
        return _join(self, other, _Link(True, index))

    def __xor__(self, other: Linked) -> PatternSeq:
        return self.used_by(other)

    def __rshift__(self, other: Linked) -> PatternSeq:
        return self.only_used_by(other)


class PatternSeq(Linked):
    """Patterns that are used by the next one in the list each.

    Parameters
    ----------
    patterns : sequence of DFPattern
        The patterns.
    only_use : bool
        Whether nothing else may use them.
    """

    __slots__ = ("patterns", "_links")

    def __init__(self, patterns: Sequence[DFPattern], only_use: bool = False):
        check_type(patterns, (list, tuple), "the patterns of a sequence to be a list")
        if not patterns:
            raise RewriteError("expected a PatternSeq to have a pattern, but found none")
        for pattern in patterns:
            if isinstance(pattern, PatternSeq) or not isinstance(pattern, Linked):
                check_type(pattern, (), "a part of a PatternSeq to be a pattern")
        #: The patterns.
        self.patterns = tuple(patterns)
        self._links = (_Link(bool(only_use), -1),) * (len(patterns) - 1)

    def _as_sequence(self) -> PatternSeq:
        return self

    def __getitem__(self, index: int) -> DFPattern:
        return self.patterns[index]

    def __len__(self) -> int:
        return len(self.patterns)

    def dup(self) -> PatternSeq:
        """The same on other patterns, with the constraints between them."""
        made = [pattern.dup() for pattern in self.patterns]
        for number, link in enumerate(self._links):
            _add_use(made[number], made[number + 1], link)
        return _make(made, self._links)

    def __str__(self) -> str:
        text = str(self.patterns[0])
        for link, pattern in zip(self._links, self.patterns[1:]):
            text += f" {'>>' if link.only else '^'} {pattern}"
        return f"[{text}]"

    def __repr__(self) -> str:
        return f"<PatternSeq {self}>"


def _make(patterns: Sequence[DFPattern], links: tuple[_Link, ...]) -> PatternSeq:
    made = PatternSeq(patterns)
    made._links = links
    return made


def _join(one: Linked, other: Linked, link: _Link) -> PatternSeq:
    check_type(other, Linked, "what uses a pattern to be a pattern or a PatternSeq")
    check_type(link.number, int, "the number of an argument to be an int")
    if link.number < -1:
        raise ValueError(f"expected the number of an argument, or -1 for any, found {link.number}")
    users, used = other._as_sequence(), one._as_sequence()
    _add_use(used.patterns[-1], users.patterns[0], link)
    return _make([*used.patterns, *users.patterns], (*used._links, link, *users._links))


def _add_use(used: DFPattern, user: DFPattern, link: _Link) -> None:
    context = PatternContext.current()
    if context is not None:
        context._add(Use(used, user, *link))


class DFConstraint:
    """A condition on the values that patterns match, other than a use of one by another."""

    __slots__ = ()


class SameShapeConstraint(DFConstraint):
    """The condition that patterns match tensors, or shapes, of the same shape.

    In the scope of a PatternContext, it becomes a constraint of it.

    Parameters
    ----------
    args : DFPattern
        The patterns, which constraints on uses have to name, too.
    """

    __slots__ = ("args",)

    def __init__(self, *args: DFPattern):
        for pattern in args:
            check_type(pattern, Linked, "what has the same shape to be a pattern")
        #: The patterns.
        self.args = args
        context = PatternContext.current()
        if context is not None:
            context._same_shapes.append(args)


class PatternContext:
    """Patterns and the constraints between them, for ``with``.

    Constraints that are made in its scope are added to it: by ``^``, ``>>`` and the other methods
    of patterns, and by calls of patterns, whose arguments they use.

    Parameters
    ----------
    incremental : bool
        Whether it has the constraints of the context around it, too.

    Raises
    ------
    RewriteError
        If there is none around an incremental one, or scopes do not end in their order. It is a
        ValueError, and a RuntimeError as in TVM.

    Examples
    --------
    ::

        with PatternContext() as ctx:
            exp, log = is_op("relax.exp")(wildcard()), is_op("relax.log")(wildcard())
            exp >> log
        matched = ctx.match_dfb(func.body.blocks[0])
    """

    def __init__(self, incremental: bool = False):
        self._uses: dict[Use, None] = {}
        self._same_shapes: list[tuple[DFPattern, ...]] = []
        if incremental:
            outer = PatternContext.current()
            if outer is None:
                raise RewriteError(
                    "expected an incremental PatternContext in the scope of another one, "
                    "but found none"
                )
            self._uses.update(outer._uses)
            self._same_shapes += outer._same_shapes

    def __enter__(self) -> PatternContext:
        _contexts.set((*_contexts.get(), self))
        return self

    def __exit__(self, exception: Any, value: Any, traceback: Any) -> None:
        if PatternContext.current() is not self:
            raise RewriteError("expected the scope of the innermost PatternContext to end first")
        _contexts.set(_contexts.get()[:-1])

    @staticmethod
    def current() -> PatternContext | None:
        """The context whose scope this is; None outside of one."""
        contexts = _contexts.get()
        return contexts[-1] if contexts else None

    def _add(self, use: Use) -> None:
        if use in self._uses:
            raise RewriteError(
                f"expected each constraint once, but found two uses of {use.used} by {use.user} "
                f"{'as any argument' if use.number < 0 else f'as argument {use.number}'}"
            )
        self._uses[use] = None

    def _plan(self) -> Plan:
        """How to search for what the patterns match."""
        return Plan(list(self._uses), self._same_shapes)

    def match_dfb(self, dfb: DataflowBlock) -> dict[DFPattern, Any] | None:
        """What the patterns match in a block; None if they do not.

        Each pattern matches another variable of the block or a parameter.

        Parameters
        ----------
        dfb : DataflowBlock
            The block.
        """
        check_type(dfb, DataflowBlock, "a DataflowBlock to match")
        return next(self._plan().find(Graph(dfb.bindings)), None)
