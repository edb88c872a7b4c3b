# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op that TVM 0.27 legalizes is compiled, and its results have the shapes of their types."""

import legal_ops
import numpy as np
import pytest

import partita
from partita import relax, tir, transform

pytest.importorskip("partita.runtime")

# The ops with the attribute FLegalize in TVM. It has one on nn.attention_var_len, too, which
# says that it is not supported.
LEGALIZED = """
    abs acos acosh add arange argmax argmin asin asinh astype atan atan2 atanh bitwise_and
    bitwise_not bitwise_or bitwise_xor broadcast_to bucketize ccl.allgather ccl.allreduce
    ccl.broadcast_from_worker0 ccl.scatter_from_worker0 ceil clip collapse_sum_like collapse_sum_to
    concat cos cosh dequantize dist.redistribute_replica_to_shard divide dynamic_strided_slice einsum
    equal erf exp expand_dims eye eye_like flatten flip floor floor_divide floor_mod full full_like
    gather_elements gather_nd grad.avg_pool2d_backward grad.end_checkpoint grad.max_pool2d_backward
    grad.nll_loss_backward grad.no_grad grad.start_checkpoint grad.take_backward greater
    greater_equal hamming_window image.affine_grid image.grid_sample image.resize2d image.resize3d
    index_put index_tensor inspect.tensor_byte_offset inspect.tensor_dtype_bits
    inspect.tensor_dtype_code inspect.tensor_dtype_lanes inspect.tensor_elem_offset
    inspect.tensor_ndim inspect.tensor_shape_i inspect.tensor_stride_i isfinite isinf isnan
    layout_transform left_shift less less_equal log log_add_exp logical_and logical_not logical_or
    logical_xor matmul max maximum mean median meshgrid min minimum mod multiply negative
    nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d nn.attention
    nn.attention_bias nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d
    nn.batch_flatten nn.batch_norm nn.conv1d nn.conv1d_transpose nn.conv2d nn.conv2d_transpose
    nn.conv3d nn.conv3d_transpose nn.cross_entropy_with_logits nn.dropout nn.gelu nn.gelu_tanh
    nn.group_norm nn.instance_norm nn.layer_norm nn.leakyrelu nn.log_softmax nn.max_pool1d
    nn.max_pool2d nn.max_pool3d nn.nll_loss nn.pad nn.pixel_shuffle nn.prelu nn.relu nn.rms_norm
    nn.selu nn.silu nn.softmax nn.softplus not_equal one_hot ones ones_like outer permute_dims power
    prod quantize repeat reshape reverse_sequence right_shift round rsqrt scatter_elements
    scatter_nd shape_to_tensor sigmoid sign sin sinh size slice_scatter split sqrt square squeeze
    stack std strided_slice subtract sum take tan tanh tile tril triu trunc variance
    vision.all_class_non_max_suppression vision.get_valid_counts vision.multibox_transform_loc
    vision.non_max_suppression vision.roi_align vision.roi_pool where zeros zeros_like
"""
# TVM's passes DispatchSortScan and DispatchSampling lower these, and its tests legalize the last.
OTHERS = "sort argsort topk cumsum cumprod multinomial_from_uniform ewise_fma"


def share(x, *others):
    others[-1][...] = 2 * x


PACKED_FUNCS = {
    "runtime.disco.allreduce": share,
    "runtime.disco.allgather": lambda x, in_group, out: out.__setitem__(
        ..., np.concatenate([x, x])
    ),
    "runtime.disco.broadcast_from_worker0": share,
    "runtime.disco.scatter_from_worker0": lambda x, in_group, out: out.__setitem__(..., x[1]),
    "runtime.disco.worker_id": lambda: (1,),
}


def make_module():
    builder = relax.BlockBuilder()
    for number, (_, operands, make) in enumerate(legal_ops.CASES):
        n = tir.Var("n", "int64")
        params = [
            relax.Var(
                f"x{i}",
                relax.TensorType([n if d == "n" else d for d in operand.dims], operand.dtype),
            )
            for i, operand in enumerate(operands)
        ]
        with builder.function(f"case{number}", params):
            builder.emit_func_output(builder.emit(make(*params)))
    return builder.get()


def make_input(rng, operand, n):
    shape = [n if dim == "n" else dim for dim in operand.dims]
    if operand.limit:
        return rng.integers(0, operand.limit, shape).astype(operand.dtype)
    numbers = rng.uniform(0.5, 2, shape) if operand.positive else rng.normal(size=shape)
    return numbers.astype(operand.dtype)


def check(value, type_, n):
    if isinstance(type_, relax.TupleType):
        assert len(value) == len(type_.fields)
        for field, field_type in zip(value, type_.fields):
            check(field, field_type, n)
    elif isinstance(type_, relax.TensorType):
        value = np.asarray(value)
        assert str(value.dtype) == str(type_.dtype) and value.ndim == type_.ndim
        if type_.shape is not None:
            for size, dim in zip(value.shape, type_.shape):
                assert str(dim) == "n" and size == n or not str(dim).isdigit() or size == int(dim)


def test_all_are_compiled():
    names = {name for name, _, _ in legal_ops.CASES}
    assert names == set((LEGALIZED + OTHERS).split())
    mod = make_module()
    with transform.PassContext(opt_level=0):
        code = partita.compile(mod, packed_funcs=PACKED_FUNCS)
    rng = np.random.default_rng(0)
    for number, (name, operands, _) in enumerate(legal_ops.CASES):
        for n in (3, 1):
            inputs = [make_input(rng, operand, n) for operand in operands]
            check(code[f"case{number}"](*inputs), mod[f"case{number}"].ret_ty, n)


def test_workers():
    """The packed functions get TVM's arguments."""
    seen = []

    def reduce(x, kind, in_group, out):
        seen.append((kind, in_group))
        out[...] = x

    def scatter(parts, in_group, out):
        out[...] = parts[1]

    x = relax.Var("x", relax.TensorType((4, 6), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        for kind in ("sum", "prod", "min", "max", "avg"):
            builder.emit(relax.op.ccl.allreduce(x, kind, kind == "sum"))
        parts = [
            builder.emit(relax.op.ccl.scatter_from_worker0(x, 2, 1)),
            builder.emit(legal_ops.redistribute(x, 2, 1, legal_ops.PART)),
            builder.emit(legal_ops.redistribute(x, 4, 0, relax.TensorType((1, 6), "float32"))),
        ]
        builder.emit_func_output(relax.Tuple(parts))
    packed_funcs = {
        "runtime.disco.allreduce": reduce,
        "runtime.disco.scatter_from_worker0": scatter,
        "runtime.disco.worker_id": lambda: (1,),
    }
    with transform.PassContext(opt_level=0):
        code = partita.compile(builder.get(), packed_funcs=packed_funcs)
    x = np.arange(24, dtype="float32").reshape(4, 6)
    scattered, half, row = code["main"](x)
    assert seen == [((kind,), kind == 0) for kind in range(5)]
    np.testing.assert_array_equal(scattered, x[:, 3:])
    np.testing.assert_array_equal(half, x[:, 3:])
    np.testing.assert_array_equal(row, x[1:2])
