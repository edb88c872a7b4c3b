# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Queries on expressions and types: their order, variables and callees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeGuard

from ..errors import NotWellFormedError, check_type
from ..ir.attrs import from_attribute
from ..ir.block import SeqExpr
from ..ir.call import Call, TupleGetItem
from ..ir.constant import Constant
from ..ir.function import BaseFunc, PrimFunc
from ..ir.global_var import GlobalVar
from ..ir import graph
from ..ir.graph import list_roots, names_of, visit_all
from ..ir.lift import Tuple
from ..ir.module import IRModule
from ..ir.module_around import all_global_vars, module_around
from ..ir.node import FREE, Expr
from ..ir.op import Op
from ..ir.prim import undefined_vars
from ..ir.relax_function import Function
from ..ir.types import FuncType, TupleType, from_mlir
from ..ir.values import MATCH_CAST, PrimValue, ShapeExpr, Value
from ..ir.var import Var
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from ..transform.context import without_instruments
from . import type_analysis
from .bindings import binding_uses, bound_vars, get_var2val, name_to_binding, udchain
from .expr_functor import ExprMutator
from .memory_usage import estimate_memory_usage
from .transform import DeadCodeElimination
from .type_analysis import *  # noqa: F401,F403
from .type_analysis import definable_tir_vars_in_type, tir_vars_in_type

__all__ = [
    "all_global_vars",
    "all_vars",
    "bound_vars",
    "check_well_formed",
    "computable_at_compile_time",
    "contains_impure_call",
    "detect_recursion",
    "estimate_memory_usage",
    "free_vars",
    "get_var2val",
    "has_reshape_pattern",
    "name_to_binding",
    "post_order_visit",
    "remove_all_unused",
    "udchain",
    "used_vars",
    "well_formed",
]
__all__ += type_analysis.__all__


# Ops without effects in TVM that are unknown here, or can fail.
_OPAQUE = Op.get("relax.opaque_expr")
_NO_CALLS = (MATCH_CAST, _OPAQUE)
# Expressions that are written where they are used.
_VALUES = (Constant, Value)


def post_order_visit(expr: Expr | Function, fvisit: Callable[[Any], Any]) -> None:
    """Call `fvisit` with each expression, once, after those that it uses.

    The variables that the value of a binding uses are no part of it.

    Parameters
    ----------
    expr : Expr or Function
        The expression or function to visit; it comes last itself.
    fvisit : callable
        The function to call.
    """
    check_type(fvisit, Callable, "fvisit to be callable")
    for found in _list_parts(expr) if _is_value(expr) else visit_all(expr):
        fvisit(found)
    if isinstance(expr, BaseFunc):
        fvisit(expr)


def _is_value(expr: Any) -> TypeGuard[Expr]:
    """Whether `expr` is an expression that is neither a variable nor has blocks."""
    return isinstance(expr, Expr) and expr._scope == FREE and not isinstance(expr, SeqExpr)


def _list_parts(expr: Expr) -> list[Any]:
    """`expr`, after the expressions in it that no block binds, and parameters."""
    found: dict[Any, None] = {}
    waiting: list[tuple[Any, bool]] = [(expr, False)]
    while waiting:
        one, is_ready = waiting.pop()
        if is_ready:
            found[one] = None
        elif isinstance(one, SeqExpr):
            found.update(dict.fromkeys(visit_all(one)))
        elif one is expr or one._scope == FREE or (isinstance(one, Var) and one.value is None):
            waiting.append((one, True))
            waiting += [(arg, False) for arg in reversed(one._args) if isinstance(arg, Expr)]
    return list(found)


def free_vars(expr: Expr | Function) -> list[Any]:
    """The variables that are used and not defined in `expr`, in the order of their first use."""
    if not _is_value(expr):
        return graph.free_vars(expr)
    has_blocks = any(isinstance(arg, SeqExpr) for arg in expr._args)
    bound = set(bound_vars(expr)) if has_blocks else ()
    return [var for var in used_vars(expr) if var not in bound]


def all_vars(expr: Expr | Function) -> list[Any]:
    """The variables that an expression uses or defines, each once.

    A binding of a block is its own variable, and so is what has a name.
    """
    seq = expr.body if isinstance(expr, Function) else expr
    found: dict[Any, None] = dict.fromkeys(expr.params if isinstance(expr, Function) else ())
    if isinstance(seq, SeqExpr):
        for binding in (binding for block in seq.blocks for binding in block.bindings):
            found.update(dict.fromkeys([*used_vars(binding), binding]))
        found.update(dict.fromkeys(used_vars(seq.body)))
        found.update(dict.fromkeys(bound_vars(expr)))
    elif seq is not None:
        found.update(dict.fromkeys(used_vars(seq)))
    return list(found)


def used_vars(expr: Expr | Function) -> list[Any]:
    """The variables that an expression uses, each once.

    What has no name in it is part of it, as in TVM what has no variable.
    """
    check_type(expr, (Expr, Function), "an expression or a function")
    found: dict[Any, None] = {}
    waiting: list[Any] = [expr]
    while waiting:
        one = waiting.pop()
        seq = one.body if isinstance(one, Function) else one
        if isinstance(seq, SeqExpr):
            for binding in (b for block in seq.blocks for b in block.bindings):
                found.update(dict.fromkeys(used_vars(binding)))
            waiting.append(seq.body)
            continue
        is_whole = one is expr
        is_named = one.name_hint and (one._scope != FREE or not isinstance(one, Constant))
        if isinstance(one, Var) or (is_named and not is_whole):
            found[one] = None
        else:
            waiting += reversed([arg for arg in one._args if not isinstance(arg, GlobalVar)])
    return list(found)


def contains_impure_call(expr: Expr | Function, own_name: Any = None) -> bool:
    """Whether something in `expr` is called that has side effects.

    Calls in a function in it count where that function is called. `own_name` is the Var or
    GlobalVar of the function itself, whose calls do not count.
    """
    for found in _partita.post_order(list_roots(expr)):
        if isinstance(found, Call) and found.op not in _NO_CALLS and not found.is_pure:
            if own_name is None or found.op != own_name:
                return True
    return False


def has_reshape_pattern(func: PrimFunc) -> bool:
    """Whether all that `func` does is to give a parameter another shape.

    It copies the elements of one parameter, in row-major order, to its last one.
    """
    check_type(func, PrimFunc, "a PrimFunc")
    return _partita.is_reshape(func.operation)


def detect_recursion(mod: IRModule) -> list[list[GlobalVar]]:
    """The groups of functions of a module that call each other, or themselves."""
    check_type(mod, IRModule, "an IRModule")
    calls = {
        name: {callee.name_hint for callee in all_global_vars(func)}
        for name, func in ((gvar.name_hint, mod[gvar]) for gvar in mod.get_global_vars())
        if isinstance(func, Function) and func.body is not None
    }
    reached = {name: _reach(name, calls) for name in calls}
    groups = {
        frozenset(other for other in reached[name] if name in reached.get(other, ()))
        for name in calls
        if name in reached[name]
    }
    return [[mod.get_global_var(name) for name in names] for names in sorted(map(sorted, groups))]


def _reach(name: str, calls: Mapping[str, Iterable[str]]) -> set[str]:
    """The functions that a call of `name` may call."""
    found: set[str] = set()
    pending = list(calls[name])
    while pending:
        callee = pending.pop()
        if callee not in found:
            found.add(callee)
            pending.extend(calls.get(callee, ()))
    return found


def computable_at_compile_time(func: Function) -> list[Any]:
    """The variables whose values follow from the parameters after the first "num_input"."""
    check_type(func, Function, "a Function")
    count = func.attrs.get("num_input")
    if count is None:
        return []
    found = dict.fromkeys(func.params[count:])
    bindings = dict.fromkeys(binding for block in func.blocks for binding in block.bindings)
    # Sizes that the types of these parameters, and of casts among `found`, have.
    sizes = {size for param in found for size in tir_vars_in_type(param.struct_info)}
    for binding in bindings:
        known = {*sizes, *(tir_vars_in_type(binding.struct_info) if _is_cast(binding) else ())}
        needed = {size for used in visit_all(binding) for size in names_of(used)}
        if needed <= known and all(used in found for used in binding_uses(binding, bindings)):
            found[binding] = None
            sizes = known

    # A value to which TVM binds no variable is part of its user.
    def is_part(var: Any) -> bool:
        is_unnamed = isinstance(var, (Tuple, TupleGetItem)) and not var.name_hint
        return is_unnamed or isinstance(var, _VALUES)

    return [var for var in found if not is_part(var)]


def _is_cast(binding: Any) -> bool:
    return isinstance(binding, Call) and binding.op is MATCH_CAST


def well_formed(obj: IRModule | Function, check_ty: bool = True) -> None:
    """Raise an error if a module or a function is not valid.

    Parameters
    ----------
    obj : IRModule or Function
        What to check.
    check_ty : bool, optional
        TVM's; types are always checked.

    Raises
    ------
    NotWellFormedError
        The error; it holds the diagnostics, as an MLIRError does, and is a ValueError.
    ValueError
        If a call of TVM's was imported as it is, since it is not valid.
    """
    check_type(obj, (IRModule, BaseFunc), "an IRModule or a function")
    try:
        obj.operation.verify()
    except ir.MLIRError as error:
        raise NotWellFormedError(error.message, error.error_diagnostics) from error

    def check(op: ir.Operation) -> ir.WalkResult:
        # An op of relax that is kept as it is did not fit into its own.
        if op.name == "relax.call_op":
            name = ir.StringAttr(op.attributes["op_name"]).value
            # Nor did a result whose variable is annotated as any object.
            is_object = [str(result.type) for result in op.results] == ["!relax.object"]
            if name in Op._all and not is_object:
                raise ValueError(f"expected a valid call of {name}, but found {op}")
        parent = op.parent
        if op.name == "relax.if" and parent is not None and parent.name == "relax.dataflow":
            raise ValueError(f"expected no If in a dataflow block, but found {op}")
        if op.name == "relax.call_tir_inplace":
            _check_in_place(op)
        return ir.WalkResult.ADVANCE

    obj.operation.walk(check, ir.WalkOrder.PRE_ORDER)
    for func in obj.functions.values() if isinstance(obj, IRModule) else [obj]:
        if not isinstance(func, Function):
            continue
        if func.body is not None:
            _check_purity(func)
            _check_sizes(func)
        symbol = func.attrs.get("global_symbol", func.name)
        if isinstance(obj, IRModule) and symbol != func.name:
            raise ValueError(
                f"expected the global_symbol of @{func.name} to be its name, but found '{symbol}'"
            )


def _check_purity(func: Function) -> None:
    """Raise an error if a function does not say what its calls do."""
    is_forced = bool(func.attrs.get("relax.force_pure", False))
    if is_forced and not func.is_pure:
        raise ValueError(
            f"expected @{func.name} to be pure, as relax.force_pure says, but found is_pure = false"
        )
    if func.is_pure and not is_forced and contains_impure_call(func):
        raise ValueError(
            f"expected @{func.name}, which is pure, to have no call with side effects, but found "
            "one; make it with is_pure=False, or give it the attribute relax.force_pure"
        )


def _check_sizes(func: Function) -> None:
    """Raise an error if a size is known only as a part of others."""
    found = visit_all(func)
    functions = [func, *(one for one in found if isinstance(one, Function))]
    params = [param for function in functions for param in function.params]
    introducing = [*params, *(one for one in found if _is_cast(one))]
    known = {param._as_size() for param in params}
    # What is kept as it is can hold anything.
    known.update(*(names_of(one) for one in found if getattr(one, "op", None) is _OPAQUE))
    for one in introducing:
        known.update(_introduced_sizes(one.struct_info))
    for one in [*introducing, *(one for one in found if isinstance(one, (PrimValue, ShapeExpr)))]:
        is_value = isinstance(one, PrimValue)
        names = undefined_vars(one.value) if is_value else _needed_sizes(one.struct_info)
        for name in names:
            if name not in known:
                raise ValueError(
                    f"expected '{name}' in {one.value if is_value else one.struct_info} in "
                    f"@{func.name} to be a dimension of a parameter or a match_cast, but found none"
                )


def _needed_sizes(type_: Any) -> Iterable[Any]:
    """The names of sizes in a type, but those that a function in it has of its own parameters."""
    if isinstance(type_, TupleType):
        return [name for field in type_.fields for name in _needed_sizes(field)]
    own = _introduced_sizes(TupleType(getattr(type_, "params", None) or []))
    return [name for name in tir_vars_in_type(type_) if name not in own]


def _introduced_sizes(type_: Any) -> Iterable[Any]:
    if isinstance(type_, TupleType):
        return {name for field in type_.fields for name in _introduced_sizes(field)}
    return [] if isinstance(type_, FuncType) else definable_tir_vars_in_type(type_)


def _check_in_place(op: Any) -> None:
    """Raise an error if a result is to be written into an argument of another type."""
    attrs = from_attribute(op.attributes["attrs"]) if "attrs" in op.attributes else {}

    def fields(type_: Any) -> Any:
        return type_.fields if isinstance(type_, TupleType) else [type_]

    types = [from_mlir(operand.type) for operand in op.operands[1:]]
    args = fields(types[0]) if len(types) == 1 else types
    results = fields(from_mlir(op.result.type))
    for result, number in zip(results, attrs.get("inplace_indices", [])):
        known = args[number] if 0 <= number < len(args) else result
        if not known.is_base_of(result) and not result.is_base_of(known):
            raise ValueError(
                f"expected a result that is written into argument {number} to have its type, "
                f"{known}, but found {result}"
            )


def check_well_formed(obj: IRModule | Function, check_ty: bool = True) -> bool:
    """Whether a module or a function is valid."""
    try:
        well_formed(obj, check_ty)
    except ValueError:
        return False
    return True


def remove_all_unused(func: Function | SeqExpr) -> Any:
    """The function, or blocks with a value, without what is computed and not used."""
    if isinstance(func, SeqExpr):
        return _remove_unused(func)
    check_type(func, Function, "a Function or a SeqExpr")
    with without_instruments():
        made = DeadCodeElimination([func.name])(module_around(func))[func.name]
    assert isinstance(made, Function)
    return made


def _remove_unused(seq: SeqExpr) -> Any:
    free = free_vars(seq)
    made = remove_all_unused(Function(free, seq, is_pure=not contains_impure_call(seq)))
    # What the blocks use from elsewhere stays the same object.
    mutator = ExprMutator()
    mutator.memo_map.update(zip(made.params, free))
    return mutator.visit(made.body)
