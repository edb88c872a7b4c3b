"""Compares an imported model with its JSON, which is read here independently.

Every binding must be an op, in the same order. A call must be the op of the same name, with
the same operands (by the names of variables), attributes and result types. Every constant
must have the same type and the same bits.

usage: check_import.py MODEL.json < MODULE.mlir

MODULE.mlir is in generic form, with --mlir-use-nameloc-as-prefix and
--mlir-print-elementsattrs-with-hex-if-larger=0.
"""

import base64
import json
import re
import struct
import sys

# Integers that stand inline in attribute objects; all others are nodes.
INLINE = {("SoftmaxAttrs", "axis"), ("BatchNormAttrs", "axis"), ("Conv2DAttrs", "groups")}


class Model:
    def __init__(self, path):
        module = json.load(open(path))
        self.nodes = module["nodes"]
        self.root = self.nodes[module["root_index"]]["data"]
        functions = self.data(self.root["functions"])
        (self.function,) = [self.data(function) for function in functions[1::2]]
        body = self.data(self.function["body"])
        self.bindings = [
            self.data(binding)
            for block in self.data(body["blocks"])
            for binding in self.data(self.data(block)["bindings"])
        ]

    def type(self, index):
        return self.nodes[index]["type"]

    def data(self, index):
        return self.nodes[index].get("data")

    def value(self, index):
        """Scalars and arrays as Python values."""
        data = self.data(index)
        if self.type(index) == "ffi.Array":
            return [self.value(element) for element in data]
        if self.type(index) in ("ir.IntImm", "ir.FloatImm"):
            return self.value(data["value"]) if self.type(index) == "ir.IntImm" else data["value"]
        return data

    def name(self, index):
        return self.data(self.data(index)["name"])

    def mlir_types(self, index):
        """The types of the results that stand for a value of this type."""
        data = self.data(index)
        if self.type(index) == "ir.TupleType":
            return [t for field in self.data(data["fields"]) for t in self.mlir_types(field)]
        assert self.type(index) == "relax.TensorType"
        dtype = self.data(data["dtype"])["dtype"]
        shape = self.value(self.data(data["shape"])["values"])
        assert dtype == "float32"
        return ["tensor<" + "".join(f"{dim}x" for dim in shape) + "f32>"]

    def attributes(self, index):
        kind = self.type(index).split(".")[-1]
        result = {}
        for key, value in (self.data(index) or {}).items():
            if type(value) is int and (kind, key) not in INLINE:
                value = self.value(value)
            if value is not None:
                result[key] = value
        return result

    def tensor(self, index):
        """Type and bytes of a constant."""
        if self.type(index) == "ir.FloatImm":
            return "tensor<f32>", struct.pack("<f", self.data(index)["value"])
        constant = self.data(index)
        blob = base64.b64decode(self.data(constant["value"]), validate=True)
        rank, code, bits, lanes = struct.unpack_from("<IBBH", blob, 24)
        assert (code, bits, lanes) == (2, 32, 1)
        *shape, count = struct.unpack_from(f"<{rank + 1}q", blob, 32)
        data = blob[32 + 8 * (rank + 1) :]
        assert len(data) == count
        (declared,) = self.mlir_types(constant["ty"])
        found = "tensor<" + "".join(f"{dim}x" for dim in shape) + "f32>"
        assert found == declared
        return declared, data


def parse_attribute(text):
    if text.startswith("array<i64"):
        return [int(x) for x in re.findall(r"-?\d+", text[len("array<i64") :])]
    if text.endswith(": f64"):
        return float(text[: -len(": f64")])
    return json.loads(text.removesuffix(" : i64"))


def parse_attributes(text):
    """`a = 1 : i64, b = array<i64: 1, 2>` as a dictionary."""
    pattern = r'(\w+) = (array<[^>]*>|"[^"]*"|[^,]+)'
    return {key: parse_attribute(value) for key, value in re.findall(pattern, text)}


class Module:
    """The ops of a printed module."""

    OP = re.compile(
        r'^ *(?:(%[\w:]+) = )?"relax\.([\w.]+)"\(([^)]*)\)'
        r"(?: <\{(.*?)\}>)? : \(.*\) -> \(?(.*?)\)?$"
    )

    def __init__(self, text):
        text, _, resources = text.partition("{-#")
        self.resources = {
            key: bytes.fromhex(data)[4:] for key, data in re.findall(r'(\w+): "0x(\w+)"', resources)
        }
        self.constants, self.calls = [], []
        names = {}
        for line in text.splitlines():
            op = self.OP.match(line)
            if not op:
                continue
            results, name, operands, attributes, types = op.groups()
            operands = [names.get(x, x) for x in operands.split(", ") if x]
            if name == "constant":
                names[results] = f"constant {len(self.constants)}"
                self.constants.append((types, self.bytes(attributes)))
            elif name == "prim_value":
                number = re.fullmatch(r"value = (\S+) : f32", attributes)
                names[results] = f"number {struct.pack('<f', float(number[1])).hex()}"
            elif name == "shape":
                dims = re.findall(r"\d+", attributes)
                names[results] = f"shape {[int(dim) for dim in dims]}"
            elif results:
                parsed = parse_attributes(attributes or "")
                self.calls.append((results, name, operands, parsed, types.split(", ")))

    def bytes(self, attributes):
        if resource := re.search(r"dense_resource<(\w+)>", attributes):
            return self.resources[resource[1]]
        if literal := re.search(r'dense<"0x(\w+)">', attributes):
            return bytes.fromhex(literal[1])
        splat, shape = re.search(r"dense<([^>]*)> : tensor<([\dx]*)f32>", attributes).groups()
        count = 1
        for dim in shape.split("x")[:-1]:
            count *= int(dim)
        return struct.pack("<f", float(splat)) * count


def main():
    model = Model(sys.argv[1])
    module = Module(sys.stdin.read())

    values = {}  # By variable: the printed name of its value, or the names of its parts
    constants = []
    calls = iter(module.calls)

    def operand(index):
        kind = model.type(index)
        if kind == "ir.FloatImm":
            return f"number {struct.pack('<f', model.data(index)['value']).hex()}"
        if kind == "ir.GenericConst":
            if index not in constants:
                constants.append(index)
            return f"constant {constants.index(index)}"
        if kind == "relax.expr.ShapeExpr":
            return f"shape {model.value(model.data(index)['values'])}"
        return values[index]

    for param in model.data(model.function["params"]):
        values[param] = "%" + model.name(param)
    for binding in model.bindings:
        var, value = binding["var"], binding["value"]
        data, kind = model.data(value), model.type(value)
        results, name, operands, attributes, types = next(calls)
        if kind == "ir.Call":
            expected = model.data(data["op"]).removeprefix("relax.")
            args = [operand(arg) for arg in model.data(data["args"])]
            wanted = model.attributes(data["attrs"])
        elif kind == "ir.Tuple":
            expected, wanted = "tuple", {}
            args = [operand(field) for field in model.data(data["fields"])]
        elif kind in ("ir.Var", "relax.expr.DataflowVar"):
            expected, args, wanted = "alias", [values[value]], {}
        elif isinstance(values[data["tuple_value"]], list):
            expected, wanted = "alias", {}
            args = [values[data["tuple_value"]][data["index"]]]
        else:
            assert kind == "ir.TupleGetItem"
            expected, wanted = "tuple_get_item", {"index": data["index"]}
            args = [operand(data["tuple_value"])]
        assert (name, operands, attributes) == (expected, args, wanted), (
            model.name(var),
            (name, operands, attributes),
            (expected, args, wanted),
        )
        result, _, count = results.partition(":")
        assert re.fullmatch("%" + re.escape(model.name(var)) + r"(_\d+)?", result)
        values[var] = [f"{result}#{i}" for i in range(int(count))] if count else result
        if kind == "ir.Call":
            assert types == model.mlir_types(data["ty"])
    assert next(calls, None) is None

    assert len(constants) == len(module.constants)
    for index, found in zip(constants, module.constants):
        assert model.tensor(index) == found, index
    print(
        f"{len(model.bindings)} bindings, {len(constants)} constants, "
        f"{sum(len(data) for _, data in module.constants)} bytes"
    )


if __name__ == "__main__":
    main()
