#!/usr/bin/env python3
# ===- passes_beside_tvm.py - Every pass that TVM has, too -------------------===#
#
# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Times each pass of Partita that TVM has, too, called from Python in both.

Prints a Markdown table of medians for each module: models, one of them as TVM legalizes
it, and modules of functions. The passes have their default arguments. A pass that either
library cannot run on the module is left out. A call of a pass leaves its argument as it
was: TVM's functions are immutable and shared, Partita copies the module and verifies the
result. "In place" is Partita without copy and verifier, as in the middle of a Sequential.
A ratio over its bound is marked, and makes the exit code 1. Without TVM there are the
models and no ratios.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from python_overhead import MODELS, Child, has_module, make_functions, read_json, timed, write_json
from tvm_scenarios import Library

# The most of TVM's time that a call may take, and a run in place.
BOUNDS = {"call": 0.2, "in place": 0.1}


def write(source, path):
    """Write a model as TVM legalizes it, or a module of functions."""
    lib = Library("tvm")
    if source.isdigit():
        mod = make_functions(lib, int(source))
    else:
        mod = lib.ir.load_json((MODELS / f"{source}.json").read_text())
        mod = lib.relax.transform.LegalizeOps()(mod)
    pathlib.Path(path).write_text(write_json(lib, mod))


def find(lib, name):
    """Make the pass, which TVM may have in another of its modules."""
    dialect, _, name = name.partition(".")
    places = [lib.relax.transform] if dialect == "relax" else [lib.tir.transform]
    if lib.name == "tvm" and dialect == "tir":
        import tvm

        places.append(tvm.s_tir.transform)
    return next(getattr(place, name)() for place in places if hasattr(place, name))


def run_child(lib_name):
    """Answer a module and a pass by the seconds of some calls, or by an empty line."""
    lib = Library(lib_name)
    last = mod = None
    for line in sys.stdin:
        source, name = line.split()
        if source != last:
            last, mod = source, read_json(lib, pathlib.Path(source).read_text())
        try:
            run = timed(find(lib, name), mod)
            run()
        except Exception:  # The pass is not there, or not for such a module.
            print(flush=True)
            continue
        times, end = [], time.perf_counter() + 0.5
        while len(times) < 3 or (len(times) < 15 and time.perf_counter() < end):
            times.append(run())
        print(*times, flush=True)


def run_in_place(tool, source, name):
    """The median of model-passes."""
    command = [tool, source, "--verify=0", "--runs=9", "--pass=" + name.removeprefix("relax.")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(re.search(r"([0-9.]+) ms median", done.stdout)[1])


def list_passes():
    """The passes that need no argument, as `relax.FuseOps`."""
    import partita

    for dialect in ("relax", "tir"):
        place = getattr(partita, dialect).transform
        for name in filter(re.compile("[A-Z]").match, dir(place)):
            try:
                if isinstance(getattr(place, name)(), partita.transform.Pass):
                    yield f"{dialect}.{name}"
            except TypeError:
                continue


def make_child(name, python):
    # Warnings of both libraries would stand between the rows.
    return Child([python, __file__, "--child", name], stderr=subprocess.DEVNULL)


def compare(title, source, names, children, tool):
    print(f"\n| on {title} | TVM 0.27, ms | Partita, ms | ratio | in place, ms | ratio |")
    print("|---|---|---|---|---|---|")
    misses = 0
    for name in names:
        times = {key: child.ask(f"{source} {name}", name) for key, child in children.items()}
        if not all(times.values()):
            continue
        tvm, call = (statistics.median(times.get(key, [0])) * 1e3 for key in ("tvm", "partita"))
        cells = [name, f"{tvm:.2f}" if tvm else ""]
        for way, ms in (("call", call), ("in place", run_in_place(tool, source, name))):
            ratio = f"{ms / tvm:.2f}" if tvm else ""
            over = tvm and ms / tvm > BOUNDS[way]
            misses += bool(over)
            cells += [f"{ms:.2f}", f"**{ratio}**" if over else ratio]
        print("| " + " | ".join(cells) + " |", flush=True)
    return misses


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tvm-python", default=sys.executable, help="a Python that has TVM")
    parser.add_argument("--model-passes", help="the program of benchmarks/model_passes.cpp")
    parser.add_argument("--filter", default="", help="a regular expression that names match")
    parser.add_argument("--functions", type=int, nargs="*", default=[1000, 10000])
    parser.add_argument("--child", choices=("tvm", "partita"), help=argparse.SUPPRESS)
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return run_child(options.child)
    if options.write:
        return write(*options.write)
    names = [name for name in list_passes() if re.search(options.filter, name)]
    children = {"partita": make_child("partita", sys.executable)}
    sources = {model: str(MODELS / f"{model}.json") for model in ("resnet18", "encoder")}
    with tempfile.TemporaryDirectory() as folder:
        if has_module(options.tvm_python, "tvm"):
            children["tvm"] = make_child("tvm", options.tvm_python)
            others = {f"{model}, legalized": model for model in sources}
            others |= {f"{count:,} functions": str(count) for count in options.functions}
            for title, source in others.items():
                sources[title] = path = f"{folder}/{source}.json"
                command = [options.tvm_python, __file__, "--write", source, path]
                subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        else:
            print(f"TVM is not installed in {options.tvm_python}: only Partita runs")
        tool = options.model_passes
        misses = sum(compare(*item, names, children, tool) for item in sources.items())
    return min(1, misses)


if __name__ == "__main__":
    sys.exit(main())
