//===- TrustedSizes.cpp - Check sizes that types don't show to fit --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::relax;

/// Casts dimension `dim` of an operand to `size`, unless it is known to be
/// that, or known to be something else.
static void setSize(Operation *op, unsigned operand, int64_t dim, Dim size) {
  Value value = op->getOperand(operand);
  std::optional<TensorInfo> info = TensorInfo::get(value.getType());
  if (!info || dim < 0 || dim >= info->getRank() || info->shape)
    return;
  Dim known = info->dims[dim];
  if (known == size || known.isUnknown() || size.isUnknown() ||
      (known.isNumber() && size.isNumber()))
    return;
  info->dims[dim] = size;
  OpBuilder builder(op);
  op->setOperand(operand,
                 MatchCastOp::create(builder, withoutName(op->getLoc()),
                                     info->getType(op->getContext()), value));
}

static Dim getSize(Operation *op, unsigned operand, int64_t dim) {
  std::optional<TensorInfo> info =
      TensorInfo::get(op->getOperand(operand).getType());
  return info && dim >= 0 && dim < info->getRank() ? info->dims[dim] : Dim();
}

/// `size`, where it is a multiple of `factor`.
static Dim getMultiple(Dim size, Dim factor) {
  return size.isNumber() ? size : floorDiv(size, factor) * factor;
}

/// The channels of the data are the weight's, which has parts of them in
/// groups.
template <bool isTransposed, typename OpT>
static void checkConv(OpT op) {
  int64_t channel = findDim(op.getDataLayout(), 'C'),
          input = findDim(op.getKernelLayout(), 'I');
  Dim groups(int64_t(op.getGroups())), have = getSize(op, 0, channel),
                                       need = getSize(op, 1, input);
  if (have.isUnknown() || need.isUnknown())
    return;
  if (isTransposed) {
    Dim channels = getMultiple(have.isNumber() ? have : need, groups);
    setSize(op, 0, channel, channels);
    setSize(op, 1, input, channels);
    return;
  }
  int64_t output = findDim(op.getKernelLayout(), 'O');
  setSize(op, 1, output, getMultiple(getSize(op, 1, output), groups));
  if (have.isNumber())
    setSize(op, 1, input, floorDiv(have, groups));
  else
    setSize(op, 0, channel, need * groups);
}

/// Operands from the second on have the sizes of the first in `axes`.
static void checkParameters(Operation *op, ArrayRef<int64_t> axes) {
  std::optional<TensorInfo> info = TensorInfo::get(op->getOperand(0).getType());
  if (!info || !info->isRanked)
    return;
  for (unsigned operand : llvm::seq(1u, op->getNumOperands()))
    for (auto [dim, axis] : llvm::enumerate(axes))
      setSize(op, operand, dim,
              getSize(op, 0, fromFront(axis, info->getRank())));
}

void partita::relax::checkTrustedSizes(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<Conv1DOp, Conv2DOp, Conv3DOp>(
          [](auto conv) { checkConv</*isTransposed=*/false>(conv); })
      .Case<Conv1DTransposeOp, Conv2DTransposeOp, Conv3DTransposeOp>(
          [](auto conv) { checkConv</*isTransposed=*/true>(conv); })
      .Case([](BatchNormOp norm) { checkParameters(norm, norm.getAxis()); })
      .Case<GroupNormOp, InstanceNormOp>(
          [](auto norm) { checkParameters(norm, norm.getChannelAxis()); })
      .Case<LayerNormOp, RMSNormOp>(
          [](auto norm) { checkParameters(norm, norm.getAxes()); })
      .Case(
          [](CrossEntropyWithLogitsOp loss) { checkParameters(loss, {0, 1}); })
      .Case([](TopKOp top) {
        std::optional<TensorInfo> info =
            TensorInfo::get(top.getData().getType());
        int64_t axis = fromFront(top.getAxis(), info->getRank());
        if (top.getK() > 0)
          setSize(top, 0, axis, max(getSize(top, 0, axis), Dim(top.getK())));
      })
      .Case([](SqueezeOp squeeze) {
        int64_t rank = TensorInfo::get(squeeze.getX().getType())->getRank();
        for (int64_t axis : squeeze.getAxis().value_or(ArrayRef<int64_t>()))
          setSize(squeeze, 0, fromFront(axis, rank), Dim(1));
      });
}
