//===- Execution.h - How a run is done --------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUN_EXECUTION_H
#define PARTITA_LIB_PASS_RUN_EXECUTION_H

#include "partita/Pass/PassContext.h"
#include "partita/Pass/Plan.h"

namespace partita::transform {

/// How a run is done. It is decided once, before anything runs, and handed
/// down. Pipelines that are kept between runs serve runs with an equal
/// Execution.
struct Execution {
  /// The only place that decides. `verifies` says whether the pass manager
  /// verifies. `maySkipFunctions` says whether a function of the module may
  /// carry SkipOptimization.
  Execution(std::shared_ptr<const Plan> plan, const PassContext &context,
            llvm::StringRef rootName, bool verifies, bool maySkipFunctions);

  std::shared_ptr<const Plan> plan;
  std::string rootName;
  bool verifies;
  /// Whether a pass runs the plan, because an instrument looks at the module
  /// between passes or at the ends of the run, or may begin to, or because
  /// work is saved. If not, MLIR runs the plan's passes as always.
  bool needsPlanPass;
  /// Whether a PassTracker must see the passes.
  bool needsTracker;
  SavingOptions saving;

  bool operator==(const Execution &other) const {
    return plan == other.plan && rootName == other.rootName &&
           verifies == other.verifies && needsPlanPass == other.needsPlanPass &&
           needsTracker == other.needsTracker && saving == other.saving;
  }
  bool operator!=(const Execution &other) const { return !(*this == other); }
};

/// Whether the plan leaves functions of `module` alone, and there are some.
bool skipsFunctions(const Plan &plan, mlir::Operation *module);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUN_EXECUTION_H
