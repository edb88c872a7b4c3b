//===- DType.h - Types of elements ------------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_NUMPY_DTYPE_H
#define PARTITA_NUMPY_DTYPE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace partita {

/// The type of elements, as DLPack has it.
struct DType {
  uint8_t code = 0;
  uint8_t bits = 0;

  unsigned getBytes() const { return bits / 8; }
  bool isInteger() const;
  bool isFloat() const;
  bool operator==(DType other) const {
    return code == other.code && bits == other.bits;
  }
  bool operator!=(DType other) const { return !(*this == other); }
};

/// DLPack's codes.
enum DTypeCode : uint8_t {
  kIntCode = 0,
  kUIntCode = 1,
  kFloatCode = 2,
  kBFloatCode = 4,
  kComplexCode = 5,
  kBoolCode = 6,
  kFloat8E3M4Code = 7,
  kFloat8E4M3Code = 8,
  kFloat8E4M3B11FNUZCode = 9,
  kFloat8E4M3FNCode = 10,
  kFloat8E4M3FNUZCode = 11,
  kFloat8E5M2Code = 12,
  kFloat8E5M2FNUZCode = 13,
};

/// TVM's name of a type.
std::string getName(DType dtype);
/// The type with a name that code can compute with; one without bits if there
/// is none.
DType getDType(llvm::StringRef name);

/// The type in NumPy's files, without the order of bytes: "f4". NumPy has no
/// bfloat16. Its files have elements of two bytes without a kind, "V2", which
/// ml_dtypes.bfloat16 is written as. All floats of 8 bits are "V1" there, and
/// read as float8_e4m3fn. Empty if code cannot compute with it.
llvm::StringRef getNumPyName(DType dtype);
DType getNumPyDType(llvm::StringRef name);

/// Bits of a float as a number, and back.
double readReal(DType dtype, uint64_t bits);
uint64_t writeReal(DType dtype, double number);

} // namespace partita

#endif // PARTITA_NUMPY_DTYPE_H
