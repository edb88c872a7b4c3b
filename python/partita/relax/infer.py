# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of calls, and the types of the results of functions."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ..ir.attrs import to_attribute
from ..ir.dtype import element_type
from ..ir.global_var import GlobalVar
from ..ir.prim import FloatImm
from ..mlir import ir
from ..mlir._mlir_libs import _partita

_BUILDERS = {
    "BoolAttr": "BoolAttr",
    "DenseI64ArrayAttr": "DenseI64ArrayAttr",
    "FloatAttr": "F64Attr",
    "IntegerAttr": "I64Attr",
    "StringAttr": "StrAttr",
}


def make_attribute(kind: str | None, value: Any, context: ir.Context) -> ir.Attribute:
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


def call_types(callee: GlobalVar, type_: ir.FunctionType, args: Sequence[ir.Type]) -> list[ir.Type]:
    """The types of the results of a call of a function with that type."""
    count = len(type_.inputs)
    if count != len(args):
        raise ValueError(f"expected {count} arguments for {callee}, but found {len(args)}")
    return _partita.bind_types(type_, args)
