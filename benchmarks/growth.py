#!/usr/bin/env python3
# ===- growth.py - How time grows with functions, ops and passes ------------===#
#
# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Prints the exponent with which the time of each operation grows.

    PRESET=debian make build
    python3 benchmarks/growth.py --bin build-debian/bin

A case is a name, an axis of growth ("functions", "ops" of one function or
"passes"), the command for a size, and the command whose cost is subtracted. For a pass,
that is the same command without the pass, unless less than a tenth remains; else, it is
the command for size 2. Every pass, instrument and operation of the tools has a case for
each axis that it can grow along.

The cost is the number of instructions, which valgrind's callgrind counts, and which
neither caches nor other processes change; with --seconds, it is processor time. The
exponent is the growth over the last tenfold of the sizes:
log10(cost(100,000) / cost(10,000)). An exponent above the bound, or a run beyond the time
limit, is marked, and makes the exit code 1.
"""

import argparse
import dataclasses
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable

BOUND = 1.1
# Costs below these are the noise or the start of a process.
LEAST_SECONDS = 0.02
LEAST_MILLIONS = 1.0
# A smaller part of the whole is the noise of the subtraction.
LEAST_SHARE = 0.1


@dataclasses.dataclass(frozen=True)
class Case:
    """A measured command: `command(bin, directory, size)` gives the arguments."""

    name: str
    axis: str
    command: Callable[[pathlib.Path, pathlib.Path, int], list[str]]
    # The command to subtract; the one for size 2 if there is none.
    base: Callable[[pathlib.Path, pathlib.Path, int], list[str]] | None = None


# ===------------------------------------------------------------------------===#
# Modules
# ===------------------------------------------------------------------------===#


def cached(directory, name, make):
    """A file with the lines of `make`, written once."""
    path = directory / name
    if not path.exists():
        path.write_text("\n".join(make()) + "\n")
    return str(path)


def in_module(functions):
    yield "partita.module @m {"
    yield from functions
    yield "}"


TENSOR = "tensor<4x8xf32>"


def relax_function(name, ops):
    """A function of a chain of ops, in which some are equal, dead or constant."""
    yield f"relax.func @{name}(%x0: {TENSOR}) -> {TENSOR} {{"
    yield f"  %c = relax.constant dense<1.0> : {TENSOR}"
    for op in range(0, max(ops - 2, 4), 4):
        yield f"  %a{op} = relax.add %x{op}, %c : {TENSOR}"
        yield f"  %b{op} = relax.add %x{op}, %c : {TENSOR}"
        yield f"  %d{op} = relax.exp %c : {TENSOR}"
        yield f"  %x{op + 4} = relax.multiply %a{op}, %b{op} : {TENSOR}"
        last = op + 4
    yield f"  relax.return %x{last} : {TENSOR}"
    yield "}"


def dynamic_function(name, ops):
    """A chain of ops on tensors with a dimension that has a name."""
    tensor = 'tensor<?x8xf32, #relax.shape<["n", 8]>>'
    yield f"relax.func @{name}(%x0: {tensor}) -> {tensor} {{"
    for op in range(max(ops - 1, 1)):
        yield f"  %x{op + 1} = relax.exp %x{op} : {tensor}"
    yield f"  relax.return %x{max(ops - 1, 1)} : {tensor}"
    yield "}"


def conv_function(name, ops):
    """Convolutions with a batch norm or a multiplication after each."""
    image, weight, channel = "tensor<1x4x4x4xf32>", "tensor<4x4x1x1xf32>", "tensor<4xf32>"
    scale = "tensor<4x1x1xf32>"
    yield f"relax.func @{name}(%x0: {image}) -> {image} {{"
    yield f"  %w = relax.constant dense<1.0> : {weight}"
    yield f"  %p = relax.constant dense<1.0> : {channel}"
    yield f"  %s = relax.constant dense<2.0> : {scale}"
    for op in range(0, max(ops - 4, 4), 4):
        yield f"  %a{op} = relax.nn.conv2d %x{op}, %w : {image}, {weight} -> {image}"
        yield f"  %m{op} = relax.multiply %a{op}, %s : {image}, {scale} -> {image}"
        yield f"  %b{op} = relax.nn.conv2d %m{op}, %w : {image}, {weight} -> {image}"
        yield (
            f"  %x{op + 4}, %u{op}, %v{op} = relax.nn.batch_norm %b{op}, %p, %p, %p, %p "
            f"axis = 1 training = false : ({image}, {channel}, {channel}, {channel}, {channel}) "
            f"-> ({image}, {channel}, {channel})"
        )
        last = op + 4
    yield f"  relax.return %x{last} : {image}"
    yield "}"


def called_function(name, ops):
    """A chain of calls of a prim_func that the pass replaces."""
    tensor, buffer = "tensor<16xf32>", "memref<16xf32>"
    yield f"relax.func @{name}(%x0: {tensor}) -> {tensor} {{"
    for op in range(max(ops - 1, 1)):
        yield f"  %x{op + 1} = relax.call_tir @{name}old(%x{op}) : ({tensor}) -> {tensor}"
    yield f"  relax.return %x{max(ops - 1, 1)} : {tensor}"
    yield "}"
    yield f"tir.prim_func private @{name}old(%x: {buffer}, %y: {buffer}) attributes {{"
    yield f'  operator_name = "op", number = "{name}"'
    yield "} {"
    yield "  tir.return"
    yield "}"
    # The first function has what the calls of all are replaced by.
    if name in ("f", "f0"):
        yield "tir.prim_func private @new(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {"
        yield "  tir.return"
        yield "}"


def tir_function(name, ops):
    """Loops of four iterations, one after the other."""
    yield f"tir.prim_func @{name}(%m: memref<8xf32>, %v: f32) {{"
    yield "  %l = arith.constant 0 : index"
    yield "  %u = arith.constant 4 : index"
    yield "  %s = arith.constant 1 : index"
    for _ in range(max(ops // 8, 1)):
        yield "  scf.for %i = %l to %u step %s {"
        yield "    memref.store %v, %m[%i] : memref<8xf32>"
        yield '  } {tir.kind = "unrolled"}'
    yield "  tir.return"
    yield "}"


def block_function(name, ops):
    """Loops around blocks of TIR, one after the other."""
    yield f"tir.prim_func @{name}(%m: memref<8xf32>, %v: f32) {{"
    yield "  %l = arith.constant 0 : i32"
    yield "  %u = arith.constant 8 : i32"
    yield "  %s = arith.constant 1 : i32"
    yield "  %t = arith.constant true"
    for block in range(max(ops // 8, 1)):
        yield "  scf.for %i = %l to %u step %s : i32 {"
        yield f'    tir.block "b{block}" ["spatial"] (%i : i32) from(%l : i32) extent(%u : i32) where %t {{'
        yield "    ^bb0(%x: i32):"
        yield "      %n = arith.index_cast %x : i32 to index"
        yield "      memref.store %v, %m[%n] : memref<8xf32>"
        yield "    }"
        yield "  }"
    yield "  tir.return"
    yield "}"


def opaque_function(name, ops):
    """Blocks of TIR without iterators, one after the other."""
    yield f"tir.prim_func @{name}(%m: memref<8xf32>, %v: f32) {{"
    yield "  %n = arith.constant 0 : index"
    yield "  %t = arith.constant true"
    for block in range(max(ops // 2, 1)):
        yield f'  tir.block "b{block}" [] where %t {{'
        yield "    memref.store %v, %m[%n] : memref<8xf32>"
        yield "  }"
    yield "  tir.return"
    yield "}"


def nest_function(name, ops):
    """Nests of loops with split indices and conditions about them."""
    yield f"tir.prim_func @{name}(%m: memref<?xf32>, %v: f32, %n: i32) {{"
    for number in (0, 1, 4, 8, 32):
        yield f"  %c{number} = arith.constant {number} : i32"
    yield "  tir.buffer %m shape(%n : i32) : memref<?xf32>"
    for _ in range(max(ops // 12, 1)):
        yield "  scf.for %i = %c0 to %c8 step %c1 : i32 {"
        yield "    scf.for %j = %c0 to %c4 step %c1 : i32 {"
        yield "      %x = arith.muli %i, %c4 overflow<nsw> : i32"
        yield "      %y = arith.addi %x, %j overflow<nsw> : i32"
        yield "      %p = arith.cmpi slt, %y, %c32 : i32"
        yield "      %q = arith.cmpi slt, %y, %n : i32"
        yield "      %r = arith.andi %p, %q : i1"
        yield "      scf.if %r {"
        yield "        %z = arith.floordivsi %y, %c4 : i32"
        yield "        %w = arith.index_cast %z : i32 to index"
        yield "        memref.store %v, %m[%w] : memref<?xf32>"
        yield "      }"
        yield "    }"
        yield "  }"
    yield "  tir.return"
    yield "}"


def jump_function(name, ops):
    """Loops that a statement leaves, one after the other."""
    yield f"tir.prim_func @{name}(%p: i1, %n: i32) {{"
    yield "  %l = arith.constant 0 : i32"
    for _ in range(max(ops // 4, 1)):
        yield '  tir.for "serial" %l, %n : i32, i32 {'
        yield "  ^bb0(%i: i32):"
        yield "    scf.if %p {"
        yield "      tir.break"
        yield "    }"
        yield "  }"
    yield "  tir.return"
    yield "}"


def call_function(name, ops):
    """Calls of one private function."""
    yield f"tir.prim_func @{name}(%n: i32) {{"
    for _ in range(max(ops, 1)):
        yield f"  tir.call @{name}part(%n) : (i32) -> ()"
    yield "  tir.return"
    yield "}"
    yield f"tir.prim_func private @{name}part(%n: i32) {{"
    yield "  tir.evaluate %n : i32"
    yield "  tir.return"
    yield "}"


def alloc_function(name, ops):
    """Allocations, each computed from the one before, and some that stay in use."""
    yield f"tir.prim_func @{name}(%m: memref<?xf32>, %n: i32) {{"
    for number in (0, 1, 8):
        yield f"  %c{number} = arith.constant {number} : i32"
    yield "  tir.buffer %m shape(%n : i32) : memref<?xf32>"
    last = "%m : memref<?xf32>"
    for op in range(max(ops // 6, 1)):
        size = ("8", "16", "?")[op % 3]
        shape = "shape(%n : i32) " if size == "?" else ""
        yield f"  %b{op} = tir.alloc_buffer {shape}: memref<{size}xf32>"
        yield "  scf.for %i = %c0 to %c8 step %c1 : i32 {"
        yield "    %x = arith.index_cast %i : i32 to index"
        if op % 7 == 6:
            yield f"    %z = memref.load %b{op - 6}[%x] : memref<{('8', '16', '?')[(op - 6) % 3]}xf32>"
        yield f"    %y = memref.load {last.replace(' :', '[%x] :')}"
        last = f"%b{op} : memref<{size}xf32>"
        yield f"    memref.store %y, {last.replace(' :', '[%x] :')}"
        yield "  }"
    yield "  tir.return"
    yield "}"


def skipped_function(name, ops):
    """Functions with SkipOptimization on every other one."""
    lines = plain_function(name, ops)
    is_skipped = not name[1:] or int(name[1:]) % 2 == 0
    yield next(lines).replace("{", "attributes {SkipOptimization} {") if is_skipped else next(lines)
    yield from lines


def plain_function(name, ops):
    yield f"func.func @{name}(%x0: i32) -> i32 {{"
    yield "  %z = arith.constant 0 : i32"
    for op in range(max(ops - 2, 1)):
        yield f"  %x{op + 1} = arith.addi %x{op}, %z : i32"
    yield f"  return %x{max(ops - 2, 1)} : i32"
    yield "}"


def make_module(directory, function, axis, size):
    """A module of `size` functions of a few ops, or of one function of `size` ops."""

    def lines():
        functions = [(f"f{i}", 4) for i in range(size)] if axis == "functions" else [("f", size)]
        bodies = (line for name, ops in functions for line in function(name, ops))
        return bodies if function in (plain_function, skipped_function) else in_module(bodies)

    return cached(directory, f"{function.__name__}-{axis}-{size}.mlir", lines)


# ===------------------------------------------------------------------------===#
# Cases
# ===------------------------------------------------------------------------===#

# Passes of Partita, and the module to measure them on. Others are measured on
# relax_function.
PASSES = {
    "relax-alter-op-impl": called_function,
    "relax-backward-fold-scale-axis": conv_function,
    "relax-bind-symbolic-vars": dynamic_function,
    "relax-decompose-ops-for-inference": conv_function,
    "relax-fold-batchnorm-to-conv2d": conv_function,
    "relax-fold-scale-axis": conv_function,
    "relax-forward-fold-scale-axis": conv_function,
    "tir-annotate-irregular-loop": jump_function,
    "tir-inline-private-functions": call_function,
    "tir-lower-opaque-block": opaque_function,
    "tir-remove-no-op": nest_function,
    "tir-stmt-simplify": nest_function,
    "tir-storage-rewrite": alloc_function,
    "tir-unroll-loop": tir_function,
    "partita-print-ir": relax_function,
    "default-O0": relax_function,
    "default-O1": relax_function,
    "default-O2": conv_function,
    "default-O3": conv_function,
    "default-O3 on tir": tir_function,
}

# Passes that need another module than these.
UNMEASURED = ["relax-gradient", "relax-merge-composite-functions", "relax-update-vdevice"]

# The options that passes need to do anything.
SPLIT = "affine_map<(i) -> (i floordiv 4, i mod 4)>"
PASS_OPTIONS = {
    "relax-alter-op-impl": "=op-impl-map={op = @new} "
    f"op-buffer-transforms={{op = [{SPLIT}, {SPLIT}]}}",
    "relax-bind-symbolic-vars": "=binding-map=n=16",
    "relax-fuse-ops-by-pattern": "=patterns={compiler.sum: relax.add(relax.exp(*), *)}",
}

# Every instrument, with options to write to a file in %d.
INSTRUMENTS = {
    "bisect": "bisect{limit=0 print=false}",
    "checkpoint": "checkpoint{dir=%d/saved}",
    "dump-ir": "dump-ir{dump-dir=%d/dumps refresh}",
    "memory": "memory{output=%d/out}",
    "numerics": "numerics{runner='echo 1 %s'}",
    "op-statistics": "op-statistics{output=%d/out functions}",
    "print-changed": "print-changed{output=%d/out}",
    "print-ir-after": "print-ir-after",
    "print-ir-before": "print-ir-before",
    "print-passes": "print-passes",
    "progress": "progress",
    "report": "report{output=%d/out}",
    "timing": "timing{output=%d/out}",
    "trace": "trace{output=%d/out}",
    "waste": "waste{output=%d/out}",
    "verify": "verify{save-dir=%d/broken}",
}

# Options of partita-opt that cause work of their own, for each axis.
TOOL = {
    "parse and print": ["--verify-each=0"],
    "--emit-bytecode": ["--emit-bytecode"],
    "crash reproducer": ["-O2", "--mlir-pass-pipeline-crash-reproducer=%d/crash.mlir"],
    "--mlir-generate-reproducer": ["-O2", "--mlir-generate-reproducer=%d/reproducer.mlir"],
    "report of vetoes": [
        "-O2",
        "--instrument=bisect{limit=0 print=false}",
        "--instrument=timing{output=%d/out}",
        "--mlir-generate-reproducer=%d/vetoed.mlir",
    ],
    "--mlir-timing": ["-O2", "--mlir-timing"],
}
# Without threads: contention is no growth.
ONE_THREAD = ["--mlir-disable-threading"]
PLAN = ["--explain", "--print-plan-json", "--print-plan-graph", "--dump-pass-pipeline"]


def fill(options, directory):
    return [option.replace("%d", str(directory)) for option in options]


def passes_file(directory, size):
    """Options of partita-opt with a pipeline of `size` passes."""
    return "@" + cached(
        directory,
        f"passes-{size}.txt",
        lambda: [
            "--pass-pipeline=builtin.module("
            + ",".join(["cse", "canonicalize"] * (size // 2))
            + ")"
        ],
    )


def tiny(directory):
    return cached(directory, "tiny.mlir", lambda: plain_function("f", 3))


def make_cases():
    def of_pass(argument, function, axis):
        flag = (
            "-O3"
            if argument.endswith(" on tir")
            else "--" + argument + PASS_OPTIONS.get(argument, "")
        )
        if argument.startswith("default-O"):
            flag = "-" + argument[8:10]

        def base(bin, directory, size):
            module = make_module(directory, function, axis, size)
            return [str(bin / "partita-opt"), module, *ONE_THREAD, "-o", os.devnull]

        def command(bin, directory, size):
            return [*base(bin, directory, size), "--verify-each=0", flag]

        return Case(argument, axis, command, base)

    def of_options(name, options, axis, function=plain_function):
        def command(bin, directory, size):
            module = make_module(directory, function, axis, size)
            opt = [str(bin / "partita-opt"), module, *ONE_THREAD, *fill(options, directory)]
            passes = [] if "-pipeline=" in options[0] else ["--cse", "--canonicalize"]
            return [*opt, *passes, "-o", os.devnull]

        return Case(name, axis, command)

    def of_passes(name, options):
        def command(bin, directory, size):
            opt = [str(bin / "partita-opt"), tiny(directory), passes_file(directory, size)]
            return [*opt, *fill(options, directory), "-o", os.devnull]

        return Case(name, "passes", command)

    for argument, function in PASSES.items():
        for axis in ["functions", "ops"]:
            yield of_pass(argument, function, axis)
    for name, text in INSTRUMENTS.items():
        for axis in ["functions", "ops"]:
            yield of_options(name, ["--instrument=" + text], axis)
        yield of_passes(name, ["--instrument=" + text])
    for name, options in TOOL.items():
        for axis in ["functions", "ops"]:
            yield of_options(name, options, axis)
        yield of_passes(name, options)
    skipping = ["--pass-pipeline=builtin.module(func.func(cse,canonicalize))", "-O2"]
    yield of_options("SkipOptimization", skipping, "functions", skipped_function)
    for option in PLAN:
        yield of_passes(option, [option, "-O2"])


# ===------------------------------------------------------------------------===#
# Measuring
# ===------------------------------------------------------------------------===#


class Meter:
    """Runs commands, and caches their costs."""

    def __init__(self, options, directory):
        self.bin = options.bin.absolute()
        self.directory = directory
        self.limit = options.limit
        self.seconds = options.seconds
        self.sizes = options.sizes
        self.known = {}

    def run(self, make, size):
        """The cost of the command for a size; None if it takes longer than the limit."""
        command = make(self.bin, self.directory, size)
        if (cost := self.known.get(tuple(command))) is not None:
            return cost
        log = self.directory / "callgrind.txt"
        counter = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        counter = [] if self.seconds else [*counter, f"--log-file={log}"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            result = subprocess.run(
                [*counter, *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=self.limit,
            )
        except subprocess.TimeoutExpired:
            return None
        if result.returncode:
            sys.exit(f"expected exit code 0, but found {result.returncode} of\n{command}")
        if self.seconds:
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cost = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        else:
            # Includes processes that it started, which end before it.
            cost = max(map(int, re.findall(r"Collected : (\d+)", log.read_text()))) / 1e6
        self.known[tuple(command)] = cost
        return cost

    def measure(self, case, size):
        """The cost of a case of a size, less its base."""
        cost = self.run(case.command, size)
        base = self.run(case.base, size) if case.base else self.run(case.command, 2)
        return None if cost is None or base is None else cost - base

    def measure_all(self, case):
        """The costs for the sizes, up to the first that takes too long."""
        costs = []
        for size in self.sizes:
            costs.append(self.measure(case, size))
            if costs[-1] is None:
                return costs[:-1]
        return costs

    def share(self, case, costs):
        """The least last cost for which subtracting the base says anything.

        Erased ops are not printed, which can save nearly as much as the pass costs.
        """
        size = self.sizes[len(costs) - 1]
        return self.run(case.command, size) * LEAST_SHARE


def fit(sizes, costs, least):
    """The exponent of the last two costs; 0 if they are all noise."""
    if len(costs) < 2 or costs[-1] < least:
        return 0.0
    size, before = sizes[len(costs) - 1], sizes[len(costs) - 2]
    return math.log(costs[-1] / max(costs[-2], least / 10)) / math.log(size / before)


def complete_tables(bin):
    """Adds the tool's other passes. Fails if an instrument of the tool has no case."""

    def listed(flag):
        command = [bin / "partita-opt", flag]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout

    instruments = {line for line in listed("--list-instruments").splitlines() if line[0] != " "}
    if missing := instruments - INSTRUMENTS.keys():
        sys.exit(f"expected a case for each instrument, but found none for {missing}")
    for line in listed("--list-passes").splitlines():
        name = line.split()[1]
        if name.startswith("relax-") and name not in UNMEASURED:
            PASSES.setdefault(name, relax_function)
        if name.startswith("tir-"):
            PASSES.setdefault(name, block_function)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build-debian/bin"))
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1000, 10_000, 100_000])
    parser.add_argument("--cases", nargs="*", help="parts of NAME (AXIS); all without it")
    parser.add_argument("--limit", type=float, default=900, help="seconds that a run may take")
    parser.add_argument("--seconds", action="store_true", help="measure processor time")
    options = parser.parse_args()
    complete_tables(options.bin.absolute())
    unit, least = ("s", LEAST_SECONDS) if options.seconds else ("M", LEAST_MILLIONS)

    print("| case | axis |", *(f"{size:,} |" for size in options.sizes), "exponent |")
    print("|---" * (len(options.sizes) + 3) + "|")
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        meter = Meter(options, pathlib.Path(name))
        for case in make_cases():
            label = f"{case.name} ({case.axis})"
            if options.cases and not any(part in label for part in options.cases):
                continue
            costs = meter.measure_all(case)
            if case.base and costs and costs[-1] < max(least, meter.share(case, costs)):
                costs = meter.measure_all(dataclasses.replace(case, base=None))
            exponent = fit(options.sizes, costs, least)
            is_slow = len(costs) < len(options.sizes) or exponent > BOUND
            failed += is_slow
            cells = [f"{cost:.2f} {unit}" for cost in costs]
            cells += [f"> {options.limit:g} s"] * (len(options.sizes) - len(cells))
            mark = "**" if is_slow else ""
            row = [case.name, case.axis, *cells, f"{mark}{exponent:.2f}{mark}"]
            print(f"| {' | '.join(row)} |", flush=True)
    print(f"\n{failed} above {BOUND}" if failed else f"\nnone above {BOUND}")
    return int(failed != 0)


if __name__ == "__main__":
    sys.exit(main())
