//===- AnalysisKeeper.h - Analyses between pipelines ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_ANALYSISKEEPER_H
#define PARTITA_LIB_PASS_ANALYSISKEEPER_H

#include "PassTracker.h"

#include "mlir/Pass/PassManager.h"

#include <atomic>
#include <limits>

namespace partita::transform {

/// Lets analyses outlive the pipelines that a pass runs on its op, step by
/// step, as long as they live in one pipeline of all these steps. MLIR clears
/// them when a pipeline ends, and invalidates the analyses of an op when its
/// adaptor has run nested passes; where MLIR merges the adaptors of several
/// steps, that is after the last of these.
///
/// MLIR has no hook for it. The keeper moves analyses out of MLIR's map after
/// a pass, before MLIR clears the map, and back before the next one. MLIR calls
/// it under a lock.
class AnalysisKeeper : public mlir::PassInstrumentation {
public:
  /// A place that holds a keeper as long as it lives.
  using Slot = std::shared_ptr<AnalysisKeeper *>;

  /// Step::kept where no adaptor ends with the step.
  static constexpr size_t noDepth = std::numeric_limits<size_t>::max();

  /// What a pipeline of one step runs.
  struct Step {
    /// The passes. MLIR's threads run copies of them.
    llvm::ArrayRef<std::pair<const mlir::Pass *, PassTracker::Tracked>> passes;
    /// How deep below the root the ops are on which they run.
    size_t depth = 0;
    /// How deep ops can be to keep analyses after the step. The adaptor on an
    /// op of this depth ends with it.
    size_t kept = 0;
  };

  explicit AnalysisKeeper(Slot slot);
  ~AnalysisKeeper() override { *slot = nullptr; }

  /// The analyses of `am`'s op and the ops in it.
  static mlir::detail::NestedAnalysisMap &getMap(mlir::AnalysisManager am);

  /// Begins a step of the pass whose op's analyses are `map`. `pipeline` is to
  /// be run next, on `op`. `own` is the instrumentation if it has nothing but
  /// the keeper, which needs no calls for pipelines.
  void begin(mlir::detail::NestedAnalysisMap &map,
             mlir::OpPassManager &pipeline, mlir::Operation *op,
             const Step &step, mlir::PassInstrumentor *own);
  /// Ends it, after the pipeline.
  void end();
  /// Drops all that was kept.
  void clear();

  /// A callback takes what is in the root, and gives it back later in
  /// `contents`, or gives the root other contents. Analyses are dropped unless
  /// it gives back what it took, unchanged.
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
  /// Set during a step; the keeper's pass manager can run other passes on other
  /// threads meanwhile.
  std::atomic<mlir::Operation *> root{nullptr};
  Map *rootMap = nullptr;
  Step step;
  /// The last pass of the pipeline, if it runs on the root.
  const mlir::Pass *last = nullptr;
  std::atomic<bool> hasAnalyses{false};
  std::optional<uint64_t> takenHash;
  std::optional<Kept> ofRoot;
  mlir::PassInstrumentor *own = nullptr;
  /// Stands for the root's map while an adaptor runs on the root. The ops in
  /// the root find the instrumentation through it. The adaptor itself does not,
  /// so that MLIR makes no calls for pipelines, each of them under its lock.
  std::optional<Map> standIn;
  /// Whether the ops in the root know it for their parent.
  bool isParent = false;
  llvm::DenseMap<Map *, Kept> kept;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_ANALYSISKEEPER_H
