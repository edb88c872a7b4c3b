"""check_inert.py TESTS FILE FLAG...: runs the pipelines of the tests below TESTS, and each of
MLIR's passes on a module that it writes to FILE, with the flags --check-inert, or --check-nest and
--check-cache. Prints the differences that the flags find; fails if there are any, or if few
pipelines run."""

import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

# A module in which upstream's passes find something to do.
MODULE = """
func.func @loops(%m: memref<10xf32>, %v: f32, %n: index) -> f32 {
  affine.for %i = 0 to 10 { affine.store %v, %m[%i] : memref<10xf32> }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %v) -> f32 {
    %x = memref.load %m[%i] : memref<10xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  return %sum : f32
}
func.func private @helper(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func @branches(%c: i1, %x: i32) -> i32 {
  %two = arith.constant 2 : i32
  cf.cond_br %c, ^a, ^b(%x : i32)
^a:
  %y = func.call @helper(%x) : (i32) -> i32
  %z = arith.muli %y, %two : i32
  cf.br ^b(%z : i32)
^b(%r: i32):
  return %r : i32
}
func.func @tensors(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>)
      outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
"""
# Flags of a test that say how to read the input, and which passes there are.
READING = ("--split-input-file", "--allow-unregistered-dialect", "--no-implicit-module")
# They crash or hang on purpose, write to one stream from several threads, or their output differs
# between runs.
PLANTED = re.compile(
    r"test-(crash|planted|kill|print)|gpu-module-to-binary|snapshot-op-locations|view-op-graph"
)
DIFFERS = "to be the same when run"


def find_commands(path):
    """The arguments of partita-opt's runs in a test that name passes."""
    text = re.sub(r"\\\s*\n//\s*(?:RUN|DEFINE):", " ", path.read_text())
    # These functions tell how often they are verified.
    if "verified.note" in text:
        return
    for line in re.findall(r"//\s*(?:RUN|DEFINE):(.*)", text):
        found = re.search(r"\bpartita-(?:test-)?opt\b", line)
        if not found:
            continue
        command = re.split(r"\s(?:\||&&|2>|>|;)", line[found.start() :])[0]
        try:
            words = shlex.split(command)
        except ValueError:
            continue
        yield [word for word in words[1:] if "%{" not in word]


def get_runs(tests, passes):
    """Arguments for the tool, each with the file that it reads."""
    seen = set()
    for path in sorted(pathlib.Path(tests).rglob("*.mlir")):
        for words in find_commands(path):
            chosen = [
                word
                for word in words
                if word.startswith(("--pass-pipeline=", "-O", "--opt-level", *READING))
                or word.removeprefix("--").split("=")[0] in passes
            ]
            names = [word for word in chosen if not word.startswith(READING)]
            key = (path, tuple(chosen))
            if names and key not in seen and not PLANTED.search(" ".join(chosen)):
                seen.add(key)
                yield chosen, path


def list_passes(tool):
    done = subprocess.run([tool, "--list-passes"], check=True, capture_output=True, text=True)
    return [line.split()[1] for line in done.stdout.splitlines()[1:] if len(line.split()) > 1]


def check(run, flags):
    """The differences in a run, and whether its passes have succeeded."""
    command = [*run, "-o", os.devnull, *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    # Some passes of MLIR abort on ops that they do not expect.
    crashes = done.returncode < 0
    if crashes:
        plain = command[: -len(flags)]
        crashes = subprocess.run(plain, capture_output=True).returncode >= 0
    if DIFFERS in done.stderr or crashes:
        return f"{shlex.join(command)}\n{done.stderr[-2000:]}", False
    return "", done.returncode == 0


def main():
    tests, module = map(pathlib.Path, sys.argv[1:3])
    flags = sys.argv[3:]
    module.write_text(MODULE)
    test_passes = list_passes("partita-test-opt")
    runs = [
        ["partita-test-opt", str(path), *arguments]
        for arguments, path in get_runs(tests, set(test_passes))
    ]
    from_tests = len(runs)
    for name in list_passes("partita-opt"):
        if name.startswith(("relax-", "tir-", "default-")) or PLANTED.search(name):
            continue
        pipelines = [f"func.func({name},cse),{name}", f"cse,{name},func.func(cse,{name})"]
        if "--check-nest" in flags:
            # Passes that come again, on the module and on functions.
            again = f"{name},func.func({name},cse)"
            pipelines = [f"{again},{again},canonicalize,{again},canonicalize,sccp,{again}"]
        for pipeline in pipelines:
            runs.append(["partita-opt", str(module), f"--pass-pipeline=builtin.module({pipeline})"])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
        results = list(executor.map(check, runs, [flags] * len(runs)))
    for message, _ in results:
        if message:
            print(message)
    good = sum(succeeds for _, succeeds in results)
    print(f"{from_tests} of tests, {len(runs) - from_tests} of MLIR's passes: {good} succeed")
    sys.exit(any(message for message, _ in results) or good < 150)


main()
