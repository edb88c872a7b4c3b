//===- DecomposeOpsForTraining.cpp - Normalize by simpler ops -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpDecomposer.h"
#include "../Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_DECOMPOSEOPSFORTRAINING
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// The weighted sum of the running statistic and the data's.
static Value update(OpBuilder &builder, BatchNormOp norm, Value running,
                    Value found) {
  Location loc = withoutName(norm.getLoc());
  Type type = getRankedType(norm.getData()).getElementType();
  double momentum = norm.getMomentum().convertToDouble();
  Value kept = MultiplyOp::create(
      builder, loc, createScalar(builder, loc, type, 1 - momentum), running);
  Value added = MultiplyOp::create(
      builder, loc, createScalar(builder, loc, type, momentum), found);
  return AddOp::create(builder, loc, kept, added);
}

static bool decomposeBatchNorm(BatchNormOp norm) {
  if (!hasRankedTensors(norm))
    return false;
  OpBuilder builder(norm);
  Location loc = withoutName(norm.getLoc());
  SmallVector<int64_t> axes;
  int64_t rank = getRankedType(norm.getData()).getRank();
  for (int64_t axis : llvm::seq(rank))
    if (axis != fromFront(norm.getAxis(), rank))
      axes.push_back(axis);
  DenseI64ArrayAttr axesAttr = builder.getDenseI64ArrayAttr(axes);
  Value mean = MeanOp::create(builder, loc, norm.getData(), axesAttr);
  Value variance = VarianceOp::create(builder, loc, norm.getData(), axesAttr);
  Value result = normalize(builder, norm, mean, variance);
  // TVM's tuple for the statistics of the data.
  if (hasFieldVariables(norm)) {
    Value tuple = TupleOp::create(builder, withName(loc, "lv"),
                                  ValueRange{result, mean, variance});
    result = TupleGetItemOp::create(builder, withName(loc, "lv"), tuple, 0);
  }
  SmallVector<Value> values = {
      result, update(builder, norm, norm.getMovingMean(), mean),
      update(builder, norm, norm.getMovingVar(), variance)};
  for (auto [value, old] : llvm::zip_equal(values, norm.getResults()))
    value.setType(old.getType());
  replaceFields(builder, norm, values);
  return true;
}

/// Whether the axes are the last ones, in order, as the parameters need it that
/// broadcast.
static bool areLast(ArrayRef<int64_t> axes, int64_t rank) {
  for (auto [index, axis] : llvm::enumerate(axes))
    if (fromFront(axis, rank) != rank - int64_t(axes.size() - index))
      return false;
  return true;
}

static bool decomposeLayerNorm(LayerNormOp norm) {
  if (!hasRankedTensors(norm) ||
      !areLast(norm.getAxes(), getRankedType(norm.getData()).getRank()))
    return false;
  OpBuilder builder(norm);
  Location loc = withoutName(norm.getLoc());
  Value x = norm.getData();
  Type type = getRankedType(x).getElementType();
  Value mean =
      MeanOp::create(builder, loc, x, norm.getAxesAttr(), /*keepdims=*/true);
  Value deviation = SubtractOp::create(builder, loc, x, mean);
  Value variance = VarianceOp::create(builder, loc, x, norm.getAxesAttr(),
                                      /*keepdims=*/true);
  Value epsilon =
      createScalar(builder, loc, type, norm.getEpsilon().convertToDouble());
  Value shifted = AddOp::create(builder, loc, variance, epsilon);
  Value root = SqrtOp::create(builder, loc, shifted);
  Value result = DivideOp::create(builder, loc, deviation, root);
  if (norm.getScale())
    result = MultiplyOp::create(builder, loc, result, norm.getGamma());
  if (norm.getCenter())
    result = AddOp::create(builder, loc, result, norm.getBeta());
  result.setType(norm.getType());
  result.getDefiningOp()->setLoc(norm.getLoc());
  norm.getResult().replaceAllUsesWith(result);
  norm.erase();
  return true;
}

namespace {
struct DecomposeOpsForTraining
    : relax::impl::DecomposeOpsForTrainingBase<DecomposeOpsForTraining> {
  using DecomposeOpsForTrainingBase::DecomposeOpsForTrainingBase;

  void runOnOperation() override {
    if (!funcName.empty() && getOperation().getSymName() != funcName)
      return markAllAnalysesPreserved();
    int64_t count = 0;
    // To replace one can erase other ops.
    SmallVector<Operation *> norms;
    getOperation().walk([&](Operation *op) {
      if (isa<BatchNormOp, LayerNormOp>(op))
        norms.push_back(op);
    });
    for (Operation *op : norms)
      if (auto norm = dyn_cast<BatchNormOp>(op))
        count += decomposeBatchNorm(norm);
      else
        count += decomposeLayerNorm(cast<LayerNormOp>(op));
    // No batch_norm of known rank is left.
    int64_t others = decomposeForInference(getOperation());
    numDecomposed += count + others;
    if (count + others == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
