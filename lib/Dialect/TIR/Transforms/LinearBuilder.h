//===- LinearBuilder.h - Ops from affine expressions ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_TIR_TRANSFORMS_LINEARBUILDER_H
#define PARTITA_LIB_DIALECT_TIR_TRANSFORMS_LINEARBUILDER_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace partita::tir {

/// Ops whose trees are larger are left alone.
inline constexpr unsigned maxTreeOps = 256;

/// Whether `op` computes an affine expression of its operands.
bool isLinear(mlir::Operation *op);

/// Whether `op` computes an affine expression that no other op goes on with: it
/// is simplified as a whole. A product of two variables has two expressions.
bool isExprRoot(mlir::Operation *op);

/// The number of ops of the tree that computes `value`, without the ops that
/// compute `leaves`; `limit` if there are more.
unsigned countOps(mlir::Value value, llvm::ArrayRef<mlir::Value> leaves,
                  unsigned limit);

/// Computes `expr`, whose dimensions are `leaves`. Terms are in the order in
/// which `roots` have them.
mlir::Value createExpr(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Type type, mlir::AffineExpr expr,
                       llvm::ArrayRef<mlir::Value> leaves,
                       llvm::ArrayRef<mlir::Value> roots);

/// The number of ops that createExpr makes, without constants.
unsigned countExprOps(mlir::Location loc, mlir::Type type,
                      mlir::AffineExpr expr,
                      llvm::ArrayRef<mlir::Value> leaves);

/// Whether all numbers in `expr`, and their opposites, are numbers of `type`.
bool hasSmallNumbers(mlir::AffineExpr expr, mlir::Type type);

/// Whether TVM would write `expr` in place of the tree that computes `value`:
/// with fewer ops, or in its order and without products of sums.
bool isSimpler(mlir::AffineExpr expr, mlir::Value value,
               llvm::ArrayRef<mlir::Value> leaves);

} // namespace partita::tir

#endif // PARTITA_LIB_DIALECT_TIR_TRANSFORMS_LINEARBUILDER_H
