//===- DimReplacer.h - Replace names of dimensions --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_DIMREPLACER_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_DIMREPLACER_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "mlir/IR/Operation.h"

namespace partita::relax {

/// Replaces names of dimensions by what they stand for, all at once.
class DimReplacer {
public:
  llvm::DenseMap<mlir::StringAttr, Dim> dims;
  /// Whether to simplify dimensions that still have names afterwards; numbers
  /// always are simplified.
  bool simplifies = false;

  /// The dimension with names in it replaced, which may be an expression.
  Dim apply(Dim dim) const;
  mlir::Type apply(mlir::Type type) const {
    return mapDims(type, [&](Dim dim) { return apply(dim); });
  }
  /// In `op` and all that is in it: types and shapes.
  void replaceIn(mlir::Operation *op) const;
};

/// The dimensions of a tensor or a shape; nothing for others.
llvm::SmallVector<Dim> getKnownDims(mlir::Type type);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_DIMREPLACER_H
