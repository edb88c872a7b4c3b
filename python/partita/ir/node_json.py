# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions, expressions and types as TVM's JSON: each is in the module of a function."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .as_function import as_function
from .context import get_context
from .function import BaseFunc, PrimFunc
from .op_form import OpForm
from .prim_type import Type
from .relax_function import Function
from .block import SeqExpr

__all__ = [
    "add_attrs",
    "add_module",
    "add_node",
    "load_node",
    "save_in",
    "save_node",
    "to_function",
]


# The nodes that are types and functions, and that are bound to a variable as it is.
_TYPES = (
    "ir.PrimType",
    "ir.TupleType",
    "relax.AnyType",
    "relax.FuncType",
    "relax.ShapeType",
    "relax.TensorType",
)
_FUNCTIONS = ("relax.expr.Function", "tirx.PrimFunc")
_VARS = ("ir.Var", "relax.expr.DataflowVar")
_BINDINGS = ("relax.expr.VarBinding", "relax.expr.MatchCast")
# Expressions that are no functions.
_EXPRS = re.compile(
    r"ir\.(Call|FloatImm|GenericConst|IntImm|StringImm|Tuple|TupleGetItem|Var)|prim\.\w+|"
    r"relax\.expr\.(DataflowVar|ExternFunc|If|SeqExpr|ShapeExpr)"
)


def save_node(node: Any) -> str:
    """A function, expression or type that calls no function of a module, as JSON that TVM loads."""
    func = to_function(node)
    return save_in(func._in_module(func.name), func.name, node)


def to_function(node: Any) -> BaseFunc:
    """The function that is, or contains, the node, for save_in."""
    if _is_cast(node):
        raise TypeError(f"expected an expression of TVM's, where match_cast is a binding: {node}")
    return as_function(node, introduces_sizes=True)


def save_in(module: ir.Operation, name: str, node: Any) -> str:
    """A node as JSON, from a module in which the function of the node is called `name`."""
    graph = json.loads(_partita.export_tvm_json(module))
    nodes = graph["nodes"]
    # A map is a list of keys and values. The module stays, for load_node; TVM passes over it.
    functions = nodes[nodes[graph["root_index"]]["data"]["functions"]]["data"]
    names = [nodes[nodes[key]["data"]["name_hint"]]["data"] for key in functions[::2]]
    root = functions[2 * names.index(name) + 1]
    data = nodes[root]["data"]
    if isinstance(node, Type):
        root = nodes[nodes[data["params"]]["data"][0]]["data"]["ty"]
    elif not isinstance(node, BaseFunc):
        body = data["body"]
        root = body if isinstance(node, SeqExpr) else _find_value(nodes, body)
    graph["root_index"] = root
    return json.dumps(graph, separators=(",", ":"))


def _is_cast(node: Any) -> bool:
    return getattr(getattr(node, "op", None), "name", "") == "relax.match_cast"


def _find_value(nodes: list[Any], body: int) -> int:
    """The node of the value of `body`, in which values take the places of their variables.

    Returns `body` itself if a value can't take its variable's place.
    """
    seq = nodes[body]["data"]
    bindings = [
        nodes[binding]
        for block in nodes[seq["blocks"]]["data"]
        for binding in nodes[nodes[block]["data"]["bindings"]]["data"]
    ]
    for binding in bindings:
        var, value = binding["data"]["var"], binding["data"]["value"]
        # A function, and an expression that the dialect lacks, comes after its variable.
        if (
            binding["type"] == "relax.expr.MatchCast"
            or nodes[value]["type"] in _VARS
            or var < value
        ):
            return body
    for binding in bindings:
        _swap(nodes, binding["data"])
    # A function gives an empty tuple where it gives what a call for its effects does.
    is_tuple = nodes[seq["body"]]["type"] == "ir.Tuple"
    if bindings and is_tuple and not nodes[nodes[seq["body"]]["data"]["fields"]]["data"]:
        return int(bindings[-1]["data"]["value"])
    return int(seq["body"])


def _has_taken_places(kind: str) -> bool:
    """Whether _find_value has put values in the places of variables, for a saved root."""
    return kind not in (*_FUNCTIONS, *_TYPES, "relax.expr.SeqExpr")


def _swap(nodes: list[Any], binding: dict[str, int]) -> None:
    """Exchange the variable of a binding and its value, which comes before it in TVM's order."""
    var, value = binding["var"], binding["value"]
    nodes[var], nodes[value] = nodes[value], nodes[var]
    binding.update(var=value, value=var)
    name = nodes[value]["data"]["name"]
    if value < name == var - 1:
        # What a node refers to is in front of it.
        nodes[name], nodes[value] = nodes[value], nodes[name]
        nodes[name]["data"]["name"] = value
        binding.update(var=name)


def load_node(json_str: str, warns: bool = True) -> Any:
    """The function, expression or type in JSON; None if the JSON has something else."""
    if (made := _make_module(json_str)) is None:
        return None
    if '"ir.Type"' in json_str:
        raise ValueError(
            "expected an expression whose type is known, such as BlockBuilder.normalize gives in "
            "TVM, but found one that has none"
        )
    text, get = made
    # JSON from save_json has the functions that it calls, too.
    op = _partita.get_symbols(_partita.import_tvm_json(get_context(), text, warns=warns))[0]
    cls: type[BaseFunc] = PrimFunc if op.name == PrimFunc.op_name else Function
    return get(cls._of(OpForm(op.detach_from_parent().operation)))


def _make_module(text: str) -> tuple[str, Callable[[Any], Any]] | None:
    """The JSON of a module with a function that is, or contains, the node in the JSON `text`.

    Also returns a callable that gets the node's object from the function. None for other nodes.
    """
    try:
        graph = json.loads(text)
        nodes, root = graph["nodes"], graph["root_index"]
        kind = nodes[root]["type"]
        if kind not in (*_FUNCTIONS, *_TYPES) and _EXPRS.fullmatch(kind) is None:
            return None
        # JSON from save_json still has the module around the node.
        saved = next((i for i, node in enumerate(nodes) if node["type"] == "ir.IRModule"), None)
        func, name = root, "main"
        for node in nodes if saved is not None and _has_taken_places(kind) else ():
            if node["type"] == "relax.expr.VarBinding":
                if node["data"]["var"] < node["data"]["value"]:
                    _swap(nodes, node["data"])
        if saved is None and kind in _FUNCTIONS:
            name = _find_name(nodes, root)
        elif saved is None:
            func = _add_function(nodes, root)
        graph["root_index"] = (
            add_module(nodes, {name: func}, add_attrs(nodes, {})) if saved is None else saved
        )
    except (ValueError, LookupError, TypeError):
        return None
    if kind in _FUNCTIONS:
        return json.dumps(graph), lambda func: func
    if kind in _TYPES:
        return json.dumps(graph), lambda func: func.params[0].struct_info
    if kind == "relax.expr.SeqExpr":
        return json.dumps(graph), lambda func: func.body
    return json.dumps(graph), lambda func: _get_value(func, kind)


def _get_value(func: Any, kind: str) -> Any:
    """The value of `func`; its last binding, if `func` returns that one's fields, or none."""
    seq = func.body
    if hasattr(seq.body, "fields") and kind != "ir.Tuple":
        return seq.blocks[-1].bindings[-1]
    # Some values have a variable when they are read, and the type of an ExternFunc may be another.
    is_bound = hasattr(seq.body, "type_annotation") and seq.body.value is not None
    return seq.body.value if is_bound or _is_cast(seq.body) else seq.body


def _find_name(nodes: list[Any], func: int) -> str:
    """The name of a function, which is one of its attributes."""
    attrs = nodes[nodes[nodes[func]["data"]["attrs"]]["data"]["__dict__"]]["data"]
    entries = dict(zip(attrs[::2], attrs[1::2]))
    symbols = [v for k, v in entries.items() if nodes[k].get("data") == "global_symbol"]
    return nodes[symbols[0]]["data"] if symbols else "main"


def add_node(nodes: list[Any], kind: str, data: Any = None) -> int:
    """Add a node; gives its number."""
    nodes.append({"type": kind} if data is None else {"type": kind, "data": data})
    return len(nodes) - 1


def add_attrs(nodes: list[Any], attrs: dict[str, int]) -> int:
    """The node of attributes that are nodes, by their names."""
    entries = [
        part for key, root in attrs.items() for part in (add_node(nodes, "ffi.String", key), root)
    ]
    return add_node(nodes, "ir.DictAttrs", {"__dict__": add_node(nodes, "ffi.Map", entries)})


def _add_function(nodes: list[Any], root: int) -> int:
    """A function that gives an expression of its free variables, or has a parameter of a type."""
    none, is_type = add_node(nodes, "None"), nodes[root]["type"] in _TYPES
    bound = {node["data"]["var"] for node in nodes if node["type"] in _BINDINGS}
    for node in nodes:
        if node["type"] == "relax.expr.Function":
            bound.update(nodes[node["data"]["params"]]["data"])
    params = [i for i, node in enumerate(nodes) if node["type"] in _VARS and i not in bound]
    for param in params:
        nodes[param]["type"] = "ir.Var"
    body = root
    if is_type:
        name = add_node(nodes, "ffi.String", "value")
        body = add_node(nodes, "ir.Var", {"span": none, "ty": root, "name": name})
        params.insert(0, body)
    kind, ret = nodes[body]["type"], nodes[body]["data"]["ty"]
    if kind != "relax.expr.SeqExpr":
        blocks = []
        if kind in ("ir.Call", "ir.TupleGetItem", "relax.expr.If"):
            # TVM's normal form has a variable for it.
            name = add_node(nodes, "ffi.String", "")
            var = add_node(nodes, "ir.Var", {"span": none, "ty": ret, "name": name})
            binding = {"span": none, "var": var, "value": body}
            bindings = add_node(
                nodes, "ffi.Array", [add_node(nodes, "relax.expr.VarBinding", binding)]
            )
            blocks = [
                add_node(nodes, "relax.expr.BindingBlock", {"bindings": bindings, "span": none})
            ]
            body = var
        fields = {
            "span": none,
            "ty": ret,
            "blocks": add_node(nodes, "ffi.Array", blocks),
            "body": body,
        }
        body = add_node(nodes, "relax.expr.SeqExpr", fields)
    types = add_node(nodes, "ffi.Array", [nodes[param]["data"]["ty"] for param in params])
    type_ = {"span": none, "params": types, "ret": ret, "derive_func": none, "purity": False}
    func = {
        "span": none,
        "ty": add_node(nodes, "relax.FuncType", type_),
        "attrs": add_attrs(nodes, {}),
    }
    func.update(params=add_node(nodes, "ffi.Array", params), body=body, ret_ty=ret, is_pure=False)
    return add_node(nodes, "relax.expr.Function", func)


def add_module(nodes: list[Any], funcs: dict[str, int], attrs: int) -> int:
    """The node of a module that has functions, by their names."""
    none = add_node(nodes, "None")
    functions, names = [], []
    for name, func in funcs.items():
        key = add_node(nodes, "ffi.String", name)
        fields = {"span": none, "ty": nodes[func]["data"]["ty"], "name_hint": key}
        var = add_node(nodes, "ir.GlobalVar", fields)
        functions += [var, func]
        names += [key, var]
    source_map = add_node(nodes, "ir.SourceMap", {"source_map": add_node(nodes, "ffi.Map", [])})
    fields = {
        "functions": add_node(nodes, "ffi.Map", functions),
        "global_var_map_": add_node(nodes, "ffi.Map", names),
        "source_map": source_map,
        "attrs": attrs,
        "global_infos": add_node(nodes, "ffi.Map", []),
    }
    return add_node(nodes, "ir.IRModule", fields)
