# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_prim_funcs.py FIRST COUNT: random prim_funcs compute the same after passes.

Each prim_func has blocks, loops, conditions, and buffers of its own. It is written as
text and as Python, whose numbers are expected of the compiled code, without passes and
after passes that are taken at random. A failure prints the seed, the passes and the
module. All numbers are small integers, so that sums of floats are exact.
"""

import sys

import numpy as np

import partita
from partita import transform

BLOCKS = ["LowerInitBlock", "ConvertBlocksToOpaque", "LowerMatchBuffer", "LowerOpaqueBlock"]
LOOPS = ["StmtSimplify", "LoopPartition", "UnrollLoop", "VectorizeLoop", "RemoveNoOp"]
LOOPS += ["FlattenBuffer", "StorageRewrite", "AnnotateIrregularLoop", "CommonSubexprElim"]
LOOPS += ["canonicalize", "cse", "sccp"]
CONFIGS = [
    {},
    {"tir.UnrollLoop": {"auto_max_step": 8}},
    {"tir.LoopPartition": {"partition_const_loop": True}},
    {"tir.LoopPartition": {"partition_const_loop": True, "no_unroll_loop_with_extent_one": True}},
]
#: The size that the name of a dimension has in each run.
SIZES = (5, 1, 0)


class Generator:
    """Makes the text of a module, and a function in Python that computes the same."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.type = self.pick(["i32", "i64"])
        self.text, self.code = [], []
        self.depth = 1
        self.count = 0
        #: The integers of a scope, each with the least and the greatest number that it has.
        self.indices = []
        #: The variables of loops up to `n`.
        self.places = []
        self.buffers = {"a": [4, 6], "s": ["n"], "out": [4, 6], "sums": [7]}
        #: The buffers that are parts of others.
        self.parts = set()

    def pick(self, choices):
        return choices[self.rng.integers(len(choices))]

    def chance(self, probability):
        return self.rng.random() < probability

    def line(self, text, code=None):
        self.text.append("  " * self.depth + text)
        if code is not None:
            self.code.append("  " * self.depth + code)

    def define(self, text, code, prefix="v"):
        """Names a value, in both languages."""
        self.count += 1
        name = f"{prefix}{self.count}"
        self.line(f"%{name} = {text}", f"{name} = {code}")
        return name

    def number(self, value):
        return self.define(f"arith.constant {value} : {self.type}", str(value), "c")

    def extent(self, size):
        return "n" if size == "n" else self.number(size)

    # Indices.

    def index(self):
        """An integer with its bounds; they may be wider than its numbers."""
        if not self.indices or self.chance(0.1):
            value = int(self.rng.integers(0, 5))
            return self.number(value), value, value
        name, low, high = self.pick(self.indices)
        kind = self.rng.integers(6)
        if kind <= 1:
            return name, low, high
        factor = int(self.rng.integers(2, 5))
        other = self.number(factor)
        flags = " overflow<nsw>" if self.chance(0.7) else ""
        if kind == 2:
            made = self.define(
                f"arith.muli %{name}, %{other}{flags} : {self.type}", f"{name} * {other}"
            )
            low, high = low * factor, high * factor
            name, least, most = self.pick(self.indices)
            both = self.define(
                f"arith.addi %{made}, %{name}{flags} : {self.type}", f"{made} + {name}"
            )
            return both, low + least, high + most
        if kind == 3:
            made = self.define(
                f"arith.subi %{name}, %{other}{flags} : {self.type}", f"{name} - {other}"
            )
            return made, low - factor, high - factor
        if kind == 4:
            made = self.define(
                f"arith.floordivsi %{name}, %{other} : {self.type}", f"{name} // {other}"
            )
            return made, low // factor, high // factor
        made = self.define(
            f'tir.prim "FloorMod"(%{name}, %{other}) : ({self.type}, {self.type}) -> {self.type}',
            f"{name} % {other}",
        )
        return made, 0, factor - 1

    def place(self, size):
        """An index that is below `size`."""
        if size == "n":
            return self.pick(self.places) if self.places else None
        name, low, high = self.index()
        if low < 0 or high >= size:
            other = self.number(size)
            name = self.define(
                f'tir.prim "FloorMod"(%{name}, %{other}) : ({self.type}, {self.type}) -> {self.type}',
                f"{name} % {other}",
            )
        return name

    def element(self, buffer):
        """The buffer with indices, in both languages, and its type."""
        names = [self.place(size) for size in self.buffers[buffer]]
        if None in names:
            return None
        at = [self.define(f"arith.index_cast %{n} : {self.type} to index", n, "i") for n in names]
        return (
            f"%{buffer}[{', '.join('%' + n for n in at)}]",
            f"{buffer}[{', '.join(at)}]",
            self.memref(buffer),
        )

    def memref(self, buffer):
        dims = self.buffers[buffer]
        sizes = "".join("?x" if size == "n" else f"{size}x" for size in dims)
        strides = ", ".join(["?"] * (len(dims) - 1) + ["1"])
        layout = f", strided<[{strides}], offset: ?>" if buffer in self.parts else ""
        return f"memref<{sizes}f32{layout}>"

    # Numbers.

    def condition(self):
        (x, _, _), (y, _, _) = self.index(), self.index()
        predicate, operator = self.pick(
            [("slt", "<"), ("sle", "<="), ("eq", "=="), ("ne", "!="), ("sgt", ">"), ("sge", ">=")]
        )
        made = self.define(
            f"arith.cmpi {predicate}, %{x}, %{y} : {self.type}", f"{x} {operator} {y}"
        )
        if self.chance(0.3):
            operator = self.pick(["and", "or"])
            other = self.condition()
            made = self.define(
                f"arith.{operator}i %{made}, %{other} : i1", f"{made} {operator} {other}"
            )
        if self.chance(0.3):
            made = self.define(f'tir.call_intrin pure "prim.likely"(%{made}) : (i1) -> i1', made)
        return made

    def value(self, depth=0):
        kind = self.rng.integers(6)
        if depth > 2 or kind <= 1:
            element = self.element(self.pick(list(self.buffers)))
            if element:
                text, code, type_ = element
                return self.define(f"memref.load {text} : {type_}", code)
        if depth > 2 or kind == 2:
            name, _, _ = self.index()
            return self.define(f"arith.sitofp %{name} : {self.type} to f32", f"float({name})")
        if kind == 3:
            condition, x, y = self.condition(), self.value(depth + 1), self.value(depth + 1)
            return self.define(
                f"arith.select %{condition}, %{x}, %{y} : f32", f"{x} if {condition} else {y}"
            )
        x, y = self.value(depth + 1), self.value(depth + 1)
        op, code = self.pick(
            [
                ("arith.addf", "{} + {}"),
                ("arith.subf", "{} - {}"),
                ("arith.maximumf", "max({}, {})"),
                ("arith.minimumf", "min({}, {})"),
            ]
        )
        return self.define(f"{op} %{x}, %{y} : f32", code.format(x, y))

    def clamp(self, value):
        """Keeps numbers small."""
        limit = self.define("arith.constant 100.0 : f32", "100.0")
        value = self.define(f"arith.minimumf %{value}, %{limit} : f32", f"min({value}, {limit})")
        limit = self.define("arith.constant -100.0 : f32", "-100.0")
        return self.define(f"arith.maximumf %{value}, %{limit} : f32", f"max({value}, {limit})")

    # Statements.

    def store(self, buffers=None):
        element = self.element(self.pick(buffers or [b for b in self.buffers if b not in "as"]))
        if not element:
            return
        text, code, type_ = element
        value = self.clamp(self.value())
        self.line(f"memref.store %{value}, {text} : {type_}", f"{code} = {value}")

    def nest(self, make):
        """A scope: what is defined there is gone after it."""
        before = list(self.indices), list(self.places), dict(self.buffers)
        self.depth += 1
        make()
        self.depth -= 1
        self.indices, self.places, self.buffers = before

    def loop(self, make=None, begin=None, size=None, kind=None):
        size = size or self.pick([1, 2, 3, 4, 7, 9, "n"])
        begin = begin if begin is not None else self.pick([0, 0, 0, 1])
        low, step = self.number(begin), self.number(1)
        high = "n" if size == "n" else self.number(begin + size)
        self.count += 1
        name = f"i{self.count}"
        kind = kind or self.pick(["", "", "unrolled"])
        if size == "n" and kind:
            kind = ""
        self.line(
            f"scf.for %{name} = %{low} to %{high} step %{step} : {self.type} {{",
            f"for {name} in range({low}, {high}):",
        )

        def body():
            self.indices.append((name, begin, begin + 1000 if size == "n" else begin + size - 1))
            if size == "n":
                self.places.append(name)
            (make or self.statements)()

        self.nest(body)
        self.line("}" + (f' {{tir.kind = "{kind}"}}' if kind else ""))

    def vectors(self):
        """A loop whose iterations may run in any order, statement by statement."""
        buffer = self.pick([buffer for buffer in self.buffers if buffer not in "as"])
        type_ = self.memref(buffer)
        sizes = self.buffers.pop(buffer)

        def inner():
            lane = self.indices[-1][0]
            condition = self.condition() if self.chance(0.3) else None
            value = self.clamp(self.value())
            at = [
                self.define(f"arith.index_cast %{n} : {self.type} to index", n, "i")
                for n in [*rows, lane]
            ]
            if condition:
                self.line(f"scf.if %{condition} {{", f"if {condition}:")
                self.depth += 1
            self.line(
                f"memref.store %{value}, %{buffer}[{', '.join('%' + n for n in at)}] : {type_}",
                f"{buffer}[{', '.join(at)}] = {value}",
            )
            if condition:
                self.depth -= 1
                self.line("}")

        rows = [self.place(size) for size in sizes[:-1]]
        begin = int(self.rng.integers(0, sizes[-1]))
        self.loop(inner, begin, sizes[-1] - begin, "vectorized")
        self.buffers[buffer] = sizes

    def branch(self):
        condition = self.condition()
        self.line(f"scf.if %{condition} {{", f"if {condition}:")
        self.nest(self.statements)
        if self.chance(0.4):
            self.line("} else {", "else:")
            self.nest(self.statements)
        self.line("}")

    def allocate(self):
        """A buffer that is written before it is read."""
        self.count += 1
        name = f"b{self.count}"
        sizes = [int(size) for size in self.rng.integers(1, 6, self.rng.integers(1, 3))]
        self.buffers[name] = sizes
        self.line(
            f"%{name} = tir.alloc_buffer : {self.memref(name)}", f"{name} = np.zeros({sizes}, 'f4')"
        )
        self.fill(name)

    def fill(self, buffer):
        """Writes all elements."""
        names = []

        def inner():
            names.append(self.indices[-1][0])
            if len(names) < len(self.buffers[buffer]):
                self.loop(inner, 0, self.buffers[buffer][len(names)])
                return
            at = [
                self.define(f"arith.index_cast %{n} : {self.type} to index", n, "i") for n in names
            ]
            value = self.define(
                f"arith.sitofp %{names[-1]} : {self.type} to f32", f"float({names[-1]})"
            )
            self.line(
                f"memref.store %{value}, %{buffer}[{', '.join('%' + n for n in at)}] : {self.memref(buffer)}",
                f"{buffer}[{', '.join(at)}] = {value}",
            )

        self.loop(inner, 0, self.buffers[buffer][0])

    def part(self):
        """A block that has a part of a buffer, in whose place it comes."""
        buffer = self.pick([buffer for buffer in self.buffers if buffer not in "as"])
        type_, dims = self.memref(buffer), self.buffers[buffer]
        sizes = [int(self.rng.integers(1, dim + 1)) for dim in dims]
        begins = [self.place(dim - size + 1) for dim, size in zip(dims, sizes)]
        extents = [self.number(size) for size in sizes]
        true = self.define("arith.constant true", "True")
        self.line(f'tir.block "p" [] where %{true} {{', f"if {true}:")

        def body():
            self.count += 1
            name, offset, stride = f"p{self.count}", f"o{self.count}", f"t{self.count}"
            strides = [stride] * (len(dims) - 1) + [self.number(1)]
            for var in (offset, *strides[:-1]):
                self.line(f"%{var} = tir.var : {self.type}")
            del self.buffers[buffer]
            self.buffers[name] = sizes
            self.parts.add(name)
            at, until, by = (
                f"{', '.join('%' + n for n in names)} : {', '.join([self.type] * len(names))}"
                for names in (begins, extents, strides)
            )
            slices = ", ".join(f"{b}:{b} + {size}" for b, size in zip(begins, sizes))
            self.line(
                f"%{name} = tir.match_buffer %{buffer}[{at}][{until}] strides({by}) "
                f"offset(%{offset} : {self.type}) : {type_} to {self.memref(name)}",
                f"{name} = {buffer}[{slices}]",
            )
            self.store([name])
            self.statements()

        self.nest(body)
        self.line("}")

    def block(self):
        """A sum in blocks, with an init, over loops that a condition can leave out."""
        rows, columns = 4, self.pick([3, 6])
        loops = []

        def inner():
            loops.append(self.indices[-1][0])
            if len(loops) == 1:
                return self.loop(inner, 0, columns, "serial")
            self.body_of_block(loops, rows, columns)

        self.loop(inner, 0, rows, "serial")

    def body_of_block(self, loops, rows, columns):
        zero, high, wide = self.number(0), self.number(rows), self.number(columns)
        where = self.condition() if self.chance(0.3) else None
        if where is None:
            where = self.define("arith.constant true", "True")
        kinds = self.pick([("spatial", "spatial"), ("spatial", "reduce")])
        self.line(
            f'tir.block "b" ["{kinds[0]}", "{kinds[1]}"] (%{loops[0]}, %{loops[1]} : {self.type}, {self.type}) '
            f"from(%{zero}, %{zero} : {self.type}, {self.type}) "
            f"extent(%{high}, %{wide} : {self.type}, {self.type}) where %{where} {{",
            f"if {where}:",
        )

        def body():
            self.count += 1
            names = [f"x{self.count}", f"y{self.count}"]
            self.text.append(f"^bb0(%{names[0]}: {self.type}, %{names[1]}: {self.type}):")
            self.code.append("  " * self.depth + f"{names[0]}, {names[1]} = {loops[0]}, {loops[1]}")
            self.indices = [(names[0], 0, rows - 1), (names[1], 0, columns - 1)]
            if kinds[1] == "spatial":
                return self.store(["out"])
            at = self.define(f"arith.index_cast %{names[0]} : {self.type} to index", names[0], "i")
            self.line("tir.init {", f"if {names[1]} == 0:")
            self.depth += 1
            value = self.define("arith.constant 1.0 : f32", "1.0")
            self.line(
                f"memref.store %{value}, %sums[%{at}] : memref<7xf32>", f"sums[{at}] = {value}"
            )
            self.depth -= 1
            self.line("}")
            old = self.define(f"memref.load %sums[%{at}] : memref<7xf32>", f"sums[{at}]")
            text, code, type_ = self.element("a")
            term = self.define(f"memref.load {text} : {type_}", code)
            value = self.define(f"arith.addf %{old}, %{term} : f32", f"{old} + {term}")
            self.line(
                f"memref.store %{value}, %sums[%{at}] : memref<7xf32>", f"sums[{at}] = {value}"
            )

        self.nest(body)
        self.line("}")

    def statements(self):
        self.code.append("  " * self.depth + "pass")
        for _ in range(int(self.rng.integers(1, 4))):
            kind = self.rng.integers(11)
            if kind <= 3 or self.depth > 5:
                self.store()
            elif kind <= 5:
                self.loop()
            elif kind == 6:
                self.vectors()
            elif kind == 7:
                self.branch()
            elif kind == 8:
                self.allocate()
            elif kind == 9:
                self.part()
            elif self.depth == 1:
                self.block()

    def make(self):
        self.line("%n = tir.var : " + self.type)
        self.line(
            f"tir.buffer %s shape(%n : {self.type}) {{index_type = {self.type}}} : memref<?xf32>"
        )
        for buffer in ("out", "sums"):
            self.fill(buffer)
        self.statements()
        self.line("tir.return")
        params = ", ".join(
            f"%{buffer}: {self.memref(buffer)}" for buffer in ("a", "s", "out", "sums")
        )
        text = "\n".join(self.text)
        return (
            f"partita.module {{\ntir.prim_func @main({params}) {{\n{text}\n}}\n}}\n",
            "def main(a, s, out, sums):\n  n = len(s)\n" + "\n".join(self.code),
        )


def compile_code(code):
    scope = {"np": np}
    exec(code, scope)  # noqa: S102
    return scope["main"]


def call(function, seed):
    """What the function writes, for each size."""
    results = []
    for size in SIZES:
        rng = np.random.default_rng(seed)
        a = rng.integers(-9, 10, (4, 6)).astype("float32")
        s = rng.integers(-9, 10, size).astype("float32")
        written = np.full((4, 6), -7, "float32"), np.full(7, -7, "float32")
        function(a, s, *written)
        results += written
    return results


def choose(rng):
    """Passes: blocks go first or stay, loops change in any order."""
    names = []
    if rng.random() < 0.7:
        names += BLOCKS[: int(rng.integers(1, 5))]
    loops = [str(name) for name in rng.choice(LOOPS, int(rng.integers(1, 6)))]
    if "StorageRewrite" in loops:
        loops.insert(0, "VectorizeLoop")
    if "FlattenBuffer" in loops and "LowerMatchBuffer" not in names:
        loops.insert(0, "LowerMatchBuffer")
    names += loops
    return names, CONFIGS[rng.integers(len(CONFIGS))]


def check(seed):
    """Returns the number of modules that were compiled after passes."""
    generator = Generator(seed)
    text, code = generator.make()
    mod = partita.IRModule.from_text(text)
    expected = call(compile_code(code), seed)
    lists = [([], {})] + [choose(generator.rng) for _ in range(6)]
    for names, config in lists:
        try:
            with transform.PassContext(opt_level=1, config=config):
                passes = [get_pass(name) for name in names]
                after = transform.Sequential(passes)(mod) if passes else mod
                found = call(partita.compile(after, relax_pipeline=None)["main"], seed)
            wrong = [n for n, (a, b) in enumerate(zip(expected, found)) if (a != b).any()]
            problem = f"results {wrong} differ" if wrong else None
        except Exception as error:
            problem = repr(error)
        if problem:
            print(f"seed {seed}, after {names} with {config}: {problem}\n{text}")
            sys.exit(1)
    return len(lists) - 1


def get_pass(name):
    return transform.get_pass("tir." + name if name[0].isupper() else name)


def main():
    first, count = map(int, sys.argv[1:])
    runs = sum(check(seed) for seed in range(first, first + count))
    print(f"{count} prim_funcs agree after {runs} lists of passes")


if __name__ == "__main__":
    main()
