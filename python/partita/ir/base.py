# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and functions as TVM's JSON, and their comparison, where TVM has them."""

from __future__ import annotations

import json
from typing import Any

from ..errors import check_type
from ..mlir import ir
from .compare import assert_structural_equal, structural_equal, structural_hash
from .function import BaseFunc
from .module import IRModule

__all__ = [
    "assert_structural_equal",
    "load_json",
    "save_json",
    "structural_equal",
    "structural_hash",
]


def save_json(node: IRModule | BaseFunc) -> str:
    """A module or a function as JSON that TVM loads; see IRModule.to_tvm_json."""
    what = "an IRModule, which IRModule.from_expr makes of an expression, or a function"
    check_type(node, (IRModule, BaseFunc), what)
    if isinstance(node, IRModule):
        return node.to_tvm_json()
    graph = json.loads(IRModule({node.name: node}).to_tvm_json())
    module = graph["nodes"][graph["root_index"]]
    # A map is a list of keys and values.
    graph["root_index"] = graph["nodes"][module["data"]["functions"]]["data"][1]
    return json.dumps(graph, separators=(",", ":"))


def load_json(json_str: str) -> Any:
    """The module or function that TVM, or save_json, has saved; see IRModule.from_tvm_json."""
    check_type(json_str, str, "JSON to be a str")
    try:
        return IRModule.from_tvm_json(json_str)
    except ir.MLIRError:
        # Seldom what it is, so a large module is read once.
        if (text := _make_module(json_str)) is None:
            raise
    (func,) = IRModule.from_tvm_json(text).functions.values()
    return func


def _make_module(text: str) -> str | None:
    """The JSON of a module that has the function whose JSON `text` is; None if it is another's."""
    try:
        graph = json.loads(text)
        nodes, root = graph["nodes"], graph["root_index"]
        if nodes[root]["type"] not in ("relax.expr.Function", "tirx.PrimFunc"):
            return None
        # What save_json has made of a function still has the module that it was in.
        modules = [i for i, node in enumerate(nodes) if node["type"] == "ir.IRModule"]
        if modules:
            return json.dumps({**graph, "root_index": modules[0]})
        type_ = nodes[root]["data"]["ty"]
        attrs = nodes[nodes[nodes[root]["data"]["attrs"]]["data"]["__dict__"]]["data"]
        entries = dict(zip(attrs[::2], attrs[1::2]))
        symbols = [v for k, v in entries.items() if nodes[k].get("data") == "global_symbol"]
        name = nodes[symbols[0]]["data"] if symbols else "main"
    except (ValueError, LookupError, TypeError):
        return None

    def add(kind: str, data: Any = None) -> int:
        nodes.append({"type": kind} if data is None else {"type": kind, "data": data})
        return len(nodes) - 1

    none, key = add("None"), add("ffi.String", name)
    var = add("ir.GlobalVar", {"span": none, "ty": type_, "name_hint": key})
    functions, names = add("ffi.Map", [var, root]), add("ffi.Map", [key, var])
    source_map = add("ir.SourceMap", {"source_map": add("ffi.Map", [])})
    fields = {"functions": functions, "global_var_map_": names, "source_map": source_map}
    fields["attrs"] = add("ir.DictAttrs", {"__dict__": add("ffi.Map", [])})
    fields["global_infos"] = add("ffi.Map", [])
    graph["root_index"] = add("ir.IRModule", fields)
    return json.dumps(graph)
