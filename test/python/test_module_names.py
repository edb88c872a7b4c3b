# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that programs for TVM import by name."""

import importlib

import pytest


@pytest.mark.parametrize(
    "module, names",
    [
        ("ir.expr", "Call Constant Expr GlobalVar StringImm Tuple TupleGetItem Var"),
        ("ir.type", "FuncType PrimType TupleType Type"),
        ("relax.analysis.analysis", "free_vars well_formed"),
        ("relax.global_info", "DummyGlobalInfo VDevice"),
        ("relax.transform.transform", "CanonicalizeBindings FusionPattern function_pass"),
        ("tirx.expr", "FloatImm IntImm Select Var"),
        ("tirx.function", "IndexMap PrimFunc"),
        ("tirx.op", "ceildiv floordiv max min"),
    ],
)
def test_modules_have_tvms_names(module, names):
    found = importlib.import_module(f"partita.{module}")
    parent, _, last = module.rpartition(".")
    assert getattr(importlib.import_module(f"partita.{parent}"), last) is not None
    for name in names.split():
        assert hasattr(found, name), name
