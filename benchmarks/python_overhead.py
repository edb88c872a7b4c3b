#!/usr/bin/env python3
# ===- python_overhead.py - The cost of passes in Python ---------------------===#
#
# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Times passes, instruments, contexts and expressions of Python in Partita and in TVM.

Prints a Markdown table of medians. Each library has a process, and they take
turns. A figure over its bound is marked, and makes the exit code 1; without
TVM there are no bounds. For TVM see compare_tvm.py.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time
from functools import partial
from typing import Callable, NamedTuple

# With --cpu-time, processor time, which leaves out other programs.
clock = time.perf_counter
NAMES = {"tvm": "TVM", "partita": "Partita"}
PASSES = 1000


# The number of calls in each function that is visited, built and rewritten.
CALLS = 17
# The longest time that an import may take.
IMPORT_MS = 150


def make_functions(lib, count):
    """A module of functions with five ops each, one of them dead."""
    builder = lib.relax.BlockBuilder()
    op = lib.relax.op
    for i in range(count):
        x = lib.relax.Var("x", lib.relax.TensorType((8,), "float32"))
        with builder.function(f"f{i}", [x]):
            with builder.dataflow():
                a, b = builder.emit(op.exp(x)), builder.emit(op.sqrt(x))
                builder.emit(op.tanh(x))
                c = builder.emit(op.add(a, b))
                result = builder.emit_output(op.abs(c))
            builder.emit_func_output(result)
    return builder.get()


def make_long_functions(lib, count):
    """A module of functions with CALLS ops each; every third op is an addition."""
    builder = lib.relax.BlockBuilder()
    op = lib.relax.op
    ops = (op.exp, op.tanh)
    for i in range(count):
        x = lib.relax.Var("x", lib.relax.TensorType((8,), "float32"))
        with builder.function(f"f{i}", [x]):
            with builder.dataflow():
                value = x
                for j in range(CALLS - 1):
                    made = op.add(value, x) if j % 3 == 0 else ops[j % 2](value)
                    value = builder.emit(made)
                result = builder.emit_output(op.abs(value))
            builder.emit_func_output(result)
    return builder.get()


def make_modules(lib, count):
    """Modules of one function with CALLS ops. Some ops add a constant."""
    op = lib.relax.op
    ops = (op.exp, op.tanh)
    modules = []
    for _ in range(count):
        builder = lib.relax.BlockBuilder()
        x = lib.relax.Var("x", lib.relax.TensorType((8,), "float32"))
        one = lib.relax.const(1.0, "float32")
        with builder.function("main", [x]):
            with builder.dataflow():
                value = x
                for j in range(CALLS - 1):
                    made = op.add(value, one) if j % 3 == 0 else ops[j % 2](value)
                    value = builder.emit(made)
                result = builder.emit_output(op.abs(value))
            builder.emit_func_output(result)
        modules.append(builder.get())
    return modules


class Instrument:
    """An instrument with all five callbacks, which do nothing."""

    def enter_pass_ctx(self):
        pass

    def exit_pass_ctx(self):
        pass

    def should_run(self, mod, info):
        return True

    def run_before_pass(self, mod, info):
        pass

    def run_after_pass(self, mod, info):
        pass


def passes_on_module(instruments, lib, functions):
    """A Sequential of module passes that do nothing."""
    mod = make_functions(lib, 1)
    make = lib.instrument.pass_instrument(Instrument)
    noop = lib.transform.module_pass(lambda mod, ctx: mod, opt_level=0, name="noop")
    sequential = lib.transform.Sequential([noop] * PASSES)

    def run():
        with lib.transform.PassContext(instruments=[make() for _ in range(instruments)]):
            start = clock()
            sequential(mod)
            return clock() - start

    return run


def timed_passes(passes, lib, functions):
    """A Sequential of module passes that do nothing, under an instrument that measures."""
    mod = make_functions(lib, functions)
    noop = lib.transform.module_pass(lambda mod, ctx: mod, opt_level=0, name="noop")
    sequential = lib.transform.Sequential([noop] * passes)

    def run():
        with lib.transform.PassContext(instruments=[lib.instrument.PassTimingInstrument()]):
            start = clock()
            sequential(mod)
            return clock() - start

    return run


def contexts(lib, functions):
    def run():
        start = clock()
        for _ in range(PASSES):
            with lib.transform.PassContext():
                pass
        return clock() - start

    return run


def pass_on_functions(lib, functions):
    mod = make_functions(lib, functions)
    made = lib.relax.transform.function_pass(lambda f, m, c: f, opt_level=0, name="noop")
    return timed(made, mod)


def registered(name, lib, functions):
    mod = make_functions(lib, functions)
    made = getattr(lib.relax.transform, name)()
    if name == "DeadCodeElimination":
        assert "tanh" in str(mod["f0"]) and "tanh" not in str(made(mod)["f0"])
    return timed(made, mod)


def building(make, lib, functions):
    def run():
        start = clock()
        mod = make(lib, functions)
        seconds = clock() - start
        del mod
        return seconds

    return run


def make_counter(lib, visits_arguments):
    """A class of visitors that count calls."""

    @lib.relax.expr_functor.visitor
    class Count(lib.relax.expr_functor.PyExprVisitor):
        def __init__(self):
            super().__init__()
            self.count = 0

        def visit_call_(self, call):
            self.count += 1
            if visits_arguments:
                super().visit_call_(call)

    return Count


def visiting(lib, functions):
    mod = make_long_functions(lib, functions)
    Count = make_counter(lib, visits_arguments=True)

    def run():
        # Modules are read anew.
        start = clock()
        count = 0
        for _, func in mod.functions_items():
            visitor = Count()
            visitor.visit_expr(func)
            count += visitor.count
        seconds = clock() - start
        assert count == CALLS * functions
        return seconds

    return run


def counting(lib, functions):
    mod = make_long_functions(lib, functions)
    Count = make_counter(lib, visits_arguments=False)

    def run():
        start = clock()
        visitor = Count()
        for _, func in mod.functions_items():
            visitor.visit_expr(func)
        seconds = clock() - start
        assert visitor.count == CALLS * functions
        return seconds

    return run


def rewriting(lib, functions):
    mod = make_long_functions(lib, functions)
    op = lib.relax.op
    add = op.add(*[lib.relax.Var("x", lib.relax.TensorType((8,), "float32"))] * 2).op

    @lib.relax.expr_functor.mutator
    class Rewrite(lib.relax.expr_functor.PyExprMutator):
        def visit_call_(self, call):
            call = super().visit_call_(call)
            if call.op == add:
                return op.multiply(call.args[0], call.args[1])
            return call

    made = lib.relax.transform.function_pass(
        lambda func, mod, ctx: Rewrite().visit_expr(func), opt_level=0, name="rewrite"
    )
    new = str(made(mod)["f0"])
    assert "multiply" in new and "add" not in new
    return timed(made, mod)


def timed(made, mod):
    def run():
        start = clock()
        # The new module is freed after the clock has stopped.
        new = made(mod)
        seconds = clock() - start
        del new
        return seconds

    return run


MODELS = pathlib.Path(__file__).parent.parent / "test/Inputs/models"


def write_json(lib, mod):
    return mod.to_tvm_json() if lib.name == "partita" else lib.ir.save_json(mod)


def read_json(lib, text):
    return lib.IRModule.from_tvm_json(text) if lib.name == "partita" else lib.ir.load_json(text)


def reading(model, lib, functions):
    if model:
        text = (MODELS / f"{model}.json").read_text()
    else:
        text = write_json(lib, make_functions(lib, functions))
    return timed(partial(read_json, lib), text)


def writing(model, lib, functions):
    if model:
        mod = read_json(lib, (MODELS / f"{model}.json").read_text())
    else:
        mod = make_functions(lib, functions)
    return timed(partial(write_json, lib), mod)


class Case(NamedTuple):
    """A row: `prepare` makes a callable that returns the seconds for `units` units.

    `bound` is the largest ratio to TVM's time that Partita may take. The row runs on
    --functions divided by `divisor`.
    """

    title: str
    prepare: Callable
    units: int
    unit: str
    bound: float
    turns: int
    #: The module has one function for this many of --functions.
    divisor: int = 1

    def count(self, functions):
        return max(1, functions // self.divisor)


CASES = [
    Case("module pass, no instrument", partial(passes_on_module, 0), PASSES, "us", 1, 20),
    Case("module pass, one instrument", partial(passes_on_module, 1), PASSES, "us", 1, 20),
    Case("module pass, three instruments", partial(passes_on_module, 3), PASSES, "us", 1, 20),
    *(
        Case(f"{title}, timed, on {{}} functions", partial(timed_passes, passes), *row, divisor)
        for title, passes, row in (
            ("module pass", PASSES, (PASSES, "us", 1, 20)),
            ("run of a module pass", 1, (1, "us", 1, 200)),
        )
        for divisor in (100, 10, 1)
    ),
    Case("PassContext, entered and left", contexts, PASSES, "us", 1, 20),
    Case("function_pass on {} functions", pass_on_functions, 1, "ms", 1, 5),
]
for _part, _turns in ((100, 15), (10, 5), (1, 1)):
    CASES += [
        Case("visiting {} functions", visiting, 1, "ms", 1, _turns, _part),
        Case("building {} functions", partial(building, make_functions), 1, "ms", 1, _turns, _part),
        Case(
            f"building {{}} functions of {CALLS} calls",
            partial(building, make_long_functions),
            1,
            "ms",
            1,
            _turns,
            _part,
        ),
        Case("rewriting {} functions", rewriting, 1, "ms", 1, _turns, _part),
    ]
CASES += [
    Case("counting the calls of {} functions", counting, 1, "ms", 1, 5, 10),
    Case(
        f"building {{}} functions of {CALLS} calls, a builder and a constant each",
        partial(building, make_modules),
        1,
        "ms",
        1,
        5,
        10,
    ),
]
CASES += [
    Case(f"{_name} on {{}} functions", partial(registered, _name), 1, "ms", _bound, 5)
    for _name, _bound in (
        ("DeadCodeElimination", 0.2),
        ("EliminateCommonSubexpr", 0.2),
        ("CanonicalizeBindings", 0.12),
        ("ConvertToDataflow", 0.12),
    )
]
for _model in ("resnet18", "encoder", None):
    CASES += [
        Case(
            f"{_title} TVM's JSON of {_model or '{} functions'}",
            partial(_prepare, _model),
            1,
            "ms",
            0.5,
            5 if _model else 1,
        )
        for _title, _prepare in (("reading", reading), ("writing", writing))
    ]
SCALE = {"us": 1e6, "ms": 1e3}


def run_child(name, functions):
    """Answer each index of a case on stdin by the seconds of its turns."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    from tvm_scenarios import Library

    lib = Library(name)
    prepared = {}
    for line in sys.stdin:
        index = int(line)
        case = CASES[index]
        if index not in prepared:
            prepared = {index: case.prepare(lib, case.count(functions))}
            prepared[index]()
        print(*(prepared[index]() for _ in range(case.turns)), flush=True)


class Child:
    """A library in a process of its own."""

    def __init__(self, command, stderr=None):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            bufsize=1,
        )

    def ask(self, question, title):
        self.process.stdin.write(f"{question}\n")
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"expected times of '{title}', but the process ended")
        return [float(word) for word in line.split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def has_module(python, module):
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0


def time_import(name, python):
    """The milliseconds that an import takes in a new process."""
    clock_name = "process_time" if clock is time.process_time else "perf_counter"
    code = (
        f"from time import {clock_name} as now; start = now(); import {name}; print(now() - start)"
    )
    # An installed package has its bytecode; the first import here writes it.
    env = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True, env=env)
    return float(done.stdout) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tvm-python", default=sys.executable, help="a Python that has TVM")
    parser.add_argument("--functions", type=int, default=10000, help="of the largest modules")
    parser.add_argument("--rounds", type=int, default=7, help="how often each has its turns")
    parser.add_argument("--cpu-time", action="store_true", help="of all threads of the process")
    parser.add_argument("--child", choices=NAMES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cpu_time:
        global clock
        clock = time.process_time
    if options.child:
        run_child(options.child, options.functions)
        return 0
    arguments = ["--functions", str(options.functions)]
    arguments += ["--cpu-time"] if options.cpu_time else []

    def make_child(name, python):
        return Child([python, __file__, "--child", name, *arguments])

    children = {"partita": make_child("partita", sys.executable)}
    if has_module(options.tvm_python, "tvm"):
        children["tvm"] = make_child("tvm", options.tvm_python)
    else:
        print(f"TVM is not installed in {options.tvm_python}: only Partita runs\n")
    print("| what | unit | Partita | TVM 0.27 | ratio | bound |")
    print("|---|---|---|---|---|---|")
    misses, totals = 0, dict.fromkeys(children, 0)
    for index, case in enumerate(CASES):
        times = {name: [] for name in children}
        for _ in range(options.rounds):
            for name, child in children.items():
                times[name] += child.ask(index, case.title)
        scale = SCALE[case.unit] / case.units
        median = {name: statistics.median(values) * scale for name, values in times.items()}
        cells = [
            case.title.format(f"{case.count(options.functions):,}"),
            case.unit,
            f"{median['partita']:.2f}",
        ]
        if "tvm" in median:
            ratio = median["partita"] / median["tvm"]
            over = ratio > case.bound
            misses += over
            text = f"**{ratio:.2f}** (over {case.bound})" if over else f"{ratio:.2f}"
            cells += [f"{median['tvm']:.2f}", text, str(case.bound)]
        else:
            cells += ["", "", str(case.bound)]
        print("| " + " | ".join(cells) + " |", flush=True)
        for name in totals:
            totals[name] += median[name] / SCALE[case.unit] * case.units
    for child in children.values():
        child.close()
    pythons = {"partita": sys.executable, "tvm": options.tvm_python}
    imports = {
        name: statistics.median(time_import(name, pythons[name]) for _ in range(options.rounds))
        for name in children
    }
    over = "tvm" in imports and imports["partita"] > IMPORT_MS
    misses += over
    other = f"{imports['tvm']:.2f}" if "tvm" in imports else ""
    mark = f"**over {IMPORT_MS} ms**" if over else ""
    print(
        f"| import | ms | {imports['partita']:.2f} | {other} | {mark} | {IMPORT_MS} ms |",
        flush=True,
    )
    if "tvm" in totals:
        ratio = totals["partita"] / totals["tvm"]
        print(
            f"| all, with {PASSES:,} of the rows by pass | ms | {totals['partita'] * 1e3:.2f} "
            f"| {totals['tvm'] * 1e3:.2f} | {ratio:.2f} | 1 |"
        )
        misses += ratio > 1
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
