//===- CheckInert.h - Whether looking changes what happens ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_CHECKINERT_H
#define PARTITA_LIB_TOOLS_CHECKINERT_H

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>

namespace mlir {
class PassManager;
} // namespace mlir

namespace partita {

/// A way to run the same passes.
struct WayToRun {
  /// As in "run NAME".
  std::string name;
  /// Runs `run`, which needs a pass manager filled and is to be called once.
  std::function<llvm::Error(
      llvm::function_ref<void(
          llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)>)>)>
      run;
};

/// Runs the passes in each way on what `input` holds, on one thread and on
/// several, and compares the module, the diagnostics, the analyses that were
/// made, and the statistics of passes, those on one thread only: MLIR's own
/// depend on which thread runs what. Fails where a way differs from the first
/// on one thread, naming the ways, what differs, and both values.
llvm::Error checkInert(llvm::ArrayRef<WayToRun> ways,
                       const mlir::MlirOptMainConfig &config,
                       const mlir::DialectRegistry &registry,
                       llvm::MemoryBufferRef input);

} // namespace partita

#endif // PARTITA_LIB_TOOLS_CHECKINERT_H
