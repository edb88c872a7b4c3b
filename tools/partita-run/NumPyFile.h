//===- NumPyFile.h - Arrays in NumPy's files --------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_RUN_NUMPYFILE_H
#define PARTITA_TOOLS_RUN_NUMPYFILE_H

#include "ZipFile.h"

#include "partita-c/Runtime.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace partita {

/// The type of elements, as DLPack has it.
struct DType {
  uint8_t code = 0;
  uint8_t bits = 0;

  unsigned getBytes() const { return bits / 8; }
  bool isInteger() const;
  bool operator==(DType other) const {
    return code == other.code && bits == other.bits;
  }
};

/// DLPack's codes.
enum DTypeCode : uint8_t {
  kIntCode = 0,
  kUIntCode = 1,
  kFloatCode = 2,
  kBFloatCode = 4,
  kBoolCode = 6,
};

/// TVM's name of a type that code can compute with, and the type of a name.
std::string getName(DType dtype);
DType getDType(llvm::StringRef name);
/// A float, of `dtype`, as bits; and back.
uint64_t writeReal(DType dtype, double number);
double readReal(DType dtype, uint64_t bits);

struct Array {
  /// Empty in a file with one array.
  std::string name;
  DType dtype;
  llvm::SmallVector<int64_t, 4> shape;
  bool isFortran = false;
  llvm::StringRef data;
};

/// A .npy or .npz file that was read.
///
/// NumPy has no bfloat16. Its files have elements of two bytes without a kind,
/// '<V2', which ml_dtypes.bfloat16 is written as.
class NumPyFile {
public:
  static llvm::Expected<NumPyFile> read(llvm::StringRef path);

  std::string path;
  std::vector<Array> arrays;
  /// Whether the arrays have names.
  bool isArchive = false;

private:
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::deque<std::string> memory;
};

/// Writes a .npz file without compression. Arrays are in C's order.
void writeNpz(llvm::ArrayRef<Array> arrays, llvm::raw_ostream &os);

} // namespace partita

#endif // PARTITA_TOOLS_RUN_NUMPYFILE_H
