//===- ReportTest.cpp - Runs in a Report ----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Pass/Recorder.h"
#include "partita/Instrument/Instruments.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using partita::instrument::PassInstrumentRef;
using partita::instrument::ReportOptions;

namespace partita::transform {
namespace {

class ReportTest : public PassTest {
protected:
  ReportTest() {
    ReportOptions options;
    options.output = "";
    report = instrument::createReport(options);
  }

  /// "ROOT: PASS status, ..." for each run.
  std::vector<std::string> describeRuns() {
    std::vector<std::string> texts;
    llvm::json::Value runs = report->toJSON();
    for (const llvm::json::Value &run : *runs.getAsArray()) {
      std::string text = run.getAsObject()->getString("root")->str() + ":";
      for (const llvm::json::Value &value :
           *run.getAsObject()->getArray("passes")) {
        const llvm::json::Object &pass = *value.getAsObject();
        text += " " + pass.getString("name")->str() + " " +
                pass.getString("status")->str();
        if (const llvm::json::Array *against = pass.getArray("vetoed_by"))
          text += " by " + against->front().getAsString()->str();
      }
      texts.push_back(text);
    }
    return texts;
  }

  /// A pass that replaces the instruments of the context.
  static Pass replacePass(PassInstruments instruments, StringRef name) {
    return modulePass(
        name, [instruments](Operation *, const PassContext &current) {
          PassContext replaced = current;
          llvm::Error error = replaced.overrideInstruments(instruments);
          bool isGood = !error;
          llvm::consumeError(std::move(error));
          return success(isGood);
        });
  }

  PassInstrumentRef report;
  Pass mark = modulePass("Mark", [](Operation *op) {
    op->setAttr("test.marked", UnitAttr::get(op->getContext()));
  });
  Pass csePass = createPass("cse", createCSEPass);
};

TEST_F(ReportTest, ARunInAPassSaysWhich) {
  auto against = recorder("A");
  against->skip = {"Vetoed"};
  std::vector<std::string> during;
  Pass outer = modulePass(
      "Outer", [&](Operation *op, const PassContext &current) -> LogicalResult {
        Pass inner = Sequential({csePass, logPass("Vetoed")}, {"Inner", 0, {}});
        if (failed(inner.run(op, current)))
          return failure();
        emitRemark(op->getLoc(), "only once");
        during = describeRuns();
        return success();
      });
  Pass all = Sequential({logPass("Vetoed"), outer}, {"All", 0, {}});
  ASSERT_TRUE(succeeded(all.run(*module, createContext({against, report}))));

  std::vector<std::string> expected = {
      "All: All running Vetoed vetoed Outer running",
      "Inner: Inner ran cse ran Vetoed vetoed by A"};
  EXPECT_EQ(during, expected);
  expected = {"All: All ran Vetoed vetoed by A Outer ran",
              "Inner: Inner ran cse ran Vetoed vetoed by A"};
  EXPECT_EQ(describeRuns(), expected);
  llvm::json::Value runs = report->toJSON();
  const llvm::json::Object &first = *(*runs.getAsArray())[0].getAsObject();
  const llvm::json::Object &second = *(*runs.getAsArray())[1].getAsObject();
  EXPECT_EQ(first.getArray("parent"), nullptr);
  EXPECT_EQ(*second.getArray("parent"), llvm::json::Array({0, 2}));
  EXPECT_EQ(first.getArray("diagnostics")->size(), 1u);
  EXPECT_TRUE(second.getArray("diagnostics")->empty());
}

TEST_F(ReportTest, RunsOnSeveralThreads) {
  constexpr int numRuns = 8;
  PassContext passContext = createContext({report});
  Pass pass = Sequential({csePass, csePass}, {"S", 0, {}});
  std::vector<OwningOpRef<ModuleOp>> modules;
  for (int i = 0; i < numRuns; ++i)
    modules.push_back(module->clone());
  runOnThreads(numRuns, [&](unsigned index) {
    EXPECT_TRUE(succeeded(pass.run(*modules[index], passContext)));
  });
  EXPECT_EQ(describeRuns(),
            std::vector<std::string>(numRuns, "S: S ran cse ran cse ran"));
}

TEST_F(ReportTest, AScopeBeginsAnew) {
  PassContext passContext = createContext({report});
  for (int i = 0; i < 2; ++i) {
    auto scope = PassContextScope::enter(passContext);
    ASSERT_TRUE(bool(scope));
    ASSERT_TRUE(succeeded(csePass.run(*module)));
    EXPECT_FALSE(bool(scope->exit()));
    // The report keeps its runs until the next scope.
    EXPECT_EQ(describeRuns(), std::vector<std::string>{"cse: cse ran"});
  }
}

TEST_F(ReportTest, AScopeForgetsNoRunThatGoesOn) {
  PassContext passContext = createContext({report});
  OwningOpRef<ModuleOp> other = module->clone();
  Pass outer = modulePass("Outer", [&](Operation *) {
    // Twice, so that the second forgets the run of the first.
    for (int i = 0; i < 2; ++i)
      std::thread([&] {
        auto scope = PassContextScope::enter(passContext);
        ASSERT_TRUE(bool(scope));
        EXPECT_TRUE(succeeded(csePass.run(*other)));
        EXPECT_FALSE(bool(scope->exit()));
      }).join();
  });
  Pass all = Sequential({csePass, outer, csePass}, {"All", 0, {}});
  ASSERT_TRUE(succeeded(all.run(*module, passContext)));
  std::vector<std::string> expected = {"All: All ran cse ran Outer ran cse ran",
                                       "cse: cse ran"};
  EXPECT_EQ(describeRuns(), expected);
}

TEST_F(ReportTest, ScopesOnSeveralThreads) {
  PassContext passContext = createContext({report});
  Pass pass = Sequential({csePass, csePass}, {"S", 0, {}});
  std::vector<OwningOpRef<ModuleOp>> modules;
  for (int i = 0; i < 4; ++i)
    modules.push_back(module->clone());
  runOnThreads(4, [&](unsigned index) {
    for (int i = 0; i < 50; ++i) {
      auto scope = PassContextScope::enter(passContext);
      ASSERT_TRUE(bool(scope));
      EXPECT_TRUE(succeeded(pass.run(*modules[index])));
      for (const std::string &run : describeRuns())
        EXPECT_EQ(run.substr(0, 2), "S:");
      EXPECT_FALSE(bool(scope->exit()));
    }
  });
}

TEST_F(ReportTest, APassThatRunsHasNoEnd) {
  llvm::json::Value during = nullptr;
  Pass look =
      modulePass("Look", [&](Operation *) { during = report->toJSON(); });
  Pass all = Sequential({csePass, look, logPass("Later")}, {"All", 0, {}});
  ASSERT_TRUE(succeeded(all.run(*module, createContext({report}))));
  const llvm::json::Array &passes =
      *(*during.getAsArray())[0].getAsObject()->getArray("passes");
  for (int i : {0, 2}) {
    const llvm::json::Object &pass = *passes[i].getAsObject();
    EXPECT_EQ(pass.getString("status"), "running");
    EXPECT_LE(*pass.getInteger("begin"), *pass.getInteger("end"));
    EXPECT_GE(*pass.getInteger("wall"), 0);
    EXPECT_EQ(pass.get("memory"), nullptr);
    EXPECT_EQ(pass.get("ops"), nullptr);
  }
  // The running Sequential ends after its first pass.
  EXPECT_GE(*passes[0].getAsObject()->getInteger("end"),
            *passes[1].getAsObject()->getInteger("end"));
  EXPECT_EQ(*passes[1].getAsObject()->getArray("ops"),
            llvm::json::Array({4, 4}));
  EXPECT_EQ(passes[3].getAsObject()->get("begin"), nullptr);
}

TEST_F(ReportTest, ComesInAndGoesInTheMiddleOfARun) {
  Pass come = replacePass({report}, "Come"), go = replacePass({}, "Go");
  Pass inner = Sequential({come, mark}, {"Inner", 0, {}});
  Pass all = Sequential({csePass, inner, csePass, go, csePass, logPass("Last")},
                        {"All", 0, {}});
  ASSERT_TRUE(succeeded(all.run(*module, createContext({}))));
  EXPECT_EQ(describeRuns(),
            std::vector<std::string>{
                "All: All ran cse not seen Inner ran Come not seen Mark ran "
                "cse ran Go ran cse not seen Last not seen"});
  llvm::json::Value runs = report->toJSON();
  const llvm::json::Array &passes =
      *(*runs.getAsArray())[0].getAsObject()->getArray("passes");
  std::vector<int> changed, knowsOps;
  for (int i = 0, e = passes.size(); i < e; ++i) {
    const llvm::json::Object &pass = *passes[i].getAsObject();
    if (pass.get("changed"))
      changed.push_back(i);
    if (pass.get("ops"))
      knowsOps.push_back(i);
    // Passes that the report did not see take none of the time of this one.
    if (pass.get("begin")) {
      EXPECT_LE(*pass.getInteger("time"), *pass.getInteger("wall"));
      EXPECT_LE(*pass.getInteger("wall"),
                *pass.getInteger("end") - *pass.getInteger("begin"));
    }
  }
  EXPECT_EQ(changed, std::vector<int>{4});
  EXPECT_EQ(knowsOps, (std::vector<int>{4, 5}));
}

TEST_F(ReportTest, IsToldOfPassesAfterItWasReplaced) {
  Pass go = replacePass({}, "Go"), back = replacePass({report}, "Back");
  Pass all = Sequential({csePass, go, mark, back, csePass}, {"All", 0, {}});
  ASSERT_TRUE(succeeded(all.run(*module, createContext({report}))));
  EXPECT_EQ(describeRuns(),
            std::vector<std::string>{"All: All ran cse ran Go ran Mark ran "
                                     "Back ran cse ran"});
  // Mark's change is attributed to no other pass.
  llvm::json::Value runs = report->toJSON();
  for (const llvm::json::Value &pass :
       *(*runs.getAsArray())[0].getAsObject()->getArray("passes"))
    EXPECT_EQ(pass.getAsObject()->get("changed"), nullptr);
}

} // namespace
} // namespace partita::transform
