//===- Recorder.h - Helpers for unit tests of passes ------------*- C++ -*-===//
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
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <set>
#include <thread>

namespace partita::transform {

/// Calls `fn`; if it returns nothing, that counts as success.
template <typename Fn, typename... ArgTs>
mlir::LogicalResult callPass(const Fn &fn, ArgTs... args) {
  if constexpr (std::is_void_v<std::invoke_result_t<Fn, ArgTs...>>) {
    fn(args...);
    return mlir::success();
  } else {
    return fn(args...);
  }
}

/// A module pass that calls `fn` with the module and, if it takes one, the
/// context.
template <typename Fn>
Pass modulePass(llvm::StringRef name, Fn fn, int optLevel = 0) {
  return createModulePass(
      [fn](mlir::Operation *op,
           const PassContext &context) -> mlir::LogicalResult {
        if constexpr (std::is_invocable_v<Fn, mlir::Operation *>)
          return callPass(fn, op);
        else
          return callPass(fn, op, context);
      },
      optLevel, name);
}

/// A function pass that calls `fn` with each function and, if it takes them,
/// the module and the context.
template <typename Fn>
Pass functionPass(llvm::StringRef name, Fn fn, int optLevel = 0) {
  return createFunctionPass(
      [fn](mlir::FunctionOpInterface function, mlir::Operation *op,
           const PassContext &context) -> mlir::LogicalResult {
        if constexpr (std::is_invocable_v<Fn, mlir::FunctionOpInterface>)
          return callPass(fn, function);
        else
          return callPass(fn, function, op, context);
      },
      optLevel, name);
}

/// An mlir::Pass on `OpT`, or on any op, that calls a function and may need the
/// dialect arith.
template <typename OpT = void>
class LambdaPass
    : public mlir::PassWrapper<LambdaPass<OpT>, mlir::OperationPass<OpT>> {
  using Base = mlir::PassWrapper<LambdaPass<OpT>, mlir::OperationPass<OpT>>;

public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LambdaPass)
  using Function = std::function<void(LambdaPass &)>;

  LambdaPass(llvm::StringRef argument, Function run, bool needsArith = false)
      : argument(argument), run(std::move(run)), needsArith(needsArith) {}

  llvm::StringRef getName() const override { return argument; }
  llvm::StringRef getArgument() const override { return argument; }
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    if (needsArith)
      registry.insert<mlir::arith::ArithDialect>();
  }
  void runOnOperation() override { run(*this); }

  using Base::getAnalysis;
  using Base::getOperation;
  using Base::markAllAnalysesPreserved;
  using Base::runPipeline;
  using Base::signalPassFailure;

private:
  std::string argument;
  Function run;
  bool needsArith;
};

template <typename OpT = void>
Pass lambdaPass(llvm::StringRef argument,
                typename LambdaPass<OpT>::Function run,
                bool needsArith = false) {
  return createPass(argument, [argument = argument.str(), run, needsArith] {
    return std::make_unique<LambdaPass<OpT>>(argument, run, needsArith);
  });
}

/// Calls `work` with each number below `count`, each on its own thread, all at
/// once.
inline void runOnThreads(unsigned count,
                         llvm::function_ref<void(unsigned)> work) {
  std::atomic<unsigned> waiting{count};
  std::vector<std::thread> threads;
  for (unsigned index = 0; index < count; ++index)
    threads.emplace_back([&, index] {
      --waiting;
      while (waiting)
        std::this_thread::yield();
      work(index);
    });
  for (std::thread &thread : threads)
    thread.join();
}

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

/// Logs its callbacks as "A.before:Pass". The callbacks in `failing` fail.
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

  /// The passes that it vetoes.
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

inline std::string print(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream(text) << *op;
  return text;
}

/// An MLIRContext with a module, and the emitted diagnostics.
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
  static PassContext withLevel(int optLevel) {
    PassContextOptions options;
    options.optLevel = optLevel;
    return create(std::move(options));
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

  mlir::MLIRContext context;
  std::mutex mutex;
  std::vector<std::string> messages;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Log log;
};

} // namespace partita::transform

#endif // PARTITA_UNITTEST_PASS_RECORDER_H
