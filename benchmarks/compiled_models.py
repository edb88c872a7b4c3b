#!/usr/bin/env python3
# ===- compiled_models.py - Compiled models beside TVM's ------------------===#
#
# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Times compiled models beside TVM's: how long compiling takes, and one call.

usage: PYTHONPATH=build-debian/python_packages .venv/bin/python benchmarks/compiled_models.py \
         --tvm-python tvm/bin/python [MODEL.json ...]

Each MODEL.json has MODEL.npz beside it, with the arrays in_x and out_0. The two run in
processes of their own, in turns, on one thread; the least time counts. Compiling is from
the module in memory to a function, with the default pipeline of -O3; TVM's is tvm.compile.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

ROUNDS, CALLS = 3, 200


def compile_partita(text):
    import partita

    mod = partita.IRModule.from_tvm_json(text)

    def make():
        with partita.transform.PassContext(opt_level=3):
            return partita.compile(mod)["main"]

    return make, lambda x: x


def compile_tvm(text):
    import tvm
    from tvm import relax

    mod = tvm.ir.load_json(text)

    def make():
        code = tvm.compile(mod, target="llvm")
        main = relax.VirtualMachine(code, tvm.cpu())["main"]
        return lambda x: main(x).numpy()

    return make, tvm.runtime.tensor


def measure(kind, path):
    """Prints the milliseconds to compile and to call, and the greatest difference."""
    import numpy as np

    make, wrap = {"partita": compile_partita, "tvm": compile_tvm}[kind](path.read_text())
    data = np.load(path.with_suffix(".npz"))
    begin = time.perf_counter()
    main = make()
    compiling = time.perf_counter() - begin
    x = wrap(data["in_x"])
    difference = float(np.abs(main(x) - data["out_0"]).max())
    calls = []
    for _ in range(CALLS):
        begin = time.perf_counter()
        main(x)
        calls.append(time.perf_counter() - begin)
    print(json.dumps([compiling * 1e3, min(calls) * 1e3, difference]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tvm-python", required=True)
    parser.add_argument("--measure", choices=["partita", "tvm"])
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    folder = pathlib.Path(__file__).parents[1] / "test/Inputs/models"
    models = options.models or sorted(
        p for p in folder.glob("*.json") if p.with_suffix(".npz").exists()
    )
    if options.measure:
        return measure(options.measure, models[0])
    pythons = {"partita": sys.executable, "tvm": options.tvm_python}
    print(
        "| model | what | Partita, ms | TVM, ms | ratio | difference |\n|---|---|---|---|---|---|"
    )
    for model in models:
        least = {}
        for _ in range(ROUNDS):
            for kind, python in pythons.items():
                command = [python, __file__, "--tvm-python=-", f"--measure={kind}", str(model)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                found = json.loads(done.stdout.splitlines()[-1])
                least[kind] = [min(pair) for pair in zip(found, least.get(kind, found))]
        for what, ours, other in zip(("compile", "call"), least["partita"], least["tvm"]):
            print(
                f"| {model.stem} | {what} | {ours:.3g} | {other:.3g} | {ours / other:.2f} "
                f"| {least['partita'][2]:.1e} |"
            )


if __name__ == "__main__":
    main()
