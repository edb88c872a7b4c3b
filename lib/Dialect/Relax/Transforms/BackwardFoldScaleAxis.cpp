//===- BackwardFoldScaleAxis.cpp - Scale the weights in front -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows a multiplied value up to the weights from which it is computed. Each
// value on the way has one use, so that nothing else sees it scaled.
//
//===----------------------------------------------------------------------===//

#include "ScaleAxis.h"
#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace partita::relax {
#define GEN_PASS_DEF_BACKWARDFOLDSCALEAXIS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita::relax;

namespace {
/// Follows one scale.
class BackwardFold {
public:
  explicit BackwardFold(AxisScale scale) : scale(scale) {}

  /// Scales the weights instead; false, and nothing changes, if not all of
  /// them can be scaled.
  bool run();

private:
  bool visit(Conv2DOp conv, int64_t axis);
  bool visit(MatmulOp matmul, int64_t axis);
  bool visit(ReluOp relu, int64_t axis);
  bool visit(MaxPool2DOp pool, int64_t axis);
  bool visit(AddOp add, int64_t axis);
  bool addWeight(OpOperand &weight, Type result, std::optional<int64_t> axis);

  AxisScale scale;
  /// Values to scale along an axis.
  SmallVector<std::pair<Value, int64_t>> worklist;
  SmallVector<ScaledOperand> constants;
};

struct BackwardFoldScaleAxis
    : partita::relax::impl::BackwardFoldScaleAxisBase<BackwardFoldScaleAxis> {
  void runOnOperation() override {
    bool changed = false;
    // Visit earlier multiplies first, so that later ones can still reach the
    // weights.
    if (!isPrimitive(getOperation()))
      getOperation().walk([&](MultiplyOp multiply) {
        std::optional<AxisScale> scale = AxisScale::get(multiply);
        if (!scale || !BackwardFold(*scale).run())
          return;
        ++numFolded;
        changed = true;
      });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace

bool BackwardFold::addWeight(OpOperand &weight, Type result,
                             std::optional<int64_t> axis) {
  // The weight needs the precision of the multiplied value.
  if (getElementTypeOrSelf(weight.get()) != getElementTypeOrSelf(result))
    return false;
  if (!axis || !scale.canScaleWeight(weight.get(), *axis))
    return false;
  constants.push_back({&weight, *axis});
  return true;
}

bool BackwardFold::visit(Conv2DOp conv, int64_t axis) {
  if (!arePlainLayouts({conv.getOutLayout(), conv.getKernelLayout()}))
    return false;
  return addWeight(conv.getWeightMutable(), conv.getType(),
                   mapAxis(axis, getAxis(conv.getOutLayout(), 'C'),
                           getAxis(conv.getKernelLayout(), 'O')));
}

bool BackwardFold::visit(MatmulOp matmul, int64_t axis) {
  // The result's last dimension is the weight's if the weight has columns.
  if (axis != anyAxis && getRankedType(matmul.getX2()).getRank() < 2)
    return false;
  return addWeight(matmul.getX2Mutable(), matmul.getType(),
                   mapAxis(axis, -1, -1));
}

bool BackwardFold::visit(ReluOp relu, int64_t axis) {
  worklist.emplace_back(relu.getX(), axis);
  return scale.isPositive();
}

bool BackwardFold::visit(MaxPool2DOp pool, int64_t axis) {
  if (!arePlainLayouts({pool.getOutLayout(), pool.getLayout()}))
    return false;
  std::optional<int64_t> dataAxis = mapAxis(
      axis, getAxis(pool.getOutLayout(), 'C'), getAxis(pool.getLayout(), 'C'));
  if (!dataAxis || !scale.isPositive())
    return false;
  worklist.emplace_back(pool.getData(), *dataAxis);
  return true;
}

bool BackwardFold::visit(AddOp add, int64_t axis) {
  for (OpOperand &operand : add->getOpOperands()) {
    if (scale.canScale(operand.get()))
      constants.push_back({&operand, axis});
    else if (operand.get().getType() == add.getType())
      worklist.emplace_back(operand.get(), axis);
    else
      return false;
  }
  return true;
}

bool BackwardFold::run() {
  worklist.emplace_back(scale.getData(), scale.getAxis());
  while (!worklist.empty()) {
    auto [value, valueAxis] = worklist.pop_back_val();
    int64_t axis = valueAxis;
    Operation *op = value.getDefiningOp();
    if (!op || !value.hasOneUse() || !hasRankedTensors(op))
      return false;
    bool moves = llvm::TypeSwitch<Operation *, bool>(op)
                     .Case<Conv2DOp, MatmulOp, ReluOp, MaxPool2DOp, AddOp>(
                         [&](auto op) { return visit(op, axis); })
                     .Default(false);
    if (!moves)
      return false;
  }
  for (auto [operand, axis] : constants)
    scale.scale(*operand, axis);
  scale.erase();
  return true;
}
