//===- NNGradients.cpp - Gradients of products, losses and windows --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradients.h"
#include "Utils.h"

using namespace mlir;
using namespace partita::relax;

/// `tensor`, of rank 2 at least, with the last two dimensions swapped.
static Value swapLastTwo(GradientBuilder &b, Value tensor) {
  int64_t rank = TensorInfo::get(tensor.getType())->getRank();
  return b.make<PermuteDimsOp>(tensor,
                               b.getDenseI64ArrayAttr(getSwappedAxes(rank)));
}

static Value matmul(GradientBuilder &b, Value x, Value y) {
  return b.make<MatmulOp>(x, y, TypeAttr());
}

static LogicalResult getMatmulGradient(MatmulOp, GradientBuilder &b,
                                       Partials &partials) {
  Value x = b.operands[0], y = b.operands[1], gradient = b.getGradient();
  int64_t rankX = TensorInfo::get(x.getType())->getRank(),
          rankY = TensorInfo::get(y.getType())->getRank();
  std::function<Value()> buildX, buildY;
  if (rankX > 1 && rankY > 1) {
    Value toX = swapLastTwo(b, y), toY = swapLastTwo(b, x);
    buildX = [&b, gradient, toX] { return matmul(b, gradient, toX); };
    buildY = [&b, gradient, toY] { return matmul(b, toY, gradient); };
  } else if (rankY > 1) {
    // A row: its gradient is the product's, as a row.
    Value row = b.make<ExpandDimsOp>(gradient, ArrayRef<int64_t>(-2));
    Value toX = swapLastTwo(b, y);
    Value column = b.make<ExpandDimsOp>(x, ArrayRef<int64_t>(1));
    buildX = [&b, row, toX] { return matmul(b, row, toX); };
    buildY = [&b, row, column] { return matmul(b, column, row); };
  } else if (rankX > 1) {
    Value column = b.make<ExpandDimsOp>(gradient, ArrayRef<int64_t>(-1));
    Value row = b.make<ExpandDimsOp>(y, ArrayRef<int64_t>(0));
    Value toY = matmul(b, swapLastTwo(b, x), column);
    buildX = [&b, row, column] { return matmul(b, column, row); };
    buildY = [&b, toY] {
      return b.make<SqueezeOp>(toY, b.getDenseI64ArrayAttr(-1));
    };
  } else {
    buildX = [&b, gradient, y] { return b.make<MultiplyOp>(gradient, y); };
    buildY = [&b, gradient, x] { return b.make<MultiplyOp>(gradient, x); };
  }
  addPartial(partials, [&b, buildX, x] { return b.fit(buildX(), x); });
  addPartial(partials, [&b, buildY, y] { return b.fit(buildY(), y); });
  return success();
}

static LogicalResult getSoftmaxGradient(SoftmaxOp op, GradientBuilder &b,
                                        Partials &partials) {
  addPartial(partials, [&b, op]() mutable {
    Value gradient = b.getGradient(), y = b.getResult();
    Value scaled = b.make<MultiplyOp>(gradient, y);
    Value sum = b.make<SumOp>(scaled, b.getDenseI64ArrayAttr(op.getAxis()),
                              /*keepdims=*/true);
    return b.make<MultiplyOp>(b.make<SubtractOp>(gradient, sum), y);
  });
  return success();
}

static LogicalResult getLogSoftmaxGradient(LogSoftmaxOp op, GradientBuilder &b,
                                           Partials &partials) {
  addPartial(partials, [&b, op]() mutable {
    Value gradient = b.getGradient();
    Value sum = b.make<SumOp>(gradient, b.getDenseI64ArrayAttr(op.getAxis()),
                              /*keepdims=*/true);
    Value scaled = b.make<MultiplyOp>(sum, b.make<ExpOp>(b.getResult()));
    return b.make<SubtractOp>(gradient, scaled);
  });
  return success();
}

static LogicalResult getCrossEntropyGradient(CrossEntropyWithLogitsOp,
                                             GradientBuilder &b,
                                             Partials &partials) {
  std::optional<TensorInfo> x = TensorInfo::get(b.operands[0].getType());
  bool hasBatch = x->getRank() > 1;
  if (hasBatch && (!x->dims[0].isNumber() || x->dims[0] == Dim(0)))
    return failure();
  // Both gradients share the first one that is built.
  auto shared = std::make_shared<Value>();
  for (unsigned index : {0, 1})
    addPartial(partials, [&b, shared, hasBatch, x, index] {
      if (!*shared)
        *shared = hasBatch
                      ? b.make<DivideOp>(
                            b.getGradient(),
                            b.makeScalar(b.getGradient(), x->dims[0].getSize()))
                      : b.getGradient();
      Value negative = b.make<NegativeOp>(*shared);
      return b.make<MultiplyOp>(negative, b.operands[1 - index]);
    });
  return success();
}

static LogicalResult getNLLLossGradient(NLLLossOp op, GradientBuilder &b,
                                        Partials &partials) {
  addPartial(partials, [&b, op]() mutable {
    Value weights = b.operands.size() > 2 ? b.operands[2] : Value();
    return b.make<NLLLossBackwardOp>(b.getGradient(), b.operands[0],
                                     b.operands[1], weights, op.getReduction(),
                                     op.getIgnoreIndex());
  });
  partials.resize(b.operands.size());
  return success();
}

template <typename BackwardOpT, typename OpT>
static LogicalResult getPoolGradient(OpT op, GradientBuilder &b,
                                     Partials &partials) {
  addPartial(partials, [&b, op]() mutable {
    return b.make<BackwardOpT>(
        b.getGradient(), b.operands[0], op.getPoolSize(), op.getStrides(),
        op.getPadding(), op.getDilation(), op.getCeilMode(),
        op.getCountIncludePad(), op.getLayout(), op.getOutLayout());
  });
  return success();
}

//===----------------------------------------------------------------------===//
// conv2d
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of a convolution in one spatial dimension.
struct ConvSizes {
  int64_t input, kernel, output, before, after, stride, dilation;

  /// How much of the input the windows do not reach.
  int64_t getRest() const {
    int64_t window = dilation * (kernel - 1) + 1;
    return input - ((output - 1) * stride - before - after + window);
  }
  /// The size of the weight's gradient, whose windows can be more.
  int64_t getWeightSize() const {
    return (input - (output - 1) * stride - 1 + before + after) / dilation + 1;
  }
};
} // namespace

static bool areStatic(ValueRange tensors) {
  return llvm::all_of(tensors, [](Value tensor) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    return type && type.hasStaticShape() && type.getNumElements() > 0;
  });
}

/// A tuple of numbers, as a slice takes it.
static Value makeNumbers(GradientBuilder &b, ArrayRef<int64_t> numbers) {
  SmallVector<Value> fields;
  for (int64_t number : numbers)
    fields.push_back(createInt(b, number));
  return TupleOp::create(b, b.getUnknownLoc(), fields);
}

static Value buildWeightGradient(Conv2DOp op, GradientBuilder &b, ConvSizes h,
                                 ConvSizes w) {
  Value data = b.operands[0];
  ArrayRef<int64_t> shape = getRankedType(data).getShape();
  int64_t groups = op.getGroups(), channels = shape[1] / groups;
  if (groups != 1) {
    auto reshape = [&](ArrayRef<Dim> dims) {
      data = b.make<ReshapeOp>(data, createShape(b, dims));
    };
    Dim height = shape[2], width = shape[3];
    reshape({shape[0], groups, channels, height, width});
    data = b.make<PermuteDimsOp>(data, b.getDenseI64ArrayAttr({1, 0, 2, 3, 4}));
    reshape({shape[0] * groups, channels, height, width});
  }
  Value weight = b.make<Conv2DOp>(data, b.getGradient(), op.getDilation(),
                                  op.getPadding(), op.getStrides(), groups,
                                  "CNHW", "IOHW", "CNHW", op.getOutDtypeAttr());
  if (h.getWeightSize() <= h.kernel && w.getWeightSize() <= w.kernel)
    return weight;
  int64_t filters = getRankedType(b.operands[1]).getDimSize(0);
  Value axes = makeNumbers(b, {0, 1, 2, 3}),
        begin = makeNumbers(b, {0, 0, 0, 0}),
        end = makeNumbers(b, {filters, channels, h.kernel, w.kernel});
  return b.make<StridedSliceOp>(weight, axes, begin, end, Value(), false);
}

static LogicalResult getConv2DGradient(Conv2DOp op, GradientBuilder &b,
                                       Partials &partials) {
  if (op.getDataLayout() != "NCHW" || op.getKernelLayout() != "OIHW" ||
      op.getOutLayout() != "NCHW" || !areStatic(b.operands) ||
      !areStatic(b.results))
    return failure();
  SmallVector<ConvSizes> sizes;
  for (unsigned dim : {0, 1})
    sizes.push_back({getRankedType(b.operands[0]).getDimSize(2 + dim),
                     getRankedType(b.operands[1]).getDimSize(2 + dim),
                     getRankedType(b.getResult()).getDimSize(2 + dim),
                     op.getPadding()[dim], op.getPadding()[2 + dim],
                     op.getStrides()[dim], op.getDilation()[dim]});
  for (const ConvSizes &each : sizes)
    if (each.getRest() < 0 || each.getRest() >= each.stride ||
        each.getWeightSize() < each.kernel)
      return failure();
  addPartial(partials, [&b, op, sizes]() mutable {
    SmallVector<int64_t> rest = {sizes[0].getRest(), sizes[1].getRest()};
    return b.make<Conv2DTransposeOp>(b.getGradient(), b.operands[1],
                                     op.getStrides(), op.getPadding(), rest,
                                     op.getDilation(), op.getGroups(), "NCHW",
                                     "IOHW", "NCHW", op.getOutDtypeAttr());
  });
  addPartial(partials, [&b, op, sizes] {
    return buildWeightGradient(op, b, sizes[0], sizes[1]);
  });
  return success();
}

void partita::relax::attachNNGradients(MLIRContext *context) {
  attachGradient<getMatmulGradient, MatmulOp>(context);
  attachGradient<getSoftmaxGradient, SoftmaxOp>(context);
  attachGradient<getLogSoftmaxGradient, LogSoftmaxOp>(context);
  attachGradient<getCrossEntropyGradient, CrossEntropyWithLogitsOp>(context);
  attachGradient<getNLLLossGradient, NLLLossOp>(context);
  attachGradient<getPoolGradient<AvgPool2DBackwardOp, AvgPool2DOp>,
                 AvgPool2DOp>(context);
  attachGradient<getPoolGradient<MaxPool2DBackwardOp, MaxPool2DOp>,
                 MaxPool2DOp>(context);
  attachGradient<getConv2DGradient, Conv2DOp>(context);
}
