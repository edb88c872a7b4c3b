"""Ops of neural networks and their references in NumPy, for fold_constant.py."""

import itertools

import numpy as np
from fold_constant_cases import FLOATS, INTEGERS, STORAGE, Tensor, divide_integers


def made_of_others(cases):
    """Ops that are computed by simpler ops, so that rounding errors add up."""
    along = lambda v, axis, rank: v.reshape([-1 if i == axis else 1 for i in range(rank)])

    def add(op, inputs, value, dtype, attrs="", numbers=()):
        every = (
            [Tensor.round(dtype, np.asarray(v)) for v in value] if isinstance(value, list) else 0
        )
        expected = every or Tensor.round(dtype, np.asarray(value))
        near = {"f64": 1e-13, "f32": 1e-5, "f16": 2e-2, "bf16": 2e-1}[dtype]
        cases.add_general(op, inputs, expected, numbers, attrs, ulps=32, near=near)

    def normalize(x, axes, epsilon):
        mean = x.mean(axes, keepdims=True)
        return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + epsilon)

    axes = lambda name, values: f"{name} = array<i64: {', '.join(map(str, values))}>"
    for dtype in FLOATS:
        x = cases.tensor(dtype, (2, 4, 3, 5))
        v = x.compute().astype(np.float64)
        for axis in (1, -1):
            exp = np.exp(v - v.max(axis, keepdims=True))
            total = exp.sum(axis, keepdims=True)
            add("nn.softmax", [x], exp / total, dtype, f"axis = {axis} : i64")
            value = v - v.max(axis, keepdims=True) - np.log(total)
            add("nn.log_softmax", [x], value, dtype, f"axis = {axis} : i64")
        g, b, m = (cases.tensor(dtype, (4,)) for _ in range(3))
        s = cases.tensor(dtype, (4,), positive=True)
        gamma, beta, mean, var = (along(t.compute().astype(float), 1, 4) for t in (g, b, m, s))
        value = (v - mean) / np.sqrt(var + 0.5) * gamma + beta
        results = [value, m.compute(), s.compute()]
        common = "axis = 1 : i64, epsilon = 0.5 : f64"
        add("nn.batch_norm", [x, g, b, m, s], results, dtype, common + ", training = false")
        others = (0, 2, 3)
        results = [
            normalize(v, others, 0.5) * gamma,
            0.75 * m.compute() + 0.25 * v.mean(others),
            0.75 * s.compute() + 0.25 * v.var(others),
        ]
        attrs = common + ", center = false, momentum = 0.25 : f64"
        add("nn.batch_norm", [x, g, b, m, s], results, dtype, attrs)
        attrs = "channel_axis = 1 : i64, " + axes("axes", [2, -1]) + ", epsilon = 0.5 : f64"
        value = normalize(v, (2, 3), 0.5) * gamma + beta
        add("nn.instance_norm", [x, g, b], value, dtype, attrs)
        groups = normalize(v.reshape(2, 2, 2, 3, 5), (2, 3, 4), 0.5).reshape(v.shape)
        attrs += ", num_groups = 2 : i64"
        add("nn.group_norm", [x, g, b], groups * gamma + beta, dtype, attrs)
        g, b = cases.tensor(dtype, (3, 5)), cases.tensor(dtype, (3, 5))
        value = normalize(v, (2, 3), 1e-5) * g.compute() + b.compute()
        add("nn.layer_norm", [x, g, b], value, dtype, axes("axes", [-2, -1]))
        value = normalize(v, (2, 3), 1e-5)
        attrs = axes("axes", [-2, -1]) + ", scale = false, center = false"
        add("nn.layer_norm", [x, g, b], value, dtype, attrs)
        value = v / np.sqrt((v * v).mean((2, 3), keepdims=True) + 0.5) * g.compute()
        attrs = axes("axes", [2, 3]) + ", epsilon = 0.5 : f64"
        add("nn.rms_norm", [x, g], value, dtype, attrs)
        add("variance", [x], v.var((0, 2)), dtype, axes("axis", [0, 2]))
        add("std", [x], np.std(v, keepdims=True), dtype, "keepdims = true")
        slope = cases.tensor(dtype, (4,))
        value = np.where(v > 0, v, v * along(slope.compute(), 1, 4))
        add("nn.prelu", [x, slope], value, dtype, "axis = 1 : i64")
        one = cases.tensor(dtype, (1,))
        value = np.where(v > 0, v, v * one.compute())
        add("nn.prelu", [x, one], value, dtype, "axis = 1 : i64")
        add("nn.leakyrelu", [x], np.where(v > 0, v, v * 0.25), dtype, "alpha = 0.25 : f64")
        value = np.where(v > 2, v, np.log1p(np.exp(v * 2)) / 2)
        add("nn.softplus", [x], value, dtype, "beta = 2.0 : f64, threshold = 4.0 : f64")
        value = 1.0507009873554805 * np.where(v > 0, v, 1.6732632423543772 * np.expm1(v))
        add("nn.selu", [x], value, dtype)
        inner = np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)
        add("nn.gelu_tanh", [x], 0.5 * v * (1 + np.tanh(inner)), dtype)
        a, b = cases.tensor(dtype, (3,)), cases.tensor(dtype, (5,))
        value = np.outer(a.compute(), b.compute())
        add("outer", [a, b], value, dtype)
        y, z = cases.tensor(dtype, (2, 4, 3, 5)), cases.tensor(dtype, (2, 4, 3, 5))
        add("ewise_fma", [x, y, z], v * y.compute() + z.compute(), dtype)
        like = cases.tensor(dtype, (1, 3, 1))
        value = v.sum((0, 1, 3)).reshape(1, 3, 1)
        add("collapse_sum_like", [x, like], value, dtype)
        shuffled = v.reshape(2, 1, 2, 2, 3, 5).transpose(0, 1, 4, 2, 5, 3).reshape(2, 1, 6, 10)
        add("nn.pixel_shuffle", [x], shuffled, dtype, "upscale_factor = 2 : i64")
        add("nn.batch_flatten", [x], v.reshape(2, -1), dtype)
        grids = list(np.meshgrid(a.compute(), b.compute(), indexing="ij"))
        add("meshgrid", [a, b], grids, dtype, 'indexing = "ij"')
        dropped = [v, np.ones_like(v)]
        add("nn.dropout", [x], dropped, dtype, "rate = 0.5 : f64")

    x = cases.tensor("f32", (3, 4))
    for dtype, low, high in [("i8", -128, 127), ("ui8", 0, 255)]:
        scales = Tensor("f32", [0.5, 0.25, 0.01, 2])
        zeros = cases.tensor(dtype, (4,))
        values = np.rint(x.array / scales.array) + zeros.array.astype(np.float32)
        expected = Tensor(dtype, np.clip(values, low, high))
        mlir = {"out_dtype": dtype, "axis": "-1 : i64"}
        attrs = ", ".join(f"{k} = {value}" for k, value in mlir.items())
        cases.add_general("quantize", [x, scales, zeros], expected, attrs=attrs)
        one, zero = Tensor("f32", [0.25]), Tensor(dtype, [3])
        expected = Tensor(dtype, np.clip(np.rint(x.array / 0.25) + 3, low, high))
        cases.add_general("quantize", [x, one, zero], expected, attrs=attrs)
        q = cases.tensor(dtype, (3, 4))
        whole = q.array.astype(np.int32) - zeros.array.astype(np.int32)
        for out in ("f32", "f16"):
            expected = Tensor.round(out, whole.astype(np.float32) * scales.array)
            attrs = f"out_dtype = {out}, axis = 1 : i64"
            cases.add_general("dequantize", [q, scales, zeros], expected, attrs=attrs)


def indexing(cases):
    array = lambda name, values: f"{name} = array<i64: {', '.join(map(str, values))}>"
    modes = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    for dtype in FLOATS + INTEGERS:
        for make in (cases.tensor, cases.splat):
            x = make(dtype, (3, 4))
            widths = [(1, 2), (0, 3)]
            attrs = array("pad_width", [1, 2, 0, 3])
            for mode, numpy_mode in modes.items():
                value = Tensor(dtype, np.pad(x.array, widths, numpy_mode))
                cases.add_general("nn.pad", [x], value, attrs=f'{attrs}, pad_mode = "{mode}"')
            filler = Tensor.round(dtype, np.float32(2)).array
            value = Tensor(dtype, np.pad(x.array, widths, constant_values=filler))
            cases.add_general("nn.pad", [x], value, attrs=attrs + ", pad_value = 2.0 : f64")
            for axis in (0, -1):
                indices = cases.rng.integers(0, 3, (3, 2) if axis else (2, 4))
                value = Tensor(dtype, np.take_along_axis(x.array, indices, axis))
                inputs = [x, Tensor("i64", indices)]
                cases.add_general("gather_elements", inputs, value, attrs=f"axis = {axis} : i64")
                updates = cases.tensor(dtype, indices.shape)
                lines = np.argsort(cases.rng.random(indices.shape), axis)
                changed = x.array.copy()
                np.put_along_axis(changed, lines, updates.array, axis)
                inputs = [x, Tensor("i32", lines), updates]
                attrs = f"axis = {axis} : i64"
                value = Tensor(dtype, changed)
                cases.add_general("scatter_elements", inputs, value, attrs=attrs)
                if dtype in INTEGERS:
                    value = x.array.copy()
                    for at in np.ndindex(indices.shape):
                        to = (indices[at], at[1]) if axis == 0 else (at[0], indices[at])
                        value[to] += updates.array[at]
                    inputs = [x, Tensor("i64", indices), updates]
                    attrs += ', reduction = "add"'
                    cases.add_general("scatter_elements", inputs, Tensor(dtype, value), attrs=attrs)
            places = cases.rng.integers(0, 3, (5, 2))
            value = Tensor(dtype, x.array[places[:, 0], places[:, 1]])
            cases.add_general("gather_nd", [x, Tensor("i64", places)], value)
            inner = np.array([[[1], [0]], [[3], [3]], [[2], [1]]])
            value = Tensor(dtype, np.stack([x.array[i, inner[i, :, 0]] for i in range(3)]))
            inputs = [x, Tensor("i64", inner)]
            cases.add_general("gather_nd", inputs, value, attrs="batch_dims = 1 : i64")
            rows, updates = np.array([[2], [0]]), cases.tensor(dtype, (2, 4))
            value = x.array.copy()
            value[rows[:, 0]] = updates.array
            inputs = [x, Tensor("i64", rows), updates]
            cases.add_general("scatter_nd", inputs, Tensor(dtype, value))
            updates = cases.tensor(dtype, (3, 2))
            value = x.array.copy()
            value[:, 0:4:2] = updates.array
            inputs, numbers = [x, updates], [0, 4, 2]
            attrs = "axis = 1 : i64"
            cases.add_general("slice_scatter", inputs, Tensor(dtype, value), numbers, attrs)
            lengths = Tensor("i64", [3, 1, 2, 9])
            value = x.array.copy()
            for column, length in enumerate([3, 1, 2, 3]):
                value[:length, column] = value[:length, column][::-1]
            attrs = "seq_axis = 0 : i64, batch_axis = 1 : i64"
            cases.add_general("reverse_sequence", [x, lengths], Tensor(dtype, value), attrs=attrs)
            for k in (-1, 0, 2):
                value = Tensor.round(dtype, np.eye(3, 4, k, dtype=np.float32))
                cases.add_general("eye_like", [x], value, [k])
            for name, function in [("argmax", np.argmax), ("argmin", np.argmin)]:
                values = x.compute()
                value = Tensor("i64", function(values))
                cases.add_general(name, [x], value)
                for axis in (0, 1):
                    value = Tensor("i64", np.expand_dims(function(values, axis), axis))
                    attrs = f"axis = {axis} : i64, keepdims = true"
                    cases.add_general(name, [x], value, attrs=attrs)
    # The first NaN is the greatest and the smallest one.
    for dtype in FLOATS:
        nan, inf = np.nan, np.inf
        for row in ([nan, 1, 2], [1, nan, nan], [2, 1, nan], [inf, nan, 0], [-inf, -inf, inf]):
            x = Tensor.round(dtype, np.array([row, row[::-1]], np.float32))
            for name, function in [("argmax", np.argmax), ("argmin", np.argmin)]:
                cases.add_general(name, [x], Tensor("i64", function(x.compute())))
                for axis in (0, 1):
                    value = Tensor("i64", function(x.compute(), axis))
                    cases.add_general(name, [x], value, attrs=f"axis = {axis} : i64")
    for dtype in ("f32", "f64"):
        x, updates = Tensor(dtype, [1, np.nan, 3]), Tensor(dtype, [np.nan, 5, 4])
        inputs = [x, Tensor("i64", [0, 1, 2]), updates]
        for name, function in [("max", np.maximum), ("min", np.minimum)]:
            value = Tensor(dtype, function(x.array, updates.array))
            attrs = f'reduction = "{name}"'
            cases.add_general("scatter_elements", inputs, value, attrs=attrs)
    indices = Tensor("i32", [2, 0, 7])
    on = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0]])
    value = Tensor("i64", np.where(on, 5, -1))
    attrs = "depth = 3 : i64, axis = 0 : i64"
    cases.add_general("one_hot", [indices], value, [5, -1], attrs)
    cases.add_general("eye", [], Tensor("i16", np.eye(4, 3, 1)), [4, 3, 1], "dtype = i16")
    for size, periodic, dtype in itertools.product((1, 2, 7), (0, 1, True, False), FLOATS):
        # A periodic window has no second end.
        last = max(size - 1 + periodic, 1)
        value = 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(size) / last)
        expected = Tensor.round(dtype, np.ones(1) if size == 1 else value)
        numbers = [size, periodic, 0.54, 0.46]
        attrs = f"dtype = {dtype}"
        cases.add_general("hamming_window", [], expected, numbers, attrs, near=1e-6)
    x, number = cases.tensor("f32", (2, 3)), Tensor("f32", np.array(2.5))
    for dtype in FLOATS + INTEGERS:
        expected = Tensor.round(dtype, np.full((2, 3), 2.5 if dtype in FLOATS else 2))
        cases.add_general("full_like", [x, number], expected, attrs=f"dtype = {dtype}")
    for dtype in FLOATS + INTEGERS:
        x = Tensor.round(dtype, cases.rng.integers(0, 9, (4, 5)).astype(np.float32))
        value = Tensor.round(dtype, np.clip(x.compute(), 2, 6))
        cases.add_general("clip", [x], value, [2, 6])


def windows(cases):
    """Small whole numbers: sums are exact in any order."""

    def slide(x, w, stride, before, dilation, groups):
        n, _, height, width = x.shape
        outputs, each, *kernel = w.shape
        padded = np.pad(x, [(0, 0), (0, 0), (before[0],) * 2, (before[1],) * 2])
        size = [
            (padded.shape[2 + i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
            for i in (0, 1)
        ]
        out = np.zeros((n, outputs, *size), x.dtype)
        for o, i, a, b in np.ndindex(outputs, each, *kernel):
            channel = o // (outputs // groups) * each + i
            rows = slice(a * dilation[0], a * dilation[0] + size[0] * stride[0], stride[0])
            columns = slice(b * dilation[1], b * dilation[1] + size[1] * stride[1], stride[1])
            part = padded[:, channel, rows, columns][:, : size[0], : size[1]]
            out[:, o] += part * w[o, i, a, b]
        return out

    def transposed(x, w, stride, before, groups):
        n, inputs, height, width = x.shape
        _, each, *kernel = w.shape
        full = [(size - 1) * s + k for size, s, k in zip((height, width), stride, kernel)]
        out = np.zeros((n, each * groups, *full), x.dtype)
        for i, o, a, b in np.ndindex(inputs, each, *kernel):
            channel = i // (inputs // groups) * each + o
            rows = slice(a, a + height * stride[0], stride[0])
            columns = slice(b, b + width * stride[1], stride[1])
            part = out[:, channel, rows, columns]
            part[:, :height, :width] += x[:, i] * w[i, o, a, b]
        return out[:, :, before[0] : full[0] - before[0], before[1] : full[1] - before[1]]

    array = lambda name, values: f"{name} = array<i64: {', '.join(map(str, values))}>"
    for dtype in FLOATS + INTEGERS:
        small = lambda shape: Tensor.round(dtype, cases.rng.integers(0, 4, shape))
        x, w = small((2, 4, 7, 8)), small((6, 2, 3, 2))
        a, b = x.compute(), w.compute()
        attrs = ", ".join(
            [array("strides", [2, 1]), array("padding", [1, 2, 1, 2]), "groups = 2 : i64"]
        )
        value = Tensor.round(dtype, slide(a, b, (2, 1), (1, 2), (1, 2), 2))
        dilated = attrs + ", " + array("dilation", [1, 2])
        cases.add_general("nn.conv2d", [x, w], value, attrs=dilated)
        moved = [
            Tensor(dtype, np.ascontiguousarray(x.array.transpose(0, 2, 3, 1))),
            Tensor(dtype, np.ascontiguousarray(w.array.transpose(2, 3, 1, 0))),
        ]
        layouts = 'data_layout = "NHWC", kernel_layout = "HWIO", out_layout = "NHWC"'
        last = Tensor(dtype, np.ascontiguousarray(value.array.transpose(0, 2, 3, 1)))
        cases.add_general("nn.conv2d", moved, last, attrs=f"{dilated}, {layouts}")
        line = [Tensor(dtype, t.array.reshape(*t.array.shape[:2], -1)) for t in (x, w)]
        value = slide(
            line[0].compute()[:, :, None], line[1].compute()[:, :, None], (1, 3), (0, 1), (1, 1), 2
        )
        value = Tensor.round(dtype, value[:, :, 0])
        attrs1 = ", ".join([array("strides", [3]), array("padding", [1, 1]), "groups = 2 : i64"])
        cases.add_general("nn.conv1d", line, value, attrs=attrs1)
        deep = [
            Tensor(dtype, x.array.reshape(2, 4, 1, 7, 8)),
            Tensor(dtype, w.array.reshape(6, 2, 1, 3, 2)),
        ]
        value = Tensor.round(dtype, slide(a, b, (1, 1), (0, 0), (1, 1), 2)[:, :, None])
        cases.add_general("nn.conv3d", deep, value, attrs="groups = 2 : i64")
        w = small((4, 3, 3, 2))
        value = Tensor.round(dtype, transposed(a, w.compute(), (2, 1), (1, 0), 2))
        attrs = ", ".join(
            [array("strides", [2, 1]), array("padding", [1, 0, 1, 0]), "groups = 2 : i64"]
        )
        cases.add_general("nn.conv2d_transpose", [x, w], value, attrs=attrs)
        # Windows of 3x2 at every second place, some of them cut off.
        x = cases.tensor(dtype, (1, 2, 6, 6))
        if dtype in FLOATS:
            x = Tensor.round(dtype, np.round(x.compute()) + 0.0)
        a = x.compute()
        low = -np.inf if dtype in FLOATS else np.iinfo(STORAGE[dtype]).min
        views = lambda fill: np.lib.stride_tricks.sliding_window_view(
            np.pad(a, [(0, 0), (0, 0), (1, 1), (0, 0)], constant_values=fill), (3, 2), (2, 3)
        )[:, :, ::2, ::2]
        attrs = ", ".join(
            [
                array("pool_size", [3, 2]),
                array("strides", [2, 2]),
                array("padding", [1, 0, 1, 0]),
            ]
        )
        value = Tensor.round(dtype, views(low).max((-1, -2)))
        cases.add_general("nn.max_pool2d", [x], value, attrs=attrs)
        average = np.divide if dtype in FLOATS else divide_integers
        inside = np.full(views(0).shape[2:4], 6)
        # The first window has a row of padding.
        inside[0] = 4
        # TVM's padding makes small integers wider.
        wide = a.dtype if dtype in FLOATS or a.itemsize >= 4 else np.dtype("int32")
        total = views(0).sum((-1, -2), dtype=wide)
        value = Tensor.round(dtype, average(total, inside.astype(wide)))
        cases.add_general("nn.avg_pool2d", [x], value, attrs=attrs, ulps=1)
        value = Tensor.round(dtype, average(total, wide.type(6)))
        attrs += ", count_include_pad = true"
        cases.add_general("nn.avg_pool2d", [x], value, attrs=attrs, ulps=1)
        # 6 in 4 windows: 0-1, 1-2, 3-4, 4-5.
        rows = [a[:, :, s : s + 2].sum(2, dtype=a.dtype) for s in (0, 1, 3, 4)]
        value = np.stack(
            [row[:, :, 2 * i : 2 * i + 2].sum(2, dtype=a.dtype) for row in rows for i in range(3)],
            -1,
        )
        value = Tensor.round(dtype, average(value.reshape(1, 2, 4, 3), a.dtype.type(4)))
        attrs = array("output_size", [4, 3])
        cases.add_general("nn.adaptive_avg_pool2d", [x], value, attrs=attrs, ulps=1)
    # Products of other types than their sums have.
    x = Tensor("i8", cases.rng.integers(-128, 128, (1, 3, 5, 5)))
    w = Tensor("i8", cases.rng.integers(-128, 128, (2, 3, 3, 3)))
    value = slide(x.array.astype(np.int32), w.array.astype(np.int32), (1, 1), (0, 0), (1, 1), 1)
    cases.add_general("nn.conv2d", [x, w], Tensor("i32", value), attrs="out_dtype = i32")
    x, y = Tensor("ui8", [[200, 100]]), Tensor("ui8", [[200], [100]])
    value = Tensor("i32", [[50000]])
    cases.add_general("matmul", [x, y], value, attrs="out_dtype = i32")
