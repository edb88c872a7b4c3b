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

void EliminateCommonSubexpr::runOnOperation() {
  static constexpr StringLiteral attribute = "relax.only_itself";
  FuncOp func = getOperation();
  if (callOnly)
    tellApart(func, attribute);
  CountErased erased;
  IRRewriter rewriter(&getContext(), &erased);
  bool changed = false;
  // For a single block, dominance computes nothing that is worth keeping.
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, func, &changed);
  if (callOnly)
    func->walk([](Operation *op) { op->removeAttr(attribute); });
  numErased += erased.count;
  if (!changed)
    markAllAnalysesPreserved();
}
