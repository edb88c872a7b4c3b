//===- StmtSimplifyForm.h - The form of TVM's expressions -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_TIR_TRANSFORMS_STMTSIMPLIFYFORM_H
#define PARTITA_LIB_DIALECT_TIR_TRANSFORMS_STMTSIMPLIFYFORM_H

#include "mlir/IR/PatternMatch.h"

namespace partita::tir {

/// Marks an op that keeps a name or a buffer from being erased.
inline constexpr llvm::StringLiteral keptName = "tir.keep";

/// Marks in the function what upstream's folders and the greedy driver change
/// and TVM leaves: names and buffers without uses, numbers in front, and the
/// types of indices.
void noteForm(mlir::Operation *func);

/// Restores what noteForm has marked, and writes comparisons as TVM does.
void restoreForm(mlir::Operation *func);

/// Appends the operands of a tree of binary ops, from left to right. `getInner`
/// gives the op of the tree that computes a value, or null. Returns whether the
/// operands are at most `limit`: a tree of shared ops can have exponentially
/// many.
bool appendOperands(mlir::Value value,
                    llvm::function_ref<mlir::Operation *(mlir::Value)> getInner,
                    unsigned limit,
                    llvm::SmallVectorImpl<mlir::Value> &operands);

/// Adds patterns for products of variables.
void populateProductPatterns(mlir::RewritePatternSet &set,
                             mlir::PatternBenefit benefit);

/// Adds patterns for comparisons of integers.
void populateComparisonPatterns(mlir::RewritePatternSet &set,
                                mlir::PatternBenefit benefit);

/// Adds patterns for minima and maxima of integers.
void populateExtremumPatterns(mlir::RewritePatternSet &set);

} // namespace partita::tir

#endif // PARTITA_LIB_DIALECT_TIR_TRANSFORMS_STMTSIMPLIFYFORM_H
