//===- BlockBuilder.h - Loops and blocks of linalg --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_LINALGTOTIR_BLOCKBUILDER_H
#define PARTITA_LIB_CONVERSION_LINALGTOTIR_BLOCKBUILDER_H

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace partita {

/// Gives variables to the unknown sizes of `func`'s parameters, and replaces
/// the ops of linalg on memrefs by loops around blocks. The blocks do not say
/// yet what they read and write.
void buildBlocks(tir::PrimFuncOp func);

/// The sizes in `type` as i64; `getUnknown` gives those that it lacks.
llvm::SmallVector<mlir::Value>
createShape(mlir::ImplicitLocOpBuilder &builder, mlir::MemRefType type,
            llvm::function_ref<mlir::Value(int64_t dim)> getUnknown);

/// The sizes of a buffer as i64; nothing if it has no declaration.
llvm::SmallVector<mlir::Value> getShape(mlir::ImplicitLocOpBuilder &builder,
                                        mlir::Value buffer);

/// Replaces `memref.dim` by the sizes that declarations have.
void lowerSizes(tir::PrimFuncOp func);

/// Gives an empty region a block that ends with tir.yield.
mlir::Block &addBody(mlir::Location loc, mlir::Region &region);

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_LINALGTOTIR_BLOCKBUILDER_H
