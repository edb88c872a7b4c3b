//===- PassTracker.cpp - Tracks each thread's pass ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassTracker.h"
#include "../PassAccess.h"
#include "../PlanRunnerPass.h"
#include "../Saving/SavingPass.h"
#include "InstrumentCalls.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace partita::transform {

const PassContext &getNoContext() {
  // Never freed: cached pipelines can outlive statics.
  static const auto &none = *new PassContext;
  return none;
}

/// The pass in the plan's pipeline that `pass` was copied from for a thread.
/// Where functions are nested deeper, `pass` is a copy of a copy.
static const mlir::Pass *getOriginal(const mlir::Pass *pass) {
  while (const mlir::Pass *sibling = pass->getThreadingSibling())
    pass = sibling;
  return pass;
}

//===----------------------------------------------------------------------===//
// PassTracker
//===----------------------------------------------------------------------===//

void PassTracker::addPass(const mlir::Pass *pass, Tracked tracked) {
  std::lock_guard<std::mutex> lock(mutex);
  passes[pass] = tracked;
}

void PassTracker::clearPasses() {
  std::lock_guard<std::mutex> lock(mutex);
  passes.clear();
}

void PassTracker::beginRun(const Run &newRun, RunMeter &newMeter,
                           bool newVerifies) {
  std::lock_guard<std::mutex> lock(mutex);
  run = &newRun;
  verifies = newVerifies;
  meter = newMeter.isActive() ? &newMeter : nullptr;
}

void PassTracker::endRun() {
  std::lock_guard<std::mutex> lock(mutex);
  run = nullptr;
  meter = nullptr;
  setUpBegin.reset();
}

void PassTracker::abandonRun() {
  endRun();
  foreignPasses.clear();
}

void PassTracker::runBeforePipeline(std::optional<OperationName>,
                                    const PipelineParentInfo &parent) {
  mlir::Pass *pass = parent.parentPass;
  // Such a pass starts the pipelines of its plan.
  if (isa<PlanRunnerPass>(getWrappedPass(*pass)))
    return endSetUp();
  std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
  if (isShared)
    lock.lock();
  // A thread that waits in one pass can take up the work of any other pass. So
  // ask by the pass first, and then by the frames of the thread.
  PassStep step;
  bool isForeign = true;
  if (auto it = foreignPasses.find(pass); it != foreignPasses.end()) {
    step = it->second;
  } else if (auto it = passes.find(pass); run && it != passes.end()) {
    // An adaptor in `passes` is a copy, and so are the passes that it runs;
    // their originals can be gone.
    step = {run, it->second.entry};
  } else {
    isForeign = !isAdaptor(*pass);
    if (RunFrame *around = getOwnFrame();
        !isForeign && !(around && around->isForeign()))
      return;
    step = getInnermostStep();
  }
  RunFrame &frame = pushPipelineFrame(step, this, isForeign);
  if (meter && step.run == run)
    meter->beginNested(frame);
}

void PassTracker::endPipeline() {
  RunFrame *frame = getOwnFrame();
  if (!frame || isa<PassFrame>(frame))
    return;
  if (frame->meter)
    frame->meter->endNested(*frame);
  popFrame(*frame);
}

void PassTracker::runAfterPipeline(std::optional<OperationName>,
                                   const PipelineParentInfo &) {
  endPipeline();
}

/// The plan's entry that a pass stands for.
inline std::optional<PassTracker::Tracked>
PassTracker::find(const mlir::Pass *pass) const {
  if (!run)
    return std::nullopt;
  auto it = passes.find(getOriginal(pass));
  if (it == passes.end())
    return std::nullopt;
  return it->second;
}

std::optional<PassTracker::Tracked>
PassTracker::findLocked(const mlir::Pass *pass) {
  std::lock_guard<std::mutex> lock(mutex);
  return find(pass);
}

void PassTracker::runBeforePass(mlir::Pass *pass, Operation *op) {
  // Do not look up a pass in a pipeline outside the plan: its original can be
  // gone.
  if (RunFrame *innermost = getInnermostFrame();
      innermost && innermost->isForeign()) {
    if (RunFrame *around = getOwnFrame(); around && around->isForeign())
      addForeignPass(pass, around->step);
    return;
  }
  std::optional<Tracked> tracked = isShared ? findLocked(pass) : find(pass);
  if (tracked)
    pushPass(pass, op, *tracked);
}

void PassTracker::addForeignPass(const mlir::Pass *pass, PassStep step) {
  foreignPasses[pass] = step;
}

/// Whether a verifying MLIR has verified the op after `pass`. It does not if
/// the pass preserves all analyses, and for an adaptor it does not verify the
/// ops inside.
LLVM_ATTRIBUTE_NOINLINE static bool isVerified(mlir::Pass &pass) {
  return !isAdaptor(pass) &&
         !PassAccess::getState(pass).preservedAnalyses.isAll();
}

void PassTracker::endPass(mlir::Pass *pass, bool hasFailed) {
  if (!foreignPasses.empty())
    foreignPasses.erase(pass);
  auto *frame = llvm::dyn_cast_if_present<PassFrame>(getOwnFrame());
  if (!frame || frame->pass != pass)
    return;
  if (frame->isMeasured)
    meter->end(*frame, hasFailed, !hasFailed && verifies && isVerified(*pass));
  popPassFrame(*frame);
}

void PassTracker::runAfterPass(mlir::Pass *pass, Operation *) {
  endPass(pass, /*hasFailed=*/false);
}

void PassTracker::runAfterPassFailed(mlir::Pass *pass, Operation *) {
  endPass(pass, /*hasFailed=*/true);
  // MLIR does not call runAfterPipeline after a failure.
  endPipeline();
}

//===----------------------------------------------------------------------===//
// BareTracker
//===----------------------------------------------------------------------===//

void BareTracker::begin(const Run &newRun) {
  context = getNoContext();
  ownMeter = RunMeter(newRun);
  beginRun(newRun, ownMeter);
}

LogicalResult BareTracker::finish(bool hasFailed) {
  guard.reset();
  if (!run)
    return success();
  const Run &ended = *run;
  endRun();
  LogicalResult result = success();
  // Passes that ran merged have no common time but their sum.
  if (ownMeter.isRecording() && ownMeter.hasRun())
    result = callEndRun(ended, ownMeter.takeRecord(ended, hasFailed),
                        /*isFilled=*/true, {});
  ownMeter = RunMeter();
  own.reset();
  return result;
}

void BareTracker::beginOwn(Operation *root) {
  own.emplace(Run{root, plan, context, getInnermostStep()});
  guard = CrashGuard([this] {
    guard.forget();
    (void)finish(/*hasFailed=*/true);
    abandonRun();
  });
  ownMeter = RunMeter(*own);
  beginRun(*own, ownMeter);
}

void BareTracker::runBeforePass(mlir::Pass *pass, Operation *op) {
  if (!run)
    beginOwn(op);
  PassTracker::runBeforePass(pass, op);
}

void BareTracker::runAfterPass(mlir::Pass *pass, Operation *op) {
  if (!own)
    return PassTracker::runAfterPass(pass, op);
  PassTracker::runAfterPass(pass, op);
  if (pass == &*std::prev(pm.end()))
    (void)finish(/*hasFailed=*/false);
}

void BareTracker::runAfterPassFailed(mlir::Pass *pass, Operation *op) {
  PassTracker::runAfterPassFailed(pass, op);
  if (own && op == own->module && !getOwnFrame())
    (void)finish(/*hasFailed=*/true);
}

} // namespace partita::transform
