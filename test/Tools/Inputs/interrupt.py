"""Kills and interrupts runs at random moments, and checks the files that remain.

interrupt.py DIRECTORY [--count N] [--seed N]

The files of a complete run exist before. After each run that ends early, each file
must be as a complete run writes it, and there may be no other files. A killed run may
leave a hidden file, which the next complete run removes.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time

FUNCTIONS = 200
PASSES = ["cse", "canonicalize", "symbol-dce", "sccp"] * 3


def make_module():
    for index in range(FUNCTIONS):
        yield f"func.func @f{index}(%x: i32) -> i32 {{"
        yield "  %z = arith.constant 0 : i32"
        yield "  %s = arith.addi %x, %z : i32"
        yield "  return %s : i32"
        yield "}"


class Optimizer:
    """partita-opt with all instruments that write files."""

    def __init__(self, directory):
        self.directory = directory
        (directory / "in.mlir").write_text("\n".join(make_module()))
        instruments = [
            "report{output=report.html}",
            "trace{output=trace.json}",
            "print-changed{output=changed.txt}",
            "op-statistics{output=statistics.json json}",
            "dump-ir{dump-dir=dumps}",
            "checkpoint{dir=saved}",
        ]
        self.command = ["partita-opt", "in.mlir", "-O2", "-o", "out.mlir"]
        self.command += ["--pass-pipeline=builtin.module(" + ",".join(PASSES) + ")"]
        self.command += [f"--instrument={instrument}" for instrument in instruments]
        self.command += ["--mlir-generate-reproducer=reproducer.mlir"]

    def remember(self):
        self.out = self.read("out.mlir")
        self.reproducer = self.read("reproducer.mlir")
        self.dumped = {path.read_text() for path in (self.directory / "dumps").glob("*.mlir")}

    def read(self, name):
        return (self.directory / name).read_text()

    def check(self):
        yield from names_but(
            self.directory,
            "in.mlir out.mlir report.html trace.json changed.txt statistics.json dumps saved "
            "reproducer.mlir",
        )
        if self.read("out.mlir") != self.out:
            yield "out.mlir is not whole"
        if self.read("reproducer.mlir") != self.reproducer:
            yield "reproducer.mlir is not whole"
        report = self.read("report.html")
        if not report.startswith("<!doctype html>") or not report.endswith("</html>\n"):
            yield "report.html is not whole"
        for name in ["trace.json", "statistics.json"]:
            json.loads(self.read(name))
        changed = self.read("changed.txt").splitlines()
        if sum(line.startswith("// ") for line in changed) != len(PASSES):
            yield "changed.txt is not whole"
        for path in (self.directory / "dumps").iterdir():
            if path.name == "dump-ir.jsonl":
                for line in path.read_text().splitlines():
                    json.loads(line)
            elif path.read_text() not in self.dumped:
                yield f"{path.name} is not whole"
        json.loads(self.read("saved/checkpoint.json"))
        saved = list((self.directory / "saved").glob("*.mlirbc"))
        if not saved:
            yield "no checkpoint is left"
        for path in saved:
            digest = hashlib.sha1(path.read_bytes()).hexdigest()
            if path.with_name(path.name + ".sha1").read_text().strip() != digest:
                yield f"{path.name} is not whole"
        for path in (self.directory / "saved").iterdir():
            if not path.name.startswith("checkpoint"):
                yield f"{path.name} is left"


class Bisector:
    """partita-bisect with the reproducer that it writes."""

    def __init__(self, directory):
        self.directory = directory
        (directory / "in.mlir").write_text("module @m {}\n")
        self.command = [
            "partita-bisect",
            "--opt=partita-test-opt",
            "--reduce",
            "--jobs=2",
            "--reproducer-dir=found",
        ]
        self.command += ["--test=sh -c '! grep -q ran.*test-c $0'", "in.mlir", "--"]
        self.command += ["--pass-pipeline=builtin.module(test-a,test-b,test-c,test-b)"]

    def remember(self):
        self.files = {path.name: path.read_text() for path in (self.directory / "found").iterdir()}

    def check(self):
        yield from names_but(self.directory, "in.mlir found")
        yield from names_but(self.directory / "found", " ".join(self.files))
        for name, text in self.files.items():
            if (self.directory / "found" / name).read_text() != text:
                yield f"{name} is not whole"


def names_but(directory, expected):
    names = {path.name for path in directory.iterdir()}
    for name in names - set(expected.split()):
        yield f"{name} is left"
    for name in set(expected.split()) - names:
        yield f"{name} is lost"


def run(kind, directory, count):
    directory.mkdir(parents=True)
    (directory / "work").mkdir()
    temporary = directory / "tmp"
    temporary.mkdir()
    env = {**os.environ, "TMPDIR": str(temporary)}
    subject = kind(directory / "work")

    def start():
        return subprocess.Popen(
            subject.command,
            cwd=directory / "work",
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    # The first run reads files that later runs find in memory: delays of up to its
    # time could all be longer than a run.
    for _ in range(2):
        begin = time.monotonic()
        assert start().wait() == 0, subject.command
        duration = time.monotonic() - begin
    subject.remember()
    problems = list(subject.check())
    assert not problems, problems
    ended = 0
    for index in range(count):
        process = start()
        delay = random.uniform(0, duration)
        time.sleep(delay)
        sent = random.choice([signal.SIGKILL, signal.SIGINT])
        process.send_signal(sent)
        if process.wait() != 0:
            ended += 1
        else:
            # The machine is faster now than when the time was taken.
            duration = delay
        # The clean-up after a killed process goes on for some time.
        end = time.monotonic() + 20
        while (left := list(names_but(temporary, ""))) and time.monotonic() < end:
            time.sleep(0.01)
        problems = [*left, *subject.check()]
        if sent == signal.SIGKILL:
            problems = [each for each in problems if ".partita-tmp is" not in each]
        assert not problems, f"run {index}, {sent.name}: {problems}"
    assert start().wait() == 0, subject.command
    problems = list(subject.check())
    assert not problems, problems
    print(
        f"{subject.command[0]}: {count} runs, {'some' if ended else 'none'} ended early, nothing lost"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    print("seed", seed)
    random.seed(seed)
    for kind in [Optimizer, Bisector]:
        run(kind, options.directory / kind.__name__, options.count)
