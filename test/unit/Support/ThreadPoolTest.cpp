//===- ThreadPoolTest.cpp - Threads that outlive a fork -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/ThreadPool.h"

#include "llvm/Config/llvm-config.h"
#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <thread>

#ifdef LLVM_ON_UNIX
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace partita;

namespace {

/// Runs this many tasks in the pool; each starts as many again.
unsigned runTasks(unsigned count) {
  std::atomic<unsigned> numDone{0};
  llvm::ThreadPoolTaskGroup group(getForkableThreadPool());
  for (unsigned i = 0; i < count; ++i)
    group.async([&] {
      llvm::ThreadPoolTaskGroup inner(getForkableThreadPool());
      inner.async([&] { ++numDone; });
      inner.wait();
      ++numDone;
    });
  group.wait();
  return numDone;
}

#ifdef LLVM_ON_UNIX
/// The result of `function` in a child; a child that hangs is ended.
int runInChild(int (*function)()) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(function());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ThreadPool, RunsInChildrenOfAFork) {
  EXPECT_EQ(runTasks(100), 200u);
  unsigned numForks = getForkCount();
  EXPECT_EQ(runInChild([] { return int(runTasks(100) == 200); }), 1);
  EXPECT_EQ(
      runInChild([] { return runInChild([] { return int(runTasks(50)); }); }),
      100);
  EXPECT_EQ(runInChild([] { return int(getForkCount()); }), int(numForks + 1));
  EXPECT_EQ(getForkCount(), numForks);
  EXPECT_EQ(runTasks(100), 200u);
}
#endif

TEST(ThreadPool, PollsWhileItWaits) {
  unsigned numPolls = 0;
  WaitPoller poller([&] {
    ++numPolls;
    return false;
  });
  EXPECT_EQ(WaitPoller::get(), &poller);
  llvm::ThreadPoolTaskGroup group(getForkableThreadPool());
  group.async(
      [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); });
  group.wait();
  EXPECT_GE(numPolls, 1u);
  // Only on that thread.
  std::thread([] { EXPECT_EQ(WaitPoller::get(), nullptr); }).join();
}

} // namespace
