//===- SearchTest.cpp - The search of partita-bisect ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bisect/Search.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <set>
#include <vector>

using namespace partita::bisect;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace {
/// Numbers from `firstBad` on are bad; numbers in `skipped` are not judged.
struct Subject {
  uint64_t firstBad;
  std::set<uint64_t> skipped = {};
  std::vector<uint64_t> probed = {};

  Verdict operator()(uint64_t at) {
    probed.push_back(at);
    if (skipped.count(at))
      return Verdict::Skip;
    return at < firstBad ? Verdict::Good : Verdict::Bad;
  }
};
} // namespace

TEST(SearchTest, FindsEachStepInLogarithmicTime) {
  for (uint64_t firstBad = 1; firstBad <= 60; ++firstBad) {
    Subject run{firstBad};
    Range found = narrow({0, 60}, [&](uint64_t at) { return run(at); });
    EXPECT_TRUE(found.isExact());
    EXPECT_EQ(found.bad, firstBad);
  }
  Subject run{37};
  narrow({0, 60}, [&](uint64_t at) { return run(at); });
  EXPECT_THAT(run.probed, ElementsAre(30, 45, 37, 33, 35, 36));
}

TEST(SearchTest, ProbesNothingInRangesWithoutAnInside) {
  for (Range range : {Range{0, 1}, Range{7, 8}, Range{0, 0}}) {
    Subject run{1};
    Range found = narrow(range, [&](uint64_t at) { return run(at); });
    EXPECT_EQ(found.good, range.good);
    EXPECT_EQ(found.bad, range.bad);
    EXPECT_THAT(run.probed, IsEmpty());
  }
}

TEST(SearchTest, PassesOverWhatCannotBeJudged) {
  Subject run{9, {5, 6, 4}};
  Range found = narrow({0, 10}, [&](uint64_t at) { return run(at); });
  EXPECT_TRUE(found.isExact());
  EXPECT_EQ(found.bad, 9u);
  EXPECT_THAT(run.probed, ElementsAre(5, 6, 4, 7, 8, 9));
}

TEST(SearchTest, KeepsTheRangeThatCannotBeJudged) {
  for (uint64_t size : {uint64_t(6), uint64_t(7)}) {
    Subject run{4, {1, 2, 3, 4, 5, 6}};
    Range found = narrow({0, size}, [&](uint64_t at) { return run(at); });
    EXPECT_EQ(found.good, 0u);
    EXPECT_EQ(found.bad, size);
    // Each once.
    EXPECT_THAT(run.probed, SizeIs(size - 1));
    EXPECT_THAT(std::set<uint64_t>(run.probed.begin(), run.probed.end()),
                SizeIs(size - 1));
  }
  Subject run{4, {3, 4}};
  Range found = narrow({0, 6}, [&](uint64_t at) { return run(at); });
  EXPECT_EQ(found.good, 2u);
  EXPECT_EQ(found.bad, 5u);
}

TEST(SearchTest, DoublesUntilOneIsBad) {
  Subject run{100};
  std::optional<Range> found =
      findBad(1 << 10, [&](uint64_t at) { return run(at); });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->good, 64u);
  EXPECT_EQ(found->bad, 128u);

  Subject first{1};
  found = findBad(1 << 10, [&](uint64_t at) { return first(at); });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->good, 0u);
  EXPECT_EQ(found->bad, 1u);

  // A skipped number does not count as good.
  Subject skipping{3, {2}};
  found = findBad(1 << 10, [&](uint64_t at) { return skipping(at); });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->good, 1u);
  EXPECT_EQ(found->bad, 4u);

  Subject none{UINT64_MAX};
  EXPECT_FALSE(findBad(1 << 4, [&](uint64_t at) { return none(at); }));
  EXPECT_THAT(none.probed, ElementsAre(1, 2, 4, 8));
}

/// What a search says that it can ask for, before each number.
template <typename SearchT>
static std::vector<std::vector<uint64_t>> getOutlooks(SearchT search) {
  std::vector<std::vector<uint64_t>> outlooks;
  search([&](llvm::ArrayRef<uint64_t> numbers) {
    outlooks.push_back(numbers.vec());
  });
  return outlooks;
}

TEST(SearchTest, LooksAheadAtBothVerdicts) {
  Subject run{37};
  auto halve = [&](auto prepare) {
    narrow({0, 60}, [&](uint64_t at) { return run(at); }, {3, prepare});
  };
  EXPECT_THAT(getOutlooks(halve),
              ElementsAre(ElementsAre(30, 45, 15), ElementsAre(45, 52, 37),
                          ElementsAre(37, 41, 33), ElementsAre(33, 35, 31),
                          ElementsAre(35, 36, 34), ElementsAre(36)));
  EXPECT_THAT(run.probed, ElementsAre(30, 45, 37, 33, 35, 36));

  Subject few{5};
  auto doubles = [&](auto prepare) {
    findBad(16, [&](uint64_t at) { return few(at); }, {3, prepare});
  };
  EXPECT_THAT(getOutlooks(doubles),
              ElementsAre(ElementsAre(1, 2, 4), ElementsAre(2, 4, 8),
                          ElementsAre(4, 8), ElementsAre(8)));
}
