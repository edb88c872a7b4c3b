//===- FileCache.cpp - A directory of results by key ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/FileCache.h"
#include "partita/Support/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>

namespace fs = llvm::sys::fs;

namespace partita {

static ContentHash getHash(llvm::StringRef contents) {
  llvm::BLAKE3 hasher;
  hasher.update(contents);
  return hasher.final<32>();
}

std::string FileCache::getPath(const ContentHash &key) const {
  return joinPath(directory,
                  "llvmcache-" + llvm::toHex(llvm::ArrayRef(key).take_front(20),
                                             /*LowerCase=*/true));
}

std::unique_ptr<llvm::MemoryBuffer>
FileCache::get(const ContentHash &key) const {
  // A pipe or a device may have no end.
  std::string path = getPath(key);
  if (!fs::is_regular_file(path))
    return nullptr;
  // Another process may cut the file off, so that it is read, not mapped.
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false,
                                          /*IsVolatile=*/true);
  if (!file)
    return nullptr;
  llvm::StringRef text = (*file)->getBuffer();
  if (text.size() < sizeof(ContentHash))
    return nullptr;
  llvm::StringRef contents = text.drop_front(sizeof(ContentHash));
  if (llvm::toStringRef(getHash(contents)) !=
      text.take_front(sizeof(ContentHash)))
    return nullptr;
  return llvm::MemoryBuffer::getMemBufferCopy(contents);
}

llvm::Error FileCache::put(const ContentHash &key, llvm::StringRef contents) {
  if (std::error_code code = fs::create_directories(directory))
    return makeFileError(code, "make the directory '" + directory + "'");
  std::string path = getPath(key);
  if (fs::exists(path) && !fs::is_regular_file(path))
    return llvm::createStringError("expected '" + path +
                                   "' to be a file, to write to it");
  numWritten += contents.size();
  return writeFile(path, [&](llvm::raw_ostream &os) {
    os << llvm::toStringRef(getHash(contents)) << contents;
    return llvm::Error::success();
  });
}

void FileCache::prune() {
  llvm::CachePruningPolicy policy;
  // Pruning looks at all files. A build starts many processes that write few.
  bool isSmall = numWritten.exchange(0) < maxSize / 100;
  policy.Interval = std::chrono::seconds(isSmall ? 60 : 0);
  policy.Expiration = std::chrono::seconds(0);
  // Zero means no bound to LLVM.
  policy.MaxSizeBytes = std::max<uint64_t>(maxSize, 1);
  llvm::pruneCache(directory, policy);
}

} // namespace partita
