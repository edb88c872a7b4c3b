# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of the types of expressions, and the type of numbers."""

from __future__ import annotations

from typing import Any

from ..errors import check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .context import get_context
from .dtype import as_dtype, element_type
from .identity import is_same
from .show import script, show

__all__ = ["PrimType", "Type"]


class Type:
    """The type of an expression."""

    __slots__: tuple[str, ...] = ()

    def to_mlir(self, context: ir.Context | None = None) -> ir.Type:
        """The type in MLIR; in the context of get_context() by default."""
        return self._make(context or get_context())

    def _make(self, context: ir.Context) -> ir.Type:
        raise NotImplementedError

    def _of_value(self) -> Type:
        """The type of a value that has this one: a function is a CallableType."""
        return self

    def _value_text(self) -> str:
        """The type of a value as text, in which types that are structural_equal are the same."""
        return str(self._of_value().to_mlir())

    def is_base_of(self, derived: Type) -> bool:
        """Whether every value of the type `derived` has this one, too.

        As in TVM, a function's parameters are compared as its result is.
        """
        check_type(derived, Type, "a type")
        context = get_context()
        general, specific = (type_._of_value().to_mlir(context) for type_ in (self, derived))
        return _partita.is_more_general(general, specific) and self._fits_device(derived)

    def _fits_device(self, derived: Type) -> bool:
        """Whether a value is on the device that this type names, for types alike beside it."""
        return True

    def is_missing(self) -> bool:
        """False: every expression that has a type knows it."""
        return False

    same_as = is_ = is_same

    def _key(self) -> tuple[Any, ...]:
        fields = (getattr(self, name) for name in self.__slots__)
        return tuple(str(field) if isinstance(field, ir.Type) else field for field in fields)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __str__(self) -> str:
        return repr(self)

    script, show = script, show


class PrimType(Type):
    """A number.

    Parameters
    ----------
    dtype : str
        Its type.
    """

    __slots__ = ("dtype",)

    def __init__(self, dtype: Any, span: Any = None):
        self.dtype: Any = as_dtype(dtype)

    def _make(self, context: ir.Context) -> ir.Type:
        return element_type(self.dtype, context)

    def __repr__(self) -> str:
        return f'PrimType("{self.dtype}")'
