# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate_stubs.py PACKAGES PATTERNS UPSTREAM: stubs of modules without Python source.

Writes .pyi files into PACKAGES/partita: for the extension, by nanobind and PATTERNS;
for MLIR's bindings, from the folder UPSTREAM; for the ops of Relax, which are made
from the dialect's records when the package is imported; and for other modules that
have names in partita.ir.
"""

import contextlib
import importlib.util
import inspect
import io
import pathlib
import re
import sys
import types

from nanobind import stubgen

# The annotations of an op's parameters, by the kind that ods.Param has.
ANNOTATIONS = {
    "operand": "Operand",
    "operands": "Operands",
    "number": "Operand",
    "BoolAttr": "bool",
    "DenseI64ArrayAttr": "int | Sequence[int]",
    "FloatAttr": "float",
    "IntegerAttr": "int",
    "StringAttr": "str",
}

HEADER = """\
# Generated from the records of the dialect.
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy

from partita.relax.expr import {imports}

Operand: TypeAlias = (
    Expr | bool | int | float | numpy.ndarray[Any, Any] | numpy.generic
    | list[Any] | tuple[Any, ...]
)
Operands: TypeAlias = Tuple | list[Any] | tuple[Any, ...]

"""

# The names of relax.op that stand in other Python sources than calls.py.
WRITTEN = {"match_cast": "match_cast", "shape": "ShapeExpr"}

# Missing from upstream's stub: a name that it uses, and a class that upstream's
# Python source adds to the module.
MISSING_IN_IR = """

from typing import Generic

class MLIRError(Exception):
    message: str
    error_diagnostics: list[DiagnosticInfo]

    def __init__(self, message: str, error_diagnostics: list[DiagnosticInfo]) -> None: ...
"""


def print_function(name, function, op):
    """The stub of the function of an op; of several or another one, if that is None."""
    from partita.relax.op import get_name

    params = op.params or () if op is not None else ()
    kinds = {get_name(op.name, param.name): param.kind for param in params}
    parameters = []
    for param in inspect.signature(function).parameters.values():
        star = "*" if param.kind is param.VAR_POSITIONAL else ""
        text = f"{star}{param.name}: {ANNOTATIONS.get(kinds.get(param.name), 'Any')}"
        if param.default is None:
            text += " | None = None"
        elif isinstance(param.default, str) and text.endswith("Operand"):
            text += f" | str = {param.default!r}"
        elif param.default is not param.empty:
            text += f" = {param.default!r}"
        parameters.append(text)
    return f"def {name}({', '.join(parameters)}) -> Call: ...\n"


def write_ops(module, folder):
    """Writes the stubs of a module of ops and of those below it."""
    from partita.relax import Op, calls

    written = {name: source for name, source in WRITTEN.items() if hasattr(module, name)}
    imports = [f"{source} as {name}" for name, source in written.items()]
    text = HEADER.format(imports=", ".join(["Call", "Expr", "Tuple", *imports]))
    values = [name for name in calls.__all__ if hasattr(module, name)]
    if values:
        imports = [f"{name} as {name}" for name in values]
        text += f"from partita.relax.calls import {', '.join(imports)}\n"
    prefix = module.__name__.replace("partita.relax.op", "relax", 1)
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, types.ModuleType):
            text += f"from . import {name} as {name}\n"
            write_ops(value, folder / name)
        elif name not in written and name not in values:
            full_name = f"{prefix}.{name}"
            op = Op.get(full_name) if full_name in Op.list_op_names() else None
            text += print_function(name, value, op)
    folder.mkdir(exist_ok=True)
    (folder / "__init__.pyi").write_text(f"{text}\n__all__ = {module.__all__!r}\n")


def main():
    packages, patterns, upstream = map(pathlib.Path, sys.argv[1:])
    libs = packages / "partita/mlir/_mlir_libs"
    (libs / "_mlir").mkdir(exist_ok=True)
    for stub in upstream.glob("*.pyi"):
        text = stub.read_text() + (MISSING_IN_IR if stub.name == "ir.pyi" else "")
        text = re.sub(r"(?<!\.)\b_mlir\.ir\b", "partita.mlir._mlir_libs._mlir.ir", text)
        (libs / "_mlir" / stub.name).write_text(text)
    for name in ("instrument", "transform"):
        alias = packages / f"partita/ir/{name}.pyi"
        alias.write_text(f"from partita.{name} import *\n")
    sys.path.insert(0, str(packages))
    from partita.relax import op

    write_ops(op, packages / "partita/relax/op")
    if importlib.util.find_spec("partita._runtime"):
        options = ["--include-private", "--quiet", "--module", "partita._runtime"]
        stubgen.main([*options, "--output-file", str(packages / "partita/_runtime.pyi")])
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        stubgen.main(
            ["--include-private", "--pattern-file", str(patterns)]
            + ["--module", "partita.mlir._mlir_libs._partita"]
            + ["--output-file", str(libs / "_partita.pyi")]
        )
    unused = re.findall(r"rule (\S+) did not match", output.getvalue())
    if unused:
        (libs / "_partita.pyi").unlink()
        sys.exit(
            f"{patterns}: expected patterns that match the stub, but found {', '.join(unused)}"
        )


if __name__ == "__main__":
    main()
