//===- AttachCasesTest.cpp - Attached instruments in rare cases -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Differences between attachInstruments and a Sequential are reported before
// the run, or marked in the output.
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/AttachInstruments.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gmock/gmock.h"

using namespace mlir;
using namespace partita::transform;
using partita::instrument::createInstrument;
using partita::instrument::PassInstrument;
using partita::instrument::PassInstrumentRef;
using partita::instrument::RunRecord;
using partita::instrument::Wants;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

namespace {

using AnyPass = LambdaPass<>;

/// Notes the two ends of runs.
struct RunNotes : PassInstrument {
  RunNotes() : PassInstrument("run-notes", Wants::Runs) {}
  llvm::Error beginRun(const partita::transform::Run &) override {
    notes.push_back("begin");
    return llvm::Error::success();
  }
  llvm::Error endRun(const partita::transform::Run &,
                     std::shared_ptr<const RunRecord>) override {
    notes.push_back("end");
    return llvm::Error::success();
  }
  std::vector<std::string> notes;
};

/// A context without handlers of diagnostics, as a compiler can have it.
class AttachCasesTest : public testing::Test {
protected:
  AttachCasesTest() {
    partita::instrument::registerAllInstruments();
    context.loadDialect<arith::ArithDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>("func.func @f(%x: i32) -> i32 {\n"
                                         "  %0 = arith.constant 1 : i32\n"
                                         "  %1 = arith.addi %x, %0 : i32\n"
                                         "  return %x : i32\n"
                                         "}\n"
                                         "func.func private @g()\n",
                                         &context);
  }

  PassInstrumentRef add(StringRef text) {
    options.instruments.push_back(llvm::cantFail(createInstrument(text)));
    return options.instruments.back();
  }
  /// Attaches with these options; warnings go to `printed`.
  LogicalResult attach(bool applyPolicy = false) {
    passContext = llvm::cantFail(PassContext::create(options));
    return capture(
        [&] { return attachInstruments(pm, passContext, {applyPolicy}); });
  }
  LogicalResult run() {
    return capture([&] { return pm.run(*module); });
  }
  LogicalResult capture(llvm::function_ref<LogicalResult()> call) {
    testing::internal::CaptureStderr();
    LogicalResult result = call();
    printed = testing::internal::GetCapturedStderr();
    return result;
  }
  void addMark(OpPassManager &manager, StringRef name) {
    manager.addPass(
        std::make_unique<AnyPass>(name, [this](AnyPass &) { ++marks; }));
  }
  std::vector<std::string> getMessages() {
    std::vector<std::string> messages;
    for (const PassDiagnostic &diagnostic : passContext.diagnostics())
      messages.push_back(diagnostic.message);
    return messages;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  PassContextOptions options;
  PassContext passContext;
  PassManager pm{&context, "builtin.module"};
  std::atomic<unsigned> marks{0};
  std::string printed;
};

//===----------------------------------------------------------------------===//
// The policy
//===----------------------------------------------------------------------===//

TEST_F(AttachCasesTest, LostPolicyFailsBeforeTheRun) {
  addMark(pm, "a");
  options.disabledPass = {"a"};
  ASSERT_TRUE(succeeded(attach(/*applyPolicy=*/true)));
  unsigned actions = 0;
  context.registerActionHandler(
      [&](llvm::function_ref<void()> execute, const tracing::Action &) {
        ++actions;
        execute();
      });
  EXPECT_TRUE(failed(run()));
  EXPECT_THAT(printed, HasSubstr("to keep the action handler"));
  EXPECT_EQ(marks, 0u);
  EXPECT_EQ(actions, 0u);
}

TEST_F(AttachCasesTest, AnothersHandlerStays) {
  {
    PassManager first(&context, "builtin.module");
    addMark(first, "a");
    PassContext policy = llvm::cantFail(PassContext::create({}));
    ASSERT_TRUE(succeeded(attachInstruments(first, policy, {true})));
    context.registerActionHandler([](llvm::function_ref<void()> execute,
                                     const tracing::Action &) { execute(); });
  }
  EXPECT_TRUE(context.hasActionHandler());
  context.registerActionHandler(nullptr);
}

TEST_F(AttachCasesTest, MisspeltNamesAreWarnedOf) {
  addMark(pm, "attach-mark");
  options.disabledPass = {"attach-marc"};
  options.requiredPass = {"attach-mark"};
  ASSERT_TRUE(succeeded(attach(/*applyPolicy=*/true)));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, 1u);
  EXPECT_THAT(printed, HasSubstr("warning: expected the names in disabled_pass "
                                 "to be passes, but found 'attach-marc' (did "
                                 "you mean 'attach-mark'?)"));
  EXPECT_THAT(getMessages(), SizeIs(1));
  // Once for the pass manager.
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(printed, IsEmpty());
}

//===----------------------------------------------------------------------===//
// Warnings
//===----------------------------------------------------------------------===//

TEST_F(AttachCasesTest, WarningsAreSeenWithoutHandler) {
  addMark(pm, "a");
  add("bisect{disable=a print=false}");
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(printed, HasSubstr("warning: instrument 'bisect' vetoed"));
  EXPECT_THAT(getMessages(),
              ElementsAre(HasSubstr("instrument 'bisect' vetoed")));
}

TEST_F(AttachCasesTest, WarningsGoToTheHandler) {
  addMark(pm, "a");
  add("bisect{disable=a print=false}");
  std::vector<std::string> handled;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    handled.push_back(diagnostic.str());
  });
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(printed, IsEmpty());
  EXPECT_THAT(handled, ElementsAre(HasSubstr("instrument 'bisect' vetoed")));
  EXPECT_EQ(getMessages(), handled);
}

TEST_F(AttachCasesTest, HandlersThatAreGoneDoNotHideWarnings) {
  {
    ScopedDiagnosticHandler handler(&context, [](Diagnostic &) {});
  }
  addMark(pm, "a");
  add("bisect{disable=a print=false}");
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(printed, HasSubstr("warning: instrument 'bisect' vetoed"));
}

//===----------------------------------------------------------------------===//
// Before the passes, and among them
//===----------------------------------------------------------------------===//

/// Adds two passes after the instruments were attached.
class AttachEarlyTest : public AttachCasesTest,
                        public testing::WithParamInterface<unsigned> {
protected:
  LogicalResult attachEarly(bool applyPolicy = false) {
    static const StringRef names[] = {"a", "b"};
    for (unsigned index = 0; index < GetParam(); ++index)
      addMark(pm, names[index]);
    LogicalResult result = attach(applyPolicy);
    for (unsigned index = GetParam(); index < 2; ++index)
      addMark(pm, names[index]);
    return result;
  }
};

TEST_P(AttachEarlyTest, InstrumentsSeeAll) {
  PassInstrumentRef timing = add("timing{print=false}");
  PassInstrumentRef statistics = add("op-statistics{print=false}");
  auto notes = std::make_shared<RunNotes>();
  options.instruments.push_back(notes);
  ASSERT_TRUE(succeeded(attachEarly()));
  ASSERT_TRUE(succeeded(run()));
  for (const PassInstrumentRef &instrument : {timing, statistics}) {
    EXPECT_THAT(instrument->render(), HasSubstr("a"));
    EXPECT_THAT(instrument->render(), HasSubstr("b"));
  }
  EXPECT_THAT(notes->notes, ElementsAre("begin", "end"));
  EXPECT_EQ(marks, 2u);
}

TEST_P(AttachEarlyTest, VetoesAreObeyed) {
  add("bisect{limit=0 print=false}");
  ASSERT_TRUE(succeeded(attachEarly(/*applyPolicy=*/true)));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, 0u);
}

/// Fails at the very last callback.
struct FailAtEnd : PassInstrument {
  FailAtEnd() : PassInstrument("fail-at-end") {}
  llvm::Error runAfterPass(const PassStep &step) override {
    if (step.info().name == "b")
      return llvm::createStringError("told to");
    return llvm::Error::success();
  }
};

TEST_P(AttachEarlyTest, TheLastCallbackFailsTheRun) {
  options.instruments = {std::make_shared<FailAtEnd>()};
  ASSERT_TRUE(succeeded(attachEarly()));
  for (unsigned runs = 1; runs <= 2; ++runs) {
    EXPECT_TRUE(failed(run()));
    EXPECT_EQ(marks, 2 * runs);
  }
}

INSTANTIATE_TEST_SUITE_P(After, AttachEarlyTest, testing::Values(0, 1, 2));

//===----------------------------------------------------------------------===//
// Merged passes
//===----------------------------------------------------------------------===//

TEST_F(AttachCasesTest, MergedPassesAreMarked) {
  llvm::SmallString<128> dir;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("attach-dump", dir));
  PassInstrumentRef statistics = add("op-statistics{print=false}");
  PassInstrumentRef memory = add("memory{print=false}");
  PassInstrumentRef changed = add("print-changed{print=false}");
  PassInstrumentRef dump = add(("dump-ir{dump-dir=" + dir + "}").str());
  for (StringRef name : {"a", "b"})
    addMark(pm.nest<func::FuncOp>(), name);
  addMark(pm, "c");
  ASSERT_TRUE(succeeded(attach()));
  ASSERT_TRUE(succeeded(run()));
  EXPECT_THAT(printed, HasSubstr("2 passes, from 'a', are merged"));
  for (const PassInstrumentRef &instrument : {statistics, memory, changed}) {
    std::string text = instrument->render();
    EXPECT_THAT(text, HasSubstr("a (merged: 1-2)")) << text;
    EXPECT_THAT(text, HasSubstr("b (merged: 1-2)")) << text;
    EXPECT_THAT(text, Not(HasSubstr("c (merged"))) << text;
    std::string json;
    llvm::raw_string_ostream(json) << instrument->toJSON();
    EXPECT_THAT(json, HasSubstr("\"merged\":\"1-2\""));
  }
  EXPECT_THAT(dump->render(), HasSubstr("000_a__merged__1-2_.mlir"));
  EXPECT_THAT(dump->render(), HasSubstr("002_c.mlir"));
  llvm::sys::fs::remove_directories(dir);
}

TEST_F(AttachCasesTest, CheckpointsNeedASequential) {
  addMark(pm, "a");
  add("checkpoint{dir=unused}");
  EXPECT_TRUE(failed(attach()));
  EXPECT_THAT(printed, HasSubstr("found 'checkpoint', which needs the pipeline "
                                 "of each step"));
  // As it was.
  EXPECT_EQ(pm.size(), 1u);
  ASSERT_TRUE(succeeded(run()));
  EXPECT_EQ(marks, 1u);
}

} // namespace
