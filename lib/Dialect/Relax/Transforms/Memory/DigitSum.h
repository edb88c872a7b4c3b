//===- DigitSum.h - Indices as sums of digits of iterators ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_DIGITSUM_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_DIGITSUM_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace partita::relax {

/// A product of a positive number and symbols, which are positive integers.
class Factor {
public:
  Factor(int64_t number = 1) : number(number) {}
  static Factor getSymbol(mlir::Value symbol) {
    Factor factor;
    factor.symbols.push_back(symbol.getAsOpaquePointer());
    return factor;
  }

  bool isNumber() const { return symbols.empty(); }
  int64_t getNumber() const { return number; }
  bool isOne() const { return isNumber() && number == 1; }
  bool operator==(const Factor &other) const {
    return number == other.number && symbols == other.symbols;
  }

  /// Nothing if the number leaves 64 bits.
  std::optional<Factor> multiply(const Factor &other) const;
  /// Nothing if `other` does not divide this.
  std::optional<Factor> divide(const Factor &other) const;
  /// Whether this is known to be at most `other`.
  bool isAtMost(const Factor &other) const;

private:
  int64_t number;
  llvm::SmallVector<const void *, 2> symbols;
};

/// A sum of digits of iterators. An iterator counts from 0 to less than its
/// extent, and its digit (i // lower) % extent has a place value.
class DigitSum {
public:
  DigitSum() = default;
  static DigitSum getIterator(unsigned iterator, const Factor &extent);

  bool isDigit() const { return digits.size() == 1; }
  void add(const DigitSum &other) { digits.append(other.digits); }
  /// False if a number leaves 64 bits.
  bool multiply(const Factor &factor);
  /// The quotient and the remainder. Nothing if they are no such sums.
  std::optional<std::pair<DigitSum, DigitSum>>
  divide(const Factor &divisor) const;
  /// A factor that is more than all values of the sum, if there is one.
  std::optional<Factor> getEnd() const;
  /// This with `sum` in place of `iterator`. Digits of the iterator that are no
  /// such sums stay. Nothing if a number leaves 64 bits.
  std::optional<DigitSum> expand(unsigned iterator, const DigitSum &sum) const;
  /// Whether both are the same for all values of the iterators.
  bool equals(const DigitSum &other) const;

private:
  struct Digit {
    unsigned iterator;
    Factor lower, extent, place;
  };

  /// The digits of `digit` below and from `extent` on.
  static std::optional<std::pair<Digit, Digit>> split(const Digit &digit,
                                                      const Factor &extent);
  /// The digit with the bounds and the place of `digit`, of this sum.
  std::optional<DigitSum> getDigit(const Digit &digit) const;
  /// Makes one digit of those that continue each other, of one iterator. False
  /// if a number leaves 64 bits.
  static bool join(llvm::SmallVectorImpl<Digit> &digits);
  /// Whether it is known to be less than `limit`.
  bool isBelow(Factor limit) const;

  llvm::SmallVector<Digit, 0> digits;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_DIGITSUM_H
