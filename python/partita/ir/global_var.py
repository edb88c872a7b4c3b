# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import check_name, check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .any_expr import Expr
from .types import Type, from_mlir

if TYPE_CHECKING:
    from .call import Call


@_partita.known_as("GlobalVar")
@Expr.register
class GlobalVar:
    """The name of a function in an IRModule.

    Parameters
    ----------
    name_hint : str
        The symbol's name, without @.
    """

    __slots__ = ("name_hint", "_in_module", "_type", "_is_pure")

    def __init__(self, name_hint: str):
        check_name(name_hint, "the name of a GlobalVar")
        self.name_hint = name_hint
        # Whether it was taken from a module, or a function was added under it.
        self._in_module = False
        # The function's type, if the name was taken from a module.
        self._type: ir.FunctionType | None = None
        self._is_pure = True

    def __call__(self, *args: Any, **kwargs: Any) -> Call:
        """Call the function; see relax.Call for keyword arguments."""
        return _partita.make_call(self, args, **kwargs)

    @property
    def ty(self) -> Any:
        """The type of the function, a FuncType; missing if the name is not from a module."""
        if self._type is None:
            return Type.missing()
        type_: Any = from_mlir(self._type)
        type_.purity = self._is_pure
        return type_

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return _partita.write_node(self, context)

    def same_as(self, other: object) -> bool:
        """Whether `other` is the same name."""
        return self == other

    is_ = same_as

    def __reduce__(self) -> tuple[Any, ...]:
        return (GlobalVar, (self.name_hint,))

    def __repr__(self) -> str:
        return f'GlobalVar("{self.name_hint}")'

    def __str__(self) -> str:
        return "@" + self.name_hint

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GlobalVar) and other.name_hint == self.name_hint

    def __hash__(self) -> int:
        return hash((GlobalVar, self.name_hint))


def by_name(values: Mapping[Any, Any], types: Any, what: str) -> dict[str, Any]:
    """`values` by the names that their keys stand for. All values have to be `what`."""
    named: dict[str, Any] = {}
    for key, value in values.items():
        name = name_of(key)
        if not isinstance(value, types):
            check_type(value, types, f"'{name}' to be {what}")
        if name in named:
            raise ValueError(f"expected each name once, but found '{name}' twice")
        named[name] = value
    return named


def name_of(key: str | GlobalVar) -> str:
    """The name that `key` stands for."""
    if isinstance(key, GlobalVar):
        return key.name_hint
    check_type(key, str, "a function to be named by str or GlobalVar")
    return check_name(key, "the name of a function")
