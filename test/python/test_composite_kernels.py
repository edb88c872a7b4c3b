"""Attention, losses and layouts as kernels have the numbers of their formulas in NumPy."""

import numpy as np
import pytest

import partita
from partita import relax
from partita.relax import op

pytest.importorskip("partita.runtime")

RNG = np.random.default_rng(0)


def run(make, *arrays, **options):
    """What the function computes that `make` builds of a parameter for each array."""
    params = [
        relax.Var(f"x{i}", relax.TensorType(array.shape, str(array.dtype)))
        for i, array in enumerate(arrays)
    ]
    bb = relax.BlockBuilder()
    with bb.function("main", params):
        with bb.dataflow():
            result = bb.emit_output(make(*params))
        bb.emit_func_output(result)
    return np.asarray(partita.compile(bb.get(), **options)["main"](*arrays))


def floats(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def attend(query, key, value, bias, scale, mask):
    x = np.einsum("bihd,bjhd->bhij", query, key) * (scale or query.shape[3] ** -0.5) + bias
    length, keys = x.shape[2:]
    if mask:
        offset = abs(length - keys) if mask == "BottomRight" else 0
        x = np.where(np.tri(length, keys, offset, dtype=bool), x, -np.inf)
    x = np.exp(x - x.max(-1, keepdims=True))
    return np.einsum("bhij,bjhd->bihd", x / x.sum(-1, keepdims=True), value)


@pytest.mark.parametrize("mask", [None, "TopLeft", "BottomRight"])
@pytest.mark.parametrize("scale", [None, 0.25])
@pytest.mark.parametrize("lengths", [(5, 7), (7, 5)])
def test_attention(lengths, scale, mask):
    length, keys = lengths
    query, key, value = floats(2, length, 3, 8), floats(2, keys, 3, 8), floats(2, keys, 3, 4)
    options = {"scale": scale, "causal_mask": mask}
    found = run(lambda q, k, v: op.nn.attention(q, k, v, **options), query, key, value)
    np.testing.assert_allclose(found, attend(query, key, value, 0, scale, mask), atol=1e-5)
    bias = floats(1, 3, length, keys)
    found = run(lambda q, k, v, b: op.nn.attention(q, k, v, b, **options), query, key, value, bias)
    np.testing.assert_allclose(found, attend(query, key, value, bias, scale, mask), atol=1e-5)


def test_attention_of_sizes_with_names():
    params = [
        relax.Var(f"x{i}", relax.TensorType((1, length, 2, 8), "float32"))
        for i, length in enumerate("nmm")
    ]
    bb = relax.BlockBuilder()
    with bb.function("main", params):
        bb.emit_func_output(bb.emit(op.nn.attention(*params, causal_mask="BottomRight")))
    code = partita.compile(bb.get())
    for length, keys in [(3, 5), (5, 3), (1, 4)]:
        arrays = floats(1, length, 2, 8), floats(1, keys, 2, 8), floats(1, keys, 2, 8)
        found = np.asarray(code["main"](*arrays))
        np.testing.assert_allclose(found, attend(*arrays, 0, None, "BottomRight"), atol=1e-5)


def test_attention_that_stays():
    shapes = [(1, 4, 4, 8), (1, 4, 2, 8), (1, 4, 2, 8)]
    params = [relax.Var(f"x{i}", relax.TensorType(s, "float32")) for i, s in enumerate(shapes)]
    for sizes, options in [([0, 0, 0], {"window_size": 2}), ([0, 1, 2], {})]:
        bb = relax.BlockBuilder()
        with bb.function("main", params):
            args = [params[i] for i in sizes]
            bb.emit_func_output(bb.emit(op.nn.attention(*args, **options)))
        assert "relax.nn.attention" in str(relax.transform.LegalizeOps()(bb.get()))


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("shape", [(5,), (4, 5), (4, 5, 3, 2)])
@pytest.mark.parametrize("weighted", [True, False])
def test_nll_loss(shape, reduction, weighted):
    axis = int(len(shape) > 1)
    predictions = floats(*shape)
    # One target at least counts, and one is ignored where there are several.
    outer = shape[:axis] + shape[axis + 1 :]
    targets = (1 + np.arange(np.prod(outer, dtype=int)) % 3).reshape(outer)
    weights = floats(5) if weighted else np.ones(5, np.float32)
    picked = np.take_along_axis(predictions, np.expand_dims(targets, axis), axis).squeeze(axis)
    weight = np.where(targets == 2, 0, weights[targets])
    loss = -picked * weight
    expected = loss if reduction == "none" else loss.sum()
    gradient = floats(*expected.shape)
    onehot = np.moveaxis(np.eye(5, dtype=np.float32)[targets], -1, axis)
    factor = gradient * weight
    if reduction == "mean":
        expected, factor = expected / weight.sum(), factor / weight.sum()
    options = {"reduction": reduction, "ignore_index": 2}
    more = [weights] if weighted else []
    found = run(lambda *args: op.nn.nll_loss(*args, **options), predictions, targets, *more)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    found = run(
        lambda *args: op.grad.nll_loss_backward(*args, **options),
        gradient,
        predictions,
        targets,
        *more,
    )
    np.testing.assert_allclose(found, -np.expand_dims(factor, axis) * onehot, rtol=1e-4, atol=1e-5)


def test_ignored_infinities_of_nll_loss():
    predictions = np.array([[-np.inf, 1, 2], [3, 4, np.inf]], "float32")
    targets = np.array([-100, 1], "int64")
    found = run(lambda x, t: op.nn.nll_loss(x, t, reduction="sum"), predictions, targets)
    np.testing.assert_array_equal(found, -4)
    gradient = np.array([np.inf, 2], "float32")
    found = run(
        lambda *args: op.grad.nll_loss_backward(*args, reduction="none"),
        gradient,
        predictions,
        targets,
    )
    np.testing.assert_array_equal(found, [[0, 0, 0], [0, -2, 0]])


def test_infinite_gradients_of_nll_loss():
    """Classes that are no targets have the gradient 0."""
    found = run(
        lambda *args: op.grad.nll_loss_backward(*args, reduction="sum"),
        np.float32(np.inf),
        floats(2, 3),
        np.array([0, 2]),
    )
    np.testing.assert_array_equal(found, [[-np.inf, 0, 0], [0, 0, -np.inf]])


def test_gradient_of_nll_loss_of_any_number_of_classes():
    shapes = [(), ("n", "c"), ("n",), ("c",)]
    dtypes = ["float32", "float32", "int32", "float32"]
    params = [
        relax.Var(f"x{i}", relax.TensorType(shape, dtype))
        for i, (shape, dtype) in enumerate(zip(shapes, dtypes))
    ]
    bb = relax.BlockBuilder()
    with bb.function("main", params):
        bb.emit_func_output(bb.emit(op.grad.nll_loss_backward(*params)))
    code = partita.compile(bb.get())
    for rows, classes in [(2, 3), (4, 1), (1, 7)]:
        targets = np.arange(rows, dtype="int32") % classes
        weights = 1 + np.arange(classes, dtype="float32")
        expected = np.zeros((rows, classes), "float32")
        expected[np.arange(rows), targets] = -2 * weights[targets] / weights[targets].sum()
        found = code["main"](np.float32(2), floats(rows, classes), targets, weights)
        np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("shape", [(2, 3), (1, 3)])
@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm"])
def test_norm_whose_axes_are_not_in_order(norm, shape):
    """TVM reads the parameters in the order of the tensor's dimensions, past their end."""
    x = relax.Var("x", relax.TensorType((4, *shape), "float32"))
    names = ["gamma", "beta"][: 1 + (norm == "layer_norm")]
    sizes = [relax.Var(name, relax.TensorType(shape[::-1], "float32")) for name in names]
    bb = relax.BlockBuilder()
    with bb.function("main", [x, *sizes]):
        bb.emit_func_output(bb.emit(getattr(op.nn, norm)(x, *sizes, axes=[2, 1])))
    assert f"relax.nn.{norm}" in str(relax.transform.LegalizeOps()(bb.get()))


@pytest.mark.parametrize("shape", [(5,), (4, 5)])
def test_cross_entropy(shape):
    x, y = floats(*shape), floats(*shape)
    found = run(op.nn.cross_entropy_with_logits, x, y)
    np.testing.assert_allclose(found, -(x * y).sum() / (shape[0] if shape[1:] else 1), rtol=1e-5)


def test_a_sum_of_one_number_in_a_broadcast():
    # Fusion once added it again for each element of the other operand.
    x, y = floats(), floats(5)
    found = run(lambda x, y: op.add(op.sum(x), y), x, y, relax_pipeline="zero")
    np.testing.assert_allclose(found, x + y, rtol=1e-5)
    a, b, c = floats(3, 4), floats(4, 5), floats(6, 3, 4, 5)
    found = run(
        lambda a, b, c: op.multiply(op.einsum((a, b), "ij,jk->ijk"), c),
        a,
        b,
        c,
        relax_pipeline="zero",
    )
    np.testing.assert_allclose(found, np.einsum("ij,jk->ijk", a, b) * c, rtol=1e-5)


@pytest.mark.parametrize(
    "shape, index_map, pad_value",
    [
        ((16,), lambda i: (i // 4, i % 4), None),
        ((14,), lambda i: (i // 4, i % 4), 2.0),
        ((6,), lambda i: (i % 16,), None),
        ((1, 8, 3, 3), lambda n, c, h, w: (n, c // 4, h, w, c % 4), None),
        ((5, 7), lambda i, j: (i // 2, j // 4, i % 2, j % 4), 1.5),
        ((4, 6), lambda i, j: (i * 6 + j,), None),
    ],
)
def test_layout_transform(shape, index_map, pad_value):
    x = floats(*shape)
    found = run(lambda x: op.layout_transform(x, index_map, pad_value), x)
    expected = np.full(found.shape, pad_value or 0, np.float32)
    for index in np.ndindex(shape):
        expected[index_map(*index)] = x[index]
    np.testing.assert_array_equal(found, expected)
