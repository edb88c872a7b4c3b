//===- Sorting.h - Sort in prim_funcs ---------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LEGALIZE_SORTING_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LEGALIZE_SORTING_H

#include "partita/Dialect/Relax/Transforms/KernelBuilder.h"

namespace partita::relax {

/// Sorts along one dimension: merges runs of 1, 2, 4 elements and so on. Equal
/// elements keep their order.
class Sorter {
public:
  using Sizes = KernelBuilder::Sizes;

  /// `sizes` are the sizes of `tensor`.
  Sorter(KernelBuilder &kernel, mlir::Value tensor, Sizes sizes, int64_t axis,
         bool isDescending);

  /// The first elements in order, as many as `sizes` say.
  mlir::Value getElements(const Sizes &sizes);
  /// Their positions in the tensor.
  mlir::Value getPositions(const Sizes &sizes, mlir::Type elementType);
  /// The position, an i64, of the element that comes to `place`.
  mlir::Value getPosition(ScalarBuilder &s, mlir::ValueRange place);

private:
  mlir::Value merge(ScalarBuilder &n, mlir::ValueRange at, mlir::Value orders);
  /// Whether `a` comes before `b`. A NaN is the largest number.
  mlir::Value isBefore(ScalarBuilder &s, mlir::Value a, mlir::Value b);
  /// `row` with its element at `place`, an i64.
  llvm::SmallVector<mlir::Value>
  getIndices(ScalarBuilder &n, mlir::ValueRange row, mlir::Value place);
  /// The position of the element that is at `place`.
  mlir::Value readOrder(ScalarBuilder &n, mlir::Value orders, mlir::Value plane,
                        mlir::ValueRange row, mlir::Value place);
  mlir::Value readElement(ScalarBuilder &n, mlir::ValueRange row,
                          mlir::Value position);

  KernelBuilder &kernel;
  mlir::Value x;
  int64_t axis;
  bool isDescending;
  mlir::Type type;
  mlir::OpFoldResult size;
  mlir::Value plane;
  /// Two planes of positions, of i64: a pass reads one, and writes the other.
  mlir::Value orders;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LEGALIZE_SORTING_H
