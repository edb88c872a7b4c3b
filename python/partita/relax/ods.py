# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parameters of ops, as the records of the dialect declare them."""

from __future__ import annotations

import inspect
import typing
from typing import NamedTuple, Union

from ..mlir import ir


class Param(NamedTuple):
    """A parameter of an op: an operand or an attribute."""

    name: str
    kind: str  # "operand", "operands" or an attribute's class.
    is_required: bool

    @property
    def is_operand(self) -> bool:
        return self.kind in ("operand", "operands")


def _read_param(op_class: type, param: inspect.Parameter) -> Param:
    getter = getattr(op_class, param.name)
    returns = getter.fget.__annotations__["return"]
    is_optional = typing.get_origin(returns) is Union
    if is_optional:
        returns = typing.get_args(returns)[0]
    if getter.fset is None:
        kind = "operands" if returns is ir.OpOperandList else "operand"
    else:
        kind = returns.__name__
    is_required = param.default is param.empty and not (is_optional and kind == "operand")
    return Param(param.name, kind, is_required)


def read_params(op_class: type[ir.OpView]) -> list[Param] | None:
    """The parameters of an op; None if its results do not follow from them."""
    given = inspect.signature(getattr(op_class, "__init__")).parameters
    if "results" not in given:
        return None
    return [
        _read_param(op_class, param)
        for name, param in given.items()
        if name not in ("self", "results", "loc", "ip")
    ]
