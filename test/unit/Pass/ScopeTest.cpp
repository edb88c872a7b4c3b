//===- ScopeTest.cpp - Current contexts, and leaving scopes ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "partita/Pass/PassConfig.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/PassManager.h"

#include <thread>

using namespace mlir;

namespace partita::transform {
namespace {

class ScopeTest : public PassTest {
protected:
  static std::string leave(PassContext passContext) {
    return llvm::toString(passContext.exitScope());
  }
};

TEST_F(ScopeTest, AnInnerScopeReplacesTheOuterOneWhole) {
  PassContextOptions options;
  options.optLevel = 3;
  options.requiredPass = {"P"};
  options.disabledPass = {"Q"};
  options.instruments = {recorder("A")};
  PassContext before = PassContext::current(), outer = create(options),
              inner = withLevel(1);
  {
    auto outerScope = llvm::cantFail(PassContextScope::enter(outer));
    EXPECT_EQ(PassContext::current(), outer);
    {
      auto innerScope = llvm::cantFail(PassContextScope::enter(inner));
      PassContext current = PassContext::current();
      EXPECT_EQ(current, inner);
      EXPECT_EQ(current.optLevel(), 1);
      EXPECT_TRUE(current.requiredPass().empty());
      EXPECT_TRUE(current.disabledPass().empty());
      EXPECT_TRUE(current.instruments()->empty());
    }
    EXPECT_EQ(PassContext::current(), outer);
    EXPECT_EQ(PassContext::current().optLevel(), 3);
  }
  EXPECT_EQ(PassContext::current(), before);
}

TEST_F(ScopeTest, TheDefaultContextHasTVMsDefaults) {
  EXPECT_FALSE(PassContext::currentScope().has_value());
  PassContext current = PassContext::current();
  EXPECT_EQ(current.optLevel(), 2);
  EXPECT_EQ(current, PassContext::current());
  for (const PassContext &passContext :
       {PassContext(), create(PassContextOptions())}) {
    EXPECT_EQ(passContext.optLevel(), 2);
    EXPECT_TRUE(passContext.requiredPass().empty());
    EXPECT_TRUE(passContext.disabledPass().empty());
    EXPECT_TRUE(passContext.configs().empty());
    EXPECT_TRUE(passContext.instruments()->empty());
    EXPECT_TRUE(passContext.diagnostics().empty());
  }
  std::thread([&] { EXPECT_NE(PassContext::current(), current); }).join();
}

TEST_F(ScopeTest, BadOptionsAreErrors) {
  auto error = [](PassContextOptions options) {
    llvm::Expected<PassContext> passContext = PassContext::create(options);
    return passContext ? "" : llvm::toString(passContext.takeError());
  };
  registerPassConfigOption("unit.count", ConfigType::getInt(), "1", "A number");
  PassContextOptions options;
  options.config = {{"unit.count", nullptr}};
  EXPECT_EQ(error(options),
            "expected config 'unit.count' to have type int, but found none");
  options = {};
  options.optLevel = -1;
  EXPECT_NE(error(options).find("-1"), std::string::npos);
}

TEST_F(ScopeTest, LeavingInTheWrongOrder) {
  PassContext outer = withLevel(1), inner = withLevel(3), other = withLevel(0);
  EXPECT_EQ(leave(outer), "expected to leave the innermost pass context of "
                          "this thread, but this thread is in none");
  llvm::cantFail(outer.enterScope());
  llvm::cantFail(inner.enterScope());
  EXPECT_EQ(leave(outer),
            "expected to leave the innermost pass context of this thread, but "
            "another was entered after this one and not left");
  EXPECT_EQ(leave(other),
            "expected to leave the innermost pass context of this thread, but "
            "this one was not entered on this thread");
  EXPECT_EQ(PassContext::current(), inner);
  EXPECT_EQ(leave(inner), "");
  EXPECT_EQ(PassContext::current(), outer);
  EXPECT_EQ(leave(outer), "");
}

TEST_F(ScopeTest, LeavingOnAnotherThread) {
  PassContext passContext = createContext({recorder("A")});
  llvm::cantFail(passContext.enterScope());
  std::thread([&] {
    EXPECT_NE(PassContext::current(), passContext);
    EXPECT_NE(leave(passContext).find("this thread is in none"),
              std::string::npos);
  }).join();
  EXPECT_EQ(PassContext::current(), passContext);
  EXPECT_EQ(log.take(), "A.enter") << "exit ran for a scope that is not left";
  EXPECT_EQ(leave(passContext), "");
  EXPECT_EQ(log.take(), "A.exit");
}

TEST_F(ScopeTest, LeavingTwice) {
  auto scope = llvm::cantFail(PassContextScope::enter(withLevel(1)));
  llvm::cantFail(scope.exit());
  EXPECT_EQ(llvm::toString(scope.exit()),
            "expected a pass context scope that was not left before");
}

TEST_F(ScopeTest, AScopeThatFailsBeforeARunIsAbandoned) {
  struct Abandoned : instrument::PassInstrument {
    Abandoned() : PassInstrument("abandoned") {}
    llvm::Error abandonPassContext() override {
      ++count;
      return llvm::Error::success();
    }
    int count = 0;
  };
  auto abandoned = std::make_shared<Abandoned>();
  PassContext passContext = createContext({abandoned});
  auto leave = [&](bool runs, bool hasFailed) {
    auto scope = llvm::cantFail(PassContextScope::enter(passContext));
    if (runs) {
      EXPECT_TRUE(succeeded(modulePass("P", [](Operation *) {}).run(*module)));
    }
    llvm::cantFail(scope.exit(hasFailed));
    return std::exchange(abandoned->count, 0);
  };
  EXPECT_EQ(leave(/*runs=*/false, /*hasFailed=*/false), 0);
  EXPECT_EQ(leave(/*runs=*/true, /*hasFailed=*/true), 0);
  EXPECT_EQ(leave(/*runs=*/false, /*hasFailed=*/true), 1);
}

TEST_F(ScopeTest, AContextCanBeEnteredTwice) {
  PassContext passContext = withLevel(1);
  auto outer = llvm::cantFail(PassContextScope::enter(passContext));
  {
    auto inner = llvm::cantFail(PassContextScope::enter(passContext));
  }
  EXPECT_EQ(PassContext::current(), passContext);
}

//===----------------------------------------------------------------------===//
// Inside passes
//===----------------------------------------------------------------------===//

TEST_F(ScopeTest, APassCannotLeaveTheScopeItRunsIn) {
  PassContext passContext = createContext({recorder("A")});
  PassContext before = PassContext::current();
  auto scope = llvm::cantFail(PassContextScope::enter(passContext));
  Pass pass = modulePass("P", [&](Operation *, const PassContext &current) {
    EXPECT_NE(leave(current).find("inside a pass"), std::string::npos);
  });
  ASSERT_TRUE(succeeded(pass.run(*module)));
  EXPECT_EQ(PassContext::current(), passContext);
  llvm::cantFail(scope.exit());
  EXPECT_EQ(PassContext::current(), before);
  EXPECT_EQ(log.take(), "A.enter A.should:P A.before:P A.after:P A.exit");
}

TEST_F(ScopeTest, AScopeThatAPassLeavesOpenEndsWithIt) {
  PassContext passContext = withLevel(1), open = withLevel(3);
  PassContext before = PassContext::current();
  auto scope = llvm::cantFail(PassContextScope::enter(passContext));
  Pass pass =
      modulePass("P", [&](Operation *) { llvm::cantFail(open.enterScope()); });
  ASSERT_TRUE(succeeded(pass.run(*module)));
  EXPECT_EQ(PassContext::current(), passContext);
  EXPECT_NE(leave(open), "");
  llvm::cantFail(scope.exit());
  EXPECT_EQ(PassContext::current(), before);
}

TEST_F(ScopeTest, AScopeInsideAPassIsForWhatThePassRuns) {
  Pass inner = Sequential({logPass("Three", 3)});
  Pass pass = modulePass("P", [&](Operation *op) {
    auto scope = llvm::cantFail(PassContextScope::enter(withLevel(3)));
    return inner.run(op);
  });
  ASSERT_TRUE(succeeded(inner.run(*module)));
  EXPECT_EQ(log.take(), "");
  ASSERT_TRUE(succeeded(pass.run(*module)));
  EXPECT_EQ(log.take(), "[Three]");
}

//===----------------------------------------------------------------------===//
// The run's context is the current one
//===----------------------------------------------------------------------===//

class SnapshotTest : public ScopeTest {
protected:
  SnapshotTest() {
    registerPassInfo("unit-read-context", {"ReadContext", 0, {}},
                     /*readsPassContext=*/true);
    std::string text;
    for (unsigned index = 0; index < 16; ++index)
      text += "func.func @f" + std::to_string(index) + "() { return }\n";
    module = parse(text);
  }

  /// Logs the opt_level that it reads on MLIR's threads.
  Pass readPass() {
    return lambdaPass<func::FuncOp>(
        "unit-read-context", [this](LambdaPass<func::FuncOp> &) {
          log.add(Twine(PassContext::current().optLevel()));
        });
  }

  /// The levels that 16 functions read at opt_level 1.
  std::string ones() {
    return llvm::join(std::vector<std::string>(16, "1"), " ");
  }
};

TEST_F(SnapshotTest, OnWorkerThreads) {
  ASSERT_TRUE(succeeded(readPass().run(*module, withLevel(1))));
  EXPECT_EQ(log.take(), ones());
  EXPECT_EQ(PassContext::current().optLevel(), 2);
}

TEST_F(SnapshotTest, OnWorkerThreadsStepByStep) {
  PassContextOptions options;
  options.optLevel = 1;
  Log instrumentLog;
  options.instruments = {std::make_shared<Recorder>("A", instrumentLog)};
  ASSERT_TRUE(succeeded(
      Sequential({readPass(), readPass()}).run(*module, create(options))));
  EXPECT_EQ(log.take(), ones() + " " + ones());
}

TEST_F(SnapshotTest, InFunctionPasses) {
  Pass pass = functionPass(
      "F", [&](FunctionOpInterface, Operation *, const PassContext &current) {
        EXPECT_EQ(current, PassContext::current());
        log.add(Twine(PassContext::current().optLevel()));
      });
  ASSERT_TRUE(succeeded(pass.run(*module, withLevel(1))));
  EXPECT_EQ(log.take(), ones());
}

TEST_F(SnapshotTest, OnTheThreadOfACrashReproducer) {
  RunOptions options;
  options.configure = [](PassManager &pm) {
    pm.enableCrashReproducerGeneration(
        [](std::string &) -> std::unique_ptr<ReproducerStream> {
          return nullptr;
        });
    return success();
  };
  Pass callback = modulePass(
      "P", [&](Operation *op, const PassContext &current) -> LogicalResult {
        log.add("callback " + Twine(PassContext::current().optLevel()));
        return op->emitError("failed there");
      });
  ASSERT_TRUE(succeeded(readPass().run(*module, withLevel(1), options)));
  EXPECT_EQ(log.take(), ones());
  PassContext passContext = withLevel(1);
  EXPECT_TRUE(failed(callback.run(*module, passContext, options)));
  EXPECT_EQ(log.take(), "callback 1");
  // The context keeps the diagnostics of that thread, too.
  ASSERT_FALSE(passContext.diagnostics().empty());
  EXPECT_EQ(passContext.diagnostics().front().message, "failed there");
}

TEST_F(SnapshotTest, AnOverriddenInstrumentIsSeenByTheSameRun) {
  // The snapshot holds a handle: it is the same context, not a copy.
  PassContext passContext = withLevel(1);
  Pass pass = modulePass("P", [&](Operation *, const PassContext &current) {
    EXPECT_EQ(current, passContext);
  });
  ASSERT_TRUE(succeeded(pass.run(*module, passContext)));
}

} // namespace
} // namespace partita::transform
