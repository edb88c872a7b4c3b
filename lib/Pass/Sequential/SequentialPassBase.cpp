//===- SequentialPassBase.cpp - Sequentials as passes of MLIR -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SequentialPassBase.h"
#include "../Run/RunPass.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/SequentialPass.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/WithColor.h"

#include <atomic>

using namespace mlir;

namespace partita::transform {

static std::atomic<bool> keepsFailedReports{false}, hasFailedReport{false};

void keepFailedReports() { keepsFailedReports = true; }

bool takeFailedReport() { return hasFailedReport.exchange(false); }

llvm::Error SharedSequential::leave() {
  if (!own)
    return llvm::Error::success();
  return instruments->leave(*std::exchange(own, std::nullopt));
}

SharedSequential::~SharedSequential() {
  llvm::Error error = leave();
  if (!error)
    return;
  // The driver asks no more whether all went well. LLVM's streams fail so, too.
  if (!keepsFailedReports)
    llvm::report_fatal_error(std::move(error), /*gen_crash_diag=*/false);
  hasFailedReport = true;
  llvm::WithColor::error(llvm::errs())
      << llvm::toString(std::move(error)) << "\n";
}

/// Adds the dialects of `pass`, of its members and of the passes that they
/// require. Errors are reported when the pass runs.
static void collectDialects(const Pass &pass, llvm::StringSet<> &seen,
                            DialectRegistry &registry) {
  if (!pass)
    return;
  if (const auto &build = pass.getImpl().build) {
    OpPassManager pm(OpPassManager::getAnyOpAnchorName(),
                     OpPassManager::Nesting::Implicit);
    if (succeeded(build(pm, [](const Twine &) { return failure(); })))
      pm.getDependentDialects(registry);
  }
  for (const Pass &member : pass.passes())
    collectDialects(member, seen, registry);
  for (const std::string &name : pass.info().required)
    if (seen.insert(name).second) {
      llvm::Expected<Pass> required = getPass(name);
      if (required)
        collectDialects(*required, seen, registry);
      else
        llvm::consumeError(required.takeError());
    }
}

void SequentialPassBase::getDependentDialects(DialectRegistry &registry) const {
  capture();
  if (!dialects) {
    dialects = std::make_unique<DialectRegistry>();
    llvm::Expected<transform::Pass> sequential =
        makeSequential(OpPassManager::getAnyOpAnchorName().str());
    llvm::StringSet<> seen;
    if (sequential)
      collectDialects(*sequential, seen, *dialects);
    else
      llvm::consumeError(sequential.takeError());
  }
  dialects->appendTo(registry);
}

llvm::Expected<transform::Pass>
SequentialPassBase::getSequential(StringRef rootName) {
  std::lock_guard<std::mutex> lock(shared->mutex);
  transform::Pass &sequential = shared->sequentials[rootName];
  if (!sequential) {
    llvm::Expected<transform::Pass> made = makeSequential(rootName.str());
    if (!made)
      return made.takeError();
    sequential = *made;
  }
  return sequential;
}

/// The context of this run: the pass's own, or the caller's, or the one that
/// was current when the pass manager started.
llvm::Expected<PassContext> SequentialPassBase::getContext() {
  std::lock_guard<std::mutex> lock(shared->mutex);
  if (shared->own)
    return *shared->own;
  if (std::optional<PassContextOptions> options = getContextOptions()) {
    llvm::Expected<PassContext> made = PassContext::create(*options);
    if (!made)
      return made;
    if (!shared->instruments)
      shared->instruments.emplace(getInstrumentTexts());
    auto entered = shared->instruments->enter();
    if (!entered)
      return entered.takeError();
    options->instruments = std::move(*entered);
    made = PassContext::create(std::move(*options));
    if (!made)
      return made;
    shared->own = *made;
    return *made;
  }
  return PassContext::currentScope().value_or(captured->context);
}

/// Lets a tracker see the passes of the executor. False if the outer pass
/// manager has no instrumentation to add it to.
bool SequentialPassBase::track() {
  if (!tracker || !*tracker) {
    PassInstrumentor *instrumentor = getAnalysisManager().getPassInstrumentor();
    if (!instrumentor)
      return false;
    auto added = std::make_unique<PassTracker>();
    tracker = added->getSlot();
    instrumentor->addInstrumentation(std::move(added));
  }
  if (executor->getTracker() != *tracker)
    executor->setTracker(*tracker);
  return true;
}

void SequentialPassBase::runOnOperation() {
  Operation *op = getOperation();
  if (isa<FunctionOpInterface>(op) && skipsOptimization(op))
    return markAllAnalysesPreserved();
  StringRef rootName = op->getName().getStringRef();
  auto fail = [&](llvm::Error error) {
    emitError(op->getLoc(), llvm::toString(std::move(error)));
    signalPassFailure();
  };
  llvm::Expected<transform::Pass> sequential = getSequential(rootName);
  if (!sequential)
    return fail(sequential.takeError());
  llvm::Expected<PassContext> context = getContext();
  if (!context)
    return fail(context.takeError());
  llvm::Expected<std::shared_ptr<const Plan>> resolved =
      Plan::get(*sequential, *context);
  if (!resolved)
    return fail(resolved.takeError());
  const Plan &plan = **resolved;
  // It is unknown whether the outer pass manager verifies.
  Execution execution(*resolved, *context, rootName, /*verifies=*/false,
                      /*maySkipFunctions=*/false);
  if (!executor || executor->getExecution() != execution) {
    executor = std::make_unique<PlanExecutor>(execution);
    if (tracker && *tracker)
      (*tracker)->clearPasses();
    if (llvm::Error error = executor->prepare()) {
      executor = nullptr;
      return fail(std::move(error));
    }
    for (const std::string &warning : plan.warnings()) {
      std::unique_lock<std::mutex> lock(shared->mutex);
      bool isNew = shared->warnings.insert(warning).second;
      lock.unlock();
      if (isNew)
        emitWarning(op->getLoc(), warning);
    }
  }
  if (explains()) {
    std::lock_guard<std::mutex> lock(shared->mutex);
    if (shared->explained.insert(rootName).second)
      plan.print(llvm::outs(), *context, rootName);
    return markAllAnalysesPreserved();
  }
  Run run{op, *resolved, *context, getInnermostStep()};
  // Instruments that measure must not keep passes from running merged.
  bool canTrack = !execution.needsTracker || track();
  if (failed(canTrack ? execute(*executor, run) : runInside(run)))
    signalPassFailure();
  if (op->getBlock())
    return;
  std::lock_guard<std::mutex> lock(shared->mutex);
  if (llvm::Error error = shared->leave())
    fail(std::move(error));
}

} // namespace partita::transform
