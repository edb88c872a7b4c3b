//===- AnalysisKeeper.h - Analyses between pipelines ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUN_ANALYSISKEEPER_H
#define PARTITA_LIB_PASS_RUN_ANALYSISKEEPER_H

#include "../Tracking/PassTracker.h"

#include "mlir/Pass/PassManager.h"

#include <atomic>
#include <limits>

namespace partita::transform {

/// Lets analyses outlive the pipelines that a pass runs on its op step by step,
/// as if one pipeline ran all steps. MLIR clears analyses when a pipeline ends.
/// It invalidates the analyses of an op after the op's adaptor has run nested
/// passes. If MLIR merges the adaptors of several steps, that happens after the
/// last of these steps.
///
/// MLIR has no hook for it. The keeper moves analyses out of MLIR's map after a
/// pass, before MLIR clears the map, and back before the next pass. MLIR calls
/// it under a lock.
class AnalysisKeeper : public mlir::PassInstrumentation {
public:
  /// Refers to a keeper as long as the keeper lives.
  using Slot = std::shared_ptr<AnalysisKeeper *>;

  /// The value of Step::kept if no adaptor ends with the step.
  static constexpr size_t noDepth = std::numeric_limits<size_t>::max();

  /// The passes of a one-step pipeline, and their place.
  struct Step {
    /// The passes. MLIR's threads run copies of them.
    llvm::ArrayRef<std::pair<const mlir::Pass *, PassTracker::Tracked>> passes;
    /// The depth below the root of the ops that the passes run on.
    size_t depth = 0;
    /// The greatest depth at which ops keep analyses after the step. The
    /// adaptor on an op of this depth ends with the step.
    size_t kept = 0;
  };

  explicit AnalysisKeeper(Slot slot);
  ~AnalysisKeeper() override { *slot = nullptr; }

  /// Begins a step of the pass whose op has the analyses `map`. `pipeline` runs
  /// next, on `op`. `own` is the instrumentation if the keeper is its only
  /// part; then it needs no calls for pipelines.
  void begin(mlir::detail::NestedAnalysisMap &map,
             mlir::OpPassManager &pipeline, mlir::Operation *op,
             const Step &step, mlir::PassInstrumentor *own);
  /// Ends the step, after the pipeline.
  void end();
  /// Drops all kept analyses.
  void clear();
  /// clear, after a crash: the analyses of the root are gone.
  void abandon();

  /// A callback takes the contents of the root. It gives them back later in
  /// `contents`, or gives the root other contents. Analyses are dropped unless
  /// it gives back the same contents, unchanged.
  void noteTaken();
  void noteGivenBack(mlir::Operation *contents);

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterAnalysis(llvm::StringRef, mlir::TypeID,
                        mlir::Operation *) override;

private:
  using Map = mlir::detail::NestedAnalysisMap;
  struct Kept {
    mlir::detail::AnalysisMap analyses;
    decltype(Map::childAnalyses) children;
    size_t depth;
  };

  std::optional<size_t> getDepth(mlir::Operation *op) const;
  bool isOfStep(const mlir::Pass &pass) const;
  static Kept take(Map &map, size_t depth);
  static void putBack(Map &map, Kept &kept);
  void setParent(Map *parent);

  Slot slot;
  mlir::TypeID adaptorID;
  /// Set during a step. Meanwhile the keeper's pass manager can run other
  /// passes on other threads.
  std::atomic<mlir::Operation *> root{nullptr};
  Map *rootMap = nullptr;
  Step step;
  /// The last pass of the pipeline, if it runs on the root.
  const mlir::Pass *last = nullptr;
  std::atomic<bool> hasAnalyses{false};
  std::optional<uint64_t> takenHash;
  std::optional<Kept> ofRoot;
  mlir::PassInstrumentor *own = nullptr;
  /// Replaces the root's map while an adaptor runs on the root. The root's ops
  /// find the instrumentation through it. The adaptor does not find it there,
  /// so that MLIR makes no calls for pipelines, each under its lock.
  std::optional<Map> standIn;
  /// Whether `standIn` is the parent of the maps of the root's ops.
  bool isParent = false;
  llvm::DenseMap<Map *, Kept> kept;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUN_ANALYSISKEEPER_H
