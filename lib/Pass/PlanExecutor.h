//===- PlanExecutor.h - The pipelines of a plan -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PLANEXECUTOR_H
#define PARTITA_LIB_PASS_PLANEXECUTOR_H

#include "PassTracker.h"
#include "PlanLowering.h"

#include "mlir/Pass/PassManager.h"

namespace partita::transform {

/// A pipeline of MLIR that runs entries of a plan, and the entry that each of
/// its passes stands for.
struct PlanSegment {
  std::unique_ptr<mlir::OpPassManager> pipeline;
  std::vector<std::pair<const mlir::Pass *, PassTracker::Tracked>> passes;
};

/// An entry of a plan that runs by itself.
struct PlanStep {
  PlanSegment segment;
  /// The anchors below the root of the ops that it runs on.
  llvm::SmallVector<std::string> path;
  /// How deep ops can be to keep analyses after it, once it was asked for.
  std::optional<size_t> keptDepth;
  /// By those, what stands in each `any(...)`; null for others.
  llvm::SmallVector<PipelineNester::AnyMembers> members;
  /// Whether it shares an `any(...)`, and so runs where the others can, too.
  bool sharesAny = false;
  /// Its pass on one of those, if it has been asked for.
  std::unique_ptr<mlir::OpPassManager> single;
};

/// Makes the pipelines that run a plan, merged or pass by pass, and keeps them
/// for the next run. One run at a time.
class PlanExecutor {
public:
  PlanExecutor(std::shared_ptr<const Plan> plan, llvm::StringRef rootName)
      : plan(std::move(plan)), rootName(rootName) {}

  /// Makes the pipeline of everything that can run. Must succeed before the
  /// functions below are called.
  llvm::Error prepare();

  void getDependentDialects(mlir::DialectRegistry &registry) const {
    merged.pipeline->getDependentDialects(registry);
  }

  /// The textual pipeline of what can run, without the root's anchor.
  llvm::StringRef getPipelineText();

  const std::shared_ptr<const Plan> &getPlan() const { return plan; }
  llvm::StringRef getRootName() const { return rootName; }

  /// The tracker that sees the passes, if there is one. Whoever owns the pass
  /// manager owns it.
  void setTracker(PassTracker *newTracker);
  PassTracker *getTracker() const { return tracker; }

  /// Whether the pass manager is known to verify; MLIR does not tell.
  bool verifies = false;
  /// Gets, in each run, the entries that a should_run was against.
  std::vector<size_t> *vetoed = nullptr;

  /// The pipeline of the entries in [begin, end); that of one entry; and of the
  /// same on one op, after getStep.
  llvm::Expected<PlanSegment *> getSegment(size_t begin, size_t end);
  llvm::Expected<PlanStep *> getStep(size_t index);
  llvm::Expected<mlir::OpPassManager *> getSingle(size_t index);

private:
  llvm::Expected<PlanSegment> lower(size_t begin, size_t end, bool runs);

  std::shared_ptr<const Plan> plan;
  std::string rootName;
  std::string pipelineText;
  PlanSegment merged;
  /// Whether passes of a pass manager that was taken over are still to be put
  /// into it.
  bool hasTaken = false;
  /// By entry, for those in an `any(...)`: what stands in each, in `merged`.
  llvm::DenseMap<size_t, llvm::SmallVector<PipelineNester::AnyMembers>> members;
  llvm::DenseMap<std::pair<size_t, size_t>, PlanSegment> segments;
  /// By entry; made when they are first run.
  std::vector<PlanStep> steps;
  PassTracker *tracker = nullptr;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PLANEXECUTOR_H
