//===- SequentialPass.h - Sequentials in textual pipelines ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_SEQUENTIALPASS_H
#define PARTITA_PASS_SEQUENTIALPASS_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

#include <string>

namespace partita::transform {

/// Registers `sequential{passes=any(cse),func.func(canonicalize) opt-level=2}`
/// with MLIR: a Sequential in any textual pipeline, run under the PassContext
/// that is current when the pipeline starts.
void registerSequentialPass();

/// Adds the nearest names to `message`, an error of MLIR's pipeline parser, if
/// it names an unknown pass.
std::string addPassSuggestions(std::string message);

/// A `sequential{instruments=...}` on ops in the root reports when its pass
/// manager is destroyed. If that fails, the process ends with exit code 1.
/// After this call it goes on instead, for hosts that may not end, and for
/// tools that ask takeFailedReport.
void keepFailedReports();
/// Whether such a report has failed since the last call.
bool takeFailedReport();

/// Fails if a textual pipeline is nested so deep that MLIR's recursive parser
/// could overflow the stack.
llvm::Error checkPipelineDepth(llvm::StringRef pipeline);

/// Adds the missing anchors that registerPassAnchor knows to `pipeline`, as
/// MLIR prints it: MLIR nests a pass named by flag right below the root,
/// wherever its op lives.
std::string nestPipeline(llvm::StringRef pipeline);

/// Adds copies of the passes of `from`, a manager for any op, to `to`. Each is
/// nested where its op lives. Fails after a message on stderr.
mlir::LogicalResult nestPasses(const mlir::OpPassManager &from,
                               mlir::OpPassManager &to);

} // namespace partita::transform

#endif // PARTITA_PASS_SEQUENTIALPASS_H
