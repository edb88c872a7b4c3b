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

/// The pipeline of a tool at an opt_level, if its command line names none; a
/// null pass for no pipeline.
using DefaultPipelineFn = std::function<transform::Pass(int optLevel)>;

/// mlir-opt with a PassContext. It does the same as mlir::MlirOptMain. With
/// --opt-level, --required-pass, --disabled-pass, --pass-config or
/// --instrument, it runs the pipeline as a Sequential under such a context.
/// With only the last two, all named passes run as they stand. It knows the
/// dialects of `registry` and the registered passes and instruments, and adds
/// no dialect. Without `getDefaultPipeline`, the default pipelines are the
/// passes `default-O0` to `default-O3`, if they are registered. Returns main's
/// exit code.
int partitaOptMain(int argc, char **argv, llvm::StringRef toolName,
                   mlir::DialectRegistry &registry,
                   const DefaultPipelineFn &getDefaultPipeline = nullptr);

} // namespace partita

#endif // PARTITA_TOOLS_PARTITAOPTMAIN_H
