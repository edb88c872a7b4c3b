#!/usr/bin/env python3
# ===- run.py - The whole matrix of pass-overhead ---------------------------===#
#
# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs pass-overhead over its matrix and prints Markdown tables.

Instructions are counted by valgrind's callgrind, threads off, and are the same
in every run on every machine of the kind. Times are medians of runs in turns.
A figure over its bound is marked, and makes the exit code 1.
"""

import argparse
import itertools
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import threading
from functools import partial

# A mode, the mode that it is compared with, and the largest ratio allowed. Observing
# one function has a bound in microseconds, not a ratio.
NO_INSTRUMENT = ("partita", "raw", 1.01)
TIMING_WORK = ("partita-timing", "raw", 1.02)
TIMING_NOTHING = ("partita-timing", "raw-timing", 1.0)
OBSERVING = ("partita-observe", "raw-barrier", 1.02)
OBSERVING_ONE_US = 1.0

# Instruments: a mode, the mode that it is compared with, the mode whose cost is
# subtracted from both, and the largest ratio allowed.
INSTRUMENTS = [
    ("partita-timing", "partita", None, 1.15),
    ("partita-memory", "partita", None, 1.15),
    ("partita-trace", "partita", None, 1.15),
    ("partita-progress", "partita", None, 1.15),
    ("partita-hash", "partita", None, None),
    ("partita-op-statistics", "partita-hash", "partita-observe", 1.0),
    ("partita-print-changed", "partita-hash", "partita-observe", None),
    ("partita-report", "partita", None, 1.25),
]
# The largest cost of an existing pipeline as a Sequential, as a ratio to the pass
# manager's instructions.
PIPELINE = [
    ("bare", 1.01),
    ("timing{print=false}", 1.03),
    ("report{output=/dev/null}", 1.25),
    ("report{output=/dev/null diffs=false}", 1.25),
]
# The modes of the tables of times.
TIMED = ["raw", "raw-barrier", "raw-timing", "partita", "partita-timing", "partita-observe"]

# Passes in a run, by functions and kind of pass: fewer where a run would take
# minutes under callgrind. The other costs of a run weigh more then.
PASSES_COUNTED = {
    1: {"noop": 1000, "touch": 1000, "work": 1000},
    100: {"noop": 1000, "touch": 1000, "work": 100},
    10000: {"noop": 100, "touch": 20, "work": 4},
}
PASSES_TIMED = {
    1: {"noop": 1000, "touch": 1000, "work": 1000},
    100: {"noop": 1000, "touch": 1000, "work": 1000},
    10000: {"noop": 100, "touch": 20, "work": 10},
}


def comparisons(kind):
    yield NO_INSTRUMENT
    yield TIMING_WORK if kind == "work" else TIMING_NOTHING
    yield OBSERVING


class Benchmark:
    def __init__(self, binary, seconds):
        self.binary = binary
        self.seconds = seconds

    def arguments(self, functions, passes, kind, verify, threads=False):
        return [
            str(self.binary),
            f"--functions={functions}",
            f"--passes={passes}",
            f"--kind={kind}",
            f"--verify={int(verify)}",
            f"--multithreading={int(threads)}",
        ]

    def count(self, mode, functions, passes, kind, verify):
        """The instructions of a run of `mode`, per pass."""
        command = self.arguments(functions, passes, kind, verify)
        return count_instructions([*command, f"--mode={mode}", "--runs=1"]) / passes

    def count_pipeline(self, mode):
        """The instructions of a run of pipeline-overhead."""
        binary = self.binary.with_name("pipeline-overhead")
        return count_instructions([str(binary), f"--mode={mode}"])

    def time(self, functions, passes, kind, verify, threads):
        """Microseconds a pass by mode, and ratios by pairs of modes."""
        command = self.arguments(functions, passes, kind, verify, threads)
        command += [f"--seconds={self.seconds}", "--mode=" + ",".join(TIMED)]
        # Processor time is wall-clock time less what other programs take.
        command += [] if threads else ["--cpu-time"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return read_times(done.stdout)

    def time_in_terminal(self, modes, passes):
        """As `time`, but processor time, and with a terminal as stderr."""
        master, slave = pty.openpty()
        reader = threading.Thread(target=drain, args=[master], daemon=True)
        reader.start()
        command = self.arguments(100, passes, "work", False)
        command += [f"--seconds={4 * self.seconds}", "--cpu-time", "--mode=" + ",".join(modes)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=slave, text=True)
        os.close(slave)
        return read_times(done.stdout)


def count_instructions(command):
    """The instructions of the measured run of `command`."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "callgrind.out")
        valgrind = ["valgrind", "--tool=callgrind", "--toggle-collect=measuredRun"]
        valgrind += [f"--callgrind-out-file={out}"]
        subprocess.run([*valgrind, *command], check=True, capture_output=True)
        total = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)
        return int(total.group(1))


def read_times(output):
    """The output of pass-overhead: times by mode, and ratios by pairs of modes."""
    lines = output.splitlines()
    bases = [word[1:] for word in lines[1].split() if word.startswith("/")]
    times, ratios = {}, {}
    for line in lines[2:]:
        mode, _, per_pass, *values = line.split()
        times[mode] = float(per_pass)
        for base, value in zip(bases, values):
            ratios[mode, base] = float(value)
    return times, ratios


def drain(file):
    """Reads the output to a terminal, as a full one would block the process."""
    try:
        while os.read(file, 1 << 16):
            pass
    except OSError:
        # The end of a terminal, on Linux.
        os.close(file)


class Table:
    """A Markdown table with this header; rows are printed as they are made."""

    def __init__(self, header):
        print(header)
        print("|" + "---|" * (header.count("|") - 1), flush=True)
        self.misses = 0

    def row(self, *cells):
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)

    def bounded(self, value, bound, digits=3):
        """`value` as a cell, marked if it is over `bound`."""
        text = f"{value:.{digits}f}"
        if bound is None or float(text) <= bound:
            return text
        self.misses += 1
        return f"**{text}** (over {bound})"


def count_matrix(benchmark, options):
    print("## Instructions a pass, threads off\n")
    table = Table(
        "| functions | passes | kind | verifier | mode | compared with | instructions | of the other "
        "| ratio | bound |"
    )
    for functions, kind, verify in itertools.product(
        options.functions, options.kinds, (False, True)
    ):
        passes = PASSES_COUNTED[functions][kind]
        counts = {}
        for mode, base, bound in comparisons(kind):
            for name in (mode, base):
                if name not in counts:
                    counts[name] = benchmark.count(name, functions, passes, kind, verify)
            cells = [functions, passes, kind, "on" if verify else "off", mode, base]
            cells += [f"{counts[mode]:.0f}", f"{counts[base]:.0f}"]
            table.row(*cells, table.bounded(counts[mode] / counts[base], bound), bound)
    print()
    return table.misses


def time_matrix(benchmark, options, threads):
    clock = "wall-clock" if threads else "processor"
    print(f"## Microseconds a pass, {clock} time, threads {'on' if threads else 'off'}\n")
    table = Table(
        "| functions | passes | kind | verifier | raw | raw-barrier | raw-timing | partita | / raw "
        "| partita-timing | / raw or raw-timing | partita-observe | / raw-barrier |"
    )
    for functions, kind, verify in itertools.product(
        options.functions, options.kinds, (False, True)
    ):
        passes = PASSES_TIMED[functions][kind]
        times, ratios = benchmark.time(functions, passes, kind, verify, threads)
        cells = [functions, passes, kind, "on" if verify else "off"]
        cells += [f"{times[mode]:.3f}" for mode in ("raw", "raw-barrier", "raw-timing")]
        for mode, base, _ in comparisons(kind):
            bound = None
            if mode == "partita-observe" and functions == 1 and kind == "noop":
                bound = OBSERVING_ONE_US
            cells += [table.bounded(times[mode], bound), f"{ratios[mode, base]:.3f}"]
        table.row(*cells)
    print()
    return table.misses


def instrument_matrix(benchmark, options):
    """The cost of instruments: 100 functions, work, threads and verifier off."""
    print("## Instruments\n")
    modes = list(dict.fromkeys(mode for row in INSTRUMENTS for mode in row[:3] if mode))
    counts = {mode: benchmark.count(mode, 100, 1000, "work", False) for mode in modes}
    times, ratios = benchmark.time_in_terminal(modes, 1000)
    table = Table(
        "| mode | compared with | less | instructions a pass | ratio | us a pass | ratio | bound |"
    )
    for mode, base, less, bound in INSTRUMENTS:
        # The cost of `less` is subtracted from both.
        if less:
            counted = (counts[mode] - counts[less]) / (counts[base] - counts[less])
            timed = (ratios[mode, less] - 1) / (ratios[base, less] - 1)
        else:
            counted = counts[mode] / counts[base]
            timed = ratios[mode, base]
        cells = [mode, base, less or "", f"{counts[mode]:.0f}", table.bounded(counted, bound)]
        table.row(*cells, f"{times[mode]:.1f}", f"{timed:.2f}", bound or "")
    print()
    return table.misses


def pipeline_matrix(benchmark, options):
    """The cost of a pipeline of 40 passes as a Sequential: 300 functions, verifier on."""
    print("## An existing pipeline\n")
    raw = benchmark.count_pipeline("raw")
    table = Table("| mode | instructions | of the pass manager's | ratio | bound |")
    for mode, bound in PIPELINE:
        count = benchmark.count_pipeline(mode)
        table.row(f"`{mode}`", count, raw, table.bounded(count / raw, bound), bound)
    print()
    return table.misses


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--binary", type=pathlib.Path, default=pathlib.Path("build-debian/bin/pass-overhead")
    )
    parser.add_argument("--seconds", type=float, default=5, help="per row of times")
    parser.add_argument(
        "--functions", type=int, nargs="+", default=[1, 100, 10000], choices=PASSES_TIMED
    )
    parser.add_argument(
        "--kinds", nargs="+", default=["noop", "touch", "work"], choices=PASSES_TIMED[1]
    )
    tables = {
        "instructions": count_matrix,
        "serial": partial(time_matrix, threads=False),
        "parallel": partial(time_matrix, threads=True),
        "instruments": instrument_matrix,
        "pipeline": pipeline_matrix,
    }
    parser.add_argument("--tables", nargs="+", default=[*tables], choices=tables)
    options = parser.parse_args()
    if not options.binary.exists():
        parser.error(f"expected a build of pass-overhead at {options.binary}")
    benchmark = Benchmark(options.binary, options.seconds)
    misses = sum(
        make(benchmark, options) for name, make in tables.items() if name in options.tables
    )
    if misses:
        print(f"{misses} figures are over their bounds", file=sys.stderr)
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
