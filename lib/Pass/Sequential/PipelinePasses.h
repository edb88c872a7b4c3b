//===- PipelinePasses.h - The passes of pass managers -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SEQUENTIAL_PIPELINEPASSES_H
#define PARTITA_LIB_PASS_SEQUENTIAL_PIPELINEPASSES_H

#include "partita/Pass/Pass.h"

namespace partita::transform {

class TakenPasses;

/// createSequential, where the passes in `taken` run themselves, not copies.
llvm::Expected<Pass> createSequential(const mlir::OpPassManager &pm,
                                      std::shared_ptr<TakenPasses> taken);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_SEQUENTIAL_PIPELINEPASSES_H
