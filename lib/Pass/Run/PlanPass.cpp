//===- PlanPass.cpp - A pass that runs a plan -----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"
#include "../PassAccess.h"
#include "../PassImpl.h"
#include "StepStatistics.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

using namespace mlir;

namespace partita::transform {

/// The keeper of analyses for the pass's op during a run. Null on a nested op
/// if the pass manager has no instrumentation to add it to.
AnalysisKeeper *PlanPassBase::getKeeper() {
  if (keeper && *keeper)
    return *keeper;
  PassInstrumentor *instrumentor = getAnalysisManager().getPassInstrumentor();
  if (!instrumentor) {
    mlir::detail::NestedAnalysisMap &map = getAnalysisMap(getAnalysisManager());
    if (map.getParent())
      return nullptr;
    ownInstrumentor = std::make_unique<PassInstrumentor>();
    instrumentor = ownInstrumentor.get();
    map.parentOrInstrumentor = instrumentor;
  }
  keeper = std::make_shared<AnalysisKeeper *>();
  instrumentor->addInstrumentation(std::make_unique<AnalysisKeeper>(keeper));
  return *keeper;
}

/// Drops the analyses that were kept in a run.
void PlanPassBase::endKeeping() {
  if (keeper && *keeper)
    (*keeper)->clear();
  if (!ownInstrumentor)
    return;
  getAnalysisMap(getAnalysisManager()).parentOrInstrumentor =
      static_cast<PassInstrumentor *>(nullptr);
  ownInstrumentor.reset();
}

/// Whether all passes directly in `pipeline` can run on `op`.
static bool canRunOn(OpPassManager &pipeline, Operation *op) {
  SmallVector<const mlir::Pass *> passes;
  for (const mlir::Pass &pass : pipeline.getPasses())
    passes.push_back(&pass);
  return transform::canRunOn(passes, op);
}

/// After `pipeline` has failed: MLIR would take passes whose initialization has
/// failed for initialized ones in the next run.
LLVM_ATTRIBUTE_NOINLINE static void
checkInitialization(OpPassManager &pipeline) {
  auto hasFailed = [](std::unique_ptr<mlir::Pass> &pass) {
    auto &state = PassAccess::getStateSlot(*pass);
    return state && state->irAndPassFailed.getInt();
  };
  if (llvm::none_of(getPassSlots(pipeline), hasFailed))
    forgetInitialization(pipeline);
}

LogicalResult PlanPassBase::runPasses(OpPassManager &pipeline, Operation *op) {
  LogicalResult result = runPipeline(pipeline, op);
  if (failed(result))
    checkInitialization(pipeline);
  return result;
}

LogicalResult PlanPassBase::execute(PlanExecutor &executor, const Run &run,
                                    TimingScope *timing) {
  ThreadTask task;
  CrashGuard guard([this, &executor] {
    if (PassTracker *tracker = executor.getTracker())
      tracker->abandonRun();
    if (keeper && *keeper)
      (*keeper)->abandon();
    ownInstrumentor.reset();
  });
  // A different pipeline has run on the op before.
  getAnalysisManager().clear();
  auto runOn = [&](OpPassManager &pipeline, Operation *op,
                   const AnalysisKeeper::Step *step) -> LogicalResult {
    if (!pipeline.getOpName() && !canRunOn(pipeline, op))
      // MLIR's own message; in a pipeline that a pass runs, MLIR asserts
      // instead.
      return op->emitOpError("trying to schedule a pass on an unsupported "
                             "operation");
    AnalysisKeeper *keeper = step ? getKeeper() : nullptr;
    if (!keeper)
      return runPasses(pipeline, op);
    run.keeper = keeper;
    keeper->begin(getAnalysisMap(getAnalysisManager()), pipeline, op, *step,
                  ownInstrumentor.get());
    LogicalResult result = runPasses(pipeline, op);
    keeper->end();
    return result;
  };
  LogicalResult result = PlanRun(executor, run, runOn, timing).execute();
  run.keeper = nullptr;
  endKeeping();
  getAnalysisManager().clear();
  // The inner runs have invalidated and verified their changes.
  markAllAnalysesPreserved();
  return result;
}

StringRef PlanPass::getName() const {
  return executor->getExecution().plan->entries().front().pass.info().name;
}

void PlanPass::runOnOperation() {
  // It can have been switched since the pass was added.
  if (pm)
    executor->setVerifies(isVerifierOn(*pm));
  Run own{getOperation(), executor->getExecution().plan, context,
          getInnermostStep()};
  own.setUp = std::exchange(setUp, {});
  if (failed(execute(*executor, run ? *run : own, timing)))
    signalPassFailure();
}

//===----------------------------------------------------------------------===//
// addPlan
//===----------------------------------------------------------------------===//

static LogicalResult fail(PassManager &pm, llvm::Error error) {
  return emitError(UnknownLoc::get(pm.getContext()),
                   llvm::toString(std::move(error)));
}

/// Adds the passes of `plan` to `pm` themselves, without a PlanPass.
static FailureOr<BareTracker *> addBare(PassManager &pm,
                                        std::shared_ptr<const Plan> plan,
                                        const PassContext &context,
                                        bool needsTracker) {
  std::unique_ptr<BareTracker> tracker;
  if (needsTracker)
    tracker = std::make_unique<BareTracker>(pm, plan, context);
  PlanLowering lowering(pm, pm.getOpAnchorName(), /*runs=*/true);
  for (auto [index, entry] : llvm::enumerate(plan->entries())) {
    if (!entry.runs() || entry.pass.isSequential())
      continue;
    if (llvm::Error error = lowering.add(entry))
      return fail(pm, std::move(error));
    if (tracker)
      for (const mlir::Pass *pass : lowering.getAdded())
        tracker->addPass(pass, {index, entry.pass.getImpl().readsPassContext});
  }
  BareTracker *added = tracker.get();
  if (tracker)
    pm.addInstrumentation(std::move(tracker));
  return added;
}

FailureOr<AddedPlan> addExecution(PassManager &pm, const Execution &execution,
                                  const PassContext &context,
                                  const AddPlanOptions &options,
                                  bool isObserved) {
  AddedPlan added;
  if (!execution.needsPlanPass) {
    if (options.timing)
      pm.enableTiming(*options.timing);
    FailureOr<BareTracker *> tracker =
        addBare(pm, execution.plan, context, execution.needsTracker);
    if (failed(tracker))
      return failure();
    added.tracker = *tracker;
    return added;
  }

  auto executor = std::make_shared<PlanExecutor>(execution);
  executor->vetoed = options.vetoed;
  if (llvm::Error error = executor->prepare())
    return fail(pm, std::move(error));
  if (execution.needsTracker) {
    auto tracker = std::make_unique<PassTracker>();
    executor->setTracker(tracker.get());
    pm.addInstrumentation(std::move(tracker));
  }
  auto pass = std::make_unique<PlanPass>(std::move(executor), context, &pm);
  added.pass = pass.get();
  pass->setTiming(options.timing);
  if (isObserved)
    pm.addInstrumentation(std::make_unique<StepStatistics>(*pass));
  pm.addPass(std::move(pass));
  return added;
}

FailureOr<AddedPlan> addPlanTo(PassManager &pm,
                               std::shared_ptr<const Plan> plan,
                               const PassContext &context,
                               const AddPlanOptions &options) {
  Execution execution(std::move(plan), context, pm.getOpAnchorName(),
                      isVerifierOn(pm), options.maySkipFunctions);
  instrument::Clock::time_point begin = instrument::Clock::now();
  FailureOr<AddedPlan> added =
      addExecution(pm, execution, context, options, /*isObserved=*/true);
  if (succeeded(added) && added->pass)
    added->pass->setSetUp({/*isMade=*/true, /*isForOneRun=*/true,
                           instrument::Clock::now() - begin});
  return added;
}

LogicalResult addPlan(PassManager &pm, std::shared_ptr<const Plan> plan,
                      const PassContext &context,
                      const AddPlanOptions &options) {
  return addPlanTo(pm, std::move(plan), context, options);
}

} // namespace partita::transform
