//===- PlanRun.h - One run of a plan ----------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PLANRUN_H
#define PARTITA_LIB_PASS_PLANRUN_H

#include "AnalysisKeeper.h"
#include "PlanExecutor.h"

#include "mlir/Support/Timing.h"

namespace partita::transform {

/// How a plan is run under a context. Decided here alone.
struct Execution {
  static Execution choose(const Plan &plan, const PassContext &context,
                          bool maySkipFunctions);

  /// Whether a pass runs the plan: somebody looks at the module between passes
  /// or at the ends of the run, or may begin to. If not, MLIR runs the plan's
  /// passes as always.
  bool needsPlanPass;
  /// Whether a PassTracker is to see the passes.
  bool needsTracker;

  bool operator==(const Execution &other) const {
    return needsPlanPass == other.needsPlanPass &&
           needsTracker == other.needsTracker;
  }
};

/// Whether `module` holds a function that passes must leave alone.
bool hasSkippedFunction(mlir::Operation *module);

/// One run of an executor's plan on a module, from inside a pass. Passes run
/// merged as long as nobody looks at the module between them, else one by one
/// with the callbacks around each.
class PlanRun {
public:
  /// Runs a pipeline on an op: of a step, if one is given, so that analyses
  /// outlive it.
  using PipelineRunner = llvm::function_ref<mlir::LogicalResult(
      mlir::OpPassManager &, mlir::Operation *, const AnalysisKeeper::Step *)>;

  /// Times Sequentials and steps in `timing`, if it is one.
  PlanRun(PlanExecutor &executor, const Run &run, PipelineRunner runPipeline,
          mlir::TimingScope *timing = nullptr);
  ~PlanRun();
  PlanRun(const PlanRun &) = delete;

  mlir::LogicalResult execute();

private:
  mlir::LogicalResult runEntries();
  mlir::LogicalResult closeSequentials(size_t index);
  size_t findSegmentEnd(size_t begin) const;
  mlir::LogicalResult runMerged(size_t begin, size_t end);
  mlir::LogicalResult runStep(size_t index);
  mlir::LogicalResult runSegment(size_t begin, size_t end);
  mlir::LogicalResult runPassOfStep(size_t index);
  llvm::Expected<size_t> getKeptDepth(size_t index, PlanStep &step);
  mlir::LogicalResult endAdaptors(llvm::ArrayRef<std::string> next);
  mlir::LogicalResult emitError(llvm::Error error);

  mlir::FailureOr<bool> callBefore(size_t index);
  mlir::LogicalResult callAfter(size_t index);
  mlir::LogicalResult beginInstruments();
  mlir::TimingScope startTimer(const Plan::Entry &entry);
  bool skipsFunctions() const;
  bool isStepwise();
  bool isObserved();

  PlanExecutor &executor;
  const Run &run;
  llvm::ArrayRef<Plan::Entry> entries;
  PipelineRunner runPipeline;
  mlir::TimingScope *timing;
  RunMeter meter;
  PassInstruments begun;
  std::optional<uint64_t> begunVersion, observedVersion;
  bool observed = false;
  /// Whether a function is to be left alone: looked up at the start, and after
  /// the host's callbacks.
  bool skipping;
  /// The last step, if passes in its adaptors were to follow.
  const PlanStep *openStep = nullptr;
  /// The Sequentials that are being run, and their timers.
  llvm::SmallVector<size_t> open;
  std::vector<mlir::TimingScope> openTimers;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PLANRUN_H
