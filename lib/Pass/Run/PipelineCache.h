//===- PipelineCache.h - Pass managers that a context keeps ---*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUN_PIPELINECACHE_H
#define PARTITA_LIB_PASS_RUN_PIPELINECACHE_H

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
  /// Receives failed passes from the pass manager's instrumentation, if it has
  /// one for this.
  std::shared_ptr<FailedPassRecorder> failedPasses;

  /// Hands the run to the pass or the tracker. `end` lets go of the run.
  void begin(const Run &run);
  mlir::LogicalResult end(bool hasFailed);
};

/// The runs in an MLIRContext. Dialects are loaded only while there are none:
/// MLIR reads the loaded dialects without a lock.
class RunGate {
public:
  /// Begins and ends a run.
  void enter(const Run &run);
  void leave(const Run &run);

  /// The run, on any thread, whose module contains `op`; or null.
  const Run *findRun(mlir::Operation *op);

  /// Calls `load` when nothing runs, and keeps runs from beginning meanwhile.
  /// Runs do not wait for a thread that still waits here. Otherwise, a run
  /// whose thread starts another run could wait for its own end.
  void load(llvm::function_ref<void()> load);

  /// Called around a fork. At that time no other thread is in here. Runs on
  /// threads that the child lacks are dropped there.
  void beforeFork() { mutex.lock(); }
  void afterFork(bool isChild);

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isLoading = false;
  /// The runs, with their threads.
  llvm::SmallVector<std::pair<const Run *, std::thread::id>> runs;
};

/// An MLIRContext's data for its runs. Pass managers are kept, because most of
/// the cost of a pipeline is the initialization of its passes (canonicalize
/// collects every pattern). One thread at a time uses each. The data is an
/// interface of the builtin dialect, because an MLIRContext owns and destroys
/// it with the dialect. A dialect of its own would slow down each greedy
/// rewrite, which sorts the loaded dialects.
class PipelineCache : public mlir::DialectInterface::Base<PipelineCache> {
public:
  explicit PipelineCache(mlir::Dialect *builtin)
      : Base(builtin), context(builtin->getContext()) {}
  ~PipelineCache() override;

  /// The cache of `context`; null if it has none and `mayLoad` forbids to add
  /// one.
  static PipelineCache *get(mlir::MLIRContext *context, bool mayLoad);

  struct Key {
    Execution execution;
    bool recordsFailures;
    /// MLIR copies nested pipelines once, for each thread.
    unsigned numThreads;
    bool operator==(const Key &other) const {
      return execution == other.execution &&
             recordsFailures == other.recordsFailures &&
             numThreads == other.numThreads;
    }
  };

  /// Takes a pipeline out of the cache, or returns an empty one.
  CachedPipeline take(const Key &key);
  void put(Key key, CachedPipeline pipeline);

  RunGate &getGate() { return gate; }

  /// Whether the threads that the context would use exist in this process.
  bool hasThreads() const;

  void beforeFork();
  void afterFork(bool isChild);

private:
  static constexpr size_t capacity = 64;

  /// Kept here, because the dialect is destroyed first.
  mlir::MLIRContext *context;
  unsigned numForks = getForkCount();

  std::mutex mutex;
  /// The most recently used pipelines come first.
  std::list<std::pair<Key, CachedPipeline>> pipelines;
  RunGate gate;
};

} // namespace partita::transform

MLIR_DECLARE_EXPLICIT_TYPE_ID(partita::transform::PipelineCache)

#endif // PARTITA_LIB_PASS_RUN_PIPELINECACHE_H
