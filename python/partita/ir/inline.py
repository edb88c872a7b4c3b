# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Putting the bodies of functions in the place of calls: Function.inline_functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .block import SeqExpr
from .call import Call
from .global_var import GlobalVar
from .graph import names_of, visit_all
from .lift import lift_value
from .node import Expr
from .prim import Var as Size
from .rewriter import Rewriter, as_variable
from .types import ShapeType, TensorType, TupleType, Type, list_names
from .var import Var

if TYPE_CHECKING:
    from .relax_function import Function

__all__ = ["find_names", "inline", "inline_call"]


def inline(func: Function, functions: Mapping[str, Function]) -> Function:
    """`func` with the bodies of functions, which are given by name, in place of calls of them."""
    for name, callee in functions.items():
        if callee.body is None:
            raise ValueError(f"expected '{name}' to have a body, but found a declaration")
    made: Function = _Inliner(functions, find_names(func)).visit(func)
    return made


def inline_call(func: Function, args: Sequence[Any], names: dict[str, int]) -> Any:
    """The body of a function on arguments, with the sizes that they have.

    Parameters
    ----------
    func : Function
        The function.
    args : sequence of Expr
        As many arguments as it has parameters.
    names : dict
        The names of sizes that are taken, which get further ones; see find_names.
    """
    callee, rewriter = func, Rewriter()
    if find_names(func):
        callee = _Inliner({}, names)._specialize(func, args)
    rewriter.memo_map.update(zip(callee.params, args))
    return rewriter.visit_expr(callee._read().body)


def find_names(func: Function) -> dict[str, int]:
    """The names of sizes in a function, each with the number to try next for one like it."""
    return dict.fromkeys(_find_names(func), 0)


def _find_names(func: Function) -> set[str]:
    """The names of sizes in the types of a function."""
    return {str(name) for one in visit_all(func) for name in names_of(one)}


def _match(param: Type, arg: Type, sizes: dict[str, Any]) -> None:
    """Find the sizes that the names in `param` stand for, given an argument."""
    pairs: Any = ()
    if isinstance(param, TensorType) and isinstance(arg, TensorType):
        pairs = zip(param.shape or (), arg.shape or ())
    elif isinstance(param, ShapeType) and isinstance(arg, ShapeType):
        pairs = zip(param.values or (), arg.values or ())
    elif isinstance(param, TupleType) and isinstance(arg, TupleType):
        for one, other in zip(param.fields, arg.fields):
            _match(one, other, sizes)
    for name, size in pairs:
        if isinstance(name, str) and name.isidentifier() and size is not None:
            sizes.setdefault(str(name), size)


def _bind(func: Function, sizes: Mapping[str, Any]) -> Function:
    """The function with sizes in place of all names, which may be any; and one more parameter."""
    added = ShapeType([*sizes, *dict.fromkeys(_names_in(sizes.values()))])
    parts = func._read()
    assert parts.body is not None
    params = [*parts.params, Var("sizes", added)]
    return func._with_parts(params, parts.body, parts.blocks).bind_symbolic_vars(sizes)


def _names_in(sizes: Any) -> list[str]:
    return [str(name) for name in list_names(ShapeType(list(sizes)))]


class _Inliner(Rewriter):
    """Replaces calls of `functions` by their bodies, in a function where `names` are taken.

    Each name has the number to try next for another one like it.
    """

    def __init__(
        self, functions: Mapping[str, Function], names: dict[str, int], around: Sequence[str] = ()
    ):
        super().__init__()
        self.functions, self.names, self.around = functions, names, tuple(around)

    def visit_call_(self, call: Call) -> Any:
        call = super().visit_call_(call)
        name = call.op.name_hint if isinstance(call.op, GlobalVar) else ""
        if name not in self.functions:
            return call
        if name in self.around:
            chain = " -> ".join([*self.around[self.around.index(name) :], name])
            raise ValueError(f"expected functions that do not call themselves, but found {chain}")
        callee = self._specialize(self.functions[name], call.args)
        if len(callee.params) != len(call.args) + 1:
            raise ValueError(
                f"expected {len(callee.params) - 1} arguments for {call.op}, "
                f"but found {len(call.args)}"
            )
        inner = _Inliner(self.functions, self.names, (*self.around, name))
        # The expressions of the callee go into the block that is being visited.
        inner._collecting, inner._names = self._collecting, self._names
        inner.memo_map.update(zip(callee.params, call.args))
        for binding in (binding for block in callee.blocks for binding in block.bindings):
            self._emit(inner.visit_expr(binding))
        return inner.visit_expr(callee._read().body)

    def _emit(self, value: Any) -> None:
        """Let the block that is being visited, if there is one, compute `value` here."""
        if isinstance(value, SeqExpr):
            for binding in (binding for block in value.blocks for binding in block.bindings):
                self._emit(binding)
            self._emit(value.body)
            return
        if not isinstance(value, Expr):
            value = lift_value(value)
        if not self._collecting or isinstance(value, Var) and value.value is None:
            return
        emitted, _, is_dataflow = self._collecting[-1]
        if value.loc is not None:
            value = as_variable(value)
        value._put_in_block(is_dataflow)
        emitted.append(value)

    def _specialize(self, callee: Function, args: Sequence[Any]) -> Function:
        """A copy of a function with the sizes that arguments have."""
        fresh: dict[str, str] = {}
        for name in sorted(_find_names(callee)):
            count = self.names.get(name, 0)
            while f"{name}_{count}" in self.names:
                count += 1
            self.names[name] = count + 1
            fresh[name] = f"{name}_{count}"
            self.names[fresh[name]] = 0
        sizes: dict[str, Any] = {}
        for param, arg in zip(callee.params, args):
            _match(param.struct_info, arg.struct_info, sizes)
            size, given = param._as_size(), getattr(arg, "_as_size", lambda: None)()
            if size is not None and given is not None:
                sizes.setdefault(str(size), given)
        # In two steps, as a name may be one of another size in the caller.
        renamed = _bind(callee, {name: Size(new) for name, new in fresh.items()})
        known = {fresh[name]: size for name, size in sizes.items() if name in fresh}
        unknown = {name: Size(name) for name in fresh.values() if name not in known}
        parts = renamed._read()
        assert parts.body is not None
        without = renamed._with_parts(parts.params[:-1], parts.body, parts.blocks)
        return _bind(without, {**known, **unknown})
