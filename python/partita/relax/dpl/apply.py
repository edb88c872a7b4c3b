# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applying rules to functions until nothing changes."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from ...errors import RewriteError
from ...ir.block import BindingBlock, DataflowBlock, If, SeqExpr
from ...ir.call import Call
from ...ir.compare import structural_equal
from ...ir.function import BaseFunc
from ...ir.graph import visit_all
from ...ir.module_around import module_around
from ...ir.inline import find_names
from ...ir.module import IRModule
from ...ir.relax_function import Function
from ...ir.rewriter import Rewriter
from ...ir.var_classes import Var
from ...mlir import ir
from ...transform import PassContext, Sequential
from ..expr_functor import ExprMutator
from .graph import list_bindings
from .rules import Rule, Scope

__all__ = ["rewrite_function", "rewrite_module"]


def rewrite_module(rule: Rule, mod: IRModule) -> IRModule:
    """A module in which a rule is applied to the functions; `mod` if nothing changes."""
    functions = mod.functions_items()
    given = {var.name_hint: func for var, func in functions if isinstance(func, Function)}
    return _rewrite(rule, mod, given, _ModuleScope(mod))


def rewrite_function(rule: Rule, func: Function) -> Function:
    """The function to which a rule is applied; `func` if nothing changes."""
    mod = module_around(func)
    result: Any = _rewrite(rule, mod, {func.name: func}, _FunctionScope())[func.name]
    return func if result is mod[func.name] else cast(Function, result)


def _rewrite(
    rule: Rule, mod: IRModule, given: Mapping[str, Function], scope: _FunctionScope
) -> IRModule:
    """A module in which the given functions are rewritten; `mod` if nothing changes."""
    result, names = mod, list(given)
    limit = _Limit(given.values())
    while names:
        changed = {}
        for name in names:
            func: Any = given[name] if result is mod else result[name]
            scope.names = find_names(func)
            applier = _Applier(rule, scope)
            # New values may have the parameters of the given function.
            applier.memo_map.update(zip(given[name].params, func.params))
            new = applier.visit_expr(func)
            limit.add(name, len(applier._values))
            if new is not func and not structural_equal(new, func):
                changed[name] = new
        added = scope.take_added() if changed else {}
        simplified = _simplify(_with_functions(result, added), changed)
        names = [name for name in changed if not structural_equal(simplified[name], result[name])]
        if names:
            result = _with_functions(result, {**added, **{n: simplified[n] for n in names}})
    return result


class _Limit:
    """How often rules are applied before they count as endless, where TVM goes on for ever.

    A rule that moves something through a function takes as many rounds as the function has
    expressions. One that makes its own pattern twice doubles the function in each round.
    """

    def __init__(self, functions: Iterable[Function]):
        self._rounds = 100 + sum(len(visit_all(func)) for func in functions)
        self._values, self._seen = 100 * self._rounds, dict[str, int]()

    def add(self, name: str, values: int) -> None:
        """Count a round on a function, with the number of new values."""
        self._seen[name] = self._seen.get(name, 0) + 1
        self._values -= values
        if self._seen[name] > self._rounds or self._values < 0:
            raise RewriteError(
                f"expected a rule that ends, but found one that still changes '{name}' after it "
                f"was applied {self._seen[name]} times"
            )


def _with_functions(mod: IRModule, functions: Mapping[str, Any]) -> IRModule:
    """A copy of `mod` with other functions of these names; `mod` if there are none."""
    if not functions:
        return mod
    result = mod.clone()
    for name, func in functions.items():
        result[name] = func
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


class _FunctionScope(Scope):
    """The scope of one function, which no other functions can be added to."""

    def get_replacement(self, mod: IRModule) -> Function:
        others = _list_others(mod)
        if others:
            raise RewriteError(
                f"expected a module to rewrite, as the replacement has functions of its own: "
                f"{', '.join(others)}; but found a function"
            )
        replacement: Any = mod["replacement"]
        return cast(Function, replacement)

    def take_added(self) -> dict[str, BaseFunc]:
        """The functions to add to the module."""
        return {}


class _ModuleScope(_FunctionScope):
    """The scope of a module. Functions get names that are free there."""

    def __init__(self, mod: IRModule):
        self._mod, self._added = mod, dict[str, BaseFunc]()
        self._taken = {var.name_hint for var in mod.get_global_vars()}
        # The modules that rules came from, under their names here.
        self._made: list[tuple[IRModule, IRModule]] = []

    def get_replacement(self, mod: IRModule) -> Function:
        made = next((made for one, made in self._made if one is mod), None)
        if made is None:
            made = self._add(mod)
            self._made.append((mod, made))
        replacement: Any = made["replacement"]
        return cast(Function, replacement)

    def _add(self, mod: IRModule) -> IRModule:
        """A copy of a module with names for its functions that are free here."""
        made = mod.clone()
        op = made.operation
        for name in _list_others(mod):
            if name in self._mod and structural_equal(self._mod[name], mod[name]):
                continue
            new = self._free_name(name)
            if new != name:
                ir.SymbolTable.replace_all_symbol_uses(name, new, op)
                ir.SymbolTable.set_symbol_name(made[name].operation, new)
            self._added[new] = made[new]
        return made

    def _free_name(self, name: str) -> str:
        new, count = name, 0
        while new in self._taken:
            count += 1
            new = f"{name}_{count}"
        self._taken.add(new)
        return new

    def take_added(self) -> dict[str, BaseFunc]:
        added, self._added = self._added, {}
        return added


def _list_others(mod: IRModule) -> list[str]:
    names = [var.name_hint for var in mod.get_global_vars()]
    return [name for name in names if name not in ("pattern", "replacement")]


class _Applier(ExprMutator):
    """Applies a rule to what is bound in a function, once."""

    def __init__(self, rule: Rule, scope: Scope):
        super().__init__()
        self._rule, self._scope = rule, scope
        self._values: dict[Any, Any] = {}

    def _visit_body(self, func: Function) -> tuple[Sequence[BindingBlock], Any]:
        parts = func._read()
        self._apply(parts.blocks, parts.body)
        return Rewriter._visit_body(self, func)

    def visit_seq_expr_(self, seq: SeqExpr) -> SeqExpr:
        self._apply(seq.blocks, seq.body)
        return super().visit_seq_expr_(seq)

    def _apply(self, blocks: Sequence[BindingBlock], body: Any) -> None:
        runs = [run for block in blocks for run in _list_runs(block)]
        if not isinstance(body, Var):
            # As in TVM, it is one more binding of the last block.
            runs = [*runs[:-1], [*(runs[-1] if runs else ()), body]]
        for run in runs:
            self._values.update(self._rule.rewrite(list_bindings(run), self._scope))

    def _visit_each_binding(self, bindings: Sequence[Any], emitted: list[Any]) -> None:
        super()._visit_each_binding(_sort(bindings, self._values), emitted)

    def _rewrite(self, expr: Any, otherwise: Callable[[Any], Any]) -> Any:
        new = self._values.get(expr)
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


def _list_runs(block: BindingBlock) -> Iterator[list[Any]]:
    """The bindings of a block between others with side effects or branches."""
    run: list[Any] = []
    for binding in block.bindings:
        acts = isinstance(binding, If) or isinstance(binding, Call) and not binding.is_pure
        if acts and not isinstance(block, DataflowBlock):
            yield run
            run = []
        else:
            run.append(binding)
    yield run


def _sort(bindings: Sequence[Any], values: Mapping[Any, Any]) -> Sequence[Any]:
    """Bindings in their order, but after what their new values use.

    As in TVM, the first that can stand anywhere does so before others.
    """
    if not any(binding in values for binding in bindings):
        return bindings
    places = {binding: place for place, binding in enumerate(bindings)}
    missing: dict[int, set[int]] = {}
    users: dict[int, list[int]] = {}
    is_made, order = [False] * len(bindings), []
    ready: list[int] = []

    def add(place: int) -> None:
        order.append(bindings[place])
        is_made[place] = True
        for user in users.pop(place, ()):
            missing[user].discard(place)
            if not missing[user]:
                heapq.heappush(ready, user)

    for binding, place in places.items():
        used = {one for one in _list_used(binding, places, values) if not is_made[one]}
        if used:
            missing[place] = used
            for one in used:
                users.setdefault(one, []).append(place)
        else:
            add(place)
        while ready:
            add(heapq.heappop(ready))
    if len(order) < len(bindings):
        names = [one.name_hint for one, place in places.items() if not is_made[place]]
        raise RewriteError(
            "expected new values that do not use each other in a circle, but found such values of "
            f"{', '.join(names)}"
        )
    return order


def _list_used(binding: Any, places: Mapping[Any, int], values: Mapping[Any, Any]) -> set[int]:
    """The places of other bindings in the value of a binding."""
    new = values.get(binding)
    waiting = list(binding._args) if new is None else [new]
    seen: set[Any] = set()
    found: set[int] = set()
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        if part in places and part != binding:
            found.add(places[part])
        elif part in values and part != binding:
            waiting.append(values[part])
        else:
            waiting += getattr(part, "_args", ())
    return found
