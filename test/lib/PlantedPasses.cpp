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

using namespace mlir;
using namespace partita;

namespace {
/// Turns the first multiply into an add.
class PlantedMultiplyPass
    : public PassWrapper<PlantedMultiplyPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlantedMultiplyPass)

  StringRef getArgument() const override { return "test-planted-multiply"; }
  StringRef getDescription() const override {
    return "Turn the first multiply into an add";
  }
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

class PlantedHangPass : public PassWrapper<PlantedHangPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlantedHangPass)

  StringRef getArgument() const override { return "test-planted-hang"; }
  StringRef getDescription() const override { return "Never end"; }
  void runOnOperation() override {
    while (true)
      std::this_thread::sleep_for(std::chrono::seconds(1));
  }
};

/// Turns `x * x` into `x + x`, which stands for what is right, and once into
/// something else.
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

class PlantedPatternsPass
    : public PassWrapper<PlantedPatternsPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlantedPatternsPass)

  PlantedPatternsPass() = default;
  PlantedPatternsPass(const PlantedPatternsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-planted-patterns"; }
  StringRef getDescription() const override {
    return "Apply a pattern, once wrongly";
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<PlantedSquare>(&getContext(), int(wrongAt), StringRef(how));
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns),
                                  GreedyRewriteConfig().enableFolding(false))))
      signalPassFailure();
  }

private:
  Option<int> wrongAt{*this, "wrong-at",
                      llvm::cl::desc("Which application is wrong"),
                      llvm::cl::init(123)};
  Option<std::string> how{*this, "how",
                          llvm::cl::desc("What it does: shift, or crash"),
                          llvm::cl::init("shift")};
};
} // namespace

void test::registerPlantedPasses() {
  mlir::registerPass([] { return std::make_unique<PlantedMultiplyPass>(); });
  mlir::registerPass([] { return std::make_unique<PlantedHangPass>(); });
  mlir::registerPass([] { return std::make_unique<PlantedPatternsPass>(); });
}
