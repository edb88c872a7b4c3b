//===- Run.cpp - Running a pass on a module ------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassImpl.h"
#include "PipelineCache.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Threading.h"

#include <atomic>

using namespace mlir;

namespace partita::transform {

namespace {
/// Keeps the diagnostics of a run on its PassContext: those that are emitted on
/// the caller's thread, or on the one that a crash reproducer runs the passes
/// on. MLIR hands over those of worker threads on the thread that waits for
/// them.
class DiagnosticRecorder {
public:
  DiagnosticRecorder(MLIRContext *context, const PassContext &passContext)
      : handler(context, [=](Diagnostic &diagnostic) {
          uint64_t thread = llvm::get_threadid();
          if (thread == callerThread || thread == runThread)
            record(diagnostic, passContext);
          return failure();
        }) {}

  /// Finds out which thread `pm` runs on.
  void attach(PassManager &pm) {
    pm.addInstrumentation(std::make_unique<ThreadFinder>(runThread));
  }

private:
  /// The first pipeline to start is that of the run.
  struct ThreadFinder : PassInstrumentation {
    explicit ThreadFinder(std::atomic<uint64_t> &thread) : thread(thread) {}
    void runBeforePipeline(std::optional<OperationName>,
                           const PipelineParentInfo &) override {
      uint64_t none = 0;
      thread.compare_exchange_strong(none, llvm::get_threadid());
    }
    std::atomic<uint64_t> &thread;
  };

  static void record(Diagnostic &diagnostic, const PassContext &passContext) {
    PassDiagnostic kept{diagnostic.getSeverity(), "", diagnostic.str(), {}};
    llvm::raw_string_ostream(kept.location) << diagnostic.getLocation();
    for (Diagnostic &note : diagnostic.getNotes())
      kept.notes.push_back(note.str());
    passContext.addDiagnostic(std::move(kept));
  }

  uint64_t callerThread = llvm::get_threadid();
  std::atomic<uint64_t> runThread{0};
  ScopedDiagnosticHandler handler;
};
} // namespace

/// Loads the dialects that `pm` makes entities of.
static LogicalResult loadDialects(PassManager &pm, MLIRContext *context,
                                  PipelineCache *cache, bool isNested,
                                  Location loc) {
  DialectRegistry registry;
  pm.getDependentDialects(registry);
  SmallVector<StringRef> missing;
  auto findMissing = [&] {
    for (StringRef name : registry.getDialectNames())
      if (!context->getLoadedDialect(name))
        missing.push_back(name);
  };
  if (isNested) {
    findMissing();
    if (missing.empty())
      return success();
    InFlightDiagnostic error =
        emitError(loc, "expected the dialects of passes that are run inside a "
                       "pass to be loaded before, but found missing: ");
    llvm::interleaveComma(missing, error);
    return error << "; the outer pass can declare them as dependent dialects";
  }
  {
    std::shared_lock lock(cache->getRunMutex());
    findMissing();
    // PassManager::run registers the dialects of its passes, which it may not
    // do inside a pass unless they are registered before. Those that were
    // loaded without a registry are not.
    for (Dialect *dialect : context->getLoadedDialects()) {
      StringRef name = dialect->getNamespace();
      if (!context->getDialectRegistry().getDialectAllocator(name))
        registry.insert(dialect->getTypeID(), name,
                        [name = name.str()](MLIRContext *context) {
                          return context->getLoadedDialect(name);
                        });
    }
    if (missing.empty() && registry.isSubsetOf(context->getDialectRegistry()))
      return success();
  }
  std::unique_lock lock(cache->getRunMutex());
  std::lock_guard<std::mutex> loading(PipelineCache::getLoadMutex());
  context->appendDialectRegistry(registry);
  for (StringRef name : missing)
    context->getOrLoadDialect(name);
  return success();
}

LogicalResult Pass::run(Operation *module, const PassContext &passContext,
                        const RunOptions &options) const {
  MLIRContext *context = module->getContext();
  Location loc = module->getLoc();
  // Nothing can be loaded into a context from inside a pass.
  bool isNested = isRunningIn(context);
  // A run inside another hands its diagnostics on to that one.
  std::optional<DiagnosticRecorder> recorder;
  if (!isRunningIn(context, &passContext))
    recorder.emplace(context, passContext);
  llvm::Expected<std::shared_ptr<const Plan>> resolved =
      Plan::get(*this, passContext);
  if (!resolved)
    return emitError(loc, llvm::toString(resolved.takeError()));
  std::shared_ptr<const Plan> plan = *resolved;
  emitPlanWarnings(*plan, loc);

  PipelineCache *cache = PipelineCache::get(context, !isNested);
  bool skipsFunctions = hasSkippedFunction(module);
  PipelineCache::Key key{plan->getId(), module->getName().getStringRef().str(),
                         options.verify,
                         runsStepByStep(*plan, passContext, skipsFunctions),
                         wantsRecords(passContext)};
  CachedPipeline pipeline;
  bool isCached = cache && !options.configure && !options.timing;
  if (isCached)
    pipeline = cache->take(key);
  if (!pipeline.pm) {
    pipeline.pm = std::make_unique<PassManager>(context, key.rootName);
    pipeline.pm->enableVerifier(options.verify);
    if (options.configure) {
      if (failed(options.configure(*pipeline.pm)))
        return failure();
      if (recorder)
        recorder->attach(*pipeline.pm);
    }
    FailureOr<AddedPlan> added = addPlanTo(*pipeline.pm, plan, passContext,
                                           skipsFunctions, options.timing);
    if (failed(added))
      return failure();
    pipeline.plan = *added;
    if (isCached && added->pass)
      added->pass->setVerifier(options.verify);
    // One from the cache has its dialects.
    if (failed(loadDialects(*pipeline.pm, context, cache, isNested, loc)))
      return failure();
  }
  if (pipeline.plan.pass)
    pipeline.plan.pass->setContext(passContext);
  if (pipeline.plan.instrumentation)
    pipeline.plan.instrumentation->begin(passContext);

  std::shared_lock<std::shared_mutex> lock;
  if (!isNested)
    lock = std::shared_lock(cache->getRunMutex());
  PassContextSnapshot snapshot(passContext, context);
  LogicalResult result = pipeline.pm->run(module);
  if (pipeline.plan.instrumentation)
    pipeline.plan.instrumentation->finish();
  if (isCached) {
    pipeline.plan.dropContext();
    cache->put(std::move(key), std::move(pipeline));
  }
  return result;
}

} // namespace partita::transform
