# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as TVM's JSON, and their comparison, where TVM has them."""

from __future__ import annotations

from ..errors import check_type
from .compare import assert_structural_equal, structural_equal, structural_hash
from .module import IRModule

__all__ = [
    "assert_structural_equal",
    "load_json",
    "save_json",
    "structural_equal",
    "structural_hash",
]


def save_json(node: IRModule) -> str:
    """A module as JSON that TVM loads; see IRModule.to_tvm_json."""
    check_type(node, IRModule, "an IRModule, which IRModule.from_expr makes of a function")
    return node.to_tvm_json()


def load_json(json_str: str) -> IRModule:
    """The module that TVM, or save_json, has saved; see IRModule.from_tvm_json."""
    check_type(json_str, str, "JSON to be a str")
    return IRModule.from_tvm_json(json_str)
