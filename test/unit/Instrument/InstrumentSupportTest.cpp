//===- InstrumentSupportTest.cpp - Unified diffs --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instrument/LineDiff.h"

#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;

namespace partita::instrument {
namespace {

//===----------------------------------------------------------------------===//
// UnifiedDiff
//===----------------------------------------------------------------------===//

std::string joinLines(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

/// Applies `patch` to `before`. Checks the line numbers, the equal lines and
/// the removed lines.
std::vector<std::string> patch(const std::vector<std::string> &before,
                               StringRef diff) {
  std::vector<std::string> after;
  size_t next = 0;
  for (StringRef line : llvm::split(diff.rtrim('\n'), '\n')) {
    if (line.consume_front("@@ -")) {
      size_t begin = 0, count = 0, newBegin = 0, newCount = 0;
      EXPECT_FALSE(
          line.consumeInteger(10, begin) || !line.consume_front(",") ||
          line.consumeInteger(10, count) || !line.consume_front(" +") ||
          line.consumeInteger(10, newBegin) || !line.consume_front(",") ||
          line.consumeInteger(10, newCount));
      for (; next < begin - (count != 0); ++next)
        after.push_back(before[next]);
      EXPECT_EQ(after.size() + (newCount != 0), newBegin);
    } else if (line.consume_front("+")) {
      after.push_back(line.str());
    } else {
      EXPECT_LT(next, before.size());
      EXPECT_EQ(before[next], line.drop_front());
      if (line.front() == ' ')
        after.push_back(before[next]);
      ++next;
    }
  }
  for (; next < before.size(); ++next)
    after.push_back(before[next]);
  return after;
}

/// The length of the longest common subsequence, by the textbook algorithm.
size_t countCommon(const std::vector<std::string> &a,
                   const std::vector<std::string> &b) {
  std::vector<std::vector<size_t>> table(a.size() + 1,
                                         std::vector<size_t>(b.size() + 1));
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j)
      table[i][j] = a[i - 1] == b[j - 1]
                        ? table[i - 1][j - 1] + 1
                        : std::max(table[i - 1][j], table[i][j - 1]);
  return table.back().back();
}

TEST(UnifiedDiffTest, IsAPatch) {
  UnifiedDiff diff("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nX\nf\ng\nh\ni\n",
                   1);
  EXPECT_EQ(diff.text, "@@ -4,3 +4,3 @@\n d\n-e\n+X\n f\n"
                       "@@ -8,1 +8,2 @@\n h\n+i\n");
  EXPECT_EQ(diff.numAdded, 2u);
  EXPECT_EQ(diff.numRemoved, 1u);
  EXPECT_EQ(UnifiedDiff("a\nb\n", "a\nb\n", 3).text, "");
}

TEST(UnifiedDiffTest, IsTheSmallest) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 500; ++round) {
    auto make = [&] {
      std::vector<std::string> lines(1 + random() % 20);
      for (std::string &line : lines)
        line = std::string(1, char('a' + random() % 4));
      return lines;
    };
    std::vector<std::string> before = make(), after = make();
    UnifiedDiff diff(joinLines(before), joinLines(after), round % 4);
    if (before != after) {
      EXPECT_EQ(patch(before, diff.text), after) << diff.text;
    }
    size_t common = countCommon(before, after);
    EXPECT_EQ(diff.numAdded, after.size() - common);
    EXPECT_EQ(diff.numRemoved, before.size() - common);
  }
}

TEST(UnifiedDiffTest, ManyDifferencesAreOneChange) {
  std::vector<std::string> before = {"first"}, after = {"first"};
  for (unsigned line = 0; line < 3000; ++line) {
    before.push_back(std::to_string(line));
    after.push_back("new" + std::to_string(line));
  }
  before.emplace_back("last");
  after.emplace_back("last");
  UnifiedDiff diff(joinLines(before), joinLines(after), 3);
  EXPECT_EQ(diff.numAdded, 3000u);
  EXPECT_EQ(patch(before, diff.text), after);
}

} // namespace
} // namespace partita::instrument
