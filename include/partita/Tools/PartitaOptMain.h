//===- PartitaOptMain.h - partita-opt as a function -------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_PARTITAOPTMAIN_H
#define PARTITA_TOOLS_PARTITAOPTMAIN_H

#include "partita/Pass/Pass.h"

#include "mlir/IR/DialectRegistry.h"

namespace partita {

/// The pipeline that a tool runs at an opt_level where its command line names
/// none; a null pass for nothing.
using DefaultPipelineFn = std::function<transform::Pass(int optLevel)>;

/// mlir-opt with a PassContext: does what mlir::MlirOptMain does, and with
/// --opt-level, --required-pass, --disabled-pass, --pass-config or --instrument
/// runs the pipeline as a Sequential under such a context; with the last two
/// alone, all that is named runs, as it stands. Knows the dialects
/// of `registry` and the registered passes and instruments, and no dialect of
/// its own. Without `getDefaultPipeline`, the default pipelines are the passes
/// `default-O0` to `default-O3`, where they are registered. Returns main's exit
/// code.
int partitaOptMain(int argc, char **argv, llvm::StringRef toolName,
                   mlir::DialectRegistry &registry,
                   const DefaultPipelineFn &getDefaultPipeline = nullptr);

} // namespace partita

#endif // PARTITA_TOOLS_PARTITAOPTMAIN_H
