# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of calls."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from ..errors import as_number
from ..mlir import ir
from .attrs import to_attribute
from .dtype import element_type
from .op import Param
from .prim import FloatImm

__all__ = ["make_attributes"]

_BUILDERS = {
    "BoolAttr": "BoolAttr",
    "DenseI64ArrayAttr": "DenseI64ArrayAttr",
    "FloatAttr": "F64Attr",
    "IntegerAttr": "I64Attr",
    "StringAttr": "StrAttr",
}


def _make_attribute(kind: str | None, value: Any, context: ir.Context) -> ir.Attribute:
    """`value` as an attribute of the class `kind`."""
    if isinstance(value, ir.Attribute):
        return to_attribute(value, context)
    if kind == "TypeAttr":
        return ir.TypeAttr.get(element_type(value, context), context)
    if kind == "DenseI64ArrayAttr":
        try:
            listed = value if hasattr(value, "__iter__") and not isinstance(value, str) else [value]
            value = [operator.index(v) for v in listed]
        except TypeError:
            raise TypeError(
                f"expected an attribute to be an int or a list of ints, but found {value!r}"
            ) from None
    if kind == "FloatAttr" and isinstance(value, int):
        value = float(value)
    if kind == "BoolAttr" and value in (0, 1):
        value = bool(value)
    # A parameter that takes any attribute is a list of numbers where TVM has one.
    if kind in ("Attribute", "DenseF64ArrayAttr") and isinstance(value, (list, tuple)):
        value = [as_number(v) for v in value]
        if all(isinstance(v, int) for v in value) and kind == "Attribute":
            return ir.DenseI64ArrayAttr.get([int(v) for v in value], context=context)
        # A FloatImm says that it is no float64.
        if all(isinstance(v, (int, float)) and not isinstance(v, FloatImm) for v in value):
            return ir.DenseF64ArrayAttr.get([float(v) for v in value], context=context)
    if kind in _BUILDERS:
        try:
            return ir.AttrBuilder.get(_BUILDERS[kind])(value, context=context)
        except (TypeError, RuntimeError) as error:
            raise TypeError(f"expected an attribute to be a {kind}, but found {value!r}") from error
    return to_attribute(value, context)


def make_attributes(
    op: Any, values: Mapping[str, Any], context: ir.Context
) -> dict[str, ir.Attribute]:
    """These names and Python values as attributes of a call of `op`, an Op or a GlobalVar."""
    params: list[Param] = getattr(op, "params", None) or []
    kinds = {param.name: param.kind for param in params}
    attributes = {}
    for name, value in values.items():
        if value is None and name in kinds:
            continue
        # One with a prefix is any dialect's.
        if kinds and name not in kinds and "." not in name:
            raise TypeError(
                f"expected an attribute of {getattr(op, 'name')}, one of "
                f"{[param.name for param in params if not param.is_operand]}, but found '{name}'"
            )
        attributes[name] = _make_attribute(kinds.get(name), value, context)
    return attributes
