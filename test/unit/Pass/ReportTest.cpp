//===- ReportTest.cpp - What a Report keeps of runs -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/Report.h"
#include "Recorder.h"

#include "mlir/Transforms/Passes.h"

#include <thread>

using namespace mlir;
using partita::instrument::Report;

namespace partita::transform {
namespace {

class ReportTest : public PassTest {
protected:
  ReportTest() {
    auto options = std::make_unique<Report::Options>();
    options->output = "";
    report = std::make_shared<Report>(std::move(options));
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

  std::shared_ptr<Report> report;
  Pass csePass = createPass("cse", createCSEPass);
};

TEST_F(ReportTest, ARunInAPassSaysWhich) {
  auto against = recorder("A");
  against->skip = {"Vetoed"};
  std::vector<std::string> during;
  Pass outer = createModulePass(
      [&](Operation *op, const PassContext &current) -> LogicalResult {
        Pass inner = Sequential({csePass, logPass("Vetoed")}, {"Inner", 0, {}});
        if (failed(inner.run(op, current)))
          return failure();
        emitRemark(op->getLoc(), "only once");
        during = describeRuns();
        return success();
      },
      0, "Outer");
  Pass all = Sequential({logPass("Vetoed"), outer}, {"All", 0, {}});
  ASSERT_TRUE(succeeded(all.run(*module, createContext({against, report}))));

  std::vector<std::string> expected = {
      "All: All running Vetoed vetoed Outer running",
      "Inner: Inner ran cse ran Vetoed vetoed"};
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
  std::vector<std::thread> threads;
  std::atomic<int> numGood{0};
  for (OwningOpRef<ModuleOp> &each : modules)
    threads.emplace_back(
        [&] { numGood += succeeded(pass.run(*each, passContext)); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numGood, numRuns);
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
    // What it has stays until then.
    EXPECT_EQ(describeRuns(), std::vector<std::string>{"cse: cse ran"});
  }
}

} // namespace
} // namespace partita::transform
