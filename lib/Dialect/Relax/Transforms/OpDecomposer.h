//===- OpDecomposer.h - Ops as simpler ops ----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_OPDECOMPOSER_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_OPDECOMPOSER_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/IR/Builders.h"

namespace partita::relax {

/// Builds simpler ops that compute what `op` does, in the order of TVM's code
/// for the op. Returns a value for each result. Returns none, and builds
/// nothing, if ops of this kind are not made of simpler ones or a dimension of
/// a tensor is unknown.
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &builder,
                                         mlir::Operation *op);

/// Builds (data - mean) / sqrt(variance + epsilon) * gamma + beta, in this
/// order; the statistics are vectors.
mlir::Value normalize(mlir::OpBuilder &builder, BatchNormOp norm,
                      mlir::Value mean, mlir::Value variance);

/// Whether a variable is a field of the tuple that `norm` gives in TVM.
bool hasFieldVariables(BatchNormOp norm);

/// Replaces `norm` by `values`. As in TVM, variables that were its fields are
/// fields of a tuple with its name.
void replaceFields(mlir::OpBuilder &builder, BatchNormOp norm,
                   mlir::ValueRange values);

/// The rewrite of DecomposeOpsForInference; returns how many ops it replaced.
int64_t decomposeForInference(FuncOp func);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_OPDECOMPOSER_H
