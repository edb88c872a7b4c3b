#!/usr/bin/env python3
# ===- compare_tvm.py - The same uses through TVM and through Partita --------===#
#
# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs the scenarios of tvm_scenarios.py through TVM and through Partita.

Prints for each row whether both did the same; if not, it prints what each did. An
intended difference has the name of its row. Any other difference is UNEXPECTED, and
makes the exit code 1. TVM is apache-tvm 0.27, in any Python:

    python3 -m venv venv && venv/bin/pip install apache-tvm==0.27.0.post1
    python3 benchmarks/compare_tvm.py --tvm-python venv/bin/python

Without it, only Partita runs. Each library has a process, and each scenario runs in a
process forked from it, because some scenarios end their process.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tvm_scenarios  # noqa: E402

NAMES = {"tvm": "TVM", "partita": "Partita"}
SECONDS = 60


def run_forked(scenario, library):
    """The lines that a scenario notes in its own process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(SECONDS)

        def note(line):
            os.write(write, (json.dumps(line) + "\n").encode())

        try:
            scenario.run(library, note)
        except BaseException as error:
            note(f"the scenario ended by {type(error).__name__}: {error}")
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        lines = [json.loads(line) for line in pipe]
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        lines.append(f"killed by {signal.Signals(os.WTERMSIG(status)).name}")
    return lines


def run_child(name):
    """Print the notes of each scenario in that library, one line of JSON each."""
    library = tvm_scenarios.Library(name)
    for scenario in tvm_scenarios.SCENARIOS:
        present = not scenario.needs or library.has(scenario.needs)
        print(json.dumps(run_forked(scenario, library) if present else None), flush=True)


def run_library(name, python, verbose):
    """The notes of all scenarios; None where the library is not installed."""
    code = "import tvm" if name == "tvm" else "import partita"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True)
    if found.returncode:
        if name == "partita":
            sys.exit(f"expected Partita in {python}, but: {found.stderr}")
        return None
    output = subprocess.run(
        [python, __file__, "--child", name],
        stdout=subprocess.PIPE,
        stderr=None if verbose else subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout
    notes = [json.loads(line) for line in output.splitlines()]
    assert len(notes) == len(tvm_scenarios.SCENARIOS)
    return notes


def judge(scenario, notes):
    """A verdict on the notes of both libraries, and whether it is the declared one."""
    missing = [name for name, lines in notes.items() if lines is None]
    if missing:
        text = f"no {scenario.needs} in {NAMES[missing[0]]}"
        # Without the other library, there is nothing to compare with.
        return (text, True) if len(notes) == 1 else (f"UNEXPECTED: {text}", False)
    if scenario.partita is not None:
        wrong = [name for name, lines in notes.items() if lines != getattr(scenario, name)]
        if wrong:
            return f"UNEXPECTED in {' and '.join(NAMES[name] for name in wrong)}", False
        if len(notes) == 1:
            return "as declared", True
        return f"differ, by the row '{scenario.row}'", True
    if len(notes) == 1:
        ended = any(line.startswith(("the scenario", "killed")) for line in notes["partita"])
        return ("UNEXPECTED", False) if ended else ("ran", True)
    same = notes["tvm"] == notes["partita"]
    return ("the same", True) if same else ("UNEXPECTED", False)


def print_notes(notes):
    for name, lines in notes.items():
        for index, line in enumerate(lines or []):
            print(f"      {NAMES[name] + ':' if index == 0 else '':9}{line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tvm-python", default=sys.executable, help="a Python that has TVM")
    parser.add_argument("--child", choices=NAMES, help=argparse.SUPPRESS)
    parser.add_argument("--verbose", action="store_true", help="print what both did everywhere")
    options = parser.parse_args()
    if options.child:
        run_child(options.child)
        return 0
    pythons = {"tvm": options.tvm_python, "partita": sys.executable}
    results = {name: run_library(name, pythons[name], options.verbose) for name in NAMES}
    if results["tvm"] is None:
        del results["tvm"]
        print(f"TVM is not installed in {options.tvm_python}: only Partita runs")
    row, unexpected, differ = None, 0, 0
    for index, scenario in enumerate(tvm_scenarios.SCENARIOS):
        if scenario.row != row:
            row = scenario.row
            print(row)
        notes = {name: lines[index] for name, lines in results.items()}
        verdict, expected = judge(scenario, notes)
        unexpected += not expected
        differ += verdict.startswith("differ")
        print(f"  {scenario.title}: {verdict}")
        if not expected or verdict.startswith("differ") or options.verbose:
            print_notes(notes)
    total = len(tvm_scenarios.SCENARIOS)
    print(f"{total} scenarios, {differ} differences on purpose, {unexpected} unexpected")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
