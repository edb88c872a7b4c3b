#!/usr/bin/env python3
# ===- python_growth.py - How Python operations grow ------------------------===#
#
# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Times operations of Python on modules, contexts and passes of growing size.

Prints a Markdown table with the exponent of each: 1 is linear. An exponent over the bound
is marked, and makes the exit code 1. It is the slope between the smallest and the largest
size that take long enough to be measured.
"""

import argparse
import copy
import gc
import math
import pickle
import sys
import time

import numpy
from partita import IRModule, instrument, ir, relax, transform
from partita.mlir import ir as mlir_ir
from partita.relax import dpl
from partita.transform import ApplyPassToFunction, PassContext, Sequential, module_pass

BOUND = 1.1
# In shorter times, the constant part counts.
SHORTEST = 0.005

FUNCTION = """
relax.func @{name}(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = relax.exp %x : tensor<4xf32>
  %1 = relax.abs %x : tensor<4xf32>
  relax.return %1 : tensor<4xf32>
}}
"""


def make_module(size, prefix="f"):
    text = "".join(FUNCTION.format(name=f"{prefix}{i}") for i in range(size))
    return IRModule.from_text(f"partita.module {{ {text} }}")


def make_pass(body=lambda mod, ctx: mod, name="noop"):
    return module_pass(body, opt_level=0, name=name)


def on_names(action):
    """Does something with each name of a module."""

    def prepare(size):
        mod = make_module(size)
        return lambda: [action(mod, f"f{i}") for i in range(size)]

    return prepare


def on_module(action):
    """Does something with a module of this many functions."""

    def prepare(size):
        mod = make_module(size)
        return lambda: action(mod)

    return prepare


def rename(mod, name):
    attribute = mlir_ir.StringAttr.get("g" + name, mod.operation.context)
    mod[name].operation.attributes["sym_name"] = attribute
    return mod["g" + name]


def update(size):
    mod, other = make_module(size), make_module(size, "g")
    return lambda: mod.update(other)


def build(size):
    def run():
        builder = relax.BlockBuilder()
        for i in range(size):
            x = relax.Var("x", relax.TensorType((4,), "float32"))
            with builder.function(f"f{i}", [x]):
                builder.emit_func_output(builder.emit(relax.op.exp(x)))
        return builder.get()

    return run


def make_bindings(size):
    """A function of one dataflow block of `size` bindings."""
    x = relax.Var("x", relax.TensorType((4,), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            value = x
            for _ in range(size):
                value = builder.emit(relax.op.exp(value))
            value = builder.emit_output(relax.op.abs(value))
        builder.emit_func_output(value)
    return builder.get()["main"]


def rewrite(edit):
    """`edit` of each binding of a block, and the function that they make."""

    def prepare(size):
        func = make_bindings(size)
        block = func.body.blocks[0]

        def run():
            rewriting = relax.DataflowBlockRewrite(block, func)
            for binding in block.bindings[:-1]:
                edit(rewriting, binding, func.params[0])
            rewriting.remove_all_unused()
            return rewriting.mutated_root_fn()

        return run

    return prepare


def bind_params(size):
    """A function of `size` parameters, and an array for each."""
    params = [relax.Var(f"p{i}", relax.TensorType((4,), "float32")) for i in range(size)]
    builder = relax.BlockBuilder()
    with builder.function("main", params):
        builder.emit_func_output(builder.emit(relax.op.exp(params[0])))
    values = {param.name_hint: numpy.zeros(4, "float32") for param in params}
    mod = builder.get()
    return lambda: relax.transform.BindParams("main", values)(mod)


def enter_contexts(size):
    def run():
        contexts = [PassContext() for _ in range(size)]
        for context in contexts:
            context.__enter__()
        for context in reversed(contexts):
            context.__exit__(None, None, None)

    return run


def run_passes(**options):
    """This many Python passes on a small module."""

    def prepare(size):
        mod = make_module(2)
        passes = Sequential([make_pass()] * size)

        def run():
            with PassContext(
                instruments=[make() for make in options.get("instruments", ())],
                disabled_pass=options.get("disabled_pass", []),
            ):
                passes(mod)

        return run

    return prepare


class Looks(instrument.PassInstrument):
    """An instrument in Python that looks at the module."""

    def run_before_pass(self, mod, info):
        mod.operation  # noqa: B018


def many_instruments(size):
    mod = make_module(1)

    def run():
        with PassContext(instruments=[Looks() for _ in range(size)]):
            make_pass()(mod)

    return run


def look(mod, ctx):
    str(mod.operation.name)
    return mod


def function_pass(body):
    made = relax.transform.function_pass(body, opt_level=0, name="noop")
    return on_module(lambda mod: made(mod))


def make_passes(size):
    return lambda: [make_pass(name=f"p{i}") for i in range(size)]


def decorate_classes(size):
    class Noop:
        def transform_module(self, mod, ctx):
            return mod

    return lambda: [module_pass(Noop, opt_level=0, name="n")() for _ in range(size)]


def plan(size):
    passes = Sequential([make_pass(name=f"p{i}") for i in range(size)])
    return lambda: str(transform.plan(passes, PassContext()))


def apply_to(regex):
    made = ApplyPassToFunction(relax.transform.DeadCodeElimination(), regex)
    return on_module(lambda mod: made(mod))


def returned(size):
    mod, other = make_module(1), make_module(size)
    made = make_pass(lambda arg, ctx: other)
    return lambda: made(mod)


DATA = dpl.wildcard()
PATTERN = dpl.is_op("relax.abs")(DATA)


def to_relu(call, matched):
    return relax.op.nn.relu(matched[DATA])


with dpl.PatternContext() as CONTEXT:
    FIRST, SECOND = (dpl.is_op("relax.exp")(DATA), dpl.is_op("relax.exp")(dpl.wildcard()))
    FIRST >> SECOND


def match_block(size):
    block = make_bindings(size).body.blocks[0]
    with dpl.PatternContext() as missing:
        SECOND >> dpl.is_op("relax.sin")(dpl.wildcard())
    return lambda: [missing.match_dfb(block), CONTEXT.match_dfb(block)]


def rewrite_block(size):
    func = make_bindings(size)
    return lambda: dpl.rewrite_bindings(
        CONTEXT, lambda matched, values: {matched[SECOND]: relax.op.abs(matched[DATA])}, func
    )


def apply_rule(size):
    """A rule that is a module, which replaces all bindings of a block but the last."""
    x = relax.Var("x", relax.TensorType((4,), "float32"))
    builder = relax.BlockBuilder()
    for name, make in (("pattern", relax.op.exp), ("replacement", relax.op.nn.relu)):
        with builder.function(name, [x]):
            builder.emit_func_output(builder.emit(make(x)))
    rule, func = dpl.PatternMatchingRewriter.from_module(builder.get()), make_bindings(size)
    return lambda: rule(func)


CASES = {
    "mod[v]": on_names(lambda mod, name: mod[name]),
    "v in mod": on_names(lambda mod, name: name in mod),
    "v in mod, which is not": on_names(lambda mod, name: "g" + name in mod),
    "get_global_var": on_names(lambda mod, name: mod.get_global_var(name)),
    "del mod[v]": on_names(lambda mod, name: mod.__delitem__(name)),
    "mod[v] = f, new": on_names(lambda mod, name: mod.__setitem__("g" + name, mod["f0"])),
    "mod[v] = f, in place of another": on_names(lambda mod, name: mod.__setitem__(name, mod["f0"])),
    "mod[v], renamed before": on_names(rename),
    "update": update,
    "for v in mod": on_module(lambda mod: [v for v in mod]),
    "functions": on_module(lambda mod: mod.functions),
    "len": on_module(len),
    "read bodies": on_module(lambda mod: [f.body for f in mod.functions.values()]),
    "clone": on_module(lambda mod: mod.clone()),
    "copy": on_module(copy.deepcopy),
    "pickle": on_module(lambda mod: pickle.loads(pickle.dumps(mod))),
    "str": on_module(str),
    "str of each function": on_module(lambda mod: [str(f) for f in mod.functions.values()]),
    "structural_equal": on_module(lambda mod: ir.structural_equal(mod, mod.clone())),
    "structural_hash": on_module(ir.structural_hash),
    "IRModule(functions)": on_module(lambda mod: IRModule(mod.functions)),
    "with_attr": on_module(lambda mod: mod.with_attr("a", 1)),
    "BlockBuilder": build,
    "DataflowBlockRewrite.add": rewrite(lambda to, binding, x: to.add(relax.op.abs(binding))),
    "replace_all_uses": rewrite(lambda to, binding, x: to.replace_all_uses(binding, x)),
    "rewrite_call": on_names(lambda mod, name: dpl.rewrite_call(PATTERN, to_relu, mod[name])),
    "PatternMatchingRewriter": on_module(
        dpl.PatternMatchingRewriter.from_pattern(PATTERN, to_relu)
    ),
    "PatternContext.match_dfb": match_block,
    "rewrite_bindings": rewrite_block,
    "PatternMatchingRewriter.from_module": apply_rule,
    "BindParams": bind_params,
    "DeadCodeElimination": on_module(lambda mod: relax.transform.DeadCodeElimination()(mod)),
    "function_pass": function_pass(lambda func, mod, ctx: func),
    "function_pass that looks": function_pass(lambda func, mod, ctx: func.attrs and func or func),
    "function_pass that rewrites": function_pass(lambda func, mod, ctx: func.with_attr("a", 1)),
    "function_pass, a mutator each": function_pass(
        lambda func, mod, ctx: relax.PyExprMutator(mod).visit_expr(func)
    ),
    "module pass that looks": on_module(make_pass(look)),
    "module pass that returns another": returned,
    "ApplyPassToFunction, all": apply_to(".*"),
    "ApplyPassToFunction, one": apply_to("f0$"),
    "passes": run_passes(),
    "passes, timed": run_passes(instruments=[instrument.PassTimingInstrument]),
    "passes, observed": run_passes(instruments=[Looks]),
    "passes, disabled": run_passes(disabled_pass=["noop"]),
    "instruments": many_instruments,
    "PassContexts, nested": enter_contexts,
    "decorated functions": make_passes,
    "decorated classes": decorate_classes,
    "plan": plan,
}


def measure(prepare, size, rounds):
    """The shortest time of several rounds, in seconds, each on a new input."""
    times = []
    for _ in range(rounds):
        run = prepare(size)
        gc.collect()
        start = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - start)
        del result, run
    return min(times)


def find_exponent(times):
    """The slope of the times by size, and whether it could be measured."""
    long = [(size, seconds) for size, seconds in times if seconds >= SHORTEST]
    if len(long) < 2:
        long = times[-2:]
    (small, before), (large, after) = long[0], long[-1]
    return math.log(after / before) / math.log(large / small)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--largest", type=int, default=100000, help="functions, ops or passes")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    parser.add_argument("--filter", default="", help="only cases with this in their names")
    options = parser.parse_args()
    sizes = [100]
    while sizes[-1] < options.largest:
        sizes.append(min(sizes[-1] * 10, options.largest))
    print("| case |" + "".join(f" {size:,} [ms] |" for size in sizes) + " exponent |")
    print("|---|" + "---|" * len(sizes) + "---|")
    misses = 0
    for name, prepare in CASES.items():
        if options.filter not in name:
            continue
        prepare(10)()
        times = [(size, measure(prepare, size, options.rounds)) for size in sizes]
        exponent = find_exponent(times)
        over = exponent > BOUND and times[-1][1] > SHORTEST
        misses += over
        text = f"**{exponent:.2f}** (over {BOUND})" if over else f"{exponent:.2f}"
        cells = "".join(f" {seconds * 1e3:.2f} |" for _, seconds in times)
        print(f"| {name} |{cells} {text} |", flush=True)
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
