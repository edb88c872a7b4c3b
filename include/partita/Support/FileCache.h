//===- FileCache.h - A directory of results by key --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_FILECACHE_H
#define PARTITA_SUPPORT_FILECACHE_H

#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <memory>
#include <string>

namespace partita {

/// A hash of contents.
using ContentHash = llvm::BLAKE3Result<32>;

/// A directory of results by key. Processes share it: each result is a file
/// that is complete as soon as it is there, and has a hash of its contents. The
/// files are named as LLVM's cache of ThinLTO names them, so that LLVM's tools
/// prune the directory, too.
class FileCache {
public:
  /// Makes the directory when the first result is written. Keeps at most
  /// `maxSize` bytes.
  FileCache(llvm::StringRef directory, uint64_t maxSize)
      : directory(directory), maxSize(maxSize) {}

  /// The result for `key`. Null if there is none, or if the file is damaged.
  std::unique_ptr<llvm::MemoryBuffer> get(const ContentHash &key) const;

  /// Keeps `contents` as the result for `key`.
  llvm::Error put(const ContentHash &key, llvm::StringRef contents);

  /// Removes the results that were not used for the longest time, until the
  /// others take at most `maxSize` bytes. Does so once a minute if less than a
  /// hundredth of `maxSize` was put since the last call.
  void prune();

  llvm::StringRef getDirectory() const { return directory; }

private:
  std::string getPath(const ContentHash &key) const;

  std::string directory;
  uint64_t maxSize;
  std::atomic<uint64_t> numWritten{0};
};

} // namespace partita

#endif // PARTITA_SUPPORT_FILECACHE_H
