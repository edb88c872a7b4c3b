//===- PlanRunnerPass.h - Passes that run plans -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PLANRUNNERPASS_H
#define PARTITA_LIB_PASS_PLANRUNNERPASS_H

#include "mlir/Pass/Pass.h"

namespace partita::transform {

/// A pass that runs a plan, and so calls instruments itself. All its classes
/// share a TypeID, so that layers below them know such passes.
class PlanRunnerPass : public mlir::OperationPass<> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanRunnerPass)

  static bool classof(const mlir::Pass *pass) {
    return pass->getTypeID() == mlir::TypeID::get<PlanRunnerPass>();
  }

  /// Whether the plan is a Sequential's, which the pass resolves when it runs.
  virtual bool isSequential() const = 0;

protected:
  PlanRunnerPass() : OperationPass(mlir::TypeID::get<PlanRunnerPass>()) {}
  PlanRunnerPass(const PlanRunnerPass &other) = default;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PLANRUNNERPASS_H
