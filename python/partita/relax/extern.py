# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of modules that are registered in TVM: ``mod["f"] = relax.ExternFunc("name")``."""

from __future__ import annotations

import json
import weakref
from typing import Any

from ..ir.function import BaseFunc
from ..mlir import ir
from .elements import read_elements
from .function import Function
from .values import ExternFunc

__all__: list[str] = []

# The ops that were read, which say more than the name, such as a type.
_sources: weakref.WeakKeyDictionary[ExternFunc, ir.Operation] = weakref.WeakKeyDictionary()


def _make_json(expr: ExternFunc) -> str:
    """The function as TVM writes it, and the importer keeps it."""
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


def _from_value(value: Any) -> Any:
    if not isinstance(value, ExternFunc):
        return value
    source = _sources.get(value)
    return Function._of(_make_op(value) if source is None else source, None)


def _to_value(op: ir.Operation) -> ExternFunc | None:
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
    name = nodes[nodes[graph["root_index"]]["data"]["global_symbol"]]["data"]
    with op.context:
        made = ExternFunc(name)
    _sources[made] = op.clone(ip=False).operation
    return made


BaseFunc._from_value = _from_value
BaseFunc._to_value = _to_value
