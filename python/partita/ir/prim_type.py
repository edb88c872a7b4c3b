# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of the types of expressions, and the type of numbers."""

from __future__ import annotations

from typing import Any

from ..errors import check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .context import get_context
from .dtype import DataType, as_dtype, element_type
from .identity import is_same
from .show import script, show

__all__ = ["MISSING", "PrimType", "Type"]


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

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return _partita.write_node(self, context)

    def is_missing(self) -> bool:
        """Whether this stands for a type that is not known; see missing."""
        return False

    @staticmethod
    def missing() -> Type:
        """What an expression has in place of a type that is not known, as in TVM."""
        return MISSING

    Missing = missing

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


class _Missing(Type):
    """The type of an expression whose type is not known; there is one object."""

    __slots__ = ()

    def is_missing(self) -> bool:
        return True

    def _make(self, context: ir.Context) -> ir.Type:
        raise ValueError(
            "expected the type of an expression to be known, but it is missing; give the Var a "
            "type, or bind it to a value, or give the call sinfo_args"
        )

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return ir.TypeAttr.get(self._make(context), context)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"expected a type that has '{name}', but the type of the expression is missing; "
            "a Var gets a type from its maker or from a value, and the call of a function outside "
            "of a module from sinfo_args"
        )

    def __repr__(self) -> str:
        return "Type.missing()"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Type.missing, ())


MISSING = _Missing()


class PrimType(Type):
    """A number; it equals the name of its type, as in TVM.

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

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return bool(self.dtype == other)
        return super().__eq__(other)

    def __hash__(self) -> int:
        # Of the name, which is equal.
        return hash(str(self.dtype))

    def matches_code(self, *codes: int) -> bool:
        """Whether these kinds include the numbers' one; see DataTypeCode."""
        return DataType(self.dtype).matches_code(*codes)

    def matches_element_type(self, code: int, bits: int) -> bool:
        """Whether the numbers have this kind, and so many bits."""
        return DataType(self.dtype).matches_element_type(code, bits)

    def is_scalar(self) -> bool:
        """Whether it is one number."""
        return DataType(self.dtype).is_scalar()

    def __str__(self) -> str:
        return str(self.dtype)

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return ir.TypeAttr.get(self._make(context), context)

    def __repr__(self) -> str:
        return f'PrimType("{self.dtype}")'
