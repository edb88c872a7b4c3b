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
#include "llvm/ADT/StringRef.h"

namespace mlir {
class PassManager;
} // namespace mlir

namespace partita {

/// Registers --opt-level and -O, --required-pass, --disabled-pass,
/// --pass-config, --instrument and --explain, before the command line is
/// parsed. `prefix` goes before each name, for a driver that has flags of these
/// names itself: "partita-" makes --partita-opt-level and --partita-O of them.
///
/// The environment variable `variable` can hold the same flags, with or without
/// the prefix. What the command line says of a flag goes before what is in
/// there, and its instruments come after those. "" is for none.
void registerPartitaCLOptions(llvm::StringRef prefix = "",
                              llvm::StringRef variable = "PARTITA_FLAGS");

/// Makes the passes in `pm` a Sequential under the PassContext that the flags
/// ask for; without a flag, `pm` stays as it is. Call it when all passes are in
/// `pm`. Without an opt level and a list of passes, all of them run, as they
/// stand.
///
/// The pass managers of a process share the context and its instruments, which
/// report when the last that is alive is destroyed. An instrument that writes a
/// file goes on with the next pass manager, and the file has all of them;
/// others begin anew. With --explain, the plan is printed, and `pm` is left
/// without passes. Fails after a diagnostic, with `pm` as it was.
mlir::LogicalResult applyPartitaCLOptions(mlir::PassManager &pm);

} // namespace partita

#endif // PARTITA_TOOLS_CLOPTIONS_H
