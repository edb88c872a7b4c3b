//===- CheckInert.cpp - Checks that looking changes nothing ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckInert.h"
#include "Pass/PassAccess.h"
#include "Pass/PlanRunnerPass.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/ParseUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"

#include <map>

using namespace mlir;
using namespace partita;

namespace {
/// The results of a run that users see.
struct Outcome {
  bool hasFailed = false;
  std::string module;
  std::vector<std::string> diagnostics;
  std::map<std::string, uint64_t> analyses, statistics;
};

/// Counts the passes, analyses and statistics of a run.
class Witness : public PassInstrumentation {
public:
  explicit Witness(Outcome &outcome) : outcome(outcome) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    // These only run other passes.
    auto *runner = dyn_cast<transform::PlanRunnerPass>(pass);
    if (transform::isAdaptor(*pass) || (runner && runner->isSequential()))
      return;
    for (Operation *around = op; around; around = around->getParentOp())
      if (running.contains(around))
        return;
    running[op] = pass;
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto it = running.find(op);
    if (it == running.end() || it->second != pass)
      return;
    running.erase(it);
#if LLVM_ENABLE_STATS // else they count nothing, and have no names
    for (Pass::Statistic *counted : pass->getStatistics()) {
      // A pass that runs a plan has the statistics of the plan's passes.
      StringRef name = counted->getName();
      std::string key =
          name.contains('.')
              ? name.str()
              : (transform::getPassArgument(*pass) + "." + name).str();
      uint64_t &last = lastValues[counted];
      outcome.statistics[key] += counted->getValue() - last;
      last = counted->getValue();
    }
#endif
  }

  void runAfterAnalysis(StringRef name, TypeID, Operation *) override {
    ++outcome.analyses[name.str()];
  }

private:
  Outcome &outcome;
  /// The outermost passes that run, by their ops.
  DenseMap<Operation *, Pass *> running;
  DenseMap<const void *, uint64_t> lastValues;
};
} // namespace

static std::string describe(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << diagnostic.getLocation() << ": " << diagnostic.str();
  // If a pass prints an op while other threads change it, the text differs
  // between runs.
  for (Diagnostic &note : diagnostic.getNotes())
    if (std::string message = note.str();
        !StringRef(message).starts_with("see current operation"))
      os << "\n" << note.getLocation() << ": " << message;
  return text;
}

/// Runs the passes that `setup` adds.
static void runOnce(const MlirOptMainConfig &config,
                    const DialectRegistry &registry,
                    llvm::MemoryBufferRef input, bool hasThreads,
                    llvm::function_ref<LogicalResult(PassManager &)> setup,
                    Outcome &outcome) {
  MLIRContext context(registry, hasThreads ? MLIRContext::Threading::ENABLED
                                           : MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    outcome.diagnostics.push_back(describe(diagnostic));
  });
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(input, /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  OwningOpRef<Operation *> module = parseSourceFileForTool(
      sources, ParserConfig(&context, config.shouldVerifyOnParsing()),
      !config.shouldUseExplicitModule());
  outcome.hasFailed = true;
  if (!module)
    return;
  {
    PassManager pm(module->getName(), PassManager::Nesting::Implicit);
    pm.enableVerifier(config.shouldVerifyPasses());
    pm.addInstrumentation(std::make_unique<Witness>(outcome));
    outcome.hasFailed = failed(setup(pm)) || failed(pm.run(*module));
  }
  if (outcome.hasFailed)
    return;
  llvm::raw_string_ostream os(outcome.module);
  module->print(os, OpPrintingFlags().enableDebugInfo());
  // Merged passes go through the functions one by one, steps through the
  // module, so that the order differs.
  llvm::sort(outcome.diagnostics);
}

namespace {
/// Compares an outcome with the outcome of the first way.
class Comparison {
public:
  Comparison(StringRef ways, StringRef buffer, bool comparesWork)
      : ways(ways), buffer(buffer), comparesWork(comparesWork) {}

  llvm::Error compare(const Outcome &first, const Outcome &other,
                      bool hasThreads) {
    auto getState = [](const Outcome &outcome) {
      return outcome.hasFailed ? "failed" : "succeeded";
    };
    if (first.hasFailed != other.hasFailed)
      return fail("the end of the run", getState(first), getState(other));
    // A pass that fails ends the other passes sooner or later.
    if (first.hasFailed)
      return llvm::Error::success();
    if (first.module != other.module)
      return failInLines("the module", first.module, other.module);
    if (first.diagnostics != other.diagnostics)
      return failInLines("the diagnostics", llvm::join(first.diagnostics, "\n"),
                         llvm::join(other.diagnostics, "\n"));
    if (!comparesWork)
      return llvm::Error::success();
    if (llvm::Error error =
            compareCounts("analysis ", first.analyses, other.analyses))
      return error;
    if (hasThreads)
      return llvm::Error::success();
    return compareCounts("statistic ", first.statistics, other.statistics);
  }

private:
  llvm::Error fail(const Twine &what, const Twine &first, const Twine &other) {
    return llvm::createStringError("expected " + what + " of '" + buffer +
                                   "' to be the same when run " + ways +
                                   ", but found " + first + ", then " + other);
  }

  /// Fails with the first line that differs.
  llvm::Error failInLines(StringRef what, StringRef first, StringRef other) {
    StringRef firstLine, otherLine;
    for (unsigned line = 1; !first.empty() || !other.empty(); ++line) {
      std::tie(firstLine, first) = first.split('\n');
      std::tie(otherLine, other) = other.split('\n');
      if (firstLine != otherLine)
        return fail("line " + Twine(line) + " of " + what,
                    "'" + firstLine + "'", "'" + otherLine + "'");
    }
    return llvm::Error::success();
  }

  llvm::Error compareCounts(StringRef what,
                            const std::map<std::string, uint64_t> &first,
                            std::map<std::string, uint64_t> other) {
    for (const auto &[name, count] : first) {
      uint64_t otherCount = other[name];
      if (count != otherCount)
        return fail(what + "'" + name + "'", Twine(count), Twine(otherCount));
      other.erase(name);
    }
    for (const auto &[name, count] : other)
      if (count != 0)
        return fail(what + "'" + name + "'", "0", Twine(count));
    return llvm::Error::success();
  }

  StringRef ways, buffer;
  bool comparesWork;
};
} // namespace

llvm::Error partita::checkInert(ArrayRef<WayToRun> ways,
                                const MlirOptMainConfig &config,
                                const DialectRegistry &registry,
                                llvm::MemoryBufferRef input,
                                bool comparesWork) {
  std::optional<Outcome> first;
  for (bool hasThreads : {false, true})
    for (const WayToRun &way : ways) {
      Outcome outcome;
      llvm::Error error = way.run([&](auto setup) {
        runOnce(config, registry, input, hasThreads, setup, outcome);
      });
      if (error)
        return error;
      if (!first) {
        first = std::move(outcome);
        continue;
      }
      std::string names = ways.front().name + " and " + way.name +
                          (hasThreads ? " on several threads" : "");
      Comparison comparison(names, input.getBufferIdentifier(), comparesWork);
      if (llvm::Error error = comparison.compare(*first, outcome, hasThreads))
        return error;
    }
  return llvm::Error::success();
}
