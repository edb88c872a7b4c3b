# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of each op that TVM 0.27 legalizes or dispatches: CASES.

A case is the op's name, its operands, and a function from the operands to the call. An
operand has dimensions, which are numbers or "n", and a dtype; indices are below a limit.
"""

from partita import relax, tir
from partita.relax import op

FLOAT = "float32"


class Operand:
    """A tensor of `dtype`. Its numbers are below `limit`, or of any size, or positive."""

    def __init__(self, *dims, dtype=FLOAT, limit=None, positive=False):
        self.dims, self.dtype, self.limit, self.positive = dims, dtype, limit, positive


def indices(*dims, limit=4, dtype="int64"):
    return Operand(*dims, dtype=dtype, limit=limit)


def ints(*dims):
    return Operand(*dims, dtype="int32", limit=9)


def positive(*dims):
    return Operand(*dims, positive=True)


F = Operand
X = F("n", 4)


def find(name):
    found = op
    for part in name.split("."):
        found = getattr(found, part)
    return found


def number(value):
    return relax.PrimValue(value)


def redistribute(x, num_workers, axis, type_):
    name = "relax.dist.redistribute_replica_to_shard"
    attrs = {"num_workers": num_workers, "axis": axis}
    return relax.Call(relax.Op.get(name), [x], attrs, sinfo_args=[type_])


def inspect(name, *args):
    return lambda x: relax.Call(relax.Op.get(f"relax.inspect.{name}"), [x, *map(number, args)])


CASES = []


def case(name, *operands, make=None):
    CASES.append((name, operands, make or find(name)))


for (
    unary
) in """abs acos acosh asin asinh atan atanh ceil cos cosh erf exp floor isfinite isinf isnan
    log negative round rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc nn.relu nn.gelu
    nn.gelu_tanh nn.silu nn.selu nn.softplus nn.leakyrelu nn.dropout ones_like zeros_like eye_like
    grad.no_grad grad.start_checkpoint grad.end_checkpoint size flatten nn.batch_flatten
    permute_dims tril triu""".split():
    case(unary, X)
for unary in ("bitwise_not", "logical_not"):
    case(unary, ints("n", 4), make=lambda x, unary=unary: find(unary)(as_bool(x, unary)))
for binary in """add subtract multiply divide power floor_divide floor_mod mod maximum minimum equal
    not_equal less less_equal greater greater_equal atan2 log_add_exp""".split():
    case(binary, X, positive(4))
for binary in "bitwise_and bitwise_or bitwise_xor left_shift right_shift".split():
    case(binary, ints("n", 4), ints(4))
for binary in "logical_and logical_or logical_xor".split():
    case(
        binary,
        ints("n", 4),
        ints(4),
        make=lambda x, y, binary=binary: find(binary)(as_bool(x), as_bool(y)),
    )
for reduction in "sum prod mean max min std variance argmax argmin median".split():
    case(reduction, X, make=lambda x, name=reduction: find(name)(x, axis=1))
    case(reduction, F(2, 3, 4), make=lambda x, name=reduction: find(name)(x))


def as_bool(x, name="logical"):
    return op.astype(x, "bool") if name.startswith("logical") else x


# Making and moving elements.
case("arange", make=lambda: op.arange(9, 2, -2, "int64"))
case("astype", X, make=lambda x: op.astype(x, "int32"))
case("broadcast_to", F("n", 1), make=lambda x: op.broadcast_to(x, (3, x.ty.shape[0], 4)))
case("clip", X, make=lambda x: op.clip(x, -1, 1))
case("collapse_sum_like", F(3, "n", 4), F("n", 1))
case("collapse_sum_to", F(3, "n", 4), make=lambda x: op.collapse_sum_to(x, (x.ty.shape[1], 1)))
case("concat", X, X, make=lambda x, y: op.concat([x, y], 1))
case("stack", X, X, make=lambda x, y: op.stack([x, y], 1))
case("squeeze", F("n", 1, 4), make=lambda x: op.squeeze(x, [1]))
case("expand_dims", X, make=lambda x: op.expand_dims(x, [0, -1]))
case("eye", make=lambda: op.eye(3, 4, 1, FLOAT))
case("flip", X, make=lambda x: op.flip(x, 1))
case("full", F(), make=lambda x: op.full((2, 3), x))
case("full_like", X, F())
case("hamming_window", make=lambda: op.hamming_window(10, True, 0.54, 0.46, FLOAT))
case(
    "layout_transform",
    F("n", 8),
    make=lambda x: op.layout_transform(x, lambda i, j: (i, j // 4, j % 4)),
)
case(
    "layout_transform",
    F(4, 6),
    make=lambda x: op.layout_transform(x, lambda i, j: (j // 4, i, j % 4), 2.0),
)
case("meshgrid", F("n"), F(3), make=lambda x, y: op.meshgrid([x, y]))
case(
    "one_hot",
    indices("n"),
    make=lambda i: op.one_hot(
        i, number(tir.FloatImm(FLOAT, 2)), number(tir.FloatImm(FLOAT, -1)), 4
    ),
)
case("ones", make=lambda: op.ones((2, 3), FLOAT))
case("zeros", make=lambda: op.zeros((), "bool"))
case("repeat", X, make=lambda x: op.repeat(x, 2, 1))
case("reshape", X, make=lambda x: op.reshape(x, (2, -1, 2)))
case("reverse_sequence", F(4, 5, "n"), indices(4))
case("shape_to_tensor", X, make=lambda x: op.shape_to_tensor(relax.ShapeExpr(list(x.ty.shape))))
case("split", F("n", 6), make=lambda x: op.split(x, 3, 1))
case(
    "strided_slice", F("n", 6), make=lambda x: op.strided_slice(x, [0, 1], [0, 5], [2, -9], [1, -2])
)
case("dynamic_strided_slice", F(8, 5), indices(2, limit=2), indices(2), indices(2, limit=2),
     make=lambda x, b, e, s: op.dynamic_strided_slice(x, b, e, op.add(s, relax.const(1, "int64"))))  # fmt: skip
case("tile", X, make=lambda x: op.tile(x, (2, 1, 3)))
case("where", ints("n", 4), X, F(4), make=lambda c, x, y: op.where(as_bool(c), x, y))
for name, *args in [("tensor_byte_offset",), ("tensor_dtype_bits",), ("tensor_dtype_code",),
                    ("tensor_dtype_lanes",), ("tensor_elem_offset",), ("tensor_ndim",),
                    ("tensor_shape_i", 1), ("tensor_stride_i", 0)]:  # fmt: skip
    case(f"inspect.{name}", X, make=inspect(name, *args))

# Indices.
case("bucketize", X, F(5), make=lambda x, y: op.bucketize(x, op.sort(y)))
case("gather_elements", F(4, "n"), indices(2, "n"))
case("gather_nd", F(4, 4, "n"), indices(3, 2))
case(
    "index_put",
    F(4, 4),
    indices(3),
    F(3),
    make=lambda x, i, v: op.index_put(x, relax.Tuple([i, i]), v, True),
)
case(
    "index_tensor",
    F(4, 4, "n"),
    indices(3, 1),
    indices(2),
    make=lambda x, i, j: op.index_tensor(x, [i, j]),
)
case(
    "scatter_elements",
    F(4, "n"),
    indices(2, "n"),
    F(2, "n"),
    make=lambda x, i, u: op.scatter_elements(x, i, u, 0, "add"),
)
case(
    "scatter_nd",
    F(4, 4, "n"),
    indices(3, 2),
    F(3, "n"),
    make=lambda x, i, u: op.scatter_nd(x, i, u, "max"),
)
case(
    "slice_scatter",
    F(6, "n"),
    F(2, "n"),
    make=lambda x, s: op.slice_scatter(x, s, number(1), number(5), number(2), 0),
)
case("take", F(4, "n"), indices(2, 3), make=lambda x, i: op.take(x, i, 0, "clip"))
case("take", F("n", 6), indices(limit=6, dtype="int32"), make=lambda x, i: op.take(x, i, 1))

# Products and windows.
case("einsum", F(2, "n", 3), F(2, 3, 4), make=lambda x, y: op.einsum([x, y], "...ij,...jk->...ik"))
case("ewise_fma", X, X, X)
case("matmul", F(2, "n", 3), F(3, 4))
case("outer", F("n"), F(3))
for rank, letters in ((1, "W"), (2, "HW"), (3, "DHW")):
    sizes, window, ones = (7, 6, 5)[:rank], (3, 2, 2)[:rank], (1,) * rank
    for pool, options in (
        ("adaptive_avg_pool", {}),
        ("avg_pool", {"strides": window}),
        ("max_pool", {"ceil_mode": True}),
    ):
        for layout in (f"NC{letters}", f"N{letters}C"):
            dims = ("n", 3, *sizes) if layout[1] == "C" else ("n", *sizes, 3)
            case(
                f"nn.{pool}{rank}d",
                F(*dims),
                make=lambda x, name=f"nn.{pool}{rank}d", window=window, layout=layout, options=options: (
                    find(name)(x, window, layout=layout, **options)
                ),
            )
    conv, transposed = f"nn.conv{rank}d", f"nn.conv{rank}d_transpose"
    case(
        conv,
        F("n", 4, *sizes),
        F(6, 2, *window),
        make=lambda x, w, name=conv, ones=ones: find(name)(x, w, ones, ones * 2, groups=2),
    )
    case(
        conv,
        F("n", *sizes, 4),
        F(*window, 4, 6),
        make=lambda x, w, name=conv, letters=letters: find(name)(
            x, w, data_layout=f"N{letters}C", kernel_layout=f"{letters}IO"
        ),
    )
    case(
        transposed,
        F("n", 4, *sizes),
        F(4, 3, *window),
        make=lambda x, w, name=transposed, window=window: find(name)(x, w, window),
    )
GRADIENT = {"pool_size": (2, 2), "strides": (2, 2), "padding": (1, 1, 1, 1)}
for pool in ("avg", "max"):
    case(
        f"grad.{pool}_pool2d_backward",
        F(1, 2, 4, 4),
        F(1, 2, 6, 6),
        make=lambda g, x, name=f"grad.{pool}_pool2d_backward": find(name)(g, x, **GRADIENT),
    )

# Networks.
case("nn.attention", F(2, "n", 2, 4), F(2, 5, 2, 4), F(2, 5, 2, 3))
case("nn.attention_bias", F(2, 3, 2, 4), F(2, 5, 2, 4), F(2, 5, 2, 3), F(2, 2, 3, 5))
case(
    "nn.batch_norm",
    F("n", 3, 4),
    F(3),
    F(3),
    F(3),
    positive(3),
    make=lambda *args: op.nn.batch_norm(*args, axis=1),
)
case("nn.cross_entropy_with_logits", F("n", 4), F("n", 4))
case(
    "nn.group_norm",
    F("n", 4, 5),
    F(4),
    F(4),
    make=lambda *args: op.nn.group_norm(*args, num_groups=2, channel_axis=1, axes=[2]),
)
case(
    "nn.instance_norm",
    F("n", 4, 5),
    F(4),
    F(4),
    make=lambda *args: op.nn.instance_norm(*args, channel_axis=1, axes=[2]),
)
case(
    "nn.layer_norm", F("n", 4, 5), F(5), F(5), make=lambda *args: op.nn.layer_norm(*args, axes=[-1])
)
case("nn.rms_norm", F("n", 4, 5), F(5))
case("nn.log_softmax", F("n", 4, 5))
case("nn.softmax", F("n", 4, 5), make=lambda x: op.nn.softmax(x, 1))
case("nn.nll_loss", F(4, 3), indices(4, limit=3), F(3))
case("grad.nll_loss_backward", F(), F(4, 3), indices(4, limit=3), F(3))
case(
    "grad.take_backward",
    F(2, "n"),
    F(4, "n"),
    indices(2),
    make=lambda g, x, i: op.grad.take_backward(g, x, i, 0),
)
case("nn.pad", X, make=lambda x: op.nn.pad(x, (1, 2, 2, 0)))
for mode in ("reflect", "replicate", "circular"):
    case("nn.pad", F(3, 4), make=lambda x, mode=mode: op.nn.pad(x, (1, 2, 2, 0), mode))
case("nn.pixel_shuffle", F("n", 8, 3, 2), make=lambda x: op.nn.pixel_shuffle(x, 2))
case("nn.prelu", F("n", 3, 4), F(3))
case(
    "quantize",
    X,
    positive(4),
    make=lambda x, s: op.quantize(x, s, relax.const([0, 1, -2, 3], "int8"), 1),
)
case(
    "dequantize",
    indices("n", 4, dtype="int8"),
    positive(4),
    make=lambda x, s: op.dequantize(x, s, relax.const([0, 1, -2, 3], "int8"), 1),
)

# Images.
case("image.affine_grid", F("n", 2, 3), make=lambda x: op.image.affine_grid(x, (4, 5)))
case(
    "image.grid_sample",
    F("n", 2, 4, 5),
    F("n", 2, 3, 3),
    make=lambda x, g: op.image.grid_sample(x, op.tanh(g)),
)
for method in ("linear", "nearest_neighbor", "cubic"):
    case(
        "image.resize2d",
        F("n", 4, 5, 2),
        make=lambda x, method=method: op.image.resize2d(x, (7, 3), layout="NHWC", method=method),
    )
case("image.resize3d", F("n", 2, 4, 5, 3), make=lambda x: op.image.resize3d(x, (7, 3, 5)))
BOXES = relax.const([[0, 0.5, 1, 4, 5], [0, 1, 0, 6, 4.5]], FLOAT)
case(
    "vision.roi_align", F(1, 3, 8, 8), make=lambda x: op.vision.roi_align(x, BOXES, (3, 3), 1.0, 2)
)
case("vision.roi_pool", F(1, 3, 8, 8), make=lambda x: op.vision.roi_pool(x, BOXES, (3, 3), 1.0))
case("vision.get_valid_counts", F(1, 6, 6), make=lambda x: op.vision.get_valid_counts(x, 0.3, 0, 1))
case(
    "vision.non_max_suppression",
    positive(1, 6, 6),
    make=lambda x: op.vision.non_max_suppression(
        x,
        relax.const([6], "int32"),
        relax.const([[0, 1, 2, 3, 4, 5]], "int32"),
        return_indices=False,
    ),
)
case(
    "vision.all_class_non_max_suppression",
    positive(1, 5, 4),
    positive(1, 2, 5),
    make=lambda b, s: op.vision.all_class_non_max_suppression(
        b, s, relax.const(2, "int64"), relax.const(0.5, FLOAT), relax.const(0.1, FLOAT)
    ),
)
case("vision.multibox_transform_loc", F(1, 3, 4), F(1, 16), positive(1, 4, 4))

# TVM dispatches these to functions of their own.
case("sort", X)
case("argsort", X, make=lambda x: op.argsort(x, 0))
case("topk", F("n", 6), make=lambda x: op.topk(x, 3, -1, "both", True, "int64"))
case("cumsum", X, make=lambda x: op.cumsum(x, 1))
case("cumprod", X, make=lambda x: op.cumprod(x, 0))
case(
    "multinomial_from_uniform",
    F(3, 5),
    F(4, 1),
    indices(4, 1, limit=3),
    make=lambda p, u, i: op.multinomial_from_uniform(op.nn.softmax(p), op.sigmoid(u), i),
)

# Packed functions of several workers.
case("ccl.allreduce", X)
case("ccl.allgather", X, make=lambda x: op.ccl.allgather(x, 2))
case("ccl.broadcast_from_worker0", X)
case("ccl.scatter_from_worker0", F(4, 6), make=lambda x: op.ccl.scatter_from_worker0(x, 2, 1))
PART = relax.TensorType((4, 3), FLOAT)
case(
    "dist.redistribute_replica_to_shard",
    F(4, 6),
    make=lambda x: redistribute(x, 2, 1, PART),
)
