//===- MemoryUse.h - The process's memory -----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_INSTRUMENT_MEMORYUSE_H
#define PARTITA_LIB_INSTRUMENT_MEMORYUSE_H

#include <cstdint>
#include <optional>

namespace partita::instrument {

/// The process's memory, in bytes; nothing if the platform does not measure it.
struct MemoryUse {
  /// The resident set, as counted by Linux, which may be off by some pages for
  /// each thread.
  std::optional<int64_t> resident;
  /// The bytes that malloc has given out, and its caches for threads (glibc's
  /// mallinfo2). Unknown with another allocator.
  std::optional<int64_t> heap;

  /// Measures only the resident set, which is faster.
  static std::optional<int64_t> measureResident();
};

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_MEMORYUSE_H
