//===- ExpandMatmulOfSum.cpp - Turn x (A + B) into x A + x B --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_EXPANDMATMULOFSUM
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// Whether `a` and `b` are matrices of the same sizes, or vectors, so that
/// each of them can be multiplied. Transposed ones have the same rank.
static bool haveSameSizes(Value a, Value b, bool areTransposed) {
  std::optional<TensorInfo> x = TensorInfo::get(a.getType()),
                            y = TensorInfo::get(b.getType());
  if (!x || !y || !x->isRanked || !y->isRanked ||
      x->elementType != y->elementType)
    return false;
  if (x->getRank() != y->getRank() &&
      (areTransposed || x->getRank() < 2 || y->getRank() < 2))
    return false;
  size_t numSizes =
      areTransposed ? x->getRank() : std::min<int64_t>(2, x->getRank());
  return llvm::all_of(llvm::zip(ArrayRef<Dim>(x->dims).take_back(numSizes),
                                ArrayRef<Dim>(y->dims).take_back(numSizes)),
                      [](auto dims) {
                        auto [a, b] = dims;
                        return !a.isUnknown() && areEqual(a, b);
                      });
}

static Value expand(OpBuilder &builder, Operation *op,
                    const CompileTimeValues &compileTime) {
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!matmul || !keepsElementType(matmul))
    return nullptr;
  Value factor = matmul.getX2();
  auto permute = factor.getDefiningOp<PermuteDimsOp>();
  auto sum = (permute ? permute.getX() : factor).getDefiningOp<AddOp>();
  if (!sum || !haveSameSizes(sum.getLhs(), sum.getRhs(), permute) ||
      (compileTime.contains(sum.getLhs(), op) &&
       compileTime.contains(sum.getRhs(), op)))
    return nullptr;
  Location loc = withoutName(op->getLoc());
  auto multiply = [&](Value term) {
    if (permute)
      term = PermuteDimsOp::create(builder, loc, term, permute.getAxesAttr());
    return createMatmul(builder, loc, matmul.getX1(), term);
  };
  Value left = multiply(sum.getLhs());
  return AddOp::create(builder, op->getLoc(), left, multiply(sum.getRhs()));
}

namespace {
struct ExpandMatmulOfSum
    : RulePass<relax::impl::ExpandMatmulOfSumBase<ExpandMatmulOfSum>> {
  using RulePass::RulePass;

  void runOnOperation() override {
    CompileTimeValues compileTime(getOperation());
    apply([&](OpBuilder &builder,
              Operation *op) { return expand(builder, op, compileTime); },
          numExpanded);
  }
};
} // namespace
