#!/usr/bin/env python3
# ===- growth_shapes.py - How costs grow on shapes of modules ---------------===#
#
# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Looks for passes, instruments, parsers and printers whose cost grows too fast.

benchmarks/growth.py measures a few modules up to large sizes. This measures many shapes
of modules (chains, fans, aliases, many blocks, names, functions ...) at small sizes, in
seconds. Each operation runs on a shape of sizes n and 4n, where n doubles until the larger
one takes long enough. A cost that grows like n^1.25 or faster is measured again, at sizes
n, 2n and 4n that double from round to round. It counts only if it grows so fast in every
round: a cache that gets full, or another process, is no growth.

The cost is the number of instructions, if the machine counts them, or else processor
time.
"""

import argparse
import contextlib
import ctypes
import dataclasses
import functools
import gc
import math
import os
import pickle
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

BOUND = 1.25
# The size that counts as no growth, the first n, and the largest.
TINY, SMALLEST, LARGEST = 8, 250, 4000
ROUNDS = 4
# Shapes with known faster growth, and the reason. It is printed, but is no failure.
KNOWN = {"tuples": "a fold asks each user of a value whether the user frees it"}


# ===------------------------------------------------------------------------===#
# Costs
# ===------------------------------------------------------------------------===#


class Instructions:
    """The kernel's counter of instructions of this process and the threads that it starts."""

    # The number of the system call perf_event_open.
    _NUMBERS = {"x86_64": 298, "aarch64": 241}
    unit, least = "instructions", 15_000_000

    def __init__(self) -> None:
        # Type, size, config, ..., and flags: inherited by threads, without the kernel.
        attributes = struct.pack("=IIQQQQQ", 0, 112, 1, 0, 0, 0, 1 << 1 | 1 << 5 | 1 << 6)
        buffer = ctypes.create_string_buffer(attributes, 112)
        libc = ctypes.CDLL(None, use_errno=True)
        number = self._NUMBERS.get(os.uname().machine, -1)
        self._file = libc.syscall(number, buffer, 0, -1, -1, 0)
        if self._file < 0 or not self.read():
            raise OSError("expected a counter of instructions, but found none")

    def read(self) -> float:
        return float(int.from_bytes(os.read(self._file, 8), sys.byteorder))


class ProcessorTime:
    """The time of all threads."""

    unit, least = "s", 0.006

    def read(self) -> float:
        return time.process_time()


def make_counter(counts: bool) -> Any:
    with contextlib.suppress(OSError, AttributeError):
        if counts:
            return Instructions()
    return ProcessorTime()


# Threads that are started later are counted, too.
COUNTER = make_counter("--seconds" not in sys.argv)

from partita import IRModule, instrument, ir, relax, tir, transform  # noqa: E402
from partita.mlir._mlir_libs import _partita  # noqa: E402

# ===------------------------------------------------------------------------===#
# Shapes
# ===------------------------------------------------------------------------===#

T = "tensor<4xf32>"


def function(body: str, name: str = "main", params: str = f"%x: {T}", result: str = T) -> str:
    return f"relax.func @{name}({params}) -> {result} {{\n{body}}}\n"


def lines(size: int, line: str) -> str:
    """`line` for each number i; j is the next."""
    return "".join(line.format(i=i, j=i + 1) + "\n" for i in range(size))


def returned(value: str, type_: str = T) -> str:
    return f"relax.return {value} : {type_}\n"


def module(text: str) -> str:
    return f"partita.module {{\n{text}}}\n"


def chain(size: int) -> str:
    half = size // 2
    body = f"%c = relax.constant dense<1.0> : {T}\n%y0 = relax.exp %x : {T}\n" + lines(
        half, f"%a{{i}} = relax.add %y{{i}}, %c : {T}\n%y{{j}} = relax.exp %a{{i}} : {T}"
    )
    return module(function(body + returned(f"%y{half}")))


def constant_chain(size: int) -> str:
    body = f"%y0 = relax.constant dense<[1.0, 2.0, 3.0, 4.0]> : {T}\n" + lines(
        size, f"%y{{j}} = relax.negative %y{{i}} : {T}"
    )
    return module(function(body + returned(f"%y{size}")))


def fan_out(size: int) -> str:
    values, types = ", ".join(f"%y{i}" for i in range(size)), ", ".join([T] * size)
    body = lines(size, f"%y{{i}} = relax.exp %x : {T}") + returned(values, types)
    return module(function(body, result=f"({types})"))


def parameters(size: int) -> str:
    params = ", ".join(f"%p{i}: {T}" for i in range(size + 1))
    body = f"%y0 = relax.exp %p0 : {T}\n" + lines(
        size, f"%y{{j}} = relax.add %y{{i}}, %p{{j}} : {T}"
    )
    return module(function(body + returned(f"%y{size}"), params=params))


def aliases(size: int) -> str:
    body = f"%y0 = relax.exp %x : {T}\n" + lines(size, f"%y{{j}} = relax.alias %y{{i}} : {T}")
    return module(function(body + returned(f"%y{size}")))


def constant_aliases(size: int) -> str:
    body = f"%y0 = relax.constant dense<1.0> : {T}\n" + lines(
        size, f"%y{{j}} = relax.alias %y{{i}} : {T}"
    )
    return module(function(body + f"%z = relax.exp %y{size} : {T}\n" + returned("%z")))


def wide_tuple(size: int) -> str:
    values, types = ", ".join(f"%y{i}" for i in range(size)), ", ".join([T] * size)
    body = lines(size, f"%y{{i}} = relax.exp %x : {T}")
    body += f"%t = relax.tuple({values}) : {types}\n"
    # The type of the tuple is in each line; two of them are enough.
    body += f"%g = relax.tuple_get_item %t[{size - 1}] : tuple<{types}>\n"
    return module(function(body + returned("%g")))


def tuples(size: int) -> str:
    pair = f"tuple<{T}, {T}>"
    body = f"%y0 = relax.exp %x : {T}\n" + lines(
        size // 2,
        f"%t{{i}} = relax.tuple(%y{{i}}, %x) : {T}, {T}\n"
        f"%y{{j}} = relax.tuple_get_item %t{{i}}[0] : {pair}",
    )
    return module(function(body + returned(f"%y{size // 2}")))


def nest(depth: int, name: str, value: str) -> str:
    if depth == 0:
        return f"%{name} = relax.exp {value} : {T}\n"
    inner = nest(depth - 1, name + "a", value)
    return (
        f"%{name} = relax.if %b : tensor<i1> -> {T} {{\n{inner}relax.yield %{name}a : {T}\n}} "
        f"else {{\nrelax.yield {value} : {T}\n}}\n"
    )


def ifs(size: int) -> str:
    count = size // 16
    body = f"%y0 = relax.exp %x : {T}\n"
    for i in range(count):
        body += nest(4, f"y{i + 1}", f"%y{i}")
    params = f"%x: {T}, %b: tensor<i1>"
    return module(function(body + returned(f"%y{count}"), params=params))


def blocks(size: int) -> str:
    body = f"%y0 = relax.exp %x : {T}\n" + lines(
        size // 4,
        f"%y{{j}} = relax.dataflow -> {T} {{{{\n%a{{i}} = relax.add %y{{i}}, %x : {T}\n"
        f"%b{{i}} = relax.exp %a{{i}} : {T}\nrelax.output %b{{i}} : {T}\n}}}}",
    )
    return module(function(body + returned(f"%y{size // 4}")))


def outputs(size: int) -> str:
    names = ", ".join(f"%y{i}" for i in range(size))
    values, types = ", ".join(f"%a{i}" for i in range(size)), ", ".join([T] * size)
    inner = lines(size, f"%a{{i}} = relax.exp %x : {T}")
    body = f"{names} = relax.dataflow -> {types} {{\n{inner}relax.output {values} : {types}\n}}\n"
    last = f"%z = relax.add %y0, %y{size - 1} : {T}\n"
    return module(function(body + last + returned("%z")))


def sizes(size: int) -> str:
    types = [f'tensor<?xf32, #relax.shape<["n{i}"]>>' for i in range(size)]
    params = ", ".join(f"%p{i}: {type_}" for i, type_ in enumerate(types))
    body = "".join(f"%y{i} = relax.exp %p{i} : {type_}\n" for i, type_ in enumerate(types))
    last = returned(f"%y{size - 1}", types[-1])
    return module(function(body + last, params=params, result=types[-1]))


def casts(size: int) -> str:
    named = 'tensor<?xf32, #relax.shape<["n{i}"]>>'
    body = lines(
        size // 2,
        f"%c{{i}} = relax.match_cast %x : tensor<?xf32> -> {named}\n"
        f"%y{{i}} = relax.exp %c{{i}} : {named}",
    )
    body += returned("%x", "tensor<?xf32>")
    return module(function(body, params="%x: tensor<?xf32>", result="tensor<?xf32>"))


def constants(size: int) -> str:
    body = f"%y0 = relax.exp %x : {T}\n" + lines(
        size // 2,
        f"%c{{i}} = relax.constant dense<[0.0, 1.0, 2.0, {{i}}.0]> : {T}\n"
        f"%y{{j}} = relax.add %y{{i}}, %c{{i}} : {T}",
    )
    return module(function(body + returned(f"%y{size // 2}")))


def functions(size: int) -> str:
    body = f"%0 = relax.exp %x : {T}\n%1 = relax.exp %x : {T}\n" + returned("%1")
    return module("".join(function(body, f"f{i}") for i in range(size // 3)))


def calls(size: int) -> str:
    count = size // 3
    body = f"%y0 = relax.exp %x : {T}\n" + lines(
        count, f"%y{{j}} = relax.call @f{{i}}(%y{{i}}) : ({T}) -> {T}"
    )
    callee = f"%0 = relax.exp %x : {T}\n" + returned("%0")
    text = "".join(function(callee, f"f{i}") for i in range(count))
    return module(text + function(body + returned(f"%y{count}")))


def call_chain(size: int) -> str:
    """Functions whose result types are less exact than the types of the returned values."""
    count = size // 3
    loose = "tensor<?xf32>"
    text = "".join(
        function(
            f"%0 = relax.call @f{i + 1}(%x) : ({T}) -> {loose}\n" + returned("%0", loose),
            f"f{i}",
            result=loose,
        )
        for i in range(count)
    )
    return module(text + function(returned("%x"), f"f{count}"))


def loops(size: int) -> str:
    bounds = "%l = arith.constant 0 : index\n%u = arith.constant 2 : index\n"
    body = bounds + "%s = arith.constant 1 : index\n"
    body += (
        "scf.for %i = %l to %u step %s {\nmemref.store %v, %m[%i] : memref<8xf32>\n"
        '} {tir.kind = "unrolled"}\n' * (size // 4)
    )
    head = "tir.prim_func @main(%m: memref<8xf32>, %v: f32) {\n"
    return module(f"{head}{body}tir.return\n}}\n")


def kernels(size: int) -> str:
    body = "%i = arith.constant 0 : index\nmemref.store %v, %m[%i] : memref<8xf32>\ntir.return\n"
    head = "tir.prim_func @f{i}(%m: memref<8xf32>, %v: f32) {{\n"
    return module("".join(head.format(i=i) + body + "}\n" for i in range(size // 4)))


SHAPES: dict[str, Callable[[int], str]] = {
    "chain": chain,
    "chain of constants": constant_chain,
    "fan out": fan_out,
    "parameters": parameters,
    "aliases": aliases,
    "aliases of a constant": constant_aliases,
    "wide tuple": wide_tuple,
    "tuples": tuples,
    "nested ifs": ifs,
    "dataflow blocks": blocks,
    "outputs of a block": outputs,
    "names of sizes": sizes,
    "casts": casts,
    "constants": constants,
    "functions": functions,
    "calls": calls,
    "chain of calls": call_chain,
    "loops": loops,
    "kernels": kernels,
}

# ===------------------------------------------------------------------------===#
# Operations
# ===------------------------------------------------------------------------===#

Operation = Callable[["Source"], Any]


class Source:
    """A shape of one size, in the forms that operations take as input."""

    def __init__(self, text: str):
        self.text = text

    @functools.cached_property
    def mod(self) -> IRModule:
        return IRModule.from_text(self.text)

    @functools.cached_property
    def json(self) -> str:
        return self.mod.to_tvm_json()


def read(source: Source) -> None:
    """Looks at all expressions."""
    for func in IRModule.from_text(source.text).functions.values():
        if isinstance(func, relax.Function):
            relax.analysis.free_vars(func)


def run_pass(make: Callable[[], Any]) -> Operation:
    def run(source: Source) -> Any:
        with transform.PassContext(opt_level=3):
            return made(source.mod)

    made = make()
    return run


def observe(make: Callable[[str], Any]) -> Operation:
    """Two passes under an instrument that writes to a new directory."""
    passes = transform.Sequential(
        [relax.transform.EliminateCommonSubexpr(), relax.transform.DeadCodeElimination()]
    )

    def run(source: Source) -> Any:
        with tempfile.TemporaryDirectory() as directory:
            with transform.PassContext(opt_level=3, instruments=[make(directory)]):
                return passes(source.mod)

    return run


def make_instruments() -> Iterator[tuple[str, Callable[[str], Any]]]:
    options: dict[str, str] = {
        "bisect": "limit=1 print=false",
        "checkpoint": "dir=%d/saved",
        "dump-ir": "dump-dir=%d/dumps",
        "memory": "output=%d/out",
        "numerics": "runner='echo 1 %s'",
        "op-statistics": "output=%d/out functions",
        "print-changed": "output=%d/out",
        "report": "output=%d/out",
        "timing": "output=%d/out",
        "trace": "output=%d/out",
        "verify": "save-dir=%d/broken",
        "waste": "output=%d/out",
    }
    for name in instrument.list_instruments():
        text = f"{name}{{{options.get(name, '')}}}"
        yield name, lambda path, text=text: make_instrument(text, path)
    some = "print-ir-after{functions=f1*,main}"
    yield "print-ir-after of functions", lambda path: make_instrument(some, path)


def make_instrument(text: str, path: str) -> Any:
    return _partita.Instrument(text.replace("%d", path).encode())


def plant(source: Source) -> int:
    """An operation that grows with the square, which must be found.

    It takes long enough at all sizes for a clock that other processes disturb.
    """
    size = source.text.count("\n")
    return sum(sum(range(4 * size)) for _ in range(size))


TOOLS: dict[str, Operation] = {
    "parse": lambda source: IRModule.from_text(source.text),
    "print": lambda source: str(source.mod),
    "import": lambda source: IRModule.from_tvm_json(source.json),
    "export": lambda source: source.mod.to_tvm_json(),
    "pickle": lambda source: pickle.loads(pickle.dumps(source.mod)),
    "structural_equal": lambda source: ir.structural_equal(source.mod, source.mod.clone()),
    "structural_hash": lambda source: ir.structural_hash(source.mod),
    "read": read,
}
NEEDS = {"parse": "text", "read": "text", "import": "json"}
# MLIR's parser looks things up by number, which shows only at large sizes.
LONG = ["chain", "parameters", "outputs of a block", "constants", "functions"]
# The only shapes for passes that look for a pattern, or only at some functions.
FEW = ["chain", "fan out", "functions"]
PATTERNS = [
    "AdjustMatmulOrder",
    "AlterOpImpl",
    "AnnotateTIROpPattern",
    "AttachGlobalSymbol",
    "BackwardFoldScaleAxis",
    "BundleModelParams",
    "CallTIRRewrite",
    "CombineParallelMatmul",
    "ConvertLayout",
    "DataflowUseInplaceCalls",
    "DecomposeOpsForInference",
    "DecomposeOpsForTraining",
    "ExpandMatmulOfSum",
    "ExpandTupleArguments",
    "ExpandTupleArgumentsInner",
    "FoldBatchnormToConv2D",
    "FoldScaleAxis",
    "ForwardFoldScaleAxis",
    "FuseTIR",
    "FuseTIRInner",
    "FuseTransposeMatmul",
    "InlinePrivateFunctions",
    "KillAfterLastUse",
    "LazyGetInput",
    "LazySetOutput",
    "LazyTransformParams",
    "LowerAllocTensor",
    "NormalizeGlobalVar",
    "OptimizeLayoutTransform",
    "RealizeVDevice",
    "RemovePurityChecking",
    "RemoveRedundantReshape",
    "RemoveUnusedOutputs",
    "RemoveUnusedOutputsInner",
    "RemoveUnusedParameters",
    "ReorderPermuteDimsAfterConcat",
    "ReorderTakeAfterMatmul",
    "RewriteDataflowReshape",
    "StaticPlanBlockMemory",
]
OF_TIR = ["loops", "kernels"]
# Instruments see functions, ops, constants, and regions.
OBSERVED = ["chain", "fan out", "constants", "dataflow blocks", "functions"]
NEED_ARGUMENTS = [
    "BindParams",
    "BindSymbolicVars",
    "DataflowBlockPass",
    "FunctionPass",
    "FusionPattern",
    "Gradient",
    "PatternCheckContext",
    "UpdateParamType",
    "UpdateVDevice",
]
ANY = relax.dpl.wildcard()
SUM = relax.dpl.is_op("relax.add")(relax.dpl.is_op("relax.add")(ANY, ANY) | ANY, ANY)
ARGUMENTS: dict[str, list[Any]] = {
    "AlterOpImpl": [{}, {}],
    "ConvertLayout": [{"relax.nn.conv2d": ["NHWC", "OHWI"]}],
    "FuseOpsByPattern": [[("compiler.sum", SUM)]],
}


def make_cases() -> Iterator[tuple[str, str, Operation]]:
    """Yields the measurements: a shape, the name of an operation, and the operation."""
    for shape in SHAPES:
        for name, operation in TOOLS.items():
            yield shape, name, operation
        for name in relax.transform.__all__:
            is_meant = shape not in OF_TIR and (name not in PATTERNS or shape in FEW)
            # It needs a function main, which not all shapes have.
            is_meant &= name != "MergeCompositeFunctions" or shape == "chain"
            if is_meant and name[0].isupper() and name not in NEED_ARGUMENTS:
                make = functools.partial(getattr(relax.transform, name), *ARGUMENTS.get(name, []))
                yield shape, name, run_pass(make)
        if shape in OF_TIR:
            yield shape, "LowerBlocks", run_pass(tir.transform.LowerBlocks)
            yield shape, "UnrollLoop", run_pass(tir.transform.UnrollLoop)
        if shape in OBSERVED:
            for name, make in make_instruments():
                yield shape, name, observe(make)


# ===------------------------------------------------------------------------===#
# Measuring
# ===------------------------------------------------------------------------===#


@dataclasses.dataclass
class Case:
    """An operation on a shape."""

    make: Callable[[int], str]
    operation: Operation
    sources: dict[int, Source]
    #: The form of a Source that is made before the operation is measured.
    needs: str
    #: A factor for its largest size, and for the cost that is long enough.
    factor: int = 1
    tiny: float = 0

    def measure(self, size: int, rounds: int) -> float:
        """The least cost of some rounds."""
        return self.measure_all([size], rounds)[0]

    def measure_all(self, sizes: list[int], rounds: int) -> list[float]:
        """The least cost of some rounds, for each size.

        The sizes take turns, so that another process disturbs all of them or none.
        """
        for size in sizes:
            if size not in self.sources:
                self.sources[size] = Source(self.make(size))
            getattr(self.sources[size], self.needs)
        costs = [math.inf] * len(sizes)
        for _ in range(rounds):
            for index, size in enumerate(sizes):
                before = COUNTER.read()
                result = self.operation(self.sources[size])
                costs[index] = min(costs[index], COUNTER.read() - before)
                del result
        return costs

    def find_exponent(self, small: float, large: float) -> float:
        """The exponent between sizes n and 4n, without the constant part."""
        small = max(small - self.tiny, small / 2)
        return math.log(max(large - self.tiny, small) / small, 4)

    def find_growth(self) -> float | None:
        """The least exponent of all rounds; None if one is low enough."""
        self.measure(TINY, 1)
        self.tiny = self.measure(TINY, 3)
        size = SMALLEST
        large = self.measure(4 * size, 1)
        least = COUNTER.least * self.factor
        while large < least and size < LARGEST * self.factor:
            size *= 2
            large = self.measure(4 * size, 1)
        small = self.measure(size, 3)
        if self.find_exponent(small, large) <= BOUND:
            return None
        # Most often, something else has disturbed the only round.
        exponents = []
        for _ in range(ROUNDS + 1):
            small, middle, large = self.measure_all([size, 2 * size, 4 * size], 3)
            exponents.append(self.find_exponent(small, large))
            # A jump at one size is no growth between the other sizes.
            if min(exponents[-1], 2 * self.find_exponent(small, middle)) <= BOUND:
                return None
            size = 2 * size if large < 20 * least else size
        return min(exponents)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--filter", default="", help="only those with this in their names")
    parser.add_argument("--seconds", action="store_true", help="measure processor time")
    parser.add_argument("--plant", action="store_true", help="add an operation that grows")
    parser.add_argument("--verbose", action="store_true", help="print what each case took")
    options = parser.parse_args()
    cases = list(make_cases())
    if options.plant:
        cases.append(("chain", "planted", plant))
    # Nobody reads the output of instruments here.
    errors, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    gc.disable()
    found = count = 0
    sources: dict[int, Source] = {}
    last = ""
    for shape, name, operation in cases:
        label = f"{name} of {shape}"
        if options.filter not in label:
            continue
        count += 1
        if shape != last:
            sources, last = {}, shape
            gc.collect()
        start = time.process_time()
        os.dup2(null, 2)
        try:
            needs = NEEDS.get(name, "mod")
            factor = 30 if name == "parse" and shape in LONG else 1
            exponent = Case(SHAPES[shape], operation, sources, needs, factor).find_growth()
        finally:
            os.dup2(errors, 2)
        if options.verbose:
            print(f"{label}: {time.process_time() - start:.3f} s", flush=True)
        if exponent is not None:
            found += shape not in KNOWN
            reason = f", known: {KNOWN[shape]}" if shape in KNOWN else ""
            print(f"{label} grows like n^{exponent:.2f}{reason}", flush=True)
    print(f"{found} of {count} grow faster than n^{BOUND}, in {COUNTER.unit}")
    return int(found != 0)


if __name__ == "__main__":
    sys.exit(main())
