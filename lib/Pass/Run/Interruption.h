//===- Interruption.h - Runs that the host interrupts -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUN_INTERRUPTION_H
#define PARTITA_LIB_PASS_RUN_INTERRUPTION_H

#include "partita/Pass/PassInstrument.h"
#include "partita/Support/ThreadPool.h"

#include "mlir/IR/Operation.h"

#include <atomic>
#include <mutex>

namespace mlir {
class Pass;
} // namespace mlir

namespace partita::transform {

/// Asks the host now and then whether to end a run. It asks on the thread that
/// runs the pass, where signals are handled, and ends the run on all threads.
class Interruption {
public:
  explicit Interruption(const std::function<bool()> &isInterrupted);
  ~Interruption();

  /// Called before each pass on each op: fails the pass if the run is to end.
  /// MLIR goes on with the remaining functions, so these lose their bodies, and
  /// the pass has nothing to do.
  void check(mlir::Pass *pass, mlir::Operation *op);

private:
  void poll();

  const std::function<bool()> &isInterrupted;
  WaitPoller poller;
  instrument::Clock::time_point lastPoll = instrument::Clock::now();
  std::atomic<bool> hasStopped{false};
  std::mutex mutex;
  std::vector<std::unique_ptr<mlir::Region>> bodies;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUN_INTERRUPTION_H
