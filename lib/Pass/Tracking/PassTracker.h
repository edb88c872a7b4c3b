//===- PassTracker.h - Tracks each thread's pass ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_TRACKING_PASSTRACKER_H
#define PARTITA_LIB_PASS_TRACKING_PASSTRACKER_H

#include "RunMeter.h"

#include "mlir/IR/Operation.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/DenseMap.h"
#include <mutex>

namespace mlir {
class PassManager;
} // namespace mlir

namespace partita::transform {

/// A context that stands for none. Objects that are kept between runs hold it,
/// so that instruments do not outlive their contexts.
const PassContext &getNoContext();

/// Sees the passes of merged pipelines through MLIR's instrumentation. It
/// measures them for instruments, and makes the run's context current on worker
/// threads for passes that read it. MLIR calls it under a lock.
///
/// Each Sequential in a pass manager has its own tracker. If Sequentials run
/// side by side, MLIR calls each tracker on the threads of all of them, while
/// the other trackers learn their passes and runs.
///
/// Threads run copies of passes, which MLIR links to the originals. Pipelines
/// that a pass starts itself do not belong to the plan, nor do their passes:
/// the inliner, for example, runs copies whose originals are gone.
class PassTracker : public mlir::PassInstrumentation {
public:
  /// Refers to a tracker as long as the tracker lives.
  using Slot = std::shared_ptr<PassTracker *>;

  /// `isShared` says whether its passes and its run can change while MLIR calls
  /// it. Then it locks, which costs more than the work under the lock.
  explicit PassTracker(bool isShared = true) : isShared(isShared) {}
  ~PassTracker() override {
    if (slot)
      *slot = nullptr;
  }
  Slot getSlot() {
    if (!slot)
      slot = std::make_shared<PassTracker *>(this);
    return slot;
  }

  /// The plan's entry that an mlir::Pass stands for.
  struct Tracked {
    size_t entry;
    bool readsPassContext;
  };

  void addPass(const mlir::Pass *pass, Tracked tracked);
  void clearPasses();

  /// Sets the run that the following passes belong to. The run and the meter,
  /// which may be inactive, live until endRun. `verifies` says whether the pass
  /// manager is known to verify after passes.
  void beginRun(const Run &newRun, RunMeter &newMeter, bool verifies = false);
  void endRun();
  /// endRun, after a crash: no pass runs any more.
  void abandonRun();

  /// Until the next pipeline of the run begins, its passes are made and
  /// initialized. The time counts as set-up of the run.
  void beginSetUp() {
    assert(run && "expected a run");
    endSetUp();
    setUpBegin = instrument::Clock::now();
  }

  void runBeforePipeline(std::optional<mlir::OperationName> name,
                         const PipelineParentInfo &parent) override;
  void runAfterPipeline(std::optional<mlir::OperationName> name,
                        const PipelineParentInfo &parent) override;
  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

protected:
  /// The innermost frame of this thread, if this tracker has pushed it. Several
  /// trackers can push a frame for one pipeline.
  RunFrame *getOwnFrame() const {
    RunFrame *frame = getInnermostFrame();
    while (frame && frame->isForeign() && frame->tracker != this)
      frame = frame->outer;
    return frame && frame->tracker == this ? frame : nullptr;
  }
  /// Pushes the frame of a pass that starts, and measures the pass.
  PassFrame &pushPass(mlir::Pass *pass, mlir::Operation *op, Tracked tracked,
                      bool isMeasured = true) {
    PassFrame &frame = pushPassFrame({run, tracked.entry}, this, pass);
    if (tracked.readsPassContext)
      frame.scope.emplace(run->context, op->getContext());
    if (meter && isMeasured)
      meter->begin(frame, op);
    return frame;
  }

  const Run *run = nullptr;
  /// Null if no instrument measures.
  RunMeter *meter = nullptr;

private:
  std::optional<Tracked> find(const mlir::Pass *pass) const;
  std::optional<Tracked> findLocked(const mlir::Pass *pass);
  void addForeignPass(const mlir::Pass *pass, PassStep step);
  void endPass(mlir::Pass *pass, bool hasFailed);
  void endPipeline();
  void endSetUp() {
    if (!setUpBegin)
      return;
    run->setUp.time += instrument::Clock::now() - *setUpBegin;
    setUpBegin.reset();
  }

  std::optional<instrument::Clock::time_point> setUpBegin;
  Slot slot;
  /// Guards the state that changes outside MLIR's calls: the run with its
  /// meter, and the passes.
  std::mutex mutex;
  const bool isShared;
  bool verifies = false;
  llvm::DenseMap<const mlir::Pass *, Tracked> passes;
  /// The running passes of pipelines outside the plan, each with the pass that
  /// started its pipeline. That pass can belong to another run.
  llvm::DenseMap<const mlir::Pass *, PassStep> foreignPasses;
};

/// Tracks a pass manager that holds the passes of a plan themselves. Unless
/// `begin` is called, its run begins with the first pass, and ends with the
/// last or with one that fails.
class BareTracker : public PassTracker {
public:
  BareTracker(mlir::PassManager &pm, std::shared_ptr<const Plan> plan,
              const PassContext &context)
      : PassTracker(/*isShared=*/false), pm(pm), plan(std::move(plan)),
        context(context) {}
  ~BareTracker() override { (void)finish(/*hasFailed=*/true); }

  /// Begins a run, for a caller that knows when runs begin. The tracker then
  /// lets go of the context that it was made with.
  void begin(const Run &newRun);
  mlir::LogicalResult finish(bool hasFailed);

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

private:
  void beginOwn(mlir::Operation *root);

  mlir::PassManager &pm;
  std::shared_ptr<const Plan> plan;
  PassContext context;
  /// The run, if the tracker has begun it itself.
  std::optional<Run> own;
  RunMeter ownMeter;
  CrashGuard guard;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_TRACKING_PASSTRACKER_H
