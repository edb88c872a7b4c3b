//===- Diagnostics.cpp - The diagnostics of a run -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "../CurrentPassContext.h"
#include "../PlanRunnerPass.h"
#include "Interruption.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Plan.h"
#include "partita/Support/EscapeText.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Mutex.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

namespace partita::transform {

PassDiagnostic PassDiagnostic::get(Diagnostic &diagnostic) {
  PassDiagnostic kept{diagnostic.getSeverity(), "", diagnostic.str(), {}};
  llvm::raw_string_ostream(kept.location) << diagnostic.getLocation();
  for (Diagnostic &note : diagnostic.getNotes())
    kept.notes.push_back(note.str());
  return kept;
}

//===----------------------------------------------------------------------===//
// Warnings
//===----------------------------------------------------------------------===//

namespace {
/// Names the private member in which the engine keeps its handlers.
struct EngineImpl {
  using Type =
      std::unique_ptr<mlir::detail::DiagnosticEngineImpl> DiagnosticEngine::*;
  friend Type getMember(EngineImpl);
};
template <EngineImpl::Type member>
struct EngineAccess {
  // NOLINTNEXTLINE(llvm-prefer-static-over-anonymous-namespace)
  friend EngineImpl::Type getMember(EngineImpl) { return member; }
};
template struct EngineAccess<&DiagnosticEngine::impl>;

/// The first members of MLIR's DiagnosticEngineImpl.
struct EngineHead {
  llvm::sys::SmartMutex<true> mutex;
  llvm::SmallMapVector<DiagnosticEngine::HandlerID, DiagnosticEngine::HandlerTy,
                       2>
      handlers;

  static EngineHead &get(MLIRContext &context) {
    return reinterpret_cast<EngineHead &>(
        *(context.getDiagEngine().*getMember(EngineImpl())));
  }
};
} // namespace

/// Whether a handler is registered. Returns false if the engine of the linked
/// MLIR has another layout than EngineHead.
static bool hasDiagnosticHandler(MLIRContext &context) {
  static const bool isKnown = [] {
    MLIRContext scratch(MLIRContext::Threading::DISABLED);
    auto &handlers = EngineHead::get(scratch).handlers;
    if (!handlers.empty())
      return false;
    uint64_t id = scratch.getDiagEngine().registerHandler([](Diagnostic &) {});
    return handlers.size() == 1 && handlers.front().first == id;
  }();
  if (!isKnown)
    return false;
  EngineHead &head = EngineHead::get(context);
  llvm::sys::SmartScopedLock<true> lock(head.mutex);
  return !head.handlers.empty();
}

void emitPassWarning(const PassContext &context, Location loc,
                     const Twine &message) {
  std::string text = message.str();
  bool isHandled = hasDiagnosticHandler(*loc.getContext());
  InFlightDiagnostic warning = emitWarning(loc, text);
  PassDiagnostic kept = PassDiagnostic::get(*warning.getUnderlyingDiagnostic());
  warning.report();
  // A run under the same context keeps the diagnostic itself.
  if (!isRunningIn(loc.getContext(), &context))
    context.addDiagnostic(std::move(kept));
  if (!isHandled)
    llvm::WithColor::warning(llvm::errs()) << text << "\n";
}

//===----------------------------------------------------------------------===//
// FailedPassRecorder
//===----------------------------------------------------------------------===//

struct FailedPassRecorder::Instrumentation : PassInstrumentation {
  explicit Instrumentation(FailedPassRecorder &recorder) : recorder(recorder) {}
  void runBeforePass(mlir::Pass *pass, Operation *op) override {
    if (recorder.interruption)
      recorder.interruption->check(pass, op);
  }
  void runAfterPassFailed(mlir::Pass *pass, Operation *op) override {
    // Passes that run other passes have no argument, or are Sequentials.
    std::shared_ptr<const PassDeclaration> declared =
        lookupPass(pass->getArgument());
    if (!declared || declared->members || isa<PlanRunnerPass>(pass))
      return;
    std::lock_guard<std::mutex> lock(recorder.mutex);
    recorder.failed.push_back({declared->info.name, op});
  }
  FailedPassRecorder &recorder;
};

void FailedPassRecorder::attach(PassManager &pm) {
  pm.addInstrumentation(std::make_unique<Instrumentation>(*this));
}

std::vector<FailedPass> FailedPassRecorder::take() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(failed, {});
}

//===----------------------------------------------------------------------===//
// DiagnosticRecorder
//===----------------------------------------------------------------------===//

/// Finds the thread of a run: the first pipeline that starts is the run's.
struct DiagnosticRecorder::ThreadFinder : PassInstrumentation {
  explicit ThreadFinder(std::atomic<std::thread::id> &thread)
      : thread(thread) {}
  void runBeforePipeline(std::optional<OperationName>,
                         const PipelineParentInfo &) override {
    std::thread::id none;
    thread.compare_exchange_strong(none, std::this_thread::get_id());
  }
  std::atomic<std::thread::id> &thread;
};

DiagnosticRecorder::DiagnosticRecorder(Operation *module,
                                       const PassContext *passContext,
                                       std::vector<PassDiagnostic> *collected)
    : module(module), passContext(passContext), collected(collected),
      isInner(isRunningIn(module->getContext())),
      callerThread(std::this_thread::get_id()) {
  if (passContext || collected)
    handler.emplace(module->getContext(), [this](Diagnostic &diagnostic) {
      return record(diagnostic);
    });
}

void DiagnosticRecorder::attach(PassManager &pm) {
  if (handler)
    pm.addInstrumentation(std::make_unique<ThreadFinder>(runThread));
}

/// Marks a diagnostic that a run has collected, for the runs around it.
static constexpr StringLiteral collectedMark = "partita.collected";

static bool isMarked(Diagnostic &diagnostic) {
  return llvm::any_of(diagnostic.getMetadata(), [](DiagnosticArgument &data) {
    return data.getKind() ==
               DiagnosticArgument::DiagnosticArgumentKind::String &&
           data.getAsString() == collectedMark;
  });
}

LogicalResult DiagnosticRecorder::record(Diagnostic &diagnostic) {
  // A handler sees the diagnostics of all threads.
  std::thread::id thread = std::this_thread::get_id();
  if (thread != callerThread && thread != runThread)
    return failure();
  PassDiagnostic kept = PassDiagnostic::get(diagnostic);
  if (kept.severity == DiagnosticSeverity::Error)
    llvm::append_range(kept.notes, describeRunningPasses());
  if (passContext)
    passContext->addDiagnostic(kept);
  // Handlers of inner runs are called first.
  bool isCollected = isMarked(diagnostic);
  if (collected && !isCollected) {
    diagnostics.emplace_back(std::move(kept), diagnostic.getLocation());
    diagnostic.getMetadata().push_back(DiagnosticArgument(collectedMark));
    isCollected = true;
  }
  // The contexts of the outer runs keep it, too.
  return success(isCollected && !isInner);
}

/// The function that all ops of `module` at `location` are in; null if they are
/// in several functions, or in none.
static Operation *findFunction(Operation *module, Location location) {
  Operation *found = nullptr;
  WalkResult result = module->walk([&](Operation *op) {
    if (op->getLoc() != location)
      return WalkResult::advance();
    Operation *function = op;
    while (function && !isa<FunctionOpInterface>(function))
      function = function->getParentOp();
    if (!function || (found && found != function))
      return WalkResult::interrupt();
    found = function;
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? nullptr : found;
}

/// The pass that failed on `function` or, without one, the only pass that
/// failed at all. Empty if there are several: functions can fail in different
/// merged passes.
static StringRef findFailedPass(ArrayRef<FailedPass> failedPasses,
                                Operation *function) {
  StringRef name;
  bool isOne = true;
  for (const FailedPass &failed : failedPasses) {
    if (failed.op == function)
      return failed.name;
    isOne &= name.empty() || name == failed.name;
    name = failed.name;
  }
  return isOne ? name : "";
}

void DiagnosticRecorder::addNotes(PassDiagnostic &error,
                                  Location location) const {
  Operation *function = findFunction(module, location);
  SmallVector<std::string> added;
  if (function)
    if (auto name = function->getAttrOfType<StringAttr>("sym_name"))
      added.push_back("in function @" + escapeName(name.getValue()));
  StringRef pass = findFailedPass(failedPasses, function);
  if (!pass.empty())
    added.push_back("in pass '" + escapeName(pass) + "'");
  llvm::erase_if(added, [&](const std::string &note) {
    return llvm::is_contained(error.notes, note);
  });
  auto place = llvm::find_if(error.notes, [](StringRef note) {
    return note.starts_with("in pass '");
  });
  error.notes.insert(place, added.begin(), added.end());
}

DiagnosticRecorder::~DiagnosticRecorder() {
  for (auto &[diagnostic, location] : diagnostics) {
    if (diagnostic.severity == DiagnosticSeverity::Error)
      addNotes(diagnostic, location);
    collected->push_back(std::move(diagnostic));
  }
}

} // namespace partita::transform
