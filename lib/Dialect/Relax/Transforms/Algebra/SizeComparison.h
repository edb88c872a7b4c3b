//===- SizeComparison.h - Compare sums of products of sizes -----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_SIZECOMPARISON_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_SIZECOMPARISON_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace partita::relax {

/// The values that a size can have: from 1 to less than `end`, if there is one.
struct SizeLimits {
  int64_t first = 1;
  std::optional<int64_t> end;
};

/// A sum of products of sizes.
class SizeSum {
public:
  void add(llvm::ArrayRef<Dim> product) { addTimes(product, 1); }
  void subtract(llvm::ArrayRef<Dim> product) { addTimes(product, -1); }

  /// Whether it is more than 0 whatever the sizes are. Sizes that are
  /// expressions can be any.
  bool isPositive(const llvm::StringMap<SizeLimits> &limits) const;

private:
  /// Names, in order, with repetitions.
  using Names = llvm::SmallVector<unsigned, 4>;
  using Terms = std::map<Names, llvm::DynamicAPInt>;

  void addTimes(llvm::ArrayRef<Dim> product, int64_t factor);
  static void addTerm(Terms &terms, Names names, llvm::DynamicAPInt number);
  /// The terms with a number in place of a name.
  static Terms replace(const Terms &terms, unsigned name, int64_t number);
  /// The terms in what a name is more than `number`, under the same name.
  static Terms shift(const Terms &terms, unsigned name, int64_t number);
  /// Whether each term has each of its names once.
  bool isLinear() const;

  llvm::MapVector<mlir::StringAttr, unsigned> numbers;
  Terms terms;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_SIZECOMPARISON_H
