//===- MemoryUse.h - What the process has of memory -------------*- C++ -*-===//
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

/// What the process has of memory, in bytes; nothing where the platform does
/// not tell.
struct MemoryUse {
  /// The resident set, as Linux counts it: give or take some pages for each
  /// thread.
  std::optional<int64_t> resident;
  /// What malloc has given out and not got back, with what it keeps for threads
  /// at hand (glibc's mallinfo2); not known of another allocator.
  std::optional<int64_t> heap;

  /// The resident set alone, which is quicker.
  static std::optional<int64_t> measureResident();
};

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_MEMORYUSE_H
