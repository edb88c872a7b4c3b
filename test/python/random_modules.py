# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_modules.py FIRST COUNT: random modules compute the same after passes.

Each module has sizes with odd names, tuples, calls, If, match_cast and dataflow blocks. It
is compiled as it is and after passes that are taken at random, and called with
two settings of its sizes. A failure prints the seed, the passes and the module.
"""

import re
import sys

import legal_ops
import numpy as np

import partita
from partita import relax, tir, transform
from partita.relax import op

FLOAT, INT, BOOL = "float32", "int32", "bool"

ONE = relax.const(1.0, FLOAT)


def ints(x):
    return op.astype(op.clip(x, -100, 100), INT)


def row(make, x):
    return make(x.ty.shape[-1:], FLOAT)


def weight(*shape):
    return relax.const(np.linspace(-1, 1, int(np.prod(shape)), dtype=FLOAT).reshape(shape))


UNARY = [op.abs, op.exp, op.negative, op.sigmoid, op.tanh, op.square, op.floor, op.nn.relu]
UNARY += [op.nn.silu, op.nn.gelu, op.cos, op.sign]
BINARY = [op.add, op.subtract, op.multiply, op.maximum, op.minimum]
COMPARE = [op.less, op.greater_equal, op.equal]
REDUCE = [op.sum, op.mean, op.max, op.min, op.prod, op.variance, op.std]
# Ops on a tensor, whose result is a tensor of float32.
CHAINS = [
    lambda x: op.sqrt(op.abs(x)),
    lambda x: op.log(op.add(op.abs(x), ONE)),
    lambda x: op.rsqrt(op.add(op.abs(x), ONE)),
    lambda x: op.divide(x, op.add(op.abs(x), ONE)),
    lambda x: op.power(op.add(op.abs(x), ONE), op.clip(x, -2, 2)),
    lambda x: op.log_add_exp(x, op.negative(x)),
    lambda x: op.where(op.logical_not(op.isnan(x)), x, op.zeros_like(x)),
    lambda x: op.masked_fill(x, op.isinf(x), 1.0),
    lambda x: op.astype(op.logical_xor(op.isfinite(x), op.less(x, ONE)), FLOAT),
    lambda x: op.astype(op.floor_divide(ints(x), relax.const(3, INT)), FLOAT),
    lambda x: op.astype(op.mod(ints(x), relax.const(5, INT)), FLOAT),
    lambda x: op.astype(op.bitwise_xor(ints(x), relax.const(6, INT)), FLOAT),
    lambda x: op.astype(op.left_shift(ints(x), relax.const(1, INT)), FLOAT),
    lambda x: op.reshape(x, (-1,)),
    lambda x: op.full_like(x, relax.const(2.0, FLOAT)),
]
UNARY += [op.ceil, op.round, op.trunc, op.sin, op.atan, op.asinh, op.erf]
UNARY += [op.nn.softplus, op.nn.selu, op.nn.leakyrelu, op.nn.relu6, op.nn.gelu_tanh]
# Ops on a tensor along one of its axes.
ALONG = [
    op.flip,
    op.cumsum,
    op.sort,
    op.nn.log_softmax,
    lambda x, axis: op.cumprod(op.tanh(x), axis),
    lambda x, axis: op.repeat(x, 2, axis),
    lambda x, axis: op.astype(op.argsort(x, axis), FLOAT),
    lambda x, axis: op.astype(op.argmax(x, axis), FLOAT),
    lambda x, axis: op.astype(op.argmin(x, axis, keepdims=True), FLOAT),
    lambda x, axis: op.topk(x, 1, axis, "values"),
    lambda x, axis: op.take(x, relax.const(np.array([0, 2, 1]), "int64"), axis, "clip"),
    lambda x, axis: op.gather_elements(x, op.astype(op.zeros_like(x), "int64"), axis),
    lambda x, axis: op.strided_slice(x, [axis], [0], [-1]),
    lambda x, axis: op.strided_slice(x, [axis], [2], [-9], [-2]),
    lambda x, axis: op.nn.layer_norm(x, row(op.ones, x), row(op.zeros, x), [-1]),
    lambda x, axis: op.nn.rms_norm(x, row(op.ones, x), [-1]),
    lambda x, axis: op.tile(x, [2]),
    lambda x, axis: op.one_hot(
        op.clip(ints(op.sum(x, axis)), 0, 3),
        relax.PrimValue(tir.FloatImm(FLOAT, 1)),
        relax.PrimValue(tir.FloatImm(FLOAT, 0)),
        4,
    ),
    lambda x, axis: op.nn.pad(x, [0, 0] * axis + [1, 2] + [0, 0] * (len(x.ty.shape) - 1 - axis)),
]
# Ops on a matrix, and on an image of it with one channel.
MATRIX = [op.triu, op.tril, lambda x: op.einsum([x, x], "ij,kj->ik")]
MATRIX += [lambda x: op.linear(x, op.add(x, ONE)), lambda x: op.squeeze(op.expand_dims(x, 0), 0)]
IMAGE = [
    lambda x: op.nn.max_pool2d(x, (3, 3), (2, 1), (1, 1, 1, 1)),
    lambda x: op.nn.avg_pool2d(x, (3, 2), (1, 2), (1, 1, 1, 1)),
    lambda x: op.nn.adaptive_avg_pool2d(x, (2, 3)),
    lambda x: op.image.resize2d(x, (4, 3), layout="NCHW"),
    lambda x: op.nn.conv2d(x, weight(3, 1, 3, 3), padding=(1, 1, 1, 1)),
    lambda x: op.nn.conv2d(
        op.concat([x, x], 1), weight(2, 1, 1, 3), (1, 2), (0, 1, 0, 1), groups=2
    ),
    lambda x: op.nn.conv2d_transpose(x, weight(1, 2, 2, 2), (2, 2)),
    lambda x: op.nn.instance_norm(
        x, *[relax.const(np.ones(1, FLOAT))] * 2, channel_axis=1, axes=[2, 3]
    ),
]

# Layers on an image with `c` channels.
LAYERS = [
    lambda x, c: op.nn.conv2d(x, weight(4, c, 3, 3), padding=(1, 1, 1, 1)),
    lambda x, c: op.nn.conv2d(x, weight(6, c // 2, 1, 3), (2, 1), (0, 1, 0, 1), groups=2),
    lambda x, c: op.nn.conv2d(x, weight(c, 1, 3, 3), (1, 1), (1, 1, 1, 1), groups=c),
    lambda x, c: op.add(x, weight(1, c, 1, 1)),
    lambda x, c: op.multiply(x, weight(1, c, 1, 1)),
    lambda x, c: op.nn.prelu(x, weight(c), 1),
    lambda x, c: op.nn.batch_norm(
        x, weight(c), weight(c), weight(c), op.square(weight(c)), 1, training=False
    ),
    lambda x, c: op.nn.max_pool2d(x, (2, 2), (1, 2), (1, 0, 1, 0)),
    lambda x, c: op.nn.avg_pool2d(x, (2, 2), (2, 1), count_include_pad=True),
    lambda x, c: op.nn.avg_pool2d(x, (2, 3), (1, 2), (0, 1, 1, 2), count_include_pad=True),
    lambda x, c: op.nn.avg_pool2d(x, (3, 2), (2, 1), (1, 0, 2, 1), ceil_mode=True),
    lambda x, c: op.nn.adaptive_avg_pool2d(x, (4, 3)),
    lambda x, c: op.image.resize2d(x, (5, 4), layout="NCHW"),
    lambda x, c: op.nn.softmax(x, 1),
    lambda x, c: op.concat([x, op.nn.relu(x)], 1),
    lambda x, c: op.split(x, 2, 1),
    lambda x, c: op.mean(x, [2, 3], keepdims=True),
    lambda x, c: op.strided_slice(x, [1, 3], [0, 1], [2, 3]),
    lambda x, c: op.nn.pad(x, [0, 0, 0, 0, 1, 0, 0, 1]),
]

# What needs a function of TVM's runtime is left out.
ANY_OPS = [
    case for case in legal_ops.CASES if case[0].partition(".")[0] not in ("ccl", "dist", "inspect")
]

# Each keeps the numbers of any module, but for what `keep` says.
PASSES = [
    "AdjustMatmulOrder",
    "AttachGlobalSymbol",
    "BackwardFoldScaleAxis",
    "CanonicalizeBindings",
]
PASSES += ["CombineParallelMatmul", "ComputePrimValue", "ConvertToDataflow", "DeadCodeElimination"]
PASSES += ["DecomposeOpsForInference", "DecomposeOpsForTraining", "EliminateCommonSubexpr"]
PASSES += ["ExpandMatmulOfSum", "ExpandTupleArguments", "FoldBatchnormToConv2D", "FoldConstant"]
PASSES += ["FoldScaleAxis", "ForwardFoldScaleAxis", "FuseTransposeMatmul"]
PASSES += ["InlinePrivateFunctions", "LambdaLift"]
PASSES += ["LegalizeOps", "Normalize", "NormalizeGlobalVar", "OptimizeLayoutTransform"]
PASSES += ["RemoveRedundantReshape", "RemoveUnusedOutputs", "RemoveUnusedParameters"]
PASSES += ["ReorderPermuteDimsAfterConcat", "ReorderTakeAfterMatmul", "ToNonDataflow"]
PASSES += ["DispatchSampling", "DispatchSortScan", "SimplifyInference", "ToANormalForm"]
PASSES += ["TopologicalSort", "canonicalize", "cse", "inline", "symbol-dce", "sccp"]
PASSES += [
    "ConvertLayout:desired-layouts=relax.nn.conv2d=NHWC:OHWI,relax.image.resize2d=NHWC",
    "ConvertLayout:desired-layouts=relax.nn.conv2d=NHWC:HWIO",
]
# What comes after LegalizeOps, each list in its order, with passes left out at random.
FUSION = ["ConvertToDataflow", "AnnotateTIROpPattern", "FuseOps", "FuseTIR"]
BLOCKS = ["tir.LowerInitBlock", "tir.ConvertBlocksToOpaque", "tir.LowerOpaqueBlock"]
LOOPS = ["tir.StmtSimplify", "tir.LoopPartition", "tir.UnrollLoop", "tir.VectorizeLoop"]
LOOPS += ["tir.CommonSubexprElim", "tir.RemoveNoOp"]
MEMORY = ["RewriteDataflowReshape", "ToNonDataflow", "RemovePurityChecking", "CallTIRRewrite"]
MEMORY += ["StaticPlanBlockMemory", "LowerAllocTensor", "KillAfterLastUse"]


class Generator:
    """Makes one module."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.names = self.pick([("n", "m"), ("max", "cast")])
        self.builder = relax.BlockBuilder()
        self.functions = []

    def pick(self, choices):
        return choices[self.rng.integers(len(choices))]

    def chance(self, probability):
        return self.rng.random() < probability

    def shape(self):
        sizes = [*self.sizes, 1, 2, 3, 4]
        return [self.pick(sizes) for _ in range(self.rng.integers(0, 4))]

    def constant(self, shape):
        shape = [int(dim) if str(dim).isdigit() else 1 for dim in shape]
        return relax.const(self.rng.normal(size=shape).astype(FLOAT))

    def emit(self, call):
        """Emits a call that its op takes; otherwise nothing."""
        var = self.builder.emit(call)
        self.values.append(var)
        return var

    def find(self, test):
        found = [var for var in self.values if is_tensor(var) and test(var)]
        return self.pick(found) if found else None

    def step(self):
        kind = self.rng.integers(22)
        x = self.find(lambda v: v.ty.dtype == FLOAT)
        rank = len(x.ty.shape)
        axis = int(self.rng.integers(max(rank, 1)))
        if kind <= 2:
            self.emit(self.pick(UNARY)(x))
        elif kind <= 5:
            y = self.find(lambda v: v.ty.dtype == FLOAT and broadcast(x, v))
            if self.chance(0.3):
                y = self.constant(x.ty.shape[axis:])
            self.emit(self.pick(BINARY)(x, y))
        elif kind == 6 and rank:
            axes = None if self.chance(0.2) else [axis]
            # The greatest of no numbers, and their mean, are no numbers.
            if all(str(dim).isdigit() for dim in x.ty.shape):
                self.emit(self.pick(REDUCE)(x, axes, keepdims=self.chance(0.5)))
            else:
                self.emit(op.sum(x, axes, keepdims=self.chance(0.5)))
        elif kind == 7:
            order = [int(dim) for dim in self.rng.permutation(rank)]
            self.emit(op.permute_dims(x, order))
        elif kind == 8 and rank:
            y = self.find(lambda v: v.ty.dtype == FLOAT and same(v, x))
            self.emit(op.concat([x, y], axis))
        elif kind == 9:
            self.emit(op.expand_dims(x, axis))
        elif kind == 10:
            y = self.find(lambda v: v.ty.dtype == FLOAT and same(v, x))
            self.emit(op.where(self.pick(COMPARE)(x, y), x, y))
        elif kind == 11 and rank:
            self.emit(op.nn.softmax(x, axis))
        elif kind == 12:
            self.tuple_or_cast(x)
        elif kind == 13 and rank == 2:
            self.emit(op.matmul(x, op.permute_dims(x)))
        elif kind == 14:
            self.emit(self.pick(CHAINS)(x))
        elif kind in (15, 16) and rank:
            self.emit(self.pick(ALONG)(x, axis))
        elif kind == 17 and rank == 2:
            self.emit(self.pick(MATRIX)(x))
        elif kind == 18 and rank == 2:
            self.emit(self.pick(IMAGE)(self.builder.emit(op.expand_dims(x, [0, 1]))))

        elif kind in (17, 18) and rank == 4:
            self.layers(x)
        elif kind >= 19:
            self.any_op(x)

    def layers(self, x):
        """Some layers of a network, which ConvertLayout finds."""
        for _ in range(int(self.rng.integers(1, 5))):
            channels = x.ty.shape[1]
            is_empty = "0" in map(str, x.ty.shape)
            if is_empty or not str(channels).isdigit() or int(channels) % 2:
                return
            try:
                made = self.pick(LAYERS)(x, int(channels))
            except partita.errors.CallError as error:
                # Layers before can have made the image smaller than a window.
                if "expected a window no larger than the padded input" not in str(error):
                    raise
                return
            x = self.builder.emit(made)
            if isinstance(x.ty, relax.TupleType):
                x = self.builder.emit(relax.TupleGetItem(x, 0))
            self.values.append(x)

    def any_op(self, x):
        """A call of any op, on constants that are scaled by a part of `x`."""
        name, operands, make = self.pick(ANY_OPS)
        scale = self.builder.emit(op.add(op.sigmoid(op.sum(x)), ONE))
        values = [self.operand(operand, scale) for operand in operands]
        value = self.builder.emit(make(*values))
        while isinstance(value.ty, relax.TupleType):
            index = int(self.rng.integers(len(value.ty.fields)))
            value = self.builder.emit(relax.TupleGetItem(value, index))
        if value.ty.dtype != FLOAT:
            value = self.builder.emit(op.astype(value, FLOAT))
        self.values.append(value)

    def operand(self, operand, scale):
        shape = [3 if dim == "n" else dim for dim in operand.dims]
        if operand.limit:
            numbers = self.rng.integers(0, operand.limit, shape)
        elif operand.positive:
            numbers = self.rng.uniform(0.5, 2, shape)
        else:
            numbers = self.rng.normal(size=shape)
        value = relax.const(np.array(numbers, operand.dtype), operand.dtype)
        for axis, dim in enumerate(operand.dims):
            if dim == "n":
                rows = op.mod(op.arange(0, self.sizes[0], 1, "int64"), relax.const(3, "int64"))
                value = self.builder.emit(op.take(value, self.builder.emit(rows), axis, "clip"))
        return self.builder.emit(op.multiply(value, scale)) if operand.dtype == FLOAT else value

    def tuple_or_cast(self, x):
        if self.chance(0.3):
            number = self.builder.emit(ints(x))
            operator = self.pick([op.add, op.multiply, op.maximum])
            self.emit(op.astype(operator(number, number), FLOAT))
            return
        pair = self.builder.emit(relax.Tuple([x, op.nn.relu(x)]))
        self.values.append(self.builder.emit(relax.TupleGetItem(pair, int(self.chance(0.5)))))

    def closure(self, x):
        """Calls of a local function, which also takes values from outside."""
        y = self.find(lambda v: v.ty.dtype == FLOAT and same(v, x))
        param = relax.Var("p", x.ty)
        body = self.pick(BINARY)(self.pick(UNARY)(param), y)
        local = self.builder.emit(relax.Function([param], body))
        for argument in [x, y][: int(self.rng.integers(1, 3))]:
            self.values.append(self.builder.emit(relax.Call(local, [argument])))

    def function(self, name, num_steps, calls):
        self.sizes = [tir.Var(size, "int64") for size in self.names]
        shapes = [self.sizes[:1], self.sizes, [*self.sizes[1:], 3]]
        if name == "main":
            shapes += [self.shape() for _ in range(2)]
            shapes += [[self.sizes[0] * 2, self.sizes[1] + 1], [self.sizes[0], 4, 6, 5]]
        params = [
            relax.Var(f"x{i}", relax.TensorType(shape, FLOAT)) for i, shape in enumerate(shapes)
        ]
        condition = relax.Var("c", relax.TensorType((), BOOL))
        builder = self.builder
        with builder.function(name, [*params, condition]):
            self.values = list(params)
            if self.chance(0.6):
                with builder.dataflow():
                    for _ in range(num_steps):
                        self.step()
                    for value in list(self.values[len(params) :][-3:]):
                        self.values.append(builder.emit_output(value))
                self.values = [v for v in self.values if not isinstance(v, relax.DataflowVar)]
            if calls and self.functions:
                callee = self.pick(self.functions)
                self.values.append(builder.emit(relax.Call(callee, [*params[:3], condition])))
            x = self.find(lambda v: v.ty.dtype == FLOAT)
            if self.chance(0.3):
                self.closure(x)
            if self.chance(0.5):
                y = self.find(lambda v: v.ty.dtype == FLOAT and same(v, x))
                branch = relax.If(
                    condition,
                    relax.SeqExpr([], x),
                    relax.SeqExpr([], y),
                )
                self.values.append(builder.emit(branch))
            if self.chance(0.3):
                self.values.append(builder.match_cast(x, x.ty))
            for _ in range(int(self.rng.integers(3))):
                self.step()
            results = [v for v in self.values if is_tensor(v)][-3:]
            # A call returns one tensor.
            result = relax.Tuple(results) if name == "main" else params[1]
            if name != "main":
                for value in reversed(self.values):
                    if is_tensor(value) and same(value, params[1]):
                        result = value
                        break
            builder.emit_func_output(result)
        return builder.get().get_global_var(name)

    def make(self):
        for index in range(int(self.rng.integers(3))):
            self.functions.append(self.function(f"f{index}", 3, False))
        self.function("main", int(self.rng.integers(2, 12)), True)
        return self.builder.get()


def is_tensor(value):
    return isinstance(value.ty, relax.TensorType) and value.ty.dtype == FLOAT


def same(a, b):
    return list(map(str, a.ty.shape)) == list(map(str, b.ty.shape))


def broadcast(a, b):
    pairs = zip(reversed(list(map(str, a.ty.shape))), reversed(list(map(str, b.ty.shape))))
    return all(x == y or "1" in (x, y) for x, y in pairs)


def make_inputs(mod, sizes, seed):
    rng = np.random.default_rng(seed)
    env = {}
    inputs = []
    for param in mod["main"].params:
        for dim in param.ty.shape:
            if isinstance(dim, tir.Var) and str(dim) not in env:
                env[str(dim)] = sizes[len(env)]
        # A size can be an expression of names, which are names in Python, too.
        shape = [eval(str(dim), {}, env) for dim in param.ty.shape]  # noqa: S307
        if param.ty.dtype == BOOL:
            inputs.append(np.array(rng.integers(2), bool))
        else:
            inputs.append(rng.normal(size=shape).astype(FLOAT))
    return inputs


def run(mod, inputs):
    with transform.PassContext(opt_level=1):
        code = partita.compile(mod, relax_pipeline=None)
    return [code["main"](*arrays) for arrays in inputs]


def compare(expected, found):
    for wanted, got in zip(expected, found):
        for a, b in zip(wanted, got):
            if a.shape != b.shape or not np.allclose(a, b, 2e-4, 2e-5, equal_nan=True):
                return f"expected {a.ravel()[:4]}, but found {b.ravel()[:4]}"
    return None


def choose(rng, names, count):
    return [str(name) for name in rng.choice(names, count)]


def keep(names, mod):
    """The passes that keep the numbers of `mod`: training normalizes by the data's own mean."""
    if "batch_norm" not in str(mod):
        return names
    return [name for name in names if name != "DecomposeOpsForTraining"]


def lower(rng):
    """A list that goes from Relax some way down."""
    names = choose(rng, PASSES, int(rng.integers(0, 4)))
    is_in_place, is_fused = rng.random() < 0.3, rng.random() < 0.5
    if is_in_place:
        names += ["ConvertToDataflow", "DataflowUseInplaceCalls"]
    names.append("LegalizeOps")
    if is_fused:
        names += FUSION
    if rng.random() < 0.7:
        names.append("ConvertLinalgToTIR")
        if rng.random() < 0.7:
            names += BLOCKS + choose(rng, LOOPS, int(rng.integers(0, 5)))
    # A function that FuseTIR leaves may write its parameter, which is no error until
    # CallTIRRewrite has made a plain call of it.
    if rng.random() < 0.6 and not (is_in_place and is_fused):
        names += MEMORY[: int(rng.integers(4, len(MEMORY) + 1))]
    return names


def run_lifted(mod, inputs, num_input):
    """What `main` computes of weights that another function prepares."""
    with transform.PassContext(opt_level=1):
        code = partita.compile(mod, relax_pipeline=None)
    results = []
    for arrays in inputs:
        weights = code["main_transform_params"](tuple(arrays[num_input:]))
        results.append(code["main"](*arrays[:num_input], *weights))
    return results


def run_bundled(mod, inputs, num_input):
    with transform.PassContext(opt_level=1):
        code = partita.compile(mod, relax_pipeline=None)
    return [code["main"](*arrays[:num_input], tuple(arrays[num_input:])) for arrays in inputs]


# The passes that change how `main` is called.
WEIGHTS = [("LiftTransformParams", run_lifted), ("BundleModelParams", run_bundled)]


def fail(seed, names, difference, mod):
    print(f"seed {seed}, after {names}: {difference}\n{mod.script()}")
    sys.exit(1)


def bind_sizes(params, others):
    """Whether each name in the sizes of `others` is a size of one of `params`."""
    bound = {str(dim) for param in params for dim in param.ty.shape if isinstance(dim, tir.Var)}
    text = " ".join(str(dim) for param in others for dim in param.ty.shape)
    return set(re.findall(r"[a-z]\w*", text)) <= bound


def check_weights(seed, rng, mod, inputs, expected):
    """Takes the last parameters of `main` as weights."""
    params = mod["main"].params
    # Weights that nothing uses go, with the sizes that they say.
    counts = [
        i
        for i in range(1, len(params))
        if bind_sizes(params[:i], params) and bind_sizes(params[i:], params[i:])
    ]
    if not counts:
        return 0
    num_input = int(rng.choice(counts))
    main = mod["main"].with_attr("num_input", num_input)
    with_weights = partita.IRModule({**mod.functions, mod.get_global_var("main"): main})
    for name, run_main in WEIGHTS:
        names = choose(rng, PASSES, int(rng.integers(0, 2)))
        names += [name, *choose(rng, PASSES, int(rng.integers(0, 2))), "LegalizeOps"]
        names = keep(names, mod)
        try:
            passes = [transform.get_pass(*name.split(":", 1)) for name in names]
            after = transform.Sequential(passes)(with_weights)
            difference = compare(expected, run_main(after, inputs, num_input))
        except Exception as error:
            difference = repr(error)
        if difference:
            fail(seed, names, difference, with_weights)
    return len(WEIGHTS)


def check(seed):
    """Returns the number of modules that were compiled after passes."""
    generator = Generator(seed)
    with np.errstate(all="ignore"):
        mod = generator.make()
    inputs = [make_inputs(mod, sizes, seed) for sizes in ((3, 5), (1, 1))]
    expected = run(mod, inputs)
    rng = generator.rng
    lists = [choose(rng, PASSES, 1) for _ in range(4)]
    lists += [choose(rng, PASSES, int(rng.integers(2, 7))) for _ in range(2)]
    lists += [lower(rng) for _ in range(2)]
    for names in (keep(names, mod) for names in lists):
        try:
            passes = [transform.get_pass(*name.split(":", 1)) for name in names]
            after = transform.Sequential(passes)(mod)
            difference = compare(expected, run(after, inputs))
        except Exception as error:
            difference = repr(error)
        if difference:
            fail(seed, names, difference, mod)
    return len(lists) + check_weights(seed, rng, mod, inputs, expected)


def main():
    first, count = map(int, sys.argv[1:])
    runs = sum(check(seed) for seed in range(first, first + count))
    print(f"{count} modules agree after {runs} lists of passes")


if __name__ == "__main__":
    main()
