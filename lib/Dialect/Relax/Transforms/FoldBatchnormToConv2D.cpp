//===- FoldBatchnormToConv2D.cpp - Scale weights to normalize -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With running statistics, a batch_norm is x * scale + bias in each channel,
// and scaling a channel of a convolution is scaling its weight. As in TVM, the
// new weight and bias are ops on the constants, which FoldConstant computes.
//
//===----------------------------------------------------------------------===//

#include "BindingCanonicalizer.h"
#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_FOLDBATCHNORMTOCONV2D
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita::relax;

static bool isConstant(Value value) {
  return value.getDefiningOp<ConstantOp>() != nullptr;
}

/// Whether `value` has users other than names that nothing uses.
static bool isUsed(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return !isa<AliasOp>(user) || isUsed(user->getResult(0));
  });
}

/// Erases the names of `value`, which is not used.
static void eraseNames(Value value) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    eraseNames(user->getResult(0));
    user->erase();
  }
}

/// The convolution whose result `norm` normalizes, if the two can be one.
static Conv2DOp findConv2D(BatchNormOp norm) {
  auto conv = norm.getData().getDefiningOp<Conv2DOp>();
  if (!conv || isUsed(norm.getNewMean()) || isUsed(norm.getNewVar()) ||
      !conv->hasOneUse())
    return nullptr;
  if (!isConstant(conv.getWeight()) || !isConstant(norm.getGamma()) ||
      !isConstant(norm.getBeta()) || !isConstant(norm.getMovingMean()) ||
      !isConstant(norm.getMovingVar()))
    return nullptr;
  auto type = dyn_cast<RankedTensorType>(conv.getType());
  if (!type || type != norm.getResult().getType() ||
      type.getElementType() !=
          getRankedType(conv.getWeight()).getElementType() ||
      !arePlainLayouts({conv.getOutLayout(), conv.getKernelLayout()}))
    return nullptr;
  int64_t axis = fromFront(norm.getAxis(), type.getRank());
  bool isChannels = conv.getOutLayout()[axis] == 'C';
  return isChannels && !type.isDynamicDim(axis) ? conv : nullptr;
}

/// The factor of `norm` for each channel.
static Value createScale(OpBuilder &builder, BatchNormOp norm) {
  Location loc = norm.getLoc();
  Type type = getRankedType(norm.getGamma()).getElementType();
  // A number, as in TVM.
  Value epsilon = PrimValueOp::create(
      builder, builder.getUnknownLoc(),
      builder.getFloatAttr(type, norm.getEpsilon().convertToDouble()));
  Value variance = AddOp::create(builder, loc, norm.getMovingVar(), epsilon);
  Value deviation = SqrtOp::create(builder, loc, variance);
  Value gamma = norm.getScale() ? Value(norm.getGamma())
                                : createScalar(builder, loc, type, 1.0);
  return DivideOp::create(builder, loc, gamma, deviation).getResult();
}

/// The summand of `norm` for each channel.
static Value createBias(OpBuilder &builder, BatchNormOp norm, Value scale) {
  Location loc = norm.getLoc();
  Value mean = MultiplyOp::create(builder, loc, norm.getMovingMean(), scale);
  if (!norm.getCenter())
    return NegativeOp::create(builder, loc, mean).getResult();
  return SubtractOp::create(builder, loc, norm.getBeta(), mean).getResult();
}

static void fold(BatchNormOp norm, Conv2DOp conv) {
  OpBuilder builder(norm);
  Location loc = norm.getLoc();
  Value scale = createScale(builder, norm);
  Value factor = createAlong(builder, loc, scale,
                             conv.getKernelLayout().find('O'), /*rank=*/4);
  conv.getWeightMutable().assign(
      MultiplyOp::create(builder, loc, conv.getWeight(), factor));
  // The parameters of `norm` may be defined after `conv`.
  conv->moveBefore(norm);
  builder.setInsertionPoint(norm);
  Value bias = createAlong(builder, loc, createBias(builder, norm, scale),
                           conv.getOutLayout().find('C'), /*rank=*/4);
  norm.getResult().replaceAllUsesWith(
      AddOp::create(builder, loc, conv, bias).getResult());
  eraseNames(norm.getNewMean());
  eraseNames(norm.getNewVar());
  norm.erase();
}

namespace {
struct FoldBatchnormToConv2D
    : BindingPass<partita::relax::impl::FoldBatchnormToConv2DBase<
          FoldBatchnormToConv2D>> {
  using BindingPass::BindingPass;

  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.isExternal() || isPrimitive(func))
      return markAllAnalysesPreserved();
    bool changed = false;
    SmallVector<BatchNormOp> norms;
    func.walk([&](BatchNormOp norm) { norms.push_back(norm); });
    for (BatchNormOp norm : norms) {
      if (skipTraining && norm.getTraining())
        continue;
      if (Conv2DOp conv = findConv2D(norm)) {
        fold(norm, conv);
        ++numFolded;
        changed = true;
      }
    }
    if (!changed && !hasPlainBindings(func))
      return markAllAnalysesPreserved();
    if (failed(cleanUpBindings(func, patterns)))
      signalPassFailure();
  }
};
} // namespace
