# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The patterns of relax.backend, and what checks of their matches ask."""

import pytest

from partita import relax
from partita.relax.backend import patterns
from partita.relax.backend.utils import has_leaking_intermediate_variables

BIAS = {"with_bias": True, "activation": "relax.nn.relu"}


def make(uses_conv_again=False):
    """A convolution, an added bias, an activation and a residual, as a module."""
    x = relax.Var("x", relax.TensorType((1, 4, 8, 8)))
    w = relax.Var("w", relax.TensorType((4, 4, 3, 3)))
    b = relax.Var("b", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x, w, b]):
        with bb.dataflow():
            conv = bb.emit(relax.op.nn.conv2d(x, w, padding=1))
            bias = bb.emit(relax.op.reshape(b, (1, 4, 1, 1)))
            relu = bb.emit(relax.op.nn.relu(bb.emit(relax.op.add(conv, bias))))
            total = bb.emit(relax.op.add(x, relu))
            if uses_conv_again:
                total = bb.emit(relax.op.add(total, conv))
            out = bb.emit_output(total)
        bb.emit_func_output(out)
    return bb.get()


def fuse(mod, made, check=None):
    pattern, parts = made
    fused = relax.transform.FuseOpsByPattern([("x.y", pattern, parts, check or bool)])(mod)
    (func,) = [
        func
        for func in fused.functions.values()
        if func.attrs.get("Composite") == "x.y" or "global_symbol" not in func.attrs
    ] or [None]
    return func and [b.value.op.name for b in func.body.blocks[0].bindings]


def test_fused_ops():
    conv_op = ("relax.nn.conv2d",)
    assert fuse(make(), patterns.make_conv2d_pattern()) == ["relax.nn.conv2d"]
    ops = ["relax.nn.conv2d", "relax.add", "relax.nn.relu"]
    assert fuse(make(), patterns.make_conv2d_pattern(**BIAS)) == ops
    made = patterns.make_fused_bias_activation_pattern(*conv_op, **BIAS, allow_reshape=True)
    assert fuse(make(), made) == ["relax.nn.conv2d", "relax.reshape", "relax.add", "relax.nn.relu"]
    made = patterns.make_residual_block_pattern(patterns.make_conv2d_pattern(**BIAS))
    assert fuse(make(), made) == [*ops, "relax.add"]
    assert sorted(made[1]) == ["bias", "input", "residual", "root", "weight"]


def test_checks_see_variables_that_leak():
    seen = []

    def check(context):
        seen.append((has_leaking_intermediate_variables(context), sorted(context.annotated_expr)))
        return not seen[-1][0]

    made = patterns.make_conv2d_pattern(**BIAS)
    assert fuse(make(), made, check) is not None
    assert fuse(make(uses_conv_again=True), made, check) is None
    names = ["bias", "input", "root", "weight"]
    assert seen == [(False, names), (True, names)]


@pytest.mark.parametrize(
    "made, op, names",
    [
        (patterns.make_matmul_pattern(transposed_rhs=True), "matmul", ["lhs", "rhs", "root"]),
        (
            patterns.make_matmul_dequantize_pattern(),
            "dequantize",
            ["lhs", "rhs", "root", "scale", "zp"],
        ),
        (patterns.make_attention_pattern(), "nn.attention", ["key", "query", "value"]),
        (
            patterns.make_attention_pattern(with_bias=True),
            "nn.attention_bias",
            ["bias", "key", "query", "value"],
        ),
        (patterns.make_layer_norm_pattern(), "nn.layer_norm", []),
        (patterns.make_rms_norm_pattern(), "call_tir", ["gv", "inp", "rms_norm"]),
    ],
)
def test_parts_have_tvms_names(made, op, names):
    pattern, parts = made
    assert str(pattern).startswith(f"relax.{op}(") or f"relax.{op}" in str(pattern)
    assert sorted(parts) == names
