//===- InstrumentOrderTest.cpp - Order and failure of callbacks -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One callback of one of three instruments fails: which callbacks still follow,
// whether the context keeps its instruments, and who gets the error.
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::transform {
namespace {

//===----------------------------------------------------------------------===//
// The matrix
//===----------------------------------------------------------------------===//

struct Case {
  const char *failing; // the callback, or "pass"
  unsigned position;   // of the instrument
  const char *order;   // what is called
  bool keepsList;      // whether the context has its instruments at the end
  const char *message; // what the error says
};

class MatrixTest : public PassTest,
                   public ::testing::WithParamInterface<Case> {};

#define ENTER "A.enter B.enter C.enter "
#define SHOULD "A.should:P B.should:P C.should:P "
#define BEFORE "A.before:P B.before:P C.before:P "
#define EXIT "A.exit B.exit C.exit"

const Case cases[] = {
    {"enter", 0, "A.enter", false,
     "instrument 'A' failed to enter the pass context: no enter"},
    {"enter", 1, "A.enter B.enter A.exit", false,
     "instrument 'B' failed to enter the pass context: no enter"},
    {"enter", 2, "A.enter B.enter C.enter B.exit A.exit", false,
     "instrument 'C' failed to enter the pass context: no enter"},

    {"exit", 0, ENTER SHOULD BEFORE "[P] A.after:P B.after:P C.after:P A.exit",
     false, "instrument 'A' failed to exit the pass context: no exit"},
    {"exit", 1,
     ENTER SHOULD BEFORE "[P] A.after:P B.after:P C.after:P A.exit B.exit",
     false, "instrument 'B' failed to exit the pass context: no exit"},
    {"exit", 2, ENTER SHOULD BEFORE "[P] A.after:P B.after:P C.after:P " EXIT,
     false, "instrument 'C' failed to exit the pass context: no exit"},

    {"should", 0, ENTER "A.should:P " EXIT, true,
     "instrument 'A' failed should_run of pass 'P': no should"},
    {"should", 1, ENTER "A.should:P B.should:P " EXIT, true,
     "instrument 'B' failed should_run of pass 'P': no should"},
    {"should", 2, ENTER SHOULD EXIT, true,
     "instrument 'C' failed should_run of pass 'P': no should"},

    {"before", 0, ENTER SHOULD "A.before:P " EXIT, true,
     "instrument 'A' failed run_before_pass of pass 'P': no before"},
    {"before", 1, ENTER SHOULD "A.before:P B.before:P " EXIT, true,
     "instrument 'B' failed run_before_pass of pass 'P': no before"},
    {"before", 2, ENTER SHOULD BEFORE EXIT, true,
     "instrument 'C' failed run_before_pass of pass 'P': no before"},

    {"after", 0, ENTER SHOULD BEFORE "[P] A.after:P " EXIT, true,
     "instrument 'A' failed run_after_pass of pass 'P': no after"},
    {"after", 1, ENTER SHOULD BEFORE "[P] A.after:P B.after:P " EXIT, true,
     "instrument 'B' failed run_after_pass of pass 'P': no after"},
    {"after", 2, ENTER SHOULD BEFORE "[P] A.after:P B.after:P C.after:P " EXIT,
     true, "instrument 'C' failed run_after_pass of pass 'P': no after"},

    {"pass", 0, ENTER SHOULD BEFORE "[P] " EXIT, true, "the pass failed"},
};

TEST_P(MatrixTest, OrderListAndMessage) {
  const Case &param = GetParam();
  PassInstruments instruments;
  for (unsigned index = 0; index < 3; ++index) {
    std::set<std::string> failing;
    if (index == param.position)
      failing.insert(param.failing);
    instruments.push_back(recorder(StringRef("ABC").substr(index, 1), failing));
  }
  PassContext context = createContext(instruments);
  PassContext before = PassContext::current();
  Pass pass = modulePass("P", [&](Operation *op) -> LogicalResult {
    log.add("[P]");
    if (StringRef(param.failing) != "pass")
      return success();
    return op->emitError("the pass failed");
  });

  std::string error;
  llvm::Expected<PassContextScope> scope = PassContextScope::enter(context);
  if (!scope) {
    error = llvm::toString(scope.takeError());
    EXPECT_EQ(PassContext::current(), before) << "the context was pushed";
  } else {
    EXPECT_EQ(PassContext::current(), context);
    bool ran = succeeded(pass.run(*module));
    EXPECT_EQ(ran, StringRef(param.failing) == "exit");
    error = takeMessages();
    if (llvm::Error exitError = scope->exit())
      error += llvm::toString(std::move(exitError));
    EXPECT_EQ(PassContext::current(), before) << "the context was not popped";
  }
  EXPECT_EQ(log.take(), StringRef(param.order).rtrim().str());
  EXPECT_EQ(context.instruments()->size(), param.keepsList ? 3u : 0u);
  EXPECT_EQ(error, param.message);

  // The context can be used again, with the instruments that it has now.
  if (!param.keepsList) {
    auto again = llvm::cantFail(PassContextScope::enter(context));
    EXPECT_TRUE(succeeded(logPass("Q").run(*module)));
    llvm::cantFail(again.exit());
    EXPECT_EQ(log.take(), "[Q]");
  }
}

INSTANTIATE_TEST_SUITE_P(Instruments, MatrixTest, ::testing::ValuesIn(cases),
                         [](const ::testing::TestParamInfo<Case> &info) {
                           return info.param.failing +
                                  ("At" +
                                   std::string(1, 'A' + info.param.position));
                         });

//===----------------------------------------------------------------------===//
// Sequentials
//===----------------------------------------------------------------------===//

using InstrumentTest = PassTest;

TEST_F(InstrumentTest, ASequentialHasCallbacksAroundThoseOfItsMembers) {
  PassContext passContext = createContext({recorder("A"), recorder("B")});
  Pass pass = Sequential({logPass("P"), logPass("Q")}, {"S", 0, {}});
  auto scope = llvm::cantFail(PassContextScope::enter(passContext));
  ASSERT_TRUE(succeeded(pass.run(*module)));
  llvm::cantFail(scope.exit());
  EXPECT_EQ(log.take(),
            "A.enter B.enter "
            "A.should:S B.should:S A.before:S B.before:S "
            "A.should:P B.should:P A.before:P B.before:P [P] A.after:P "
            "B.after:P "
            "A.should:Q B.should:Q A.before:Q B.before:Q [Q] A.after:Q "
            "B.after:Q "
            "A.after:S B.after:S "
            "A.exit B.exit");
}

TEST_F(InstrumentTest, ShouldRunIsAskedOfAllAndOneVetoSkips) {
  auto a = recorder("A"), b = recorder("B"), c = recorder("C");
  a->skip = {"P"};
  Pass pass = Sequential({logPass("P"), logPass("Q")}, {"S", 0, {}});
  ASSERT_TRUE(succeeded(pass.run(*module, createContext({a, b, c}))));
  EXPECT_EQ(log.take(),
            "A.should:S B.should:S C.should:S A.before:S B.before:S C.before:S "
            "A.should:P B.should:P C.should:P "
            "A.should:Q B.should:Q C.should:Q A.before:Q B.before:Q C.before:Q "
            "[Q] A.after:Q B.after:Q C.after:Q "
            "A.after:S B.after:S C.after:S");
}

TEST_F(InstrumentTest, AVetoedSequentialIsSkippedWhole) {
  auto a = recorder("A");
  a->skip = {"Inner"};
  Pass inner = Sequential({logPass("P"), logPass("Q")}, {"Inner", 0, {}});
  Pass pass = Sequential({inner, logPass("R")}, {"S", 0, {}});
  ASSERT_TRUE(succeeded(pass.run(*module, createContext({a}))));
  EXPECT_EQ(log.take(), "A.should:S A.before:S A.should:Inner A.should:R "
                        "A.before:R [R] A.after:R A.after:S");
}

TEST_F(InstrumentTest, PassesInRequiredPassAreNotAskedShouldRun) {
  auto a = recorder("A");
  a->skip = {"P", "S"};
  PassContextOptions options;
  options.requiredPass = {"P", "S"};
  options.instruments = {a};
  Pass pass = Sequential({logPass("P", 4)}, {"S", 0, {}});
  ASSERT_TRUE(succeeded(pass.run(*module, create(options))));
  EXPECT_EQ(log.take(), "A.before:S A.before:P [P] A.after:P A.after:S");
}

TEST_F(InstrumentTest, APassThatIsNotEnabledHasNoCallbacks) {
  PassContextOptions options;
  options.disabledPass = {"P", "Inner"};
  options.instruments = {recorder("A")};
  Pass inner = Sequential({logPass("Q")}, {"Inner", 0, {}});
  Pass pass =
      Sequential({logPass("P"), logPass("High", 3), inner}, {"S", 0, {}});
  ASSERT_TRUE(succeeded(pass.run(*module, create(options))));
  EXPECT_EQ(log.take(), "A.should:S A.before:S A.after:S");
}

TEST_F(InstrumentTest, AFailureEndsTheSequentialToo) {
  for (const char *failing : {"should:Q", "before:Q", "after:Q"}) {
    Pass pass =
        Sequential({logPass("P"), logPass("Q"), logPass("R")}, {"S", 0, {}});
    PassContext passContext = createContext({recorder("A", {failing})});
    EXPECT_TRUE(failed(pass.run(*module, passContext)));
    std::string order = log.take();
    StringRef last = StringRef(order).rsplit(' ').second;
    EXPECT_EQ(last, ("A." + Twine(failing)).str());
    EXPECT_EQ(order.find("after:S"), std::string::npos);
    EXPECT_EQ(order.find("[R]"), std::string::npos);
    EXPECT_EQ(passContext.instruments()->size(), 1u);
    EXPECT_NE(takeMessages().find("of pass 'Q': no "), std::string::npos);
  }
}

TEST_F(InstrumentTest, OnceAPassAndModuleForFunctionPassesToo) {
  Pass pass = functionPass("F", [&](FunctionOpInterface) { log.add("[f]"); });
  ASSERT_TRUE(succeeded(pass.run(*module, createContext({recorder("A")}))));
  EXPECT_EQ(log.take(), "A.should:F A.before:F [f] [f] A.after:F");
}

//===----------------------------------------------------------------------===//
// Errors on errors
//===----------------------------------------------------------------------===//

TEST_F(InstrumentTest, ExitThatFailsWhileUnwindingFromEnter) {
  PassContext passContext =
      createContext({recorder("A", {"exit"}), recorder("B", {"exit"}),
                     recorder("C"), recorder("D", {"enter"})});
  auto scope = PassContextScope::enter(passContext);
  ASSERT_FALSE(bool(scope));
  // Every instrument that had entered is exited; the error of entering comes
  // first.
  EXPECT_EQ(log.take(), "A.enter B.enter C.enter D.enter C.exit B.exit A.exit");
  EXPECT_EQ(
      llvm::toString(scope.takeError()),
      "instrument 'D' failed to enter the pass context: no enter\n"
      "instrument 'B' failed to exit the pass context after that: no exit\n"
      "instrument 'A' failed to exit the pass context after that: no exit");
  EXPECT_TRUE(passContext.instruments()->empty());
}

TEST_F(InstrumentTest, ExitThatFailsAfterAFailedPass) {
  PassContext passContext =
      createContext({recorder("A", {"after", "exit"}), recorder("B")});
  auto scope = llvm::cantFail(PassContextScope::enter(passContext));
  EXPECT_TRUE(failed(logPass("P").run(*module)));
  EXPECT_EQ(llvm::toString(scope.exit()),
            "instrument 'A' failed to exit the pass context: no exit");
  EXPECT_TRUE(passContext.instruments()->empty());
}

TEST_F(InstrumentTest, AScopeThatEndsByItselfKeepsItsError) {
  PassContext passContext = createContext({recorder("A", {"exit"})});
  {
    auto scope = llvm::cantFail(PassContextScope::enter(passContext));
  }
  std::vector<PassDiagnostic> diagnostics = passContext.diagnostics();
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].message,
            "instrument 'A' failed to exit the pass context: no exit");
}

TEST_F(InstrumentTest, WithoutAScopeNothingIsEnteredOrLeft) {
  EXPECT_TRUE(failed(
      logPass("P").run(*module, createContext({recorder("A", {"before"})}))));
  EXPECT_EQ(log.take(), "A.should:P A.before:P");
}

//===----------------------------------------------------------------------===//
// overrideInstruments
//===----------------------------------------------------------------------===//

TEST_F(InstrumentTest, OverridingExitsTheOldAndEntersTheNew) {
  PassContext passContext = createContext({recorder("A"), recorder("B")});
  auto scope = llvm::cantFail(PassContextScope::enter(passContext));
  llvm::cantFail(passContext.overrideInstruments({recorder("C")}));
  ASSERT_TRUE(succeeded(logPass("P").run(*module)));
  llvm::cantFail(scope.exit());
  EXPECT_EQ(log.take(), "A.enter B.enter A.exit B.exit C.enter C.should:P "
                        "C.before:P [P] C.after:P C.exit");
}

TEST_F(InstrumentTest, OverridingWithAnExitThatFails) {
  PassContext passContext =
      createContext({recorder("A", {"exit"}), recorder("B")});
  auto scope = llvm::cantFail(PassContextScope::enter(passContext));
  llvm::Error error = passContext.overrideInstruments({recorder("C")});
  EXPECT_EQ(llvm::toString(std::move(error)),
            "instrument 'A' failed to exit the pass context: no exit");
  EXPECT_TRUE(passContext.instruments()->empty());
  llvm::cantFail(scope.exit());
  EXPECT_EQ(log.take(), "A.enter B.enter A.exit");
}

TEST_F(InstrumentTest, OverridingWithAnEnterThatFails) {
  PassContext passContext = createContext({recorder("A")});
  auto scope = llvm::cantFail(PassContextScope::enter(passContext));
  llvm::Error error = passContext.overrideInstruments(
      {recorder("B"), recorder("C", {"enter"})});
  EXPECT_EQ(llvm::toString(std::move(error)),
            "instrument 'C' failed to enter the pass context: no enter");
  EXPECT_TRUE(passContext.instruments()->empty());
  llvm::cantFail(scope.exit());
  EXPECT_EQ(log.take(), "A.enter A.exit B.enter C.enter B.exit");
}

TEST_F(InstrumentTest, OverridingWithNullChangesNothing) {
  PassContext passContext = createContext({recorder("A")});
  llvm::Error error = passContext.overrideInstruments({recorder("B"), nullptr});
  EXPECT_EQ(llvm::toString(std::move(error)),
            "expected instruments, but found a null one");
  EXPECT_EQ(passContext.instruments()->size(), 1u);
  EXPECT_EQ(log.take(), "");
}

/// In a Sequential whose second member replaces the instruments.
class OverrideInPassTest : public PassTest {
protected:
  std::string run(PassInstruments from, PassInstruments to) {
    Pass change = modulePass(
        "change",
        [&](Operation *op, const PassContext &current) -> LogicalResult {
          log.add("[change]");
          PassContext handle = current;
          if (llvm::Error error = handle.overrideInstruments(to))
            return op->emitError(llvm::toString(std::move(error)));
          return success();
        });
    Pass pass = Sequential({logPass("P"), change, logPass("Q")}, {"S", 0, {}});
    EXPECT_TRUE(succeeded(pass.run(*module, createContext(std::move(from)))));
    return log.take();
  }
};

TEST_F(OverrideInPassTest, TheNewOnesGetTheRemainingCallbacks) {
  EXPECT_EQ(run({recorder("A")}, {recorder("B")}),
            "A.should:S A.before:S A.should:P A.before:P [P] A.after:P "
            "A.should:change A.before:change [change] A.exit B.enter "
            "B.after:change B.should:Q B.before:Q [Q] B.after:Q B.after:S");
}

TEST_F(OverrideInPassTest, FromNone) {
  EXPECT_EQ(run({}, {recorder("B")}),
            "[P] [change] B.enter B.after:change B.should:Q B.before:Q [Q] "
            "B.after:Q B.after:S");
}

TEST_F(OverrideInPassTest, ToNone) {
  EXPECT_EQ(run({recorder("A")}, {}),
            "A.should:S A.before:S A.should:P A.before:P [P] A.after:P "
            "A.should:change A.before:change [change] A.exit [Q]");
}

} // namespace
} // namespace partita::transform
