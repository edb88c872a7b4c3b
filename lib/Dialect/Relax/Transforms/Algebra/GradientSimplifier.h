//===- GradientSimplifier.h - Simplify transposed products ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_GRADIENTSIMPLIFIER_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_GRADIENTSIMPLIFIER_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

namespace partita::relax {

/// Lets a matrix that is transposed twice be itself, and turns a transposed
/// product into the product of the transposed matrices.
void simplifyGradient(FuncOp func);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_GRADIENTSIMPLIFIER_H
