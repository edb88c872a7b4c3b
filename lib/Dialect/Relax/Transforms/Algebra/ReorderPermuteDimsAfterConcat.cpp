//===- ReorderPermuteDimsAfterConcat.cpp - Transpose after joining --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_REORDERPERMUTEDIMSAFTERCONCAT
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// The tensors that `op` joins.
static SmallVector<Value> getJoined(ConcatOp op) {
  SmallVector<Value> tensors(op.getTensors());
  if (tensors.size() == 1)
    if (auto tuple = tensors.front().getDefiningOp<TupleOp>())
      return SmallVector<Value>(tuple.getFields());
  return tensors;
}

static Value reorder(OpBuilder &builder, Operation *op) {
  auto concat = dyn_cast<ConcatOp>(op);
  if (!concat)
    return nullptr;
  SmallVector<Value> tensors = getJoined(concat), sources;
  if (tensors.size() < 2)
    return nullptr;
  PermuteDimsOp first;
  SmallVector<int64_t> permutation;
  for (Value tensor : tensors) {
    auto permute = tensor.getDefiningOp<PermuteDimsOp>();
    std::optional<TensorInfo> info =
        permute ? TensorInfo::get(permute.getX().getType()) : std::nullopt;
    if (!info || !info->isRanked)
      return nullptr;
    if (!first) {
      first = permute;
      permutation = permute.getPermutation();
    }
    if (permute.getPermutation() != permutation)
      return nullptr;
    sources.push_back(permute.getX());
  }
  int64_t rank = permutation.size(),
          axis = fromFront(concat.getAxis().value_or(0), rank);
  if (axis < 0 || axis >= rank)
    return nullptr;
  Value joined = ConcatOp::create(builder, withoutName(op->getLoc()), sources,
                                  builder.getI64IntegerAttr(permutation[axis]));
  return PermuteDimsOp::create(builder, op->getLoc(), joined,
                               first.getAxesAttr());
}

namespace {
struct ReorderPermuteDimsAfterConcat
    : RulePass<relax::impl::ReorderPermuteDimsAfterConcatBase<
          ReorderPermuteDimsAfterConcat>> {
  using RulePass::RulePass;

  void runOnOperation() override { apply(reorder, numReordered); }
};
} // namespace
