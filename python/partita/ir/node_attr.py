# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes that are nodes of TVM's: types, expressions, functions, modules, arrays and bytes.

Each is the text of a `#relax.opaque`, which the import of a module makes of such an attribute, too.
"""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .dtype import DTYPES, DataType
from .elements import name_of_dtype
from .expr import Expr
from .global_var import GlobalVar
from .module import IRModule
from .node_json import add_attrs, add_module, add_node, load_node, save_node
from .op import Op
from .prim import PrimExpr
from .range import Range
from .values import PrimValue, ShapeExpr


# The start of a tensor in TVM's files: a number, a reserved one, the device, how many dimensions
# there are, and the code, bits and lanes of the elements.
_HEADER = struct.Struct("<QQiiiBBH")
_MAGIC = 0xDD5E40F096B4A13F

_METADATA = {"tvm_version": "0.27.0"}


@_partita.known_as("write_node")
def write_node(node: Any, context: ir.Context) -> ir.Attribute:
    """A node as an attribute in the context."""
    nodes: list[Any] = []
    if isinstance(node, bytes):
        root = add_node(nodes, "ffi.Bytes", base64.b64encode(node).decode())
    elif isinstance(node, Op):
        root = add_node(nodes, "ir.Op", node.name)
    elif isinstance(node, GlobalVar):
        none, name = add_node(nodes, "None"), add_node(nodes, "ffi.String", node.name_hint)
        type_ = add_node(nodes, "ir.Type", {"span": none})
        root = add_node(nodes, "ir.GlobalVar", {"span": none, "ty": type_, "name_hint": name})
    elif hasattr(node, "__array__") and not isinstance(node, Expr):
        root = add_node(nodes, "ffi.Tensor", _write_array(node))
    elif isinstance(node, IRModule):
        graph = json.loads(node.to_tvm_json())
        nodes, root = graph["nodes"], graph["root_index"]
    else:
        nodes, root = _save(node)
        return _import(nodes, _add_to_module(nodes, root), context)
    return _import(nodes, add_module(nodes, {}, add_attrs(nodes, {"node": root})), context)


@_partita.known_as("read_node")
def read_node(text: str) -> Any:
    """The node in the text of an attribute; None for nodes that Partita has no class for."""
    try:
        graph = json.loads(text)
        nodes, root = graph["nodes"], graph["nodes"][graph["root_index"]]
        if root["type"] == "ffi.Bytes":
            return base64.b64decode(root["data"])
        if root["type"] == "ffi.Tensor":
            return _read_array(base64.b64decode(root["data"]))
        if root["type"] == "ir.GlobalVar":
            return GlobalVar(nodes[root["data"]["name_hint"]]["data"])
        if root["type"] == "ir.Op":
            return Op.get(root["data"])
        graph["metadata"] = _METADATA
        if root["type"] == "ir.IRModule":
            return IRModule.from_tvm_json(json.dumps(graph))
        if root["type"] == "ir.Range":
            return _read_range(nodes[: graph["root_index"]], root["data"])
        value = load_node(json.dumps(graph), warns=False)
        # In an attribute, TVM's expression of a size is the size.
        return value.value if isinstance(value, PrimValue) else value
    except (ir.MLIRError, LookupError, TypeError, ValueError, struct.error):
        # The text can come from anywhere.
        return None


def _import(nodes: list[Any], module: int, context: ir.Context) -> ir.Attribute:
    """The attribute `node` of a module among `nodes`."""
    graph = {"nodes": nodes, "root_index": module, "metadata": _METADATA}
    # A warning would tell about the functions around the node.
    made = _partita.import_tvm_json(context, json.dumps(graph), warns=False)
    return made.attributes["node"]


def _save(node: Any) -> tuple[list[Any], int]:
    """Nodes with one that is `node`, whose number follows, and a module around it."""
    if isinstance(node, Range):
        saved: Any = ShapeExpr([node.min, node.extent])
    elif isinstance(node, PrimExpr):
        saved = ShapeExpr([node])
    else:
        saved = node
    graph = json.loads(save_node(saved))
    nodes, root = graph["nodes"], graph["root_index"]
    data = nodes[root]["data"]
    if saved is node:
        return nodes, root
    sizes = nodes[data["values"]]["data"]
    if not isinstance(node, Range):
        return nodes, sizes[0]
    fields = {"span": data["span"], "min": sizes[0], "extent": sizes[1]}
    return nodes, add_node(nodes, "ir.Range", fields)


def _add_to_module(nodes: list[Any], root: int) -> int:
    """The node of the module that is around the node `root`, with that as an attribute."""
    saved = next(i for i, node in enumerate(nodes) if node["type"] == "ir.IRModule")
    fields = nodes[saved]["data"]
    attrs = fields["attrs"]
    entries = nodes[attrs]["data"]["__dict__"]
    # TVM writes no node in front of its parts, and none that nothing refers to: the nodes of the
    # module come anew at the end, and their old places have the keys, and a value that is not read.
    nodes[entries] = {"type": "ffi.String", "data": "node"}
    nodes[attrs] = {"type": "ffi.String", "data": "other"}
    nodes[saved] = {"type": "ffi.String", "data": ""}
    fields["attrs"] = add_node(
        nodes,
        "ir.DictAttrs",
        {"__dict__": add_node(nodes, "ffi.Map", [entries, root, attrs, saved])},
    )
    return add_node(nodes, "ir.IRModule", fields)


def _write_array(value: Any) -> str:
    """An array as TVM writes a tensor."""
    import numpy

    array = numpy.asarray(value)
    if (name := name_of_dtype(array.dtype)) not in DTYPES:
        raise TypeError(
            f"expected an attribute to be an array of numbers, but found elements of type {name}"
        )
    dtype = DataType(name)
    array = numpy.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
    element = (dtype.type_code, dtype.bits, dtype.lanes)
    header = _HEADER.pack(_MAGIC, 0, 1, 0, array.ndim, *element)
    sizes = struct.pack(f"<{array.ndim + 1}q", *array.shape, array.nbytes)
    return base64.b64encode(header + sizes + array.tobytes()).decode()


def _read_array(data: bytes) -> Any:
    """The array that is such a tensor; None for elements that NumPy lacks."""
    import numpy

    *_, ndim, code, bits, lanes = _HEADER.unpack_from(data)
    *shape, _ = struct.unpack_from(f"<{ndim + 1}q", data, _HEADER.size)
    kinds = {0: f"int{bits}", 1: f"uint{bits}", 2: f"float{bits}", 6: "bool"}
    if code not in kinds or lanes != 1 or kinds[code] not in numpy.sctypeDict:
        return None
    start = _HEADER.size + 8 * (ndim + 1)
    array = numpy.frombuffer(data, kinds[code], offset=start).reshape(shape)
    array.flags.writeable = False
    return array


def _read_range(nodes: list[Any], fields: dict[str, int]) -> Range:
    """The range that has these fields, which are read as the sizes of a shape."""
    span = {"span": fields["span"]}
    values = add_node(nodes, "ffi.Array", [fields["min"], fields["extent"]])
    type_ = add_node(nodes, "relax.ShapeType", {**span, "values": values, "ndim": 2})
    root = add_node(nodes, "relax.expr.ShapeExpr", {**span, "ty": type_, "values": values})
    graph = {"nodes": nodes, "root_index": root, "metadata": _METADATA}
    return Range.from_min_extent(*load_node(json.dumps(graph), warns=False).values)
