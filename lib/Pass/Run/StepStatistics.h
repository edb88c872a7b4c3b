//===- StepStatistics.h - Statistics of passes that a pass runs -*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR reports the statistics of the passes that a PassManager holds, but not
// of passes in pipelines that these run. This class adds them to the pass that
// runs the pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUN_STEPSTATISTICS_H
#define PARTITA_LIB_PASS_RUN_STEPSTATISTICS_H

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>
#include <string>

namespace partita::transform {

/// Adds the statistics of a plan's passes to statistics of `owner`, the pass
/// that runs the plan, each under "pass.statistic". As in a PassManager, each
/// copy for a thread counts, but passes that another pass runs do not. MLIR
/// calls it under a lock.
class StepStatistics : public mlir::PassInstrumentation {
public:
  explicit StepStatistics(mlir::Pass &owner);
  ~StepStatistics() override;

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

private:
  struct Statistic;

  mlir::Pass &owner;
  bool isOwnerRunning = false;
  std::map<std::string, std::unique_ptr<Statistic>> statistics;
  /// The running passes of the plan, by their ops.
  llvm::DenseMap<mlir::Operation *, mlir::Pass *> running;
  /// The last value read from each pass's statistic: passes add to their
  /// statistics, or set them anew.
  llvm::DenseMap<const void *, uint64_t> lastValues;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUN_STEPSTATISTICS_H
