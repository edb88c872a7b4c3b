//===- Search.cpp - Halving with verdicts ---------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"

namespace partita::bisect {

Range narrow(Range range, Probe probe) {
  // The number of numbers around the middle that can't be judged.
  uint64_t skipped = 0;
  while (range.good + 1 + skipped < range.bad) {
    uint64_t middle = range.good + (range.bad - range.good) / 2;
    uint64_t distance = (skipped + 1) / 2;
    uint64_t at = skipped % 2 != 0 ? middle + distance : middle - distance;
    Verdict verdict = probe(at);
    if (verdict == Verdict::Skip) {
      ++skipped;
      continue;
    }
    (verdict == Verdict::Bad ? range.bad : range.good) = at;
    skipped = 0;
  }
  return range;
}

std::optional<Range> findBad(uint64_t limit, Probe probe) {
  uint64_t good = 0;
  for (uint64_t at = 1; at < limit; at *= 2) {
    Verdict verdict = probe(at);
    if (verdict == Verdict::Bad)
      return Range{good, at};
    if (verdict == Verdict::Good)
      good = at;
  }
  return std::nullopt;
}

} // namespace partita::bisect
