//===- RelaxIndexMap.h - Where a layout moves elements ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXINDEXMAP_H
#define PARTITA_DIALECT_RELAX_IR_RELAXINDEXMAP_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "mlir/IR/Attributes.h"

namespace partita::relax {

/// The indices of an element in a new layout: the part of TVM's `tirx.IndexMap`
/// that Partita knows. Each index is a sum, difference, product, quotient or
/// remainder of numbers and the element's indices in the old layout.
class IndexMap {
public:
  /// The map that a `#relax.opaque` holds; nothing if it holds none.
  static std::optional<IndexMap> get(mlir::Attribute attr);

  size_t getNumInitial() const { return numInitial; }
  size_t getNumFinal() const { return finalIndices.size(); }

  /// The new shape of a tensor of `shape`: for each index one more than its
  /// greatest value, or an unknown dimension.
  llvm::SmallVector<Dim> mapShape(llvm::ArrayRef<Dim> shape) const;

  /// Sets `to` to where the element at `from` goes; false if that can't be
  /// computed.
  bool mapIndices(llvm::ArrayRef<int64_t> from,
                  llvm::SmallVectorImpl<int64_t> &to) const;

  /// Whether this map brings every element of a tensor of `shape` back to where
  /// it was before `first`. False if that can't be told.
  bool undoes(const IndexMap &first, llvm::ArrayRef<Dim> shape) const;

private:
  class Reader;
  class Composer;

  enum class Kind {
    Unknown,
    Initial,
    Number,
    Add,
    Sub,
    Mul,
    FloorDiv,
    FloorMod
  };
  struct Expr {
    Kind kind = Kind::Unknown;
    /// The number, or the position of the old index.
    int64_t value = 0;
    /// The places of the operands in `exprs`.
    size_t a = 0, b = 0;
  };

  const Expr *getNumber(size_t expr) const {
    return exprs[expr].kind == Kind::Number ? &exprs[expr] : nullptr;
  }
  Dim getExtent(const Expr &expr, llvm::ArrayRef<Dim> extents) const;

  /// The value of `(index // lower) % (upper / lower)`, or, without an `upper`,
  /// of `index // lower`.
  struct Digit {
    size_t index;
    int64_t lower = 1;
    std::optional<int64_t> upper;
  };
  std::optional<Digit> getDigit(const Expr &expr) const;
  /// The new shape if the map only splits indices into digits, and each digit
  /// has its full range, since TVM pads the dimensions that are split. Nothing
  /// if the map does more.
  std::optional<llvm::SmallVector<Dim>>
  splitShape(llvm::ArrayRef<Dim> shape) const;

  size_t numInitial = 0;
  /// Operands come first.
  llvm::SmallVector<Expr> exprs;
  llvm::SmallVector<size_t> finalIndices;
};

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_IR_RELAXINDEXMAP_H
