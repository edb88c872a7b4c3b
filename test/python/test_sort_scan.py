# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DispatchSortScan: what compiled sorts and scans compute, beside NumPy."""

import numpy as np
import pytest

import partita
from partita import relax

pytest.importorskip("partita.runtime")

DTYPES = ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool"]


def compile_op(build, blocks=False):
    """The function `main` of one op; `build` emits it on the BlockBuilder."""
    bb = relax.BlockBuilder()
    build(bb)
    mod = relax.backend.DispatchSortScan()(bb.get())
    assert "relax.call_tir @" in str(mod)
    if blocks:
        mod = partita.transform.get_pass("ConvertLinalgToTIR")(mod)
    return partita.compile(mod)["main"]


def compile_unary(make, shape, dtype="float32", blocks=False):
    def build(bb):
        x = relax.Var("x", relax.TensorType(shape, dtype))
        with bb.function("main", [x]):
            bb.emit_func_output(bb.emit(make(x)))

    return compile_op(build, blocks)


def make_data(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    # Small numbers, so that many are equal.
    data = rng.integers(0, 5, shape) if dtype in ("bool", "uint8") else rng.integers(-4, 5, shape)
    return np.asarray(data).astype(dtype)


def choose(cases, dtype):
    """Loops do not depend on the dtype: one dtype takes all shapes, the others the first."""
    return cases if dtype == "float32" else cases[:1]


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sorts(dtype, blocks):
    cases = [((2, 33, 3), -2), ((7, 5), 0), ((3, 64), 1), ((1,), 0), ((1000,), 0)]
    for shape, axis in choose(cases, dtype):
        x = make_data(shape, dtype)
        main = compile_unary(lambda x, axis=axis: relax.op.sort(x, axis), shape, dtype, blocks)
        np.testing.assert_array_equal(main(x), np.sort(x, axis))
        main = compile_unary(
            lambda x, axis=axis: relax.op.argsort(x, axis, dtype="int64"), shape, dtype, blocks
        )
        np.testing.assert_array_equal(main(x), np.argsort(x, axis, kind="stable"))


def test_descending_sorts_are_stable():
    x = make_data((4, 37), "int32")
    main = compile_unary(lambda x: relax.op.argsort(x, 1, descending=True), x.shape, "int32")
    np.testing.assert_array_equal(main(x), np.argsort(-x, 1, kind="stable"))
    main = compile_unary(lambda x: relax.op.sort(x, 1, descending=True), x.shape, "int32")
    np.testing.assert_array_equal(main(x), -np.sort(-x, 1))


def test_special_numbers():
    x = np.array([np.nan, 1, -np.inf, np.nan, 0.0, -0.0, np.inf, -3], "float32")
    main = compile_unary(lambda x: relax.op.sort(x), x.shape)
    np.testing.assert_array_equal(main(x), np.sort(x))
    main = compile_unary(lambda x: relax.op.argsort(x, descending=True, dtype="int32"), x.shape)
    np.testing.assert_array_equal(main(x), [0, 3, 6, 1, 4, 5, 7, 2])


def test_sizes_with_names():
    n, m = partita.tir.Var("n", "int64"), partita.tir.Var("m", "int64")
    for make, expected in [
        (lambda x: relax.op.sort(x, 0), lambda x: np.sort(x, 0)),
        (lambda x: relax.op.argsort(x, 1), lambda x: np.argsort(x, 1, kind="stable")),
        (lambda x: relax.op.cumsum(x, 1), lambda x: np.cumsum(x, 1)),
        (lambda x: relax.op.cumprod(x), np.cumprod),
    ]:
        main = compile_unary(make, (n, m))
        for shape in [(0, 0), (0, 4), (3, 0), (1, 1), (2, 1), (5, 17), (130, 2)]:
            x = make_data(shape, "float32")
            np.testing.assert_array_equal(main(x), expected(x))


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("largest", [True, False])
def test_topk(largest, blocks):
    x = make_data((3, 21, 2), "float32")
    for axis, k in [(1, 4), (0, 3), (-1, 1), (1, 21)]:
        main = compile_unary(
            lambda x, axis=axis, k=k: relax.op.topk(x, k, axis, "both", largest, "int64"),
            x.shape,
            blocks=blocks,
        )
        values, positions = main(x)
        order = np.argsort(-x if largest else x, axis, kind="stable")
        order = np.take(order, range(k), axis)
        np.testing.assert_array_equal(positions, order)
        np.testing.assert_array_equal(values, np.take_along_axis(x, order, axis))
        if blocks:
            continue
        only = compile_unary(
            lambda x, axis=axis, k=k: relax.op.topk(x, k, axis, "values", largest), x.shape
        )
        np.testing.assert_array_equal(only(x), values)
        only = compile_unary(
            lambda x, axis=axis, k=k: relax.op.topk(x, k, axis, "indices", largest), x.shape
        )
        np.testing.assert_array_equal(only(x), order)


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_scans(dtype, blocks):
    cases = [((2, 3, 4), -2), ((7, 5), 0), ((3, 6), 1), ((1,), 0), ((2, 5), None)]
    for shape, axis in choose(cases, dtype):
        x = make_data(shape, dtype)
        for op, function, start in [
            (relax.op.cumsum, np.cumsum, 0),
            (relax.op.cumprod, np.cumprod, 1),
        ]:
            to = "int32" if dtype == "bool" else dtype
            main = compile_unary(
                lambda x, op=op, axis=axis, to=to: op(x, axis, to), shape, dtype, blocks
            )
            expected = function(x, axis, dtype=to)
            np.testing.assert_array_equal(main(x), expected)
            main = compile_unary(
                lambda x, op=op, axis=axis, to=to: op(x, axis, to, True), shape, dtype, blocks
            )
            along = axis or 0
            first = np.full_like(np.take(expected, [0], along), start)
            rest = np.take(expected, range(expected.shape[along] - 1), along)
            np.testing.assert_array_equal(main(x), np.concatenate([first, rest], along))


def test_a_converting_scan():
    x = np.array([0.5, 1.5, 2.25], "float32")
    main = compile_unary(lambda x: relax.op.cumsum(x, 0, "float64"), x.shape)
    np.testing.assert_array_equal(main(x), [0.5, 2.0, 4.25])
    main = compile_unary(lambda x: relax.op.cumsum(x, 0, "int32"), x.shape)
    np.testing.assert_array_equal(main(x), [0, 1, 3])


def test_sorting_grows_with_the_work():
    """A row of 200,000 elements: a square of it would take minutes."""
    x = np.random.default_rng(0).standard_normal(200_000).astype("float32")
    main = compile_unary(lambda x: relax.op.topk(x, 5, ret_type="values"), x.shape)
    np.testing.assert_array_equal(main(x), np.sort(x)[:-6:-1])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("result", ["int32", "int64"])
def test_draws_from_distributions(dtype, result):
    weights = np.random.default_rng(0).random((3, 8)).astype(dtype)
    weights[1, 2:6] = 0
    weights /= weights.sum(1, keepdims=True)
    numbers = np.linspace(0, 1, 30, endpoint=False).astype(dtype).reshape(-1, 1)
    rows = np.random.default_rng(1).integers(0, 3, (30, 1))
    sums = np.cumsum(weights, 1, dtype)
    expected = [
        [np.searchsorted(sums[row, :-1], u, "right")]
        for row, u in zip(rows[:, 0], numbers[:, 0], strict=True)
    ]
    sizes = [partita.tir.Var(name, "int64") for name in "bvn"]
    params = [
        relax.Var("p", relax.TensorType(sizes[:2], dtype)),
        relax.Var("u", relax.TensorType((sizes[2], 1), dtype)),
        relax.Var("i", relax.TensorType((sizes[2], 1), "int64")),
    ]
    bb = relax.BlockBuilder()
    with bb.function("main", params):
        bb.emit_func_output(bb.emit(relax.op.multinomial_from_uniform(*params, result)))
    mod = relax.backend.DispatchSampling()(bb.get())
    mod.to_tvm_json()
    found = np.asarray(partita.compile(mod)["main"](weights, numbers, rows))
    assert found.dtype == result
    np.testing.assert_array_equal(found, expected)
