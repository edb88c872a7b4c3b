//===- LinearSum.h - Sums of affine expressions -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_TIR_TRANSFORMS_LINEARSUM_H
#define PARTITA_LIB_DIALECT_TIR_TRANSFORMS_LINEARSUM_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/MapVector.h"

namespace partita::tir {

/// An affine expression as a number and terms with factors. A term is a
/// dimension, a quotient or a remainder; each is there once, in the order in
/// which the expression has them.
struct LinearSum {
  llvm::SmallMapVector<mlir::AffineExpr, int64_t, 8> terms;
  int64_t number = 0;

  LinearSum() = default;
  explicit LinearSum(mlir::AffineExpr expr) { add(expr, 1); }

  void add(mlir::AffineExpr expr, int64_t factor);
  void addTerm(mlir::AffineExpr term, int64_t factor);
  /// Brings the terms into the order of their places. Terms with the same place
  /// stay in their order.
  void
  sort(llvm::function_ref<bool(mlir::AffineExpr, mlir::AffineExpr)> isBefore);
  /// Brings the terms into an order that only depends on what they are.
  void sort();
  /// Turns `x floordiv c * c + y mod c` into `x` where `c` divides `x - y`, and
  /// `x - x floordiv c * c` into `x mod c`.
  void joinQuotients();
  /// `first * factor + second` is the sum. In `second` are the terms that
  /// `factor` does not divide, and a number from 0 to `factor - 1`.
  std::pair<LinearSum, LinearSum> split(int64_t factor) const;
  mlir::AffineExpr getExpr(mlir::MLIRContext *context) const;

private:
  bool joinQuotient(mlir::AffineExpr term, int64_t factor);
  bool takeRemainder(mlir::AffineExpr term, int64_t factor);
};

/// `a + b * factor`, with each term once.
mlir::AffineExpr add(mlir::AffineExpr a, mlir::AffineExpr b, int64_t factor);
/// `expr * factor`, with each term once.
mlir::AffineExpr multiply(mlir::AffineExpr expr, int64_t factor);

/// Turns `(x + 1) floordiv 3 + 5` into `(x + 16) floordiv 3`, as TVM writes a
/// quotient. `x floordiv 2 + 2` stays.
mlir::AffineExpr moveNumberIntoQuotient(mlir::AffineExpr expr);

/// Whether no number in `expr * factor` is so large that sums and products
/// could overflow, and `expr` does not have so many parts that it takes long.
bool isSmall(mlir::AffineExpr expr, int64_t factor = 1);

} // namespace partita::tir

#endif // PARTITA_LIB_DIALECT_TIR_TRANSFORMS_LINEARSUM_H
