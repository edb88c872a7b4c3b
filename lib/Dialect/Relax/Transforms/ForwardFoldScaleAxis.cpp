//===- ForwardFoldScaleAxis.cpp - Scale the weights behind ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows a scaled value along all of its uses to the weights that it meets.
// The scale stays if a single use cannot do without it.
//
//===----------------------------------------------------------------------===//

#include "ScaleAxis.h"
#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace partita::relax {
#define GEN_PASS_DEF_FORWARDFOLDSCALEAXIS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita::relax;

namespace {
/// Follows one scale, and equal ones that it meets in a sum.
class ForwardFold {
public:
  explicit ForwardFold(AxisScale scale) { addScale(scale); }

  /// Finds what to scale instead; returns whether all of it can be scaled.
  bool find();
  void apply();

  /// The multiplications to remove.
  ArrayRef<AxisScale> getScales() const { return scales; }

private:
  bool addScale(AxisScale scale);
  bool addValue(Value value, std::optional<int64_t> axis);
  bool addWeight(OpOperand &weight, std::optional<int64_t> axis);

  bool visit(Conv2DOp conv, OpOperand &use, int64_t axis);
  bool visit(MatmulOp matmul, OpOperand &use, int64_t axis);
  bool visit(ReluOp relu, OpOperand &use, int64_t axis);
  bool visit(MaxPool2DOp pool, OpOperand &use, int64_t axis);
  bool visit(AddOp add, OpOperand &use, int64_t axis);

  SmallVector<AxisScale> scales;
  /// Values that will no longer be scaled, with the axis.
  llvm::MapVector<Value, int64_t> values;
  SmallVector<AddOp> sums;
  SmallVector<ScaledOperand> weights;
};

struct ForwardFoldScaleAxis
    : partita::relax::impl::ForwardFoldScaleAxisBase<ForwardFoldScaleAxis> {
  void runOnOperation() override;
};
} // namespace

bool ForwardFold::addScale(AxisScale scale) {
  scales.push_back(scale);
  return addValue(scale.getResult(), scale.getAxis());
}

bool ForwardFold::addValue(Value value, std::optional<int64_t> axis) {
  return axis && values.try_emplace(value, *axis).first->second == *axis;
}

bool ForwardFold::addWeight(OpOperand &weight, std::optional<int64_t> axis) {
  if (!axis || !scales.front().canScaleWeight(weight.get(), *axis))
    return false;
  weights.push_back({&weight, *axis});
  return true;
}

bool ForwardFold::visit(Conv2DOp conv, OpOperand &use, int64_t axis) {
  if (&use != &conv.getDataMutable() ||
      !arePlainLayouts({conv.getDataLayout(), conv.getKernelLayout()}))
    return false;
  OpOperand &weight = conv.getWeightMutable();
  int64_t dataAxis = getAxis(conv.getDataLayout(), 'C');
  int64_t inputs = getAxis(conv.getKernelLayout(), 'I');
  int64_t outputs = getAxis(conv.getKernelLayout(), 'O');
  auto groups = static_cast<int64_t>(conv.getGroups());
  if (groups == 1)
    return addWeight(weight, mapAxis(axis, dataAxis, inputs));
  // With groups, an input of the weight stands for several channels, unless
  // each channel is a group and has one output.
  ArrayRef<int64_t> shape = getRankedType(conv.getWeight()).getShape();
  bool isDepthwise = shape[shape.size() + inputs] == 1 &&
                     shape[shape.size() + outputs] == groups;
  if (axis != anyAxis && !isDepthwise)
    return false;
  return addWeight(weight, mapAxis(axis, dataAxis, outputs));
}

bool ForwardFold::visit(MatmulOp matmul, OpOperand &use, int64_t axis) {
  bool isVector = getRankedType(matmul.getX2()).getRank() == 1;
  return &use == &matmul.getX1Mutable() &&
         addWeight(matmul.getX2Mutable(),
                   mapAxis(axis, -1, isVector ? -1 : -2));
}

bool ForwardFold::visit(ReluOp relu, OpOperand &, int64_t axis) {
  return scales.front().isPositive() && addValue(relu.getResult(), axis);
}

bool ForwardFold::visit(MaxPool2DOp pool, OpOperand &, int64_t axis) {
  return arePlainLayouts({pool.getLayout(), pool.getOutLayout()}) &&
         scales.front().isPositive() &&
         addValue(pool.getResult(),
                  mapAxis(axis, getAxis(pool.getLayout(), 'C'),
                          getAxis(pool.getOutLayout(), 'C')));
}

bool ForwardFold::visit(AddOp add, OpOperand &use, int64_t axis) {
  Value other = use.getOperandNumber() == 0 ? add.getRhs() : add.getLhs();
  if (other.getType() != add.getType() || use.get().getType() != add.getType())
    return false;
  sums.push_back(add);
  if (auto multiply = other.getDefiningOp<MultiplyOp>();
      multiply && !values.contains(other))
    if (std::optional<AxisScale> scale = AxisScale::get(multiply);
        scale && scale->hasFactorsOf(scales.front()) && !addScale(*scale))
      return false;
  return addValue(add.getResult(), axis);
}

bool ForwardFold::find() {
  for (size_t number = 0; number < values.size(); ++number) {
    auto [value, axis] = *(values.begin() + number);
    for (OpOperand &use : value.getUses()) {
      bool moves =
          hasRankedTensors(use.getOwner()) &&
          llvm::TypeSwitch<Operation *, bool>(use.getOwner())
              .Case<Conv2DOp, MatmulOp, ReluOp, MaxPool2DOp, AddOp>(
                  [&, axis = axis](auto op) { return visit(op, use, axis); })
              .Default(false);
      if (!moves)
        return false;
    }
  }
  // Both sides of a sum must be scaled, which is known only now. Without a
  // weight, nothing uses the scaled value.
  return !weights.empty() && llvm::all_of(sums, [&](AddOp add) {
    return values.contains(add.getLhs()) && values.contains(add.getRhs());
  });
}

void ForwardFold::apply() {
  for (auto [operand, axis] : weights)
    scales.front().scale(*operand, axis);
  for (AxisScale &scale : scales)
    scale.erase();
}

void ForwardFoldScaleAxis::runOnOperation() {
  if (isPrimitive(getOperation()))
    return markAllAnalysesPreserved();
  SmallVector<MultiplyOp> multiplies;
  getOperation().walk(
      [&](MultiplyOp multiply) { multiplies.push_back(multiply); });
  llvm::DenseSet<Operation *> folded;
  // Visit later multiplies first, so that earlier ones can still reach the
  // weights.
  for (MultiplyOp multiply : llvm::reverse(multiplies)) {
    std::optional<AxisScale> scale;
    if (!folded.contains(multiply.getOperation()))
      scale = AxisScale::get(multiply);
    if (!scale)
      continue;
    ForwardFold fold(*scale);
    if (!fold.find())
      continue;
    for (const AxisScale &other : fold.getScales())
      folded.insert(other.getResult().getDefiningOp());
    fold.apply();
  }
  numFolded += folded.size();
  if (folded.empty())
    markAllAnalysesPreserved();
}
