//===- Boxes.h - Boxes that a model has found -------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LEGALIZE_BOXES_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LEGALIZE_BOXES_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/KernelBuilder.h"

namespace partita::relax {

/// The boxes of a batch that something chooses, in rows of i32: their places
/// one after another, then -1, and how many there are in a last column.
class ChosenBoxes {
public:
  using Sizes = KernelBuilder::Sizes;
  /// Whether box `at` of a batch is chosen.
  using Chooses =
      llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::ValueRange at)>;

  /// `sizes` are the numbers of batches, and of boxes in each one.
  ChosenBoxes(KernelBuilder &kernel, Sizes sizes, Chooses chooses);

  /// The place of the chosen box number `at`, as an index; -1 if there is none.
  mlir::Value getPlace(ScalarBuilder &s, mlir::Value batch,
                       mlir::Value at) const;
  mlir::Value getCount(ScalarBuilder &s, mlir::Value batch) const;
  /// The rows of `boxes` that are chosen, then rows of -1. `getRow` says where
  /// a chosen box is.
  mlir::Value
  gather(KernelBuilder &kernel, mlir::Value boxes, const Sizes &sizes,
         llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::Value batch,
                                        mlir::Value place)>
             getRow) const;

private:
  mlir::Value places, size;
};

mlir::Value isNegative(ScalarBuilder &s, mlir::Value index);

/// A number of a box, whose batch and row are `box`.
mlir::Value loadField(ScalarBuilder &s, mlir::Value boxes, mlir::ValueRange box,
                      int64_t field);

/// The part of the area of two boxes that is in both. `load` reads number
/// `field`, of four, of the first or the second box.
mlir::Value buildOverlap(
    ScalarBuilder &s,
    llvm::function_ref<mlir::Value(bool isSecond, int64_t field)> load);

/// The boxes that non_max_suppression looks at. In each batch, only the first
/// ones count.
struct CandidateBoxes {
  CandidateBoxes(NonMaxSuppressionOp op, KernelBuilder &kernel);

  /// The scores of the boxes. The least number stands for those that do not
  /// count, so that they come last.
  mlir::Value buildScores();
  /// How many boxes of a batch are looked at.
  mlir::Value getLimit(ScalarBuilder &n, mlir::Value batch);

  NonMaxSuppressionOp op;
  KernelBuilder &kernel;
  mlir::Type type;
  mlir::Value boxes, counts;
  KernelBuilder::Sizes sizes;
  mlir::Value size;
};

llvm::LogicalResult legalizeAllClassNMS(AllClassNonMaxSuppressionOp op,
                                        KernelBuilder &kernel);
/// Lowers a suppression that changes scores.
llvm::LogicalResult legalizeSoftNMS(NonMaxSuppressionOp op,
                                    KernelBuilder &kernel);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LEGALIZE_BOXES_H
