# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adding, removing and replacing bindings of a dataflow block."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import RewriteError, check_type
from ..ir.binding import Binding, MatchCast, bind
from ..ir.block import BindingBlock, DataflowBlock
from ..ir.call import Call
from ..ir.lift import lift
from ..ir.module import IRModule
from ..ir.node import Expr
from ..ir.relax_function import Function
from ..ir.var import Var
from ..mlir import ir
from .expr_functor import ExprMutator

__all__ = ["DataflowBlockRewrite"]

# The distance of two bindings of a block, between which others can be added, and of two that moved.
_GAP, _ROOM = 1 << 64, 1 << 32


class _Uses:
    """The bindings that use a variable, which is another one after it was replaced."""

    __slots__ = ("of", "by", "first", "_into")

    def __init__(self, of: _Slot):
        self.of = of
        self.by: set[_Slot] = set()
        #: No slot in `by` stands before it.
        self.first: _Slot | None = None
        self._into: _Uses | None = None

    def find(self) -> _Uses:
        """What these are a part of."""
        found = self
        while found._into is not None:
            if found._into._into is not None:
                found._into = found._into._into
            found = found._into
        return found

    def add(self, users: Iterable[_Slot], first: _Slot | None) -> None:
        """Let others use it, too."""
        self.by.update(users)
        if self.first is None or (first is not None and first.place < self.first.place):
            self.first = first

    def join(self, other: _Uses) -> _Uses:
        """These and `other` as one, of the variable of `other`."""
        few, many = (self, other) if len(self.by) < len(other.by) else (other, self)
        many.of = other.of
        many.add(few.by, few.first)
        few.by, few._into = set(), many
        return many


class _Slot:
    """A parameter, a binding or the result of the function.

    Attributes
    ----------
    expr : Expr
        What it was when the function was made the last time.
    uses : dict of Expr to _Uses
        The variables in `expr`, and the value that stands for each now.
    users : _Uses
        The bindings that use it.
    place : tuple of int
        Its block and its position in the block. Slots compare by it. The block of parameters is -1.
    next : _Slot or None
        The binding after it in its block.
    is_there : bool
        Whether it was not removed.
    """

    __slots__ = ("expr", "uses", "users", "place", "next", "is_there")

    next: _Slot | None

    def __init__(self, expr: Any, place: tuple[int, int]):
        self.expr, self.place, self.next, self.is_there = expr, place, None, True
        self.uses: dict[Any, _Uses] = {}
        self.users = _Uses(self)


class DataflowBlockRewrite:
    """Changes the bindings of a dataflow block; the function that has it stays as it is.

    Variables of that function name the variables that took their place, too. A variable is an
    output of the block if something uses it after the block. The function is made anew when it is
    asked for.

    Parameters
    ----------
    dfb : DataflowBlock
        The block.
    root_fn : Function
        The function that has it.
    """

    def __init__(self, dfb: DataflowBlock, root_fn: Function):
        check_type(dfb, DataflowBlock, "a DataflowBlock to rewrite")
        check_type(root_fn, Function, "the Function that has the block")
        blocks = root_fn.blocks
        # A function that is read again has other blocks of the same bindings.
        indices = (i for i, block in enumerate(blocks) if block.bindings == dfb.bindings)
        index = next(indices, None)
        if index is None:
            raise RewriteError(
                f"expected a block of {root_fn!r}, such as func.body.blocks[0], but found {dfb!r}"
            )
        self._original, self._function, self._index = root_fn, root_fn, index
        self._blocks: list[BindingBlock] = list(blocks)
        # Also slots of variables that were replaced or removed.
        self._slots: dict[Any, _Slot] = {p: _Slot(p, (-1, 0)) for p in root_fn.params}
        # A slot in front of the first binding of each block.
        self._heads = [_Slot(None, (i, 0)) for i in range(len(blocks))]
        for head, block in zip(self._heads, blocks):
            last = head
            for binding in block.bindings:
                self._slots[binding] = slot = _Slot(binding, (last.place[0], last.place[1] + _GAP))
                last.next = last = slot
        self._result = _Slot(root_fn._read().body, (len(blocks), 0))
        for slot in self._bindings():
            self._read_uses(slot)
        self._names = {_name(expr) for expr in self._slots}
        self._free_names = (f"tmp{count}" for count in itertools.count())
        # Whether bindings stand after the values that they use, and whether the function is up to
        # date.
        self._is_sorted, self._is_made = True, True

    def replace_all_uses(self, old_var: Expr, new_var: Expr) -> None:
        """Use `new_var` where `old_var` is used, which stays."""
        old, new = self._find(old_var), self._find(new_var)
        if old is new:
            return
        if self._depends(new, old):
            raise RewriteError(
                f"expected a variable that does not use '{_name(old_var)}' in its place, "
                f"but found '{_name(new_var)}'"
            )
        uses = old.users
        self._is_sorted &= uses.first is None or new.place < uses.first.place
        new.users, old.users = uses.join(new.users), _Uses(old)
        self._is_made = False

    def add_binding(self, binding: Any) -> None:
        """Add a VarBinding or a MatchCast after the values that it uses."""
        check_type(binding, Binding, "a VarBinding or a MatchCast to add")
        expr = binding if isinstance(binding, Expr) else binding.get_expr()
        known = self._slots.get(expr)
        if known is not None and known.is_there:
            raise RewriteError(
                f"expected a variable that is new in the function, but found '{_name(expr)}'"
            )
        self._insert(expr)

    def add(self, expr: Any, name: str | None = None, is_dfvar: bool = False) -> None:
        """Add a binding of an expression after the values that it uses.

        Parameters
        ----------
        expr : Expr
            The expression.
        name : str, optional
            The name of its variable; by default one of tmp0, tmp1, ...
        is_dfvar : bool, optional
            TVM's; a variable is an output of the block if it is used after it.
        """
        value = lift(expr)
        if name is None:
            name = next(name for name in self._free_names if name not in self._names)
        check_type(name, str, "the name of a variable to be a str")
        if isinstance(value, Var) or value.loc is not None or value in self._slots:
            value = bind(Var(name, value.struct_info), value)
        else:
            value.loc = ir.Location.name(name, context=value._context)
        self._insert(value)

    def remove_unused(self, var: Expr, allow_undef: bool = False) -> None:
        """Remove a binding of the block that nothing uses.

        Parameters
        ----------
        var : Expr
            Its variable.
        allow_undef : bool, optional
            Whether the function need not have it.

        Raises
        ------
        RewriteError
            If something uses it, or no binding of the block is it. It is a ValueError, and a
            RuntimeError as in TVM.
        """
        slot = self._slots.get(var)
        if slot is None or not slot.is_there or slot.place[0] != self._index:
            if allow_undef:
                return
            raise RewriteError(
                f"expected a variable of the block, or allow_undef=True, but found '{_name(var)}'"
            )
        count = len(slot.users.by) - (self._result in slot.users.by)
        if slot.users.by:
            users = f"{count} bindings use" if count else "the function returns"
            raise RewriteError(
                f"expected a variable that nothing uses, but found '{_name(var)}', which {users}"
            )
        self._remove(slot)

    def remove_all_unused(self) -> None:
        """Remove the bindings of all blocks that nothing uses, but calls with side effects."""
        waiting = [slot for slot in self._bindings() if slot is self._result or self._acts(slot)]
        needed = set(waiting)
        while waiting:
            for uses in waiting.pop().uses.values():
                used = uses.find().of
                if used not in needed:
                    needed.add(used)
                    waiting.append(used)
        for slot in self._bindings():
            if slot not in needed:
                self._remove(slot)

    def mutated_dfb(self) -> DataflowBlock:
        """The block as it is now."""
        self.mutated_root_fn()
        block = self._blocks[self._index]
        assert isinstance(block, DataflowBlock)
        return block

    def mutated_root_fn(self) -> Function:
        """The function as it is now."""
        if self._is_made:
            return self._function
        made = {self._slots[param] for param in self._original.params}
        for slot in self._bindings():
            if slot not in made:
                self._make(slot, made)
        for index, block in enumerate(self._blocks):
            bindings = tuple(slot.expr for slot in self._block(index))
            if bindings != block.bindings:
                self._blocks[index] = type(block)(bindings)
        original, body = self._original, self._result.expr
        blocks = [block for block in self._blocks if block.bindings]
        same = body is original._read().body and blocks == original.blocks
        self._function = original if same else original._with_parts(original.params, body, blocks)
        self._is_made = True
        return self._function

    #: The same, by the names of TVM's fields.
    dfb, root_fn = property(mutated_dfb), property(mutated_root_fn)

    def mutate_irmodule(self, irmodule: IRModule) -> IRModule:
        """A copy of the module that has the function, with what it is now."""
        check_type(irmodule, IRModule, "an IRModule")
        for gvar, func in irmodule.functions.items():
            if func is self._original:
                mod = irmodule.clone()
                mod.update_func(gvar, self.mutated_root_fn())
                return mod
        raise RewriteError(
            f"expected the module that {self._original!r} was taken from, but found one without it"
        )

    def _find(self, var: Any) -> _Slot:
        slot = self._slots.get(var) or self._find_param(var)
        if slot is None or not slot.is_there:
            raise RewriteError(
                f"expected a parameter or a variable of the function, but found '{_name(var)}'"
            )
        return slot

    def _find_param(self, var: Any) -> _Slot | None:
        """The parameter that `var` is: a Var that the function was made of is read as another."""
        if not isinstance(var, Var) or var.value is not None:
            return None
        same = [
            param
            for param in self._original.params
            if param.name_hint == var.name_hint and param.ty == var.ty
        ]
        return self._slots[same[0]] if len(same) == 1 else None

    def _bindings(self) -> Iterator[_Slot]:
        """All bindings, and the result."""
        for index in range(len(self._heads)):
            yield from self._block(index)
        yield self._result

    def _block(self, index: int) -> Iterator[_Slot]:
        """The bindings of a block."""
        last = self._heads[index]
        while (slot := last.next) is not None:
            if slot.is_there:
                yield slot
                last = slot
            else:
                last.next = slot.next

    def _parts(self, slot: _Slot) -> Iterator[Any]:
        """The variables in a binding, and its parts: expressions that are in no block."""
        # A result that is a variable has nothing else in it.
        is_alias = slot is self._result and (slot.expr in self._slots or isinstance(slot.expr, Var))
        pending, seen = [slot.expr] if is_alias else list(slot.expr._args), set()
        while pending:
            part = pending.pop()
            if not isinstance(part, Expr) or part in seen:
                continue
            seen.add(part)
            yield part
            if part not in self._slots and not isinstance(part, Var):
                pending.extend(part._args)

    def _read_uses(self, slot: _Slot) -> None:
        for part in self._parts(slot):
            if part in self._slots or isinstance(part, Var):
                slot.uses[part] = users = self._find(part).users
                users.add([slot], slot)

    def _acts(self, slot: _Slot) -> bool:
        """Whether a binding does something, or can fail, also if nothing uses it."""
        if slot is self._result:
            return False
        parts = [slot.expr, *(part for part in self._parts(slot) if part not in self._slots)]
        return isinstance(slot.expr, MatchCast) or any(
            isinstance(part, Call) and not isinstance(part, MatchCast) and not part.is_pure
            for part in parts
        )

    def _depends(self, slot: _Slot, other: _Slot) -> bool:
        """Whether a binding uses another one, directly or through others."""
        waiting, seen = [slot], {slot}
        while waiting:
            one = waiting.pop()
            if one is other:
                return True
            for used in (uses.find().of for uses in one.uses.values()):
                # No binding uses a later one.
                if used not in seen and not (self._is_sorted and used.place < other.place):
                    seen.add(used)
                    waiting.append(used)
        return False

    def _insert(self, expr: Expr) -> None:
        slot, head = _Slot(expr, (self._index, 0)), self._heads[self._index]
        self._read_uses(slot)
        used = [uses.find().of for uses in slot.uses.values()]
        used = [one for one in used if one.place[0] == self._index]
        # As in TVM, a binding that uses nothing of the block becomes its second one.
        first = next(self._block(self._index), head)
        last = max(used, key=lambda one: one.place, default=first)
        self._make_room(last)
        after = _place(last.next, last.place[1] + 2 * _GAP)
        slot.place = (self._index, (last.place[1] + after) // 2)
        slot.next, last.next = last.next, slot
        self._slots[expr] = slot
        self._names.add(_name(expr))
        self._is_made = False

    def _make_room(self, slot: _Slot) -> None:
        """Let there be a place between `slot` and the next.

        If there is none, the slots after it move apart, as few as get room for the square of their
        number: Dietz and Sleator's order maintenance, in which O(log n) move for each addition.
        """
        start, end = slot.place[1], slot.next
        moved: list[_Slot] = []
        if end is None or end.place[1] - start > 1:
            return
        while end is not None and end.place[1] - start <= _ROOM * (len(moved) + 1) ** 2:
            moved.append(end)
            end = end.next
        room = _place(end, start + (len(moved) + 1) * _GAP) - start
        for number, one in enumerate(moved, 1):
            one.place = (self._index, start + room * number // (len(moved) + 1))

    def _remove(self, slot: _Slot) -> None:
        slot.is_there = self._is_made = False
        for uses in slot.uses.values():
            uses.find().by.discard(slot)

    def _make(self, slot: _Slot, made: set[_Slot]) -> None:
        """Make a binding, after the values that stand for its variables now."""
        waiting = [slot]
        while waiting:
            one = waiting[-1]
            now = {part: uses.find() for part, uses in one.uses.items()}
            missing = [uses.of for uses in now.values() if uses.of not in made]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            made.add(one)
            if all(part is uses.of.expr for part, uses in now.items()):
                continue
            mutator = ExprMutator()
            mutator.memo_map.update((part, uses.of.expr) for part, uses in now.items())
            one.expr = lift(mutator.visit(one.expr))
            one.uses = {uses.of.expr: uses for uses in now.values()}
            if one is not self._result:
                self._slots[one.expr] = one


def _place(slot: _Slot | None, end: int) -> int:
    """Where a slot is in its block; `end` if there is none."""
    return end if slot is None else slot.place[1]


def _name(var: Any) -> str:
    return var.name_hint or repr(var) if isinstance(var, Expr) else repr(var)
