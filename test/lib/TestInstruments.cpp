//===- TestInstruments.cpp - An instrument that prints, fails and vetoes --===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"
#include "partita/Pass/PassContext.h"
#include "partita/Pass/PassRegistry.h"

#include <csignal>
#include <unistd.h>

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

namespace {
/// Prints each callback to stderr: "A.enter", "A.before TestA".
class TraceInstrument : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "test-trace";
  struct Options : InstrumentOptions<Options> {
    Option<std::string> name{*this, "name", llvm::cl::desc("What to print"),
                             llvm::cl::init("trace")};
    ListOption<std::string> fail{
        *this, "fail",
        llvm::cl::desc("The callbacks that fail: enter, exit, should, before, "
                       "after")};
    Option<std::string> failAt{
        *this, "fail-at",
        llvm::cl::desc("The pass at which they do; any if empty")};
    ListOption<std::string> skip{*this, "skip",
                                 llvm::cl::desc("Passes that should not run")};
    Option<bool> observe{*this, "observe",
                         llvm::cl::desc("Look at the module between passes"),
                         llvm::cl::init(true)};
  };

  explicit TraceInstrument(std::unique_ptr<Options> options)
      : PassInstrument(options->name,
                       options->observe ? Wants::Module : Wants::Nothing),
        options(std::move(options)) {}

  llvm::Error enterPassContext() override { return trace("enter"); }
  llvm::Error exitPassContext() override { return trace("exit"); }

  llvm::Expected<bool> shouldRun(const transform::PassStep &step) override {
    if (llvm::Error error = trace("should", step.info().name))
      return std::move(error);
    return llvm::none_of(options->skip, [&](const std::string &name) {
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
    if (!llvm::is_contained(options->fail, callback))
      return llvm::Error::success();
    if (!pass.empty() && !options->failAt.empty() && options->failAt != pass)
      return llvm::Error::success();
    return llvm::createStringError("told to fail in " + callback);
  }

  std::unique_ptr<Options> options;
};

/// Kills the process at a pass, as the system does when memory is short.
class KillInstrument : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "test-kill";
  struct Options : InstrumentOptions<Options> {
    Option<unsigned> before{*this, "before",
                            llvm::cl::desc("The number of the pass before "
                                           "which it does")};
    Option<unsigned> after{*this, "after",
                           llvm::cl::desc("The number of the pass after which "
                                          "it does")};
  };

  explicit KillInstrument(std::unique_ptr<Options> options)
      : PassInstrument(kName), options(std::move(options)) {}

  llvm::Error runBeforePass(const transform::PassStep &step) override {
    return killAt(options->before, step);
  }
  llvm::Error runAfterPass(const transform::PassStep &step) override {
    return killAt(options->after, step);
  }

private:
  static llvm::Error killAt(unsigned number, const transform::PassStep &step) {
    if (number != 0 && step.number() == number)
      kill(getpid(), SIGKILL);
    return llvm::Error::success();
  }

  std::unique_ptr<Options> options;
};
} // namespace

void test::registerTestInstruments() {
  registerInstrument<KillInstrument>("Kill the process");
  registerInstrument<TraceInstrument>("Print each callback");
}

namespace partita::test {
#include "PassInfos.cpp.inc"
} // namespace partita::test
