//===- Search.cpp - Halving with verdicts ---------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <vector>

namespace partita::bisect {

namespace {
/// A search that halves.
struct Halving {
  Range range;
  /// The number of numbers around the middle that can't be judged.
  uint64_t skipped = 0;

  /// The number to judge next; nothing at the end.
  std::optional<uint64_t> next() const;
  void tell(Verdict verdict);
};

/// A search that doubles.
struct Doubling {
  uint64_t limit;
  uint64_t good = 0, at = 1;
  std::optional<Range> found = {};

  std::optional<uint64_t> next() const;
  void tell(Verdict verdict);
};
} // namespace

std::optional<uint64_t> Halving::next() const {
  if (range.good + 1 + skipped >= range.bad)
    return std::nullopt;
  uint64_t middle = range.good + (range.bad - range.good) / 2;
  uint64_t distance = (skipped + 1) / 2;
  return skipped % 2 != 0 ? middle + distance : middle - distance;
}

void Halving::tell(Verdict verdict) {
  if (verdict == Verdict::Skip) {
    ++skipped;
    return;
  }
  uint64_t at = *next();
  (verdict == Verdict::Bad ? range.bad : range.good) = at;
  skipped = 0;
}

std::optional<uint64_t> Doubling::next() const {
  return found || at >= limit ? std::nullopt : std::optional(at);
}

void Doubling::tell(Verdict verdict) {
  if (verdict == Verdict::Bad)
    found = Range{good, at};
  if (verdict == Verdict::Good)
    good = at;
  at *= 2;
}

/// Up to `count` numbers that `search` can ask for: the next, then the one
/// after each verdict about it, and so on.
template <typename SearchT>
static std::vector<uint64_t> lookAhead(const SearchT &search, size_t count) {
  std::vector<uint64_t> numbers;
  std::deque<SearchT> states = {search};
  while (numbers.size() < count && !states.empty()) {
    SearchT state = states.front();
    states.pop_front();
    std::optional<uint64_t> number = state.next();
    if (!number)
      continue;
    if (!llvm::is_contained(numbers, *number))
      numbers.push_back(*number);
    for (Verdict verdict : {Verdict::Good, Verdict::Bad})
      states.emplace_back(state).tell(verdict);
  }
  return numbers;
}

template <typename SearchT>
static SearchT run(SearchT search, Probe probe, Outlook outlook) {
  while (std::optional<uint64_t> number = search.next()) {
    if (outlook.prepare)
      outlook.prepare(lookAhead(search, outlook.count));
    search.tell(probe(*number));
  }
  return search;
}

Range narrow(Range range, Probe probe, Outlook outlook) {
  return run(Halving{range}, probe, outlook).range;
}

std::optional<Range> findBad(uint64_t limit, Probe probe, Outlook outlook) {
  return run(Doubling{limit}, probe, outlook).found;
}

} // namespace partita::bisect
