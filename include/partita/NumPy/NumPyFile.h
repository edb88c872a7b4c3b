//===- NumPyFile.h - Arrays in NumPy's files --------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_NUMPY_NUMPYFILE_H
#define PARTITA_NUMPY_NUMPYFILE_H

#include "partita/NumPy/Array.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <deque>
#include <memory>
#include <vector>

namespace partita {

/// A .npy or .npz file that was read.
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

/// Writes a .npz file without compression.
void writeNpz(llvm::ArrayRef<Array> arrays, llvm::raw_ostream &os);

} // namespace partita

#endif // PARTITA_NUMPY_NUMPYFILE_H
