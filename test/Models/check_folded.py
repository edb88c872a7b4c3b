"""Compares a module after some passes with TVM's result of the same passes.

Both must have the same calls in the same order. The constants in these calls, in the
order of their use, must have the same types and values. They are decoded here, from
the printed module and from TVM's JSON.

usage: check_folded.py GOLDEN.json TOLERANCE < MODULE.mlir

TOLERANCE is relative to each element; 0 compares bits. MODULE.mlir is in generic
form, with --mlir-print-elementsattrs-with-hex-if-larger=0.
"""

import os
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "Target", "TVMJson"))
from check_import import Model, Module


def golden_calls(model):
    """The name of each call and its constants."""
    for binding in model.bindings:
        value = binding["value"]
        if model.type(value) == "ir.Call":
            data = model.data(value)
            args = model.data(data["args"])
            constants = [a for a in args if model.type(a) in ("ir.GenericConst", "ir.FloatImm")]
            name = model.data(data["op"]).removeprefix("relax.")
            yield name, [model.tensor(constant) for constant in constants]


def calls(module):
    for _, name, operands, *_ in module.calls:
        # Another name for a value is no call, and neither is a tuple or its field.
        if name in ("alias", "tuple", "tuple_get_item"):
            continue
        found = []
        for kind, _, value in (operand.partition(" ") for operand in operands):
            if kind == "constant":
                found.append(module.constants[int(value)])
            elif kind == "number":
                found.append(("tensor<f32>", bytes.fromhex(value)))
        yield name, found


def difference(found, expected):
    """The largest error relative to the expected element, or 0 if all bits agree."""
    if found == expected:
        return 0
    found, expected = np.frombuffer(found, np.float32), np.frombuffer(expected, np.float32)
    assert np.isfinite(found).all() and (expected != 0).all()
    return np.max(np.abs(found.astype(np.float64) - expected) / np.abs(expected))


def main():
    golden = list(golden_calls(Model(sys.argv[1])))
    tolerance = float(sys.argv[2])
    found = list(calls(Module(sys.stdin.read())))
    assert [name for name, _ in found] == [name for name, _ in golden]
    count, largest = 0, 0
    for (name, constants), (_, expected) in zip(found, golden):
        assert [t for t, _ in constants] == [t for t, _ in expected], name
        for (_, data), (_, expected_data) in zip(constants, expected):
            largest = max(largest, difference(data, expected_data))
            count += 1
    assert largest <= tolerance, largest
    print(f"{len(found)} ops, {count} constants agree; largest difference {largest:.1g}")


if __name__ == "__main__":
    main()
