//===- SequentialPass.h - Sequentials as passes of MLIR ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SEQUENTIAL_SEQUENTIALPASS_H
#define PARTITA_LIB_PASS_SEQUENTIAL_SEQUENTIALPASS_H

#include "partita/Pass/Pass.h"

#include <optional>

namespace partita::transform {

struct PassDeclaration;

/// Registers a Sequential as a pass with MLIR, so that textual pipelines and
/// flags find it.
void registerSequentialWithMLIR(
    std::shared_ptr<const PassDeclaration> declaration);

/// The Sequential that the options of `sequential` describe, below `anchors`.
llvm::Expected<Pass>
parseSequentialOptions(llvm::StringRef options,
                       llvm::ArrayRef<std::string> anchors);

/// The Sequential, below `anchors`, that an mlir::Pass runs; nothing if `pass`
/// runs none.
std::optional<llvm::Expected<Pass>>
getSequentialOf(const mlir::Pass &pass, llvm::ArrayRef<std::string> anchors);

/// The name and the level of a pass that runs a Sequential.
std::optional<PassInfo> getSequentialInfo(const mlir::Pass &pass);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_SEQUENTIAL_SEQUENTIALPASS_H
