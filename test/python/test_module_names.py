# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that programs for TVM use, of modules and of parameters."""

import importlib
import inspect

import pytest

from partita import ir, relax


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


@pytest.mark.parametrize(
    "function, names",
    [
        (relax.BlockBuilder.emit_output, "output name_hint"),
        (relax.BlockBuilder.function, "name params attrs pure private"),
        (relax.Function.with_attr, "attr_key_or_dict attr_value"),
        (relax.Function.with_attrs, "attr_map"),
        (relax.Function.without_attr, "attr_key"),
        (relax.PyExprMutator.get_var_remap, "var"),
        (relax.PyExprMutator.set_var_remap, "old_var new_var"),
        (relax.prim_value, "value dtype"),
        (relax.transform.UpdateParamType, "ty_func"),
        (ir.DictAttrs.get, "key default"),
        (ir.IRModule.get_attr, "attr_key"),
        (ir.IRModule.with_attr, "attr_key attr_value"),
        (ir.Op.get, "op_name"),
    ],
    ids=lambda one: getattr(one, "__qualname__", None),
)
def test_parameters_have_tvms_names(function, names):
    found = [name for name in inspect.signature(function).parameters if name != "self"]
    assert found == names.split()


def test_numbers_have_the_dtype_that_is_given():
    for value, dtype in [(1, "int32"), (1, "bool"), (True, "int8"), (1.5, "float16")]:
        made = relax.prim_value(value, dtype)
        assert made.ty == relax.PrimType(dtype) and made.value == value
        assert relax.prim_value(made, "int64") is made
    for value, dtype in [(1, "float32"), (1.5, "int32"), (3, "bool"), (300, "uint8")]:
        with pytest.raises(ValueError, match="expected"):
            relax.prim_value(value, dtype)
