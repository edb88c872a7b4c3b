//===- PassAccess.h - Members of mlir::Pass that passes see -----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PASSACCESS_H
#define PARTITA_LIB_PASS_PASSACCESS_H

#include "mlir/Pass/Pass.h"

namespace partita::transform {

/// Reaches members of mlir::Pass that MLIR shows only to passes.
struct PassAccess : mlir::Pass {
  static mlir::detail::PassExecutionState &getState(mlir::Pass &pass) {
    return (pass.*(&PassAccess::getPassState))();
  }
  /// The state, which MLIR's adaptors set before a pass runs. MLIR lets nobody
  /// else set it.
  static std::optional<mlir::detail::PassExecutionState> &
  getStateSlot(mlir::Pass &pass);
  static std::unique_ptr<mlir::Pass> copy(const mlir::Pass &pass) {
    return (pass.*(&PassAccess::clone))();
  }
  static bool canRunOn(const mlir::Pass &pass,
                       mlir::RegisteredOperationName name) {
    bool (mlir::Pass::*check)(mlir::RegisteredOperationName) const =
        &PassAccess::canScheduleOn;
    return (pass.*check)(name);
  }
  static mlir::LogicalResult begin(mlir::Pass &pass,
                                   mlir::MLIRContext *context) {
    return (pass.*(&PassAccess::initialize))(context);
  }
  static void run(mlir::Pass &pass) { (pass.*(&PassAccess::runOnOperation))(); }
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PASSACCESS_H
