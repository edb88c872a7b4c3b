# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equality and hashes of modules and functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import check_type
from ..mlir import ir, passmanager
from .as_function import as_function
from .function import BaseFunc
from .global_info import GlobalInfo
from .global_var import GlobalVar
from .module import IRModule
from .node import Expr
from .op import Op
from .prim_type import Type
from .range import Range
from .show import elide
from .values import OpExpr, ShapeExpr


def _as_module(value: Any) -> IRModule:
    if isinstance(value, BaseFunc):
        # Whether it is private is said of a module's function; its "global_symbol" counts.
        return IRModule({"main": value.without_attr("sym_visibility")})
    if isinstance(value, Expr):
        return _as_module(as_function(value, introduces_sizes=True))
    check_type(value, IRModule, "an IRModule or a function")
    return value


def _read_number(value: Any) -> Any:
    """The number that a PrimValue is, or a size."""
    if isinstance(value, (int, float)):
        kind = "float64" if isinstance(value, float) else "int64"
        kind = "bool" if isinstance(value, bool) else kind
        return value, str(getattr(value, "dtype", kind))
    number = getattr(value, "value", None) if isinstance(value, Expr) else None
    if not isinstance(number, (int, float)):
        return None
    return number, str(getattr(value.struct_info, "dtype", ""))


def _same_variables(lhs: Any, rhs: Any) -> bool:
    """Whether two expressions have the same free variables."""
    one, other = (as_function(expr, introduces_sizes=True) for expr in (lhs, rhs))
    # The last ones introduce the sizes.
    return bool(getattr(one, "params")[:-1] == getattr(other, "params")[:-1])


# What is compared as it is; sizes are str and int.
_PLAIN = (str, int, float, type(None))
# What is compared by its text.
_NODES = (GlobalInfo, GlobalVar, Op, Range, ir.Attribute)
_LISTS = (list, tuple)
_VALUES = (Mapping, *_NODES, *_LISTS, *_PLAIN)


def _read_array(value: Any) -> Any:
    """The dtype, the shape and the bytes of an array; None of something else."""
    if not hasattr(value, "__array_interface__"):
        return None
    return str(value.dtype), value.shape, value.tobytes()


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two values say the same.

    They are modules, functions, expressions, types, sizes, attributes, arrays, or lists or
    dicts of these.

    Locations and names of variables do not count, nor do the names of two functions that
    are compared and whether they are private. As in TVM, constants and shapes are values:
    where they stand is no difference, while the order of bindings is. The order of the
    functions of a module is none. Free variables of
    expressions are equal to themselves alone, unless `map_free_vars`; names of dimensions
    always count.
    """
    if isinstance(lhs, Type) and isinstance(rhs, Type):
        # The type of a function and the type of a value that is a function are two classes.
        return bool(lhs == rhs or lhs._value_text() == rhs._value_text())
    if isinstance(lhs, _PLAIN) and isinstance(rhs, _PLAIN):
        return lhs == rhs and _read_number(lhs) == _read_number(rhs)
    if isinstance(lhs, _LISTS) and isinstance(rhs, _LISTS):
        pairs = list(zip(lhs, rhs))
        same = len(lhs) == len(rhs)
        return same and all(structural_equal(a, b, map_free_vars) for a, b in pairs)
    if isinstance(lhs, _LISTS) != isinstance(rhs, _LISTS):
        # A type's shape, which is a ShapeExpr in TVM.
        one, other = (one.values if isinstance(one, ShapeExpr) else one for one in (lhs, rhs))
        if all(isinstance(shape, _LISTS) for shape in (one, other)):
            return structural_equal(one, other, map_free_vars)
    if isinstance(lhs, Expr) != isinstance(rhs, Expr) and (number := _read_number(lhs)) is not None:
        # TVM has one class for numbers that are expressions and others.
        return bool(number == _read_number(rhs))
    if isinstance(lhs, Expr) and isinstance(rhs, Expr):
        if isinstance(lhs, OpExpr) and isinstance(rhs, OpExpr) and not (lhs._args or rhs._args):
            # Such as a ShapeExpr, whose names no parameter introduces.
            same = lhs.op == rhs.op and lhs.struct_info == rhs.struct_info
            return same and dict(lhs.attrs) == dict(rhs.attrs)
        if lhs is rhs:
            return True
        if not map_free_vars and not _same_variables(lhs, rhs):
            return False
    if isinstance(lhs, Mapping) and isinstance(rhs, Mapping):
        same = type(lhs) is type(rhs) and lhs.keys() == rhs.keys()
        return same and all(structural_equal(lhs[key], rhs[key], map_free_vars) for key in lhs)
    if isinstance(lhs, _NODES) and isinstance(rhs, _NODES):
        return bool(lhs == rhs)
    if (array := _read_array(lhs)) is not None:
        return bool(array == _read_array(rhs))
    are_expr = [isinstance(one, Expr) for one in (lhs, rhs)]
    if not all(are_expr) and all(isinstance(one, (Expr, *_VALUES)) for one in (lhs, rhs)):
        return False
    return _as_module(lhs)._equivalent(_as_module(rhs))


def structural_hash(node: Any, map_free_vars: bool = False) -> int:
    """A hash that values share if they are structural_equal, with `map_free_vars` or without it.

    It is the same in every process.
    """
    if isinstance(node, Type):
        return _hash_text(node._value_text())
    if isinstance(node, ShapeExpr):
        node = tuple(node.values)
    if isinstance(node, _LISTS):
        return _hash_text(" ".join(str(structural_hash(one)) for one in node))
    if (number := _read_number(node)) is not None:
        return _hash_text(str(hash(number[0])))
    if isinstance(node, _PLAIN):
        return _hash_text(str(node))
    if isinstance(node, Mapping):
        return structural_hash(sorted(structural_hash(list(item)) for item in node.items()))
    if isinstance(node, _NODES):
        return _hash_text(repr(node))
    if (array := _read_array(node)) is not None:
        return _hash_text(repr(array))
    return _as_module(node)._hash()


def _hash_text(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _sort_functions(value: Any) -> Any:
    """The op of a module whose functions are in the order of their names, or of a function."""
    if not isinstance(value, IRModule):
        return value.operation
    module = value.operation.clone()
    block = module.regions[0].blocks[0]
    functions = [op for op in block if "sym_name" in op.attributes]
    for op in sorted(functions, key=lambda op: ir.StringAttr(op.attributes["sym_name"]).value):
        block.append(op)
    return module


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Raise a ValueError with a diff unless both are structural_equal."""
    if structural_equal(lhs, rhs, map_free_vars):
        return
    if isinstance(lhs, Type):
        raise ValueError(f"expected equal types, but found {lhs} and {rhs}")
    if not all(isinstance(one, (IRModule, BaseFunc)) for one in (lhs, rhs)):
        raise ValueError(f"expected equal values, but found {lhs!r} and {rhs!r}")
    ops = [_sort_functions(one) for one in (lhs, rhs)]
    unnamed = [_drop_names(op) for op in ops]
    # The shortest text that shows the difference.
    prints: list[Callable[[ir.Operation], str]] = [
        elide,
        str,
        lambda op: str(op.get_asm(print_generic_op_form=True)),
    ]
    diff: list[str] = []
    while prints and not diff:
        show = prints.pop(0)
        diff = _diff(unnamed, show)
    # Names help to read the difference, unless they are a part of it.
    named = _diff(ops, show)
    if _count_changes(named) == _count_changes(diff):
        diff = named
    raise ValueError("expected equal modules, but found:\n" + "\n".join(diff))


def _drop_names(op: ir.Operation) -> ir.Operation:
    """A copy of `op` whose values have no names."""
    op = op.clone()
    with op.context:
        manager = passmanager.PassManager.parse("any(strip-debuginfo)")
        manager.enable_verifier(False)
        manager.run(op)
    return op


def _diff(ops: Sequence[ir.Operation], show: Callable[[ir.Operation], str]) -> list[str]:
    import difflib

    left, right = (show(op).splitlines() for op in ops)
    return list(difflib.unified_diff(left, right, "lhs", "rhs", lineterm=""))


def _count_changes(diff: Sequence[str]) -> int:
    return sum(line.startswith(("+", "-")) for line in diff)
