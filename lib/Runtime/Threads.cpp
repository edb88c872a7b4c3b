//===- Threads.cpp - Loops of compiled code on several threads ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caller of a loop takes chunks of it; so do threads that wait for loops.
// Who finds none left goes on, so that a loop never waits for a thread that has
// not begun. Several callers share the threads.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>

namespace partita::runtime {

namespace {
/// A loop that is running.
struct Loop {
  int64_t count, chunk;
  unsigned maxHelpers;
  LoopBody body;
  uint64_t *slots;
  std::atomic<int64_t> next{0};
  /// Threads in it beside the caller. Changes under the lock.
  std::atomic<unsigned> helpers{0};

  bool wantsHelp() const {
    return next.load() < count && helpers.load() < maxHelpers;
  }
  void run() {
    for (int64_t begin; (begin = next.fetch_add(chunk)) < count;)
      body(begin, std::min(begin + chunk, count), slots);
  }
};

class ThreadPool {
public:
  void run(Loop &loop);

private:
  void help();
  void start(unsigned wanted);
  Loop *findLoop() {
    auto *it =
        llvm::find_if(loops, [](Loop *loop) { return loop->wantsHelp(); });
    return it == loops.end() ? nullptr : *it;
  }

  std::mutex mutex;
  std::condition_variable hasLoop, isDone;
  llvm::SmallVector<Loop *, 4> loops;
  /// The number of loops, for those who look without the lock.
  std::atomic<size_t> numLoops{0};
  unsigned numThreads = 0;
};
} // namespace

/// Waits a moment for `condition`: a thread that sleeps takes longer to wake up
/// than many loops take.
template <typename Condition>
static void spin(Condition condition) {
  for (unsigned i = 0; i < 2000 && !condition(); ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
}

void ThreadPool::help() {
  for (;;) {
    spin([&] { return numLoops.load(std::memory_order_relaxed) != 0; });
    Loop *loop = nullptr;
    {
      std::unique_lock<std::mutex> lock(mutex);
      hasLoop.wait(lock, [&] { return (loop = findLoop()); });
      ++loop->helpers;
    }
    loop->run();
    std::lock_guard<std::mutex> lock(mutex);
    if (--loop->helpers == 0)
      isDone.notify_all();
  }
}

/// The threads live as long as the process.
void ThreadPool::start(unsigned wanted) {
  for (; numThreads < wanted; ++numThreads) {
    // A std::thread that can't start throws, and there are no exceptions here.
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(
        &thread, &attributes,
        [](void *pool) -> void * {
          static_cast<ThreadPool *>(pool)->help();
          return nullptr;
        },
        this);
    pthread_attr_destroy(&attributes);
    // The loop runs with those that there are.
    if (error)
      return;
  }
}

void ThreadPool::run(Loop &loop) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    start(loop.maxHelpers);
    loops.push_back(&loop);
    numLoops = loops.size();
  }
  hasLoop.notify_all();
  loop.run();
  {
    std::lock_guard<std::mutex> lock(mutex);
    llvm::erase(loops, &loop);
    numLoops = loops.size();
  }
  spin([&] { return loop.helpers.load() == 0; });
  std::unique_lock<std::mutex> lock(mutex);
  isDone.wait(lock, [&] { return loop.helpers.load() == 0; });
}

/// Never freed: its threads may wait in it when the process ends.
static ThreadPool *&getPool() {
  static ThreadPool *pool = [] {
    // A child process has none of the threads, and the lock may be held.
    pthread_atfork(nullptr, nullptr, [] { getPool() = new ThreadPool(); });
    return new ThreadPool();
  }();
  return pool;
}

static unsigned countProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set))
    return std::max(1U, std::thread::hardware_concurrency());
  return std::max(1, CPU_COUNT(&set));
}

static std::atomic<unsigned> &getLimit() {
  static std::atomic<unsigned> limit(countProcessors());
  return limit;
}

unsigned getNumThreads() { return getLimit(); }
void setNumThreads(unsigned count) { getLimit() = std::max(count, 1U); }

void runParallel(int64_t count, int64_t grain, LoopBody body, uint64_t *slots) {
  if (count <= 0)
    return;
  grain = std::max<int64_t>(grain, 1);
  int64_t numThreads = std::min<int64_t>(getNumThreads(), count / grain);
  if (numThreads <= 1)
    return body(0, count, slots);
  // More chunks than threads: one may be interrupted. Vectors compute functions
  // such as exp in another way than what a loop leaves for its end, so that the
  // chunks of a long loop are whole vectors.
  int64_t chunk =
      std::max<int64_t>(grain, llvm::divideCeil(count, 4 * numThreads));
  constexpr int64_t vectors = 128;
  if (chunk > vectors)
    chunk = llvm::alignTo(chunk, vectors);
  Loop loop{count, chunk, unsigned(numThreads - 1), body, slots};
  getPool()->run(loop);
}

} // namespace partita::runtime
