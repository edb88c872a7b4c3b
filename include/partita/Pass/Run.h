//===- Run.h - A run of a plan, and a pass of it ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_RUN_H
#define PARTITA_PASS_RUN_H

#include "partita/Pass/Plan.h"

#include <atomic>

namespace partita::transform {

struct Run;
class AnalysisKeeper;

/// A pass of a run, which instruments get in their callbacks.
struct PassStep {
  const Run *run = nullptr;
  /// The index in the plan's entries.
  size_t entry = 0;
  /// The range of entries that MLIR has merged in an attached pass manager,
  /// whose callbacks come together. The module then shows the effects of all of
  /// them.
  size_t mergedBegin = 0, mergedEnd = 0;

  inline const Plan::Entry &getEntry() const;
  inline mlir::Operation *module() const;
  const PassInfo &info() const { return getEntry().pass.info(); }
  /// The number that the plan prints; 0 for a Sequential.
  unsigned number() const { return getEntry().number; }
  bool isSequential() const { return getEntry().pass.isSequential(); }
};

/// The clock of the records of a run and of the runs inside it. It stands still
/// while an instrument does work of its own (RunPause).
class RunClock {
public:
  using Clock = instrument::Clock;

  RunClock() = default;
  RunClock(const RunClock &other) : paused(other.paused.load()) {}

  /// What the clock shows now, when the steady clock shows `time`.
  Clock::time_point at(Clock::time_point time) const {
    return time - Clock::duration(paused.load(std::memory_order_relaxed));
  }
  Clock::time_point now() const { return at(Clock::now()); }
  void pause(Clock::duration time) { paused += time.count(); }

private:
  std::atomic<Clock::rep> paused{0};
};

/// A run of a plan on a module. Its address is stable until its last callback,
/// so that instruments can use it as a key.
struct Run {
  mlir::Operation *module;
  std::shared_ptr<const Plan> plan;
  PassContext context;
  /// The pass that started the run; the outermost run has none.
  PassStep outer = {};
  /// Keeps analyses between the run's steps; null if nothing does.
  mutable AnalysisKeeper *keeper = nullptr;
  /// What it took before the passes could run.
  mutable instrument::PipelineSetUp setUp = {};
  /// The clock of an outermost run.
  mutable RunClock ownClock = {};

  /// The clock of this run and the runs around it.
  RunClock &getClock() const {
    return outer.run ? outer.run->getClock() : ownClock;
  }
};

/// Leaves the time of a scope out of a run's records, and out of the records of
/// the runs around it: an instrument that works long at a callback does not
/// count as time of the passes.
class RunPause {
public:
  explicit RunPause(const Run &run, instrument::Clock::time_point begin =
                                        instrument::Clock::now())
      : clock(run.getClock()), begin(begin) {}
  ~RunPause() { clock.pause(instrument::Clock::now() - begin); }
  RunPause(const RunPause &) = delete;
  RunPause &operator=(const RunPause &) = delete;

private:
  RunClock &clock;
  instrument::Clock::time_point begin;
};

const Plan::Entry &PassStep::getEntry() const {
  return run->plan->entries()[entry];
}

mlir::Operation *PassStep::module() const { return run->module; }

} // namespace partita::transform

namespace partita::instrument {

/// A pass on one operation. Where passes run merged, a thread runs all of them
/// on one function before the next, and Sequentials have no spans.
struct PassSpan {
  transform::PassStep step;
  /// The operation; do not change it, and do not keep it after the call.
  mlir::Operation *op;
  /// The thread, as llvm::get_threadid.
  uint64_t thread;
  Clock::time_point begin;
  /// The following fields are set when the span has ended.
  Clock::time_point end;
  bool hasFailed = false;
  /// Whether MLIR is known to have verified `op`, with everything in it, after
  /// the pass. MLIR does not verify if the pass says that it changed nothing.
  bool isVerified = false;
  /// Whether the pass did not run on `op` (see `partita.skip_unchanged`).
  bool isSkipped = false;
};

} // namespace partita::instrument

#endif // PARTITA_PASS_RUN_H
