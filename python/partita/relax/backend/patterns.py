# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns that compilers of kernels share: TVM's ``tvm.relax.backend.patterns``.

Each function gives a pattern, and its parts by name: what a FusionPattern is made of.
"""

from __future__ import annotations

from typing import Any

from ..dpl.pattern import (
    DFPattern,
    GlobalVarPattern,
    TuplePattern,
    is_const,
    is_op,
    wildcard,
)

__all__ = [
    "make_attention_pattern",
    "make_conv2d_pattern",
    "make_fused_bias_activation_pattern",
    "make_layer_norm_pattern",
    "make_matmul_dequantize_pattern",
    "make_matmul_pattern",
    "make_residual_block_pattern",
    "make_rms_norm_pattern",
]

Parts = dict[str, DFPattern]


def _finish(
    root: DFPattern,
    parts: Parts,
    with_bias: bool,
    activation: str | None,
    allow_reshape: bool = False,
) -> tuple[DFPattern, Parts]:
    """`root`, a bias that is added to it and an activation."""
    made: Any = root
    parts["root"] = root
    if with_bias:
        bias: Any = wildcard()
        parts["bias"] = bias
        if allow_reshape:
            bias = is_op("relax.reshape")(bias, wildcard(), varg_default_wildcard=True)
        made = is_op("relax.add")(made, bias)
    return is_op(activation)(made) if activation else made, parts


def make_fused_bias_activation_pattern(
    op_name: str,
    with_bias: bool = False,
    activation: str | None = None,
    allow_reshape: bool = False,
) -> tuple[DFPattern, Parts]:
    """An op of the operands "lhs" and "rhs", its "bias" and an activation; "root" is the op.

    Parameters
    ----------
    op_name : str
        The name of the op, such as "relax.nn.conv2d".
    with_bias : bool
        Whether its result is added to something.
    activation : str, optional
        The name of the op that is called at the end.
    allow_reshape : bool
        Whether the bias is the operand of a relax.reshape, which gives what is added.
    """
    lhs, rhs = wildcard(), wildcard()
    parts: Parts = {"lhs": lhs, "rhs": rhs}
    return _finish(is_op(op_name)(lhs, rhs), parts, with_bias, activation, allow_reshape)


def make_residual_block_pattern(
    node_output: DFPattern | tuple[DFPattern, Parts],
    binary_op: str = "relax.add",
    activation: str | None = None,
) -> tuple[DFPattern, Parts]:
    """An op of a pattern and something else, the "residual", in either order."""
    output, parts = node_output if isinstance(node_output, tuple) else (node_output, {})
    residual, op = wildcard(), is_op(binary_op)
    made: Any = op(output, residual) | op(residual, output)
    return is_op(activation)(made) if activation else made, {**parts, "residual": residual}


def make_conv2d_pattern(
    with_bias: bool = False, activation: str | None = None
) -> tuple[DFPattern, Parts]:
    """A convolution of an "input" with a "weight", its "bias" and an activation."""
    data, weight = wildcard(), wildcard()
    parts: Parts = {"input": data, "weight": weight}
    return _finish(is_op("relax.nn.conv2d")(data, weight), parts, with_bias, activation)


def _make_matmul(transposed_rhs: bool) -> tuple[Any, Parts]:
    lhs, rhs = wildcard(), wildcard()
    right: Any = is_op("relax.permute_dims")(rhs) if transposed_rhs else rhs
    made = is_op("relax.matmul")(lhs, right)
    return made, {"lhs": lhs, "rhs": rhs, "root": made}


def make_matmul_pattern(
    with_bias: bool = False, activation: str | None = None, transposed_rhs: bool = False
) -> tuple[DFPattern, Parts]:
    """A product of "lhs" and "rhs", which is transposed first or not, a "bias" and an activation."""
    made, parts = _make_matmul(transposed_rhs)
    return _finish(made, parts, with_bias, activation)


def make_matmul_dequantize_pattern(transposed_rhs: bool = False) -> tuple[DFPattern, Parts]:
    """A product that is dequantized by the constants "scale" and "zp"."""
    made, parts = _make_matmul(transposed_rhs)
    scale, zero_point = is_const(), is_const()
    parts.update(scale=scale, zp=zero_point)
    return is_op("relax.dequantize")(made, scale, zero_point), parts


def make_attention_pattern(
    with_bias: bool = False, var_len: bool = False
) -> tuple[DFPattern, Parts]:
    """An attention of "query", "key" and "value", with a "bias" or sequences of several lengths."""
    names, op_name = ["query", "key", "value"], "relax.nn.attention"
    if with_bias:
        names, op_name = [*names, "bias"], "relax.nn.attention_bias"
    elif var_len:
        names += ["seqstart_q", "seqstart_k", "max_seqlen_q", "max_seqlen_k"]
        op_name = "relax.nn.attention_var_len"
    parts: Parts = {name: wildcard() for name in names}
    return is_op(op_name)(*parts.values()), parts


def make_layer_norm_pattern() -> tuple[DFPattern, Parts]:
    """A layer norm."""
    return is_op("relax.nn.layer_norm")(wildcard(), wildcard(), wildcard()), {}


def make_rms_norm_pattern() -> tuple[DFPattern, Parts]:
    """A call of a prim_func "gv" with "inp" and a weight; "rms_norm" is the call."""
    data, callee = wildcard(), GlobalVarPattern()
    made = is_op("relax.call_tir")(callee, TuplePattern([data, wildcard()]))
    return made, {"gv": callee, "inp": data, "rms_norm": made}
