//===- PipelineCache.h - Pipelines that a context has used ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PIPELINECACHE_H
#define PARTITA_LIB_PASS_PIPELINECACHE_H

#include "PlanPass.h"
#include "partita/Support/ThreadPool.h"

#include "mlir/IR/DialectInterface.h"

#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

namespace partita::transform {

class FailedPassRecorder;

/// A pass manager that runs a plan, ready to be run again.
struct CachedPipeline {
  std::unique_ptr<mlir::PassManager> pm;
  AddedPlan plan;
  /// What the pass manager's instrumentation writes to, if it has one for this.
  std::shared_ptr<FailedPassRecorder> failedPasses;

  /// Hands the run to what runs and tracks it; `end` lets go of the run.
  void begin(const Run &run);
  mlir::LogicalResult end(bool hasFailed);
};

/// The runs in an MLIRContext. Dialects are loaded only while there are none:
/// MLIR reads what it has loaded without a lock.
class RunGate {
public:
  /// Begins and ends a run.
  void enter(const Run &run);
  void leave(const Run &run);

  /// The run whose module `op` is inside of, on whatever thread; or null.
  const Run *findRun(mlir::Operation *op);

  /// Calls `load` when nothing runs, and keeps runs from beginning. Runs that
  /// begin do not wait for one that waits here, lest a run that another started
  /// on its thread waits for its own end.
  void load(llvm::function_ref<void()> load);

  /// Around a fork: no other thread is in here then, and those that the child
  /// lacks have no runs in it.
  void beforeFork() { mutex.lock(); }
  void afterFork(bool isChild);

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isLoading = false;
  /// The runs, with their threads.
  llvm::SmallVector<std::pair<const Run *, std::thread::id>> runs;
};

/// What an MLIRContext keeps for runs in it. Initializing passes is most of the
/// cost of a pipeline (canonicalize collects every pattern), so pass managers
/// are kept; each is used by one thread at a time. It is an interface of the
/// builtin dialect, because MLIRContexts own and destroy these; a dialect would
/// cost each greedy rewrite, which sorts those that are loaded.
class PipelineCache : public mlir::DialectInterface::Base<PipelineCache> {
public:
  explicit PipelineCache(mlir::Dialect *builtin)
      : Base(builtin), context(builtin->getContext()) {}
  ~PipelineCache() override;

  /// The cache of `context`. Null, if it does not have one and
  /// `mayLoad` says that it can't be given one.
  static PipelineCache *get(mlir::MLIRContext *context, bool mayLoad);

  struct Key {
    uint64_t planId;
    std::string rootName;
    bool verify;
    Execution execution;
    bool recordsFailures;
    /// MLIR makes a copy of nested pipelines for each thread, once.
    unsigned numThreads;
    bool operator==(const Key &other) const {
      return planId == other.planId && rootName == other.rootName &&
             verify == other.verify && execution == other.execution &&
             recordsFailures == other.recordsFailures &&
             numThreads == other.numThreads;
    }
  };

  /// Takes a pipeline out, or returns an empty one.
  CachedPipeline take(const Key &key);
  void put(Key key, CachedPipeline pipeline);

  RunGate &getGate() { return gate; }

  /// Whether the threads that the context would use exist in this process.
  bool hasThreads() const;

  void beforeFork();
  void afterFork(bool isChild);

private:
  static constexpr size_t capacity = 64;

  /// Kept, as the dialect ends first.
  mlir::MLIRContext *context;
  unsigned numForks = getForkCount();

  std::mutex mutex;
  /// The pipelines used last come first.
  std::list<std::pair<Key, CachedPipeline>> pipelines;
  RunGate gate;
};

} // namespace partita::transform

MLIR_DECLARE_EXPLICIT_TYPE_ID(partita::transform::PipelineCache)

#endif // PARTITA_LIB_PASS_PIPELINECACHE_H
