# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variables of a block and their users, for patterns."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...ir.binding import MatchCast
from ...ir.call import Call, TupleGetItem
from ...ir.lift import Tuple
from ...ir.node import Expr
from ...ir.var import Var as Name
from ...ir.var_classes import Var

__all__ = ["Graph", "list_bindings", "see_through"]


def list_bindings(bindings: Sequence[Any]) -> list[Any]:
    """Bindings, each after the calls, tuples and fields of tuples in it that have no name.

    In TVM, most of these have a name. Each is in the list once.
    """
    found: dict[Any, None] = {}
    seen = set(bindings)
    for binding in bindings:
        waiting = [(part, False) for part in reversed(binding._args)]
        while waiting:
            part, is_ready = waiting.pop()
            if is_ready:
                found[part] = None
            elif isinstance(part, (Call, Tuple, TupleGetItem)) and part not in seen:
                if not isinstance(part, Var):
                    seen.add(part)
                    waiting.append((part, True))
                    waiting += [(one, False) for one in reversed(part._args)]
        found[binding] = None
    return list(found)


def see_through(expr: Any) -> Any:
    """The expression without a name that a variable is another name of; else `expr`.

    It has no other binding. So TVM has one variable where there are two expressions here.
    """
    while type(expr) is Name and isinstance(expr.value, Expr) and not isinstance(expr.value, Var):
        expr = expr.value
    return expr


class Graph:
    """The variables that bindings use, and the bindings that use them, as TVM has them.

    A binding that was removed uses nothing, and its value is unknown. A match_cast
    is no user, as in TVM.

    Parameters
    ----------
    bindings : sequence of Expr
        The bindings in their order.
    """

    def __init__(self, bindings: Sequence[Any]):
        nodes = [one for one in list_bindings(bindings) if not _is_unnamed_tuple(one)]
        #: What variables are bound to.
        self.values: dict[Any, Any] = {node: node.value for node in nodes}
        #: The variables that each binding uses, once for each use.
        self.used: dict[Any, list[Any]] = {}
        # Iterating does not pass entries that were removed, as it does in a dict.
        self._users: dict[Any, OrderedDict[Any, None]] = {}
        for node in nodes:
            if isinstance(node, MatchCast) or see_through(node) is not node:
                continue
            self.used[node] = used = list(_list_variables(node, self.values))
            for var in used:
                self._users.setdefault(var, OrderedDict())[node] = None
        self._numbers = {var: number for number, var in enumerate(self._users)}

    @property
    def variables(self) -> Sequence[Any]:
        """The variables that are used, in the order of their first use."""
        return list(self._users)

    def users(self, var: Any) -> Mapping[Any, None]:
        """The bindings that use a variable, in their order."""
        return self._users.get(var, OrderedDict())

    def list_used(self, user: Any) -> list[Any]:
        """The variables that a binding uses, each once, in the order of their first use."""
        return sorted(set(self.used.get(user, ())), key=self._numbers.__getitem__)

    def remove(self, binding: Any) -> None:
        """Remove a binding."""
        del self.values[binding]
        for var in dict.fromkeys(self.used.pop(binding, ())):
            del self._users[var][binding]


def _is_unnamed_tuple(expr: Any) -> bool:
    return isinstance(expr, Tuple) and not isinstance(expr, Var)


def _list_variables(binding: Any, nodes: Mapping[Any, Any]) -> Iterator[Any]:
    """The variables in the arguments of a binding, also in tuples there, from left to right."""
    waiting = list(reversed(binding._args))
    while waiting:
        part = see_through(waiting.pop())
        if isinstance(part, Var) or part in nodes:
            yield part
        elif isinstance(part, Expr):
            waiting += reversed(part._args)
