//===- LambdaNames.h - Names of lifted functions ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_LAMBDANAMES_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_LAMBDANAMES_H

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "llvm/ADT/MapVector.h"

namespace partita::relax {

/// Functions in functions, inner ones first, with the names that they get in
/// the module.
using LambdaNames = llvm::MapVector<LocalFuncOp, mlir::StringAttr>;

/// The names of all functions in changeable functions of `module`. Fails after
/// a diagnostic if a name that is given is another function's.
mlir::FailureOr<LambdaNames> nameLambdas(IRModuleOp module);

/// Makes functions in functions functions of `module`; returns how many. Fails
/// as nameLambdas does.
mlir::FailureOr<int64_t> liftLambdas(IRModuleOp module);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_LAMBDANAMES_H
