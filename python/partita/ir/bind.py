# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Function.bind_params and Function.bind_symbolic_vars take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import BindError, check_type
from ..mlir import ir
from .constant import Constant, as_constant
from .lift import in_context
from .node import Expr
from .types import Dim, ShapeType, TensorType, check_dims
from .values import PrimValue, ShapeExpr
from .var import Var

__all__ = ["find_params", "read_dims", "read_params"]


def find_params(params: Sequence[Var], keys: Iterable[Any]) -> list[int]:
    """The index of each parameter that is a key, or has it as its name."""
    by_name: dict[str, list[int]] = {}
    for index, param in enumerate(params):
        by_name.setdefault(param.name_hint, []).append(index)
    found = []
    for key in keys:
        check_type(key, (str, Var), "a parameter to be a Var or its name")
        name = key if isinstance(key, str) else key.name_hint
        named = by_name.get(name, [])
        # A Var that the function was made of is read from a module as another one.
        indices = [index for index in named if params[index] is key] or [
            index for index in named if isinstance(key, str) or key.ty == params[index].ty
        ]
        if len(indices) != 1:
            names = [param.name_hint for param in params]
            raise BindError(
                f"expected one of the parameters {names}, but found "
                + (f"'{name}', which is none of them" if not indices else f"'{name}' twice in them")
            )
        found.append(indices[0])
    return found


def read_params(
    params: Sequence[Var], values: Mapping[Any, Any]
) -> list[tuple[int, Constant | ir.Attribute]]:
    """The index of each parameter that a key of `values` names, and its value.

    Elements live as long as the Constant that has them.
    """
    check_type(values, Mapping, "the values to be a dict by parameter")
    found: dict[int, Constant | ir.Attribute] = {}
    for index, value in zip(find_params(params, values), values.values()):
        if index in found:
            name = params[index].name_hint
            raise BindError(f"expected one value for '{name}', but found two")
        found[index] = _read_value(params[index], value)
    return list(found.items())


def _read_value(param: Var, value: Any) -> Constant | ir.Attribute:
    type_, context = param._type, param._context
    is_number = isinstance(value, (bool, int, float))
    with context:
        if isinstance(value, PrimValue) and "value" in value._attrs:
            return value._attrs["value"]
        if is_number and isinstance(type_, ir.IntegerType):
            return ir.IntegerAttr.get(type_, int(value))
        if is_number and not isinstance(param.struct_info, TensorType):
            return ir.FloatAttr.get(type_, float(value), ir.Location.unknown())
        if isinstance(param.struct_info, ShapeType) and isinstance(value, (list, tuple)):
            value = ShapeExpr(value)
        if isinstance(value, ShapeExpr):
            return value._attrs["dims"]
        if isinstance(value, Expr) and not isinstance(value, Constant):
            raise TypeError(
                f"expected the value of '{param.name_hint}' to be a constant, a number, a shape "
                f"or an array, but found {type(value).__name__}"
            )
        constant: Constant = in_context(as_constant(value), context)
        return constant


def read_dims(sizes: Mapping[Any, Any]) -> tuple[list[str], tuple[Dim, ...]]:
    """Names of dimensions, and their sizes."""
    check_type(sizes, Mapping, "the sizes to be a dict by the names of dimensions")
    for name, size in sizes.items():
        check_type(name, str, "a dimension to be a tir.Var or its name")
        if size is None:
            raise TypeError(f"expected the size of '{name}' to be known, but found None")
    values = [value.value if isinstance(value, PrimValue) else value for value in sizes.values()]
    dims = check_dims(values)
    for name, dim in zip(sizes, dims):
        if isinstance(dim, int) and dim < 0:
            raise BindError(f"expected the size of '{name}' to be at least 0, but found {dim}")
    return [str(name) for name in sizes], dims
