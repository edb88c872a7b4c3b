//===- CLOptions.h - A PassContext from a command line ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// partita-opt's flags for drivers that are not mlir-opt's, as MLIR has
// registerPassManagerCLOptions.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_CLOPTIONS_H
#define PARTITA_TOOLS_CLOPTIONS_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class PassManager;
} // namespace mlir

namespace partita {

/// Registers --opt-level and -O, --required-pass, --disabled-pass,
/// --pass-config, --instrument and --explain, before the command line is
/// parsed.
void registerPartitaCLOptions();

/// Makes the passes in `pm` a Sequential under the PassContext that the command
/// line asks for; without such a flag, `pm` stays as it is. Call it when all
/// passes are in `pm`. The context's scope is entered now, and left when `pm`
/// is destroyed, on the same thread: instruments report then. With --explain,
/// the plan is printed, and `pm` is left without passes. Fails after a
/// diagnostic, with `pm` as it was.
mlir::LogicalResult applyPartitaCLOptions(mlir::PassManager &pm);

} // namespace partita

#endif // PARTITA_TOOLS_CLOPTIONS_H
