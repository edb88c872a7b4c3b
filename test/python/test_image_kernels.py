# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on images, and the gradients of pooling, have the numbers of their definitions in NumPy."""

import itertools

import numpy as np
import pytest

import partita
from partita import relax
from partita.relax import op

pytest.importorskip("partita.runtime")

RNG = np.random.default_rng(0)
FLOATS = ["float16", "float32", "float64"]


def run(make, *arrays, shapes=None):
    """What the op computes that `make` builds of a parameter for each array."""
    shapes = shapes or [array.shape for array in arrays]
    params = [
        relax.Var(f"x{i}", relax.TensorType(shape, str(array.dtype)))
        for i, (shape, array) in enumerate(zip(shapes, arrays, strict=True))
    ]
    bb = relax.BlockBuilder()
    with bb.function("main", params):
        bb.emit_func_output(bb.emit(make(*params)))
    mod = relax.transform.LegalizeOps()(bb.get())
    assert "relax.call_tir @" in str(mod)
    # TVM gets loops without numbers that they carry.
    mod.to_tvm_json()
    return np.asarray(partita.compile(mod)["main"](*arrays))


def names(*letters):
    return tuple(
        partita.tir.Var(letter, "int64") if isinstance(letter, str) else letter
        for letter in letters
    )


def make_data(shape, dtype="float32"):
    return RNG.integers(-20, 20, shape).astype(dtype)


def interpolate(image, places, taps):
    """`image`, resampled at `places` in each of its last dimensions."""
    for axis, place in enumerate(places, image.ndim - len(places)):
        matrix = np.zeros((len(place), image.shape[axis]))
        for row, at in enumerate(place):
            for tap, weight in taps(at):
                matrix[row, np.clip(tap, 0, image.shape[axis] - 1)] += weight
        image = np.moveaxis(np.tensordot(matrix, image, (1, axis)), 0, axis)
    return image


def linear(at):
    low = int(np.floor(at))
    return [(low, low + 1 - at), (low + 1, at - low)]


def cubic(at, alpha=-0.75):
    def weigh(x):
        if x <= 1:
            return (alpha + 2) * x**3 - (alpha + 3) * x**2 + 1
        return alpha * (x**3 - 5 * x**2 + 8 * x - 4) if x < 2 else 0

    low = int(np.floor(at))
    return [(tap, weigh(abs(at - tap))) for tap in range(low - 1, low + 3)]


PLACES = {
    "half_pixel": lambda x, size, new: (x + 0.5) * size / new - 0.5,
    "align_corners": lambda x, size, new: x * (size - 1) / max(new - 1, 1),
    "asymmetric": lambda x, size, new: x * size / new,
    "pytorch_half_pixel": lambda x, size, new: (x + 0.5) * size / new - 0.5 if new > 1 else 0,
}


@pytest.mark.parametrize("method", ["linear", "cubic", "nearest_neighbor"])
@pytest.mark.parametrize("mode", PLACES)
@pytest.mark.parametrize("sizes", [(8, 12), (3, 5), (1, 1), (5, 4, 7)])
def test_resize(method, mode, sizes):
    data = make_data((2, 3, 4, 6, 5)[: 2 + len(sizes)])
    places = [
        [PLACES[mode](x, size, new) for x in range(new)]
        for size, new in zip(data.shape[2:], sizes, strict=True)
    ]
    taps = {"linear": linear, "cubic": cubic}.get(
        method, lambda at: [(int(np.floor(at + 1e-5)), 1)]
    )
    expected = interpolate(data.astype("float64"), places, taps)
    resize = op.image.resize2d if len(sizes) == 2 else op.image.resize3d
    options = {
        "method": method,
        "coordinate_transformation_mode": mode,
        "rounding_method": "floor",
    }
    spatial = "DHW"[-len(sizes) :]
    layouts = [
        (f"NC{spatial}", range(data.ndim)),
        (f"N{spatial}C", [0, *range(2, data.ndim), 1]),
    ]
    # The place of the channels does not change what the modes compute.
    for layout, order in layouts if mode == "half_pixel" else layouts[:1]:
        moved = np.transpose(data, list(order))
        make = lambda x, layout=layout: resize(x, size=sizes, layout=layout, **options)  # noqa: E731
        found = run(make, moved)
        np.testing.assert_allclose(found, np.transpose(expected, list(order)), atol=2e-4)


def test_resize_of_channels_in_parts_and_named_sizes():
    data = make_data((2, 3, 4, 6, 4))
    found = run(
        lambda x: op.image.resize2d(
            x,
            size=(8, 12),
            layout="NCHW4c",
            method="nearest_neighbor",
            coordinate_transformation_mode="asymmetric",
            rounding_method="floor",
        ),
        data,
        shapes=[names("n", 3, "h", "w", 4)],
    )
    np.testing.assert_array_equal(found, data.repeat(2, 2).repeat(2, 3))


def test_resize_crops():
    data = np.arange(12.0, dtype="float32").reshape(1, 1, 3, 4)
    found = run(
        lambda x: op.image.resize2d(
            x,
            roi=(0, 0.5, 1, 1.5),
            size=(3, 4),
            method="linear",
            coordinate_transformation_mode="tf_crop_and_resize",
            extrapolation_value=-1,
        ),
        data,
    )
    rows, columns = np.arange(3)[:, None], 1.5 + np.arange(4)
    expected = np.where(columns > 3, -1, 4 * rows + columns)
    np.testing.assert_allclose(found[0, 0], expected, atol=1e-5)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("aligns", [False, True])
def test_a_grid_of_the_identity(dtype, aligns):
    for sizes in [(4, 6), (3, 4, 5)]:
        data = make_data((2, 3, *sizes), dtype)
        matrix = np.eye(len(sizes), len(sizes) + 1, dtype=dtype)[None].repeat(2, 0)
        grid = run(lambda x, s=sizes: op.image.affine_grid(x, s, align_corners=aligns), matrix)
        layout = "NCHW" if len(sizes) == 2 else "NCDHW"
        for method in ("nearest", "bilinear", "bicubic")[: 5 - len(sizes)]:
            # All paddings in one dtype, and all methods in each.
            paddings = ("reflection", "zeros", "border")
            for padding in paddings if dtype == "float32" else paddings[:1]:
                found = run(
                    lambda x, y, m=method, p=padding, layout=layout: op.image.grid_sample(
                        x, y, m, layout, p, align_corners=aligns
                    ),
                    data,
                    grid,
                )
                np.testing.assert_allclose(found, data, atol=0.3 if dtype == "float16" else 1e-4)


def test_points_outside_of_the_image():
    data = np.array([[[[1.0, 2, 4]]]], "float32")
    # The places -2, 0.5, 1.5, 4 and a NaN.
    x = (np.array([-2, 0.5, 1.5, 4, np.nan], "float32") * 2 + 1) / 3 - 1
    grid = np.stack([x, np.zeros_like(x)])[None, :, None]
    for padding, expected in [
        ("zeros", [0, 1.5, 3, 0]),
        ("border", [1, 1.5, 3, 4]),
        ("reflection", [2, 1.5, 3, 2]),
    ]:
        found = run(lambda x, y, p=padding: op.image.grid_sample(x, y, padding_mode=p), data, grid)
        np.testing.assert_allclose(found[0, 0, 0, :4], expected, atol=1e-5)


@pytest.mark.parametrize("ratio", [-1, 0, 2])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("mode", ["avg", "max"])
def test_roi_align(ratio, layout, mode):
    # A plane is what interpolation leaves as it is.
    rows, columns = np.mgrid[:8, :10]
    data = (3 * rows + columns + 100 * np.arange(2)[:, None, None])[:, None].astype("float32")
    rois = np.array([[1, 1, 2, 5, 6], [0, 2, 1, 8, 4]], "float32")
    points = ratio if ratio > 0 else 2
    expected = np.empty((2, 1, 2, 2))
    for roi, (image, x0, y0, x1, y1) in enumerate(rois):
        h, w = (y1 - y0) / 2, (x1 - x0) / 2
        for row, column in itertools.product(range(2), range(2)):
            num = [points, points] if ratio > 0 else [int(np.ceil(h)), int(np.ceil(w))]
            y = y0 + h * (row + (np.arange(num[0]) + 0.5) / num[0])
            x = x0 + w * (column + (np.arange(num[1]) + 0.5) / num[1])
            numbers = 3 * y[:, None] + x + 100 * image
            expected[roi, 0, row, column] = numbers.mean() if mode == "avg" else numbers.max()
    order = [0, 1, 2, 3] if layout == "NCHW" else [0, 2, 3, 1]
    shape = names(*np.array(["n", 1, "h", "w"], object)[order])
    found = run(
        lambda x, r: op.vision.roi_align(
            x, r, (2, 2), 1.0, sample_ratio=ratio, layout=layout, mode=mode
        ),
        np.transpose(data, order),
        rois,
        shapes=[shape, names("m", 5)],
    )
    np.testing.assert_allclose(found, np.transpose(expected, order), rtol=1e-5)


@pytest.mark.parametrize("dtype", [*FLOATS, "int32"])
def test_roi_pool(dtype):
    data = make_data((2, 3, 8, 9), dtype)
    rois = np.array([[1, 1, 2, 5, 6], [0, 20, 20, 30, 30], [0, 0, 0, 8, 7]], "float32")
    found = run(lambda x, r: op.vision.roi_pool(x, r, (2, 2), 1.0), data, rois)
    expected = np.zeros((3, 3, 2, 2), dtype)
    # Rows 2 to 6 and columns 1 to 5 overlap in the middle.
    for row, column in itertools.product(range(2), range(2)):
        part = data[1, :, 2 + 2 * row : 5 + 2 * row, 1 + 2 * column : 4 + 2 * column]
        expected[0, :, row, column] = part.max((1, 2))
        part = data[0, :, 4 * row : 4 + 4 * row, 4 * column : 5 + 4 * column]
        expected[2, :, row, column] = part.max((1, 2))
    np.testing.assert_array_equal(found, expected)


# A maximum does not depend on what is counted.
@pytest.mark.parametrize("is_max, counts", [(False, False), (False, True), (True, True)])
@pytest.mark.parametrize("size, stride", [((3, 3), (1, 1)), ((2, 3), (2, 2)), ((1, 1), (3, 2))])
@pytest.mark.parametrize("padding", [(0, 0, 0, 0), (0, 1, 1, 1)])
def test_pooling_gradients(is_max, size, stride, padding, counts):
    data = RNG.integers(0, 5, (2, 3, 7, 6)).astype("float32")
    starts = [
        range(-padding[i], data.shape[2 + i] + padding[2 + i] - size[i] + 1, stride[i])
        for i in range(2)
    ]
    gradient = RNG.normal(size=(2, 3, len(starts[0]), len(starts[1]))).astype("float32")
    expected = np.zeros_like(data)
    for n, c, i, j in np.ndindex(gradient.shape):
        y, x = starts[0][i], starts[1][j]
        window = np.s_[n, c, max(y, 0) : y + size[0], max(x, 0) : x + size[1]]
        part = data[window]
        if part.size == 0:
            continue
        if is_max:
            at = np.unravel_index(part.argmax(), part.shape)
            expected[window][at] += gradient[n, c, i, j]
        else:
            expected[window] += gradient[n, c, i, j] / (np.prod(size) if counts else part.size)
    pool = op.grad.max_pool2d_backward if is_max else op.grad.avg_pool2d_backward
    for order, layout in [([0, 1, 2, 3], "NCHW"), ([0, 2, 3, 1], "NHWC")]:
        found = run(
            lambda g, x, layout=layout: pool(
                g,
                x,
                pool_size=size,
                strides=stride,
                padding=padding,
                count_include_pad=counts,
                layout=layout,
            ),
            np.transpose(gradient, order),
            np.transpose(data, order),
        )
        np.testing.assert_allclose(found, np.transpose(expected, order), atol=1e-5)


@pytest.mark.parametrize("dtype", FLOATS)
def test_gradients_of_windows_with_nan(dtype):
    """They go to the first NaN, the largest element as NumPy's argmax has it."""
    data = RNG.integers(0, 5, (1, 1, 6, 6)).astype(dtype)
    data[RNG.random(data.shape) < 0.3] = np.nan
    gradient = np.arange(9, dtype=dtype).reshape(1, 1, 3, 3)
    expected = np.zeros_like(data)
    for i, j in np.ndindex(3, 3):
        window = np.s_[0, 0, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
        at = np.unravel_index(data[window].argmax(), (2, 2))
        expected[window][at] = gradient[0, 0, i, j]
    found = run(lambda g, x: op.grad.max_pool2d_backward(g, x, (2, 2), (2, 2)), gradient, data)
    np.testing.assert_array_equal(found, expected)
