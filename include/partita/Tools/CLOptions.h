//===- CLOptions.h - A PassContext from a command line ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// partita-opt's flags for drivers other than mlir-opt, like MLIR's
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
/// --pass-config, --instrument, --skip-unchanged, --nest-in-functions,
/// --verify, --pass-cache and --explain. Call it before the command line is
/// parsed. `prefix` goes before each name, for drivers that have such flags
/// themselves: "partita-" makes --partita-opt-level and --partita-O.
///
/// The environment variable `variable` can hold the same flags, with or without
/// the prefix. A flag on the command line overrides the same flag in the
/// variable; its config options are added, and its instruments come after the
/// variable's. "" is for no variable.
void registerPartitaCLOptions(llvm::StringRef prefix = "",
                              llvm::StringRef variable = "PARTITA_FLAGS");

/// Makes a Sequential of the passes in `pm`, under the PassContext that the
/// flags describe. Without a flag, `pm` stays as it is. Call it when all passes
/// are in `pm`. Without an opt level and a list of passes, all passes run as
/// they stand.
///
/// The pass managers of a process share the context and its instruments. These
/// report when the last pass manager is destroyed; a report that can't be
/// written is a fatal error, with exit code 1. An instrument that writes a
/// file continues it with the next pass manager, so that the file has all runs;
/// others begin anew. With --explain, the plan is printed, and `pm` is left
/// without passes. Fails after a diagnostic, with `pm` unchanged.
mlir::LogicalResult applyPartitaCLOptions(mlir::PassManager &pm);

} // namespace partita

#endif // PARTITA_TOOLS_CLOPTIONS_H
