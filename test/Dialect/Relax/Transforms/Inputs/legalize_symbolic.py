"""Runs legalized ops on tensors whose sizes have names, for several sizes.

usage: legalize_symbolic.py [blocks]
"""

import sys

import numpy as np
from legalized import Program


def tensor(*dims, dtype="f32"):
    """The type of a tensor whose dimensions are numbers and names."""
    sizes = "".join(f"{dim if isinstance(dim, int) else '?'}x" for dim in dims)
    names = ", ".join(str(dim) if isinstance(dim, int) else f'"{dim}"' for dim in dims)
    named = any(isinstance(dim, str) for dim in dims)
    return f"tensor<{sizes}{dtype}{f', #relax.shape<[{names}]>' if named else ''}>"


def normalize(x, axes):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + 1e-5)


def softmax(x):
    power = np.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def slide(x, w):
    """A convolution without padding."""
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w)


def spread(x, w):
    """A transposed convolution without padding."""
    rows, columns = (size - 1 for size in w.shape[2:])
    x = np.pad(x, ((0, 0), (0, 0), (rows, rows), (columns, columns)))
    return slide(x, w.swapaxes(0, 1)[..., ::-1, ::-1])


# The op, with its operands as %a, %b and %c; the dimensions of the operands and of the
# result; and NumPy's function.
CASES = [
    ("add", [("n", 4), (4,)], ("n", 4), np.add),
    ("add", [("n", "m"), ("n", 1)], ("n", "m"), np.add),
    ("subtract", [("n", "m"), ("m",)], ("n", "m"), np.subtract),
    ("multiply", [("n", 1), (1, "m")], ("n", "m"), np.multiply),
    ("nn.relu", [("n", "m")], ("n", "m"), lambda x: np.maximum(x, 0)),
    ("matmul", [("n", "m"), ("m", 4)], ("n", 4), np.matmul),
    ("matmul", [(2, "n", "m"), (2, "m", 3)], (2, "n", 3), np.matmul),
    ("matmul", [(2, 1, "n", "m"), (3, "m", "n")], (2, 3, "n", "n"), np.matmul),
    ("matmul", [("m",), ("m", "n")], ("n",), np.matmul),
    ("sum {axis = array<i64: 0>}", [("n", "m")], ("m",), lambda x: x.sum(0)),
    (
        "mean {axis = array<i64: 1>, keepdims = true}",
        [("n", "m")],
        ("n", 1),
        lambda x: x.mean(1, keepdims=True),
    ),
    ("max", [("n", "m")], (), lambda x: x.max()),
    ("variance {axis = array<i64: 1>}", [("n", "m")], ("n",), lambda x: x.var(1)),
    ("nn.softmax", [("n", "m")], ("n", "m"), softmax),
    ("nn.log_softmax", [("n", "m")], ("n", "m"), lambda x: np.log(softmax(x))),
    (
        "nn.layer_norm {axes = array<i64: -1>}",
        [("n", 3, "m"), ("m",), ("m",)],
        ("n", 3, "m"),
        lambda x, g, b: normalize(x, 2) * g + b,
    ),
    (
        "nn.group_norm {axes = array<i64: 2>, channel_axis = 1 : i64, num_groups = 2 : i64}",
        [("n", 4, "m"), (4,), (4,)],
        ("n", 4, "m"),
        lambda x, g, b: (
            normalize(x.reshape(len(x), 2, 2, x.shape[2]), (2, 3)).reshape(x.shape) * g[:, None]
            + b[:, None]
        ),
    ),
    ("permute_dims", [("n", 3, "m")], ("m", 3, "n"), np.transpose),
    ("expand_dims {axis = array<i64: 1>}", [("n", "m")], ("n", 1, "m"), lambda x: x[:, None]),
    ("squeeze {axis = array<i64: 1>}", [("n", 1, "m")], ("n", "m"), lambda x: x[:, 0]),
    ("flatten", [("n", 4)], ("n * 4",), np.ravel),
    ("concat {axis = 0 : i64}", [("n", 4), ("m", 4)], ("n + m", 4), lambda *x: np.concatenate(x)),
    ("stack {axis = 1 : i64}", [("n", "m"), ("n", "m")], ("n", 2, "m"), lambda *x: np.stack(x, 1)),
    ("flip {axis = 1 : i64}", [("n", "m")], ("n", "m"), lambda x: x[:, ::-1]),
    (
        "tile {repeats = array<i64: 2, 3>}",
        [("n", "m")],
        ("n * 2", "m * 3"),
        lambda x: np.tile(x, (2, 3)),
    ),
    (
        "repeat {repeats = 2 : i64, axis = 0 : i64}",
        [("n", 3)],
        ("n * 2", 3),
        lambda x: np.repeat(x, 2, 0),
    ),
    ("zeros_like", [("n", "m")], ("n", "m"), np.zeros_like),
    (
        "nn.pad {pad_width = array<i64: 1, 2, 0, 1>}",
        [("n", "m")],
        ("n + 3", "m + 1"),
        lambda x: np.pad(x, [(1, 2), (0, 1)]),
    ),
    ("nn.conv2d", [("n", 3, "m + 4", 5), (2, 3, 3, 2)], ("n", 2, "m + 2", 4), slide),
    ("nn.conv2d_transpose", [("n", "m", 5, 4), ("m", 2, 3, 2)], ("n", 2, 7, 5), spread),
    (
        "nn.conv2d {groups = 2 : i64}",
        [("n", 4, "m + 4", 5), (2, 2, 3, 2)],
        ("n", 2, "m + 2", 4),
        lambda x, w: np.concatenate([slide(x[:, :2], w[:1]), slide(x[:, 2:], w[1:])], 1),
    ),
    (
        "nn.max_pool2d {pool_size = array<i64: 2, 2>}",
        [("n", 3, "m + 1", 5)],
        ("n", 3, "m", 4),
        lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2), (2, 3)).max((-1, -2)),
    ),
    (
        "nn.avg_pool2d {pool_size = array<i64: 2, 2>}",
        [("n", 3, "m + 1", 5)],
        ("n", 3, "m", 4),
        lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2), (2, 3)).mean((-1, -2)),
    ),
    (
        "nn.batch_norm {axis = 1 : i64, training = false}",
        [("n", "m", 2), ("m",), ("m",), ("m",), ("m",)],
        [("n", "m", 2), ("m",), ("m",)],
        lambda x, g, b, m, v: (
            (x - m[:, None]) / np.sqrt(v[:, None] + 1e-5) * g[:, None] + b[:, None]
        ),
    ),
]


def make_function(number, op, operands, results):
    results = results if isinstance(results, list) else [results]
    name, _, attributes = op.partition(" ")
    operand_types = ", ".join(tensor(*dims) for dims in operands)
    result_types = ", ".join(tensor(*dims) for dims in results)
    letters = "abcde"[: len(operands)]
    params = ", ".join(f"%{a}: {tensor(*dims)}" for a, dims in zip(letters, operands))
    # Introduces the names in expressions.
    params += f", %names: {tensor('n', 'm')}"
    values = f"%r:{len(results)}" if len(results) > 1 else "%r"
    first = "%r#0" if len(results) > 1 else "%r"
    return (
        f"relax.func @case{number}({params}) -> {tensor(*results[0])} {{\n"
        f'{values} = "relax.{name}"({", ".join("%" + a for a in letters)}) {attributes} '
        f": ({operand_types}) -> ({result_types})\n"
        f"relax.return {first} : {tensor(*results[0])}\n}}\n"
    )


def main():
    text = "".join(make_function(i, *case[:3]) for i, case in enumerate(CASES))
    program = Program(f"partita.module {{\n{text}}}", blocks="blocks" in sys.argv)
    rng = np.random.default_rng(0)
    count = 0
    for sizes in ({"n": 3, "m": 5}, {"n": 1, "m": 1}, {"n": 7, "m": 2}, {"n": 0, "m": 4}):
        for number, (op, operands, _, function) in enumerate(CASES):
            if op == "max" and 0 in sizes.values():
                continue
            evaluate = lambda dim: dim if isinstance(dim, int) else eval(dim, {}, dict(sizes))
            inputs = [
                np.abs(rng.normal(size=[evaluate(dim) for dim in dims])).astype(np.float32)
                for dims in operands
            ]
            names = np.zeros((sizes["n"], sizes["m"]), np.float32)
            found = program.run(f"case{number}", *inputs, names)
            place = f"{op} of {operands} at {sizes}"
            assert not isinstance(found, str), f"{place}: expected a call, found {found}"
            with np.errstate(all="ignore"):
                expected = np.asarray(function(*inputs))
            assert found.shape == expected.shape, (place, found.shape, expected.shape)
            assert np.allclose(found, expected, 1e-4, 1e-5, equal_nan=True), place
            count += 1
    print(f"{count} cases agree")


if __name__ == "__main__":
    main()
