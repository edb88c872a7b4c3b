//===- Compare.h - Where arrays differ --------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_NUMPY_COMPARE_H
#define PARTITA_NUMPY_COMPARE_H

#include "partita/NumPy/Array.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace partita {

/// How far a number may be from the expected one: absolute + relative *
/// |expected|. If one of the two is not given, the dtype decides: 1e-2 for
/// floats of two bytes, 1e-4 for float32, 1e-9 for float64, 0 for integers. A
/// bool must be the same.
struct Tolerance {
  std::optional<double> relative, absolute;
};

/// The first array that differs, and its worst element.
struct Difference {
  /// None if there are more or fewer arrays.
  std::optional<size_t> output;
  /// Where that element is, and its values. Without a place, these are the
  /// types of the arrays, or their numbers.
  std::string place, expected, found;
  /// How many elements differ, and of how many.
  size_t numDifferent = 0, numElements = 0;

  /// As in "2 at [0, 3] of output 0 in place of 1 (4 of 10 elements differ)".
  std::string print() const;
};

/// NaN is the same as NaN. None if there is no difference.
std::optional<Difference> findDifference(llvm::ArrayRef<Array> expected,
                                         llvm::ArrayRef<Array> found,
                                         const Tolerance &tolerance);

} // namespace partita

#endif // PARTITA_NUMPY_COMPARE_H
