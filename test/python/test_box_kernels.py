# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on boxes, and medians, have the numbers of their definitions in NumPy."""

import numpy as np
import pytest

import partita
from partita import relax
from partita.relax import op

pytest.importorskip("partita.runtime")

RNG = np.random.default_rng(0)
#: The compiled functions, by the text of their modules.
COMPILED = {}


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
    text = str(bb.get())
    if text not in COMPILED:
        mod = relax.transform.LegalizeOps()(bb.get())
        assert "relax.call_tir @" in str(mod)
        mod.to_tvm_json()
        COMPILED[text] = partita.compile(mod)["main"]
    found = COMPILED[text](*arrays)
    return [np.asarray(x) for x in found] if isinstance(found, tuple) else np.asarray(found)


def names(*letters):
    return tuple(
        partita.tir.Var(letter, "int64") if isinstance(letter, str) else letter
        for letter in letters
    )


def make_boxes(batches, count):
    """Boxes of a class, a score and two corners."""
    boxes = np.empty((batches, count, 6), "float32")
    boxes[..., 0] = RNG.integers(-1, 3, (batches, count))
    boxes[..., 1] = RNG.permutation(batches * count).reshape(batches, count) / (batches * count)
    boxes[..., 2:4] = RNG.uniform(0, 6, (batches, count, 2))
    boxes[..., 4:] = boxes[..., 2:4] + RNG.uniform(1, 5, (batches, count, 2))
    return boxes


MEDIANS = [("float32", axis, keepdims) for axis in (None, 0, 1, -1) for keepdims in (False, True)]
for dtype in ("float16", "float64", "int32", "int8", "bool"):
    MEDIANS += [(dtype, None, False), (dtype, -1, True)]


@pytest.mark.parametrize("dtype, axis, keepdims", MEDIANS)
def test_median(dtype, axis, keepdims):
    data = RNG.integers(0, 9, (4, 5, 3)).astype(dtype)
    shapes = [names("n", 5, "m")]
    found = run(lambda x: op.median(x, axis, keepdims), data, shapes=shapes)
    line = data.reshape(-1) if axis is None else data
    order = np.argsort(line, axis or 0, kind="stable")
    middle = [(line.shape[axis or 0] - 1) // 2]
    at = np.take(order, middle, axis or 0)
    median = np.take_along_axis(line, at, axis or 0)
    if axis is None:
        np.testing.assert_array_equal(found, median.reshape((1, 1, 1) if keepdims else ()))
        return
    for array, expected in zip(found, (median, at), strict=True):
        np.testing.assert_array_equal(array, expected if keepdims else expected.squeeze(axis))


@pytest.mark.parametrize("id_index", [-1, 0])
@pytest.mark.parametrize("count", [0, 1, 9])
def test_get_valid_counts(id_index, count):
    boxes = make_boxes(2, count)
    counts, rows, places = run(
        lambda x: op.vision.get_valid_counts(x, 0.4, id_index, 1),
        boxes,
        shapes=[names("b", "n", 6)],
    )
    for batch in range(2):
        valid = (boxes[batch, :, 1] > 0.4) & ((boxes[batch, :, 0] >= 0) | (id_index < 0))
        (at,) = valid.nonzero()
        rest = count - len(at)
        assert counts[batch] == len(at)
        np.testing.assert_array_equal(places[batch], [*at, *[-1] * rest])
        expected = np.concatenate([boxes[batch, at], np.full((rest, 6), -1)])
        np.testing.assert_array_equal(rows[batch], expected)


def overlap(a, b):
    sides = np.minimum(a[4:], b[4:]) - np.maximum(a[2:4], b[2:4])
    common = np.prod(np.maximum(sides, 0))
    return common / (np.prod(a[4:] - a[2:4]) + np.prod(b[4:] - b[2:4]) - common)


def suppress(boxes, threshold, most=-1, top_k=-1, same=True):
    """The places of boxes that stay, by their scores."""
    order = np.argsort(-boxes[:, 1], kind="stable")[: top_k if top_k > 0 else None]
    kept = []
    for at in order:
        if most > 0 and len(kept) == most:
            break
        box = boxes[at]
        if box[1] > 0 and all(
            overlap(boxes[other], box) < threshold or (same and boxes[other, 0] != box[0])
            for other in kept
        ):
            kept.append(at)
    return kept


@pytest.mark.parametrize(
    "options, expected",
    [
        ({}, {}),
        ({"max_output_size": 2}, {"most": 2}),
        ({"top_k": 5}, {"top_k": 5}),
        ({"force_suppress": True}, {"same": False}),
        ({"id_index": -1}, {"same": False}),
    ],
)
def test_non_max_suppression(options, expected):
    boxes, counts = make_boxes(2, 12), np.array([12, 7], "int32")
    indices = np.stack([RNG.permutation(12), RNG.permutation(12)]).astype("int32")
    kept = [suppress(boxes[i, : counts[i]], 0.3, **expected) for i in range(2)]
    shapes = [names("b", "n", 6), names("b"), names("b", "n")]

    def suppress_by(**more):
        return lambda x, c, i: op.vision.non_max_suppression(
            x, c, i, iou_threshold=0.3, **options, **more
        )

    places, numbers = run(suppress_by(), boxes, counts, indices, shapes=shapes)
    rows = run(suppress_by(return_indices=False, invalid_to_bottom=True), boxes, counts, indices)
    for i in range(2):
        rest = 12 - len(kept[i])
        assert numbers[i, 0] == len(kept[i])
        np.testing.assert_array_equal(places[i], [*indices[i, kept[i]], *[-1] * rest])
        np.testing.assert_array_equal(rows[i, : len(kept[i])], boxes[i, kept[i]])
        assert (rows[i, len(kept[i]) :] == -1).all()


@pytest.mark.parametrize("softmax", [False, True])
@pytest.mark.parametrize("clip", [False, True])
def test_multibox_transform_loc(softmax, clip):
    scores, moves = RNG.normal(size=(2, 3, 5)), RNG.normal(size=(2, 20))
    corners = np.sort(RNG.uniform(0, 1, (5, 2, 2)), axis=1)
    anchors = corners.reshape(1, 5, 4)
    found, probabilities = run(
        lambda c, m, a: op.vision.multibox_transform_loc(
            c,
            m,
            a,
            clip=clip,
            threshold=0.2,
            variances=(0.1, 0.2, 0.3, 0.4),
            keep_background=False,
            apply_softmax=softmax,
        ),
        *(array.astype("float32") for array in (scores, moves, anchors)),
        shapes=[
            names("b", 3, "n"),
            (*names("b"), partita.tir.Var("n", "int64") * 4),
            names(1, "n", 4),
        ],
    )
    shifts = moves.reshape(2, 5, 2, 2) * np.array([0.1, 0.2, 0.3, 0.4]).reshape(2, 2)
    size, middle = corners[:, 1] - corners[:, 0], corners.mean(1)
    center, reach = shifts[:, :, 0] * size + middle, np.exp(shifts[:, :, 1]) * size / 2
    boxes = np.concatenate([(center - reach)[..., ::-1], (center + reach)[..., ::-1]], -1)
    np.testing.assert_allclose(found, np.clip(boxes, 0, 1) if clip else boxes, atol=1e-5)
    if softmax:
        scores = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    scores = np.where(scores >= 0.2, scores, 0)
    scores[:, 0] = 0
    np.testing.assert_allclose(probabilities, scores, atol=1e-5)


def soften(boxes, threshold, sigma, least, most=-1, same=True):
    """The places of boxes that stay, and their scores, which others have lowered."""
    scores = boxes[:, 1].astype("float64")
    left = list(np.argsort(-scores, kind="stable"))
    kept = []
    while left and (most <= 0 or len(kept) < most):
        best = max(left, key=lambda at: scores[at])
        if scores[best] <= least:
            break
        left.remove(best)
        kept.append(best)
        for other in list(left):
            if same and boxes[other, 0] != boxes[best, 0]:
                continue
            common = overlap(boxes[best], boxes[other])
            if common < threshold:
                scores[other] *= np.exp(-0.5 / sigma * common**2)
            if common >= threshold or scores[other] <= least:
                left.remove(other)
    return kept, scores[kept]


@pytest.mark.parametrize(
    "options, expected",
    [({}, {}), ({"max_output_size": 3}, {"most": 3}), ({"force_suppress": True}, {"same": False})],
)
@pytest.mark.parametrize("shapes", [None, [names("b", "n", 6), names("b"), names("b", "n")]])
def test_soft_suppression(options, expected, shapes):
    boxes, counts = make_boxes(2, 12), np.array([12, 7], "int32")
    indices = np.stack([RNG.permutation(12), RNG.permutation(12)]).astype("int32")
    options = {"iou_threshold": 0.4, "soft_nms_sigma": 0.5, "score_threshold": 0.1, **options}

    def suppress_by(**more):
        return lambda *args: op.vision.non_max_suppression(*args, **options, **more)

    rows, places, numbers = run(suppress_by(), boxes, counts, indices, shapes=shapes)
    others = run(suppress_by(return_indices=False), boxes, counts, indices, shapes=shapes)
    np.testing.assert_array_equal(rows, others)
    for batch, count in enumerate(counts):
        kept, scores = soften(boxes[batch, :count], 0.4, 0.5, 0.1, **expected)
        assert numbers[batch, 0] == len(kept) > 1
        rest = 12 - len(kept)
        np.testing.assert_array_equal(places[batch], [*indices[batch, kept], *[-1] * rest])
        wanted = boxes[batch, kept]
        wanted[:, 1] = scores
        wanted = np.concatenate([wanted, np.full((rest, 6), -1)])
        np.testing.assert_allclose(rows[batch], wanted, rtol=1e-5)


@pytest.mark.parametrize("most", [0, 2, 9])
@pytest.mark.parametrize("has_names", [False, True])
def test_all_class_non_max_suppression(most, has_names):
    boxes = make_boxes(2, 7)[..., 2:]
    scores = RNG.permutation(42).reshape(2, 3, 7).astype("float32") / 42
    limits = [np.array(most, "int64"), np.array([0.4], "float32"), np.array(0.2, "float32")]
    shapes = [names("b", "n", 4), names("b", 3, "n"), (), (1,), ()] if has_names else None
    chosen = [
        (batch, kind, at)
        for batch, kind in np.ndindex(2, 3)
        for at in suppress(
            np.concatenate([np.zeros((7, 1)), scores[batch, kind, :, None], boxes[batch]], 1)[
                scores[batch, kind] > 0.2
            ],
            0.4,
        )[:most]
    ]
    # A place among the boxes of sufficient scores is one among all.
    chosen = [
        (batch, kind, np.flatnonzero(scores[batch, kind] > 0.2)[at]) for batch, kind, at in chosen
    ]

    def suppress_as(form):
        return lambda *args: op.vision.all_class_non_max_suppression(*args, form)

    rows, count = run(suppress_as("onnx"), boxes, scores, *limits, shapes=shapes)
    assert rows.shape == (42, 3) and count == [len(chosen)]
    np.testing.assert_array_equal(rows[: len(chosen)], np.array(chosen).reshape(-1, 3))
    assert not rows[len(chosen) :].any()
    rows, found, counts = run(suppress_as("tensorflow"), boxes, scores, *limits, shapes=shapes)
    for batch in range(2):
        own = [each for each in chosen if each[0] == batch]
        assert counts[batch] == len(own)
        np.testing.assert_array_equal(
            rows[batch, : len(own)], np.array([each[1:] for each in own]).reshape(-1, 2)
        )
        np.testing.assert_array_equal(found[batch, : len(own)], [scores[each] for each in own])
        assert not rows[batch, len(own) :].any() and not found[batch, len(own) :].any()


def test_medians_of_nothing():
    found = run(lambda x: op.median(x), np.empty((0, 4), "float32"), shapes=[names("n", "m")])
    assert np.isnan(found)
