//===- TimingReportTest.cpp - The text of PassTimingInstrument ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Pass/Recorder.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Run.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Regex.h"

#include <thread>

using namespace mlir;
using partita::instrument::PassInstrumentRef;
using partita::instrument::PassRecord;
using partita::instrument::PassTimingInstrumentOptions;
using partita::instrument::RunRecord;

namespace partita::transform {
namespace {

class TimingReportTest : public PassTest {
protected:
  static PassRecord record(StringRef name, unsigned microseconds,
                           std::vector<PassRecord> children = {}) {
    PassRecord record;
    record.plan = llvm::cantFail(Plan::get(
        createModulePass([](Operation *, const PassContext &)
                             -> ModulePassResult { return success(); },
                         0, name, {}),
        PassContext()));
    record.numRuns = 1;
    record.time = std::chrono::microseconds(microseconds);
    record.children = std::move(children);
    return record;
  }

  /// The report without its numbers, whose form is checked.
  std::string renderNames() const {
    static const llvm::Regex form(
        "^\t*[A-Za-z]+: [0-9]+us \\[[0-9]+us\\] "
        "\\([0-9]+\\.[0-9][0-9]%; [0-9]+\\.[0-9][0-9]%\\)$");
    std::string names, report = timing->render();
    SmallVector<StringRef> lines;
    StringRef(report).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines) {
      EXPECT_TRUE(form.match(line)) << line.str();
      names += line.split(':').first.str() + "\n";
    }
    return names;
  }

  static PassInstrumentRef createTiming() {
    PassTimingInstrumentOptions options;
    options.print = false;
    return instrument::createPassTimingInstrument(options);
  }

  PassInstrumentRef timing = createTiming();
};

TEST_F(TimingReportTest, ALineAPassWithItsShares) {
  EXPECT_EQ(timing->render(), "");
  auto endRun = [&](PassRecord ended) {
    llvm::cantFail(timing->endRun(
        partita::transform::Run{*module, ended.plan, PassContext()},
        std::make_shared<const RunRecord>(std::move(ended))));
  };
  endRun(record("S", 1000,
                {record("P", 250), record("Inner", 500, {record("Q", 100)})}));
  endRun(record("R", 600));
  EXPECT_EQ(timing->render(), "S: 1000us [250us] (62.50%; 62.50%)\n"
                              "\tP: 250us [250us] (15.62%; 25.00%)\n"
                              "\tInner: 500us [400us] (31.25%; 50.00%)\n"
                              "\t\tQ: 100us [100us] (6.25%; 20.00%)\n"
                              "R: 600us [600us] (37.50%; 37.50%)\n");
}

TEST_F(TimingReportTest, NestsAsSequentialsDo) {
  auto mlirPass = [](StringRef argument, PassInfo info) {
    registerPassInfo(argument, std::move(info));
    return createPass(argument, [] { return createCSEPass(); });
  };
  registerPass(mlirPass("unit-timed-needed", {"TimedNeeded", 9, {}}));
  Pass owner = mlirPass("unit-timed-owner", {"TimedOwner", 0, {"TimedNeeded"}});
  Pass leaf = mlirPass("unit-timed-leaf", {"TimedLeaf", 0, {}});
  Pass inner = Sequential({leaf, owner}, {"Inner", 0, {}});
  std::string names = "Outer\n\tTimedNeeded\n\tTimedOwner\n"
                      "\tInner\n\t\tTimedLeaf\n\t\tTimedNeeded\n"
                      "\t\tTimedOwner\n\tTimedLeaf\n";

  // Bare, step by step, and with code of the host at the end.
  Pass outer = Sequential({owner, inner, leaf}, {"Outer", 0, {}});
  for (const PassInstruments &instruments :
       {PassInstruments{timing}, PassInstruments{recorder("A"), timing}}) {
    PassContext passContext = createContext(instruments);
    auto scope = llvm::cantFail(PassContextScope::enter(passContext));
    ASSERT_TRUE(succeeded(outer.run(*module)));
    EXPECT_EQ(renderNames(), names);
    ASSERT_TRUE(succeeded(leaf.run(*module)));
    EXPECT_EQ(renderNames(), names + "TimedLeaf\n");
    llvm::cantFail(scope.exit());
  }
  Pass last =
      Sequential({owner, inner, leaf, logPass("Last")}, {"Outer", 0, {}});
  ASSERT_TRUE(succeeded(last.run(*module, createContext({timing}))));
  EXPECT_EQ(renderNames(), names + "\tLast\n");
}

TEST_F(TimingReportTest, ASequentialTakesWhatItsMembersDo) {
  Pass sleeps = modulePass("Sleeps", [](Operation *) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  Pass pass = Sequential({Sequential({sleeps}, {"Inner", 0, {}})});
  ASSERT_TRUE(succeeded(pass.run(*module, createContext({timing}))));
  std::string report = timing->render();
  for (StringRef name : {"sequential: ", "\tInner: ", "\t\tSleeps: "}) {
    unsigned microseconds = 0;
    StringRef(report).split(name).second.consumeInteger(10, microseconds);
    EXPECT_GE(microseconds, 2000u) << report;
  }
}

TEST_F(TimingReportTest, IsEmptyOutsideOfItsScope) {
  PassContext passContext = createContext({timing});
  for (unsigned round = 0; round < 2; ++round) {
    auto scope = llvm::cantFail(PassContextScope::enter(passContext));
    EXPECT_EQ(timing->render(), "");
    ASSERT_TRUE(succeeded(logPass("P").run(*module)));
    EXPECT_EQ(renderNames(), "P\n");
    llvm::cantFail(scope.exit());
    EXPECT_EQ(timing->render(), "");
  }
  // The report of a scope lacks runs outside it.
  ASSERT_TRUE(succeeded(logPass("P").run(*module, passContext)));
  auto scope = llvm::cantFail(PassContextScope::enter(passContext));
  EXPECT_EQ(timing->render(), "");
}

TEST_F(TimingReportTest, APassThatFailsIsTheLast) {
  Pass fails = modulePass("Fails", [&](Operation *) -> LogicalResult {
    // During a run, the report lacks it.
    EXPECT_EQ(timing->render(), "");
    return failure();
  });
  Pass pass = Sequential({logPass("P"), fails, logPass("R")}, {"S", 0, {}});
  for (const PassInstruments &instruments :
       {PassInstruments{timing}, PassInstruments{timing, recorder("A")}}) {
    auto scope =
        llvm::cantFail(PassContextScope::enter(createContext(instruments)));
    EXPECT_TRUE(failed(pass.run(*module)));
    EXPECT_EQ(renderNames(), "S\n\tP\n\tFails\n");
    llvm::cantFail(scope.exit());
  }
}

} // namespace
} // namespace partita::transform
