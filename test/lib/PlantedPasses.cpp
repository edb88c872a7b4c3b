//===- PlantedPasses.cpp - Passes with a bug to be found ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <chrono>
#include <thread>

namespace partita::test {
#define GEN_PASS_DEF_PLANTEDDROPPASS
#define GEN_PASS_DEF_PLANTEDHANGPASS
#define GEN_PASS_DEF_PLANTEDMULTIPLYPASS
#define GEN_PASS_DEF_PLANTEDPATTERNSPASS
#include "Passes.h.inc"
} // namespace partita::test

using namespace mlir;
using namespace partita;

namespace {
struct PlantedDropPass : test::impl::PlantedDropPassBase<PlantedDropPass> {
  using PlantedDropPassBase::PlantedDropPassBase;

  void runOnOperation() override {
    int number = 0;
    getOperation()->walk([&](Operation *found) {
      if (found->getName().getStringRef() != op || ++number != at)
        return WalkResult::advance();
      found->replaceAllUsesWith(ValueRange(found->getOperand(0)));
      found->erase();
      return WalkResult::interrupt();
    });
  }
};

struct PlantedMultiplyPass
    : test::impl::PlantedMultiplyPassBase<PlantedMultiplyPass> {
  void runOnOperation() override {
    getOperation()->walk([](arith::MulIOp op) {
      OpBuilder builder(op);
      Value sum =
          arith::AddIOp::create(builder, op.getLoc(), op.getLhs(), op.getRhs());
      op.replaceAllUsesWith(sum);
      op.erase();
      return WalkResult::interrupt();
    });
  }
};

struct PlantedHangPass : test::impl::PlantedHangPassBase<PlantedHangPass> {
  void runOnOperation() override {
    while (true)
      std::this_thread::sleep_for(std::chrono::seconds(1));
  }
};

/// Turns `x * x` into `x + x`, which stands for a correct rewrite, and once
/// into something wrong.
class PlantedSquare : public OpRewritePattern<arith::MulIOp> {
public:
  PlantedSquare(MLIRContext *context, int wrongAt, StringRef how)
      : OpRewritePattern(context), wrongAt(wrongAt), how(how) {}

  LogicalResult matchAndRewrite(arith::MulIOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getLhs() != op.getRhs())
      return failure();
    if (++numApplied == wrongAt) {
      if (how == "crash")
        abort();
      rewriter.replaceOpWithNewOp<arith::ShLIOp>(op, op.getLhs(), op.getRhs());
    } else {
      rewriter.replaceOpWithNewOp<arith::AddIOp>(op, op.getLhs(), op.getRhs());
    }
    return success();
  }

private:
  int wrongAt;
  std::string how;
  mutable int numApplied = 0;
};

struct PlantedPatternsPass
    : test::impl::PlantedPatternsPassBase<PlantedPatternsPass> {
  using PlantedPatternsPassBase::PlantedPatternsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<PlantedSquare>(&getContext(), int(wrongAt), StringRef(how));
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns),
                                  GreedyRewriteConfig().enableFolding(false))))
      signalPassFailure();
  }
};
} // namespace
