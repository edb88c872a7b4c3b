# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of calls, and the types of their results."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from ..ir.attrs import to_attribute
from ..ir.dtype import element_type
from ..ir.global_var import GlobalVar
from ..mlir import ir
from . import types as _types

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
        value = [v.__index__() for v in (value if hasattr(value, "__iter__") else [value])]
    if kind == "FloatAttr" and isinstance(value, int):
        value = float(value)
    if kind in _BUILDERS:
        try:
            return ir.AttrBuilder.get(_BUILDERS[kind])(value, context=context)
        except (TypeError, RuntimeError) as error:
            raise TypeError(f"expected an attribute to be a {kind}, but found {value!r}") from error
    return to_attribute(value, context)


class _Scratch:
    """The results of infer in one context."""

    def __init__(self, context: ir.Context):
        self.context = context
        self.location = ir.Location.unknown(context)
        self.known: dict[Any, Any] = {}
        self.defaults: dict[str, dict[str, ir.Attribute]] = {}

    def get_defaults(self, name: str) -> dict[str, ir.Attribute]:
        """The attributes that an op has when none are given.

        MLIR's C API infers types from properties without defaults, which ops don't expect.
        """
        if name not in self.defaults:
            op = ir.Operation.create(name, results=[], loc=self.location, ip=False)
            self.defaults[name] = {n: a for n, a in op.attributes.items()}
        return self.defaults[name]


_scratch = threading.local()
_MAX_KNOWN = 1 << 14


def infer(
    name: str,
    operands: Sequence[ir.Type],
    attributes: dict[str, ir.Attribute],
    context: ir.Context,
    results: Sequence[ir.Type] | None = None,
) -> Any:
    """The result types and all attributes of an op, which is verified.

    Raises
    ------
    ValueError
        If it is not valid; with MLIR's message.
    """
    scratch = getattr(_scratch, "value", None)
    if scratch is None or scratch.context is not context:
        scratch = _scratch.value = _Scratch(context)
    key = (name, tuple(operands), tuple(attributes.items()), results and tuple(results))
    found = scratch.known.get(key)
    if found is not None:
        return found
    location = scratch.location
    attributes = {**scratch.get_defaults(name), **attributes}
    source = op = None
    try:
        source = ir.Operation.create(
            "builtin.unrealized_conversion_cast", results=list(operands), loc=location, ip=False
        )
        op = ir.Operation.create(
            name,
            results=None if results is None else list(results),
            operands=list(source.results),
            attributes=attributes,
            loc=location,
            ip=False,
            infer_type=results is None,
        )
        op.verify()
        found = (
            tuple(result.type for result in op.results),
            {n: a for n, a in op.attributes.items()},
        )
    except ir.MLIRError as error:
        said = "; ".join(d.message for d in error.error_diagnostics) or error.message
        prefix = f"'{name}' op "
        said = said[len(prefix) :] if said.startswith(prefix) else said
        raise ValueError(f"{name}: {said}") from error
    finally:
        if op is not None:
            op.erase()
    if len(scratch.known) >= _MAX_KNOWN:
        scratch.known.clear()
    scratch.known[key] = found
    return found


def call_types(callee: GlobalVar, type_: ir.FunctionType, args: Sequence[ir.Type]) -> list[ir.Type]:
    """The types of the results of a call of a function with that type."""
    params = list(type_.inputs)
    if len(params) != len(args):
        raise ValueError(f"expected {len(params)} arguments for {callee}, but found {len(args)}")
    return _types.substitute(params, args, list(type_.results))
