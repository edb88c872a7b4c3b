# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Queries on types: what two have in common, and the names of sizes in them."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import check_type
from ..ir.call import Call
from ..ir.context import get_context
from ..ir.prim import Var, substitute, undefined_vars
from ..ir.relax_function import Function
from ..ir.types import (
    FuncType,
    ObjectType,
    ShapeType,
    TensorType,
    TupleType,
    Type,
    as_value,
    from_mlir,
    join_results,
    list_dims,
    list_names,
    map_dims,
    unify_types,
)
from ..ir.values import MATCH_CAST
from ..mlir._mlir_libs import _partita
from .bindings import bound_vars

__all__ = [
    "BaseCheckResult",
    "collect_non_negative_expressions",
    "definable_tir_vars_in_type",
    "defined_symbolic_vars",
    "derive_call_ret_type",
    "erase_to_well_defined",
    "free_symbolic_vars",
    "get_static_type",
    "tir_vars_in_type",
    "type_base_check",
    "type_lca",
]


class BaseCheckResult(enum.IntEnum):
    """What type_base_check finds."""

    #: No value of one type has the other.
    FAIL_L0 = 0
    #: Less is known of the second type: a value can turn out to have the first.
    FAIL_L1 = 1
    #: Types and ranks fit, but the sizes may be others.
    FAIL_L2 = 2
    #: All values of the second type have the first.
    PASS = 3


def type_base_check(base: Type, derived: Type) -> BaseCheckResult:
    """Whether the values of the type `derived` have the type `base`, too."""
    check_type(base, Type, "a type")
    if base.is_base_of(derived):
        return BaseCheckResult.PASS
    if isinstance(derived, ObjectType):
        return BaseCheckResult.FAIL_L1
    if isinstance(base, TupleType) and isinstance(derived, TupleType):
        return _check_all(base.fields, derived.fields)
    if isinstance(base, FuncType) and isinstance(derived, FuncType):
        if base.purity and not derived.purity:
            return BaseCheckResult.FAIL_L0
        if base.params is not None and derived.params is not None:
            return _check_all((*base.params, base.ret), (*derived.params, derived.ret))
    one_device = base, derived
    lacks = False
    if isinstance(base, TensorType) and isinstance(derived, TensorType):
        if base.vdevice is not None and derived.vdevice not in (None, base.vdevice):
            return BaseCheckResult.FAIL_L0
        lacks = base.vdevice is not None and derived.vdevice is None
        lacks = lacks or (base.dtype is not None and derived.dtype is None)
        one_device = base.with_vdevice(None), derived.with_vdevice(None)
    context = get_context()
    general, specific = (as_value(type_).to_mlir(context) for type_ in one_device)
    if not _partita.is_castable(specific, general):
        return BaseCheckResult.FAIL_L0
    if isinstance(derived, (TensorType, ShapeType)):
        lacks = lacks or derived.ndim == -1
    return BaseCheckResult.FAIL_L1 if lacks else BaseCheckResult.FAIL_L2


def _check_all(bases: Sequence[Type], derived: Sequence[Type]) -> BaseCheckResult:
    if len(bases) != len(derived):
        return BaseCheckResult.FAIL_L0
    return min(map(type_base_check, bases, derived), default=BaseCheckResult.PASS)


def type_lca(lhs: Type, rhs: Type) -> Type:
    """What is known about a value that has one of two types."""
    check_type(lhs, Type, "a type")
    check_type(rhs, Type, "a type")
    return unify_types(lhs, rhs)


def get_static_type(ty: Type) -> Type:
    """The type without what depends on values: how many dimensions there are, but not which."""
    check_type(ty, Type, "a type")
    return map_dims(ty, lambda dims: None)


def erase_to_well_defined(
    ty: Type, shape_var_map: Mapping[Any, Any] | None = None, var_map: Any = None
) -> Type:
    """The type where only some names of sizes are known.

    Parameters
    ----------
    ty : TensorType, TupleType, ...
        The type.
    shape_var_map : dict of tir.Var to int or PrimExpr, optional
        The names, and what they are there. A shape with others is forgotten.
    var_map : dict, optional
        TVM's; a shape that is a variable is forgotten.
    """
    check_type(ty, Type, "a type")
    known = shape_var_map or {}

    def change(dims: Any) -> Any:
        if any(name not in known for dim in dims for name in undefined_vars(dim)):
            return None
        return [substitute(dim, known) for dim in dims]

    # The names of a function's own parameters are defined by it.
    return ty if isinstance(ty, FuncType) else map_dims(ty, change)


def tir_vars_in_type(ty: Type) -> list[Var]:
    """The names of sizes in a type, each once."""
    check_type(ty, Type, "a type")
    return list_names(ty)


def definable_tir_vars_in_type(ty: Type) -> list[Var]:
    """The names that are a dimension of a value of the type, each once."""
    check_type(ty, Type, "a type")
    dims = (dim for dim in list_dims(ty) if dim.isidentifier())
    return list(dict.fromkeys(dim if isinstance(dim, Var) else Var(dim) for dim in dims))


def collect_non_negative_expressions(ty: Type) -> list[Any]:
    """The dimensions in a type that are expressions, each once: none is negative."""
    check_type(ty, Type, "a type")
    return list(dict.fromkeys(list_dims(ty)))


def defined_symbolic_vars(func: Function) -> list[Var]:
    """The names of sizes that the parameters and the match_casts of a function define."""
    check_type(func, Function, "a Function")
    casts = (var for var in bound_vars(func) if isinstance(var, Call) and var.op is MATCH_CAST)
    types = [value.struct_info for value in (*func.params, *casts)]
    return definable_tir_vars_in_type(TupleType(types))


def free_symbolic_vars(func: Function) -> list[Var]:
    """The names of sizes in the types of a function that its parameters do not define."""
    defined = set(defined_symbolic_vars(func))
    return [name for name in tir_vars_in_type(func.struct_info) if name not in defined]


def derive_call_ret_type(func_ty: FuncType, call: Call, ctx: Any = None) -> Type:
    """The type of a call of a function of the type `func_ty` with the arguments of `call`.

    `ctx` is TVM's BlockBuilder, and is not needed.
    """
    check_type(func_ty, FuncType, "the type of a function")
    if func_ty.params is None:
        return func_ty.ret
    context = get_context()
    type_: Any = FuncType(func_ty.params, func_ty.ret).to_mlir(context)
    results = _partita.bind_types(type_, [arg._type for arg in call.args])
    return from_mlir(join_results(results, context))


# The names that they have in TVM before 0.27.
struct_info_lca, struct_info_base_check = type_lca, type_base_check
tir_vars_in_struct_info, definable_tir_vars_in_struct_info = (
    tir_vars_in_type,
    definable_tir_vars_in_type,
)
