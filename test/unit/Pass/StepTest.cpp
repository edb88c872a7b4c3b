//===- StepTest.cpp - Passes that run one by one --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under an instrument that observes, a pass runs on the only function of a
// module without MLIR's adaptor, and one by one on the functions that are not
// skipped. Verification, recomputed analyses and statistics must be the same.
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace partita::transform {
namespace {

using OnFunction = LambdaPass<func::FuncOp>;
using OnModule = LambdaPass<ModuleOp>;

void renameToG(OnFunction &pass) { pass.getOperation().setSymName("g"); }

void addConstant(OnFunction &pass) {
  OpBuilder builder = OpBuilder::atBlockBegin(&pass.getOperation().front());
  arith::ConstantIntOp::create(builder, pass.getOperation().getLoc(), 1, 32);
}

/// How many ops a module has.
struct OpCount {
  OpCount(Operation *op) {
    op->walk([&](Operation *) { ++count; });
  }
  unsigned count = 0;
};

/// Keeps the last record.
struct KeepRecord : instrument::PassInstrument {
  KeepRecord() : PassInstrument("keep", instrument::Wants::Records) {}
  llvm::Error
  endRun(const Run &,
         std::shared_ptr<const instrument::RunRecord> newRecord) override {
    record = newRecord->getRoot();
    return llvm::Error::success();
  }
  instrument::PassRecord record;
};

class StepTest : public PassTest {
protected:
  Pass rename = lambdaPass<func::FuncOp>("rename", renameToG);
  Pass grow =
      lambdaPass<func::FuncOp>("grow", addConstant, /*needsArith=*/true);
  /// Logs OpCount, which it preserves.
  Pass count = lambdaPass<ModuleOp>("count", [this](OnModule &pass) {
    log.add(std::to_string(pass.getAnalysis<OpCount>().count));
    pass.markAllAnalysesPreserved();
  });

  LogicalResult run(const Pass &pass, PassInstruments instruments,
                    bool verify = true) {
    RunOptions options;
    options.verify = verify;
    return pass.run(*module, createContext(std::move(instruments)), options);
  }
};

TEST_F(StepTest, TheModuleIsVerifiedAfterItsOnlyFunction) {
  auto reset = [&] {
    module = parse("func.func @f() { return }\nmodule @g {}");
  };
  reset();
  PassManager pm(&context, ModuleOp::getOperationName());
  pm.addNestedPass<func::FuncOp>(
      std::make_unique<OnFunction>("rename", renameToG));
  EXPECT_TRUE(failed(pm.run(*module)));
  std::string expected = takeMessages();
  EXPECT_TRUE(StringRef(expected).contains("redefinition of symbol named 'g'"))
      << expected;

  reset();
  EXPECT_TRUE(failed(run(Sequential({rename}), {recorder("A")})));
  EXPECT_EQ(takeMessages(), expected);
  EXPECT_EQ(log.take(), "A.should:sequential A.before:sequential "
                        "A.should:rename A.before:rename");

  reset();
  EXPECT_TRUE(succeeded(run(Sequential({rename}), {recorder("A")}, false)));
  EXPECT_EQ(takeMessages(), "");
}

TEST_F(StepTest, TheModuleIsVerifiedAfterThoseThatAreNotSkipped) {
  auto reset = [&] {
    module = parse("func.func @f() { return }\n"
                   "func.func @g() attributes {SkipOptimization} { return }");
  };
  reset();
  EXPECT_TRUE(failed(run(Sequential({rename}), {})));
  EXPECT_EQ(takeMessages(), "redefinition of symbol named 'g'");

  reset();
  EXPECT_TRUE(succeeded(run(Sequential({rename}), {}, false)));
  EXPECT_EQ(takeMessages(), "");
}

TEST_F(StepTest, PassesRunOnEveryFunctionWhateverTheirNumber) {
  std::string functions;
  for (unsigned number = 0; number < 4; ++number) {
    module = parse("module @a {}\nmodule @b {}\n" + functions);
    Pass all = Sequential({grow, count, grow, count});
    std::string once =
        "A.should:sequential A.before:sequential "
        "A.should:grow A.before:grow A.after:grow A.should:count "
        "A.before:count " +
        std::to_string(3 + 3 * number) +
        " A.after:count A.should:grow A.before:grow A.after:grow "
        "A.should:count A.before:count " +
        std::to_string(3 + 4 * number) + " A.after:count A.after:sequential";
    EXPECT_TRUE(succeeded(run(all, {recorder("A")})));
    EXPECT_EQ(log.take(), once);
    functions += "func.func @f" + std::to_string(number) + "() { return }\n";
  }
}

TEST_F(StepTest, RecordsCountTheFunctionsThatAreNotSkipped) {
  for (bool isObserved : {false, true}) {
    module = parse("func.func @f() { return }\n"
                   "func.func @g() attributes {SkipOptimization} { return }\n"
                   "func.func @h() { return }");
    auto keep = std::make_shared<KeepRecord>();
    PassInstruments instruments = {keep};
    if (isObserved)
      instruments.push_back(recorder("A"));
    EXPECT_TRUE(succeeded(run(Sequential({grow, count}), instruments)));
    EXPECT_TRUE(StringRef(log.take()).contains("9"));
    ASSERT_EQ(keep->record.children.size(), 2u);
    EXPECT_EQ(keep->record.children[0].getInfo().name, "grow");
    EXPECT_EQ(keep->record.children[0].numRuns, 2u);
    EXPECT_EQ(keep->record.children[1].numRuns, 1u);
  }
}

TEST_F(StepTest, RecordsCountTheOnlyFunction) {
  module = parse("func.func @f() { return }");
  auto keep = std::make_shared<KeepRecord>();
  EXPECT_TRUE(succeeded(run(Sequential({grow, grow}), {keep, recorder("A")})));
  ASSERT_EQ(keep->record.children.size(), 2u);
  EXPECT_EQ(keep->record.children[0].numRuns, 1u);
  EXPECT_EQ(keep->record.children[1].numRuns, 1u);
}

} // namespace
} // namespace partita::transform
