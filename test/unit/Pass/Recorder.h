//===- Recorder.h - What the unit tests of passes share ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_UNITTEST_PASS_RECORDER_H
#define PARTITA_UNITTEST_PASS_RECORDER_H

#include "partita/Pass/Run.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <set>

namespace partita::transform {

/// A line of words, filled from any thread.
class Log {
public:
  void add(const llvm::Twine &word) {
    std::lock_guard<std::mutex> lock(mutex);
    text += (text.empty() ? "" : " ") + word.str();
  }
  std::string take() {
    std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(text, "");
  }

private:
  std::mutex mutex;
  std::string text;
};

/// Logs its callbacks as "A.before:Pass", and fails in those that it is told.
class Recorder : public instrument::PassInstrument {
public:
  Recorder(llvm::StringRef name, Log &log, std::set<std::string> failing = {})
      : PassInstrument(name), log(log), failing(std::move(failing)) {}

  llvm::Error enterPassContext() override { return record("enter"); }
  llvm::Error exitPassContext() override { return record("exit"); }
  llvm::Expected<bool> shouldRun(const PassStep &step) override {
    if (llvm::Error error = record("should", ":" + step.info().name))
      return std::move(error);
    return !skip.count(step.info().name);
  }
  llvm::Error runBeforePass(const PassStep &step) override {
    return record("before", ":" + step.info().name);
  }
  llvm::Error runAfterPass(const PassStep &step) override {
    return record("after", ":" + step.info().name);
  }

  /// The passes that it answers no for.
  std::set<std::string> skip;

private:
  llvm::Error record(const std::string &callback,
                     const std::string &pass = "") {
    log.add(getName() + "." + callback + pass);
    if (failing.count(callback) || failing.count(callback + pass))
      return llvm::createStringError("no " + callback);
    return llvm::Error::success();
  }

  Log &log;
  std::set<std::string> failing;
};

/// An MLIRContext with a module, and the diagnostics that were emitted.
class PassTest : public ::testing::Test {
protected:
  PassTest()
      : handler(&context, [&](mlir::Diagnostic &diagnostic) {
          std::lock_guard<std::mutex> lock(mutex);
          messages.push_back(diagnostic.str());
          return mlir::success();
        }) {
    mlir::DialectRegistry registry;
    registry.insert<mlir::func::FuncDialect, mlir::arith::ArithDialect>();
    context.appendDialectRegistry(registry);
    module = parse("func.func @f() { return }\n"
                   "func.func @g() { return }");
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  static PassContext create(PassContextOptions options) {
    return llvm::cantFail(PassContext::create(std::move(options)));
  }
  static PassContext createContext(PassInstruments instruments) {
    PassContextOptions options;
    options.instruments = std::move(instruments);
    return create(std::move(options));
  }

  std::shared_ptr<Recorder> recorder(llvm::StringRef name,
                                     std::set<std::string> failing = {}) {
    return std::make_shared<Recorder>(name, log, std::move(failing));
  }

  /// A module pass that logs its name in brackets.
  Pass logPass(llvm::StringRef name, int optLevel = 0,
               std::vector<std::string> required = {}) {
    return createModulePass(
        [&, text = "[" + name.str() + "]"](mlir::Operation *,
                                           const PassContext &) {
          log.add(text);
          return mlir::success();
        },
        optLevel, name, std::move(required));
  }

  std::string takeMessages() {
    std::lock_guard<std::mutex> lock(mutex);
    return llvm::join(std::exchange(messages, {}), "\n");
  }

  static std::string print(mlir::Operation *op) {
    std::string text;
    llvm::raw_string_ostream(text) << *op;
    return text;
  }

  mlir::MLIRContext context;
  std::mutex mutex;
  std::vector<std::string> messages;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Log log;
};

} // namespace partita::transform

#endif // PARTITA_UNITTEST_PASS_RECORDER_H
