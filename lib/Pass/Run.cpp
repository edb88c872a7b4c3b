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

using namespace mlir;

namespace partita::transform {

/// The contexts that this thread is running passes in: nothing can be loaded
/// into them.
static thread_local SmallVector<MLIRContext *> runningContexts;

namespace {
/// Keeps the diagnostics of this thread's run on its PassContext, and adds the
/// pass to errors where it is known. MLIR hands over those of worker threads on
/// the thread that waits for them.
class DiagnosticRecorder {
public:
  DiagnosticRecorder(MLIRContext *context, const PassContext &passContext,
                     const Plan &plan)
      : handler(context, [=, &plan](Diagnostic &diagnostic) {
          if (llvm::get_threadid() != threadId)
            return failure();
          record(diagnostic, passContext, plan);
          return failure();
        }) {}

private:
  static void record(Diagnostic &diagnostic, const PassContext &passContext,
                     const Plan &plan) {
    PassDiagnostic kept{diagnostic.getSeverity(), "", diagnostic.str(), {}};
    llvm::raw_string_ostream(kept.location) << diagnostic.getLocation();
    for (Diagnostic &note : diagnostic.getNotes())
      kept.notes.push_back(note.str());
    passContext.addDiagnostic(std::move(kept));
  }

  uint64_t threadId = llvm::get_threadid();
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
  for (StringRef name : registry.getDialectNames())
    if (!context->getLoadedDialect(name))
      missing.push_back(name);
  if (missing.empty() && isNested)
    return success();
  if (isNested) {
    InFlightDiagnostic error =
        emitError(loc, "expected the dialects of passes that are run inside a "
                       "pass to be loaded before, but found missing: ");
    llvm::interleaveComma(missing, error);
    return error << "; the outer pass can declare them as dependent dialects";
  }
  if (missing.empty() && registry.isSubsetOf(context->getDialectRegistry()))
    return success();
  std::unique_lock lock(cache->getRunMutex());
  context->appendDialectRegistry(registry);
  for (StringRef name : missing)
    context->getOrLoadDialect(name);
  return success();
}

LogicalResult Pass::run(Operation *module, const PassContext &passContext,
                        const RunOptions &options) const {
  MLIRContext *context = module->getContext();
  Location loc = module->getLoc();
  llvm::Expected<std::shared_ptr<const Plan>> resolved =
      Plan::get(*this, passContext);
  if (!resolved)
    return emitError(loc, llvm::toString(resolved.takeError()));
  std::shared_ptr<const Plan> plan = *resolved;
  DiagnosticRecorder recorder(context, passContext, *plan);
  emitPlanWarnings(*plan, loc);

  bool isNested = llvm::is_contained(runningContexts, context);
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
    if (options.configure && failed(options.configure(*pipeline.pm)))
      return failure();
    FailureOr<AddedPlan> added = addPlanTo(*pipeline.pm, plan, passContext,
                                           skipsFunctions, options.timing);
    if (failed(added))
      return failure();
    pipeline.plan = *added;
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
  runningContexts.push_back(context);
  llvm::scope_exit done([] { runningContexts.pop_back(); });
  PassContextSnapshot snapshot(passContext);
  LogicalResult result = pipeline.pm->run(module);
  if (pipeline.plan.instrumentation)
    pipeline.plan.instrumentation->finish();
  if (isCached)
    cache->put(std::move(key), std::move(pipeline));
  return result;
}

} // namespace partita::transform
