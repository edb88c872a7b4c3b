# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of modules that are registered in TVM: ``mod["f"] = relax.ExternFunc("name")``."""

from __future__ import annotations

import json
import weakref
from typing import Any

from ..mlir import ir
from .elements import read_elements
from .node_json import load_node, save_node
from .op_form import OpForm
from .relax_function import Function
from .types import CallableType, from_mlir
from .values import ExternFunc

__all__ = ["read_extern", "write_extern"]

# The ops that were read, which say more than the name, such as a type.
_sources: weakref.WeakKeyDictionary[ExternFunc, ir.Operation] = weakref.WeakKeyDictionary()


def _make_json(expr: ExternFunc) -> str:
    """The function as TVM writes it, and the importer keeps it."""
    if isinstance(from_mlir(expr._type), CallableType):
        return _prune(save_node(expr))
    graph = {
        "root_index": 7,
        "nodes": [
            {"type": "None"},
            {"type": "relax.AnyType", "data": {"span": 0}},
            {"type": "ir.EnvFunc", "data": expr.attrs["derive"]},
            {
                "type": "relax.FuncType",
                "data": {
                    "span": 0,
                    "params": 0,
                    "ret": 1,
                    "derive_func": 2,
                    "purity": bool(expr.attrs["is_pure"]),
                },
            },
            {"type": "ffi.Map", "data": []},
            {"type": "ir.DictAttrs", "data": {"__dict__": 4}},
            {"type": "ffi.String", "data": expr.global_symbol},
            {
                "type": "relax.expr.ExternFunc",
                "data": {"span": 0, "ty": 3, "attrs": 5, "global_symbol": 6},
            },
        ],
    }
    return json.dumps(graph, separators=(",", ":"), ensure_ascii=False)


# Fields of types' nodes that are numbers, not references to nodes.
_NUMBERS = ("ndim", "purity", "vdevice_id")


def _prune(text: str) -> str:
    """The JSON of a function without nodes that it does not use."""
    graph = json.loads(text)
    nodes = graph["nodes"]
    numbers: dict[int, int] = {}
    made: list[Any] = []

    def add(number: int) -> int:
        if number in numbers:
            return numbers[number]
        node = nodes[number]
        data = node.get("data")
        if isinstance(data, list) and node["type"] != "ffi.Shape":
            data = [add(each) for each in data]
        elif isinstance(data, dict):
            data = {
                key: add(value) if isinstance(value, int) and key not in _NUMBERS else value
                for key, value in data.items()
            }
        made.append({**node, "data": data} if "data" in node else node)
        numbers[number] = len(made) - 1
        return numbers[number]

    root = add(graph["root_index"])
    return json.dumps({"root_index": root, "nodes": made}, separators=(",", ":"))


def _make_op(expr: ExternFunc) -> ir.Operation:
    context = expr._context
    text = _make_json(expr).encode()
    with context, ir.Location.unknown(context):
        result = ir.Type.parse("!relax.object")
        func = ir.Operation.create(
            "relax.func",
            regions=1,
            attributes={
                "sym_name": ir.StringAttr.get("main"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get([], [result])),
                "is_pure": ir.BoolAttr.get(False),
            },
        )
        with ir.InsertionPoint(func.regions[0].blocks.append()):
            attributes = {
                "kind": ir.StringAttr.get("relax.expr.ExternFunc"),
                # No resource, which the context would keep for each function.
                "json": ir.DenseElementsAttr.get(
                    memoryview(text), type=ir.IntegerType.get_unsigned(8)
                ),
            }
            body = ir.Operation.create("relax.opaque_expr", results=[result], attributes=attributes)
            ir.Operation.create("relax.return", operands=[body.result])
    return func


def write_extern(value: Any) -> Any:
    """The function that an ExternFunc is in modules; anything else as it is."""
    if not isinstance(value, ExternFunc):
        return value
    source = _sources.get(value)
    return Function._of(OpForm(_make_op(value) if source is None else source))


def read_extern(op: ir.Operation) -> ExternFunc | None:
    """The ExternFunc that the function `op` is; None for others."""
    if op.name != "relax.func" or not len(blocks := op.regions[0].blocks):
        return None
    # A block that was never verified can be empty.
    first = next((one.operation for one in blocks[0].operations), None)
    if first is None or first.name != "relax.opaque_expr" or first.operands:
        return None
    if ir.StringAttr(first.attributes["kind"]).value != "relax.expr.ExternFunc":
        return None
    graph = json.loads(read_elements(first.attributes["json"]).tobytes())
    nodes = graph["nodes"]
    root = nodes[graph["root_index"]]["data"]
    type_ = nodes[root["ty"]]["data"]
    has_params = nodes[type_["params"]]["type"] != "None"
    with op.context:
        if has_params or nodes[type_["derive_func"]]["type"] == "None":
            graph["metadata"] = {"tvm_version": "0.27.0"}
            made = load_node(json.dumps(graph))
        else:
            made = ExternFunc(nodes[root["global_symbol"]]["data"])
    _sources[made] = op.clone(ip=False).operation
    return made
