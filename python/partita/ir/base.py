# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and their parts as TVM's JSON, and their comparison, where TVM has them."""

from __future__ import annotations

from typing import Any

from ..errors import check_type
from ..mlir import ir
from .compare import assert_structural_equal, structural_equal, structural_hash
from .module import IRModule
from .node_json import load_node, save_node

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
    return node.to_tvm_json() if isinstance(node, IRModule) else save_node(node)


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
