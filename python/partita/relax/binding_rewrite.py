# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adding, removing and replacing bindings of a dataflow block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import RewriteError, check_type
from ..ir.module import IRModule
from ..mlir import ir
from .analysis import contains_impure_call, udchain
from .block import Binding, BindingBlock, DataflowBlock, MatchCast
from .expr import Expr, Var, bind, lift
from .expr_functor import ExprMutator
from .function import Function

__all__ = ["DataflowBlockRewrite"]


class DataflowBlockRewrite:
    """Changes the bindings of a dataflow block; the function that has it stays as it is.

    Variables of that function name what has taken their place, too. A variable is an output of
    the block if something uses it after the block.

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
        body = root_fn._read().body
        assert body is not None, "it has blocks"
        self._body: Expr = body
        # What has taken the place of variables that were replaced or whose operands were.
        self._now: dict[Any, Any] = {}

    def replace_all_uses(self, old_var: Expr, new_var: Expr) -> None:
        """Use `new_var` where `old_var` is used, which stays."""
        old, new = self._find(old_var), self._find(new_var)
        if old is new:
            return
        users = self._users()
        reached, waiting = set(), [old]
        while waiting:
            for user in users.get(waiting.pop(), ()):
                if user not in reached:
                    reached.add(user)
                    waiting.append(user)
        if new in reached:
            raise RewriteError(
                f"expected a variable that does not use '{_name(old)}' in its place, "
                f"but found '{_name(new)}'"
            )
        mutator = ExprMutator()
        mutator.memo_map[old] = new

        def replace(binding: Any) -> Any:
            # Everything else that is there is no use.
            return binding if binding is old else mutator.visit(binding)

        for index, block in enumerate(self._blocks):
            self._set_block(index, [(one, replace(one)) for one in block.bindings])
        self._body = lift(mutator.visit(self._body))
        self._changed()

    def add_binding(self, binding: Any) -> None:
        """Add a VarBinding or a MatchCast after what it uses."""
        check_type(binding, Binding, "a VarBinding or a MatchCast to add")
        expr = binding if isinstance(binding, Expr) else binding.get_expr()
        if self._now.get(expr, expr) in self._users():
            raise RewriteError(
                f"expected a variable that is new in the function, but found '{_name(expr)}'"
            )
        self._insert(expr)

    def add(self, expr: Any, name: str | None = None, is_dfvar: bool = False) -> None:
        """Add a binding of an expression after what it uses.

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
        value = self._now.get(value, value)
        if name is None:
            taken, count = {_name(one) for one in self._users()}, 0
            while f"tmp{count}" in taken:
                count += 1
            name = f"tmp{count}"
        check_type(name, str, "the name of a variable to be a str")
        if isinstance(value, Var) or value.loc is not None or value in self._users():
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
        expr = self._now.get(var, var)
        if expr not in self._blocks[self._index].bindings:
            if allow_undef:
                return
            raise RewriteError(
                f"expected a variable of the block, or allow_undef=True, but found '{_name(var)}'"
            )
        count = len(self._users()[expr])
        if count or expr is self._body:
            users = f"{count} bindings use" if count else "the function returns"
            raise RewriteError(
                f"expected a variable that nothing uses, but found '{_name(expr)}', which {users}"
            )
        self._keep(lambda binding: binding is not expr)

    def remove_all_unused(self) -> None:
        """Remove the bindings of all blocks that nothing uses, but calls with side effects."""
        needed, users = {self._body}, self._users()
        used_by: dict[Any, list[Any]] = {}
        for used, by in users.items():
            for user in by:
                used_by.setdefault(user, []).append(used)
        needed.update(used_by.get(self._body, ()))
        for block in reversed(self._blocks):
            for binding in reversed(block.bindings):
                can_fail = isinstance(binding, MatchCast) or contains_impure_call(binding)
                if binding in needed or can_fail:
                    needed.update((binding, *used_by.get(binding, ())))
        self._keep(lambda binding: binding in needed)

    def mutated_dfb(self) -> DataflowBlock:
        """The block as it is now."""
        block = self._blocks[self._index]
        assert isinstance(block, DataflowBlock)
        return block

    def mutated_root_fn(self) -> Function:
        """The function as it is now."""
        return self._function

    def mutate_irmodule(self, irmodule: IRModule) -> IRModule:
        """A copy of the module that has the function, with what it is now."""
        check_type(irmodule, IRModule, "an IRModule")
        for gvar, func in irmodule.functions.items():
            if func is self._original:
                mod = irmodule.clone()
                mod.update_func(gvar, self._function)
                return mod
        raise RewriteError(
            f"expected the module that {self._original!r} was taken from, but found one without it"
        )

    def _find(self, var: Any) -> Any:
        expr = self._now.get(var, var)
        if expr not in self._users():
            raise RewriteError(
                f"expected a parameter or a variable of the function, but found '{_name(var)}'"
            )
        return expr

    def _users(self) -> dict[Any, list[Any]]:
        """The bindings, and the result, that use each variable."""
        bindings = [binding for block in self._blocks for binding in block.bindings]
        is_bound = self._body in set(bindings) or isinstance(self._body, Var)
        users = udchain(BindingBlock(bindings if is_bound else [*bindings, self._body]))
        return {**{param: [] for param in self._original.params}, **users}

    def _insert(self, expr: Expr) -> None:
        bindings = list(self._blocks[self._index].bindings)
        users = udchain(BindingBlock([*bindings, expr]))
        # As in TVM, what uses nothing of the block is its second binding.
        last = max((i for i, one in enumerate(bindings) if expr in users[one]), default=0)
        bindings.insert(last + 1, expr)
        self._blocks[self._index] = DataflowBlock(bindings)
        self._changed()

    def _keep(self, is_kept: Callable[[Any], bool]) -> None:
        for index, block in enumerate(self._blocks):
            self._set_block(index, [(one, one) for one in block.bindings if is_kept(one)])
        self._changed()

    def _set_block(self, index: int, bindings: list[tuple[Any, Any]]) -> None:
        """Give a block the second of each pair, which takes the place of the first."""
        block = self._blocks[index]
        made = [new for _, new in bindings]
        if made == list(block.bindings):
            return
        replaced = {old: new for old, new in bindings if old is not new}
        for var, now in self._now.items():
            self._now[var] = replaced.get(now, now)
        for old, new in replaced.items():
            self._now.setdefault(old, new)
        self._blocks[index] = type(block)(made)

    def _changed(self) -> None:
        original = self._original
        blocks = [block for block in self._blocks if block.bindings]
        same = self._body is original._read().body and blocks == original.blocks
        self._function = (
            original if same else Function._make(original.params, self._body, blocks, like=original)
        )


def _name(var: Any) -> str:
    return var.name_hint or repr(var) if isinstance(var, Expr) else repr(var)
