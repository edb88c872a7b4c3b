//===- Interruption.cpp - Runs that the host interrupts -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interruption.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace partita::transform {

/// The interval at which the host is asked.
static constexpr std::chrono::milliseconds interval(20);

Interruption::Interruption(const std::function<bool()> &isInterrupted)
    : isInterrupted(isInterrupted), poller([this] {
        poll();
        return hasStopped.load();
      }) {}

// Out of line, where Region is complete.
Interruption::~Interruption() = default;

void Interruption::poll() {
  unsigned numForks = getForkCount();
  // If `isInterrupted` has forked, stop in the child, too: the other threads do
  // not exist there, so that their work stays undone.
  if (isInterrupted() || numForks != getForkCount())
    hasStopped = true;
  lastPoll = instrument::Clock::now();
}

void Interruption::check(mlir::Pass *pass, Operation *op) {
  if (!hasStopped && WaitPoller::get() == &poller &&
      instrument::Clock::now() - lastPoll >= interval)
    poll();
  if (!hasStopped)
    return;
  struct Access : mlir::Pass {
    static void fail(mlir::Pass &pass) {
      (pass.*(&Access::signalPassFailure))();
    }
  };
  Access::fail(*pass);
  if (!isa<FunctionOpInterface>(op))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  for (Region &region : op->getRegions())
    bodies.emplace_back(std::make_unique<Region>())->takeBody(region);
}

} // namespace partita::transform
