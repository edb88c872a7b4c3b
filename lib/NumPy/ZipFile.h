//===- ZipFile.h - Zip files ------------------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_NUMPY_ZIPFILE_H
#define PARTITA_LIB_NUMPY_ZIPFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <string>
#include <vector>

namespace partita {

/// A file in a zip file.
struct ZipMember {
  std::string name;
  llvm::StringRef data;
};

/// Reads a zip file, with 64-bit sizes, too. Data that are not compressed stay
/// in `file`; `memory` gets the others. Errors are a text behind "but found".
llvm::Expected<std::vector<ZipMember>> readZip(llvm::StringRef file,
                                               std::deque<std::string> &memory);

/// Writes a zip file without compression.
class ZipWriter {
public:
  explicit ZipWriter(llvm::raw_ostream &os) : os(os) {}

  /// Writes `head` and `data`, one after the other, as a file.
  void add(llvm::StringRef name, llvm::StringRef head, llvm::StringRef data);
  /// Writes the directory. Call it last.
  void finish();

private:
  void write(llvm::StringRef bytes);

  llvm::raw_ostream &os;
  uint64_t position = 0, numMembers = 0;
  std::string directory;
};

} // namespace partita

#endif // PARTITA_LIB_NUMPY_ZIPFILE_H
