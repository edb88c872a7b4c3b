//===- DimLowering.h - Compute dimensions that are expressions --*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_CONVERSION_DIMLOWERING_H
#define PARTITA_CONVERSION_DIMLOWERING_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace partita {

/// Builds ops that compute `dim` as an i64. `getName` gives the value of a
/// name, or null. Returns null if the dimension is unknown, if `getName` does
/// not know a name of it, or if its text has more than sums, products,
/// quotients, remainders, min and max. With `inPrimFunc`, the ops are as the
/// import from TVM makes them in a prim_func: a sum does not wrap.
mlir::Value
lowerDim(mlir::ImplicitLocOpBuilder &builder, relax::Dim dim,
         llvm::function_ref<mlir::Value(llvm::StringRef name)> getName,
         bool inPrimFunc = false);

} // namespace partita

#endif // PARTITA_CONVERSION_DIMLOWERING_H
