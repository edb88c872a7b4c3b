//===- AttachInstrumentsTest.cpp - Instruments on foreign managers --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test builds a PassManager as an embedder without Partita does, and
// attaches instruments to it. All run with and without MLIR's threads.
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/AttachInstruments.h"
#include "Recorder.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/SequentialPass.h"

#include "mlir/Transforms/Passes.h"
#include "gmock/gmock.h"

using namespace mlir;
using partita::instrument::PassInstrument;
using partita::instrument::PassRecord;
using partita::instrument::RunRecord;
using partita::instrument::Wants;
using partita::transform::attachInstruments;
using partita::transform::LambdaPass;
using partita::transform::PassContext;
using partita::transform::PassContextOptions;
using partita::transform::PassContextScope;
using partita::transform::PassStep;
using partita::transform::registerPassInfo;
using partita::transform::Run;
using partita::transform::takeOver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Logs its callbacks; fails or vetoes where a test says.
class Recorder : public PassInstrument {
public:
  explicit Recorder(bool observes = true)
      : PassInstrument("recorder",
                       Wants::Records |
                           (observes ? Wants::Module : Wants::Nothing)) {}

  llvm::Expected<bool> shouldRun(const PassStep &step) override {
    if (failAt == "should " + step.info().name)
      return llvm::createStringError("told to");
    return veto != step.info().name;
  }
  llvm::Error runBeforePass(const PassStep &step) override {
    return add("before " + step.info().name, step.module());
  }
  llvm::Error runAfterPass(const PassStep &step) override {
    return add("after " + step.info().name, step.module());
  }
  llvm::Error endRun(const Run &,
                     std::shared_ptr<const RunRecord> record) override {
    records.push_back(record->getRoot());
    return llvm::Error::success();
  }

  std::vector<std::string> log;
  std::vector<PassRecord> records;
  std::string failAt, veto;

private:
  llvm::Error add(std::string entry, Operation *module) {
    // Reads the whole module: a race, if any pass is at work.
    module->walk([&](Operation *op) { size += op->getAttrs().size(); });
    EXPECT_TRUE(isa<ModuleOp>(module));
    log.push_back(entry);
    return entry == failAt ? llvm::createStringError("told to")
                           : llvm::Error::success();
  }

  size_t size = 0;
};

/// A pass without an argument; its name is the name of its type.
template <typename...>
class NamelessPass
    : public PassWrapper<NamelessPass<int, float>, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NamelessPass)
  void runOnOperation() override {}
};

using AnyPass = LambdaPass<>;

/// Runs a pipeline on each function, from one thread or several.
std::unique_ptr<AnyPass> createDynamicPass() {
  auto run = [](AnyPass &pass) {
    OpPassManager pm(pass.getOperation()->getName().getStringRef());
    pm.nest<func::FuncOp>().addPass(createCSEPass());
    pm.addPass(createCSEPass());
    if (failed(pass.runPipeline(pm, pass.getOperation())))
      pass.signalPassFailure();
  };
  return std::make_unique<AnyPass>("dynamic", run, /*needsArith=*/true);
}

/// Whether MLIR uses threads.
class AttachInstrumentsTest : public testing::TestWithParam<bool> {
protected:
  AttachInstrumentsTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect>();
    context.disableMultithreading(!GetParam());
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      diagnostics.push_back(diagnostic.str());
    });
    std::string text;
    for (unsigned index = 0; index < numFunctions; ++index)
      text += "func.func @f" + std::to_string(index) +
              "() -> i32 { %0 = arith.constant 1 : i32\n"
              "%1 = arith.constant 1 : i32\n"
              "%2 = arith.addi %0, %1 : i32\n return %2 : i32 }\n";
    module = parseSourceString<ModuleOp>(text, &context);
    options.instruments = {recorder};
  }

  PassContext getContext() {
    return llvm::cantFail(PassContext::create(options));
  }
  LogicalResult attach(bool applyPolicy = false) {
    return attachInstruments(pm, getContext(), {applyPolicy});
  }
  LogicalResult run() { return pm.run(*module); }
  /// Adds a pass that counts the ops on which it ran, and marks them.
  void addMark(OpPassManager &manager, StringRef name) {
    manager.addPass(std::make_unique<AnyPass>(name, [this](AnyPass &pass) {
      ++marks;
      pass.getOperation()->setAttr(("test." + pass.getName()).str(),
                                   UnitAttr::get(&context));
    }));
  }

  static constexpr unsigned numFunctions = 20;
  MLIRContext context;
  std::vector<std::string> diagnostics;
  OwningOpRef<ModuleOp> module;
  std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
  PassContextOptions options;
  PassManager pm{&context, "builtin.module"};
  std::atomic<unsigned> marks{0};
};

TEST_P(AttachInstrumentsTest, OncePerPassAndModule) {
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addPass(createSymbolDCEPass());
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  std::vector<std::string> expected = {"before cse",        "after cse",
                                       "before cse",        "after cse",
                                       "before symbol-dce", "after symbol-dce"};
  EXPECT_EQ(recorder->log, expected);
  EXPECT_THAT(diagnostics, IsEmpty());

  // A second run of the same manager is a run like the first.
  recorder->log.clear();
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(recorder->log, expected);
}

TEST_P(AttachInstrumentsTest, StepsHaveTheirNumbers) {
  struct Numbers : PassInstrument {
    Numbers() : PassInstrument("numbers") {}
    llvm::Error runAfterPass(const PassStep &step) override {
      list.push_back(step.number());
      return llvm::Error::success();
    }
    std::vector<unsigned> list;
  };
  auto numbers = std::make_shared<Numbers>();
  options.instruments = {numbers};
  pm.addPass(createCSEPass());
  addMark(pm.nest<func::FuncOp>(), "a");
  pm.addPass(createSymbolDCEPass());
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(numbers->list, ElementsAre(1, 2, 3));
}

TEST_P(AttachInstrumentsTest, MergedPassesComeTogether) {
  for (StringRef name : {"a", "b", "c"})
    addMark(pm.nest<func::FuncOp>(), name);
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, 3 * numFunctions);
  EXPECT_THAT(recorder->log, ElementsAre("before a", "before b", "before c",
                                         "after a", "after b", "after c"));
  EXPECT_THAT(diagnostics,
              ElementsAre(HasSubstr("3 passes, from 'a', are merged")));
}

TEST_P(AttachInstrumentsTest, NoWarningWhereNobodyLooks) {
  recorder = std::make_shared<Recorder>(/*observes=*/false);
  options.instruments = {recorder};
  addMark(pm.nest<func::FuncOp>(), "a");
  addMark(pm.nest<func::FuncOp>(), "b");
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(recorder->log, IsEmpty());
  EXPECT_THAT(diagnostics, IsEmpty());
}

TEST_P(AttachInstrumentsTest, PassesWithoutOpsGetCallbacks) {
  addMark(pm.nest("tir.prim_func"), "a");
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, 0u);
  EXPECT_THAT(recorder->log, ElementsAre("before a", "after a"));
}

TEST_P(AttachInstrumentsTest, RecordsSumUpOps) {
  addMark(pm, "a");
  addMark(pm.nest<func::FuncOp>(), "b");
  addMark(pm.nest<func::FuncOp>(), "b");
  ASSERT_TRUE(succeeded(attach()));
  for (unsigned runs = 1; runs <= 2; ++runs) {
    ASSERT_TRUE(succeeded(run()));
    ASSERT_EQ(recorder->records.size(), runs);
    const PassRecord &record = recorder->records.back();
    ASSERT_EQ(record.children.size(), 3u);
    EXPECT_EQ(record.children[0].getInfo().name, "a");
    EXPECT_EQ(record.children[0].numRuns, 1u);
    for (unsigned index : {1, 2}) {
      EXPECT_EQ(record.children[index].getInfo().name, "b");
      EXPECT_EQ(record.children[index].numRuns, numFunctions);
      EXPECT_GT(record.children[index].time.count(), 0);
    }
    EXPECT_GE(record.time, record.children[0].time);
  }
}

TEST_P(AttachInstrumentsTest, FailedRunsHaveRecords) {
  addMark(pm, "a");
  pm.addNestedPass<func::FuncOp>(std::make_unique<AnyPass>(
      "failing", [](AnyPass &pass) { pass.signalPassFailure(); }));
  addMark(pm, "b");
  ASSERT_TRUE(succeeded(attach()));
  for (unsigned runs = 1; runs <= 2; ++runs) {
    EXPECT_TRUE(failed(run()));
    ASSERT_EQ(recorder->records.size(), runs);
    EXPECT_EQ(recorder->records.back().children.size(), 2u);
    EXPECT_THAT(recorder->log,
                ElementsAre("before a", "after a", "before failing"));
    recorder->log.clear();
  }
}

TEST_P(AttachInstrumentsTest, FailingCallbacksFailTheRun) {
  addMark(pm, "a");
  addMark(pm.nest<func::FuncOp>(), "b");
  addMark(pm.nest<func::FuncOp>(), "c");
  ASSERT_TRUE(succeeded(attach()));
  struct Case {
    std::string failAt, message;
    std::vector<std::string> log;
  };
  std::vector<std::string> outer = {"before a", "after a"};
  std::vector<std::string> inner = {"before a", "after a", "before b",
                                    "before c"};
  auto after = inner;
  after.push_back("after b");
  for (const Case &test :
       {Case{"should a", "should_run of pass 'a'", {}},
        Case{"before a", "run_before_pass of pass 'a'", {"before a"}},
        Case{"after a", "run_after_pass of pass 'a'", outer},
        Case{"should b", "should_run of pass 'b'", outer},
        Case{"before c", "run_before_pass of pass 'c'", inner},
        // Only the manager's end can still fail.
        Case{"after b", "run_after_pass of pass 'b'", after}}) {
    recorder->failAt = test.failAt;
    recorder->log.clear();
    diagnostics.clear();
    EXPECT_TRUE(failed(run())) << test.failAt;
    EXPECT_EQ(recorder->log, test.log) << test.failAt;
    ASSERT_FALSE(diagnostics.empty());
    EXPECT_EQ(diagnostics.back(),
              "instrument 'recorder' failed " + test.message + ": told to");
  }
  recorder->failAt = "";
  EXPECT_TRUE(succeeded(run()));
}

TEST_P(AttachInstrumentsTest, VetoesOnlyWhenAsked) {
  addMark(pm, "a");
  addMark(pm.nest<func::FuncOp>(), "b");
  recorder->veto = "b";
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()) && succeeded(run()));
  EXPECT_EQ(marks, 2 + 2 * numFunctions);
  EXPECT_THAT(
      diagnostics,
      ElementsAre(HasSubstr(
          "instrument 'recorder' vetoed 'b', but a veto has no effect")));
}

TEST_P(AttachInstrumentsTest, VetoedPassesAreSkipped) {
  addMark(pm, "a");
  addMark(pm.nest<func::FuncOp>(), "b");
  addMark(pm.nest<func::FuncOp>(), "c");
  recorder->veto = "b";
  ASSERT_TRUE(succeeded(attach(/*applyPolicy=*/true)));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, 1 + numFunctions);
  EXPECT_THAT(recorder->log,
              ElementsAre("before a", "after a", "before c", "after c"));
  EXPECT_FALSE((*module->getOps<func::FuncOp>().begin())->hasAttr("test.b"));
  std::vector<PassRecord> &records = recorder->records.front().children;
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].numRuns, 0u);
  EXPECT_THAT(records[1].vetoedBy, ElementsAre("recorder"));
}

TEST_P(AttachInstrumentsTest, FailuresPassThePolicy) {
  addMark(pm, "a");
  addMark(pm.nest<func::FuncOp>(), "b");
  ASSERT_TRUE(succeeded(attach(/*applyPolicy=*/true)));
  for (std::string failAt : {"before a", "after a", "should b", "after b"}) {
    recorder->failAt = failAt;
    EXPECT_TRUE(failed(run())) << failAt;
  }
}

TEST_P(AttachInstrumentsTest, ContextEnablesPassesWhenAsked) {
  addMark(pm, "a");
  addMark(pm, "attach-three");
  addMark(pm.nest<func::FuncOp>(), "attach-four");
  registerPassInfo("attach-three", {"AttachThree", 3, {}});
  registerPassInfo("attach-four", {"AttachFour", 4, {}});
  options.disabledPass = {"a"};
  options.requiredPass = {"AttachFour"};
  recorder->veto = "AttachFour"; // It is not asked.
  ASSERT_TRUE(succeeded(attach(/*applyPolicy=*/true)));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, numFunctions);
  EXPECT_THAT(recorder->log,
              ElementsAre("before AttachFour", "after AttachFour"));
}

TEST_P(AttachInstrumentsTest, PolicyWithoutInstruments) {
  addMark(pm, "a");
  addMark(pm, "b");
  options.instruments = {};
  options.disabledPass = {"a"};
  ASSERT_TRUE(succeeded(attach(/*applyPolicy=*/true)));
  ASSERT_TRUE(succeeded(run()) && succeeded(run()));
  EXPECT_EQ(marks, 2u);
}

TEST_P(AttachInstrumentsTest, ActionHandlerIsNotReplaced) {
  addMark(pm, "a");
  unsigned actions = 0;
  context.registerActionHandler(
      [&](llvm::function_ref<void()> execute, const tracing::Action &) {
        ++actions;
        execute();
      });
  EXPECT_TRUE(failed(attach(/*applyPolicy=*/true)));
  EXPECT_THAT(diagnostics, ElementsAre(HasSubstr("without an action handler")));
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(recorder->log, ElementsAre("before a", "after a"));
  EXPECT_GT(actions, 0u);
  context.registerActionHandler(nullptr);
}

TEST_P(AttachInstrumentsTest, PassManagersShareTheActionHandler) {
  options.disabledPass = {"a"};
  addMark(pm, "a");
  addMark(pm, "b");
  {
    PassManager first(&context, "builtin.module");
    addMark(first, "a");
    ASSERT_TRUE(succeeded(attachInstruments(first, getContext(), {true})));
    ASSERT_TRUE(succeeded(attach(/*applyPolicy=*/true)));
    ASSERT_TRUE(succeeded(first.run(*module)));
    EXPECT_EQ(marks, 0u);
  }
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, 1u);
  EXPECT_THAT(recorder->log, ElementsAre("before b", "after b"));
}

TEST_P(AttachInstrumentsTest, EitherPolicySkips) {
  addMark(pm, "a");
  addMark(pm, "b");
  addMark(pm, "c");
  for (const char *name : {"a", "b"}) {
    PassContextOptions policy;
    policy.disabledPass = {name};
    ASSERT_TRUE(succeeded(attachInstruments(
        pm, llvm::cantFail(PassContext::create(policy)), {true})));
  }
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, 1u);
}

TEST_P(AttachInstrumentsTest, ActionHandlerIsGivenBack) {
  {
    PassManager first(&context, "builtin.module");
    addMark(first, "a");
    ASSERT_TRUE(succeeded(attachInstruments(first, getContext(), {true})));
    EXPECT_TRUE(context.hasActionHandler());
  }
  EXPECT_FALSE(context.hasActionHandler());
  EXPECT_TRUE(succeeded(attach(/*applyPolicy=*/true)));
}

TEST_P(AttachInstrumentsTest, RequiredPassesAreMissed) {
  registerPassInfo("attach-owner", {"AttachOwner", 0, {"AttachNeed", "a"}});
  registerPassInfo("attach-need", {"AttachNeed", 0, {}});
  addMark(pm, "a");
  addMark(pm.nest<func::FuncOp>(), "attach-owner");
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()) && succeeded(run()));
  EXPECT_THAT(diagnostics, ElementsAre(HasSubstr(
                               "'AttachNeed', which 'AttachOwner' requires")));
}

TEST_P(AttachInstrumentsTest, RequiredPassesThatAreThere) {
  registerPassInfo("attach-owner", {"AttachOwner", 0, {"AttachNeed", "a"}});
  registerPassInfo("attach-need", {"AttachNeed", 0, {}});
  addMark(pm, "a");
  addMark(pm.nest<func::FuncOp>(), "attach-need");
  addMark(pm, "b");
  addMark(pm, "attach-owner");
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(diagnostics, IsEmpty());
}

TEST_P(AttachInstrumentsTest, DynamicPipelinesBelongToTheirPass) {
  pm.addPass(createDynamicPass());
  pm.nest<ModuleOp>().addPass(createDynamicPass());
  pm.nest<ModuleOp>().addPass(createCSEPass());
  // A module in the module, whose functions get cse from a pass.
  OwningOpRef<ModuleOp> inner = module->clone();
  module->push_back(inner.release());
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(recorder->log,
              ElementsAre("before dynamic", "after dynamic", "before dynamic",
                          "before cse", "after dynamic", "after cse"));
  const PassRecord &record = recorder->records.front();
  ASSERT_EQ(record.children.size(), 3u);
  EXPECT_EQ(record.children[2].numRuns, 1u);
}

TEST_P(AttachInstrumentsTest, NestedAnchors) {
  // Several, so that MLIR's threads run copies of copies.
  constexpr unsigned numModules = 6;
  OwningOpRef<ModuleOp> inner = module->clone();
  for (unsigned index = 0; index < numModules; ++index)
    module->push_back(inner->clone());
  OpPassManager &nested = pm.nest<ModuleOp>();
  addMark(nested, "a");
  addMark(nested.nest<func::FuncOp>(), "b");
  addMark(nested.nest<func::FuncOp>(), "b");
  addMark(nested, "a");
  pm.nest<func::FuncOp>().addPass(
      createCanonicalizerPass(GreedyRewriteConfig(), {"x(y", "z"}));
  addMark(pm.nest<func::FuncOp>(), "c");
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, 2 * numModules + (2 * numModules + 1) * numFunctions);
  // Managers of different ops run in no particular order.
  EXPECT_THAT(recorder->log,
              testing::UnorderedElementsAre(
                  "before a", "before b", "before b", "before a",
                  "before canonicalize", "before c", "after a", "after b",
                  "after b", "after a", "after canonicalize", "after c"));
  for (const PassRecord &child : recorder->records.front().children)
    EXPECT_EQ(child.numRuns, child.getInfo().name == "a" ? numModules
                             : child.getInfo().name == "b"
                                 ? numModules * numFunctions
                                 : numFunctions)
        << child.getInfo().name;
}

TEST_P(AttachInstrumentsTest, VetoesAmongCopiesOfCopies) {
  OwningOpRef<ModuleOp> inner = module->clone();
  for (unsigned index = 0; index < 6; ++index)
    module->push_back(inner->clone());
  OpPassManager &nested = pm.nest<ModuleOp>().nest<func::FuncOp>();
  for (StringRef name : {"a", "b", "c"})
    addMark(nested, name);
  recorder->veto = "b";
  ASSERT_TRUE(succeeded(attach(/*applyPolicy=*/true)));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, 2 * 6 * numFunctions);
  module->walk(
      [](func::FuncOp func) { EXPECT_FALSE(func->hasAttr("test.b")); });
}

TEST_P(AttachInstrumentsTest, PassesWithoutArgument) {
  using Nameless = NamelessPass<int, float>;
  pm.addPass(std::make_unique<Nameless>());
  pm.nest<func::FuncOp>().addPass(std::make_unique<Nameless>());
  addMark(pm.nest<func::FuncOp>(), "a");
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  std::string name = llvm::getTypeName<Nameless>().str();
  EXPECT_THAT(recorder->log,
              ElementsAre("before " + name, "after " + name, "before " + name,
                          "before a", "after " + name, "after a"));
  ASSERT_EQ(recorder->records.size(), 1u);
  EXPECT_EQ(recorder->records.front().children.size(), 3u);
}

TEST_P(AttachInstrumentsTest, ContextIsCurrentOnWorkerThreads) {
  options.optLevel = 7;
  std::atomic<unsigned> wrong{0};
  pm.addNestedPass<func::FuncOp>(
      std::make_unique<AnyPass>("level", [&](AnyPass &) {
        wrong += PassContext::current().optLevel() != 7;
      }));
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(wrong, 0u);
  EXPECT_NE(PassContext::current().optLevel(), 7);
}

TEST_P(AttachInstrumentsTest, SequentialsCallInstrumentsThemselves) {
  partita::transform::registerSequentialPass();
  registerCSEPass();
  ASSERT_TRUE(succeeded(parsePassPipeline("sequential{passes=any(cse)}", pm)));
  PassContext passContext = getContext();
  ASSERT_TRUE(succeeded(attachInstruments(pm, passContext)));
  auto scope = llvm::cantFail(PassContextScope::enter(passContext));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(recorder->log, ElementsAre("before sequential", "before cse",
                                         "after cse", "after sequential"));
  llvm::cantFail(scope.exit());
}

TEST_P(AttachInstrumentsTest, TwoContexts) {
  addMark(pm, "a");
  auto second = std::make_shared<Recorder>();
  ASSERT_TRUE(succeeded(attach()));
  options.instruments = {second};
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()) && succeeded(run()));
  for (const auto &each : {recorder, second}) {
    EXPECT_THAT(each->log,
                ElementsAre("before a", "after a", "before a", "after a"));
    EXPECT_EQ(each->records.size(), 2u);
  }
}

TEST_P(AttachInstrumentsTest, PassesAddedLater) {
  addMark(pm, "a");
  ASSERT_TRUE(succeeded(attach()));
  addMark(pm, "b");
  for (unsigned runs = 1; runs <= 3; ++runs) {
    recorder->log.clear();
    ASSERT_TRUE(succeeded(run()));
    EXPECT_THAT(recorder->log,
                ElementsAre("before a", "after a", "before b", "after b"));
    // Another module at another address.
    module = OwningOpRef<ModuleOp>(module->clone());
  }
}

TEST_P(AttachInstrumentsTest, PrintedPipelineRunsWithoutPartita) {
  registerCSEPass();
  registerSymbolDCEPass();
  ASSERT_TRUE(succeeded(parsePassPipeline("func.func(cse),symbol-dce", pm)));
  ASSERT_TRUE(succeeded(attach()));
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  EXPECT_EQ(text, "builtin.module(func.func(cse),symbol-dce,"
                  "partita.end(builtin.module(func.func(cse))))");
  FailureOr<OpPassManager> parsed = parsePassPipeline(text);
  ASSERT_TRUE(succeeded(parsed));
  PassManager again(&context, "builtin.module");
  static_cast<OpPassManager &>(again) = std::move(*parsed);
  EXPECT_TRUE(succeeded(again.run(*module)));
}

TEST_P(AttachInstrumentsTest, EmptyPipeline) {
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(recorder->log, IsEmpty());
}

//===----------------------------------------------------------------------===//
// takeOver
//===----------------------------------------------------------------------===//

TEST_P(AttachInstrumentsTest, TakenOverPassesRunOneByOne) {
  registerTransformsPasses();
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  addMark(pm, "mark");
  options.disabledPass = {"canonicalize"};
  recorder->veto = "mark";
  ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(recorder->log,
              ElementsAre("before sequential", "before cse", "after cse",
                          "before cse", "after cse", "after sequential"));
  EXPECT_EQ(marks, 0u);
  EXPECT_THAT(diagnostics, IsEmpty());
}

TEST_P(AttachInstrumentsTest, TakesOverWhatTextCannotMake) {
  // These passes are not registered.
  addMark(pm.nest<func::FuncOp>(), "a");
  pm.nest<func::FuncOp>().addPass(std::make_unique<NamelessPass<>>());
  addMark(pm.nest<func::FuncOp>(), "b");
  ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
  ASSERT_TRUE(succeeded(run()));
  ASSERT_EQ(recorder->log.size(), 8u);
  EXPECT_EQ(recorder->log[1], "before a");
  std::string name = llvm::getTypeName<NamelessPass<int, float>>().str();
  EXPECT_EQ(recorder->log[3], "before " + name);
  EXPECT_EQ(recorder->log[5], "before b");
  EXPECT_EQ(marks, 2 * numFunctions);
}

//===----------------------------------------------------------------------===//
// sequential{}
//===----------------------------------------------------------------------===//

TEST_P(AttachInstrumentsTest, MeasuringSequentialKeepsPassesMerged) {
  // Which pass ran on which function, in order.
  static std::vector<std::string> order;
  static std::mutex mutex;
  using NotePass = LambdaPass<func::FuncOp>;
  auto note = [](NotePass &pass) {
    std::lock_guard<std::mutex> lock(mutex);
    order.push_back(
        (pass.getOperation().getName() + " " + pass.getName()).str());
  };
  struct Watcher : PassInstrumentation {};
  for (StringRef name : {"attach-note-a", "attach-note-b"})
    mlir::registerPass([=] { return std::make_unique<NotePass>(name, note); });
  partita::transform::registerSequentialPass();
  recorder = std::make_shared<Recorder>(/*observes=*/false);
  options.instruments = {recorder};
  // With a foreign instrumentation, and without any.
  for (bool isInstrumented : {false, true}) {
    order.clear();
    recorder->records.clear();
    PassManager manager(&context, "builtin.module");
    if (isInstrumented)
      manager.addInstrumentation(std::make_unique<Watcher>());
    ASSERT_TRUE(succeeded(parsePassPipeline(
        "sequential{passes=func.func(attach-note-a,attach-note-b)}", manager)));
    auto scope = llvm::cantFail(PassContextScope::enter(getContext()));
    ASSERT_TRUE(succeeded(manager.run(*module)));
    llvm::cantFail(scope.exit());
    ASSERT_EQ(order.size(), 2 * numFunctions);
    if (!GetParam()) {
      EXPECT_EQ(order[0], "f0 attach-note-a");
      EXPECT_EQ(order[1], "f0 attach-note-b");
    }
    ASSERT_EQ(recorder->records.size(), 1u);
    const std::vector<PassRecord> &members = recorder->records.front().children;
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[1].numRuns, numFunctions);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, AttachInstrumentsTest, testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "On" : "Off";
                         });

} // namespace
