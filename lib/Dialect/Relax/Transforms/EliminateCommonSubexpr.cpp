//===- EliminateCommonSubexpr.cpp - Compute equal values once -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's CSE under TVM's name and level: Relax ops say by traits what may
// be merged.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

namespace partita::relax {
#define GEN_PASS_DEF_ELIMINATECOMMONSUBEXPR
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct EliminateCommonSubexpr
    : relax::impl::EliminateCommonSubexprBase<EliminateCommonSubexpr> {
  using EliminateCommonSubexprBase::EliminateCommonSubexprBase;

  void runOnOperation() override;
};

struct CountErased : RewriterBase::Listener {
  void notifyOperationErased(Operation *) override { ++count; }
  int64_t count = 0;
};
} // namespace

/// Gives ops that TVM binds, other than calls, different attributes. Upstream's
/// CSE has no filter, but does not merge those.
static void tellApart(FuncOp func, StringRef attribute) {
  SmallVector<Operation *> ops;
  func->walk([&](Operation *op) {
    if (isa<DataflowOp, MatchCastOp, TupleOp, TupleGetItemOp>(op))
      ops.push_back(op);
  });
  Builder builder(func->getContext());
  for (auto [index, op] : llvm::enumerate(ops))
    op->setAttr(attribute, builder.getIndexAttr(index));
}

/// Gives ops with regions an attribute that is the same for those which CSE can
/// merge. Upstream's hash of an op leaves out its regions, and would compare
/// each dataflow block with all others. Returns whether there are several.
static bool numberRegions(FuncOp func, StringRef attribute) {
  int64_t numOps = 0;
  func->walk([&](Operation *op) { numOps += op->getNumRegions() != 0; });
  // One of them is the function.
  if (numOps <= 2)
    return false;
  // The hash of how a value is computed, from block arguments on: CSE does not
  // change it.
  DenseMap<Value, llvm::hash_code> hashes;
  auto getHash = [&](Value value) {
    auto found = hashes.find(value);
    return found == hashes.end() ? mlir::hash_value(value) : found->second;
  };
  DenseMap<size_t, int64_t> numbers;
  Builder builder(func->getContext());
  func->walk([&](Operation *op) {
    if (op == func)
      return;
    llvm::hash_code hash = OperationEquivalence::computeHash(
        op, getHash, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (block.mightHaveTerminator())
          for (Value operand : block.getTerminator()->getOperands())
            hash = llvm::hash_combine(hash, getHash(operand));
    for (OpResult result : op->getResults())
      hashes[result] = llvm::hash_combine(hash, result.getResultNumber());
    if (op->getNumRegions()) {
      // Small numbers, as an MLIRContext keeps each attribute.
      int64_t next = numbers.size();
      int64_t number = numbers.try_emplace(hash, next).first->second;
      op->setAttr(attribute, builder.getIndexAttr(number));
    }
  });
  return true;
}

void EliminateCommonSubexpr::runOnOperation() {
  static constexpr StringLiteral attribute = "relax.cse_number";
  FuncOp func = getOperation();
  bool hasNumbers = callOnly || numberRegions(func, attribute);
  if (callOnly)
    tellApart(func, attribute);
  CountErased erased;
  IRRewriter rewriter(&getContext(), &erased);
  bool changed = false;
  // For a single block, dominance computes nothing that is worth keeping.
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, func, &changed);
  if (hasNumbers)
    func->walk([](Operation *op) { op->removeAttr(attribute); });
  numErased += erased.count;
  if (!changed)
    markAllAnalysesPreserved();
}
