"""Prints how many nodes of each kind of expression a module of TVM's has.

Shapes are parts of types, which expressions share or not.

usage: count_nodes.py MODULE.json
"""

import collections
import json
import sys

kinds = [node["type"] for node in json.load(open(sys.argv[1]))["nodes"]]
expressions = ("ir.Call", "ir.Tuple", "ir.TupleGetItem")
counts = collections.Counter(
    kind
    for kind in kinds
    if kind in expressions or (kind.startswith("relax.expr.") and kind != "relax.expr.ShapeExpr")
)
for kind, number in sorted(counts.items()):
    print(number, kind)
