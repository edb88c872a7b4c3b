# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled code on floats of 8 bits gives the numbers of ml_dtypes."""

import numpy as np
import pytest

import partita
from partita import relax
from partita.relax import op

ml_dtypes = pytest.importorskip("ml_dtypes")
KINDS = ["e3m4", "e4m3", "e4m3b11fnuz", "e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz"]
WIDE = ["float16", "bfloat16", "float32", "float64"]


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def build(function, *params):
    """The compiled function of tensors, each a shape and a dtype."""
    variables = [
        relax.Var(f"x{i}", relax.TensorStructInfo(shape, dtype))
        for i, (shape, dtype) in enumerate(params)
    ]
    bb = relax.BlockBuilder()
    with bb.function("main", variables):
        bb.emit_func_output(bb.emit(function(*variables)))
    return partita.compile(bb.get())["main"]


def fold(function, array):
    """The constant that FoldConstant makes of a function of a constant."""
    bb = relax.BlockBuilder()
    with bb.function("main", []):
        bb.emit_func_output(bb.emit(function(relax.const(array, array.dtype.name))))
    folded = relax.transform.FoldConstant()(bb.get())["main"].body
    assert isinstance(folded.body, relax.Constant), folded
    return folded.body.data.numpy()


def all_numbers(kind):
    return np.arange(256, dtype="uint8").view(dtype_of(f"float8_{kind}"))


def assert_same(found, expected):
    """Signs of zeros count; NaNs are equal."""
    assert found.dtype == expected.dtype and found.shape == expected.shape
    with np.errstate(invalid="ignore"):
        found, expected = found.astype("float64"), expected.astype("float64")
    same = (found == expected) & (np.signbit(found) == np.signbit(expected))
    assert np.all(same | (np.isnan(found) & np.isnan(expected)))


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("kind", KINDS)
def test_casts(kind, wide):
    name, numbers = f"float8_{kind}", all_numbers(kind)
    extend = build(lambda x: op.astype(x, wide), ((256,), name))
    assert_same(extend(numbers), numbers.astype(dtype_of(wide)))
    folded = fold(lambda x: op.astype(x, wide), numbers)
    assert_same(folded.astype(dtype_of(wide)), numbers.astype(dtype_of(wide)))

    # Numbers between two others, and those beside the largest and the least.
    exact = numbers.astype("float64")
    exact = np.sort(exact[np.isfinite(exact)])
    middles = (exact[:-1] + exact[1:]) / 2
    rng = np.random.default_rng(0)
    spread = np.ldexp(rng.uniform(-2, 2, 5000), rng.integers(-22, 20, 5000))
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30, -1e-30]
    with np.errstate(over="ignore"):
        values = np.concatenate([exact, middles, 1.01 * middles, spread, special])
        values = values.astype(dtype_of(wide))
    truncate = build(lambda x: op.astype(x, name), (values.shape, wide))
    with np.errstate(over="ignore", invalid="ignore"):
        assert_same(truncate(values), values.astype(dtype_of(name)))
    assert_same(fold(lambda x: op.astype(x, name), values), truncate(values))


@pytest.mark.parametrize("kind", ["e4m3fn", "e5m2"])
def test_arithmetic(kind):
    name = f"float8_{kind}"
    x = np.linspace(-3, 3, 24).reshape(4, 6).astype(dtype_of(name))
    y = np.linspace(2, -1, 24).reshape(4, 6).astype(dtype_of(name))
    pair = ((4, 6), name), ((4, 6), name)
    assert_same(build(op.add, *pair)(x, y), x + y)
    assert_same(build(op.maximum, *pair)(x, y), np.maximum(x, y))
    less = build(op.less, *pair)(x, y)
    assert less.dtype == bool and np.array_equal(less, x < y)
    assert_same(build(op.exp, pair[0])(x), np.exp(x.astype("float32")).astype(x.dtype))
    assert_same(build(op.nn.relu, pair[0])(x), np.maximum(x, x.dtype.type(0)))

    product = build(lambda x, y: op.matmul(x, op.permute_dims(y), out_dtype="float32"), *pair)(x, y)
    expected = x.astype("float32") @ y.astype("float32").T
    assert product.dtype == "float32" and np.allclose(product, expected, rtol=1e-6)


def test_symbolic_sizes():
    twice = build(lambda x: op.add(x, x), (("n", 2), "float8_e5m2"))
    x = np.arange(6).reshape(3, 2).astype(ml_dtypes.float8_e5m2)
    assert_same(twice(x), x + x)
    assert twice(x[:0]).shape == (0, 2)
    with pytest.raises(TypeError, match="to have dtype float8_e5m2, but found float8_e4m3fn"):
        twice(x.astype(ml_dtypes.float8_e4m3fn))


def test_between_two_kinds():
    x = all_numbers("e4m3fn")
    cast = build(lambda x: op.astype(x, "float8_e5m2"), ((256,), "float8_e4m3fn"))
    assert_same(cast(x), x.astype("float32").astype(ml_dtypes.float8_e5m2))
    assert_same(fold(lambda x: op.astype(x, "float8_e5m2"), x), cast(x))


@pytest.mark.parametrize("count", [1, 8, 1000])
def test_constants(count):
    weights = np.linspace(-4, 4, count).astype(ml_dtypes.float8_e4m3fn)
    constant = relax.const(weights)
    assert constant.struct_info.dtype == "float8_e4m3fn"
    scale = build(lambda x: op.multiply(x, op.astype(constant, "float32")), ((count,), "float32"))
    x = np.arange(count, dtype="float32")
    assert np.array_equal(scale(x), x * weights.astype("float32"))


@pytest.mark.parametrize("values", [[1.5], [1.5] * 4, [1.0, 2.0, -4.0], [0.5, 1.0] * 500])
@pytest.mark.parametrize("kind", KINDS)
def test_read_constants(kind, values):
    """They are read as they were written, wherever their module comes from."""
    array = np.array(values).astype(dtype_of(f"float8_{kind}"))
    x = relax.Var("x", relax.TensorStructInfo(array.shape, f"float8_{kind}"))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(op.add(x, relax.const(array))))
    mod = bb.get()
    json = partita.IRModule.from_tvm_json(mod.to_tvm_json())
    for again in (mod, json, partita.IRModule.from_text(str(mod))):
        (binding,) = again["main"].body.blocks[0].bindings
        assert_same(binding.value.args[1].data.numpy(), array)


def test_constants_of_numbers():
    constant = relax.const([1.5, -2.0, 1000.0], "float8_e5m2")
    assert constant.struct_info.dtype == "float8_e5m2"
    array = constant.data.numpy()
    assert array.tolist() == [1.5, -2.0, 1024.0]
    whole = fold(lambda x: op.astype(x, "int32"), array)
    assert whole.tolist() == [1, -2, 1024]
    assert_same(fold(lambda x: op.astype(x, "float8_e5m2"), whole), whole.astype(array.dtype))
    assert fold(lambda x: op.astype(x, "bool"), array).tolist() == [True, True, True]


def test_numerics():
    """The runner of an instrument may return such arrays."""
    bb = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorStructInfo((4,), "float8_e5m2"))
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(op.add(x, x)))
    values = np.array([1, 2, 3, 4], ml_dtypes.float8_e5m2)
    numerics = partita.instrument.Numerics(runner=lambda mod: partita.compile(mod)["main"](values))
    with partita.transform.PassContext(instruments=[numerics]):
        relax.transform.LegalizeOps()(bb.get())
    assert "LegalizeOps" in numerics.render()
