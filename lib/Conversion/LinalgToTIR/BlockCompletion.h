//===- BlockCompletion.h - What blocks read and write -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_LINALGTOTIR_BLOCKCOMPLETION_H
#define PARTITA_LIB_CONVERSION_LINALGTOTIR_BLOCKCOMPLETION_H

#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita {

/// Puts the body of `func` into a root block, which allocates its buffers, and
/// says of each block what it reads and writes. Code with effects outside of
/// blocks becomes one. Fails with an error at a view that is left.
llvm::LogicalResult completeBlocks(tir::PrimFuncOp func);

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_LINALGTOTIR_BLOCKCOMPLETION_H
