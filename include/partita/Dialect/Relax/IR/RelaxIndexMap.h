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
#include "mlir/IR/ValueRange.h"

namespace partita::relax {

class OpaqueAttr;

/// The indices of an element in a new layout: the part of TVM's `tirx.IndexMap`
/// that Partita knows. Each index is a sum, difference, product, quotient or
/// remainder of numbers and the element's indices in the old layout.
class IndexMap {
public:
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

  /// The map that a `#relax.opaque` holds; nothing if it holds none.
  static std::optional<IndexMap> get(mlir::Attribute attr);
  /// The same map as `map`; nothing if TVM has none such.
  static std::optional<IndexMap> get(mlir::AffineMap map);

  /// A map without new indices. `numBits` is the width of its integers in TVM.
  explicit IndexMap(size_t numInitial, unsigned numBits = 64);

  /// Adds an expression, and returns its place. The old indices come first.
  size_t addNumber(int64_t number);
  size_t addBinary(Kind kind, size_t a, size_t b);
  /// Adds a new index, the expression at a place.
  void addFinal(size_t expr) { finalIndices.push_back(expr); }

  /// The map in TVM's JSON.
  OpaqueAttr getAttr(mlir::MLIRContext *context) const;
  /// Prints `(i0) -> (i0 // 4, i0 % 4)`; long indices are cut.
  void print(llvm::raw_ostream &os) const;

  size_t getNumInitial() const { return numInitial; }
  size_t getNumFinal() const { return finalIndices.size(); }

  /// The new shape of a tensor of `shape`: for each index one more than its
  /// greatest value, or an unknown dimension.
  llvm::SmallVector<Dim> mapShape(llvm::ArrayRef<Dim> shape) const;

  /// Sets `to` to where the element at `from` goes; false if that can't be
  /// computed.
  bool mapIndices(llvm::ArrayRef<int64_t> from,
                  llvm::SmallVectorImpl<int64_t> &to) const;

  /// Builds the new indices of the element at `from`.
  llvm::SmallVector<mlir::Value>
  compute(mlir::ValueRange from,
          llvm::function_ref<mlir::Value(int64_t)> makeNumber,
          llvm::function_ref<mlir::Value(Kind, mlir::Value, mlir::Value)>
              makeBinary) const;

  /// Whether this map brings every element of a tensor of `shape` back to where
  /// it was before `first`. False if that can't be told.
  bool undoes(const IndexMap &first, llvm::ArrayRef<Dim> shape) const;

  /// The map that brings every element of a tensor of `shape` back from where
  /// this map has moved it. What else it maps is padding: a dimension that is
  /// split is as great as its parts are together. Nothing if no such map is
  /// found.
  std::optional<IndexMap> invert(llvm::ArrayRef<Dim> shape) const;

private:
  class Reader;
  class Composer;
  class Inverter;

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

  /// What the sizes of dimensions that are split are multiples of, and 1 for
  /// others; empty if a number is too great.
  llvm::SmallVector<int64_t> getSplits() const;

  size_t numInitial;
  unsigned numBits;
  /// Operands come first.
  llvm::SmallVector<Expr> exprs;
  llvm::SmallVector<size_t> finalIndices;
};

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_IR_RELAXINDEXMAP_H
