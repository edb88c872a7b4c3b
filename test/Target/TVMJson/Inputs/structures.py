"""Made structures.json, with Apache TVM 0.27: structures that the models lack.

Attributes and global infos, symbolic shapes, tuples as values, as parameters
and as results, calls, match_cast, impure and private functions, source places,
and constants of many dtypes. It does not look like a real program.
"""

import ml_dtypes
import numpy as np
import tvm
from tvm.script import ir as I, relax as R, tirx as T

CONSTANTS = [
    np.arange(24).reshape(2, 3, 4).astype("uint16"),
    np.array([True, False, True, True, False, True]),
    np.array([-128, 127], "int8"),
    np.array([[-(2**63), 2**63 - 1, 0]]),
    np.array([0, 2**64 - 1], "uint64"),
    np.array([0.5, float("inf"), float("nan"), -0.0, 65504], "float16"),
    np.array([1.5, -2], ml_dtypes.bfloat16),
    np.array([1.5, -2, 448], ml_dtypes.float8_e4m3fn),
    np.array([1e300, float("-inf")]),
    np.zeros((0, 3), "float32"),
    np.zeros((4, 0), "bool"),
]


@I.ir_module(check_well_formed=False)
class Module:
    I.module_attrs(
        {
            "flag": True,
            "level": 3,
            "nested": {"x": "y", "z": {}},
            "nothing": None,
            "mixed": [1, "two", 3.0, [4]],
            "ratio": 0.5,
            "ratios": [0.5, 1.5],
            "sizes": [1, 2],
        }
    )
    I.module_global_infos(
        {
            "mesh": [I.dummy_global_info()],
            "vdevice": [I.vdevice({"kind": "llvm", "mtriple": "x86_64-linux-gnu"}, 0)],
        }
    )

    @R.function(pure=False)
    def main(
        x: R.Tensor(("n", 4), "float32"),
        shape: R.Shape(["n", 4]),
        anything: R.Object,
        y: R.Tensor("float16", ndim=3),
        pair: R.Tuple(R.Tensor(("n", 4), "float32"), R.Tensor((4,), "int8")),
    ):
        n = T.int64()
        R.func_attr({"num_input": 1, "nothing": None})
        with R.dataflow():
            a = R.add(x, R.const(2.0, "float32"))
            b = R.astype(a, "bool")
            t = (a, b)
            t0 = t[0]
            p = pair[0]
            r = R.reshape(t0, R.shape([4, n]))
            again = r
            R.output(t, p, again)
        called = Module.both(x)
        second = called[1]
        cast = R.match_cast(second, R.Tensor((n, 4), "float32"))
        joined = R.concat((cast, p), axis=1)
        flat = R.concat(called, axis=0 - 1)
        with R.dataflow():
            total = R.sum(x, axis=None, keepdims=True)
            norm = R.nn.batch_norm(
                R.const(np.ones((1, 2, 1, 1), "float32")),
                R.const(np.ones(2, "float32")),
                R.const(np.zeros(2, "float32")),
                R.const(np.zeros(2, "float32")),
                R.const(np.ones(2, "float32")),
                axis=1,
            )
            R.output(total, norm)
        nested = (norm, (total,))
        return (t, cast, nested, joined, flat)

    @R.function(private=True, pure=False)
    def both(
        x: R.Tensor(("k", 4), "float32"),
    ) -> R.Tuple(R.Tensor(("k", 4), "float32"), R.Tensor(("k", 4), "float32")):
        k = T.int64()
        R.func_attr({"relax.force_pure": 1})
        y: R.Tensor((k, 4), "float32") = R.nn.relu(x)
        return (y, x)

    @R.function
    def one(x: R.Tensor((4,), "int8")) -> R.Tuple(R.Tensor((4,), "int8")):
        return (x,)

    @R.function
    def none(x: R.Tensor((4,), "int8")) -> R.Tuple():
        return R.tuple()


def constants():
    """A function that returns CONSTANTS."""
    from tvm import relax

    builder = relax.BlockBuilder()
    with builder.function("constants", []):
        builder.emit_func_output(
            relax.Tuple([relax.const(tvm.runtime.tensor(c)) for c in CONSTANTS])
        )
    return builder.get()["constants"]


def same_name():
    """Two dimensions that are different variables with one name."""
    from tvm import relax

    builder = relax.BlockBuilder()
    x, y = (
        relax.Var(name, relax.TensorType((tvm.tirx.Var("n", "int64"),), "int32")) for name in "xy"
    )
    with builder.function("same_name", [x, y]):
        builder.emit_func_output(relax.Tuple([y, x]))
    return builder.get()["same_name"]


if __name__ == "__main__":
    Module["constants"] = constants()
    Module["same_name"] = same_name()
    with open("structures.json", "w") as file:
        file.write(tvm.ir.save_json(Module))
