# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines by name, and that fused kernels compute the same."""

import numpy as np
import pytest

import partita
from partita import relax, transform
from partita.relax import op


def make_module():
    n = partita.tir.Var("n", "int64")
    x = relax.Var("x", relax.TensorType((n, 4), "float32"))
    builder = relax.BlockBuilder()
    weight = np.arange(12, dtype="float32").reshape(4, 3) / 10
    with builder.function("main", [x]):
        with builder.dataflow():
            y = builder.emit(op.matmul(x, relax.const(weight)))
            y = builder.emit(op.nn.relu(op.add(y, relax.const(np.float32(-1)))))
            y = builder.emit_output(op.nn.softmax(op.exp(op.negative(y))))
        builder.emit_func_output(y)
    return builder.get(), weight


def test_zero():
    mod, weight = make_module()
    fused = relax.get_pipeline("zero")(mod)
    names = [var.name_hint for var in fused.get_global_vars()]
    assert "fused_matmul_add_relu_tir_negative_tir_exp" in names, names
    assert len(names) == 3, names
    x = np.linspace(-3, 3, 20, dtype="float32").reshape(5, 4)
    exponents = np.exp(np.exp(-np.maximum(x @ weight - 1, 0)))
    expected = exponents / exponents.sum(1, keepdims=True)
    for module in (mod, fused):
        code = partita.compile(module, relax_pipeline=None)
        np.testing.assert_allclose(code["main"](x), expected, 1e-5)


def test_zero_in_text_and_warning(capfd):
    mod, _ = make_module()
    fused = relax.get_pipeline()(mod)
    assert transform.get_pass("relax-zero-pipeline")(mod).script() == fused.script()
    assert relax.get_pipeline(enable_warning=True)(mod).script() == fused.script()


def test_default_build():
    mod, _ = make_module()
    text = relax.get_pipeline("default_build")(mod).script()
    assert text == relax.get_pipeline("default")(mod).script()
    assert text == transform.get_pass("relax-default-build-pipeline")(mod).script()
    # Memory is allocated and freed, and nothing is a dataflow block.
    for part in ("alloc_storage", "alloc_tensor", "kill_storage", "call_tir"):
        assert (part in text) == (part != "call_tir"), part
    assert "dataflow" not in text


def test_static_shape_tuning():
    mod, _ = make_module()
    passes = relax.transform
    steps = [passes.DecomposeOpsForInference(), passes.CanonicalizeBindings()]
    expected = transform.Sequential([*steps, relax.get_pipeline("zero")])(mod)
    pipeline = relax.get_pipeline("static_shape_tuning", total_trials=0)
    assert pipeline(mod).script() == expected.script()
    with pytest.raises(ValueError, match="expected total_trials to be 0, .* but found 1000"):
        relax.get_pipeline("static_shape_tuning", total_trials=1000)


def test_register():
    @relax.register_pipeline("test_mine")
    def mine(level=0):
        return transform.Sequential([relax.transform.FoldConstant()], opt_level=level)

    assert relax.get_pipeline("test_mine", level=2).info.opt_level == 2
    with pytest.raises(ValueError, match="expected a new name for a pipeline, but found 'test_m"):
        relax.register_pipeline("test_mine")
    with pytest.raises(ValueError, match="expected the name of a pipeline .*, but found 'two'"):
        relax.get_pipeline("two")
