//===- ThreadPool.cpp - Threads that outlive a fork -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/ThreadPool.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Config/llvm-config.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

#ifdef LLVM_ON_UNIX
#include <pthread.h>
#endif

using namespace partita;

namespace {

/// Wraps an LLVM pool. The child of a fork leaves it behind, and makes a new
/// one.
class ForkableThreadPool : public llvm::ThreadPoolInterface {
public:
  ForkableThreadPool();

  void wait() override { getPool().wait(); }
  void wait(llvm::ThreadPoolTaskGroup &group) override;
  unsigned getMaxConcurrency() const override { return maxConcurrency; }

  unsigned getNumForks() const { return numForks; }

private:
  /// The state of one process, which its children can't use.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    llvm::DefaultThreadPool *pool = nullptr;
    /// The number of unfinished tasks of each group.
    llvm::DenseMap<llvm::ThreadPoolTaskGroup *, unsigned> pending;
  };

  void asyncEnqueue(llvm::unique_function<void()> task,
                    llvm::ThreadPoolTaskGroup *group) override;
  llvm::DefaultThreadPool &getPool();
  bool isPending(llvm::ThreadPoolTaskGroup &group) {
    return state->pending.contains(&group);
  }

  const unsigned maxConcurrency;
  State *state = new State;
  unsigned numForks = 0;
};

} // namespace

static thread_local WaitPoller *innermost = nullptr;

static ForkableThreadPool &getInstance() {
  // Never freed: MLIRContexts can outlive the destructors of statics.
  static auto &pool = *new ForkableThreadPool;
  return pool;
}

ForkableThreadPool::ForkableThreadPool()
    : maxConcurrency(llvm::hardware_concurrency().compute_thread_count()) {
#ifdef LLVM_ON_UNIX
  // A thread that does not exist in the child may hold any lock, so that
  // nothing is reused.
  pthread_atfork(nullptr, nullptr, [] {
    getInstance().state = new State;
    ++getInstance().numForks;
  });
#endif
}

llvm::DefaultThreadPool &ForkableThreadPool::getPool() {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (!state->pool)
    state->pool = new llvm::DefaultThreadPool;
  return *state->pool;
}

void ForkableThreadPool::asyncEnqueue(llvm::unique_function<void()> task,
                                      llvm::ThreadPoolTaskGroup *group) {
  llvm::DefaultThreadPool &pool = getPool();
  if (!group) {
    pool.async(std::move(task));
    return;
  }
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    ++state->pending[group];
  }
  pool.async(*group,
             [task = std::move(task), group, &state = *this->state]() mutable {
               task();
               std::lock_guard<std::mutex> lock(state.mutex);
               if (--state.pending[group] > 0)
                 return;
               state.pending.erase(group);
               state.changed.notify_all();
             });
}

void ForkableThreadPool::wait(llvm::ThreadPoolTaskGroup &group) {
  if (WaitPoller *poller = WaitPoller::get()) {
    std::unique_lock<std::mutex> lock(state->mutex);
    while (isPending(group)) {
      if (state->changed.wait_for(lock, std::chrono::milliseconds(20),
                                  [&] { return !isPending(group); }))
        break;
      lock.unlock();
      poller->poll();
      // The task may have forked.
      lock = std::unique_lock<std::mutex>(state->mutex);
    }
  }
  getPool().wait(group);
}

llvm::ThreadPoolInterface &partita::getForkableThreadPool() {
  return getInstance();
}

unsigned partita::getForkCount() { return getInstance().getNumForks(); }

WaitPoller::WaitPoller(std::function<bool()> poll)
    : function(std::move(poll)), outer(std::exchange(innermost, this)) {}

WaitPoller::~WaitPoller() { innermost = outer; }

WaitPoller *WaitPoller::get() { return innermost; }
