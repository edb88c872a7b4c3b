# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that only a run knows: what TVM takes for granted is checked."""

import numpy as np
import pytest

import partita
from partita import relax, tir, transform
from partita.relax import op

F32 = "float32"
n, m, k = (tir.Var(name, "int64") for name in "nmk")


def index(*shape):
    return relax.TensorType(shape, "int64")


def compile_op(make, *types):
    builder = relax.BlockBuilder()
    params = [
        relax.Var(f"x{i}", relax.TensorType(t, F32) if isinstance(t, tuple) else t)
        for i, t in enumerate(types)
    ]
    with builder.function("main", params):
        builder.emit_func_output(builder.emit(make(*params)))
    return partita.compile(builder.get())["main"]


def numbers(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(F32)


def convolve(x, w, groups):
    """A convolution of rank 1 in steps of one, without padding."""
    inputs, outputs, size = w.shape[1], w.shape[0] // groups, w.shape[2]
    result = np.zeros((x.shape[0], w.shape[0], x.shape[2] - size + 1), F32)
    for out in range(w.shape[0]):
        first = out // outputs * inputs
        for at in range(result.shape[2]):
            window = x[:, first : first + inputs, at : at + size]
            result[:, out, at] = (window * w[out]).sum((1, 2))
    return result


def test_groups_with_names():
    f = compile_op(lambda x, w: op.nn.conv1d(x, w, groups=2), (1, n, 8), (m, k, 3))
    x, w = numbers(1, 6, 8), numbers(4, 3, 3)
    np.testing.assert_allclose(f(x, w), convolve(x, w, 2), 1e-4, 1e-5)
    with pytest.raises(RuntimeError, match="dimension 1 of a match_cast in 'main' to be"):
        f(numbers(1, 8, 8), w)
    with pytest.raises(RuntimeError, match="dimension 0 of a match_cast in 'main' to be"):
        f(x, numbers(5, 3, 3))


def test_transposed_windows_with_names():
    f = compile_op(lambda x, w: op.nn.conv1d_transpose(x, w, 2), (1, n, 4), (m, 3, k))
    x, w = numbers(1, 2, 4), numbers(2, 3, 5)
    expected = np.zeros((1, 3, 3 * 2 + 5), F32)
    for at in range(4):
        expected[0, :, 2 * at : 2 * at + 5] += np.einsum("c,cok->ok", x[0, :, at], w)
    np.testing.assert_allclose(f(x, w), expected, 1e-4, 1e-5)
    with pytest.raises(RuntimeError, match="of a match_cast in 'main' to be"):
        f(x, numbers(3, 3, 5))


def test_squeezed_size_with_a_name():
    f = compile_op(lambda x: op.squeeze(x, [0]), (n, 3))
    x = numbers(1, 3)
    np.testing.assert_array_equal(f(x), x[0])
    with pytest.raises(RuntimeError, match="dimension 0 of a match_cast in 'main' to be 1"):
        f(numbers(2, 3))


def test_more_of_the_largest_than_there_are():
    f = compile_op(lambda x: op.topk(x, 3, 0, "values"), (n, 2))
    x = numbers(4, 2)
    np.testing.assert_array_equal(f(x), -np.sort(-x, 0)[:3])
    with pytest.raises(RuntimeError, match=r"dimension 0 of a match_cast in 'main' to be max\(n"):
        f(x[:2])


def test_channels_with_other_names():
    f = compile_op(
        lambda x, g: op.nn.batch_norm(x, g, g, g, g, axis=1, training=False)[0], (2, n), (m,)
    )
    x, g = numbers(2, 3), np.full(3, 2, F32)
    np.testing.assert_allclose(f(x, g), (x - 2) / np.sqrt(2 + 1e-5) * 2 + 2, 1e-4, 1e-5)
    with pytest.raises(RuntimeError, match="dimension 0 of a match_cast in 'main' to be n"):
        f(x, numbers(4))


@pytest.mark.parametrize("cast", [(5,), (m,), (tir.Var("m", "int64") * 2,)])
def test_parameters_are_cast_to_other_sizes(cast):
    f = compile_op(
        lambda x, y: relax.Tuple([op.match_cast(x, relax.TensorType(cast, F32)), y]), (n,), (m,)
    )
    size = {"5": 5, "m": 3}.get(str(cast[0]), 6)
    np.testing.assert_array_equal(f(numbers(size), numbers(3))[0], numbers(size))
    with pytest.raises(RuntimeError, match="dimension 0 of a match_cast in 'main' to be"):
        f(numbers(4), numbers(3))


@pytest.mark.parametrize("make", [op.zeros, op.ones])
def test_shape_without_names(make):
    f = compile_op(lambda s: op.negative(make(s, F32)), relax.ShapeType(ndim=2))
    np.testing.assert_array_equal(f((2, 3)), np.full((2, 3), -1 if make is op.ones else 0))


def test_full_and_broadcast_of_a_shape_without_names():
    f = compile_op(lambda s: op.full(s, relax.const(2.0, F32), F32), relax.ShapeType(ndim=2))
    np.testing.assert_array_equal(f((2, 3)), np.full((2, 3), 2))
    f = compile_op(op.broadcast_to, (n,), relax.ShapeType(ndim=2))
    x = numbers(3)
    np.testing.assert_array_equal(f(x, (2, 3)), np.broadcast_to(x, (2, 3)))
    np.testing.assert_array_equal(f(x[:1], (2, 3)), np.broadcast_to(x[:1], (2, 3)))


def test_arange_down_from_a_size():
    f = compile_op(lambda x: op.arange(n, -1, -2, "int64"), (n,))
    for size in (1, 4, 5):
        np.testing.assert_array_equal(f(numbers(size)), np.arange(size, -1, -2))


def test_median_along_several_axes():
    x = numbers(3, 4, 5)
    f = compile_op(lambda x: op.median(x, [0, 2]), (3, 4, 5))
    np.testing.assert_array_equal(f(x), np.median(x, (0, 2)))
    f = compile_op(lambda x: op.median(x, [-1, 1], True), (3, n, 5))
    np.testing.assert_array_equal(f(x[:, :3]), np.median(x[:, :3], (1, 2), keepdims=True))


def test_grids_of_vectors_of_one_size():
    f = compile_op(lambda x, y: op.meshgrid([x, y], "xy"), (n,), (n,))
    x, y = numbers(3), np.arange(3, dtype=F32)
    for found, expected in zip(f(x, y), np.meshgrid(x, y)):
        np.testing.assert_array_equal(found, expected)


def test_product_of_bools():
    f = compile_op(lambda x: op.prod(x, [0]), relax.TensorType((2, 4), "bool"))
    x = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], bool)
    np.testing.assert_array_equal(f(x), np.prod(x, 0))


@pytest.mark.parametrize(
    "make, types, fits, differs",
    [
        (op.matmul, [(2, n), (m, 3)], [(2, 4), (4, 3)], [(2, 4), (5, 3)]),
        (op.matmul, [(k, 2, 4), (k, n, 3)], [(1, 2, 4), (1, 4, 3)], [(1, 2, 4), (1, 3, 3)]),
        (
            lambda x, y: op.einsum([x, y], "...ij,...kj->...ik"),
            [(2, n), (3, m)],
            [(2, 4), (3, 4)],
            [(2, 4), (3, 5)],
        ),
        (
            lambda x, i: op.gather_elements(x, i, 0),
            [(3, n), index(2, m)],
            [(3, 2), (2, 1)],
            [(3, 2), (2, 3)],
        ),
        (
            lambda x, i: op.gather_nd(x, i, 1),
            [(n, 3), index(m, 2, 1)],
            [(2, 3), (2, 2, 1)],
            [(2, 3), (3, 2, 1)],
        ),
        (
            lambda x, i, u: op.scatter_elements(x, i, u, 0),
            [(3, n), index(2, m), (2, k)],
            [(3, 2), (2, 1), (2, 1)],
            [(3, 2), (2, 3), (2, 3)],
        ),
        (
            lambda x, i, u: op.scatter_elements(x, i, u, 0),
            [(3, n), index(2, m), (2, k)],
            [(3, 2), (2, 1), (2, 1)],
            [(3, 2), (2, 2), (2, 1)],
        ),
        (
            op.scatter_nd,
            [(3, n), index(m, 1), (k, 2)],
            [(3, 2), (1, 1), (1, 2)],
            [(3, 2), (1, 1), (2, 2)],
        ),
        (
            op.scatter_nd,
            [(3, n), index(m, 1), (m, k)],
            [(3, 2), (1, 1), (1, 2)],
            [(3, 2), (1, 1), (1, 3)],
        ),
        (
            lambda x, i, j, u: op.index_put(x, [i, j], u),
            [(3, 4), index(n), index(m), (k,)],
            [(3, 4), (2,), (2,), (2,)],
            [(3, 4), (2,), (3,), (3,)],
        ),
        (
            lambda x, y: op.slice_scatter(x, y, *map(relax.PrimValue, (0, 4, 1)), 0),
            [(6, n), (4, m)],
            [(6, 2), (4, 2)],
            [(6, 2), (4, 1)],
        ),
        (
            op.nn.attention,
            [(1, 2, 2, 4), (1, n, 2, 4), (1, m, 2, 4)],
            [(1, 2, 2, 4), (1, 3, 2, 4), (1, 3, 2, 4)],
            [(1, 2, 2, 4), (1, 3, 2, 4), (1, 2, 2, 4)],
        ),
        (op.nn.nll_loss, [(n, 3), index(m)], [(2, 3), (2,)], [(2, 3), (3,)]),
        (
            op.nn.nll_loss,
            [(n, 3), index(n), (m,)],
            [(2, 3), (2,), (3,)],
            [(2, 3), (2,), (1,)],
        ),
        (
            lambda g, x, t: op.grad.nll_loss_backward(g, x, t, reduction="none"),
            [(n,), (k, 3), index(m)],
            [(2,), (2, 3), (2,)],
            [(1,), (2, 3), (2,)],
        ),
        (
            lambda x, i: op.reverse_sequence(x, i, 1, 0),
            [(n, 3), index(m)],
            [(2, 3), (2,)],
            [(2, 3), (1,)],
        ),
        (
            op.image.grid_sample,
            [(n, 2, 4, 4), (m, 2, 3, 3)],
            [(2, 2, 4, 4), (2, 2, 3, 3)],
            [(1, 2, 4, 4), (2, 2, 3, 3)],
        ),
        (
            lambda g, x, i: op.grad.take_backward(g, x, i, 0),
            [(n, k), (4, 2), index(m)],
            [(2, 2), (4, 2), (2,)],
            [(2, 2), (4, 2), (3,)],
        ),
    ],
)
def test_sizes_that_are_taken_for_granted(make, types, fits, differs):
    f = compile_op(make, *types)

    def call(shapes):
        return f(
            *(
                np.ones(shape, F32 if isinstance(type_, tuple) else "int64")
                for type_, shape in zip(types, shapes, strict=True)
            )
        )

    call(fits)
    with pytest.raises(RuntimeError, match="of a match_cast in 'main' to be"):
        call(differs)


COPY = """
partita.module {{
  tir.prim_func private @declared(%A: memref<?xf32>, %B: memref<?xf32>) {{
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %n = tir.var : i64
    tir.buffer %A shape(%n : i64) : memref<?xf32>
    tir.buffer %B shape(%n : i64) : memref<?xf32>
    scf.for %i = %c0 to %n step %c1 : i64 {{
      %0 = arith.index_cast %i : i64 to index
      %1 = memref.load %A[%0] : memref<?xf32>
      memref.store %1, %B[%0] : memref<?xf32>
    }}
    tir.return
  }}
  tir.prim_func private @linalg(%A: memref<?xf32>, %B: memref<?xf32>) {{
    linalg.copy ins(%A : memref<?xf32>) outs(%B : memref<?xf32>)
    tir.return
  }}
  tir.prim_func private @number(%A: memref<3xf32>, %B: memref<?xf32>) {{
    linalg.copy ins(%A : memref<3xf32>) outs(%B : memref<?xf32>)
    tir.return
  }}
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>,
                   %y: tensor<?xf32, #relax.shape<["m"]>>) -> tensor<?xf32, #relax.shape<["m"]>> {{
    %0 = relax.call_tir @{callee}(%x) : (tensor<?xf32, #relax.shape<["n"]>>)
        -> tensor<?xf32, #relax.shape<["m"]>>
    relax.return %0 : tensor<?xf32, #relax.shape<["m"]>>
  }}
}}
"""


@pytest.mark.parametrize("passes", [[], ["RemovePurityChecking", "CallTIRRewrite"]])
@pytest.mark.parametrize("callee", ["declared", "linalg", "number"])
def test_sizes_that_a_called_prim_func_takes_for_equal(callee, passes):
    """Otherwise it would read and write outside of its buffers."""
    mod = partita.IRModule.from_text(COPY.format(callee=callee))
    mod = transform.Sequential([transform.get_pass(name) for name in passes])(mod)
    code = partita.compile(mod, relax_pipeline=None)
    x = np.array([1, 2, 3], "float32")
    np.testing.assert_array_equal(code["main"](x, x), x)
    for size in (2, 5):
        with pytest.raises(RuntimeError, match=f"expected dimension 0 of '.' of '{callee}'"):
            code["main"](x, np.zeros(size, "float32"))
    if callee == "number":
        with pytest.raises(RuntimeError, match="which 'main' calls, to be 3"):
            code["main"](x[:2], x)
