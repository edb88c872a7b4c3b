//===- Resume.h - Runs that go on after a checkpoint ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_RESUME_H
#define PARTITA_LIB_TOOLS_RESUME_H

#include "partita/Pass/PassContext.h"
#include "partita/Pass/Plan.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace partita {

/// The rest of the command line's plan after the last checkpoint in `dir`,
/// which replaces the input. Null if there is nothing to resume. `getPlan`
/// makes the whole plan for a root of the given name.
llvm::Expected<std::shared_ptr<const transform::Plan>> resume(
    const mlir::MlirOptMainConfig &config, llvm::StringRef dir,
    const transform::PassContext &passContext,
    const mlir::DialectRegistry &registry,
    std::unique_ptr<llvm::MemoryBuffer> &input,
    llvm::function_ref<llvm::Expected<std::shared_ptr<const transform::Plan>>(
        mlir::MLIRContext *, llvm::StringRef)>
        getPlan);

/// The error of a checkpoint that can't be parsed: the text of some attributes
/// of MLIR's can't.
llvm::Error makeCheckpointError(llvm::StringRef path);

} // namespace partita

#endif // PARTITA_LIB_TOOLS_RESUME_H
