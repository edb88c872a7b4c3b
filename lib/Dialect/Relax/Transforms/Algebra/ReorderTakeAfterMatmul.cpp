//===- ReorderTakeAfterMatmul.cpp - Take columns of a product -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_REORDERTAKEAFTERMATMUL
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// x[b, i, k] * table[indices[b], k, j], where each batch has its own matrix:
/// the product by all matrices side by side. Each batch takes its own part.
static Value takePerBatch(OpBuilder &builder, MatmulOp matmul, TakeOp take) {
  Location loc = withoutName(matmul.getLoc());
  SmallVector<Dim> x = TensorInfo::get(matmul.getX1().getType())->dims,
                   table = TensorInfo::get(take.getX().getType())->dims;
  auto areKnown = [](ArrayRef<Dim> dims) {
    return llvm::none_of(dims, [](Dim dim) { return dim.isUnknown(); });
  };
  Dim width = table[0] * table[2];
  std::optional<TensorInfo> indices =
      TensorInfo::get(take.getIndices().getType());
  // With one matrix for all batches it would be taken once for each.
  if (!areKnown(x) || !areKnown(table) || width.isUnknown() ||
      !areEqual(indices->dims[0], x[0]))
    return nullptr;
  Value reordered = PermuteDimsOp::create(
      builder, loc, take.getX(), builder.getDenseI64ArrayAttr({1, 0, 2}));
  Value fused = ReshapeOp::create(builder, loc, reordered,
                                  createShape(builder, {table[1], width}));
  Value product = createMatmul(builder, loc, matmul.getX1(), fused);
  Value parts =
      ReshapeOp::create(builder, loc, product,
                        createShape(builder, {x[0], x[1], table[0], table[2]}));
  Value taken =
      TakeOp::create(builder, loc, parts, take.getIndices(),
                     builder.getI64IntegerAttr(2), take.getModeAttr());
  return EinsumOp::create(builder, matmul.getLoc(), taken,
                          builder.getStringAttr("ijik->ijk"));
}

static Value reorderTake(OpBuilder &builder, Operation *op) {
  auto matmul = dyn_cast<MatmulOp>(op);
  auto take = matmul ? matmul.getX2().getDefiningOp<TakeOp>() : nullptr;
  if (!take || !take.getAxis() || !keepsElementType(matmul))
    return nullptr;
  std::optional<TensorInfo> x = TensorInfo::get(matmul.getX1().getType()),
                            table = TensorInfo::get(take.getX().getType()),
                            indices =
                                TensorInfo::get(take.getIndices().getType()),
                            result =
                                TensorInfo::get(matmul.getResult().getType());
  if (!indices || !x->isRanked || !table->isRanked || !indices->isRanked ||
      !result->isRanked || indices->getRank() != 1)
    return nullptr;
  int64_t rank = table->getRank(), axis = fromFront(*take.getAxis(), rank);
  if (axis == rank - 1 && rank >= 2) {
    Value product = createMatmul(builder, withoutName(op->getLoc()),
                                 matmul.getX1(), take.getX());
    return TakeOp::create(builder, op->getLoc(), product, take.getIndices(),
                          builder.getI64IntegerAttr(result->getRank() - 1),
                          take.getModeAttr());
  }
  if (axis == 0 && rank == 3 && x->getRank() == 3)
    return takePerBatch(builder, matmul, take);
  return nullptr;
}

namespace {
struct ReorderTakeAfterMatmul
    : RulePass<
          relax::impl::ReorderTakeAfterMatmulBase<ReorderTakeAfterMatmul>> {
  using RulePass::RulePass;

  void runOnOperation() override { apply(reorderTake, numReordered); }
};
} // namespace
