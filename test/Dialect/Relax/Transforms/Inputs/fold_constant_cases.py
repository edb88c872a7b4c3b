"""Tensors of MLIR types as arrays, and functions that return one op on constants."""

import numpy as np

FLOATS = ["f16", "bf16", "f32", "f64"]
INTEGERS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
STORAGE = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64}
STORAGE |= {name: np.dtype(name.replace("i", "int")) for name in INTEGERS}


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bf16(values):
    """Rounds by means of the bits as integers."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def divide_integers(a, b):
    """Rounded towards zero."""
    return np.where((np.sign(a) < 0) & (a % b != 0), a // b + 1, a // b).astype(a.dtype)


class Tensor:
    """An array of an MLIR type. bfloat16 is held as its bits."""

    def __init__(self, dtype, array):
        self.dtype, self.array = dtype, np.asarray(array, STORAGE[dtype])

    @property
    def type(self):
        return f"tensor<{''.join(f'{d}x' for d in self.array.shape)}{self.dtype}>"

    def compute(self):
        """The elements in the type that NumPy computes in."""
        if self.dtype == "bf16":
            return from_bf16(self.array)
        return self.array.astype(np.float32) if self.dtype == "f16" else self.array

    @staticmethod
    def round(dtype, values):
        values = np.asarray(values)
        if dtype == "bf16":
            return Tensor(dtype, to_bf16(values.astype(np.float32)))
        return Tensor(dtype, values.astype(STORAGE[dtype]))


class Cases:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.functions, self.resources, self.expected = [], [], []
        self.inputs = []

    def tensor(self, dtype, shape, positive=False):
        """Few distinct values are zero, so that products and quotients differ."""
        if dtype in FLOATS:
            values = self.rng.normal(0, 2, shape)
            values = np.abs(values) + 0.01 if positive else values
            return Tensor.round(dtype, values)
        info = np.iinfo(STORAGE[dtype])
        low = 1 if positive else info.min
        return Tensor(
            dtype, self.rng.integers(low, info.max, shape, endpoint=True, dtype=STORAGE[dtype])
        )

    def splat(self, dtype, shape):
        one = self.tensor(dtype, ())
        return Tensor(dtype, np.broadcast_to(one.array, shape))

    def literal(self, tensor):
        """A splat, the bits, or a resource, at random."""
        data = tensor.array.tobytes()
        if tensor.array.size and np.all(tensor.array == tensor.array.flat[0]):
            if tensor.dtype in INTEGERS:
                return f"dense<{tensor.array.flat[0]}>"
            return f"dense<0x{tensor.array.flat[:1].tobytes()[::-1].hex().upper()}>"
        if self.rng.integers(2):
            return f'dense<"0x{data.hex().upper()}">'
        key = f"input{len(self.resources)}"
        # A blob states its alignment, which can be less than its elements'.
        self.resources.append(f'{key}: "0x{self.rng.choice(["01", "08"])}000000{data.hex()}"')
        return f"dense_resource<{key}>"

    def add(self, op, inputs, dtype, expected, ulps=0):
        """`op` is the text of an op with its inputs as %0, %1 and so on."""
        expected = Tensor.round(dtype, expected) if isinstance(expected, np.ndarray) else expected
        types = ", ".join(x.type for x in inputs)
        self.add_lines([f"%r = {op} : {types} -> {expected.type}"], inputs, expected, ulps)

    def add_lines(self, lines, inputs, expected, ulps=0, near=0):
        """`lines` are the text of ops; the last op makes %r."""
        constants = [
            f"%{i} = relax.constant {self.literal(x)} : {x.type}" for i, x in enumerate(inputs)
        ]
        self.functions.append(
            f"relax.func @case{len(self.expected)}() -> {expected.type} {{\n"
            + "\n".join(constants + lines)
            + f"\nrelax.return %r : {expected.type}\n}}"
        )
        self.expected.append((" ".join(lines), expected, (ulps, near)))
        self.inputs.append(inputs)

    def add_general(self, op, inputs, expected, numbers=(), attrs="", ulps=0, near=0):
        """`numbers` are more operands: numbers, and lists of numbers as tuples.

        For several results `expected` is a list.
        """
        lines, operands = [], [(f"%{i}", x.type) for i, x in enumerate(inputs)]
        for i, number in enumerate(numbers):
            fields = [f"%n{i}_{j}" for j in range(np.size(number))]
            for field, value in zip(fields, np.atleast_1d(number)):
                if isinstance(value, np.bool_):
                    kind, text = "i1", str(value).lower()
                else:
                    kind = "f64" if isinstance(value, float) else "i64"
                    text = f"{value} : {kind}"
                lines.append(f"{field} = relax.prim_value {text}")
            if isinstance(number, list):
                types = ", ".join(["i64"] * len(number))
                lines.append(
                    f'%t{i} = "relax.tuple"({", ".join(fields)}) : ({types}) -> tuple<{types}>'
                )
                operands.append((f"%t{i}", f"tuple<{types}>"))
            else:
                operands.append((fields[0], kind))
        names, types = (", ".join(column) for column in zip(*operands))
        every = expected if isinstance(expected, list) else [expected]
        results = ", ".join(x.type for x in every)
        line = f'"relax.{op}"({names}) {{{attrs}}} : ({types}) -> ({results})'
        for number, value in enumerate(every):
            name = "%r" if len(every) == 1 else f"%p:{len(every)}"
            alias = [f"%r = relax.alias %p#{number} : {value.type}"] if len(every) > 1 else []
            self.add_lines([*lines, f"{name} = {line}", *alias], inputs, value, ulps, near)

    def text(self):
        resources = ",\n".join(self.resources)
        return (
            "partita.module @m {\n" + "\n".join(self.functions) + "\n}\n"
            "{-# dialect_resources: { builtin: {\n" + resources + "\n} } #-}\n"
        )
