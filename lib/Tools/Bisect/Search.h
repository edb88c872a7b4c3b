//===- Search.h - Halving with verdicts -------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search of partita-bisect, without processes and files.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_BISECT_SEARCH_H
#define PARTITA_LIB_TOOLS_BISECT_SEARCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace partita::bisect {

enum class Verdict { Good, Bad, Skip };

/// Numbers from a good one to a bad one.
struct Range {
  uint64_t good, bad;
  bool isExact() const { return bad == good + 1; }
};

/// Judges a run of that many steps or rewrites.
using Probe = llvm::function_ref<Verdict(uint64_t)>;

/// Hears, before a number is judged, of that number and of others that the
/// search can ask for next: up to `count` of them.
struct Outlook {
  size_t count = 0;
  llvm::function_ref<void(llvm::ArrayRef<uint64_t>)> prepare = {};
};

/// Halves `range` until it is exact, or no number inside it can be judged.
Range narrow(Range range, Probe probe, Outlook outlook = {});

/// Doubles from 1 on until a number is bad; nothing if all below `limit` are
/// good.
std::optional<Range> findBad(uint64_t limit, Probe probe, Outlook outlook = {});

} // namespace partita::bisect

#endif // PARTITA_LIB_TOOLS_BISECT_SEARCH_H
