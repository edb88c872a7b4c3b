//===- RunPass.cpp - Running a pass on a module ---------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunPass.h"
#include "Diagnostics.h"
#include "Interruption.h"
#include "PipelineCache.h"
#include "partita/Support/CloneModule.h"

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// Dialects
//===----------------------------------------------------------------------===//

namespace {
/// The dialects that the passes of a run depend on.
struct NeededDialects {
  NeededDialects(const PassManager &pm, MLIRContext *context, bool isNested) {
    pm.getDependentDialects(registry);
    for (StringRef name : registry.getDialectNames())
      if (!context->getLoadedDialect(name))
        missing.push_back(name);
    // PassManager::run registers the dialects of its passes, but must not do so
    // inside a pass. So they are registered before, even dialects that were
    // loaded without a registry.
    for (Dialect *dialect : context->getLoadedDialects()) {
      StringRef name = dialect->getNamespace();
      if (!isNested && !context->getDialectRegistry().getDialectAllocator(name))
        registry.insert(dialect->getTypeID(), name,
                        [name = name.str()](MLIRContext *context) {
                          return context->getLoadedDialect(name);
                        });
    }
    isComplete =
        missing.empty() && registry.isSubsetOf(context->getDialectRegistry());
  }

  void load(MLIRContext *context) {
    context->appendDialectRegistry(registry);
    for (StringRef name : missing)
      context->getOrLoadDialect(name);
  }

  /// Inside a run, dialects can be neither loaded nor registered.
  LogicalResult emitMissing(Location loc) {
    InFlightDiagnostic error =
        emitError(loc, "expected the dialects of passes that are run inside a "
                       "pass to be ");
    error << (missing.empty() ? "in the MLIRContext's registry"
                              : "loaded before, but found missing: ");
    llvm::interleaveComma(missing, error);
    return error << "; load them before the outer pass is run, or let it "
                    "declare them as dependent dialects";
  }

  DialectRegistry registry;
  SmallVector<StringRef> missing;
  /// Whether nothing has to be loaded or registered.
  bool isComplete;
};

/// A run that has entered the gate of its MLIRContext, or is inside such a run.
class GatedRun {
public:
  GatedRun(PipelineCache *cache, const Run &run, bool isNested)
      : cache(cache), run(run), isNested(isNested) {
    if (!isNested)
      cache->getGate().enter(run);
  }
  ~GatedRun() {
    if (!isNested)
      cache->getGate().leave(run);
  }

  LogicalResult loadDialects(const PassManager &pm) {
    MLIRContext *context = run.module->getContext();
    NeededDialects dialects(pm, context, isNested);
    if (dialects.isComplete)
      return success();
    if (isNested)
      return dialects.emitMissing(run.module->getLoc());
    cache->getGate().leave(run);
    cache->getGate().load([&] { dialects.load(context); });
    cache->getGate().enter(run);
    return success();
  }

private:
  PipelineCache *cache;
  const Run &run;
  bool isNested;
};
} // namespace

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void replaceModule(Operation *module, Operation *source) {
  assert(module->getName() == source->getName() && "expected ops of one name");
  if (const Run *run = getInnermostStep().run; run && run->keeper) {
    if (source == run->module)
      run->keeper->noteTaken();
    else if (module == run->module)
      run->keeper->noteGivenBack(source);
  }
  replaceContents(module, source);
}

/// Replaces `module` by the result of an earlier run of `plan`, and returns the
/// rest of the plan.
static llvm::Expected<std::shared_ptr<const Plan>>
restore(Operation *module, std::shared_ptr<const Plan> plan,
        const RunOptions &options, PipelineCache *cache, bool isNested) {
  if (!options.restore)
    return plan;
  if (isNested)
    return llvm::createStringError(
        "expected the run of '" + plan->entries().front().pass.info().name +
        "', which resumes from a checkpoint, not to be inside another");
  std::optional<llvm::Expected<unsigned>> numDone;
  // The checkpoint can use dialects that the module lacks.
  cache->getGate().load(
      [&] { numDone.emplace(options.restore(module, *plan)); });
  if (!*numDone)
    return numDone->takeError();
  return **numDone == 0 ? plan : plan->resumeAfter(**numDone);
}

/// Makes the pass manager of a run.
static LogicalResult makePipeline(const Run &run, const RunOptions &options,
                                  const Execution &execution, GatedRun &gated,
                                  DiagnosticRecorder &recorder,
                                  CachedPipeline &pipeline) {
  pipeline.pm = std::make_unique<PassManager>(run.module->getContext(),
                                              execution.rootName);
  if (options.diagnostics) {
    pipeline.failedPasses = std::make_shared<FailedPassRecorder>();
    pipeline.failedPasses->attach(*pipeline.pm);
  }
  if (options.configure) {
    if (failed(options.configure(*pipeline.pm)))
      return failure();
    recorder.attach(*pipeline.pm);
  }
  // After `configure`, so that instruments learn the true setting.
  pipeline.pm->enableVerifier(options.verify);
  // A kept pass manager holds no instruments.
  AddPlanOptions addOptions;
  addOptions.timing = options.timing;
  FailureOr<AddedPlan> added =
      addExecution(*pipeline.pm, execution, run.context, addOptions,
                   /*isObserved=*/bool(options.configure));
  if (failed(added))
    return failure();
  pipeline.plan = *added;
  // A cached pass manager has its dialects.
  return gated.loadDialects(*pipeline.pm);
}

/// Runs `plan` by a pass manager of its own, which is kept for the next run.
static LogicalResult runPlan(const Run &run, const RunOptions &options,
                             PipelineCache *cache, GatedRun &gated,
                             DiagnosticRecorder &recorder) {
  MLIRContext *context = run.module->getContext();
  Execution execution(run.plan, run.context,
                      run.module->getName().getStringRef(), options.verify,
                      skipsFunctions(*run.plan, run.module));
  PipelineCache::Key key{execution, options.diagnostics != nullptr,
                         context->getNumThreads()};
  CachedPipeline pipeline;
  bool isCached =
      cache && !options.configure && !options.timing && !options.restore;
  if (isCached)
    pipeline = cache->take(key);
  if (!pipeline.pm) {
    instrument::Clock::time_point begin = instrument::Clock::now();
    if (failed(
            makePipeline(run, options, execution, gated, recorder, pipeline)))
      return failure();
    run.setUp = {/*isMade=*/true, /*isForOneRun=*/!isCached,
                 instrument::Clock::now() - begin};
  }

  CurrentPassContext current(run.context, context);
  pipeline.begin(run);
  LogicalResult result = failure();
  {
    RunScope root({&run, 0});
    std::optional<Interruption> interruption;
    if (options.diagnostics && options.isInterrupted)
      pipeline.failedPasses->setInterruption(
          &interruption.emplace(options.isInterrupted));
    result = pipeline.pm->run(run.module);
    if (interruption)
      pipeline.failedPasses->setInterruption(nullptr);
  }
  if (failed(pipeline.end(failed(result))))
    result = failure();
  if (options.diagnostics)
    recorder.setFailedPasses(pipeline.failedPasses->take());
  if (isCached)
    cache->put(std::move(key), std::move(pipeline));
  return result;
}

LogicalResult runInside(const Run &run) {
  // It is unknown whether the outer pass manager verifies. If it does, it
  // verifies after the pass.
  RunOptions options;
  options.verify = false;
  PipelineCache *cache =
      PipelineCache::get(run.module->getContext(), /*mayLoad=*/false);
  GatedRun gated(cache, run, /*isNested=*/true);
  DiagnosticRecorder recorder(run.module, nullptr, nullptr);
  return runPlan(run, options, cache, gated, recorder);
}

LogicalResult Pass::run(Operation *module, const PassContext &passContext,
                        const RunOptions &options) const {
  MLIRContext *context = module->getContext();
  Location loc = module->getLoc();

  // Nothing can be loaded into a context from inside a pass. On a thread on
  // which Partita has not started a pass, the module's parents tell whether
  // this is inside a run.
  bool isNested = isRunningIn(context);
  bool isPart = isRunningIn(context, &passContext);
  PipelineCache *cache = PipelineCache::get(context, /*mayLoad=*/!isNested);
  PassStep outer = getInnermostStep();
  if (!isNested) {
    if (const Run *around = cache->getGate().findRun(module)) {
      isNested = true;
      isPart = around->context == passContext;
      outer = {around, 0};
    }
  }
  // A run inside another run under the same context hands its diagnostics to
  // that run.
  DiagnosticRecorder recorder(module, isPart ? nullptr : &passContext,
                              options.diagnostics);
  if (cache && !cache->hasThreads())
    return emitError(loc, "expected the MLIRContext to work in this child of a "
                          "fork, but the threads of its pool do not exist "
                          "here; disable its threads, or give it "
                          "getForkableThreadPool before the fork");
  llvm::Expected<std::shared_ptr<const Plan>> resolved =
      Plan::get(*this, passContext);
  if (!resolved)
    return emitError(loc, llvm::toString(resolved.takeError()));
  resolved = restore(module, *resolved, options, cache, isNested);
  if (!resolved)
    return emitError(loc, llvm::toString(resolved.takeError()));
  if (!isPart)
    emitPlanWarnings(**resolved, loc);

  Run run{module, *resolved, passContext, outer};
  GatedRun gated(cache, run, isNested);
  return runPlan(run, options, cache, gated, recorder);
}

FailureOr<OwningOpRef<Operation *>>
Pass::operator()(Operation *module, const PassContext &context) const {
  OwningOpRef<Operation *> copy = cloneModule(module);
  if (failed(run(*copy, context)))
    return failure();
  return std::move(copy);
}

} // namespace partita::transform
