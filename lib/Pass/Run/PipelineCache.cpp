//===- PipelineCache.cpp - Pass managers that a context keeps -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineCache.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Config/llvm-config.h"

#ifdef LLVM_ON_UNIX
#include <pthread.h>
#endif

using namespace mlir;
MLIR_DEFINE_EXPLICIT_TYPE_ID(partita::transform::PipelineCache)

namespace partita::transform {

//===----------------------------------------------------------------------===//
// RunGate
//===----------------------------------------------------------------------===//

void RunGate::enter(const Run &run) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return !isLoading; });
  runs.emplace_back(&run, std::this_thread::get_id());
}

void RunGate::leave(const Run &run) {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::erase_if(runs, [&](const auto &entry) { return entry.first == &run; });
  changed.notify_all();
}

const Run *RunGate::findRun(Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  for (; op; op = op->getParentOp())
    for (auto [run, thread] : runs)
      if (run->module == op)
        return run;
  return nullptr;
}

void RunGate::load(llvm::function_ref<void()> load) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return !isLoading && runs.empty(); });
  isLoading = true;
  lock.unlock();
  load();
  lock.lock();
  isLoading = false;
  changed.notify_all();
}

void RunGate::afterFork(bool isChild) {
  if (isChild) {
    llvm::erase_if(runs, [](const auto &entry) {
      return entry.second != std::this_thread::get_id();
    });
    isLoading = false;
    // Threads that do not exist in the child may have waited on it.
    new (&changed) std::condition_variable;
  }
  mutex.unlock();
}

//===----------------------------------------------------------------------===//
// CachedPipeline
//===----------------------------------------------------------------------===//

void CachedPipeline::begin(const Run &run) {
  if (plan.pass)
    plan.pass->setRun(&run);
  if (plan.tracker)
    plan.tracker->begin(run);
}

LogicalResult CachedPipeline::end(bool hasFailed) {
  if (plan.pass)
    plan.pass->setRun(nullptr);
  return plan.tracker ? plan.tracker->finish(hasFailed) : success();
}

//===----------------------------------------------------------------------===//
// PipelineCache
//===----------------------------------------------------------------------===//

namespace {
/// The caches of all MLIRContexts. Asking a context for its dialect is not safe
/// while another thread may load one.
struct Caches {
  std::mutex mutex;
  llvm::DenseMap<MLIRContext *, PipelineCache *> caches;
};
} // namespace

static void afterFork(bool isChild);

static Caches &getCaches() {
  // Never freed: MLIRContexts can outlive the destructors of statics.
  static auto &caches = *new Caches;
#ifdef LLVM_ON_UNIX
  static int registered = pthread_atfork(
      [] {
        getCaches().mutex.lock();
        for (auto [context, cache] : getCaches().caches)
          if (cache)
            cache->beforeFork();
      },
      [] { afterFork(/*isChild=*/false); },
      [] { afterFork(/*isChild=*/true); });
  (void)registered;
#endif
  return caches;
}

static void afterFork(bool isChild) {
  for (auto [context, cache] : getCaches().caches)
    if (cache)
      cache->afterFork(isChild);
  getCaches().mutex.unlock();
}

void registerForkHandlers() { (void)getCaches(); }

PipelineCache *PipelineCache::get(MLIRContext *context, bool mayLoad) {
  Caches &all = getCaches();
  std::lock_guard<std::mutex> lock(all.mutex);
  PipelineCache *&cache = all.caches[context];
  if (!cache && mayLoad)
    cache = &context->getLoadedDialect<BuiltinDialect>()
                 ->addInterface<PipelineCache>();
  return cache;
}

PipelineCache::~PipelineCache() {
  Caches &all = getCaches();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.caches.erase(context);
}

bool PipelineCache::hasThreads() const {
  return numForks == getForkCount() || !context->isMultithreadingEnabled() ||
         &context->getThreadPool() == &getForkableThreadPool();
}

void PipelineCache::beforeFork() {
  mutex.lock();
  gate.beforeFork();
}

void PipelineCache::afterFork(bool isChild) {
  gate.afterFork(isChild);
  mutex.unlock();
}

CachedPipeline PipelineCache::take(const Key &key) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto it = pipelines.begin(); it != pipelines.end(); ++it) {
    if (!(it->first == key))
      continue;
    CachedPipeline pipeline = std::move(it->second);
    pipelines.erase(it);
    return pipeline;
  }
  return {};
}

void PipelineCache::put(Key key, CachedPipeline pipeline) {
  // Freed after the lock: passes can be large.
  CachedPipeline evicted;
  std::lock_guard<std::mutex> lock(mutex);
  pipelines.emplace_front(std::move(key), std::move(pipeline));
  if (pipelines.size() > capacity) {
    evicted = std::move(pipelines.back().second);
    pipelines.pop_back();
  }
}

} // namespace partita::transform
