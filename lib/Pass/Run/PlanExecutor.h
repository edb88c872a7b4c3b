//===- PlanExecutor.h - The pipelines of a plan -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUN_PLANEXECUTOR_H
#define PARTITA_LIB_PASS_RUN_PLANEXECUTOR_H

#include "../Plan/PlanLowering.h"
#include "../Saving/PassCache.h"
#include "../Tracking/PassTracker.h"
#include "Execution.h"

#include "mlir/Pass/PassManager.h"

namespace partita::transform {

/// An MLIR pipeline that runs entries of a plan, and the entry for each of its
/// passes.
struct PlanSegment {
  std::unique_ptr<mlir::OpPassManager> pipeline;
  std::vector<std::pair<const mlir::Pass *, PassTracker::Tracked>> passes;
};

/// An entry of a plan that runs by itself.
struct PlanStep {
  PlanSegment segment;
  /// The anchors below the root, down to the ops that it runs on.
  llvm::SmallVector<std::string> path;
  /// The greatest depth at which ops keep analyses after it; set on first use.
  std::optional<size_t> keptDepth;
  /// For each anchor, the passes in its `any(...)`; null for other anchors.
  llvm::SmallVector<PipelineNester::AnyMembers> members;
  /// Whether it shares an `any(...)`: then it runs only where the others can.
  bool sharesAny = false;
  /// Its pass on a single op; set on first use.
  std::unique_ptr<mlir::OpPassManager> single;
};

/// Makes the pipelines that run a plan, merged or pass by pass, and keeps them
/// for the next run. It serves one run at a time.
class PlanExecutor {
public:
  explicit PlanExecutor(const Execution &execution);

  /// Makes the pipeline of all passes that can run. Must succeed before the
  /// functions below are called.
  llvm::Error prepare();

  void getDependentDialects(mlir::DialectRegistry &registry) const {
    merged.pipeline->getDependentDialects(registry);
  }

  /// The textual pipeline of all passes that can run, without the root's
  /// anchor.
  llvm::StringRef getPipelineText();

  /// Fails where MLIR refuses to run the passes that can run on their ops.
  mlir::LogicalResult checkAnchors(mlir::MLIRContext *context) const;

  const Execution &getExecution() const { return execution; }

  /// Says whether the pass manager of the next run verifies.
  void setVerifies(bool verifies) {
    execution.verifies = verifies;
    if (savings.facts)
      savings.facts->verifies = verifies;
    if (cache)
      cache->setVerifies(verifies);
  }

  bool savesWork() const { return savings.options.isOn(); }
  /// Begins a run, which knows nothing about ops.
  void beginRun(mlir::MLIRContext *context) {
    savings.context = context;
    if (savings.facts)
      savings.facts->clear();
  }
  /// Code that is no pass may have changed the module.
  void noteChange() const {
    if (savings.facts)
      savings.facts->hashes.clear();
  }

  /// The cache of results; null if the context has none.
  PassCache *getCache() const { return cache.get(); }
  /// The text for the keys of the plan's results; nothing if they may not be
  /// kept, or are kept function by function.
  std::optional<std::string> describeForCache(const PassContext &context);

  /// Sets the tracker that sees the passes, or null. The owner of the pass
  /// manager owns it.
  void setTracker(PassTracker *newTracker);
  PassTracker *getTracker() const { return tracker; }

  /// Receives, in each run, the entries that a should_run vetoed.
  std::vector<size_t> *vetoed = nullptr;

  /// The pipeline of the entries in [begin, end); the pipeline of one entry;
  /// and, after getStep, the pipeline of one entry on a single op.
  llvm::Expected<PlanSegment *> getSegment(size_t begin, size_t end);
  llvm::Expected<PlanStep *> getStep(size_t index);
  llvm::Expected<mlir::OpPassManager *> getSingle(size_t index);

private:
  /// For each pass of a root's pipeline, the text for the keys of its results;
  /// nothing if it looks at more than one function, or its results may not be
  /// kept.
  using CacheTexts = std::vector<std::optional<std::string>>;
  llvm::Expected<PlanSegment> lower(size_t begin, size_t end, bool runs,
                                    CacheTexts *texts = nullptr);
  llvm::Expected<PlanSegment> lowerMerged(size_t begin, size_t end);
  void addCache(PlanSegment &segment, const CacheTexts &texts);

  Execution execution;
  std::string pipelineText;
  PlanSegment merged;
  /// Whether the passes in `merged` are copies, which are not to run.
  bool hasCopies = false;
  /// How work is saved.
  Savings savings;
  std::shared_ptr<PassCache> cache;
  /// Whether all passes in `merged` look at one function at a time.
  bool isByFunction = false;
  /// For entries in an `any(...)`, the passes in each `any(...)` of `merged`.
  llvm::DenseMap<size_t, llvm::SmallVector<PipelineNester::AnyMembers>> members;
  llvm::DenseMap<std::pair<size_t, size_t>, PlanSegment> segments;
  /// Indexed by entry; made on first use.
  std::vector<PlanStep> steps;
  PassTracker *tracker = nullptr;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUN_PLANEXECUTOR_H
