# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mypy's results for programs that use the package."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import partita

ROOT = pathlib.Path(__file__).parents[2]
PACKAGES = pathlib.Path(partita.__file__).parents[1]

# As if the package were installed, where mypy shows no errors of it.
CONFIG = """
[mypy]
strict = True
[mypy-partita.*]
ignore_errors = True
"""

STUB = PACKAGES / "partita/mlir/_mlir_libs/_partita.pyi"
needs_stubs = pytest.mark.skipif(not STUB.exists(), reason="built with a sanitizer")


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """A function that gives mypy's output for a program."""
    folder = tmp_path_factory.mktemp("mypy")
    (folder / "mypy.ini").write_text(CONFIG)

    def run(program):
        (folder / "program.py").write_text(program)
        result = subprocess.run(
            [sys.executable, "-m", "mypy", "program.py"],
            cwd=folder,
            env={**os.environ, "MYPYPATH": str(PACKAGES)},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return result.stdout

    return run


IMPORTS = """
import numpy
from typing_extensions import assert_type
from partita import IRModule, relax, tir, transform
from partita.instrument import PassInstrument, PassTimingInstrument, pass_instrument
from partita.ir.function import BaseFunc
from partita.ir.transform import Plan
from partita.mlir import ir
from partita.transform import PassContext, PassInfo, Sequential
"""

GOOD = (
    IMPORTS
    + """
x = relax.var("x", relax.TensorType((1, "n"), "float32"))
w = relax.const(numpy.ones((4, 4)))
y = relax.nn.relu(relax.matmul(x, w) + 1.0)
func = relax.Function([x], relax.reshape(y, (4, "n")), attrs={"level": 2})
mod = IRModule({"main": func})
mod["other"] = mod["main"].with_attr("level", 3)


@transform.module_pass(opt_level=1, name="p")
def module_pass(mod: IRModule, ctx: PassContext) -> IRModule:
    assert_type(ctx.opt_level, int)
    return mod


@relax.transform.function_pass(opt_level=1)
def function_pass(func: relax.Function, mod: IRModule, ctx: PassContext) -> relax.Function:
    return func.with_attr("seen", True)


class Count(PassInstrument):
    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        print(info.name, len(mod))


@pass_instrument
class Other:
    def __init__(self, label: str) -> None:
        self.label = label


timing = PassTimingInstrument()
seq = Sequential([module_pass, function_pass, relax.transform.FoldConstant(max_growth=3)])
with PassContext(opt_level=3, instruments=[Count(), Other("a"), timing]) as context:
    assert_type(context, PassContext)
    mod = seq(mod)
    assert_type(mod, IRModule)
    assert_type(timing.render(), str)
assert_type(mod["main"], BaseFunc)
assert_type(mod.operation, ir.Operation)
assert_type(seq.info, PassInfo)
assert_type([entry.runs for entry in transform.plan(seq)], list[bool])
assert_type(transform.plan(seq), Plan)
assert_type(y, relax.Call)
assert_type(transform.ApplyPassToFunction(seq, "main"), transform.ModulePass)
"""
)


@needs_stubs
def test_the_example_of_the_readme(check):
    readme = (ROOT / "README.md").read_text()
    (program,) = re.findall(r"^```python .*?\n(.*?)^```$", readme, re.M | re.S)
    assert check(program) == "Success: no issues found in 1 source file\n"


@needs_stubs
def test_a_program(check):
    assert check(GOOD) == "Success: no issues found in 1 source file\n"


WRONG = [
    ('PassContext(opt_level="2")', 'to "PassContext" has incompatible type "str"'),
    ("PassContext(disabled_passes=[])", 'Unexpected keyword argument "disabled_passes"'),
    ('Sequential(["FoldConstant"])', 'List item 0 has incompatible type "str"'),
    (
        'relax.transform.FoldConstant(max_growth="3")',
        'incompatible type "str"; expected "int | None"',
    ),
    ("relax.transform.FoldConstants()", 'Module has no attribute "FoldConstants"'),
    ("relax.transform.FoldConstant()(3)", 'of "__call__" of "Pass" cannot be "int"'),
    ('relax.add("a", 1)', 'Argument 1 to "add" has incompatible type "str"'),
    ("relax.nn.conv4d(1, 2)", 'Module has no attribute "conv4d"'),
    ('PassInfo("FoldConstant", 2)', 'Argument 1 to "PassInfo" has incompatible type "str"'),
    ("IRModule.from_txt('')", 'has no attribute "from_txt"'),
    ("transform.module_pass(opt_level=1)(lambda mod: mod)", '"__call__" of "PassDecorator"'),
    ("PassTimingInstrument().rendr()", 'has no attribute "rendr"; maybe "render"?'),
    ("ir.Operation.parse(3)", 'to "parse" of "Operation" has incompatible type "int"'),
]


@needs_stubs
def test_wrong_programs(check):
    """One run for all of them: each is on its own line."""
    output = check(IMPORTS + "\n".join(line for line, _ in WRONG))
    first = IMPORTS.count("\n") + 1
    for number, (line, expected) in enumerate(WRONG, first):
        errors = re.findall(rf"^program\.py:{number}: error: .*", output, re.M)
        assert any(expected in error for error in errors), (line, output)
