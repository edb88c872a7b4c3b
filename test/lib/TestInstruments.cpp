//===- TestInstruments.cpp - An instrument that prints, fails and vetoes --===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Pass/PassContext.h"
#include "partita/Pass/PassRegistry.h"

#include <csignal>
#include <unistd.h>

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

namespace partita::test {
#include "TestInstruments.h.inc"
} // namespace partita::test
using namespace partita::test;

namespace {
/// Prints each callback to stderr: "A.enter", "A.before TestA".
class TraceInstrument : public PassInstrument {
public:
  explicit TraceInstrument(TestTraceOptions options)
      : PassInstrument(options.name,
                       options.observe ? Wants::Module : Wants::Nothing),
        options(std::move(options)) {}

  llvm::Error enterPassContext() override { return trace("enter"); }
  llvm::Error exitPassContext() override { return trace("exit"); }

  llvm::Expected<bool> shouldRun(const transform::PassStep &step) override {
    if (llvm::Error error = trace("should", step.info().name))
      return std::move(error);
    return llvm::none_of(options.skip, [&](const std::string &name) {
      return transform::canonicalPassName(name) ==
             transform::canonicalPassName(step.info().name);
    });
  }
  llvm::Error runBeforePass(const transform::PassStep &step) override {
    return trace("before", step.info().name);
  }
  llvm::Error runAfterPass(const transform::PassStep &step) override {
    return trace("after", step.info().name);
  }

private:
  llvm::Error trace(llvm::StringRef callback, llvm::StringRef pass = "") {
    llvm::errs() << (getName() + "." + callback + (pass.empty() ? "" : " ") +
                     pass + "\n")
                        .str();
    if (!llvm::is_contained(options.fail, callback))
      return llvm::Error::success();
    if (!pass.empty() && !options.failAt.empty() && options.failAt != pass)
      return llvm::Error::success();
    return llvm::createStringError("told to fail in " + callback);
  }

  TestTraceOptions options;
};

/// Kills the process at a pass, as the system does when it runs out of memory.
class KillInstrument : public PassInstrument {
public:
  explicit KillInstrument(TestKillOptions options)
      : PassInstrument(options.kName), options(std::move(options)) {}

  llvm::Error runBeforePass(const transform::PassStep &step) override {
    return killAt(options.before, step);
  }
  llvm::Error runAfterPass(const transform::PassStep &step) override {
    return killAt(options.after, step);
  }

private:
  static llvm::Error killAt(unsigned number, const transform::PassStep &step) {
    if (number != 0 && step.number() == number)
      kill(getpid(), SIGKILL);
    return llvm::Error::success();
  }

  TestKillOptions options;
};

/// Changes the module, which instruments must not do.
class ChangeInstrument : public PassInstrument {
public:
  using PassInstrument::PassInstrument;

  llvm::Error runAfterPass(const transform::PassStep &step) override {
    step.module()->setAttr("test.changed",
                           UnitAttr::get(step.module()->getContext()));
    return llvm::Error::success();
  }
};
} // namespace

PassInstrumentRef test::createTestTrace(TestTraceOptions options) {
  return std::make_shared<TraceInstrument>(std::move(options));
}

PassInstrumentRef test::createTestKill(TestKillOptions options) {
  return std::make_shared<KillInstrument>(options);
}

PassInstrumentRef test::createTestChange(TestChangeOptions options) {
  return std::make_shared<ChangeInstrument>(options.kName);
}

namespace partita::test {
#include "PassInfos.cpp.inc"
#include "TestInstruments.cpp.inc"
} // namespace partita::test
