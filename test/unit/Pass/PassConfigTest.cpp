//===- PassConfigTest.cpp - Config keys as C++ types ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/PassConfig.h"
#include "TestPasses.h"
#include "partita/Pass/PassContext.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::transform;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

static void expectDefaults(const PassContext &context) {
  EXPECT_FALSE(test::getTestFlag(context));
  EXPECT_EQ(test::getTestCount(context), 1);
  EXPECT_EQ(test::getTestScale(context), 0.5);
  EXPECT_EQ(test::getTestLabel(context), "none");
  EXPECT_THAT(test::getTestSizes(context), IsEmpty());
  test::UnrollConfig unroll = test::UnrollConfig::get(context);
  EXPECT_EQ(unroll.maxStep, 8);
  EXPECT_TRUE(unroll.explicitUnroll);
}

TEST(PassConfigTest, HasTheDefaultsOfTheRecords) {
  // Works before the keys are registered, too, because no key is set.
  expectDefaults(PassContext());
  test::registerTestConfigs();
  expectDefaults(PassContext());
}

TEST(PassConfigTest, HasWhatTheContextSays) {
  test::registerTestConfigs();
  PassContextOptions options;
  for (auto [key, value] : {std::pair("test.flag", "true"),
                            {"test.count", "7 : i8"},
                            {"test.scale", "2"},
                            {"test.label", "\"x, y\""},
                            {"test.sizes", "array<i64: 1, 2>"},
                            {"test.Unroll", "{max_step = -1}"}})
    options.config.emplace_back(
        key, llvm::cantFail(parsePassConfigValue(key, value)));
  PassContext context = llvm::cantFail(PassContext::create(options));
  EXPECT_TRUE(test::getTestFlag(context));
  EXPECT_EQ(test::getTestCount(context), 7);
  EXPECT_EQ(test::getTestScale(context), 2.0);
  EXPECT_EQ(test::getTestLabel(context), "x, y");
  EXPECT_THAT(test::getTestSizes(context), ElementsAre(1, 2));
  test::UnrollConfig unroll = test::UnrollConfig::get(context);
  EXPECT_EQ(unroll.maxStep, -1);
  EXPECT_TRUE(unroll.explicitUnroll);
}
