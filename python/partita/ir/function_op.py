# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making the op of a function from its expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .attrs import to_attribute
from .block import Parts
from .global_var import GlobalVar
from .op_form import Resolver
from .var import Var

__all__ = ["UnknownCallee", "build"]


class UnknownCallee(ValueError):
    """The type of a callee is needed, but its module is not known yet."""


def build(
    parts: Parts,
    context: ir.Context,
    header: Mapping[str, ir.Attribute],
    ret_type: ir.Type | None,
    loc: ir.Location | None,
    resolver: Resolver | None,
) -> ir.Operation:
    """The op @main with the attributes in `header`, whose body must have `ret_type`."""

    def get_call_types(callee: GlobalVar, args: Sequence[ir.Type]) -> Sequence[ir.Type]:
        type_ = callee._type
        if resolver is not None:
            type_ = resolver(callee.name_hint) or type_
        if type_ is None:
            raise UnknownCallee(
                f"expected the function {callee} that is called to be in the module, or the "
                "call to have sinfo_args, the types of its results"
            )
        return call_types(callee, type_, args)

    attributes = {name: to_attribute(value, context) for name, value in header.items()}
    if "arg_attrs" not in attributes and (sizes := _read_sizes(parts.params, context)) is not None:
        attributes["arg_attrs"] = sizes
    return _partita.build_function(
        parts.params,
        parts.body,
        parts.blocks,
        parts.is_single,
        context,
        attributes,
        ret_type,
        loc,
        get_call_types,
    )


def _read_sizes(params: Sequence[Var], context: ir.Context) -> ir.Attribute | None:
    """The attributes of parameters, if some of these are sizes; None if none are."""
    sizes = [param._as_size() for param in params]
    if all(size is None for size in sizes):
        return None
    names = [param.name_hint for param in params]
    return ir.ArrayAttr.get(
        [
            ir.DictAttr.get(
                {"relax.dim": ir.StringAttr.get(str(size), context)}
                if size is not None and names.count(size) == 1
                else {},
                context,
            )
            for size in sizes
        ],
        context,
    )


@_partita.known_as("call_types")
def call_types(callee: GlobalVar, type_: ir.FunctionType, args: Sequence[ir.Type]) -> list[ir.Type]:
    """The types of the results of a call of a function with that type."""
    count = len(type_.inputs)
    if count != len(args):
        raise ValueError(f"expected {count} arguments for {callee}, but found {len(args)}")
    return _partita.bind_types(type_, args)
