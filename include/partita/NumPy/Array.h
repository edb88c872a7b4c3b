//===- Array.h - Arrays of numbers ------------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_NUMPY_ARRAY_H
#define PARTITA_NUMPY_ARRAY_H

#include "partita/NumPy/DType.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace partita {

/// An array whose elements somebody else holds. They are little endian, as the
/// processors that the runtime knows are.
struct Array {
  /// Empty in a file with one array.
  std::string name;
  DType dtype;
  llvm::SmallVector<int64_t, 4> shape;
  bool isFortran = false;
  llvm::StringRef data;

  size_t getNumElements() const { return data.size() / dtype.getBytes(); }
  /// The bits of the element at `index` in memory.
  uint64_t getBits(size_t index) const;
  /// "float32[2, 3]"
  std::string printType() const;
  /// The place of the element at `index`, of an array in C's order: "[1, 0]".
  std::string printPlace(size_t index) const;
};

/// The element with these bits as a number. Large integers are rounded.
double readNumber(DType dtype, uint64_t bits);

/// Prints the element with these bits. Floats have as many digits as their type
/// has, without the last, which compilers differ in.
void printElement(DType dtype, uint64_t bits, llvm::raw_ostream &os);

/// Fills memory for `count` elements with numbers that the seed decides: -1 to
/// 1, 0 to 9 for integers.
void fillRandomly(DType dtype, uint64_t count, uint64_t seed, char *data);

} // namespace partita

#endif // PARTITA_NUMPY_ARRAY_H
