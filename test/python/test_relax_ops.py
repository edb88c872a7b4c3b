# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inferred result types of ops."""

import pathlib
import subprocess
import sys

import pytest

from partita.mlir import ir
from partita.ir.context import get_context

TEXT = pathlib.Path(__file__).parent.parent / "Dialect/Relax/ops.mlir"


def walk(op):
    for region in op.regions:
        for block in region:
            for inner in block.operations:
                yield inner.operation
                yield from walk(inner.operation)


with get_context():
    MODULE = ir.Module.parse(TEXT.read_text())
    OPS = [op for op in walk(MODULE.operation) if op.results and op.name != "relax.dim"]


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_inferred_types(op):
    """The types that ops.mlir declares are the types that the op infers."""
    with get_context(), ir.Location.unknown(), ir.InsertionPoint(op):
        again = ir.Operation.create(
            op.name,
            operands=list(op.operands),
            attributes=dict(op.attributes.items()),
            infer_type=True,
        )
    inferred = [str(result.type) for result in again.results]
    again.erase()
    assert inferred == [str(result.type) for result in op.results]


def test_bindings_are_not_imported():
    """MLIR's classes of all ops take longer to import than the package may."""
    code = "import sys, partita; print([name for name in sys.modules if name.endswith('._relax_ops_gen')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
