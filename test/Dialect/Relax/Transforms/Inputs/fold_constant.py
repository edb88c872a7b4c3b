"""Folds random tensors and compares every element with NumPy's result.

Each case is a function that returns one op on constants. After the pass it must
return a constant, whose bits are read here from the printed module.

usage: fold_constant.py PARTITA_OPT SEED
"""

import re
import subprocess
import sys

import numpy as np
from fold_constant_cases import FLOATS, INTEGERS, Cases, Tensor, divide_integers, from_bf16
from fold_constant_nn import indexing, made_of_others, windows


def elementwise(cases):
    erf = np.vectorize(__import__("math").erf, otypes=[np.float64])
    sigmoid = lambda x: 1 / (1 + np.exp(-x))
    unary = {
        "exp": (np.exp, 2),
        "log": (np.log, 2),
        "rsqrt": (lambda x: 1 / np.sqrt(x), 1),
        "sigmoid": (sigmoid, 4),
        "sqrt": (np.sqrt, 0),
        "tanh": (np.tanh, 2),
        "nn.gelu": (lambda x: x * 0.5 * (1 + erf(x * np.sqrt(0.5))), 8),
        "nn.silu": (lambda x: x * sigmoid(x), 4),
        "abs": (np.abs, 0),
        "negative": (np.negative, 0),
        "nn.relu": (lambda x: np.maximum(x, 0), 0),
    }
    for name, (function, ulps) in unary.items():
        for dtype in FLOATS + (INTEGERS if ulps == 0 and name != "sqrt" else []):
            for x in (cases.tensor(dtype, (3, 5, 7), name != "abs"), cases.splat(dtype, (2, 3))):
                if name in ("log", "rsqrt", "sqrt"):
                    x = Tensor(dtype, x.array & 0x7FFF if dtype == "bf16" else np.abs(x.array))
                # The type of a unary op is given once.
                value = Tensor.round(dtype, function(x.compute()))
                cases.add(f"relax.{name} %0", [x], dtype, value, ulps)
                cases.functions[-1] = cases.functions[-1].replace(
                    f"{x.type} -> {x.type}\nrelax", f"{x.type}\nrelax"
                )

    binary = {
        "add": np.add,
        "subtract": np.subtract,
        "multiply": np.multiply,
        "divide": np.divide,
        "power": np.power,
        "maximum": np.maximum,
        "minimum": np.minimum,
    }
    shapes = [
        ((4, 5), (4, 5)),
        ((8, 3, 7, 7), (8, 1, 1, 1)),
        ((5,), (2, 1, 5)),
        ((1, 6, 1), (3, 1, 4)),
        ((), (2, 3)),
        ((2, 0, 3), (1, 3)),
        ((1, 1), (1,)),
    ]
    for name, function in binary.items():
        for dtype in FLOATS + INTEGERS:
            if name == "power" and dtype in INTEGERS:
                continue
            for left, right in shapes:
                positive = name in ("divide", "power")
                x = cases.tensor(dtype, left, name == "power")
                y = cases.tensor(dtype, right, positive)
                if cases.rng.integers(4) == 0:
                    x = cases.splat(dtype, left)
                    x = Tensor(dtype, x.array & 0x7FFF if dtype == "bf16" else np.abs(x.array))
                compute = function
                if name == "divide" and dtype in INTEGERS:
                    compute = divide_integers
                value = np.asarray(compute(x.compute(), y.compute()))
                cases.add(f"relax.{name} %0, %1", [x, y], dtype, value, 2 * (name == "power"))


def more_elementwise(cases):
    erf = np.vectorize(__import__("math").erf, otypes=[np.float64])
    inside = lambda x: np.tanh(x)
    unary = {
        "acos": (np.arccos, 4, inside),
        "acosh": (np.arccosh, 8, lambda x: np.abs(x) + 1),
        "asin": (np.arcsin, 4, inside),
        "asinh": (np.arcsinh, 4, None),
        "atan": (np.arctan, 4, None),
        "atanh": (np.arctanh, 8, lambda x: np.tanh(x) * 0.9),
        "ceil": (np.ceil, 0, None),
        "cos": (np.cos, 4, None),
        "cosh": (np.cosh, 4, None),
        "erf": (erf, 4, None),
        "floor": (np.floor, 0, None),
        "round": (np.rint, 0, None),
        "sign": (np.sign, 0, None),
        "sin": (np.sin, 4, None),
        "sinh": (np.sinh, 4, None),
        "square": (np.square, 0, None),
        "tan": (np.tan, 8, None),
        "trunc": (np.trunc, 0, None),
    }
    for name, (function, ulps, prepare) in unary.items():
        for dtype in FLOATS + (["i8", "ui16", "i64"] if name in ("sign", "square") else []):
            x = cases.tensor(dtype, (3, 50))
            if prepare:
                x = Tensor.round(dtype, prepare(x.compute()))
            with np.errstate(all="ignore"):
                value = np.asarray(function(x.compute()))
            cases.add(f"relax.{name} %0", [x], dtype, value, ulps)
            cases.functions[-1] = cases.functions[-1].replace(f"{x.type} -> {x.type}", x.type)

    def floor_divide(a, b):
        return np.floor(a / b) if a.dtype.kind == "f" else a // b

    def floor_mod(a, b):
        return a - np.floor(a / b) * b if a.dtype.kind == "f" else np.mod(a, b)

    integer = {
        "bitwise_and": np.bitwise_and,
        "bitwise_or": np.bitwise_or,
        "bitwise_xor": np.bitwise_xor,
        "left_shift": np.left_shift,
        "right_shift": np.right_shift,
    }
    both = {"floor_divide": floor_divide, "floor_mod": floor_mod, "mod": np.fmod}
    floats = {"atan2": np.arctan2, "log_add_exp": np.logaddexp}
    for name, function in (integer | floats | both).items():
        for dtype in (FLOATS if name not in integer else []) + (
            INTEGERS if name not in floats else []
        ):
            x, y = cases.tensor(dtype, (4, 1, 5)), cases.tensor(dtype, (3, 1), positive=True)
            if "shift" in name:
                y = Tensor(dtype, y.array % 8)
            value = np.asarray(function(x.compute(), y.compute()))
            cases.add(f"relax.{name} %0, %1", [x, y], dtype, value, 8 * (name in floats))

    def add_boolean(op, inputs, dtype, value):
        """The boolean comes out as an i8, whose elements can be read."""
        cases.add(op, inputs, "i8", np.asarray(value).astype(np.int8))
        boolean = "x".join([*map(str, np.shape(value)), "i1"])
        byte = cases.expected[-1][1].type
        cases.functions[-1] = (
            cases.functions[-1]
            .replace(
                f"-> {byte}\nrelax",
                f"-> tensor<{boolean}>\n%i = relax.astype %r : tensor<{boolean}> -> {byte}\nrelax",
            )
            .replace("relax.return %r", "relax.return %i")
        )

    comparisons = {
        "equal": np.equal,
        "greater": np.greater,
        "greater_equal": np.greater_equal,
        "less": np.less,
        "less_equal": np.less_equal,
        "not_equal": np.not_equal,
    }
    for name, function in comparisons.items():
        for dtype in FLOATS + INTEGERS:
            x = cases.tensor(dtype, (4, 6))
            y = Tensor(dtype, np.where(cases.rng.integers(2, size=(4, 6)), x.array, x.array[::-1]))
            add_boolean(f"relax.{name} %0, %1", [x, y], dtype, function(x.compute(), y.compute()))
    special = np.array([0.0, 1.0, np.inf, -np.inf, np.nan, -2.0])
    for name, function in {
        "isfinite": np.isfinite,
        "isinf": np.isinf,
        "isnan": np.isnan,
    }.items():
        for dtype in FLOATS:
            x = Tensor.round(dtype, special)
            add_boolean(f"relax.{name} %0", [x], dtype, function(x.compute()))


def conversions(cases):
    for source in FLOATS + INTEGERS:
        for target in FLOATS + INTEGERS:
            if source == target:
                continue
            x = cases.tensor(source, (4, 9))
            if source in FLOATS and target in INTEGERS:
                x = Tensor.round(source, np.abs(x.compute()) * 30 % 120)
            cases.add("relax.astype %0", [x], target, np.asarray(x.compute()))
    # All numbers of 16 bits, and numbers between them.
    bits = np.arange(1 << 16, dtype=np.uint16)
    half, bfloat = Tensor("f16", bits.view(np.float16)), Tensor("bf16", bits)
    cases.add("relax.astype %0", [half], "f32", half.array.astype(np.float32))
    cases.add("relax.astype %0", [half], "f64", half.array.astype(np.float64))
    cases.add("relax.astype %0", [bfloat], "f32", from_bf16(bits))
    finite = np.sort(half.array[np.isfinite(half.array)].astype(np.float64))
    middle = (finite[1:] + finite[:-1]) / 2
    for values in (middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)):
        cases.add("relax.astype %0", [Tensor("f64", values)], "f16", values)
    limits = np.array([65504, 65519.99, 65520, 1e300, np.inf, 1e-8, 2.0**-25, 5e-324])
    limits = np.concatenate([limits, -limits, [0.0, -0.0, np.nan]])
    cases.add("relax.astype %0", [Tensor("f64", limits)], "f16", limits)
    noise = cases.rng.integers(0, 1 << 32, 4096, dtype=np.uint32).view(np.float32)
    noise = noise[np.isfinite(noise)]
    cases.add("relax.astype %0", [Tensor("f32", noise)], "f16", noise)
    cases.add("relax.astype %0", [Tensor("f32", noise)], "bf16", noise)


def shapes(cases):
    for dtype in FLOATS + INTEGERS:
        for shape, axes in [
            ((5, 6), None),
            ((2, 3, 4, 5), [0, 2, 3, 1]),
            ((2, 3, 4, 5), [-1, 1, 0, 2]),
            ((1, 7, 1), [2, 0, 1]),
            ((), None),
            ((4, 0), [1, 0]),
        ]:
            x = cases.tensor(dtype, shape)
            text = f" axes = [{', '.join(map(str, axes))}]" if axes else ""
            value = Tensor(dtype, np.transpose(x.array, axes))
            cases.add(f"relax.permute_dims %0{text}", [x], dtype, value)
        for axis, parts in [
            (0, [(2, 3), (1, 3), (0, 3)]),
            (-1, [(2, 3), (2, 1)]),
            (1, [(2, 3, 2)] * 3),
        ]:
            inputs = [cases.tensor(dtype, shape) for shape in parts]
            inputs[-1] = cases.splat(dtype, parts[-1])
            operands = ", ".join(f"%{i}" for i in range(len(parts)))
            value = Tensor(dtype, np.concatenate([x.array for x in inputs], axis))
            cases.add(f"relax.concat {operands} axis = {axis}", inputs, dtype, value)
        x = cases.tensor(dtype, (3, 4))
        value = Tensor(dtype, x.array[:, None, :, None])
        cases.add("relax.expand_dims %0 axis = [1, -1]", [x], dtype, value)
        cases.add("relax.squeeze %0", [value], dtype, x)


def movements(cases):
    array = lambda name, values: (
        f"{name} = array<i64{':' if len(values) else ''} {', '.join(map(str, values))}>"
    )
    for dtype in FLOATS + INTEGERS:
        for make in (cases.tensor, cases.splat):
            x, empty = make(dtype, (3, 4, 5)), make(dtype, (2, 0, 3))
            for source in (x, empty):
                for axis in (0, -1):
                    value = Tensor(dtype, np.flip(source.array, axis))
                    cases.add_general("flip", [source], value, attrs=f"axis = {axis} : i64")
                    value = Tensor(dtype, np.repeat(source.array, 3, axis))
                    attrs = f"repeats = 3 : i64, axis = {axis} : i64"
                    cases.add_general("repeat", [source], value, attrs=attrs)
                    other = cases.tensor(dtype, source.array.shape)
                    value = Tensor(dtype, np.stack([source.array, other.array, source.array], axis))
                    types = ", ".join([source.type] * 3)
                    line = f'%r = "relax.stack"(%0, %1, %2) {{axis = {axis} : i64}} : ({types})'
                    cases.add_lines([f"{line} -> {value.type}"], [source, other, source], value)
                value = Tensor(dtype, np.repeat(source.array, 2))
                cases.add_general("repeat", [source], value, attrs="repeats = 2 : i64")
                cases.add_general("flatten", [source], Tensor(dtype, source.array.reshape(-1)))
                for repeats in ([2], [1, 3, 2], [2, 1, 1, 3]):
                    value = Tensor(dtype, np.tile(source.array, repeats))
                    cases.add_general("tile", [source], value, attrs=array("repeats", repeats))
                for k in (-9, -1, 0, 2, 9):
                    for name, function in [("tril", np.tril), ("triu", np.triu)]:
                        value = Tensor(dtype, function(source.array, k))
                        cases.add_general(name, [source], value, [k])
            for axis in (0, 1, -1):
                size = x.array.shape[axis]
                for shape in ((), (2, 3), (0,), (1, 1)):
                    indices = Tensor("i32", cases.rng.integers(0, size, shape))
                    value = Tensor(dtype, np.take(x.array, indices.array, axis))
                    cases.add_general("take", [x, indices], value, attrs=f"axis = {axis} : i64")
                outside = Tensor("i64", [-7, -1, 0, size, size + 1, 2**62])
                clipped, wrapped = np.clip(outside.array, 0, size - 1), outside.array % size
                for mode, inside in [("clip", clipped), ("wrap", wrapped)]:
                    value = Tensor(dtype, np.take(x.array, inside, axis))
                    attrs = f'axis = {axis} : i64, mode = "{mode}"'
                    cases.add_general("take", [x, outside], value, attrs=attrs)
                value = Tensor(dtype, np.take(x.array, size - 1, axis))
                cases.add_general("take", [x], value, [size - 1], f"axis = {axis} : i64")
            flat = make(dtype, (6,))
            cases.add_general("take", [flat], Tensor(dtype, flat.array[2]), [2])
            for slices in [
                {1: (1, 3, 1)},
                {0: (-1, -9, -1), 2: (0, 99, 2)},
                {2: (4, 0, -3), -2: (-3, -1, 1)},
                {0: (2, 1, 1)},
                {},
            ]:
                index = [slice(None)] * 3
                for axis, (begin, end, stride) in slices.items():
                    index[axis] = slice(begin, None if end == -9 else end, stride)
                value = Tensor(dtype, x.array[tuple(index)])
                columns = [list(column) for column in zip(*slices.values())] or [[], [], []]
                columns.insert(0, list(slices))
                cases.add_general("strided_slice", [x], value, columns[: 3 + bool(slices)])
            for axis, parts in [(0, 3), (1, 3), (-1, 2), (2, [1, 3]), (1, [2, 1, 9]), (0, [-1])]:
                size = x.array.shape[axis]
                each = -(-size // parts) if isinstance(parts, int) else 0
                ends = range(each, each * parts, each) if each else parts
                attrs = array("indices_or_sections", parts) if not each else ""
                attrs = attrs or f"indices_or_sections = {parts} : i64"
                bounds = [0, *(np.clip(ends, 0, size)), size]
                values = [
                    Tensor(dtype, np.take(x.array, np.arange(begin, end), axis))
                    for begin, end in zip(bounds, bounds[1:])
                ]
                cases.add_general("split", [x], values, attrs=f"{attrs}, axis = {axis} : i64")


def index_map(rank, *final):
    """The attribute of the map with these indices of d0, d1, ..."""
    initial = ", ".join(f"d{i}" for i in range(rank))
    return f"index_map = #relax.index_map<({initial}) -> ({', '.join(final)}), i32>"


def layouts(cases):
    for dtype in FLOATS + INTEGERS:
        for make in (cases.tensor, cases.splat):
            x = make(dtype, (2, 6, 5))
            for final, array in [
                (["d0", "d2", "d1"], x.array.transpose(0, 2, 1)),
                (
                    ["d1 floordiv 3", "d2", "d0", "d1 mod 3"],
                    x.array.reshape(2, 2, 3, 5).transpose(1, 3, 0, 2),
                ),
                (["d0", "(d1 * 5 + d2) floordiv 5", "(d1 * 5 + d2) mod 5"], x.array),
            ]:
                value = Tensor(dtype, np.ascontiguousarray(array))
                cases.add_general("layout_transform", [x], value, attrs=index_map(3, *final))
            for pad, text in [(0, ""), (3, ", pad_value = 3.0 : " + dtype)]:
                text = text if dtype in FLOATS else text.replace(".0", "")
                # 6 in fours, and 5 in threes.
                padded = np.full((2, 8, 6), Tensor.round(dtype, np.float32(pad)).array)
                padded[:, :6, :5] = x.array
                value = padded.reshape(2, 2, 4, 2, 3).transpose(0, 1, 3, 2, 4)
                value = Tensor(dtype, np.ascontiguousarray(value))
                split = ["d1 floordiv 4", "d2 floordiv 3", "d1 mod 4", "d2 mod 3"]
                attrs = index_map(3, "d0", *split) + text
                cases.add_general("layout_transform", [x], value, attrs=attrs)


def sequential_sum(x, axes):
    """In the order of the elements, so that every bit is the same."""
    moved = np.moveaxis(x, axes, range(len(axes)))
    flat = moved.reshape((-1,) + moved.shape[len(axes) :])
    return np.add.accumulate(flat, 0, dtype=x.dtype)[-1]


def reductions(cases):
    for dtype in FLOATS + INTEGERS:
        for shape, axes, keepdims in [
            ((4, 5, 6), None, False),
            ((4, 5, 6), [1], False),
            ((4, 5, 6), [0, -1], True),
            ((4, 5, 6), [], False),
            ((1, 8, 3, 3), [2, 3], False),
            ((), None, False),
        ]:
            x = cases.tensor(dtype, shape)
            if cases.rng.integers(4) == 0:
                x = cases.splat(dtype, shape)
            values = x.compute()
            text = "" if axes is None else f" axis = [{', '.join(map(str, axes))}]"
            text += " keepdims = true" if keepdims else ""
            all_axes = tuple(range(len(shape)) if axes is None else [a % len(shape) for a in axes])
            total = sequential_sum(values, all_axes) if all_axes else values
            if keepdims:
                total = np.expand_dims(total, all_axes)
            total = np.asarray(total, values.dtype)
            cases.add(f"relax.sum %0{text}", [x], dtype, total)
            if dtype not in ("f16", "bf16"):
                # Small whole numbers: products are exact in any order.
                small = Tensor.round(dtype, cases.rng.integers(1, 3, shape))
                value = np.prod(small.array, axis=all_axes, keepdims=keepdims, dtype=values.dtype)
                cases.add(f"relax.prod %0{text}", [small], dtype, np.asarray(value))
            for name, function in [("max", np.max), ("min", np.min)]:
                value = np.asarray(function(values, axis=all_axes, keepdims=keepdims))
                cases.add(f"relax.{name} %0{text}", [x], dtype, value)
            count = values.dtype.type(np.prod([shape[a] for a in all_axes] or [1]))
            rounded = Tensor.round(dtype, total).compute()
            quotient = rounded / count if dtype in FLOATS else divide_integers(rounded, count)
            cases.add(f"relax.mean %0{text}", [x], dtype, np.asarray(quotient), 1)


def products(cases):
    for dtype in FLOATS + INTEGERS:
        for left, right in [
            ((4, 5), (5, 6)),
            ((5,), (5,)),
            ((5,), (2, 5, 3)),
            ((2, 4, 5), (5,)),
            ((2, 1, 4, 5), (3, 5, 2)),
            ((1, 3), (2, 3, 1)),
            ((2, 0), (0, 2)),
        ]:
            # Small whole numbers: sums are exact in any order.
            x, y = (Tensor.round(dtype, cases.rng.integers(0, 5, shape)) for shape in (left, right))
            if cases.rng.integers(4) == 0:
                y = Tensor.round(dtype, np.full(right, 3))
            value = np.asarray(np.matmul(x.compute(), y.compute()))
            cases.add("relax.matmul %0, %1", [x, y], dtype, value)


def decode(literal, tensor, resources):
    if resource := re.fullmatch(r"dense_resource<(\w+)>", literal):
        data = bytes.fromhex(resources[resource[1]])[4:]
    elif bits := re.fullmatch(r'dense<"0x(\w+)">', literal):
        data = bytes.fromhex(bits[1])
    else:
        text = re.fullmatch(r"dense<\[*([^\]]*)\]*>", literal)[1]
        if not text:
            return np.empty_like(tensor.array)
        if text.startswith("0x"):
            one = np.frombuffer(bytes.fromhex(text[2:])[::-1], tensor.array.dtype)[0]
        elif tensor.dtype in INTEGERS:
            one = np.array(int(text), tensor.array.dtype)
        else:
            one = Tensor.round(tensor.dtype, np.float64(text)).array
        return np.broadcast_to(one, tensor.array.shape)
    return np.frombuffer(data, tensor.array.dtype).reshape(tensor.array.shape)


def differ(tensor, found, ulps, near):
    """Elements that differ by more than `near` and these units in the last place."""
    if tensor.dtype in INTEGERS:
        return found != tensor.array
    size = {"f64": np.int64, "f32": np.int32}.get(tensor.dtype, np.int16)
    bits, expected = found.view(size).astype(object), tensor.array.view(size).astype(object)
    ordered = lambda x: np.where(x < 0, -(x - np.iinfo(size).min), x)
    nans = lambda x: np.isnan(from_bf16(x) if tensor.dtype == "bf16" else x)
    apart = np.abs(ordered(bits) - ordered(expected)) > ulps
    if ulps == 0:
        # The sign of zero counts as well.
        apart = bits != expected
    if near:
        values = Tensor(tensor.dtype, found).compute() - tensor.compute()
        apart &= ~(np.abs(values.astype(np.float64)) <= near)
    return apart & ~(nans(found) & nans(tensor.array))


def make_cases(seed):
    np.seterr(all="ignore")
    cases = Cases(seed)
    for make in (
        elementwise,
        more_elementwise,
        conversions,
        shapes,
        movements,
        layouts,
        reductions,
        products,
        made_of_others,
        indexing,
        windows,
    ):
        make(cases)
    return cases


def main():
    cases = make_cases(int(sys.argv[2]))
    command = [
        sys.argv[1],
        "--relax-fold-constant",
        "--mlir-print-elementsattrs-with-hex-if-larger=0",
    ]
    run = subprocess.run(command, input=cases.text(), capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr[:4000])
    text, _, rest = run.stdout.partition("{-#")
    resources = dict(re.findall(r'(\w+): "0x(\w*)"', rest))
    functions = text.split("relax.func @case")[1:]
    assert len(functions) == len(cases.expected)
    for number, ((op, tensor, limits), function) in enumerate(zip(cases.expected, functions)):
        place = f"case {number}: {op} to {tensor.type}"
        lines = [line.strip() for line in function.splitlines()[1:]]
        match = re.fullmatch(r"(%\w+) = relax.constant (.*) : (tensor<.*>)", lines[0])
        if not match or lines[1] != f"relax.return {match[1]} : {tensor.type}":
            sys.exit(f"{place}: expected a constant, found\n{function}")
        assert match[3] == tensor.type, place
        found = decode(match[2], tensor, resources)
        wrong = np.argwhere(differ(tensor, np.ascontiguousarray(found), *limits))
        if len(wrong):
            at = tuple(wrong[0])
            sys.exit(
                f"{place}: expected {tensor.array[at]!r}, found {found[at]!r} at {at}, {len(wrong)} wrong"
            )
    print(f"{len(functions)} cases agree")


if __name__ == "__main__":
    main()
