# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .names import also_named
from .node import Expr, Kind, Native
from .operators import has_no_truth
from .prim import PrimExpr
from .prim_type import MISSING
from .types import Dim, PrimType, TensorType, as_value, to_mlir

__all__ = ["Var", "var"]


@_partita.known_as("Var")
class Var(Expr):
    """A variable: a parameter, or one that VarBinding binds to a value.

    Parameters
    ----------
    name_hint : str
        Its name; two variables may have the same one.
    struct_info : TensorType, TupleType, ..., str or mlir.ir.Type, optional
        Its type, or the dtype of a number; without it, the type of the value that a binding gives
        it.
    """

    __slots__ = ()

    name_hint: str = Native._object

    __bool__ = has_no_truth

    @also_named(name="name_hint", ty="struct_info")
    def __init__(self, name_hint: str, struct_info: Any = None, span: Any = None):
        check_type(name_hint, str, "the name of a Var to be a str")
        types = None
        if isinstance(struct_info, str):
            struct_info = PrimType(struct_info)
        if struct_info is not None and struct_info is not MISSING:
            types = (to_mlir(as_value(struct_info)),)
        super().__init__(Kind.VAR, span, types, name_hint)

    #: The type, by its name in Relay.
    type_annotation = Expr.struct_info

    #: What it is bound to: another expression, or a Function; None if it is free.
    value: Any = Native._arg

    def _as_size(self) -> PrimExpr | None:
        if self._types is None or self.value is not None or not self.name_hint.isidentifier():
            return None
        type_ = self._type
        is_int64 = isinstance(type_, ir.IntegerType) and type_.width == 64 and type_.is_signless
        return PrimExpr(self.name_hint) if is_int64 else None

    def __repr__(self) -> str:
        type_ = "" if self._types is None else f", {self._type}"
        return f'Var("{self.name_hint}"{type_})'


def var(
    name_hint: str,
    type_annotation: Any = None,
    shape: Sequence[Dim] | None = None,
    dtype: Any = "float32",
) -> Var:
    """Make a variable.

    Parameters
    ----------
    name_hint : str
        Its name.
    type_annotation : TensorType, ..., or a shape
        Its type.
    shape : sequence of int, str or None, optional
        The shape of a tensor, instead of `type_annotation`.
    dtype : str, optional
        Its element type.
    """
    if isinstance(type_annotation, (list, tuple)):
        type_annotation, shape = None, type_annotation
    if (type_annotation is None) == (shape is None):
        raise ValueError("expected a variable to have either a type or a shape")
    if shape is not None:
        type_annotation = TensorType(shape, dtype)
    return Var(name_hint, type_annotation)
