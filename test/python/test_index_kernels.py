# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on elements at indices, reductions of integers and tensors without elements have NumPy's
numbers as kernels."""

import numpy as np
import pytest

import partita
from partita import relax
from partita.relax import op

pytest.importorskip("partita.runtime")

RNG = np.random.default_rng(0)


def names(*letters):
    return tuple(
        partita.tir.Var(letter, "int64") if isinstance(letter, str) else letter
        for letter in letters
    )


def run(make, *arrays, shapes=None):
    """What the op computes that `make` builds of a parameter for each array."""
    params = [
        relax.Var(f"x{i}", relax.TensorType(shape, str(array.dtype)))
        for i, (shape, array) in enumerate(
            zip(shapes or [array.shape for array in arrays], arrays, strict=True)
        )
    ]
    bb = relax.BlockBuilder()
    with bb.function("main", params):
        bb.emit_func_output(bb.emit(make(*params)))
    mod = relax.transform.LegalizeOps()(bb.get())
    mod.to_tvm_json()
    found = partita.compile(mod)["main"](*arrays)
    return [np.asarray(x) for x in found] if isinstance(found, tuple) else np.asarray(found)


def floats(*shape):
    return RNG.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_take_with_nan(dtype, axis):
    data = floats(*((3, 4) if axis is not None else (5,))).astype(dtype)
    indices = np.array([[2, -1, 0], [5, 1, -7]], "int32")
    size = data.shape[axis or 0]
    inside = (indices >= 0) & (indices < size)
    expected = np.take(data, np.where(inside, indices, 0), axis)
    place = (axis or 0) % data.ndim
    mask = inside.reshape((1,) * place + inside.shape + (1,) * (data.ndim - place - 1))
    expected = np.where(mask, expected, np.array(np.nan, dtype))
    found = run(lambda x, i: op.take(x, i, axis, "nan"), data, indices)
    np.testing.assert_array_equal(found, expected)


def test_take_of_nothing():
    """What wraps around has no remainder: it is anything, and no trap."""
    found = run(
        lambda x, i: op.take(x, i, 0, "wrap"),
        floats(0, 3),
        np.array([1, -1], "int64"),
        shapes=[names("n", 3), (2,)],
    )
    assert found.shape == (2, 3)


@pytest.mark.parametrize("dtype", ["float32", "int16"])
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_take_backward(axis, dtype):
    data = floats(4, 5).astype(dtype)
    indices = np.array([[2, 0, 3], [2, 2, 1]], "int32")
    gradient = (floats(*np.take(data, indices, axis).shape) * 9).astype(dtype)
    expected = np.zeros_like(data)
    if axis is None:
        np.add.at(expected.reshape(-1), indices, gradient)
    elif axis == 0:
        np.add.at(expected, indices, gradient)
    else:
        np.add.at(expected, (slice(None), indices), gradient)
    found = run(lambda g, x, i: op.grad.take_backward(g, x, i, axis), gradient, data, indices)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "uint8", "uint64"])
def test_scatter_elements_with_mean(dtype):
    """Sums of integers wrap around."""
    data, updates = (RNG.random((rows, 4)) * 255 for rows in (3, 2))
    data, updates = data.astype(dtype), updates.astype(dtype)
    rows = np.array([[0, 2, 1, 0], [1, 2, 1, -1]], "int64")
    expected = data.copy()
    for at in np.ndindex(rows.shape):
        place = rows[at], at[1]
        total = np.array([expected[place], updates[at]]).sum(dtype=dtype)
        expected[place] = total / 2 if dtype == "float32" else total // 2
    found = run(
        lambda x, i, u: op.scatter_elements(x, i, u, 0, "mean"),
        data,
        rows,
        updates,
        shapes=[names("n", 4), names("m", 4), names("m", 4)],
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_bools_are_scattered():
    data, at = np.array([True, False, True]), np.array([[2], [1]], "int64")
    updates, expected = np.array([False, True]), [True, True, False]
    found = run(lambda x, i, u: op.scatter_elements(x, op.squeeze(i, 1), u), data, at, updates)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(run(op.scatter_nd, data, at, updates), expected)
    found = run(lambda x, i, u: op.index_put(x, op.squeeze(i, 1), u), data, at, updates)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("shapes", [((2, 1), (1, 3)), ((3,), (2, 3)), ((2, 3), (1,))])
def test_index_put_broadcasts(shapes, accumulate):
    data, values = floats(6, 6), floats(2, 3)
    rows, columns = (
        RNG.permutation(6)[: np.prod(shape)].reshape(shape).astype("int64") for shape in shapes
    )
    expected = data.copy()
    if accumulate:
        np.add.at(expected, (rows, columns), values)
    else:
        expected[rows, columns] = values
    found = run(
        lambda x, i, j, v: op.index_put(x, (i, j), v, accumulate), data, rows, columns, values
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize(
    "subscripts,shapes",
    [
        ("...ij,...jk->...ik", [(2, 3, 4), (4, 5)]),
        ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]),
        ("i...,i...", [(3, 2, 4), (3, 2, 4)]),
        ("...,...i->i...", [(), (2, 3)]),
        ("...ab->...ba", [(2, 3, 4)]),
        ("ij,jk->ik", [(1, 3), (3, 1)]),
        ("ij->", [(1, 1)]),
        ("ij->", [(0, 1)]),
    ],
)
def test_einsum(subscripts, shapes):
    arrays = [floats(*shape) for shape in shapes]
    found = run(lambda *xs: op.einsum(xs, subscripts), *arrays)
    np.testing.assert_allclose(found, np.einsum(subscripts, *arrays), atol=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("name", ["mean", "variance", "std"])
@pytest.mark.parametrize("axis", [None, 0, [-1, 0]])
def test_moments_of_integers(dtype, name, axis):
    """TVM sums in the dtype, and rounds each mean of 64 bits towards zero."""
    data = RNG.integers(0, 2 if dtype == "bool" else 120, (20, 4, 3)).astype(dtype)
    axes = tuple(axis) if isinstance(axis, list) else axis

    def mean(x):
        total = np.sum(x, axes, x.dtype, keepdims=True)
        return np.trunc(total.astype("float64") / (x.size // total.size)).astype("int64")

    expected = mean(data)
    if name != "mean":
        expected = mean((data.astype("int64") - expected) ** 2)
    if name == "std":
        expected = np.sqrt(expected)
    found = run(lambda x: getattr(op, name)(x, axis, True), data, shapes=[names("n", 4, "m")])
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected.astype(dtype))


def test_grids_of_one_vector():
    data = floats(4)
    for indexing in "ij", "xy":
        found = run(lambda x: op.meshgrid([x], indexing), data, shapes=[names("n")])
        np.testing.assert_array_equal(found, [data])


def test_pads_that_cut():
    data = floats(4, 5)
    for widths in [(-1, 1, 0, -2), (2, -3, -1, 0), (-2, -2, 1, 1)]:
        cut = data[max(-widths[0], 0) :, max(-widths[2], 0) :]
        cut = cut[: len(cut) + min(widths[1], 0), : cut.shape[1] + min(widths[3], 0)]
        positive = np.maximum(widths, 0).reshape(2, 2)
        found = run(lambda x: op.nn.pad(x, widths, pad_value=3.0), data)
        np.testing.assert_array_equal(found, np.pad(cut, positive, constant_values=3.0))


STRIDE = """partita.module {
  relax.func @main(%x: tensor<?x6xf32, #relax.shape<["n", 6]>>, %y: tensor<?xf32, #relax.shape<["b"]>>) -> tensor<?x?xf32, #relax.shape<["n", "5 // b + 1"]>> {
    %0 = relax.prim_value 1 : i64
    %1 = relax.tuple(%0) : i64
    %2 = relax.prim_value 0 : i64
    %3 = relax.tuple(%2) : i64
    %4 = relax.prim_value 6 : i64
    %5 = relax.tuple(%4) : i64
    %6 = relax.dim ["b"] : i64
    %7 = relax.tuple(%6) : i64
    %z = relax.strided_slice %x, %1, %3, %5, %7 : (tensor<?x6xf32, #relax.shape<["n", 6]>>, tuple<i64>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<?x?xf32, #relax.shape<["n", "5 // b + 1"]>>
    relax.return %z : tensor<?x?xf32, #relax.shape<["n", "5 // b + 1"]>>
  }
}"""  # noqa: E501


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_pads_that_repeat_and_cut(mode):
    data = floats(3, 4)
    expected = np.pad(
        data, ((0, 2), (1, 0)), {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    )
    found = run(lambda x: op.nn.pad(x, (-1, 2, 1, -1), mode), data)
    np.testing.assert_array_equal(found, expected[1:, :-1])


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_pads_of_little(mode):
    """What pads more than a dimension has reads nothing outside."""
    data = np.ones((1, 2), "float32")
    found = run(lambda x: op.nn.pad(x, (9, 9, 9, 9), mode), data, shapes=[names("n", 2)])
    np.testing.assert_array_equal(found, np.ones((19, 20)))
    empty = run(lambda x: op.nn.pad(x, (1, 1, 0, 0), mode), data[:0], shapes=[names("n", 2)])
    assert empty.shape == (2, 2)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "bool"])
def test_pads_of_nothing(dtype):
    found = run(lambda x: op.nn.pad(x, (1, 1, 0, 2), pad_value=1.0), np.ones((0, 3), dtype))
    np.testing.assert_array_equal(found, np.ones((2, 5), dtype))


def test_a_stride_with_a_name():
    code = partita.compile(partita.IRModule.from_text(STRIDE))
    data = floats(3, 6)
    for step in 1, 2, 3, 7:
        found = np.asarray(code["main"](data, floats(step)))
        np.testing.assert_array_equal(found, data[:, ::step])


def test_xor_of_integers():
    a, b = RNG.integers(-9, 9, (2, 3, 4)).astype("int32")
    np.testing.assert_array_equal(run(op.logical_xor, a, b), a ^ b)


@pytest.mark.parametrize(
    "slices", [((1, 0), (7, 5), (2, 1)), ((0, -1), (99, -5), (3, -2)), ((5, 2), (1, 2), (1, 1))]
)
@pytest.mark.parametrize("shape", [(8, 6), names("n", "m")])
def test_dynamic_strided_slice(slices, shape):
    data = floats(8, 6)
    bounds = [np.array(numbers, "int64") for numbers in slices]
    expected = data[tuple(slice(*each) for each in zip(*slices, strict=True))]
    params = [relax.Var("x", relax.TensorType(shape, "float32"))]
    params += [relax.Var(name, relax.TensorType((2,), "int64")) for name in ("b", "e", "s")]
    bb = relax.BlockBuilder()
    with bb.function("main", params):
        bb.emit_func_output(bb.emit(op.dynamic_strided_slice(*params)))
    found = np.asarray(partita.compile(bb.get())["main"](data, *bounds))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "make,shape,expected",
    [
        (lambda x: op.nn.pad(x, (0, 0, 1, 2)), (0, 4), (0, 7)),
        (lambda x: op.nn.max_pool1d(x, 3, padding=1), (0, 2, 5), (0, 2, 5)),
        (lambda x: op.nn.avg_pool2d(x, 2, padding=1), (2, 0, 4, 4), (2, 0, 5, 5)),
        (lambda x: op.reshape(x, (-1, 2)), (0, 4), (0, 2)),
        (lambda x: op.concat([x, x], 1), (0, 4), (0, 8)),
    ],
)
def test_no_elements(make, shape, expected):
    assert run(make, floats(*shape)).shape == expected


def test_means_of_rows_with_a_name():
    predictions, labels = floats(3, 4), floats(3, 4)
    found = run(
        op.nn.cross_entropy_with_logits,
        predictions,
        labels,
        shapes=[names("n", 4), names("n", 4)],
    )
    np.testing.assert_allclose(found, -(predictions * labels).sum() / 3, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32"])
@pytest.mark.parametrize(
    "options, wraps",
    [
        ({}, True),
        ({"padding": (1, 1)}, False),
        ({"padding": (1, 1), "count_include_pad": True}, False),
        ({"padding": (0, 1)}, False),
        ({"ceil_mode": True}, False),
    ],
)
def test_averages_of_integers(dtype, options, wraps):
    """They wrap around where nothing pads, as TVM's do: its padding has 32 bits."""
    limits = np.iinfo(dtype)
    x = RNG.integers(max(limits.min, -9999), min(limits.max, 9999), (1, 1, 5, 5)).astype(dtype)
    before, after = options.get("padding", (0, 0))
    more = int(options.get("ceil_mode", False))
    padded = np.pad(x[0, 0].astype("int64"), (before, after + more))
    inside = np.pad(np.ones((5, 5), int), (before, after + more))
    if "count_include_pad" in options:
        inside[:] = 1
    count = (padded.shape[0] - 2) // 2 + 1
    expected = np.zeros((1, 1, count, count), dtype)
    for i, j in np.ndindex(count, count):
        window = np.s_[2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
        total = padded[window].sum().astype(dtype if wraps else "int32").astype(float)
        expected[0, 0, i, j] = np.trunc(total / inside[window].sum()).astype(dtype)
    options = {**options, "padding": [before, before, after, after]}

    def make(x):
        return op.nn.avg_pool2d(x, (2, 2), (2, 2), **options)

    np.testing.assert_array_equal(run(make, x), expected)
    bb = relax.BlockBuilder()
    with bb.function("main", []):
        bb.emit_func_output(bb.emit(make(relax.const(x))))
    folded = relax.transform.FoldConstant()(bb.get())["main"].body.body
    np.testing.assert_array_equal(folded.data.numpy(), expected)


@pytest.mark.parametrize("of", ["float16", "float32"])
@pytest.mark.parametrize("dtype, largest", [("int8", 127), ("uint8", 255), ("int16", 32767)])
def test_quantized_nan(dtype, largest, of):
    """It is the largest integer, as TVM's code has it."""
    x = np.array([np.nan, 1, -np.inf, np.nan, 2, np.inf, np.nan, np.nan, np.nan], of)

    def make(x):
        return op.quantize(x, relax.const(0.5, "float32"), relax.const(1, "int8"), -1, dtype)

    least = np.iinfo(dtype).min
    expected = [largest, 3, least, largest, 5, largest, largest, largest, largest]
    np.testing.assert_array_equal(run(make, x), expected)


@pytest.mark.parametrize("function", [op.ceil, op.floor, op.round, op.trunc])
def test_bools_are_round(function):
    x = np.array([[True, False, True]])
    np.testing.assert_array_equal(run(function, x), x)
