# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and their parts as TVM's JSON, and their comparison, where TVM has them."""

from __future__ import annotations

from typing import Any

from ..errors import check_type
from ..mlir import ir
from .compare import assert_structural_equal, structural_equal, structural_hash
from .function import BaseFunc
from .module import IRModule
from .module_around import module_around
from .node_json import load_node, save_in, save_node, to_function
from .relax_function import Function

__all__ = [
    "assert_structural_equal",
    "load_json",
    "save_json",
    "structural_equal",
    "structural_hash",
]


def save_json(node: Any) -> str:
    """A module, function, expression or type as JSON that TVM loads; see IRModule.to_tvm_json.

    An expression that has a match_cast, which in TVM is a binding, becomes a SeqExpr.
    """
    if isinstance(node, IRModule):
        return node.to_tvm_json()
    func = to_function(node)
    if not isinstance(func, Function):
        return save_node(node)
    # A function of the module may have any name.
    name = func.name if isinstance(node, BaseFunc) else "the expression"
    return save_in(module_around(func, name).operation, name, node)


def load_json(json_str: str) -> Any:
    """The module, function, expression or type that TVM, or save_json, has saved.

    A number is a PrimValue. See IRModule.from_tvm_json.
    """
    check_type(json_str, str, "JSON to be a str")
    try:
        return IRModule.from_tvm_json(json_str)
    except ir.MLIRError:
        # Most texts are modules, so that a large one is read only once.
        if (made := load_node(json_str)) is None:
            raise
    return made
