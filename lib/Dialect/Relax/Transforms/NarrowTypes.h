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
/// are more specific, and `func` those of what it returns. Callers, and
/// functions in `func`, keep theirs.
void narrowTypes(FuncOp func);

/// The types of the results of `op` that follow from its operands. Fails if
/// they do not, or if it does not take the operands.
llvm::LogicalResult inferResults(mlir::Operation *op,
                                 llvm::SmallVector<mlir::Type> &types);

/// Gives the results of `op` the types that follow from the operands, or from
/// what its regions give, where these are more specific.
void narrowResults(mlir::Operation *op);

/// Only gives `func` the types of what it returns, but for names of shapes that
/// callers do not know, without casts to others that have no variables, and
/// lets all expressions have their types in TVM.
void narrowResultTypes(FuncOp func);

/// Lets all that can take `known`, a more specific shape, in place of `shape`
/// do so, whose results narrowTypes then makes more specific.
void replaceShape(mlir::Value shape, mlir::Value known);

/// Casts that can only fail once sizes are known can be in code that never
/// runs: as in TVM, they are left to the run.
void keepImpossibleCasts(FuncOp func);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_NARROWTYPES_H
