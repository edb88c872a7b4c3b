//===- RemoveNoOp.cpp - Remove statements without effect ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace partita::tir {
#define GEN_PASS_DEF_REMOVENOOP
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct RemoveNoOp : tir::impl::RemoveNoOpBase<RemoveNoOp> {
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  FrozenRewritePatternSet patterns;
};

/// Erases the evaluation of a value that can be computed without effect.
struct EraseEvaluate : OpRewritePattern<EvaluateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EvaluateOp op,
                                PatternRewriter &rewriter) const override {
    Operation *def = op.getValue().getDefiningOp();
    if (def && !isMemoryEffectFree(def) &&
        !hasSingleEffect<MemoryEffects::Read>(def))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

/// Whether `block` has no statements. Notes about its argument are none.
static bool isEmpty(Block &block) {
  return llvm::all_of(block.without_terminator(),
                      [](Operation &op) { return isa<AttrNodeOp>(op); });
}

namespace {
/// Erases a loop over nothing, and a loop that does nothing.
template <typename LoopTy>
struct EraseLoop : OpRewritePattern<LoopTy> {
  using OpRewritePattern<LoopTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(LoopTy op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 0 ||
        (!isEmpty(op->getRegion(0).front()) && !hasNoIteration(op)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }

  static bool hasNoIteration(LoopTy op) {
    IntegerFacts facts(op);
    auto isAtMost = [&](Value a, AffineExpr b) {
      return facts.compare(arith::CmpIPredicate::sle, facts.getExpr(a), b) ==
             true;
    };
    if constexpr (std::is_same_v<LoopTy, scf::ForOp>)
      return !op.getUnsignedCmp() && isIndexInteger(op.getStep().getType()) &&
             isAtMost(op.getUpperBound(), facts.getExpr(op.getLowerBound()));
    else
      return isIndexInteger(op.getExtent().getType()) &&
             isAtMost(op.getExtent(),
                      getAffineConstantExpr(0, op.getContext()));
  }
};

/// Turns `if (a) {} else { b }` into `if (!a) { b }`.
struct InvertCondition : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumResults() != 0 || !op.elseBlock() ||
        !isEmpty(*op.thenBlock()) || isEmpty(*op.elseBlock()))
      return failure();
    Value isTrue = arith::ConstantOp::create(rewriter, op.getLoc(),
                                             rewriter.getBoolAttr(true));
    Value inverse =
        arith::XOrIOp::create(rewriter, op.getLoc(), op.getCondition(), isTrue);
    auto inverted = scf::IfOp::create(rewriter, op.getLoc(), inverse);
    rewriter.eraseBlock(inverted.thenBlock());
    inverted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getElseRegion(), inverted.getThenRegion(),
                                inverted.getThenRegion().end());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Erases an attribute of nothing.
struct EraseAttr : OpRewritePattern<AttrOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttrOp op,
                                PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getBody().front()) &&
        op.getKey() != "pragma_debug_skip_region")
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

LogicalResult RemoveNoOp::initialize(MLIRContext *context) {
  RewritePatternSet set(context);
  scf::IfOp::getCanonicalizationPatterns(set, context);
  set.add<EraseEvaluate, InvertCondition, EraseLoop<scf::ForOp>,
          EraseLoop<ForOp>, EraseAttr, EraseUselessStore<memref::StoreOp>,
          EraseUselessStore<StoreOp>>(context);
  patterns = std::move(set);
  return success();
}

void RemoveNoOp::runOnOperation() {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(getOperation(), patterns, config);
}
