//===- PlanRun.cpp - One run of a plan ------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanRun.h"
#include "../PassAccess.h"
#include "../PassImpl.h"
#include "../PassInstrumentImpl.h"
#include "../Tracking/InstrumentCalls.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace partita::transform {

using instrument::Clock;
using instrument::Wants;

//===----------------------------------------------------------------------===//
// Instruments
//===----------------------------------------------------------------------===//

PlanRun::PlanRun(PlanExecutor &executor, const Run &run,
                 PipelineRunner runPipeline, TimingScope *timing)
    : executor(executor), run(run), entries(run.plan->entries()),
      runPipeline(runPipeline), timing(timing), meter(run),
      skipping(skipsFunctions(*run.plan, run.module)) {
  if (PassTracker *tracker = executor.getTracker())
    tracker->beginRun(run, meter, executor.getExecution().verifies);
}

PlanRun::~PlanRun() {
  if (PassTracker *tracker = executor.getTracker())
    tracker->endRun();
}

/// Calls beginRun on the instruments that have not had it.
LogicalResult PlanRun::beginInstruments() {
  uint64_t version = run.context.instrumentsVersion();
  if (version == begunVersion)
    return success();
  begunVersion = version;
  return callBeginRun(run, begun);
}

LogicalResult PlanRun::execute() {
  // With a crash reproducer, the run is not on the caller's thread.
  CurrentPassContext current(run.context, run.module->getContext());
  Clock::time_point start = run.getClock().now();
  executor.beginRun(run.module->getContext());
  bool hasBegun = succeeded(beginInstruments());
  LogicalResult result = success(hasBegun);
  if (hasBegun) {
    // Pass::run names the root itself.
    RunScope root({&run, 0}, /*isNamed=*/false);
    result = runOrFind();
  }
  if (!meter.isRecording() && begun.empty())
    return result;
  if (failed(callEndRun(
          run,
          meter.takeRecord(run, failed(result), run.getClock().now() - start),
          /*isFilled=*/hasBegun && meter.isRecording(), begun)))
    return failure();
  return result;
}

/// Runs the entries, or takes their result from the cache.
LogicalResult PlanRun::runOrFind() {
  PassCache *cache = executor.getCache();
  if (!cache)
    return runAndVerify();
  // Who measures passes sees those that run.
  std::optional<std::string> passes;
  if (!isStepwise() && !meter.isActive())
    passes = executor.describeForCache(run.context);
  std::optional<PassCache::Before> before;
  std::optional<ContentHash> around;
  if (passes)
    around = cache->hashAround(run.module);
  if (around)
    before = cache->describe(run.module);
  ContentHash key;
  if (before)
    key = cache->getKey(*passes, *around, *before);
  using Result = PassCache::Result;
  if (before)
    if (std::optional<std::vector<Result>> found = cache->find(key, *before)) {
      if (found->front().op)
        replaceModule(run.module, *found->front().op);
      return success();
    }

  bool isQuiet = true;
  {
    ScopedDiagnosticHandler handler(run.module->getContext(),
                                    [&](Diagnostic &) {
                                      isQuiet = false;
                                      return failure();
                                    });
    if (failed(runAndVerify()))
      return failure();
  }
  if (before && isQuiet)
    cache->put(key, *before,
               OpHashes().get(run.module) == before->hash ? Result::Unchanged
                                                          : Result::Changed);
  if (llvm::Error error = cache->finish())
    mlir::emitWarning(run.module->getLoc(),
                      llvm::toString(std::move(error)) +
                          "; results of this run are not kept");
  return success();
}

LogicalResult PlanRun::runAndVerify() {
  return failed(runEntries()) ? failure() : verifyAtEnd();
}

/// Verifies the module in place of MLIR, which did not do so after the passes.
LogicalResult PlanRun::verifyAtEnd() {
  if (!executor.getExecution().verifies ||
      run.context.saving().verify != SavingOptions::Verify::End ||
      succeeded(verify(run.module)))
    return success();
  return mlir::emitError(run.module->getLoc(),
                         "expected the module to be valid after the passes; "
                         "set partita.verify to \"changed\" to stop after the "
                         "pass that makes it invalid");
}

LogicalResult PlanRun::callAfter(size_t index) {
  if (failed(beginInstruments()))
    return failure();
  return callRunAfterPass({&run, index});
}

FailureOr<bool> PlanRun::callBefore(size_t index) {
  if (failed(beginInstruments()))
    return failure();
  PassStep step{&run, index};
  PassInstruments against;
  FailureOr<bool> shouldRun = callShouldRun(step, against);
  if (failed(shouldRun))
    return failure();
  if (*shouldRun)
    return failed(callRunBeforePass(step)) ? FailureOr<bool>(failure()) : true;
  if (executor.vetoed)
    executor.vetoed->push_back(index);
  meter.addVeto(index, against);
  return false;
}

/// A timer for an entry in the innermost open timer. MLIR's own timer would
/// show pipelines that a pass runs beside the pass, and count them twice.
TimingScope PlanRun::startTimer(const Plan::Entry &entry) {
  if (!timing)
    return TimingScope();
  TimingScope &parent = openTimers.empty() ? *timing : openTimers.back();
  return parent.nest(&entry, [&] { return entry.pass.info().name; });
}

/// Whether passes must run one by one.
bool PlanRun::isStepwise() {
  return skipping || isObserved() ||
         (meter.isActive() && !executor.getTracker()) || timing;
}

/// Whether an instrument looks at the module; found again when they change.
bool PlanRun::isObserved() {
  uint64_t version = run.context.instrumentsVersion();
  if (version != observedVersion) {
    observed = anyWants(run.context, Wants::Module);
    observedVersion = version;
  }
  return observed;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// Ends the Sequentials whose last member comes before the entry at `index`.
LogicalResult PlanRun::closeSequentials(size_t index) {
  while (!open.empty() && entries[open.back()].end == index) {
    if (failed(callAfter(open.back())))
      return failure();
    open.pop_back();
    if (timing)
      openTimers.pop_back();
  }
  return success();
}

LogicalResult PlanRun::runEntries() {
  // MLIR sees the passes that run one by one only where they have an op.
  if (isStepwise() && failed(executor.checkAnchors(run.module->getContext())))
    return failure();
  size_t index = 0;
  while (true) {
    if (failed(closeSequentials(index)))
      return failure();
    if (index == entries.size())
      return endAdaptors({});

    const Plan::Entry &entry = entries[index];
    if (!entry.runs()) {
      index = entry.end;
      continue;
    }
    if (!isStepwise()) {
      size_t end = findSegmentEnd(index);
      if (failed(runMerged(index, end)))
        return failure();
      index = end;
      continue;
    }
    FailureOr<bool> go = callBefore(index);
    if (failed(go))
      return failure();
    if (!*go) {
      index = entry.end;
    } else if (entry.pass.isSequential()) {
      if (timing)
        openTimers.push_back(startTimer(entry));
      open.push_back(index++);
    } else {
      if (failed(runStep(index)) || failed(callAfter(index)))
        return failure();
      index = entry.end;
    }
  }
}

/// The end of the entries from `begin` that run merged: the end of the plan, or
/// the next code of the host, which runs by itself and can change instruments.
size_t PlanRun::findSegmentEnd(size_t begin) const {
  bool hasPass = false;
  size_t end = begin;
  while (end < entries.size()) {
    const Plan::Entry &entry = entries[end];
    if (!entry.runs()) {
      end = entry.end;
      continue;
    }
    bool isCallback = entry.pass.getImpl().hostCallback;
    if (isCallback && hasPass)
      return end;
    ++end;
    if (isCallback)
      return end;
    hasPass |= !entry.pass.isSequential();
  }
  return end;
}

LogicalResult PlanRun::runMerged(size_t begin, size_t end) {
  const Plan::Entry &last = entries[end - 1];
  bool isCallback = last.runs() && last.pass.getImpl().hostCallback;
  std::optional<RunScope> frame;
  if (isCallback)
    frame.emplace(PassStep{&run, end - 1});
  if (failed(runSegment(begin, end)))
    return failure();
  // Entries that are still open get the remaining callbacks, if there are
  // instruments now.
  llvm::erase_if(open, [&](size_t index) { return entries[index].end < end; });
  for (size_t index = begin; index < end; ++index)
    if (entries[index].runs() && entries[index].pass.isSequential() &&
        entries[index].end >= end)
      open.push_back(index);
  if (!isCallback)
    return success();
  skipping = skipsFunctions(*run.plan, run.module);
  return isObserved() ? callAfter(end - 1) : success();
}

/// What follows, until a pipeline begins, makes and initializes passes.
void PlanRun::beginSetUp() {
  if (run.setUp.isMade && executor.getTracker())
    executor.getTracker()->beginSetUp();
}

LogicalResult PlanRun::runSegment(size_t begin, size_t end) {
  executor.noteChange();
  if (failed(endAdaptors({})))
    return failure();
  beginSetUp();
  llvm::Expected<PlanSegment *> segment = executor.getSegment(begin, end);
  if (!segment)
    return emitError(segment.takeError());
  if ((*segment)->pipeline->empty())
    return success();
  return runPipeline(*(*segment)->pipeline, run.module, /*step=*/nullptr);
}

LogicalResult PlanRun::runStep(size_t index) {
  const Plan::Entry &entry = entries[index];
  executor.noteChange();
  RunScope scope({&run, index});
  TimingScope timer = startTimer(entry);
  // Without a tracker everything runs on one thread, so measuring here is safe.
  PassFrame *measured = nullptr;
  if (meter.isActive() && !executor.getTracker()) {
    measured = &pushPassFrame({&run, index}, nullptr, nullptr);
    meter.begin(*measured, run.module);
  }
  LogicalResult result = runPassOfStep(index);
  if (measured) {
    meter.end(*measured, failed(result));
    popFrame(*measured);
  }
  if (entry.pass.getImpl().hostCallback)
    skipping = skipsFunctions(*run.plan, run.module);
  return result;
}

//===----------------------------------------------------------------------===//
// Where a pass runs
//===----------------------------------------------------------------------===//

/// The ops that the pass of a step runs on; with `skips`, without the functions
/// that passes leave alone.
static SmallVector<Operation *> collectOps(const Run &run, const PlanStep &step,
                                           bool skips) {
  SmallVector<Operation *> ops = {run.module};
  for (auto [anchor, inAny] : llvm::zip_equal(step.path, step.members)) {
    SmallVector<Operation *> inner;
    for (Operation *op : ops)
      for (Region &region : op->getRegions())
        for (Operation &child : region.getOps())
          if ((inAny ? canRunOn(*inAny, &child)
                     : child.getName().getStringRef() == anchor) &&
              child.hasTrait<OpTrait::IsIsolatedFromAbove>() &&
              !(skips && isa<FunctionOpInterface>(child) &&
                skipsOptimization(&child)))
            inner.push_back(&child);
    ops = std::move(inner);
  }
  return ops;
}

/// Whether the pass of a step runs on at most one op, which is added to `ops`.
static bool findOnlyOp(const Run &run, const PlanStep &step,
                       SmallVectorImpl<Operation *> &ops) {
  if (step.path.size() != 1 || step.members.front())
    return false;
  for (Region &region : run.module->getRegions())
    for (Operation &op : region.getOps()) {
      if (op.getName().getStringRef() != step.path.front())
        continue;
      if (!ops.empty())
        return false;
      ops.push_back(&op);
    }
  return true;
}

/// Whether the pass of a step is the very pass that a driver added, and runs on
/// its ops one by one since a module had one op for it.
static bool holdsOriginal(const Run &run, size_t index, const PlanStep &step) {
  return step.single && run.plan->entries()[index].pass.getImpl().original &&
         !run.module->getContext()->isMultithreadingEnabled();
}

/// The depth of the ops whose adaptor ends between passes with these anchors,
/// or `noDepth`. MLIR merges consecutive adaptors on one op, but no adaptors
/// for any op.
static size_t findEndOfAdaptors(ArrayRef<std::string> path,
                                ArrayRef<std::string> next) {
  size_t depth = 0;
  while (depth < path.size() && depth < next.size() &&
         path[depth] == next[depth])
    ++depth;
  if (depth == path.size())
    return AnalysisKeeper::noDepth;
  if (depth == next.size() || isAnyAnchor(path[depth]) ||
      isAnyAnchor(next[depth]))
    return depth;
  return depth + 1 == path.size() ? AnalysisKeeper::noDepth : depth + 1;
}

/// The greatest depth at which ops keep analyses after the step at `index`.
llvm::Expected<size_t> PlanRun::getKeptDepth(size_t index, PlanStep &step) {
  if (step.keptDepth)
    return *step.keptDepth;
  step.keptDepth = 0;
  for (size_t next = entries[index].end; next < entries.size();) {
    const Plan::Entry &entry = entries[next];
    if (entry.runs() && !entry.pass.isSequential()) {
      llvm::Expected<PlanStep *> following = executor.getStep(next);
      if (!following)
        return following.takeError();
      step.keptDepth = findEndOfAdaptors(step.path, (*following)->path);
      break;
    }
    next = entry.runs() ? next + 1 : entry.end;
  }
  return *step.keptDepth;
}

/// Ends the adaptors of the last step, if the passes that were to run in them
/// next do not. As MLIR does, it invalidates the analyses of the adaptors' ops,
/// and verifies these ops. `next` are the anchors of the next step.
LogicalResult PlanRun::endAdaptors(ArrayRef<std::string> next) {
  if (!openStep)
    return success();
  ArrayRef<std::string> path = std::exchange(openStep, nullptr)->path;
  AnalysisKeeper::Step ended;
  ended.kept = findEndOfAdaptors(path, next);
  if (ended.kept == AnalysisKeeper::noDepth)
    return success();
  ended.depth = ended.kept + 1;
  OpPassManager pipeline(executor.getExecution().rootName,
                         OpPassManager::Nesting::Explicit);
  PipelineNester(pipeline).nest(path.take_front(ended.depth));
  return runPipeline(pipeline, run.module, &ended);
}

LogicalResult PlanRun::runPassOfStep(size_t index) {
  beginSetUp();
  llvm::Expected<PlanStep *> found = executor.getStep(index);
  if (!found)
    return emitError(found.takeError());
  PlanStep &step = **found;
  if (step.segment.pipeline->empty())
    return success();
  if (failed(endAdaptors(step.path)))
    return failure();
  beginSetUp();
  llvm::Expected<size_t> keptDepth = getKeptDepth(index, step);
  if (!keptDepth)
    return emitError(keptDepth.takeError());
  AnalysisKeeper::Step kept{step.segment.passes, step.path.size(), *keptDepth};
  bool isLast = kept.kept != AnalysisKeeper::noDepth;
  if (!isLast)
    openStep = &step;
  if (step.path.empty())
    return runPipeline(*step.segment.pipeline, run.module, &kept);
  SmallVector<Operation *> ops;
  bool skips = skipping && entries[index].leavesFunctionsAlone;
  if (skips || step.sharesAny || holdsOriginal(run, index, step))
    ops = collectOps(run, step, skips);
  else if (isLast || executor.savesWork() || !findOnlyOp(run, step, ops))
    return runPipeline(*step.segment.pipeline, run.module, &kept);

  llvm::Expected<OpPassManager *> single = executor.getSingle(index);
  if (!single)
    return emitError(single.takeError());
  // The step ends after the last op.
  kept.kept = AnalysisKeeper::noDepth;
  for (Operation *op : ops)
    if (failed(runPipeline(**single, op, &kept)))
      return failure();
  if (!isLast)
    return success();
  openStep = &step;
  return endAdaptors({});
}

LogicalResult PlanRun::emitError(llvm::Error error) {
  return mlir::emitError(run.module->getLoc(),
                         llvm::toString(std::move(error)));
}

} // namespace partita::transform
