//===- RunTest.cpp - Running passes on modules ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "partita/Dialect/TIR/IR/TIRDialect.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gmock/gmock.h"

using namespace mlir;
using partita::instrument::PassInstrument;
using partita::instrument::PassInstrumentRef;
using partita::instrument::Wants;
using testing::Each;
using testing::HasSubstr;

namespace partita::transform {
namespace {

/// Marks a function, which can be seen in the module.
void touch(Operation *function) {
  function->setAttr("test.touched", UnitAttr::get(function->getContext()));
}

Pass touchPass(StringRef name = "Touch") {
  return functionPass(name,
                      [](FunctionOpInterface function) { touch(function); });
}

using TouchFuncs = LambdaPass<func::FuncOp>;

/// The same as an mlir::Pass.
std::unique_ptr<TouchFuncs> createTouchFuncs() {
  return std::make_unique<TouchFuncs>(
      "unit-touch", [](TouchFuncs &pass) { touch(pass.getOperation()); });
}

class RunTest : public PassTest {
protected:
  /// The names of the functions that were touched.
  static std::string touched(Operation *module) {
    std::string names;
    module->walk([&](FunctionOpInterface function) {
      if (function->hasAttr("test.touched"))
        names += (names.empty() ? "" : " ") + function.getName().str();
    });
    return names;
  }
};

//===----------------------------------------------------------------------===//
// In place, and on a copy
//===----------------------------------------------------------------------===//

TEST_F(RunTest, RunWorksInPlace) {
  ASSERT_TRUE(succeeded(touchPass().run(*module)));
  EXPECT_EQ(touched(*module), "f g");
}

TEST_F(RunTest, CallingLeavesTheModuleAsItWas) {
  std::string before = print(*module);
  FailureOr<OwningOpRef<Operation *>> result = touchPass()(*module);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(touched(result->get()), "f g");
  EXPECT_EQ(print(*module), before);
}

TEST_F(RunTest, CallingLeavesTheModuleAsItWasWhenThePassFails) {
  std::string before = print(*module);
  Pass fails = modulePass("Fails", [](Operation *op) -> LogicalResult {
    return op->emitError("failed");
  });
  EXPECT_TRUE(failed(Sequential({touchPass(), fails})(*module)));
  EXPECT_EQ(print(*module), before);
  EXPECT_EQ(takeMessages(), "failed");
}

//===----------------------------------------------------------------------===//
// Function passes
//===----------------------------------------------------------------------===//

TEST_F(RunTest, FunctionPassesSkipAnnotatedFunctions) {
  module = parse("func.func @f() { return }\n"
                 "func.func @g() attributes {SkipOptimization} { return }\n"
                 "func.func @h() attributes {SkipOptimization = 0} { return }\n"
                 "func.func @i() attributes {SkipOptimization = 1} { return }\n"
                 "func.func @j() attributes {SkipOptimization = false} {"
                 " return }\n"
                 "func.func @k() attributes {SkipOptimization = true} {"
                 " return }");
  ASSERT_TRUE(succeeded(touchPass().run(*module)));
  EXPECT_EQ(touched(*module), "f h j");
}

TEST_F(RunTest, FunctionPassesGetTheModuleOfTheFunction) {
  module = parse("func.func @f() { return }\n"
                 "module @inner { func.func @g() { return } }");
  Pass pass = functionPass("F", [](FunctionOpInterface function,
                                   Operation *parent, const PassContext &) {
    EXPECT_EQ(parent, function->getParentOp());
  });
  EXPECT_TRUE(succeeded(pass.run(*module)));
}

TEST_F(RunTest, PrimFuncPassesRunOnPrimFuncsAlone) {
  context.getOrLoadDialect<tir::TIRDialect>();
  module = parse("func.func @f() { return }\n"
                 "tir.prim_func @p() { tir.return }\n"
                 "tir.prim_func @q() attributes {SkipOptimization} {"
                 " tir.return }");
  Pass pass = createPrimFuncPass(
      [&](FunctionOpInterface function, Operation *, const PassContext &) {
        log.add(function.getName());
        return success();
      },
      0, "F");
  EXPECT_TRUE(succeeded(pass.run(*module)));
  EXPECT_EQ(log.take(), "p");
}

TEST_F(RunTest, SoDoMLIRsPassesOnFunctions) {
  module = parse("func.func @f() { return }\n"
                 "module {\n"
                 "  func.func @g() attributes {SkipOptimization} { return }\n"
                 "  func.func @h() { return }\n"
                 "}\n"
                 "func.func @i() attributes {SkipOptimization} { return }");
  Pass pass = createPass("unit-touch", createTouchFuncs);
  ASSERT_TRUE(succeeded(pass.run(*module)));
  EXPECT_EQ(touched(*module), "f");
  // Each run looks for functions to leave alone, also with a plan that ran
  // before there were any.
  module->walk([](func::FuncOp func) { func->removeAttr("SkipOptimization"); });
  ASSERT_TRUE(succeeded(pass.run(*module)));
  EXPECT_EQ(touched(*module), "f i");
  module->walk([&](func::FuncOp func) {
    func->removeAttr("test.touched");
    func->setAttr("SkipOptimization", UnitAttr::get(&context));
  });
  ASSERT_TRUE(succeeded(pass.run(*module)));
  EXPECT_EQ(touched(*module), "");
}

TEST_F(RunTest, AModulePassCanAskForFunctionsToBeSkipped) {
  Pass annotate = modulePass("Annotate", [&](Operation *op) {
    cast<ModuleOp>(op).lookupSymbol("g")->setAttr(
        "SkipOptimization", UnitAttr::get(op->getContext()));
  });
  Pass touch = createPass("unit-touch", createTouchFuncs);
  ASSERT_TRUE(succeeded(Sequential({annotate, touch}).run(*module)));
  EXPECT_EQ(touched(*module), "f");
}

TEST_F(RunTest, AFunctionPassCannotChangeWhichFunctionsThereAre) {
  auto error = [&](FunctionPassFunc func) {
    module = parse("func.func @f() { return }\n"
                   "func.func @g() { return }");
    EXPECT_TRUE(
        failed(createFunctionPass(std::move(func), 0, "Bad").run(*module)));
    return takeMessages();
  };
  // One function does it, while the others wait.
  auto once = [](FunctionOpInterface function, StringRef name) {
    return function.getName() == name;
  };
  std::string prefix = "expected function pass 'Bad' to leave the functions of "
                       "the module as they are, but it ";
  std::string suffix = "; a module pass may do that";
  EXPECT_EQ(error([&](FunctionOpInterface function, Operation *op,
                      const PassContext &) {
              if (once(function, "f")) {
                OpBuilder builder =
                    OpBuilder::atBlockEnd(&op->getRegion(0).front());
                func::FuncOp::create(builder, op->getLoc(), "h",
                                     builder.getFunctionType({}, {}))
                    .setPrivate();
              }
              return success();
            }),
            prefix + "added @h" + suffix);
  EXPECT_EQ(error([&](FunctionOpInterface function, Operation *,
                      const PassContext &) {
              if (once(function, "g"))
                function.setName("renamed");
              return success();
            }),
            prefix + "renamed @g" + suffix);
  EXPECT_EQ(error([&](FunctionOpInterface function, Operation *,
                      const PassContext &) {
              if (once(function, "g"))
                function->erase();
              return success();
            }),
            prefix + "deleted @g" + suffix);
  EXPECT_EQ(error([&](FunctionOpInterface function, Operation *op,
                      const PassContext &) {
              if (once(function, "f"))
                function->moveBefore(&op->getRegion(0).front(),
                                     op->getRegion(0).front().end());
              return success();
            }),
            prefix + "moved @f" + suffix);
}

TEST_F(RunTest, AModulePassMayAddAndDelete) {
  Pass pass = modulePass("M", [](Operation *op) {
    cast<ModuleOp>(op).lookupSymbol("g")->erase();
  });
  ASSERT_TRUE(succeeded(pass.run(*module)));
  EXPECT_EQ(module->lookupSymbol("g"), nullptr);
}

TEST_F(RunTest, FunctionsThatFailAreNamedByTheirPlaces) {
  Pass pass =
      functionPass("F", [](FunctionOpInterface function) -> LogicalResult {
        if (function.getName() == "g")
          return function->emitError("failed on ") << function.getName();
        return success();
      });
  EXPECT_TRUE(failed(pass.run(*module)));
  EXPECT_EQ(takeMessages(), "failed on g");
}

TEST_F(RunTest, TheVerifierRunsAfterPasses) {
  Pass pass = modulePass("Breaks", [](Operation *op) {
    op->walk([](func::ReturnOp op) { op->erase(); });
  });
  EXPECT_TRUE(failed(Sequential({pass, logPass("After")}).run(*module)));
  EXPECT_EQ(log.take(), "");
  EXPECT_NE(takeMessages(), "");
  module = parse("func.func @f() { return }");
  RunOptions options;
  options.verify = false;
  EXPECT_TRUE(succeeded(Sequential({pass, logPass("After")})
                            .run(*module, PassContext::current(), options)));
  EXPECT_EQ(log.take(), "[After]");
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

TEST_F(RunTest, DiagnosticsAreKeptOnTheContext) {
  Pass warns = modulePass("Warns", [](Operation *op) {
    emitWarning(op->getLoc(), "careful").attachNote() << "see there";
  });
  Pass fails =
      functionPass("Fails", [](FunctionOpInterface function) -> LogicalResult {
        if (function.getName() != "f")
          return success();
        return emitError(
                   FileLineColLoc::get(function->getContext(), "a.mlir", 3, 7),
                   "no good: ")
               << function.getName();
      });
  PassContext passContext = createContext({});
  EXPECT_TRUE(failed(Sequential({warns, fails}).run(*module, passContext)));
  std::vector<PassDiagnostic> diagnostics = passContext.diagnostics();
  ASSERT_EQ(diagnostics.size(), 2u);
  EXPECT_EQ(diagnostics[0].severity, DiagnosticSeverity::Warning);
  EXPECT_EQ(diagnostics[0].message, "careful");
  ASSERT_EQ(diagnostics[0].notes.size(), 1u);
  EXPECT_EQ(diagnostics[0].notes[0], "see there");
  EXPECT_EQ(diagnostics[1].severity, DiagnosticSeverity::Error);
  EXPECT_EQ(diagnostics[1].message, "no good: f");
  EXPECT_EQ(diagnostics[1].location, "loc(\"a.mlir\":3:7)");
  EXPECT_EQ(passContext.takeDiagnostics().size(), 2u);
  EXPECT_TRUE(passContext.diagnostics().empty());
}

TEST_F(RunTest, DiagnosticsThatAreAskedForNameFunctionAndPass) {
  Pass fails =
      functionPass("Fails", [](FunctionOpInterface function) -> LogicalResult {
        if (function.getName() != "f")
          return success();
        return emitError(function->getLoc(), "no good");
      });
  std::vector<PassDiagnostic> inner;
  Pass catches =
      modulePass("Catches", [&](Operation *op, const PassContext &context) {
        RunOptions options;
        options.diagnostics = &inner;
        EXPECT_TRUE(failed(fails.run(op, context, options)));
      });
  auto notes = [](const std::vector<PassDiagnostic> &diagnostics) {
    EXPECT_EQ(diagnostics.size(), 1u);
    return llvm::join(diagnostics[0].notes, ", ");
  };
  RunOptions options;
  std::vector<PassDiagnostic> diagnostics;
  options.diagnostics = &diagnostics;
  PassContext passContext = createContext({});
  Pass sequential = Sequential({logPass("P"), fails}, {"S", 0, {}});
  EXPECT_TRUE(failed(sequential.run(*module, passContext, options)));
  EXPECT_EQ(notes(diagnostics), "in function @f, in pass 'Fails', in pass 'S'");
  // Only the contexts got them; of an inner run, only that run.
  EXPECT_EQ(passContext.takeDiagnostics().size(), 1u);
  diagnostics.clear();
  EXPECT_TRUE(succeeded(catches.run(*module, passContext, options)));
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(notes(inner), "in function @f, in pass 'Fails', in pass 'Catches'");
  EXPECT_EQ(passContext.takeDiagnostics().size(), 1u);
  // Nor if only the inner run asks.
  inner.clear();
  EXPECT_TRUE(succeeded(catches.run(*module, passContext)));
  EXPECT_EQ(inner.size(), 1u);
  EXPECT_EQ(passContext.takeDiagnostics().size(), 1u);
  EXPECT_EQ(takeMessages(), "");
}

TEST_F(RunTest, ErrorsThatAreKeptNameThePassesTheyCameFrom) {
  Pass fails = modulePass("Fails", [](Operation *op) -> LogicalResult {
    return emitError(op->getLoc(), "failed");
  });
  Pass outer =
      modulePass("Outer", [&](Operation *op) { return fails.run(op); });
  Pass onFunctions = functionPass(
      "OnFunctions", [](FunctionOpInterface function) -> LogicalResult {
        if (function.getName() == "f")
          return success();
        return emitError(function->getLoc(), "failed");
      });
  auto notes = [&](const Pass &pass) {
    PassContext passContext = createContext({});
    EXPECT_TRUE(failed(pass.run(*module, passContext)));
    std::vector<PassDiagnostic> diagnostics = passContext.diagnostics();
    EXPECT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(takeMessages(), "failed");
    return llvm::join(diagnostics[0].notes, ", ");
  };
  EXPECT_EQ(notes(fails), "in pass 'Fails'");
  EXPECT_EQ(notes(onFunctions), "in pass 'OnFunctions'");
  EXPECT_EQ(notes(Sequential({logPass("P"), fails}, {"S", 0, {}})),
            "in pass 'Fails', in pass 'S'");
  EXPECT_EQ(notes(Sequential({outer}, {"S", 0, {}})),
            "in pass 'Fails', in pass 'Outer', in pass 'S'");
  // Warnings do not.
  PassContext passContext = createContext({});
  Pass warns = modulePass(
      "Warns", [](Operation *op) { emitWarning(op->getLoc(), "careful"); });
  ASSERT_TRUE(succeeded(warns.run(*module, passContext)));
  EXPECT_TRUE(passContext.diagnostics()[0].notes.empty());
}

TEST_F(RunTest, PlanErrorsAreKeptToo) {
  PassContext passContext = createContext({});
  EXPECT_TRUE(failed(
      Sequential({logPass("P", 0, {"UnitNobody"})}).run(*module, passContext)));
  ASSERT_EQ(passContext.diagnostics().size(), 1u);
  EXPECT_EQ(passContext.diagnostics()[0].severity, DiagnosticSeverity::Error);
  EXPECT_THAT(passContext.diagnostics()[0].message, HasSubstr("'UnitNobody'"));
}

TEST_F(RunTest, DiagnosticsOfOtherThreadsAreNotKept) {
  PassContext passContext = createContext({});
  Pass pass = modulePass("P", [&](Operation *op) {
    std::thread([&] { emitError(op->getLoc(), "elsewhere"); }).join();
    emitWarning(op->getLoc(), "here");
  });
  EXPECT_TRUE(succeeded(pass.run(*module, passContext)));
  ASSERT_EQ(passContext.diagnostics().size(), 1u);
  EXPECT_EQ(passContext.diagnostics()[0].message, "here");
}

//===----------------------------------------------------------------------===//
// Passes that run passes
//===----------------------------------------------------------------------===//

TEST_F(RunTest, AModulePassRunsPasses) {
  Pass outer = modulePass("Outer", [&](Operation *op) {
    return Sequential({touchPass(), logPass("Inner")}, {"I", 0, {}}).run(op);
  });
  ASSERT_TRUE(succeeded(outer.run(*module, createContext({recorder("A")}))));
  EXPECT_EQ(touched(*module), "f g");
  // The inner run is under the context of the outer one.
  EXPECT_EQ(log.take(),
            "A.should:Outer A.before:Outer A.should:I A.before:I "
            "A.should:Touch A.before:Touch A.after:Touch A.should:Inner "
            "A.before:Inner [Inner] A.after:Inner A.after:I A.after:Outer");
}

TEST_F(RunTest, AModulePassRunsItself) {
  unsigned depth = 0;
  Pass outer;
  outer = modulePass("Outer", [&](Operation *op) {
    log.add(Twine(depth));
    return ++depth < 4 ? outer.run(op) : success();
  });
  ASSERT_TRUE(succeeded(outer.run(*module)));
  EXPECT_EQ(log.take(), "0 1 2 3");
  outer = Pass();
}

TEST_F(RunTest, AFunctionPassRunsPassesOnItsFunction) {
  std::string text;
  for (unsigned index = 0; index < 32; ++index)
    text += "func.func @f" + std::to_string(index) +
            "(%x: i32) -> i32 {\n"
            "  %0 = arith.addi %x, %x : i32\n"
            "  %1 = arith.addi %x, %x : i32\n"
            "  return %0 : i32\n"
            "}\n";
  module = parse(text);
  Pass cse = createPass("cse", createCSEPass);
  Pass canonicalize =
      createPass("canonicalize", [] { return createCanonicalizerPass(); });
  Pass inner = Sequential({cse, canonicalize});
  Pass outer = functionPass("Outer", [&](FunctionOpInterface function) {
    return inner.run(function);
  });
  for (unsigned round = 0; round < 3; ++round)
    ASSERT_TRUE(succeeded(outer.run(*module))) << takeMessages();
  unsigned adds = 0;
  module->walk([&](arith::AddIOp) { ++adds; });
  EXPECT_EQ(adds, 32u);
}

/// Needs a dialect that nobody else here has loaded.
Pass needyPass() {
  return lambdaPass<>("unit-needy", [](LambdaPass<> &) {}, /*needsArith=*/true);
}

TEST_F(RunTest, ANestedRunThatNeedsADialectIsAnError) {
  ASSERT_EQ(context.getLoadedDialect<arith::ArithDialect>(), nullptr);
  Pass needy = needyPass();
  Pass onModule = modulePass("M", [&](Operation *op) { return needy.run(op); });
  // In place, and on a function that is in no module.
  Pass onFunctions = functionPass("F", [&](FunctionOpInterface function) {
    OwningOpRef<Operation *> copy(function->clone());
    bool ranOnCopy = succeeded(needy.run(*copy));
    bool ran = succeeded(needy.run(function));
    EXPECT_EQ(ran, ranOnCopy);
    return success(ran);
  });
  // They must neither wait for themselves, nor load while others run.
  for (const Pass &pass : {onModule, onFunctions}) {
    EXPECT_TRUE(failed(pass.run(*module)));
    EXPECT_THAT(messages, Each(HasSubstr("found missing: arith")));
    EXPECT_NE(takeMessages(), "");
  }
  // A run from outside loads it.
  ASSERT_TRUE(succeeded(needy.run(*module)));
  EXPECT_NE(context.getLoadedDialect<arith::ArithDialect>(), nullptr);
  EXPECT_TRUE(succeeded(onModule.run(*module)));
  EXPECT_TRUE(succeeded(onFunctions.run(*module)));
}

TEST_F(RunTest, ANestedRunInAContextWithoutARegistry) {
  // A dialect that was loaded, but is in no registry.
  MLIRContext bare;
  bare.loadDialect<func::FuncDialect, arith::ArithDialect>();
  OwningOpRef<ModuleOp> op =
      parseSourceString<ModuleOp>("func.func @f() { return }", &bare);
  Pass needy = needyPass();
  Pass onModule = modulePass("M", [&](Operation *op) { return needy.run(op); });
  EXPECT_TRUE(succeeded(onModule.run(*op)));
}

TEST_F(RunTest, DiagnosticsOfNestedRunsAreKeptOnce) {
  Pass inner =
      functionPass("Inner", [](FunctionOpInterface function) -> LogicalResult {
        if (function.getName() == "g")
          return emitError(function->getLoc(), "inner");
        return success();
      });
  PassContext passContext = createContext({});
  Pass onModule = modulePass("M", [&](Operation *op) { return inner.run(op); });
  EXPECT_TRUE(failed(onModule.run(*module, passContext)));
  EXPECT_EQ(passContext.takeDiagnostics().size(), 1u);

  Pass failing = modulePass("Failing", [](Operation *op) -> LogicalResult {
    return emitError(op->getLoc(), "no luck");
  });
  auto runFailing = [&](Operation *op) {
    return Sequential({failing}).run(op);
  };
  EXPECT_TRUE(failed(modulePass("M", runFailing).run(*module, passContext)));
  std::vector<PassDiagnostic> diagnostics = passContext.takeDiagnostics();
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].message, "no luck");
  EXPECT_TRUE(failed(functionPass("F", runFailing).run(*module, passContext)));
  for (const PassDiagnostic &diagnostic : passContext.takeDiagnostics())
    EXPECT_EQ(diagnostic.message, "no luck");

  // If the inner run has its own context, both keep it.
  PassContext other = createContext({});
  Pass apart =
      modulePass("M", [&](Operation *op) { return inner.run(op, other); });
  EXPECT_TRUE(failed(apart.run(*module, passContext)));
  EXPECT_EQ(passContext.takeDiagnostics().size(), 1u);
  EXPECT_EQ(other.takeDiagnostics().size(), 1u);
}

//===----------------------------------------------------------------------===//
// Many runs
//===----------------------------------------------------------------------===//

TEST_F(RunTest, InstrumentsDoNotOutliveTheirContexts) {
  // The pipelines are kept, but not the instruments under which they ran.
  Pass cse = createPass("cse", createCSEPass);
  for (const Pass &pass : std::vector<Pass>{cse, Sequential({cse}),
                                            Sequential({cse, logPass("P")})})
    for (bool observes : {false, true}) {
      PassInstrumentRef instrument = recorder("A");
      if (!observes)
        instrument = std::make_shared<PassInstrument>("B", Wants::Records);
      std::weak_ptr<PassInstrument> weak = instrument;
      ASSERT_TRUE(
          succeeded(pass.run(*module, createContext({std::move(instrument)}))));
      EXPECT_TRUE(weak.expired());
    }
}

TEST_F(RunTest, OneContextServesManyThreads) {
  PassContextOptions options;
  options.optLevel = 3;
  PassContext passContext = create(options);
  Pass pass = Sequential({touchPass(), createPass("cse", createCSEPass),
                          createPass("unit-touch", createTouchFuncs)});
  std::vector<OwningOpRef<ModuleOp>> modules;
  for (unsigned index = 0; index < 8; ++index)
    modules.push_back(module->clone());
  runOnThreads(8, [&](unsigned index) {
    for (unsigned round = 0; round < 8; ++round)
      EXPECT_TRUE(succeeded(pass.run(*modules[index], passContext)));
  });
  for (auto &copy : modules)
    EXPECT_EQ(touched(*copy), "f g");
}

TEST_F(RunTest, OnePassServesManyMLIRContexts) {
  Pass pass = Sequential(
      {touchPass(), createPass("cse", createCSEPass),
       createPass("canonicalize", [] { return createCanonicalizerPass(); }),
       needyPass()});
  for (unsigned index = 0; index < 20; ++index) {
    MLIRContext other(index < 3 ? MLIRContext::Threading::ENABLED
                                : MLIRContext::Threading::DISABLED);
    other.loadDialect<func::FuncDialect>();
    OwningOpRef<ModuleOp> op =
        parseSourceString<ModuleOp>("func.func @f() { return }", &other);
    ASSERT_TRUE(succeeded(pass.run(*op)));
    EXPECT_EQ(touched(*op), "f");
    EXPECT_TRUE(other.getLoadedDialect<arith::ArithDialect>());
  }
}

TEST_F(RunTest, BadRootsAreErrors) {
  mlir::registerPass(createTouchFuncs);
  func::FuncOp func = *module->getOps<func::FuncOp>().begin();
  Operation *terminator = func.getBody().front().getTerminator();
  Pass cse = createPass("cse", createCSEPass);
  EXPECT_TRUE(failed(cse.run(terminator)));
  EXPECT_NE(takeMessages(), "");
  Pass touch = createPass("unit-touch", createTouchFuncs);
  EXPECT_TRUE(succeeded(touch.run(func)));
  EXPECT_EQ(touched(*module), "f");
  llvm::Expected<Pass> pipeline =
      parseSequential("builtin.module(func.func(unit-touch))");
  ASSERT_TRUE(bool(pipeline));
  EXPECT_TRUE(failed(pipeline->run(func)));
  EXPECT_NE(takeMessages().find("the root is 'func.func'"), std::string::npos);
}

} // namespace
} // namespace partita::transform
