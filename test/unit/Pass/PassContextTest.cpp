//===- PassContextTest.cpp - Scopes, enablement, instruments --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an embedder sees of PassContext that no command line shows: scopes, on
// one thread and several, and the order of entering and leaving.
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/PassContext.h"
#include "partita/Pass/PassConfig.h"

#include "gtest/gtest.h"

#include <thread>

using namespace partita::transform;
using partita::instrument::PassInstrument;

namespace {

PassContext create(PassContextOptions options) {
  return llvm::cantFail(PassContext::create(std::move(options)));
}

PassContext createWithLevel(int optLevel) {
  PassContextOptions options;
  options.optLevel = optLevel;
  return create(options);
}

/// Logs when it is entered and left; entering fails on demand.
class Recorder : public PassInstrument {
public:
  Recorder(llvm::StringRef name, std::string &log, bool failing = false)
      : PassInstrument(name), log(log), failing(failing) {}

  llvm::Error enterPassContext() override {
    log += "+" + getName().str();
    return failing ? llvm::createStringError("no entrance")
                   : llvm::Error::success();
  }
  llvm::Error exitPassContext() override {
    log += "-" + getName().str();
    return llvm::Error::success();
  }

private:
  std::string &log;
  bool failing;
};

TEST(PassContextTest, Defaults) {
  for (const PassContext &context :
       {PassContext(), create(PassContextOptions())}) {
    EXPECT_EQ(context.optLevel(), 2);
    EXPECT_TRUE(context.requiredPass().empty());
    EXPECT_TRUE(context.disabledPass().empty());
    EXPECT_TRUE(context.configs().empty());
    EXPECT_TRUE(context.instruments()->empty());
    EXPECT_TRUE(context.diagnostics().empty());
  }
}

TEST(PassContextTest, RejectsConfigsWithoutAValue) {
  registerPassConfigOption("unit.count", ConfigType::getInt(), "1", "A number");
  PassContextOptions options;
  options.config = {{"unit.count", nullptr}};
  llvm::Expected<PassContext> context = PassContext::create(options);
  ASSERT_FALSE(bool(context));
  EXPECT_EQ(llvm::toString(context.takeError()),
            "expected config 'unit.count' to have type int, but found none");
}

TEST(PassContextTest, RejectsNegativeLevels) {
  PassContextOptions options;
  options.optLevel = -1;
  llvm::Expected<PassContext> context = PassContext::create(options);
  ASSERT_FALSE(bool(context));
  EXPECT_NE(llvm::toString(context.takeError()).find("-1"), std::string::npos);
}

TEST(PassContextTest, InnerScopeReplacesOuterWhole) {
  PassContext before = PassContext::current();
  PassContextOptions outerOptions;
  outerOptions.optLevel = 3;
  outerOptions.disabledPass = {"A"};
  PassContext outer = create(outerOptions), inner = createWithLevel(1);
  {
    auto outerScope = llvm::cantFail(PassContextScope::enter(outer));
    EXPECT_EQ(PassContext::current(), outer);
    {
      auto innerScope = llvm::cantFail(PassContextScope::enter(inner));
      EXPECT_EQ(PassContext::current(), inner);
      EXPECT_TRUE(PassContext::current().disabledPass().empty());
    }
    EXPECT_EQ(PassContext::current(), outer);
  }
  EXPECT_EQ(PassContext::current(), before);
}

TEST(PassContextTest, LeavingOutOfOrderChangesNothing) {
  PassContext outer = createWithLevel(1), inner = createWithLevel(3);
  llvm::cantFail(outer.enterScope());
  llvm::cantFail(inner.enterScope());
  llvm::Error error = outer.exitScope();
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
  EXPECT_EQ(PassContext::current(), inner);
  llvm::cantFail(inner.exitScope());
  EXPECT_EQ(PassContext::current(), outer);
  llvm::cantFail(outer.exitScope());
}

TEST(PassContextTest, ScopesAreOfTheirThread) {
  PassContext context = createWithLevel(3);
  auto scope = llvm::cantFail(PassContextScope::enter(context));
  std::thread([&] {
    EXPECT_NE(PassContext::current(), context);
    llvm::Error error = context.exitScope();
    EXPECT_TRUE(bool(error));
    llvm::consumeError(std::move(error));
  }).join();
  EXPECT_EQ(PassContext::current(), context);
}

TEST(PassContextTest, WhatIsEnabled) {
  PassContextOptions options;
  options.optLevel = 2;
  options.requiredPass = {"Required", "Both"};
  options.disabledPass = {"Disabled", "Both"};
  PassContext context = create(options);
  EXPECT_TRUE(context.passEnabled({"Two", 2, {}}));
  EXPECT_FALSE(context.passEnabled({"Three", 3, {}}));
  EXPECT_TRUE(context.passEnabled({"Required", 3, {}}));
  EXPECT_FALSE(context.passEnabled({"Disabled", 0, {}}));
  EXPECT_FALSE(context.passEnabled({"Both", 0, {}}));
}

TEST(PassContextTest, InstrumentsEnterAndLeaveForwards) {
  std::string log;
  PassContextOptions options;
  options.instruments = {std::make_shared<Recorder>("a", log),
                         std::make_shared<Recorder>("b", log)};
  PassContext context = create(options);
  auto scope = llvm::cantFail(PassContextScope::enter(context));
  EXPECT_EQ(log, "+a+b");
  llvm::cantFail(scope.exit());
  EXPECT_EQ(log, "+a+b-a-b");
}

TEST(PassContextTest, FailedEntranceUnwinds) {
  std::string log;
  PassContextOptions options;
  options.instruments = {std::make_shared<Recorder>("a", log),
                         std::make_shared<Recorder>("b", log),
                         std::make_shared<Recorder>("c", log, true),
                         std::make_shared<Recorder>("d", log)};
  PassContext before = PassContext::current();
  PassContext context = create(options);
  llvm::Expected<PassContextScope> scope = PassContextScope::enter(context);
  ASSERT_FALSE(bool(scope));
  EXPECT_NE(llvm::toString(scope.takeError()).find("no entrance"),
            std::string::npos);
  EXPECT_EQ(log, "+a+b+c-b-a");
  EXPECT_TRUE(context.instruments()->empty());
  EXPECT_EQ(PassContext::current(), before);
}

} // namespace
