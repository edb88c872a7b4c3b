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

/// `message`, an error of MLIR's parser of pipelines, with the nearest names
/// after one that is no pass.
std::string addPassSuggestions(std::string message);

/// Whether an instrument of a `sequential{instruments=...}` has failed to
/// report since this was asked last, which it does on stderr when the pass
/// manager goes: for a tool, whose exit code tells.
bool takeFailedReport();

/// Fails if a textual pipeline is nested so deep that MLIR's parser, which
/// calls itself, could overflow the stack.
llvm::Error checkPipelineDepth(llvm::StringRef pipeline);

/// `pipeline`, as MLIR prints it, with the anchors put in that
/// registerPassAnchor says are missing: a pass named by flag is nested right
/// below the root, wherever its op lives.
std::string nestPipeline(llvm::StringRef pipeline);

/// Adds copies of the passes of `from`, a manager for any op, to `to`, each
/// nested where its op lives. Fails after a message on stderr.
mlir::LogicalResult nestPasses(const mlir::OpPassManager &from,
                               mlir::OpPassManager &to);

} // namespace partita::transform

#endif // PARTITA_PASS_SEQUENTIALPASS_H
