//===- NestedRunTest.cpp - What runs keep, share and let go of ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs inside runs, on MLIR's threads and in pass managers of others; the
// pipelines that an MLIRContext keeps; what stays of a run when it is over.
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Run.h"
#include "partita/Pass/SequentialPass.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/ThreadPool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <thread>

using namespace mlir;
using partita::instrument::PassInstrument;
using partita::instrument::PassInstrumentRef;
using partita::instrument::PassRecord;
using partita::instrument::Wants;
using partita::transform::createFunctionPass;
using partita::transform::createModulePass;
using partita::transform::createPass;
using partita::transform::PassContext;
using partita::transform::PassContextOptions;
using partita::transform::PassContextScope;
using partita::transform::PassStep;
using partita::transform::Sequential;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// A pass that declares that it makes constants.
class ArithPass : public PassWrapper<ArithPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ArithPass)
  StringRef getArgument() const override { return "run-arith"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }
  void runOnOperation() override {}
};

/// Notes the level of the context that it finds on its thread.
class LevelPass : public PassWrapper<LevelPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LevelPass)
  StringRef getArgument() const override { return "run-level"; }
  void runOnOperation() override {
    Builder builder(&getContext());
    getOperation()->setAttr(
        "test.level",
        builder.getI64IntegerAttr(PassContext::current().optLevel()));
  }
};

/// Runs passes of Partita, without telling MLIR so.
class ForeignPass : public PassWrapper<ForeignPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForeignPass)
  explicit ForeignPass(partita::transform::Pass pass) : pass(std::move(pass)) {}
  ForeignPass(const ForeignPass &) = default;
  StringRef getArgument() const override { return "run-foreign"; }
  void runOnOperation() override {
    if (failed(pass.run(getOperation(), PassContext())))
      signalPassFailure();
  }

private:
  partita::transform::Pass pass;
};

partita::transform::Pass makeArithPass() {
  return createPass("run-arith", [] { return std::make_unique<ArithPass>(); });
}

PassContext createContext(int optLevel,
                          std::vector<PassInstrumentRef> instruments = {}) {
  PassContextOptions options;
  options.optLevel = optLevel;
  options.instruments = std::move(instruments);
  return llvm::cantFail(PassContext::create(options));
}

class RunTest : public testing::Test {
protected:
  RunTest() {
    context.loadDialect<func::FuncDialect>();
    context.printOpOnDiagnostic(false);
    // Whatever the test finds wrong is in the diagnostics of its PassContext.
    context.getDiagEngine().registerHandler([](Diagnostic &) {});
    module = parse();
  }

  OwningOpRef<ModuleOp> parse() {
    std::string text;
    for (unsigned index = 0; index < numFunctions; ++index)
      text += "func.func private @f" + std::to_string(index) + "()\n";
    return parseSourceString<ModuleOp>(text, &context);
  }

  std::vector<std::string> takeMessages() {
    std::vector<std::string> messages;
    for (auto &diagnostic : passContext.takeDiagnostics())
      messages.push_back(diagnostic.message);
    return messages;
  }

  static constexpr unsigned numFunctions = 64;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  PassContext passContext = createContext(3);
};

//===----------------------------------------------------------------------===//
// Runs inside runs
//===----------------------------------------------------------------------===//

TEST_F(RunTest, FunctionPassesRunPassesOnTheirThreads) {
  partita::transform::Pass level =
      createPass("run-level", [] { return std::make_unique<LevelPass>(); });
  auto inner = createContext(7);
  auto outer = createFunctionPass(
      [&](FunctionOpInterface func, Operation *, const PassContext &) {
        // In place, and on a function that is in no module.
        OwningOpRef<Operation *> copy(func->clone());
        return success(succeeded(level.run(func, inner)) &&
                       succeeded(level.run(*copy, inner)));
      },
      0, "Outer");
  ASSERT_TRUE(succeeded(outer.run(*module, passContext)));
  for (auto func : module->getOps<func::FuncOp>())
    EXPECT_EQ(func->getAttrOfType<IntegerAttr>("test.level").getInt(), 7);
}

TEST_F(RunTest, NoDialectIsLoadedOnAFunctionsThread) {
  auto arith = makeArithPass();
  auto outer = createFunctionPass(
      [&](FunctionOpInterface func, Operation *,
          const PassContext &passContext) {
        OwningOpRef<Operation *> copy(func->clone());
        EXPECT_TRUE(failed(arith.run(func, passContext)));
        EXPECT_TRUE(failed(arith.run(*copy, passContext)));
        return success();
      },
      0, "Outer");
  // It must neither wait for itself, nor load while others run.
  ASSERT_TRUE(succeeded(outer.run(*module, passContext)));
  auto messages = takeMessages();
  ASSERT_FALSE(messages.empty());
  EXPECT_THAT(messages, testing::Each(HasSubstr("found missing: arith")));
  // Outside of a run it is.
  EXPECT_TRUE(succeeded(arith.run(*module, passContext)));
  EXPECT_TRUE(context.getLoadedDialect<arith::ArithDialect>());
}

TEST_F(RunTest, LoadedDialectsAreRegistered) {
  context.loadDialect<arith::ArithDialect>();
  auto outer = createModulePass(
      [&](Operation *module, const PassContext &passContext) {
        return makeArithPass().run(module, passContext);
      },
      0, "Outer");
  // MLIR wants the dialects of a pass in the registry, which it does not let
  // change inside a pass: the outer run has put there what is loaded.
  EXPECT_TRUE(succeeded(outer.run(*module, passContext)));
  EXPECT_THAT(takeMessages(), IsEmpty());
}

TEST_F(RunTest, PassesOfOthersRunPasses) {
  auto cse = createPass("cse", createCSEPass);
  PassManager pm(&context, "builtin.module");
  pm.addNestedPass<func::FuncOp>(std::make_unique<ForeignPass>(cse));
  // A context that has run passes before can do so from any pass.
  ASSERT_TRUE(succeeded(cse.run(*module, passContext)));
  EXPECT_TRUE(succeeded(pm.run(*module)));
}

TEST_F(RunTest, CallbacksInPipelinesOfOthersRunPasses) {
  auto cse = createPass("cse", createCSEPass);
  registerPass(createModulePass(
      [cse](Operation *module, const PassContext &passContext) {
        return cse.run(module, passContext);
      },
      0, "RunsCSE"));
  partita::transform::registerSequentialPass();
  PassManager pm(&context, "builtin.module");
  auto sequential = partita::transform::getRegisteredPass("RunsCSE");
  auto plan =
      llvm::cantFail(partita::transform::Plan::get(sequential, passContext));
  // No run of Partita has prepared the MLIRContext, and MLIR allows it no more.
  ASSERT_TRUE(succeeded(partita::transform::addPlan(pm, plan, passContext)));
  EXPECT_TRUE(succeeded(pm.run(*module)));
}

TEST_F(RunTest, DiagnosticsOfInnerRunsAreKeptOnce) {
  auto failing = createModulePass(
      [](Operation *module, const PassContext &) {
        return emitError(module->getLoc(), "no luck");
      },
      0, "Failing");
  auto outer = createModulePass(
      [&](Operation *module, const PassContext &passContext) {
        return Sequential({failing}).run(module, passContext);
      },
      0, "Outer");
  EXPECT_TRUE(failed(outer.run(*module, passContext)));
  EXPECT_THAT(takeMessages(), ElementsAre("no luck"));

  auto onFunctions = createFunctionPass(
      [&](FunctionOpInterface func, Operation *,
          const PassContext &passContext) {
        return failing.run(func, passContext);
      },
      0, "OnFunctions");
  module = parseSourceString<ModuleOp>("func.func private @f()\n"
                                       "func.func private @g()",
                                       &context);
  EXPECT_TRUE(failed(onFunctions.run(*module, passContext)));
  EXPECT_THAT(takeMessages(), testing::Each("no luck"));
}

TEST_F(RunTest, NamesThatOnlyTheOuterRunKnows) {
  PassContextOptions options;
  options.disabledPass = {"Other"};
  passContext = llvm::cantFail(PassContext::create(options));
  auto other = createModulePass(
      [](Operation *, const PassContext &) { return failure(); }, 0, "Other");
  auto outer = createModulePass(
      [&](Operation *module, const PassContext &passContext) {
        return Sequential({createPass("cse", createCSEPass)})
            .run(module, passContext);
      },
      0, "Outer");
  ASSERT_TRUE(succeeded(Sequential({outer, other}).run(*module, passContext)));
  EXPECT_THAT(takeMessages(), IsEmpty());
}

TEST_F(RunTest, PlanErrorsAreKept) {
  auto needy = createModulePass(
      [](Operation *, const PassContext &) { return success(); }, 0, "Needy",
      {"NobodyKnows"});
  EXPECT_TRUE(failed(Sequential({needy}).run(*module, passContext)));
  EXPECT_THAT(takeMessages(), ElementsAre(HasSubstr("'NobodyKnows'")));
}

//===----------------------------------------------------------------------===//
// What is kept
//===----------------------------------------------------------------------===//

TEST_F(RunTest, InstrumentsAreLetGo) {
  class Records : public PassInstrument {
  public:
    explicit Records(bool observes)
        : PassInstrument("records",
                         Wants::Records |
                             (observes ? Wants::Module : Wants::Nothing)) {}
  };
  auto pass = Sequential({createPass("cse", createCSEPass)});
  for (bool observes : {false, true}) {
    std::weak_ptr<PassInstrument> instrument;
    {
      auto made = std::make_shared<Records>(observes);
      instrument = made;
      ASSERT_TRUE(succeeded(pass.run(*module, createContext(2, {made}))));
    }
    // The pipeline is kept, but not what it was run under.
    EXPECT_TRUE(instrument.expired());
  }
}

TEST_F(RunTest, InstrumentsMayChangeInACallback) {
  class Changes : public PassInstrument {
  public:
    Changes() : PassInstrument("changes", Wants::Module | Wants::Records) {}
    llvm::Error endRun(const partita::transform::Run &,
                       std::shared_ptr<const PassRecord>) override {
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
  auto changing = createContext(
      2, {std::make_shared<Changes>(), std::make_shared<Changes>()});
  auto pass = Sequential({createPass("cse", createCSEPass)});
  for (unsigned repeat = 0; repeat < 3; ++repeat)
    EXPECT_TRUE(succeeded(pass.run(*module, changing)));
}

TEST_F(RunTest, PipelinesAreOfTheirThreadPool) {
  class SlowPass : public PassWrapper<SlowPass, OperationPass<func::FuncOp>> {
  public:
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SlowPass)
    StringRef getArgument() const override { return "run-slow"; }
    // So that all threads are at it at once.
    void runOnOperation() override {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  auto slow =
      createPass("run-slow", [] { return std::make_unique<SlowPass>(); });
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

TEST_F(RunTest, MLIRContextsComeAndGo) {
  auto pass = Sequential(
      {createPass("canonicalize", [] { return createCanonicalizerPass(); }),
       makeArithPass()});
  for (unsigned repeat = 0; repeat < 20; ++repeat) {
    MLIRContext other(MLIRContext::Threading::DISABLED);
    other.loadDialect<func::FuncDialect>();
    auto inOther =
        parseSourceString<ModuleOp>("func.func private @f()", &other);
    EXPECT_TRUE(succeeded(pass.run(*inOther, passContext)));
    EXPECT_TRUE(other.getLoadedDialect<arith::ArithDialect>());
  }
}

TEST_F(RunTest, ThreadsKeepNothingOfFailedRuns) {
  PassContext before = PassContext::current();
  auto failing =
      createFunctionPass([](FunctionOpInterface, Operation *,
                            const PassContext &) { return failure(); },
                         0, "Failing");
  auto pass = Sequential({Sequential({failing})});
  for (unsigned repeat = 0; repeat < 3; ++repeat) {
    EXPECT_TRUE(failed(pass.run(*module, passContext)));
    EXPECT_EQ(PassContext::current(), before);
    // Nothing is taken for being inside of the failed run.
    EXPECT_TRUE(succeeded(makeArithPass().run(*module, passContext)));
  }
  std::vector<uint64_t> levels(numFunctions);
  parallelFor(&context, 0, numFunctions, [&](size_t index) {
    levels[index] = PassContext::current().optLevel();
  });
  EXPECT_THAT(levels, testing::Each(2));
}

TEST_F(RunTest, SequentialsInTextFindTheContextOfEachRun) {
  partita::transform::registerSequentialPass();
  PassRegistration<LevelPass>();
  PassManager pm(&context, "builtin.module");
  ASSERT_TRUE(succeeded(parsePassPipeline(
      "func.func(sequential{passes=func.func(run-level)})", pm)));
  for (int level : {3, 5}) {
    auto scope = llvm::cantFail(PassContextScope::enter(createContext(level)));
    ASSERT_TRUE(succeeded(pm.run(*module)));
    llvm::cantFail(scope.exit());
    for (auto func : module->getOps<func::FuncOp>())
      EXPECT_EQ(func->getAttrOfType<IntegerAttr>("test.level").getInt(), level);
  }
}

TEST_F(RunTest, SequentialsInTextWarnOnceForAllOps) {
  partita::transform::registerSequentialPass();
  registerCSEPass();
  module = parseSourceString<ModuleOp>("func.func private @f()\n"
                                       "module @inner {}",
                                       &context);
  PassContextOptions options;
  options.disabledPass = {"NobodyKnows"};
  auto scope = llvm::cantFail(
      PassContextScope::enter(llvm::cantFail(PassContext::create(options))));
  PassManager pm(&context, "builtin.module");
  ASSERT_TRUE(
      succeeded(parsePassPipeline("any(sequential{passes=any(cse)})", pm)));
  // The pass manager is not one of ours, and keeps nothing on the context.
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages.push_back(diagnostic.str());
    return success();
  });
  ASSERT_TRUE(succeeded(pm.run(*module)));
  EXPECT_THAT(messages, ElementsAre(HasSubstr("'NobodyKnows'")));
}

} // namespace
