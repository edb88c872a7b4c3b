//===- StepStatistics.h - Statistics of passes that a pass runs -*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR reports the statistics of the passes that a PassManager holds, and not
// those of the pipelines that these run. This moves the latter to the pass that
// runs them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_STEPSTATISTICS_H
#define PARTITA_LIB_PASS_STEPSTATISTICS_H

#include "mlir/Pass/PassInstrumentation.h"

#include <map>
#include <memory>
#include <string>

namespace partita::transform {

/// Adds what other passes of its PassManager count to statistics of `owner`,
/// each under "pass.statistic". MLIR calls it under a lock.
class StepStatistics : public mlir::PassInstrumentation {
public:
  explicit StepStatistics(mlir::Pass &owner);
  ~StepStatistics() override;

  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

private:
  struct Statistic;

  mlir::Pass &owner;
  std::map<std::string, std::unique_ptr<Statistic>> statistics;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_STEPSTATISTICS_H
