"""Whether the variable `loop` of a module's JSON is one node, which its function calls, too."""

import json
import sys

nodes = json.load(sys.stdin)["nodes"]


def named(node):
    return node["type"] in ("ir.Var", "relax.expr.DataflowVar") and (
        nodes[node["data"]["name"]]["data"] == "loop"
    )


(loop,) = [index for index, node in enumerate(nodes) if named(node)]
calls = [node for node in nodes if node["type"] == "ir.Call" and node["data"]["op"] == loop]
assert len(calls) == 2, calls
