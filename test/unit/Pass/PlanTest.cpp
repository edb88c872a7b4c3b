//===- PlanTest.cpp - Which passes run, in which order --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/Plan.h"
#include "Recorder.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace partita::transform {
namespace {

class PlanTest : public PassTest {
protected:
  static PassContext policy(int optLevel,
                            std::vector<std::string> required = {},
                            std::vector<std::string> disabled = {},
                            PassInstruments instruments = {}) {
    PassContextOptions options;
    options.optLevel = optLevel;
    options.requiredPass = std::move(required);
    options.disabledPass = std::move(disabled);
    options.instruments = std::move(instruments);
    return create(options);
  }

  /// The log of running `pass`.
  std::string run(const Pass &pass, const PassContext &passContext) {
    EXPECT_TRUE(succeeded(pass.run(*module, passContext))) << takeMessages();
    return log.take();
  }

  /// The error of planning `pass`, with nothing run.
  std::string planError(const Pass &pass, const PassContext &passContext) {
    EXPECT_TRUE(failed(pass.run(*module, passContext)));
    EXPECT_EQ(log.take(), "");
    return takeMessages();
  }

  /// A pass that `required` can name.
  void registerLogPass(StringRef name, int optLevel = 0,
                       std::vector<std::string> required = {}) {
    registerPass(logPass(name, optLevel, std::move(required)));
  }
};

//===----------------------------------------------------------------------===//
// Enablement
//===----------------------------------------------------------------------===//

TEST_F(PlanTest, Enabled) {
  PassContext passContext = policy(1, {"High", "Both"}, {"Low", "Both"});
  EXPECT_TRUE(passContext.passEnabled({"One", 1, {}}));
  EXPECT_FALSE(passContext.passEnabled({"Two", 2, {}}));
  EXPECT_TRUE(passContext.passEnabled({"High", 9, {}}));
  EXPECT_FALSE(passContext.passEnabled({"Low", 0, {}}));
  EXPECT_FALSE(passContext.passEnabled({"Both", 0, {}}));
}

TEST_F(PlanTest, MembersByLevelAndName) {
  Pass pass = Sequential({logPass("Zero"), logPass("Two", 2), logPass("Low"),
                          logPass("High", 9), logPass("Both")});
  EXPECT_EQ(run(pass, policy(1, {"High", "Both"}, {"Low", "Both"})),
            "[Zero] [High]");
  EXPECT_EQ(run(pass, policy(2)), "[Zero] [Two] [Low] [Both]");
}

TEST_F(PlanTest, APassRunDirectlyIgnoresLevelAndDisabledPass) {
  EXPECT_EQ(run(logPass("P", 9), policy(0, {}, {"P"})), "[P]");
  Pass sequential = Sequential({logPass("P", 9), logPass("Q")}, {"S", 9, {}});
  EXPECT_EQ(run(sequential, policy(0, {}, {"S"})), "[Q]");
}

TEST_F(PlanTest, APassRunDirectlyIgnoresRequired) {
  registerLogPass("UnitNeeded");
  EXPECT_EQ(run(logPass("P", 0, {"UnitNeeded"}), policy(2)), "[P]");
}

TEST_F(PlanTest, RequiredCallbacksThatHaveRun) {
  Pass needed = logPass("UnitReused");
  registerPass(needed);
  auto reuser = [&](bool reuses) {
    return createModulePass(
        [&](Operation *, const PassContext &) {
          log.add("[R]");
          return success();
        },
        {"R", 0, {"UnitReused"}, reuses});
  };
  Pass other = logPass("Other");
  EXPECT_EQ(run(Sequential({needed, reuser(false)}), policy(2)),
            "[UnitReused] [UnitReused] [R]");
  EXPECT_EQ(run(Sequential({needed, reuser(true)}), policy(2)),
            "[UnitReused] [R]");
  EXPECT_EQ(run(Sequential({needed, reuser(true)}),
                policy(2, {}, {}, {recorder("A")})),
            "A.should:sequential A.before:sequential A.should:UnitReused "
            "A.before:UnitReused [UnitReused] A.after:UnitReused A.should:R "
            "A.before:R [R] A.after:R A.after:sequential");
  EXPECT_EQ(run(Sequential({needed, other, reuser(true)}), policy(2)),
            "[UnitReused] [Other] [UnitReused] [R]");
  // Another callback with the same name can do something else.
  EXPECT_EQ(run(Sequential({logPass("UnitReused"), reuser(true)}), policy(2)),
            "[UnitReused] [UnitReused] [R]");
}

TEST_F(PlanTest, APassRunDirectlyObeysShouldRun) {
  auto a = recorder("A");
  a->skip = {"P"};
  EXPECT_EQ(run(logPass("P"), policy(2, {}, {}, {a})), "A.should:P");
}

TEST_F(PlanTest, NestedSequentials) {
  Pass inner = Sequential({logPass("P"), logPass("Q", 3)}, {"Inner", 1, {}});
  Pass outer = Sequential({inner, logPass("R"), inner}, {"Outer", 0, {}});
  EXPECT_EQ(run(outer, policy(2)), "[P] [R] [P]");
  EXPECT_EQ(run(outer, policy(0)), "[R]");
  EXPECT_EQ(run(outer, policy(3, {}, {"Inner"})), "[R]");
  EXPECT_EQ(run(outer, policy(0, {"Inner"})), "[P] [R] [P]");
}

//===----------------------------------------------------------------------===//
// PassInfo.required
//===----------------------------------------------------------------------===//

TEST_F(PlanTest, RequiredIsTransitiveDepthFirstAndNotDeduplicated) {
  registerLogPass("UnitLeaf", 9);
  registerLogPass("UnitLeft", 0, {"UnitLeaf"});
  registerLogPass("UnitRight", 0, {"UnitLeaf", "UnitLeft"});
  Pass owner = logPass("Owner", 0, {"UnitLeft", "UnitRight"});
  EXPECT_EQ(run(Sequential({owner}), policy(0)),
            "[UnitLeaf] [UnitLeft] [UnitLeaf] [UnitLeaf] [UnitLeft] "
            "[UnitRight] [Owner]");
  // Each owner brings its own required passes.
  EXPECT_EQ(run(Sequential({logPass("X", 0, {"UnitLeaf"}),
                            logPass("Y", 0, {"UnitLeaf"})}),
                policy(0)),
            "[UnitLeaf] [X] [UnitLeaf] [Y]");
}

TEST_F(PlanTest, RequiredIgnoresLevelAndDisabledPass) {
  registerLogPass("UnitHigh", 9);
  Pass owner = logPass("Owner", 0, {"UnitHigh"});
  EXPECT_EQ(run(Sequential({owner}), policy(0, {}, {"UnitHigh"})),
            "[UnitHigh] [Owner]");
  // A pass that does not run requires nothing.
  EXPECT_EQ(run(Sequential({owner}), policy(0, {}, {"Owner"})), "");
}

TEST_F(PlanTest, RequiredObeysShouldRunAndTheOwnerStillRuns) {
  registerLogPass("UnitVetoed");
  auto a = recorder("A");
  a->skip = {"UnitVetoed"};
  Pass owner = logPass("Owner", 0, {"UnitVetoed"});
  EXPECT_EQ(run(Sequential({owner}, {"S", 0, {}}), policy(2, {}, {}, {a})),
            "A.should:S A.before:S A.should:UnitVetoed A.should:Owner "
            "A.before:Owner [Owner] A.after:Owner A.after:S");
}

TEST_F(PlanTest, AVetoOfTheOwnerLeavesItsRequiredPasses) {
  registerLogPass("UnitStays");
  auto a = recorder("A");
  a->skip = {"Owner"};
  Pass owner = logPass("Owner", 0, {"UnitStays"});
  EXPECT_EQ(run(Sequential({owner}, {"S", 0, {}}), policy(2, {}, {}, {a})),
            "A.should:S A.before:S A.should:UnitStays A.before:UnitStays "
            "[UnitStays] A.after:UnitStays A.should:Owner A.after:S");
}

TEST_F(PlanTest, ARequiredSequential) {
  registerPass(
      Sequential({logPass("P"), logPass("Q", 3)}, {"UnitSequence", 9, {}}));
  EXPECT_EQ(run(Sequential({logPass("Owner", 0, {"UnitSequence"})}), policy(2)),
            "[P] [Owner]");
}

TEST_F(PlanTest, CyclesAreErrorsBeforeAnythingRuns) {
  registerLogPass("UnitA", 0, {"UnitB"});
  registerLogPass("UnitB", 0, {"UnitC"});
  registerLogPass("UnitC", 0, {"UnitB"});
  EXPECT_EQ(
      planError(Sequential({logPass("First"), logPass("P", 0, {"UnitA"})}),
                policy(2)),
      "expected no pass to require itself, but found 'UnitB' -> 'UnitC' "
      "-> 'UnitB'");
  EXPECT_EQ(planError(Sequential({logPass("UnitA", 0, {"UnitB"})}), policy(2)),
            "expected no pass to require itself, but found 'UnitB' -> 'UnitC' "
            "-> 'UnitB'");
  // Through the members of a required Sequential.
  registerPass(
      Sequential({logPass("Looper", 0, {"UnitLoop"})}, {"UnitLoop", 0, {}}));
  EXPECT_EQ(
      planError(Sequential({logPass("Looper", 0, {"UnitLoop"})}), policy(2)),
      "expected no pass to require itself, but found 'UnitLoop' -> "
      "'Looper' -> 'UnitLoop'");
}

TEST_F(PlanTest, AnUnknownRequiredPassIsAnErrorBeforeAnythingRuns) {
  registerLogPass("UnitKnown");
  EXPECT_EQ(planError(Sequential({logPass("First"),
                                  logPass("Owner", 0, {"UnitKnwon"})}),
                      policy(2)),
            "expected the passes that 'Owner' requires to be registered, but "
            "found 'UnitKnwon' (did you mean 'UnitKnown'?)");
  // Not if the owner does not run.
  EXPECT_EQ(run(Sequential({logPass("Owner", 3, {"UnitKnwon"})}), policy(2)),
            "");
}

TEST_F(PlanTest, ARequiredPassThatIsOnlyAPassInfo) {
  registerPassInfo("unit-ghost", {"UnitGhost", 0, {}});
  for (const char *name : {"UnitGhost", "unit-ghost"})
    EXPECT_EQ(
        planError(Sequential({logPass("First"), logPass("Owner", 0, {name})}),
                  policy(2)),
        "expected the passes that 'Owner' requires to be made, but: "
        "expected a pass 'unit-ghost' to be registered with MLIR, but "
        "found only the PassInfo of 'UnitGhost', but not the pass");
}

TEST_F(PlanTest, ASequentialThatHoldsItself) {
  PassDeclaration declaration;
  declaration.info = {"UnitSelf", 0, {}};
  declaration.members = {"UnitOther"};
  registerPass(declaration);
  declaration.info.name = "UnitOther";
  declaration.members = {"UnitSelf"};
  registerPass(declaration);
  llvm::Expected<Pass> pass = getPass("UnitSelf");
  ASSERT_FALSE(bool(pass));
  EXPECT_EQ(llvm::toString(pass.takeError()),
            "expected no Sequential to hold itself, but found 'UnitSelf' -> "
            "'UnitOther' -> 'UnitSelf'");
  EXPECT_NE(planError(Sequential({logPass("P", 0, {"UnitSelf"})}), policy(2))
                .find("to hold itself"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST_F(PlanTest, EveryNameOfAPassNamesIt) {
  PassDeclaration declaration;
  declaration.info = {"UnitFold", 3, {}};
  declaration.argument = "unit-fold";
  declaration.qualifiedName = "relax.transform.UnitFold";
  registerPass(declaration);
  Pass pass = Sequential({logPass("UnitFold", 3)});
  for (const char *name : {"UnitFold", "unit-fold", "relax.transform.UnitFold",
                           "relay._transform.UnitFold"}) {
    EXPECT_EQ(run(pass, policy(0, {name})), "[UnitFold]") << name;
    EXPECT_EQ(run(pass, policy(3, {}, {name})), "") << name;
    EXPECT_EQ(canonicalPassName(name), "UnitFold");
    ASSERT_TRUE(lookupPass(name)) << name;
  }
  // Names match exactly.
  for (const char *name : {"unitfold", "UnitFold ", "unit_fold", "Unit"}) {
    EXPECT_EQ(run(pass, policy(0, {name})), "") << name;
    EXPECT_EQ(run(pass, policy(3, {}, {name})), "[UnitFold]") << name;
  }
}

TEST_F(PlanTest, ANameBehindADotNamesThePassThatWasFirst) {
  for (const char *name : {"one.UnitDotted", "two.UnitDotted"}) {
    PassDeclaration declaration;
    declaration.info = {name, 3, {}};
    registerPass(declaration);
  }
  Pass pass =
      Sequential({logPass("one.UnitDotted", 3), logPass("two.UnitDotted", 3)});
  EXPECT_EQ(run(pass, policy(0, {"UnitDotted"})), "[one.UnitDotted]");
  EXPECT_EQ(run(pass, policy(0, {"two.UnitDotted"})), "[two.UnitDotted]");
}

TEST_F(PlanTest, MisspeltNamesAreWarningsOncePerRun) {
  Pass pass = Sequential({logPass("MisspeltPlain"), logPass("MisspeltPlain")});
  PassContext passContext =
      policy(2, {"MisspeltPlane"}, {"MisspeltPlian", "Qwertyuiop"});
  EXPECT_EQ(run(pass, passContext), "[MisspeltPlain] [MisspeltPlain]");
  EXPECT_EQ(takeMessages(),
            "expected the names in required_pass to be passes, but found "
            "'MisspeltPlane' (did you mean 'MisspeltPlain'?)\n"
            "expected the names in disabled_pass to be passes, but found "
            "'MisspeltPlian' (did you mean 'MisspeltPlain'?)\n"
            "expected the names in disabled_pass to be passes, but found "
            "'Qwertyuiop'");
  std::vector<PassDiagnostic> diagnostics = passContext.takeDiagnostics();
  ASSERT_EQ(diagnostics.size(), 3u);
  EXPECT_EQ(diagnostics[0].severity, DiagnosticSeverity::Warning);
}

//===----------------------------------------------------------------------===//
// The plan as an object
//===----------------------------------------------------------------------===//

TEST_F(PlanTest, PlansAreCachedPerPassAndPolicy) {
  Pass pass = Sequential({logPass("P"), logPass("Q", 3)});
  auto first = llvm::cantFail(Plan::get(pass, policy(2)));
  // A context with the same policy shares the plan, with any instruments and
  // config.
  EXPECT_EQ(first, llvm::cantFail(
                       Plan::get(pass, policy(2, {}, {}, {recorder("A")}))));
  EXPECT_NE(first, llvm::cantFail(Plan::get(pass, policy(3))));
  EXPECT_NE(first, llvm::cantFail(Plan::get(pass, policy(2, {"P"}))));
  EXPECT_NE(first, llvm::cantFail(Plan::get(pass, policy(2, {}, {"P"}))));
  EXPECT_NE(first,
            llvm::cantFail(Plan::get(Sequential({logPass("P")}), policy(2))));
  EXPECT_EQ(first, llvm::cantFail(Plan::get(pass, policy(2))));
}

TEST_F(PlanTest, ARegistrationMakesPlansStale) {
  registerLogPass("UnitOld");
  Pass pass = Sequential({logPass("P", 0, {"UnitOld"})});
  auto first = llvm::cantFail(Plan::get(pass, policy(2)));
  EXPECT_EQ(run(pass, policy(2)), "[UnitOld] [P]");
  registerPass(modulePass("UnitOld", [&](Operation *) { log.add("[new]"); }));
  EXPECT_NE(first, llvm::cantFail(Plan::get(pass, policy(2))));
  EXPECT_EQ(run(pass, policy(2)), "[new] [P]");
}

TEST_F(PlanTest, ARegistrationMakesContextsNamesStale) {
  PassContext passContext = policy(0, {"unit-late"});
  EXPECT_FALSE(passContext.passEnabled({"UnitLate", 3, {}}));
  PassDeclaration declaration;
  declaration.info = {"UnitLate", 3, {}};
  declaration.argument = "unit-late";
  registerPass(declaration);
  EXPECT_TRUE(passContext.passEnabled({"UnitLate", 3, {}}));
}

TEST_F(PlanTest, PrintsAReasonForEachLine) {
  registerLogPass("UnitNeeded", 9);
  Pass inner = Sequential({logPass("Low")}, {"Inner", 0, {}});
  Pass pass =
      Sequential({logPass("Owner", 1, {"UnitNeeded"}), logPass("High", 3),
                  logPass("Forced", 3), logPass("Banned"), inner,
                  Sequential({logPass("X")}, {"Closed", 4, {}})},
                 {"Root", 0, {}});
  auto plan = llvm::cantFail(
      Plan::get(pass, policy(2, {"Forced"}, {"Banned", "UnitNeeded"})));
  std::string text;
  llvm::raw_string_ostream os(text);
  plan->print(os);
  EXPECT_EQ(text,
            "plan at opt_level 2:\n"
            "      Root          runs: requested directly\n"
            "   1    UnitNeeded  runs: required by 'Owner', although named in "
            "disabled_pass\n"
            "   2    Owner       runs: opt_level 1 <= 2\n"
            "   -    High        skipped: opt_level 3 > 2\n"
            "   3    Forced      runs: named in required_pass\n"
            "   -    Banned      skipped: named in disabled_pass\n"
            "        Inner       runs: opt_level 0 <= 2\n"
            "   4      Low       runs: opt_level 0 <= 2\n"
            "   -    Closed      skipped: opt_level 4 > 2\n");
}

TEST_F(PlanTest, NullPassesAreErrors) {
  EXPECT_NE(planError(Pass(), policy(2)).find("null"), std::string::npos);
  EXPECT_NE(
      planError(Sequential({logPass("P"), Pass()}), policy(2)).find("null"),
      std::string::npos);
  PassContextOptions options;
  options.instruments = {nullptr};
  llvm::Expected<PassContext> passContext = PassContext::create(options);
  ASSERT_FALSE(bool(passContext));
  llvm::consumeError(passContext.takeError());
}

//===----------------------------------------------------------------------===//
// Where required passes run
//===----------------------------------------------------------------------===//

/// Logs the ops on which it runs.
template <typename OpT>
std::unique_ptr<LambdaPass<OpT>> createLogOpPass(StringRef argument, Log &log) {
  return std::make_unique<LambdaPass<OpT>>(
      argument, [&log](LambdaPass<OpT> &pass) {
        log.add(pass.getArgument() + ":" +
                pass.getOperation()->getName().getStringRef());
      });
}

TEST_F(PlanTest, RequiredPassesOnAnyOpRunWhereTheirOwnersDo) {
  module = parse("func.func @f() { return }");
  auto anywhere = [&](const char *argument, std::vector<std::string> required) {
    mlir::registerPass([&log = log, argument] {
      return createLogOpPass<void>(argument, log);
    });
    registerPassInfo(argument, {argument, 0, std::move(required)});
  };
  anywhere("unit-place-leaf", {});
  anywhere("unit-place-middle", {"unit-place-leaf"});
  registerPassInfo("unit-place-owner",
                   {"unit-place-owner", 0, {"unit-place-middle"}});
  Pass owner = createPass("unit-place-owner", [&] {
    return createLogOpPass<func::FuncOp>("unit-place-owner", log);
  });
  EXPECT_EQ(run(Sequential({owner}), policy(2)),
            "unit-place-leaf:func.func unit-place-middle:func.func "
            "unit-place-owner:func.func");
  EXPECT_EQ(run(Sequential({llvm::cantFail(getPass("unit-place-middle"))}),
                policy(2)),
            "unit-place-leaf:builtin.module unit-place-middle:builtin.module");
}

} // namespace
} // namespace partita::transform
