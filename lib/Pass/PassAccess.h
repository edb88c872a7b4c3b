//===- PassAccess.h - What MLIR hides of passes -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PASSACCESS_H
#define PARTITA_LIB_PASS_PASSACCESS_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

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

/// A copy of `pass` with its options; MLIR makes such copies for its threads.
std::unique_ptr<mlir::Pass> clonePass(const mlir::Pass &pass);

/// The argument of a pass or, if it has none, its getName().
std::string getPassArgument(const mlir::Pass &pass);

/// The text of a pass with its options, or of an adaptor.
std::string printPass(const mlir::Pass &pass);

/// The text of a pass manager, with its anchor.
std::string printManager(const mlir::OpPassManager &pm);

/// The names of a pass's options.
std::vector<std::string> getOptionNames(const mlir::Pass &pass);

/// Whether MLIR runs an `any(...)` of these passes on `op`.
bool canRunOn(llvm::ArrayRef<const mlir::Pass *> passes, mlir::Operation *op);

/// MLIR's own pass for nested pipelines, whose class is not public.
mlir::TypeID getAdaptorID();
inline bool isAdaptor(const mlir::Pass &pass) {
  return pass.getTypeID() == getAdaptorID();
}

/// Whether the linked MLIR's adaptor has the layout that getNestedManagers
/// expects.
bool isAdaptorKnown();
/// The nested managers of an adaptor. Empty for other passes, and if the linked
/// MLIR has another layout.
llvm::MutableArrayRef<mlir::OpPassManager> getNestedManagers(mlir::Pass &pass);

/// Whether `pm` verifies.
bool isVerifierOn(mlir::PassManager &pm);

/// The passes of `pm`, for reordering.
llvm::MutableArrayRef<std::unique_ptr<mlir::Pass>>
getPassSlots(mlir::OpPassManager &pm);

/// Lets MLIR initialize the passes of `pm` again before they run.
void forgetInitialization(mlir::OpPassManager &pm);

/// The analyses of `am`'s op and the ops in it.
mlir::detail::NestedAnalysisMap &getAnalysisMap(mlir::AnalysisManager am);

/// Whether `map` holds analyses of its op, or a map for an op in it.
bool holdsAnalyses(mlir::detail::NestedAnalysisMap &map);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PASSACCESS_H
