//===- NestedRunTest.cpp - Nested runs, and kept pipelines ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs inside runs, on MLIR's threads and in foreign pass managers; the
// pipelines that an MLIRContext keeps; the objects that remain after a run.
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/SequentialPass.h"

#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/ThreadPool.h"
#include "gmock/gmock.h"

using namespace mlir;
using partita::instrument::PassInstrument;
using partita::instrument::PassRecord;
using partita::instrument::RunRecord;
using partita::instrument::Wants;
using testing::HasSubstr;

namespace partita::transform {
namespace {

using OnFunction = LambdaPass<func::FuncOp>;

/// Records the level of the context on its thread.
std::unique_ptr<OnFunction> createLevelPass() {
  return std::make_unique<OnFunction>("run-level", [](OnFunction &pass) {
    func::FuncOp function = pass.getOperation();
    function->setAttr("test.level", Builder(function.getContext())
                                        .getI64IntegerAttr(
                                            PassContext::current().optLevel()));
  });
}

class NestedRunTest : public PassTest {
protected:
  NestedRunTest() {
    std::string text;
    for (unsigned index = 0; index < numFunctions; ++index)
      text += "func.func private @f" + std::to_string(index) + "()\n";
    module = parse(text);
  }

  static constexpr unsigned numFunctions = 64;
  PassContext passContext = withLevel(3);
  Pass cse = createPass("cse", createCSEPass);
};

//===----------------------------------------------------------------------===//
// Runs inside runs
//===----------------------------------------------------------------------===//

TEST_F(NestedRunTest, FunctionPassesRunPassesOnTheirThreads) {
  Pass level = createPass("run-level", createLevelPass);
  auto inner = withLevel(7);
  auto outer = functionPass("Outer", [&](FunctionOpInterface func) {
    // In place, and on a function that is in no module.
    OwningOpRef<Operation *> copy(func->clone());
    return success(succeeded(level.run(func, inner)) &&
                   succeeded(level.run(*copy, inner)));
  });
  ASSERT_TRUE(succeeded(outer.run(*module, passContext)));
  for (auto func : module->getOps<func::FuncOp>())
    EXPECT_EQ(func->getAttrOfType<IntegerAttr>("test.level").getInt(), 7);
}

TEST_F(NestedRunTest, PassesOfOthersRunPasses) {
  PassManager pm(&context, "builtin.module");
  pm.addNestedPass<func::FuncOp>(
      std::make_unique<LambdaPass<>>("run-foreign", [&](LambdaPass<> &pass) {
        if (failed(cse.run(pass.getOperation(), PassContext())))
          pass.signalPassFailure();
      }));
  // A context that has run passes before can do so from any pass.
  ASSERT_TRUE(succeeded(cse.run(*module, passContext)));
  EXPECT_TRUE(succeeded(pm.run(*module)));
}

TEST_F(NestedRunTest, CallbacksInPipelinesOfOthersRunPasses) {
  registerPass(
      modulePass("RunsCSE", [cse = cse](Operation *module,
                                        const PassContext &passContext) {
        return cse.run(module, passContext);
      }));
  registerSequentialPass();
  PassManager pm(&context, "builtin.module");
  auto sequential = getRegisteredPass("RunsCSE");
  auto plan = llvm::cantFail(Plan::get(sequential, passContext));
  // No run of Partita has prepared the MLIRContext, and MLIR does not allow it
  // any more.
  ASSERT_TRUE(succeeded(addPlan(pm, plan, passContext)));
  EXPECT_TRUE(succeeded(pm.run(*module)));
}

TEST_F(NestedRunTest, NamesThatOnlyTheOuterRunKnows) {
  PassContextOptions options;
  options.disabledPass = {"Other"};
  passContext = create(options);
  auto other = modulePass("Other", [](Operation *) { return failure(); });
  auto outer = modulePass(
      "Outer", [&](Operation *module, const PassContext &passContext) {
        return Sequential({cse}).run(module, passContext);
      });
  ASSERT_TRUE(succeeded(Sequential({outer, other}).run(*module, passContext)));
  EXPECT_EQ(takeMessages(), "");
  EXPECT_TRUE(passContext.diagnostics().empty());
}

//===----------------------------------------------------------------------===//
// After a run
//===----------------------------------------------------------------------===//

TEST_F(NestedRunTest, InstrumentsMayChangeInACallback) {
  class Changes : public PassInstrument {
  public:
    Changes() : PassInstrument("changes", Wants::Module | Wants::Records) {}
    llvm::Error endRun(const transform::Run &,
                       std::shared_ptr<const RunRecord>) override {
      change();
      return llvm::Error::success();
    }
    llvm::Expected<bool> shouldRun(const PassStep &) override {
      change();
      return true;
    }
    void change() {
      llvm::cantFail(PassContext::current().overrideInstruments(
          {std::make_shared<Changes>(), std::make_shared<Changes>()}));
    }
  };
  auto changing =
      createContext({std::make_shared<Changes>(), std::make_shared<Changes>()});
  auto pass = Sequential({cse});
  for (unsigned repeat = 0; repeat < 3; ++repeat)
    EXPECT_TRUE(succeeded(pass.run(*module, changing)));
}

TEST_F(NestedRunTest, PipelinesAreOfTheirThreadPool) {
  // Slow, so that all threads run it at once.
  Pass slow = lambdaPass<func::FuncOp>("run-slow", [](OnFunction &) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  auto pass = Sequential({slow});
  for (unsigned numThreads : {1, 8, 2, 16}) {
    llvm::DefaultThreadPool pool{llvm::hardware_concurrency(numThreads)};
    context.disableMultithreading();
    context.setThreadPool(pool);
    for (unsigned repeat = 0; repeat < 3; ++repeat)
      EXPECT_TRUE(succeeded(pass.run(*module, passContext)));
    context.disableMultithreading();
  }
}

TEST_F(NestedRunTest, ThreadsKeepNothingOfFailedRuns) {
  PassContext before = PassContext::current();
  Pass needsArith =
      lambdaPass<>("run-arith", [](LambdaPass<> &) {}, /*needsArith=*/true);
  auto failing =
      functionPass("Failing", [](FunctionOpInterface) { return failure(); });
  auto pass = Sequential({Sequential({failing})});
  for (unsigned repeat = 0; repeat < 3; ++repeat) {
    EXPECT_TRUE(failed(pass.run(*module, passContext)));
    EXPECT_EQ(PassContext::current(), before);
    // Later runs do not count as runs inside the failed one.
    EXPECT_TRUE(succeeded(needsArith.run(*module, passContext)));
  }
  std::vector<uint64_t> levels(numFunctions);
  parallelFor(&context, 0, numFunctions, [&](size_t index) {
    levels[index] = PassContext::current().optLevel();
  });
  EXPECT_THAT(levels, testing::Each(2));
}

TEST_F(NestedRunTest, SequentialsInTextFindTheContextOfEachRun) {
  registerSequentialPass();
  mlir::registerPass(createLevelPass);
  PassManager pm(&context, "builtin.module");
  ASSERT_TRUE(succeeded(parsePassPipeline(
      "func.func(sequential{passes=func.func(run-level)})", pm)));
  for (int level : {3, 5}) {
    auto scope = llvm::cantFail(PassContextScope::enter(withLevel(level)));
    ASSERT_TRUE(succeeded(pm.run(*module)));
    llvm::cantFail(scope.exit());
    for (auto func : module->getOps<func::FuncOp>())
      EXPECT_EQ(func->getAttrOfType<IntegerAttr>("test.level").getInt(), level);
  }
}

TEST_F(NestedRunTest, SequentialsInTextWarnOnceForAllOps) {
  registerSequentialPass();
  registerCSEPass();
  module = parse("func.func private @f()\nmodule @inner {}");
  PassContextOptions options;
  options.disabledPass = {"NobodyKnows"};
  auto scope = llvm::cantFail(PassContextScope::enter(create(options)));
  PassManager pm(&context, "builtin.module");
  ASSERT_TRUE(
      succeeded(parsePassPipeline("any(sequential{passes=any(cse)})", pm)));
  ASSERT_TRUE(succeeded(pm.run(*module)));
  EXPECT_THAT(messages, testing::ElementsAre(HasSubstr("'NobodyKnows'")));
}

} // namespace
} // namespace partita::transform
