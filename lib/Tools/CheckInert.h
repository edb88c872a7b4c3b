//===- CheckInert.h - Checks that looking changes nothing -------*- C++ -*-===//
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
  /// Completes "run NAME".
  std::string name;
  /// Calls `run` once, with a function that fills a pass manager.
  std::function<llvm::Error(
      llvm::function_ref<void(
          llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)>)>)>
      run;
};

/// Runs the passes in each way on the module in `input`, on one thread and on
/// several. Compares the module, the diagnostics, the computed analyses, and
/// the statistics of passes. Statistics are compared on one thread only,
/// because MLIR's own depend on the threads. Fails if a way differs from the
/// first way on one thread; the error names the ways, the difference, and both
/// values. Without `comparesWork`, analyses and statistics may differ.
llvm::Error checkInert(llvm::ArrayRef<WayToRun> ways,
                       const mlir::MlirOptMainConfig &config,
                       const mlir::DialectRegistry &registry,
                       llvm::MemoryBufferRef input, bool comparesWork = true);

} // namespace partita

#endif // PARTITA_LIB_TOOLS_CHECKINERT_H
