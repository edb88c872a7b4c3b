# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of constants are freed with the last constant that has them, not before."""

import copy
import gc
import importlib.util
import io
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import partita
from partita import relax, transform
from partita.ir import IRModule, assert_structural_equal
from partita.mlir import ir

X = relax.var("x", relax.TensorType([4], "float32"))


def make(array, name="main"):
    body = relax.add(*(relax.const(array, array.dtype.name) for _ in range(2)))
    return IRModule({name: relax.Function([], body)})


def large(seed=0, count=1000):
    return np.random.default_rng(seed).random(count, dtype="float32")


def values(mod):
    """The elements of the constant in `main`."""
    return mod["main"].body.body.args[0].data


# The work of a compile server, with weights that it has not seen before. Each line runs
# in a fork of a new process, and its resident set must not grow.
GROWTH = {
    "build": "make(large(i, 50000))",
    "print": "str(make(large(i, 50000)))",
    "small": "[make(large(i + j, 60)) for j in range(4)]",
    "bools": "make(large(i, 100000) > 0.5)",
    "half": "make(large(i, 50000).astype('float16'))",
    "clone": "[make(large(i, 50000)).clone() for _ in range(2)]",
    "fold": "relax.transform.FoldConstant()(make(large(i, 50000)))",
    "fold one": "relax.transform.FoldConstant()(one)",
    "canonicalize": "transform.parse_pipeline('partita.module(canonicalize,cse)')(make(large(i, 50000)))",
    "pickle": "pickle.loads(pickle.dumps(make(large(i, 50000))))",
    "pickle one": "pickle.loads(pickle.dumps(one))",
    "deepcopy": "copy.deepcopy(one)",
    "text": "IRModule.from_text(make(large(i, 20000)).script())",
    "bytecode": "save_bytecode(make(large(i, 50000)))",
    "equal": "assert_structural_equal(make(large(i, 50000)), make(large(i, 50000)))",
    "read": "values(make(large(i, 50000)))",
    "python pass": "rewrite(make(large(i, 50000)))",
    "everything": "everything(i)",
}
if importlib.util.find_spec("partita._runtime"):
    GROWTH["compile"] = "run_compiled(make(large(i, 50000)))"

MEASURE = """
import os
import sys
sys.path.insert(0, {folder!r})
from test_memory import *
from test_memory import GROWTH, everything, rewrite, save_bytecode

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def run(step, first, last):
    for i in range(first, last):
        eval(step, globals() | {{"i": i}})

for name, step in GROWTH.items():
    if os.fork() == 0:
        one = make(large(0, 50000))
        run(step, 0, 50)
        before = resident()
        run(step, 50, 1050 if name == "everything" else 350)
        print(name, (resident() - before) / 2**20, sep=": ")
        break
    os.wait()
"""


def save_bytecode(mod):
    file = io.BytesIO()
    mod.operation.write_bytecode(file)
    return file.getvalue()


@relax.transform.function_pass(opt_level=0)
def negate(func, mod, ctx):
    return relax.Function(func.params, relax.negative(func.body.body), func.ret_struct_info)


def rewrite(mod):
    return negate(mod)


def run_compiled(mod):
    return partita.compile(mod)["main"]()


def everything(i):
    """Built, optimised, pickled and dropped."""
    weight, bias = large(i, 64 * 64).reshape(64, 64), large(i + 1, 64)
    x = relax.var("x", relax.TensorType([8, 64], "float32"))
    body = relax.add(relax.matmul(x, relax.const(weight) * relax.const(weight)), relax.const(bias))
    mod = IRModule({"main": relax.Function([x], relax.nn.relu(body))})
    passes = [
        relax.transform.FoldConstant(),
        relax.transform.CanonicalizeBindings(),
        relax.transform.EliminateCommonSubexpr(),
        relax.transform.DeadCodeElimination(),
    ]
    with transform.PassContext(opt_level=3):
        mod = transform.Sequential(passes)(mod)
    again = pickle.loads(pickle.dumps(mod))
    assert len(again.script()) > 64 * 64


@pytest.fixture(scope="module")
def growths():
    code = MEASURE.format(folder=str(__file__).rpartition("/")[0])
    output = subprocess.check_output([sys.executable, "-c", code], text=True)
    return dict(line.split(": ") for line in output.splitlines())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("name", GROWTH)
def test_growth(name, growths):
    """Weights of 0.2 MB, 300 times, are 60 MB."""
    assert float(growths[name]) < (5 if name == "everything" else 3)


@pytest.mark.parametrize(
    "keep",
    [
        lambda mod: mod.clone(),
        lambda mod: IRModule({"main": mod["main"]}),
        lambda mod: copy.deepcopy(mod),
        lambda mod: pickle.loads(pickle.dumps(mod)),
        lambda mod: IRModule.from_text(mod.script()),
        lambda mod: IRModule(ir.Operation.parse(str(mod.operation), context=mod.operation.context)),
        lambda mod: transform.parse_pipeline("partita.module(cse,canonicalize)")(mod),
        lambda mod: relax.transform.CanonicalizeBindings()(mod),
        lambda mod: IRModule(
            ir.Module.parse(save_bytecode(mod), context=mod.operation.context)
            .body.operations[0]
            .detach_from_parent()
        ),
        lambda mod: IRModule.from_text(
            mod.operation.get_asm(print_generic_op_form=True), mod.operation.context
        ),
    ],
)
def test_kept(keep):
    """A user of the elements keeps them, whatever else is dropped."""
    mod = make(large())
    expected = make(large())
    kept = keep(mod)
    del mod
    for i in range(5):  # In which the memory is used again.
        make(large(i + 1))
    np.testing.assert_array_equal(values(kept), large())
    assert_structural_equal(kept, expected)
    assert kept.operation.verify()


def test_kept_by_expressions():
    mod = make(large())
    func, constant = mod["main"], mod["main"].body.body.args[0]
    text = mod.script()
    del mod
    assert str(func.script()) and len(text) > 4000
    del func
    np.testing.assert_array_equal(constant.data, large())
    assert_structural_equal(IRModule.from_expr(constant), IRModule.from_expr(relax.const(large())))


def test_attribute_alone_keeps_nothing():
    """It says so, wherever it is used."""
    constant = relax.const(large())
    value = constant.attribute
    assert "dense_resource<" in str(value)
    del constant
    assert "__freed__" in str(value)
    with value.context, ir.Location.unknown():
        op = ir.Operation.create("relax.constant", [value.type], attributes={"value": value})
        with pytest.raises(ir.MLIRError, match="expected elements that a constant holds"):
            op.verify()
    with pytest.raises(ValueError, match="expected elements"):
        relax.Constant(value).data


def test_resource_that_something_else_uses():
    """A resource is freed with its constants only if nothing else refers to it."""
    text = """
    partita.module {
      relax.func @main() -> tensor<100xf32> {
        %w = relax.constant dense_resource<w> : tensor<100xf32>
        relax.return %w : tensor<100xf32>
      }
      func.func @f() -> tensor<100xf32> {
        %w = arith.constant dense_resource<w> : tensor<100xf32>
        return %w : tensor<100xf32>
      }
    }"""
    data = "0x04000000" + large(0, 100).tobytes().hex()
    mod = IRModule.from_text(
        text + '\n{-# dialect_resources: { builtin: { w: "' + data + '" } } #-}'
    )
    expected = mod.clone()
    del mod["main"], expected["main"]
    again = IRModule.from_text(mod.script())
    assert data[10:].upper() in mod.script().upper()
    assert_structural_equal(again, expected)


def test_names_are_used_again():
    """MLIR keeps the names of all resources; Partita makes no more than it needs."""
    found = set()
    for _ in range(100):
        found.add(make(large()).script().split("dense_resource<")[1].split(">")[0])
        gc.collect()
    assert len(found) <= 2
    mods = [make(large(i)) for i in range(20)]
    names = [mod.script().split("dense_resource<")[1].split(">")[0] for mod in mods]
    assert len(set(names)) == 20
    assert names == [mod.script().split("dense_resource<")[1].split(">")[0] for mod in mods]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float64", "int64"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (1000,), (30, 40)])
def test_dtypes(dtype, shape):
    data = (large(0, int(np.prod(shape))) * 10).reshape(shape)
    data = data > 5 if dtype == "bool" else data.astype(dtype)
    for mod in (mod := make(data)), pickle.loads(pickle.dumps(mod)):
        np.testing.assert_array_equal(values(mod), data)
        assert values(mod).dtype == data.dtype
        assert_structural_equal(mod, IRModule.from_text(mod.script()))


def test_bfloat16():
    """It reads as float32, also in another context."""
    mod = IRModule.from_expr(relax.const(large(), "bfloat16"))
    for read in mod, pickle.loads(pickle.dumps(mod)):
        np.testing.assert_allclose(read["main"].body.body.data, large(), rtol=1 / 128)
    with ir.Context():
        other = IRModule({"main": relax.Function([], relax.const(large(), "bfloat16"))})
    assert_structural_equal(IRModule({"main": other["main"]}), mod)


def test_threads():
    """Functions are folded, and modules dropped, on many threads."""
    errors = []

    def work(seed):
        try:
            for i in range(10):
                data = large(seed * 100 + i)
                mod = IRModule(
                    {
                        f"f{j}": relax.Function([], relax.abs(relax.const(data + j)))
                        for j in range(5)
                    }
                )
                new = relax.transform.FoldConstant()(mod)
                del mod
                copied = new.clone()
                del new
                for j in range(5):
                    np.testing.assert_array_equal(copied[f"f{j}"].body.body.data, data + j)
        except BaseException as error:  # pragma: no cover
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_python_collector_does_not_read_expressions():
    function = make(large())["main"]
    read = [function.body.body, *function.body.body.args]
    made = [X, relax.add(X, X), relax.Tuple([X]), relax.TupleGetItem(relax.Tuple([X]), 0)]
    assert not any(gc.is_tracked(expr) for expr in read + made)
    built = relax.Function([X], relax.add(X, X))
    forms = function._form, built._form
    for held in function, built, *forms, *(form.parts for form in forms), *function.blocks:
        assert not gc.is_tracked(held)

    class Mine(relax.Var):
        """Can be in a cycle."""

    assert gc.is_tracked(Mine("x", X.struct_info))


def test_expressions_use_memory_of_dead_ones():
    # Those that Python code makes, too.
    made = {id(relax.Var("x", relax.TensorType([4], "float32"))) for _ in range(1000)}
    assert len(made) < 10
