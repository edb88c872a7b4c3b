//===- ShapeGradients.cpp - Gradients of reductions and movement ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradients.h"

using namespace mlir;
using namespace partita::relax;

/// `gradient`, with the dimensions that a reduction has dropped.
template <typename OpT>
static Value restoreAxes(OpT op, GradientBuilder &b, Value gradient) {
  std::optional<ArrayRef<int64_t>> axes = op.getAxis();
  if (op.getKeepdims() || !axes || axes->empty())
    return gradient;
  return b.make<ExpandDimsOp>(gradient, *axes);
}

static LogicalResult getSumGradient(SumOp op, GradientBuilder &b,
                                    Partials &partials) {
  addPartial(partials, [&b, op] {
    Value restored = restoreAxes(op, b, b.getGradient());
    return b.make<BroadcastToOp>(restored, b.makeShapeOf(b.operands[0]));
  });
  return success();
}

static LogicalResult getMeanGradient(MeanOp op, GradientBuilder &b,
                                     Partials &partials) {
  std::optional<int64_t> count = countElements(b.operands[0], op.getAxis());
  if (!count)
    return failure();
  addPartial(partials, [&b, op, count] {
    Value scaled = b.make<DivideOp>(b.getGradient(),
                                    b.makeScalar(b.getGradient(), *count));
    Value restored = restoreAxes(op, b, scaled);
    return b.make<BroadcastToOp>(restored, b.makeShapeOf(b.operands[0]));
  });
  return success();
}

static LogicalResult getVarianceGradient(VarianceOp op, GradientBuilder &b,
                                         Partials &partials) {
  std::optional<int64_t> count = countElements(b.operands[0], op.getAxis());
  if (!count)
    return failure();
  addPartial(partials, [&b, op, count]() mutable {
    Value x = b.operands[0];
    double number = *count;
    Value restored = restoreAxes(op, b, b.getGradient());
    Value scaled = b.make<MultiplyOp>(b.makeScalar(x, 2 / number), x);
    Value factor = b.makeScalar(x, 2 / number / number);
    Value sum = b.make<SumOp>(x, op.getAxisAttr(), /*keepdims=*/true);
    Value mean = b.make<MultiplyOp>(factor, sum);
    return b.make<MultiplyOp>(restored, b.make<SubtractOp>(scaled, mean));
  });
  return success();
}

static LogicalResult getPermuteDimsGradient(PermuteDimsOp op,
                                            GradientBuilder &b,
                                            Partials &partials) {
  addPartial(partials, [&b, op]() mutable -> Value {
    DenseI64ArrayAttr inverse;
    if (op.getAxesAttr()) {
      SmallVector<int64_t> permutation = op.getPermutation();
      SmallVector<int64_t> axes(permutation.size());
      for (auto [index, axis] : llvm::enumerate(permutation))
        axes[axis] = index;
      inverse = b.getDenseI64ArrayAttr(axes);
    }
    return b.make<PermuteDimsOp>(b.getGradient(), inverse);
  });
  return success();
}

static LogicalResult getConcatGradient(ConcatOp op, GradientBuilder &b,
                                       Partials &partials) {
  if (!op.getAxis())
    return failure();
  SmallVector<Type> types(op.getTensors().getTypes());
  if (types.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(types.front()))
      types.assign(tuple.begin(), tuple.end());
  SmallVector<int64_t> begins;
  int64_t begin = 0;
  for (Type type : ArrayRef<Type>(types).drop_back()) {
    std::optional<TensorInfo> info = TensorInfo::get(type);
    if (!info || !info->isRanked)
      return failure();
    Dim size = info->dims[fromFront(*op.getAxis(), info->getRank())];
    if (!size.isNumber())
      return failure();
    begins.push_back(begin += size.getSize());
  }
  int64_t axis = *op.getAxis();
  partials.push_back([&b, begins, axis]() -> SmallVector<Value> {
    auto split = SplitOp::create(b, b.getGradient(),
                                 b.getDenseI64ArrayAttr(begins), axis);
    return SmallVector<Value>(split.getResults());
  });
  return success();
}

static LogicalResult getSplitGradient(SplitOp op, GradientBuilder &b,
                                      Partials &partials) {
  addPartial(partials, [&b, op]() mutable {
    return b.make<ConcatOp>(b.gradients, b.getI64IntegerAttr(op.getAxis()));
  });
  return success();
}

static LogicalResult getExpandDimsGradient(ExpandDimsOp op, GradientBuilder &b,
                                           Partials &partials) {
  addPartial(partials, [&b, op]() mutable {
    return b.make<SqueezeOp>(b.getGradient(), op.getAxisAttr());
  });
  return success();
}

static LogicalResult getReshapeGradient(ReshapeOp, GradientBuilder &b,
                                        Partials &partials) {
  addPartial(partials, [&b] {
    return b.make<ReshapeOp>(b.getGradient(), b.makeShapeOf(b.operands[0]));
  });
  partials.push_back(nullptr);
  return success();
}

static LogicalResult getBroadcastToGradient(BroadcastToOp, GradientBuilder &b,
                                            Partials &partials) {
  addPartial(partials, [&b] {
    return b.make<CollapseSumToOp>(b.getGradient(),
                                   b.makeShapeOf(b.operands[0]));
  });
  partials.push_back(nullptr);
  return success();
}

static LogicalResult getTriuGradient(TriuOp, GradientBuilder &b,
                                     Partials &partials) {
  addPartial(partials,
             [&b] { return b.make<TriuOp>(b.getGradient(), b.operands[1]); });
  partials.push_back(nullptr);
  return success();
}

/// The sum from each element on: all of it less the sum up to the element.
static LogicalResult getCumsumGradient(CumsumOp op, GradientBuilder &b,
                                       Partials &partials) {
  if (op.getExclusive())
    return failure();
  addPartial(partials, [&b, op]() mutable {
    Value gradient = b.getGradient(), x = b.operands[0];
    std::optional<int64_t> axis = op.getAxis();
    DenseI64ArrayAttr axes = axis ? b.getDenseI64ArrayAttr(*axis) : nullptr;
    Value all = b.make<SumOp>(gradient, axes, /*keepdims=*/true);
    Value before =
        b.make<CumsumOp>(gradient, op.getAxisAttr(), TypeAttr(), false);
    Value after = b.make<SubtractOp>(all, before);
    Value flat = axis ? gradient : b.make<FlattenOp>(gradient);
    Value sum = b.make<AddOp>(after, flat);
    if (!axis)
      sum = b.make<ReshapeOp>(sum, b.makeShapeOf(x));
    if (op.getDtype())
      sum = b.make<AstypeOp>(
          sum, TypeAttr::get(TensorInfo::get(x.getType())->elementType));
    return sum;
  });
  return success();
}

static LogicalResult getTakeGradient(TakeOp op, GradientBuilder &b,
                                     Partials &partials) {
  if (!TensorInfo::get(b.operands[1].getType()))
    return failure();
  addPartial(partials, [&b, op]() mutable {
    // As in TVM, without a mode.
    return b.make<TakeBackwardOp>(b.getGradient(), b.operands[0], b.operands[1],
                                  op.getAxisAttr(), "");
  });
  partials.push_back(nullptr);
  return success();
}

void partita::relax::attachShapeGradients(MLIRContext *context) {
  attachGradient<getSumGradient, SumOp>(context);
  attachGradient<getMeanGradient, MeanOp>(context);
  attachGradient<getVarianceGradient, VarianceOp>(context);
  attachGradient<getPermuteDimsGradient, PermuteDimsOp>(context);
  attachGradient<getConcatGradient, ConcatOp>(context);
  attachGradient<getSplitGradient, SplitOp>(context);
  attachGradient<getExpandDimsGradient, ExpandDimsOp>(context);
  attachGradient<getReshapeGradient, ReshapeOp>(context);
  attachGradient<getBroadcastToGradient, BroadcastToOp>(context);
  attachGradient<getTriuGradient, TriuOp>(context);
  attachGradient<getCumsumGradient, CumsumOp>(context);
  attachGradient<getTakeGradient, TakeOp>(context);
}
