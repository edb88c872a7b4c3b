#!/usr/bin/env python3
# ===- compiled_models.py - Compiled models beside TVM's ------------------===#
#
# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compares compiled models and kernels with TVM's: times of compiling and of a call, and memory.

usage: PYTHONPATH=build-debian/python_packages .venv/bin/python benchmarks/compiled_models.py \
         --tvm-python tvm/bin/python [--threads=N] [--fused=CORPUS | MODEL.json ...]

Each MODEL.json has MODEL.npz beside it, with the inputs in_NAME in order. The two run in
processes of their own, in turns, on N threads; the least time counts. Compiling is from the
module in memory to a function, with the default pipeline of -O3; TVM's is tvm.compile. The
memory is the most that the process had at one time, with Python and NumPy: in all, and after
compiling, while it called. CORPUS has modules.jsonl.xz and records.jsonl.xz, recorded from TVM's
tests; the results of its FuseTIR are compared.
"""

import argparse
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROUNDS, CALLS, SECONDS = 3, 200, 2


def compile_partita(text, threads):
    import partita

    partita.runtime.set_num_threads(threads)
    mod = partita.IRModule.from_tvm_json(text)

    def make():
        with partita.transform.PassContext(opt_level=3):
            return partita.compile(mod)["main"]

    return make, lambda x: x


def compile_tvm(text, threads):
    del threads  # An environment variable says it.
    import tvm
    from tvm import relax

    mod = tvm.ir.load_json(text)

    def make():
        code = tvm.compile(mod, target="llvm")
        main = relax.VirtualMachine(code, tvm.cpu())["main"]
        return lambda *args: main(*args).numpy()

    return make, tvm.runtime.tensor


def get_peak():
    """The most memory in MB since the process began, or since reset_peak."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def reset_peak():
    pathlib.Path("/proc/self/clear_refs").write_text("5")


def measure(kind, path, threads, output):
    """Prints the milliseconds to compile and to call, and the memory in all and while calling;
    writes the result to `output`."""
    import numpy as np

    compilers = {"partita": compile_partita, "tvm": compile_tvm}
    make, wrap = compilers[kind](path.read_text(), threads)
    data = np.load(path.with_suffix(".npz"))
    begin = time.perf_counter()
    main = make()
    compiling = time.perf_counter() - begin
    peak = get_peak()
    reset_peak()
    args = [wrap(data[name]) for name in data if name.startswith("in_")]
    np.save(output, main(*args))
    calls = []
    while len(calls) < CALLS and sum(calls) < SECONDS:
        begin = time.perf_counter()
        main(*args)
        calls.append(time.perf_counter() - begin)
    calling = get_peak()
    print(json.dumps([compiling * 1e3, min(calls) * 1e3, max(peak, calling), calling]))


def write_kernels(folder):
    """Writes a module and its inputs for each kernel, as models have them."""
    import numpy as np

    from partita import relax
    from partita.relax import op

    def make(name, shapes, build):
        params = [
            relax.Var(f"x{index}", ty=relax.TensorType(shape, "float32"))
            for index, shape in enumerate(shapes)
        ]
        builder = relax.BlockBuilder()
        with builder.function("main", params):
            with builder.dataflow():
                result = builder.emit_output(build(*params))
            builder.emit_func_output(result)
        (folder / f"{name}.json").write_text(builder.get().to_tvm_json())
        rng = np.random.default_rng(0)
        inputs = {
            f"in_{index}": rng.standard_normal(shape, dtype="float32")
            for index, shape in enumerate(shapes)
        }
        np.savez(folder / f"{name}.npz", **inputs)

    make(
        "matmul_512",
        [(512, 512), (512, 512), (512,)],
        lambda x, w, b: op.nn.relu(op.add(op.matmul(x, w), b)),
    )
    make(
        "conv2d_56",
        [(1, 64, 56, 56), (64, 64, 3, 3)],
        lambda x, w: op.nn.conv2d(x, w, padding=(1, 1)),
    )
    make("softmax_1024", [(1024, 1024)], lambda x: op.nn.softmax(x))
    make("gelu_1024", [(1024, 1024)], lambda x: op.nn.gelu(x))


def write_fused(folder, corpus):
    """Writes what FuseTIR returned in TVM's tests, as models; prints what takes no arrays."""
    import numpy as np

    import partita

    def read(name):
        with lzma.open(corpus / f"{name}.jsonl.xz", "rt") as file:
            return [json.loads(line) for line in file]

    runs = [run for run in read("records") if run.get("pass") == "FuseTIR" and run.get("after")]
    texts = {entry["id"]: entry["json"] for entry in read("modules")}
    rng = np.random.default_rng(0)
    for run in runs:
        name = run["test"].split("::")[-1]
        text = texts[run["after"]]
        try:
            mod = partita.IRModule.from_tvm_json(text)
            inputs = {}
            for index, param in enumerate(mod["main"].params):
                shape = [int(size) for size in param.ty.shape]
                dtype = str(param.ty.dtype)
                inputs[f"in_{index}"] = (rng.standard_normal(shape) * 3).astype(dtype)
            partita.compile(mod)["main"](*inputs.values())
        except Exception as error:
            print(f"{name}: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        (folder / f"{name}.json").write_text(text)
        np.savez(folder / f"{name}.npz", **inputs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tvm-python", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--measure", choices=["partita", "tvm"])
    parser.add_argument("--output")
    parser.add_argument("--fused", type=pathlib.Path)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure, options.models[0], options.threads, options.output)
    with tempfile.TemporaryDirectory() as folder:
        compare(options, pathlib.Path(folder))


def compare(options, folder):
    """Prints a table of all models and kernels."""
    import numpy as np

    models = options.models
    if options.fused:
        write_fused(folder, options.fused)
        models = sorted(folder.glob("*.json"))
    elif not models:
        inputs = pathlib.Path(__file__).parents[1] / "test/Inputs/models"
        write_kernels(folder)
        models = sorted(
            path
            for where in (inputs, folder)
            for path in where.glob("*.json")
            if path.with_suffix(".npz").exists()
        )
    pythons = {"partita": sys.executable, "tvm": options.tvm_python}
    environment = os.environ | {"TVM_NUM_THREADS": str(options.threads)}
    print(
        "| model | what, ms or MB | Partita | TVM | ratio | difference |\n|---|---|---|---|---|---|"
    )
    for model in models:
        least = {}
        for _ in range(ROUNDS):
            for kind, python in pythons.items():
                command = [python, __file__, "--tvm-python=-", f"--measure={kind}"]
                command += [f"--threads={options.threads}", f"--output={folder / kind}.npy"]
                done = subprocess.run(
                    [*command, str(model)],
                    check=True,
                    capture_output=True,
                    text=True,
                    env=environment,
                )
                found = json.loads(done.stdout.splitlines()[-1])
                least[kind] = [min(pair) for pair in zip(found, least.get(kind, found))]
        ours, others = (np.load(folder / f"{kind}.npy") for kind in pythons)
        difference = float(np.abs(ours - others).max())
        rows = ("compile", "call", "peak, MB", "peak of calls, MB")
        for what, mine, theirs in zip(rows, least["partita"], least["tvm"]):
            print(
                f"| {model.stem} | {what} | {mine:.3g} | {theirs:.3g} | {mine / theirs:.3f} "
                f"| {difference:.1e} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
