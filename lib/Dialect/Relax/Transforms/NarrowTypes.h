//===- NarrowTypes.h - Infer more specific types ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_NARROWTYPES_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_NARROWTYPES_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

namespace partita::relax {

/// Gives results in `func` the types that follow from the operands, where these
/// are more specific, and `func` the types of the values that it returns.
/// Callers, and functions in `func`, keep their types.
void narrowTypes(FuncOp func);

/// The types of the results of `op` that follow from its operands. Fails if
/// they do not, or if it does not take the operands.
llvm::LogicalResult inferResults(mlir::Operation *op,
                                 llvm::SmallVector<mlir::Type> &types);

/// Gives the results of `op` the types that follow from the operands, or from
/// the values that its regions yield, where these are more specific.
void narrowResults(mlir::Operation *op);

/// Only gives `func` the types of the values that it returns. Names that
/// callers do not know are left out: of shapes, and of sizes that the body
/// introduces. So are casts to less specific types that have no variables. All
/// expressions have types in TVM afterwards.
void narrowResultTypes(FuncOp func);

/// Replaces `shape` by `known`, a more specific shape, in all ops that can take
/// it. Call narrowTypes afterwards to make their results more specific.
void replaceShape(mlir::Value shape, mlir::Value known);

/// The names of all dimensions in `func`.
llvm::DenseSet<mlir::StringAttr> collectNames(FuncOp func);

/// Names that `names` lacks, which are added to it.
llvm::SmallVector<Dim> makeNames(mlir::MLIRContext *context, int64_t count,
                                 llvm::DenseSet<mlir::StringAttr> &names);

/// Replaces `op` by a call of TVM's runtime, whose result gets names, and adds
/// these to `names`. Returns the shape of the names; null if the number of
/// dimensions is unknown, and `op` stays.
ShapeOp decomposeShape(TensorToShapeOp op,
                       llvm::DenseSet<mlir::StringAttr> &names);

/// Casts that can only fail once sizes are known can be in code that never
/// runs: as in TVM, they are left to the run.
void keepImpossibleCasts(FuncOp func);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_NARROWTYPES_H
