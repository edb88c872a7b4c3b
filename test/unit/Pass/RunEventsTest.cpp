//===- RunEventsTest.cpp - Runs, spans and records of instruments ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "partita/Pass/AttachInstruments.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Run.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using partita::instrument::Clock;
using partita::instrument::PassInstrument;
using partita::instrument::PassRecord;
using partita::instrument::PassSpan;
using partita::instrument::RunRecord;
using partita::instrument::Wants;

namespace partita::transform {
namespace {

/// Logs runs and spans, and keeps records.
class Watcher : public PassInstrument {
public:
  Watcher(StringRef name, Log &log, bool observes = false)
      : PassInstrument(name, Wants::Runs | Wants::Records | Wants::CPUTime |
                                 Wants::Spans |
                                 (observes ? Wants::Module : Wants::Nothing)),
        log(log) {}

  llvm::Error beginRun(const Run &run) override {
    EXPECT_TRUE(isa<ModuleOp>(run.module));
    log.add(getName() + ".begin:" + getRoot(*run.plan));
    return failsToBegin ? llvm::createStringError("not today")
                        : llvm::Error::success();
  }
  llvm::Error endRun(const Run &run,
                     std::shared_ptr<const RunRecord> record) override {
    EXPECT_TRUE(isa<ModuleOp>(run.module));
    log.add(getName() + (record->hasFailed() ? ".failed:" : ".end:") +
            getRoot(*run.plan));
    // The record of an inner run is part of the outer one's.
    if (!run.outer.run)
      records.push_back(record->getRoot());
    return failsToEnd ? llvm::createStringError("too late")
                      : llvm::Error::success();
  }
  llvm::Expected<bool> shouldRun(const PassStep &step) override {
    if (logsSteps)
      log.add(step.info().name + "=" + Twine(step.number()));
    if (step.info().name == pausesAt)
      RunPause pause(*step.run, Clock::now() - std::chrono::hours(1));
    return step.info().name != vetoed;
  }
  void beginSpan(const PassSpan &) override { ++numOpen; }
  void endSpan(const PassSpan &span) override {
    --numOpen;
    EXPECT_EQ(span.thread, llvm::get_threadid());
    EXPECT_LE(span.begin.time_since_epoch().count(),
              span.end.time_since_epoch().count());
    auto symbol = span.op->getAttrOfType<StringAttr>("sym_name");
    spans.insert(span.step.info().name + "(" + (symbol ? symbol.str() : "") +
                 ")" + (span.hasFailed ? "!" : ""));
    if (span.isVerified)
      verified.insert(span.step.info().name + "(" +
                      (symbol ? symbol.str() : "") + ")");
  }
  static std::string getRoot(const Plan &plan) {
    return plan.entries().front().pass.info().name;
  }

  Log &log;
  bool logsSteps = false;
  bool failsToBegin = false, failsToEnd = false;
  std::string vetoed;
  /// The pass before which the instrument works for an hour.
  std::string pausesAt;
  unsigned numOpen = 0;
  std::multiset<std::string> spans, verified;
  std::vector<PassRecord> records;
};

class RunEventsTest : public PassTest {
protected:
  RunEventsTest() {
    registerPassInfo("run-events-f", {"F", 0, {}});
    funcPass = lambdaPass<func::FuncOp>(
        "run-events-f", [this](LambdaPass<func::FuncOp> &pass) {
          if (pass.getOperation().getName() == failsOn)
            pass.signalPassFailure();
        });
    csePass = createPass("cse", createCSEPass);
  }

  std::shared_ptr<Watcher> watcher(StringRef name, bool observes = false) {
    return std::make_shared<Watcher>(name, log, observes);
  }

  /// Runs in MLIR's own pass manager, with `instruments` attached.
  LogicalResult runAttached(PassInstruments instruments) {
    PassManager pm(&context);
    pm.addPass(createCSEPass());
    pm.addNestedPass<func::FuncOp>(createCSEPass());
    if (failed(attachInstruments(pm, createContext(std::move(instruments)))))
      return failure();
    return pm.run(*module);
  }

  Pass funcPass, csePass;
  std::string failsOn;
};

TEST_F(RunEventsTest, ARunHasTwoEnds) {
  Pass pass = Sequential({csePass, logPass("P")}, {"S", 0, {}});
  for (bool observes : {false, true}) {
    PassContext passContext =
        createContext({watcher("A", observes), watcher("B")});
    ASSERT_TRUE(succeeded(csePass.run(*module, passContext)));
    EXPECT_EQ(log.take(), "A.begin:cse B.begin:cse A.end:cse B.end:cse");
    ASSERT_TRUE(succeeded(pass.run(*module, passContext)));
    EXPECT_EQ(log.take(), "A.begin:S B.begin:S [P] A.end:S B.end:S");
    failsOn = "g";
    EXPECT_TRUE(failed(funcPass.run(*module, passContext)));
    EXPECT_EQ(log.take(), "A.begin:F B.begin:F A.failed:F B.failed:F");
    failsOn = "";
  }
  ASSERT_TRUE(succeeded(runAttached({watcher("A")})));
  EXPECT_EQ(log.take(), "A.begin:PassManager A.end:PassManager");
}

TEST_F(RunEventsTest, ARunInAPassIsInsideItsRun) {
  PassContext passContext = createContext({watcher("A")});
  Pass outer =
      modulePass("Outer", [&](Operation *op, const PassContext &current) {
        return logPass("Inner").run(op, current);
      });
  ASSERT_TRUE(succeeded(outer.run(*module, passContext)));
  EXPECT_EQ(log.take(),
            "A.begin:Outer A.begin:Inner [Inner] A.end:Inner A.end:Outer");
}

TEST_F(RunEventsTest, FailingToBeginRunsNothing) {
  auto second = watcher("B");
  second->failsToBegin = true;
  PassInstruments instruments = {watcher("A"), second, watcher("C")};
  EXPECT_TRUE(failed(logPass("P").run(*module, createContext(instruments))));
  EXPECT_EQ(log.take(), "A.begin:P B.begin:P A.failed:P");
  EXPECT_EQ(takeMessages(),
            "instrument 'B' failed to begin the run: not today");
  EXPECT_TRUE(failed(runAttached(instruments)));
  EXPECT_EQ(log.take(),
            "A.begin:PassManager B.begin:PassManager A.failed:PassManager");
}

TEST_F(RunEventsTest, FailingToEndFailsTheRun) {
  auto first = watcher("A");
  first->failsToEnd = true;
  PassInstruments instruments = {first, watcher("B")};
  EXPECT_TRUE(failed(csePass.run(*module, createContext(instruments))));
  EXPECT_EQ(log.take(), "A.begin:cse B.begin:cse A.end:cse B.end:cse");
  EXPECT_EQ(takeMessages(), "instrument 'A' failed to end the run: too late");
  EXPECT_TRUE(failed(runAttached(instruments)));
}

TEST_F(RunEventsTest, CallbacksKnowTheirStep) {
  auto instrument = watcher("A", /*observes=*/true);
  instrument->logsSteps = true;
  Pass pass = Sequential({csePass,
                          Sequential({csePass, logPass("P")}, {"Inner", 0, {}}),
                          logPass("Late", 9), csePass},
                         {"S", 0, {}});
  ASSERT_TRUE(succeeded(pass.run(*module, createContext({instrument}))));
  EXPECT_EQ(log.take(),
            "A.begin:S S=0 cse=1 Inner=0 cse=2 P=3 [P] cse=4 A.end:S");
  ASSERT_TRUE(succeeded(runAttached({instrument})));
  EXPECT_EQ(log.take(), "A.begin:PassManager cse=1 cse=2 A.end:PassManager");
}

TEST_F(RunEventsTest, SpansAreOfPassesAndFunctions) {
  auto instrument = watcher("A");
  Pass pass = Sequential({csePass, funcPass}, {"S", 0, {}});
  ASSERT_TRUE(succeeded(pass.run(*module, createContext({instrument}))));
  std::multiset<std::string> expected = {"F(f)", "F(g)", "cse()"};
  EXPECT_EQ(instrument->spans, expected);
  EXPECT_EQ(instrument->numOpen, 0u);

  instrument->spans.clear();
  ASSERT_TRUE(succeeded(runAttached({instrument})));
  expected = {"cse()", "cse(f)", "cse(g)"};
  EXPECT_EQ(instrument->spans, expected);

  instrument->spans.clear();
  failsOn = "g";
  context.disableMultithreading();
  EXPECT_TRUE(failed(pass.run(*module, createContext({instrument}))));
  expected = {"F(f)", "F(g)!", "cse()"};
  EXPECT_EQ(instrument->spans, expected);
  EXPECT_EQ(instrument->numOpen, 0u);
}

TEST_F(RunEventsTest, SpansKnowWhatMLIRHasVerified) {
  // MLIR does not verify after a pass that preserves all analyses.
  std::string preserved;
  Pass claims = lambdaPass<func::FuncOp>(
      "run-events-claims", [&](LambdaPass<func::FuncOp> &pass) {
        if (pass.getOperation().getName() == preserved)
          pass.markAllAnalysesPreserved();
      });
  Pass pass = Sequential({csePass, claims}, {"S", 0, {}});
  OwningOpRef<ModuleOp> single = parse("func.func @f() { return }");
  using Names = std::multiset<std::string>;
  auto getVerified = [&](ModuleOp on, bool observes, bool verify) {
    auto instrument = watcher("A", observes);
    RunOptions options;
    options.verify = verify;
    EXPECT_TRUE(succeeded(pass.run(on, createContext({instrument}), options)));
    EXPECT_EQ(instrument->spans.size(), on == *single ? 2u : 3u);
    return instrument->verified;
  };
  for (bool observes : {false, true}) {
    preserved = "";
    EXPECT_EQ(getVerified(*module, observes, true),
              (Names{"run-events-claims(f)", "run-events-claims(g)"}));
    EXPECT_EQ(getVerified(*single, observes, true),
              Names{"run-events-claims(f)"});
    EXPECT_EQ(getVerified(*module, observes, false), Names());
    preserved = "f";
    EXPECT_EQ(getVerified(*module, observes, true),
              Names{"run-events-claims(g)"});
    EXPECT_EQ(getVerified(*single, observes, true), Names());
  }
  failsOn = "g";
  auto instrument = watcher("A");
  EXPECT_TRUE(failed(funcPass.run(*module, createContext({instrument}))));
  EXPECT_EQ(instrument->verified.count("F(g)"), 0u);
  EXPECT_TRUE(succeeded(runAttached({instrument})));
  EXPECT_EQ(instrument->verified.count("cse(f)"), 0u);
}

TEST_F(RunEventsTest, RecordsSayWhatHappened) {
  Pass required = createPass("run-events-needed", createCSEPass);
  registerPassInfo("run-events-needed", {"RunEventsNeeded", 0, {}});
  registerPass(createPass("run-events-needed", createCSEPass));
  Pass owner = logPass("Owner", 0, {"RunEventsNeeded"});
  Pass pass =
      Sequential({logPass("Vetoed"), owner,
                  Sequential({funcPass, logPass("Never")}, {"Inner", 0, {}})},
                 {"S", 0, {}});
  auto instrument = watcher("A", /*observes=*/true);
  instrument->vetoed = "Vetoed";
  failsOn = "g";
  PassContextOptions options;
  options.disabledPass = {"RunEventsNeeded"};
  options.instruments = {instrument};
  EXPECT_TRUE(failed(pass.run(*module, create(options))));

  ASSERT_EQ(instrument->records.size(), 1u);
  const PassRecord &root = instrument->records.front();
  EXPECT_TRUE(root.hasFailed);
  EXPECT_EQ(root.getReason(), "runs: requested directly");
  ASSERT_EQ(root.children.size(), 4u);
  const PassRecord &vetoed = root.children[0], &needed = root.children[1],
                   &ran = root.children[2], &inner = root.children[3];
  EXPECT_EQ(vetoed.vetoedBy, std::vector<std::string>{"A"});
  EXPECT_EQ(vetoed.numRuns, 0u);
  EXPECT_TRUE(needed.isDisabled);
  EXPECT_EQ(needed.getReason(),
            "runs: required by 'Owner', although named in disabled_pass");
  EXPECT_FALSE(ran.isDisabled || ran.hasFailed);
  EXPECT_EQ(ran.getReason(), "runs: opt_level 0 <= 2");
  ASSERT_EQ(inner.children.size(), 1u);
  EXPECT_TRUE(inner.hasFailed && inner.children.front().hasFailed);
  EXPECT_TRUE(needed.begin <= needed.end && needed.end <= ran.begin &&
              ran.end <= inner.begin);
  for (const PassRecord *record : {&root, &needed, &ran, &inner})
    EXPECT_TRUE(record->cpuTime.has_value());
  // On one operation, they are the same.
  EXPECT_EQ(ran.time.count(), ran.wallTime.count());
}

TEST_F(RunEventsTest, PausesAreNoTimeOfPasses) {
  auto pausing = watcher("A", /*observes=*/true);
  pausing->pausesAt = "Inner";
  Pass outer =
      modulePass("Outer", [&](Operation *op, const PassContext &current) {
        return logPass("Inner").run(op, current);
      });
  Pass all = Sequential({csePass, outer, csePass}, {"All", 0, {}});
  ASSERT_TRUE(succeeded(all.run(*module, createContext({pausing}))));
  ASSERT_EQ(pausing->records.size(), 1u);
  const PassRecord &root = pausing->records.front();
  ASSERT_EQ(root.children.size(), 3u);
  // Less than nothing, because the pause began before the pass.
  auto none = std::chrono::nanoseconds(0);
  EXPECT_GE(root.children[0].time, none);
  EXPECT_LT(root.children[1].time, none);
  EXPECT_LT(root.children[1].wallTime, none);
  EXPECT_GE(root.children[2].time, none);
}

} // namespace
} // namespace partita::transform
