//===- PlanRun.h - One run of a plan ----------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUN_PLANRUN_H
#define PARTITA_LIB_PASS_RUN_PLANRUN_H

#include "AnalysisKeeper.h"
#include "PlanExecutor.h"

#include "mlir/Support/Timing.h"

namespace partita::transform {

/// One run of an executor's plan on a module, from inside a pass. Passes run
/// merged as long as no instrument looks at the module between them, else one
/// by one with the callbacks around each.
class PlanRun {
public:
  /// Runs a pipeline on an op. With a step, analyses outlive the pipeline.
  using PipelineRunner = llvm::function_ref<mlir::LogicalResult(
      mlir::OpPassManager &, mlir::Operation *, const AnalysisKeeper::Step *)>;

  /// Times Sequentials and steps in `timing`, unless it is empty.
  PlanRun(PlanExecutor &executor, const Run &run, PipelineRunner runPipeline,
          mlir::TimingScope *timing = nullptr);
  ~PlanRun();
  PlanRun(const PlanRun &) = delete;

  mlir::LogicalResult execute();

private:
  mlir::LogicalResult runOrFind();
  mlir::LogicalResult runAndVerify();
  mlir::LogicalResult runEntries();
  mlir::LogicalResult verifyAtEnd();
  mlir::LogicalResult closeSequentials(size_t index);
  size_t findSegmentEnd(size_t begin) const;
  mlir::LogicalResult runMerged(size_t begin, size_t end);
  mlir::LogicalResult runStep(size_t index);
  void beginSetUp();
  mlir::LogicalResult runSegment(size_t begin, size_t end);
  mlir::LogicalResult runPassOfStep(size_t index);
  llvm::Expected<size_t> getKeptDepth(size_t index, PlanStep &step);
  mlir::LogicalResult endAdaptors(llvm::ArrayRef<std::string> next);
  mlir::LogicalResult emitError(llvm::Error error);

  mlir::FailureOr<bool> callBefore(size_t index);
  mlir::LogicalResult callAfter(size_t index);
  mlir::LogicalResult beginInstruments();
  mlir::TimingScope startTimer(const Plan::Entry &entry);
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
  /// Whether a function must be left alone. Found at the start, and again after
  /// the host's callbacks.
  bool skipping;
  /// The last step, if more passes were to run in its adaptors.
  const PlanStep *openStep = nullptr;
  /// The Sequentials that are being run, and their timers.
  llvm::SmallVector<size_t> open;
  std::vector<mlir::TimingScope> openTimers;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUN_PLANRUN_H
