//===- ThreadPool.h - Threads that outlive a fork ---------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_THREADPOOL_H
#define PARTITA_SUPPORT_THREADPOOL_H

#include "llvm/Support/ThreadPool.h"

#include <functional>

namespace partita {

/// A thread pool for the MLIRContexts of a process that may fork:
/// `context.setThreadPool(getForkableThreadPool())`. The threads of MLIR's own
/// pools do not exist in a child, which waits for them forever. This pool
/// starts new threads there. It is never destroyed.
llvm::ThreadPoolInterface &getForkableThreadPool();

/// The number of forks between the first process and this one.
unsigned getForkCount();

/// While it lives, its thread calls `poll` now and then when it waits for tasks
/// of the forkable pool, or for processes. `poll` says whether to stop.
class WaitPoller {
public:
  explicit WaitPoller(std::function<bool()> poll);
  WaitPoller(const WaitPoller &) = delete;
  ~WaitPoller();

  /// The innermost poller of this thread, or null.
  static WaitPoller *get();
  bool poll() { return function(); }

private:
  std::function<bool()> function;
  WaitPoller *outer;
};

} // namespace partita

#endif // PARTITA_SUPPORT_THREADPOOL_H
