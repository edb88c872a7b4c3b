//===- RelaxIndexMap.h - Where a layout moves elements ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXINDEXMAP_H
#define PARTITA_DIALECT_RELAX_IR_RELAXINDEXMAP_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "mlir/IR/AffineMap.h"

namespace partita::relax {

/// The map of a `#relax.index_map`; null if `attr` is none.
mlir::AffineMap getIndexMap(mlir::Attribute attr);

/// Whether TVM has such a map: its indices are sums, multiples, quotients and
/// remainders of the old ones, divisors are positive, and it has no symbols.
bool isIndexMap(mlir::AffineMap map);

/// The new shape of a tensor of `shape`: for each index one more than its
/// greatest value, or an unknown dimension.
llvm::SmallVector<Dim> mapShape(mlir::AffineMap map, llvm::ArrayRef<Dim> shape);

/// Sets `to` to where the element at `from` goes; false if a number gets too
/// great.
bool mapIndices(mlir::AffineMap map, llvm::ArrayRef<int64_t> from,
                llvm::SmallVectorImpl<int64_t> &to);

/// Whether `back` brings every element of a tensor of `shape` back to where it
/// was before `map`. False if that can't be told.
bool isUndoneBy(mlir::AffineMap map, mlir::AffineMap back,
                llvm::ArrayRef<Dim> shape);

/// The map that brings every element of a tensor of `shape` back from where
/// `map` has moved it. What else it maps is padding: a dimension that is split
/// is as great as its parts are together. Null if no such map is found.
mlir::AffineMap invertIndexMap(mlir::AffineMap map, llvm::ArrayRef<Dim> shape);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_IR_RELAXINDEXMAP_H
