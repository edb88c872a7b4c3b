//===- IntegerFacts.h - What is known about integers ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of TVM's arith::Analyzer that passes on prim_funcs need, by
// upstream's affine expressions and systems of linear constraints.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_TIR_TRANSFORMS_INTEGERFACTS_H
#define PARTITA_LIB_DIALECT_TIR_TRANSFORMS_INTEGERFACTS_H

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseSet.h"

namespace partita::tir {

/// Whether TVM computes indices and sizes in `type`.
bool isIndexInteger(mlir::Type type);

/// Whether `op` computes as on integers, without a wrap.
bool isExact(mlir::Operation *op);

/// Integers from `first` to `last`.
struct IntegerRange {
  int64_t first, last;
};

/// The range of a loop's variable or of an iterator, if it is constant.
std::optional<IntegerRange> getConstantRange(mlir::BlockArgument argument);

/// The values that a loop's variable or an iterator takes: `min`, and others in
/// steps. They end before `upper` or, if that is null, before `min + extent`.
struct Domain {
  mlir::Value min, upper, extent;
  /// 0 if it is not constant.
  int64_t step = 1;
  bool isUnsigned = false;
};

/// The domain of `argument`; nothing if it is no such variable.
std::optional<Domain> getDomain(mlir::BlockArgument argument);

/// The only value that a loop's variable or an iterator takes; null if it can
/// take others.
mlir::Value getOnlyValue(mlir::BlockArgument argument);

/// Whether `call` says that its operand, a condition, is mostly true.
bool isLikely(CallIntrinOp call);

/// What enclosing loops, conditions and blocks say about integers where an op
/// runs. As in TVM, arithmetic that is marked as not overflowing does not.
///
/// An integer is an affine expression of other values: dimension `i` of the
/// expression is `getLeaves()[i]`.
class IntegerFacts {
public:
  explicit IntegerFacts(mlir::Operation *op)
      : op(op), context(op->getContext()) {}

  /// `value` as an expression. Casts are looked through.
  mlir::AffineExpr getExpr(mlir::Value value);
  /// `expr`, without quotients and remainders that the facts determine.
  mlir::AffineExpr simplify(mlir::AffineExpr expr);
  llvm::ArrayRef<mlir::Value> getLeaves() const { return leaves; }
  /// Makes `value` a leaf, even if the facts determine it.
  mlir::AffineExpr keepLeaf(mlir::Value value);

  /// Adds that `condition` holds, or that it does not.
  void assume(mlir::Value condition, bool holds);

  /// Whether the facts imply `expr >= 0`.
  bool isNonNegative(mlir::AffineExpr expr);
  /// Whether a condition says that `lhs` and `rhs` are not equal.
  bool isKnownUnequal(mlir::AffineExpr lhs, mlir::AffineExpr rhs);
  /// Whether `condition` always holds, or never; nothing if neither is known.
  std::optional<bool> evaluate(mlir::Value condition);
  std::optional<bool> compare(mlir::arith::CmpIPredicate predicate,
                              mlir::AffineExpr lhs, mlir::AffineExpr rhs);

private:
  struct Fact {
    mlir::AffineExpr expr;
    bool isEquality;
  };
  /// Conditions with `value`, for at least one of them.
  struct Alternative {
    llvm::SmallVector<mlir::Value> conditions;
    bool value;
  };

  /// More facts are not looked at. No loop nest that people write has as many.
  static constexpr unsigned maxFacts = 128, maxDepth = 256;

  void gather();
  std::optional<IntegerRange> getRange(mlir::AffineExpr expr);
  std::optional<IntegerRange> getRangeOf(mlir::Operation *op);
  mlir::AffineExpr getLeaf(mlir::Value value, bool isDescribed = true);
  mlir::AffineExpr getOpExpr(mlir::Operation *op);
  mlir::AffineExpr getSumExpr(mlir::Operation *op);
  mlir::AffineExpr divide(mlir::AffineExpr expr, int64_t divisor, bool isMod);
  void describe(mlir::Value leaf);
  void describeProduct(mlir::Value leaf);
  void addAtLeast(mlir::AffineExpr expr, mlir::AffineExpr bound);
  void addDomain(mlir::BlockArgument argument);
  void addParent(mlir::Operation *parent, mlir::Operation *inner);
  void addComparison(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                     mlir::Value rhs);
  void addAlternative(mlir::Value condition, bool value);
  std::optional<bool> evaluateDirectly(mlir::Value condition);
  std::optional<bool> evaluateCases(const Alternative &alternative,
                                    mlir::Value condition);
  bool isImpossible(mlir::AffineExpr expr, bool isEquality);
  bool isZero(mlir::AffineExpr expr);
  bool isUnequal(mlir::AffineExpr difference);

  mlir::Operation *op;
  mlir::MLIRContext *context;
  bool isGathered = false;
  /// How deep calls are nested: chains of ops can be long.
  unsigned depth = 0;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> exprs;
  llvm::SmallVector<mlir::Value> leaves;
  llvm::DenseMap<mlir::Value, unsigned> leafNumbers;
  /// Products that are described.
  llvm::DenseSet<mlir::Value> products;
  llvm::SmallVector<Fact> facts;
  /// Whether a condition compares integers.
  bool hasConditions = false;
  /// Whether a loop has steps greater than 1.
  bool hasStride = false;
  /// Expressions that are not 0.
  llvm::SmallVector<mlir::AffineExpr> unequal;
  /// Conditions that hold, or do not.
  llvm::DenseMap<mlir::Value, bool> known;
  llvm::SmallVector<Alternative> alternatives;
};

/// Whether `load`, which is before `op` in its block, reads the place of
/// `buffer` at `indices`, and nothing writes memory until `op`.
bool stillHolds(mlir::Operation *load, mlir::Operation *op, mlir::Value buffer,
                mlir::ValueRange indices);

/// Whether `store` stores the number that its place holds already.
bool storesLoaded(mlir::Operation *store);

} // namespace partita::tir

#endif // PARTITA_LIB_DIALECT_TIR_TRANSFORMS_INTEGERFACTS_H
