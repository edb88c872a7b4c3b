"""Runs passes on random functions and compares their results before and after.

The functions are chains of ops that a scale can move through and ops that it cannot,
with branches, in all layouts. Numbers are small and whole, and factors are powers of
two, so that NumPy's results must be equal.

usage: scale_axis.py PARTITA_OPT SEED PASS...
"""

import re
import subprocess
import sys

import numpy as np

CASES = 300


def move(x, source, target):
    return np.transpose(x, [source.index(letter) for letter in target])


def windows(x, size, strides, padding, dilation, fill):
    """For each place in the window, the elements of NCHW at that place."""
    top, left, bottom, right = padding
    x = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)], constant_values=fill)
    counts = [(x.shape[2 + i] - dilation[i] * (size[i] - 1) - 1) // strides[i] + 1 for i in (0, 1)]
    for i, j in np.ndindex(*size):
        rows = i * dilation[0] + strides[0] * np.arange(counts[0])
        columns = j * dilation[1] + strides[1] * np.arange(counts[1])
        yield (i, j), x[:, :, rows][:, :, :, columns]


def conv2d(x, w, a):
    x, w = move(x, a["data_layout"], "NCHW"), move(w, a["kernel_layout"], "OIHW")
    groups, result = a["groups"], 0
    for (i, j), part in windows(x, w.shape[2:], a["strides"], a["padding"], a["dilation"], 0):
        parts, kernels = np.split(part, groups, 1), np.split(w[:, :, i, j], groups)
        products = [np.einsum("nchw,oc->nohw", p, k) for p, k in zip(parts, kernels)]
        result = result + np.concatenate(products, 1)
    return move(result, "NCHW", a["out_layout"])


def max_pool2d(x, a):
    x = move(x, a["layout"], "NCHW")
    places = windows(x, a["pool_size"], a["strides"], a["padding"], a["dilation"], -np.inf)
    return move(np.max([part for _, part in places], axis=0), "NCHW", a["out_layout"])


OPS = {
    "add": lambda a, x, y: x + y,
    "matmul": lambda a, x, y: np.matmul(x, y),
    "maximum": lambda a, x, y: np.maximum(x, y),
    "multiply": lambda a, x, y: x * y,
    "nn.conv2d": lambda a, x, w: conv2d(x, w, a),
    "nn.max_pool2d": lambda a, x: max_pool2d(x, a),
    "nn.relu": lambda a, x: np.maximum(x, 0),
    "permute_dims": lambda a, x: np.transpose(x),
}


class Function:
    """The text of a random function."""

    def __init__(self, rng, number):
        self.rng, self.lines, self.values = rng, [], []
        self.products = 0
        shape = [2, 3, 4, 4] if rng.integers(2) else [2, 4, 3, 3]
        self.arguments = [rng.integers(-4, 5, shape).astype(float) for _ in range(2)]
        self.values = [(f"%x{i}", "NCHW", shape) for i in range(2)]
        for _ in range(rng.integers(3, 12)):
            self.step()
        # Sometimes a value has another use, which only the function shows.
        results = [self.values[-1]]
        if rng.integers(6) == 0:
            results.append(self.values[rng.integers(len(self.values))])
        names = ", ".join(name for name, *_ in results)
        types = ", ".join(self.type(shape) for *_, shape in results)
        parameters = ", ".join(f"%x{i}: {self.type(shape)}" for i in range(2))
        self.text = "\n".join(
            [f"relax.func @f{number}({parameters}) -> ({types}) {{"]
            + self.lines
            + [f"relax.return {names} : {types}", "}"]
        )

    @staticmethod
    def type(shape):
        return f"tensor<{''.join(f'{dim}x' for dim in shape)}f64>"

    def choose(self, options):
        return options[self.rng.integers(len(options))]

    def shuffle(self, letters):
        return "".join(self.rng.permutation(list(letters)))

    def layout(self):
        return self.choose(["NCHW", "NHWC", self.shuffle("NCHW")])

    def constant(self, values):
        name = f"%c{len(self.lines)}"
        values = np.asarray(values, float)
        literal = f'"0x{values.tobytes().hex().upper()}"'
        self.lines.append(f"{name} = relax.constant dense<{literal}> : {self.type(values.shape)}")
        return name, list(values.shape)

    def op(self, name, operands, shape, layout, attributes=""):
        result = f"%v{len(self.lines)}"
        types = ", ".join(self.type(shape) for _, shape in operands)
        types += "" if name == "nn.relu" else f" -> {self.type(shape)}"
        names = ", ".join(operand for operand, _ in operands)
        self.lines.append(f"{result} = relax.{name} {names}{attributes} : {types}")
        self.values.append((result, layout, list(shape)))

    def step(self):
        # Most often the last value goes on.
        value = self.values[-1] if self.rng.integers(12) else self.choose(self.values)
        kinds = ["scale"] * 5 + ["relu", "pool"] * 2 + ["bias", "sum", "maximum"]
        if self.products < 4:
            kinds += ["conv2d"] * 5 + ["matmul"] * 2
        getattr(self, self.choose(kinds))(*value)

    def channels(self, layout, shape):
        """A shape of ones except for one dimension, most often the channels."""
        axis = layout.index("C") if self.rng.integers(8) else self.rng.integers(4)
        if self.rng.integers(8) == 0:
            axis = 3
        return [dim if i == axis else 1 for i, dim in enumerate(shape)][min(axis, 1) :]

    def scale(self, name, layout, shape):
        factors = [0.5, 1, 2, 4] if self.rng.integers(4) else [-1, 0, 0.5, 2]
        shapes = [self.channels(layout, shape)] * 4 + [[], shape]
        operands = [
            (name, shape),
            self.constant(self.rng.choice(factors, self.choose(shapes))),
        ]
        if self.rng.integers(3) == 0:
            operands.reverse()
        self.op("multiply", operands, shape, layout)

    def relu(self, name, layout, shape):
        self.op("nn.relu", [(name, shape)], shape, layout)

    def maximum(self, name, layout, shape):
        self.op("maximum", [(name, shape), self.constant(1.0)], shape, layout)

    def bias(self, name, layout, shape):
        shapes = [[], shape, self.channels(layout, shape)]
        bias = self.constant(self.rng.integers(-3, 4, self.choose(shapes)))
        self.op("add", [(name, shape), bias], shape, layout)

    def sum(self, name, layout, shape):
        """With another value; sometimes both are scaled first."""
        others = [v for v in self.values if v[1:] == (layout, shape) and v[0] != name]
        if not others:
            return
        names = [name, self.choose(others)[0]]
        if self.rng.integers(3) == 0:
            scale = self.constant(self.rng.choice([0.5, 2, 4], self.channels(layout, shape)))
            for i in range(2):
                self.op("multiply", [(names[i], shape), scale], shape, layout)
                names[i] = self.values[-1][0]
        self.op("add", [(n, shape) for n in names], shape, layout)

    def pool(self, name, layout, shape):
        out = layout if self.rng.integers(2) else self.layout()
        result = [shape[layout.index(letter)] for letter in out]
        attributes = (
            f' pool_size = [3, 1] padding = [1, 0, 1, 0] layout = "{layout}" out_layout = "{out}"'
        )
        self.op("nn.max_pool2d", [(name, shape)], result, out, attributes)

    def conv2d(self, name, layout, shape):
        self.products += 1
        channels = shape[layout.index("C")]
        groups = self.choose([1, 1, 1, channels] + [2] * (channels % 2 == 0))
        outputs = groups * int(self.rng.integers(1, 3)) if groups > 1 else self.choose([3, 4])
        kernel, out = self.choose(["OIHW", "HWIO", self.shuffle("OIHW")]), self.layout()
        sizes = {"O": outputs, "I": channels // groups, "H": 3, "W": 1}
        weight = self.constant(self.rng.integers(-3, 4, [sizes[letter] for letter in kernel]))
        sizes = dict(zip(layout, shape)) | {"C": outputs}
        attributes = (
            f' padding = [1, 0, 1, 0] groups = {groups} data_layout = "{layout}"'
            f' kernel_layout = "{kernel}" out_layout = "{out}"'
        )
        result = [sizes[letter] for letter in out]
        self.op("nn.conv2d", [(name, shape), weight], result, out, attributes)

    def matmul(self, name, layout, shape):
        """Of the last dimension, which may be a spatial one."""
        self.products += 1
        size = [shape[-1], self.choose([3, 4])]
        weight = self.constant(self.rng.integers(-3, 4, size[:: self.choose([1, -1])]))
        if weight[1] != size:
            values = self.values
            self.op("permute_dims", [weight], size, "")
            weight = (values.pop()[0], size)
        self.op("matmul", [(name, shape), weight], shape[:-1] + size[1:], layout)


OP = re.compile(r'^ *(?:(%\w+) = )?"relax\.([\w.]+)"\(([^)]*)\)(?: <\{(.*)\}>)? : .*-> (.*)$')


def parse_attributes(text):
    result = {}
    pattern = r'(\w+) = (?:array<i64: ([^>]*)>|"([^"]*)"|(-?\d+) : i64)'
    for key, array, string, number in re.findall(pattern, text or ""):
        result[key] = [int(x) for x in array.split(",")] if array else string or int(number or 0)
    return result


def decode(text, resources):
    literal, shape = re.search(r"value = dense(\S*<\S*>) : tensor<([\dx]*)f64>", text).groups()
    shape = [int(dim) for dim in shape.split("x")[:-1]]
    if key := re.fullmatch(r"_resource<(\w+)>", literal):
        return np.frombuffer(bytes.fromhex(resources[key[1]])[4:]).reshape(shape)
    if data := re.fullmatch(r'<"0x(\w+)">', literal):
        values = np.frombuffer(bytes.fromhex(data[1]))
        return np.broadcast_to(values, shape) if values.size == 1 else values.reshape(shape)
    return np.full(shape, float(literal[1:-1]))


def evaluate(text, functions):
    """The results of functions in generic form, and how many scales of data they have."""
    text, _, rest = text.partition("{-#")
    resources = dict(re.findall(r'(\w+): "0x(\w+)"', rest))
    results, scales = [], 0
    parts = text.split('"relax.func"')[1:]
    assert len(parts) == len(functions)
    for part, function in zip(parts, functions):
        lines = part.splitlines()
        names = re.findall(r"(%\w+): ", next(line for line in lines if "^bb0" in line))
        values, constants = dict(zip(names, function.arguments)), set()
        for line in lines:
            if not (op := OP.match(line)):
                continue
            result, name, operands, attributes, _ = op.groups()
            operands = operands.split(", ") if operands else []
            if name == "return":
                results.append([values[operand] for operand in operands])
            elif name == "constant":
                values[result] = decode(attributes, resources)
                constants.add(result)
            else:
                if constants.issuperset(operands):
                    constants.add(result)
                elif name == "multiply":
                    scales += 1
                values[result] = OPS[name](
                    parse_attributes(attributes), *(values[operand] for operand in operands)
                )
    assert len(results) == len(functions)
    return results, scales


def run(command, text):
    command = command + [
        "--mlir-print-op-generic",
        "--mlir-print-elementsattrs-with-hex-if-larger=0",
    ]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr[:4000])
    return result.stdout


def main():
    partita_opt, seed, *passes = sys.argv[1:]
    rng = np.random.default_rng(int(seed))
    functions = [Function(rng, number) for number in range(CASES)]
    text = "partita.module @m {\n" + "\n".join(f.text for f in functions) + "\n}\n"
    expected, before = evaluate(run([partita_opt], text), functions)
    found, after = evaluate(run([partita_opt] + passes, text), functions)
    for function, left, right in zip(functions, expected, found):
        if not all(map(np.array_equal, left, right)):
            sys.exit(f"expected the same results from\n{function.text}")
    print(f"{len(functions)} functions agree")
    print(f"{before - after} of {before} scales folded")


if __name__ == "__main__":
    main()
