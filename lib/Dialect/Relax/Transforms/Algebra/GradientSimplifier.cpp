//===- GradientSimplifier.cpp - Simplify transposed products --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientSimplifier.h"

#include "Utils.h"

using namespace mlir;
using namespace partita::relax;

static int64_t getRankOr(Value value, int64_t unknown) {
  std::optional<TensorInfo> info = TensorInfo::get(value.getType());
  return info && info->isRanked ? info->getRank() : unknown;
}

/// The matrices that `value` has transposed: the last two dimensions are
/// swapped. Null if it has not.
static Value getTransposed(Value value) {
  auto permute = value.getDefiningOp<PermuteDimsOp>();
  int64_t rank = permute ? getRankOr(permute.getX(), 0) : 0;
  if (rank < 2)
    return nullptr;
  return permute.getPermutation() == getSwappedAxes(rank) ? permute.getX()
                                                          : Value();
}

/// `value`, of rank 2 at least, transposed.
static Value transpose(OpBuilder &builder, Location loc, Value value) {
  if (Value source = getTransposed(value))
    return source;
  return PermuteDimsOp::create(
      builder, loc, value,
      builder.getDenseI64ArrayAttr(getSwappedAxes(getRankOr(value, 0))));
}

void partita::relax::simplifyGradient(FuncOp func) {
  SmallVector<PermuteDimsOp> ops;
  func.walk([&](PermuteDimsOp op) { ops.push_back(op); });
  for (PermuteDimsOp op : ops) {
    Value source = getTransposed(op.getResult());
    if (!source)
      continue;
    if (Value value = getTransposed(source);
        value && value.getType() == op.getType()) {
      op.getResult().replaceAllUsesWith(value);
      op.erase();
      continue;
    }
    auto product = source.getDefiningOp<MatmulOp>();
    if (!product || getRankOr(product.getX1(), 0) < 2 ||
        getRankOr(product.getX2(), 0) < 2)
      continue;
    OpBuilder builder(op);
    Location loc = withoutName(op.getLoc());
    Value right = transpose(builder, loc, product.getX2());
    Value left = transpose(builder, loc, product.getX1());
    auto swapped = MatmulOp::create(builder, op.getLoc(), op.getType(), right,
                                    left, product.getOutDtypeAttr());
    op.getResult().replaceAllUsesWith(swapped.getResult());
    op.erase();
  }
}
