//===- Run.h - A run of a plan, and a pass of it ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_RUN_H
#define PARTITA_PASS_RUN_H

#include "partita/Pass/Plan.h"

namespace partita::transform {

struct Run;
class AnalysisKeeper;

/// A pass of a run: what an instrument's callback is about.
struct PassStep {
  const Run *run = nullptr;
  /// The index in the plan's entries.
  size_t entry = 0;
  /// Where MLIR has merged passes of a pass manager that somebody else built,
  /// and instruments get their callbacks together: those entries. What is seen
  /// of the module is then of them all.
  size_t mergedBegin = 0, mergedEnd = 0;

  inline const Plan::Entry &getEntry() const;
  inline mlir::Operation *module() const;
  const PassInfo &info() const { return getEntry().pass.info(); }
  /// The number that the plan prints; 0 for a Sequential.
  unsigned number() const { return getEntry().number; }
  bool isSequential() const { return getEntry().pass.isSequential(); }
};

/// A run of a plan on a module. It stays where it is until instruments were
/// told of its end, so that they can keep what they know of it by its address.
struct Run {
  mlir::Operation *module;
  std::shared_ptr<const Plan> plan;
  PassContext context;
  /// The pass that started the run; of no run for the outermost.
  PassStep outer = {};
  /// What keeps analyses between the run's steps, if something does.
  mutable AnalysisKeeper *keeper = nullptr;
};

const Plan::Entry &PassStep::getEntry() const {
  return run->plan->entries()[entry];
}

mlir::Operation *PassStep::module() const { return run->module; }

} // namespace partita::transform

namespace partita::instrument {

/// A pass on one operation. Where passes run merged, a thread is in one
/// function after the other with all of them, and no Sequential has a span.
struct PassSpan {
  transform::PassStep step;
  /// What the pass runs on; not to be changed, and not to be kept after the
  /// call.
  mlir::Operation *op;
  /// The thread, as llvm::get_threadid.
  uint64_t thread;
  Clock::time_point begin;
  /// The following are of spans that have ended.
  Clock::time_point end;
  bool hasFailed = false;
  /// Whether MLIR is known to have verified `op`, with all in it, after the
  /// pass. It does not if the pass says that it changed nothing.
  bool isVerified = false;
};

} // namespace partita::instrument

#endif // PARTITA_PASS_RUN_H
