//===- TakeOverTest.cpp - Pass managers that are taken over ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "partita/Pass/AttachInstruments.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"

#if LLVM_ADDRESS_SANITIZER_BUILD
#include <sanitizer/lsan_interface.h>
#endif

using namespace mlir;
using partita::instrument::PassInstrument;
using partita::transform::createSequential;
using partita::transform::PassContext;
using partita::transform::PassContextOptions;
using partita::transform::registerPassInfo;
using partita::transform::takeOver;

/// How many CountPasses exist; cached plans keep some.
static int numAlive = 0;

namespace {
/// Counts the ops that it has run on, for holders of a pointer to it.
template <typename OpT>
struct CountPass : PassWrapper<CountPass<OpT>, OperationPass<OpT>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountPass)

  CountPass() { ++numAlive; }
  CountPass(const CountPass &other)
      : PassWrapper<CountPass<OpT>, OperationPass<OpT>>(other) {
    ++numAlive;
  }
  ~CountPass() override { --numAlive; }
  StringRef getArgument() const override {
    return std::is_same_v<OpT, ModuleOp> ? "count-modules" : "count-functions";
  }
  void runOnOperation() override { ++numOps; }

  int numOps = 0;
};

/// Has no argument, and does what no option says.
struct MarkPass : PassWrapper<MarkPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkPass)

  explicit MarkPass(StringRef mark) : mark(mark) {}
  void runOnOperation() override {
    getOperation()->setAttr("test.mark", StringAttr::get(&getContext(), mark));
  }

  std::string mark;
};

/// Makes functions invalid.
struct BreakPass : PassWrapper<BreakPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakPass)

  StringRef getArgument() const override { return "break"; }
  void runOnOperation() override {
    getOperation().front().getTerminator()->erase();
  }
};

/// Can be initialized from the third time on.
struct LatePass : PassWrapper<LatePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LatePass)

  StringRef getArgument() const override { return "late"; }
  LogicalResult initialize(MLIRContext *) override {
    return success(++numTries > 2);
  }
  void runOnOperation() override { ++numOps; }

  int numTries = 0, numOps = 0;
};

/// Runs a pass that crashes, once.
struct CrashingPass : PassWrapper<CrashingPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashingPass)

  struct Abort : PassWrapper<Abort, OperationPass<func::FuncOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Abort)
    void runOnOperation() override { std::abort(); }
  };
  StringRef getArgument() const override { return "crashing"; }
  void runOnOperation() override {
    if (std::exchange(hasCrashed, true))
      return;
    OpPassManager pm("func.func");
    pm.addPass(std::make_unique<Abort>());
    (void)runPipeline(pm, *getOperation().getOps<func::FuncOp>().begin());
  }

  bool hasCrashed = false;
};

/// Counts the ends of runs.
struct EndCounter : PassInstrument {
  EndCounter()
      : PassInstrument("counts", partita::instrument::Wants::Records) {}

  llvm::Error endRun(
      const partita::transform::Run &,
      std::shared_ptr<const partita::instrument::RunRecord> record) override {
    (record->hasFailed() ? numFailed : numGood)++;
    return llvm::Error::success();
  }

  int numFailed = 0, numGood = 0;
};

/// Whether an instrument looks at the module between passes.
class TakeOverTest : public testing::TestWithParam<bool> {
protected:
  TakeOverTest() {
    context.loadDialect<func::FuncDialect>();
    context.disableMultithreading();
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      diagnostics.push_back(diagnostic.str());
    });
    module = parseSourceString<ModuleOp>(
        "func.func @f() { return }\nfunc.func @g() { return }", &context);
    if (GetParam())
      options.instruments = {std::make_shared<PassInstrument>("looks")};
  }
  PassContext getContext() {
    return llvm::cantFail(PassContext::create(options));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  PassContextOptions options;
  std::vector<std::string> diagnostics;
};

TEST_P(TakeOverTest, PassesThatDriversPointToRun) {
  options.disabledPass = {"canonicalize"};
  int before = numAlive;
  {
    PassManager pm(&context, "builtin.module");
    auto first = std::make_unique<CountPass<ModuleOp>>();
    auto nested = std::make_unique<CountPass<func::FuncOp>>();
    auto *modules = first.get();
    auto *functions = nested.get();
    pm.addPass(std::move(first));
    pm.addPass(createCanonicalizerPass());
    pm.addNestedPass<func::FuncOp>(std::move(nested));
    pm.addNestedPass<func::FuncOp>(createCSEPass());
    ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
    for (int run : {1, 2}) {
      ASSERT_TRUE(succeeded(pm.run(*module)));
      EXPECT_EQ(modules->numOps, run);
      EXPECT_EQ(functions->numOps, 2 * run);
    }
  }
  // Only the plan's prototypes remain.
  EXPECT_LE(numAlive - before, 2);
}

TEST_P(TakeOverTest, PassesThatDriversPointToRunOnModulesOfAnySize) {
  PassManager pm(&context, "builtin.module");
  auto nested = std::make_unique<CountPass<func::FuncOp>>();
  auto *functions = nested.get();
  pm.addNestedPass<func::FuncOp>(std::move(nested));
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
  auto one = parseSourceString<ModuleOp>("func.func @f() { return }", &context);
  int numOps = 0;
  for (auto [root, size] : {std::pair(*one, 1), std::pair(*module, 2),
                            std::pair(*one, 1), std::pair(*module, 2)}) {
    ASSERT_TRUE(succeeded(pm.run(root)));
    EXPECT_EQ(functions->numOps, numOps += size);
  }
}

TEST_P(TakeOverTest, PipelineIsThePlanAfterTheRun) {
  options.config.emplace_back(
      "partita.verify", llvm::cantFail(partita::transform::parsePassConfigValue(
                            "partita.verify", "\"changed\"")));
  PassManager pm(&context, "builtin.module");
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
  ASSERT_TRUE(succeeded(pm.run(*module)));
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  EXPECT_THAT(
      text, testing::StartsWith("builtin.module(func.func(cse),canonicalize"));
}

TEST_P(TakeOverTest, PassesWithoutArgumentAreNoRepeats) {
  options.config.emplace_back(
      "partita.skip_unchanged",
      llvm::cantFail(partita::transform::parsePassConfigValue(
          "partita.skip_unchanged", "true")));
  PassManager pm(&context, "builtin.module");
  for (StringRef mark : {"a", "a", "b"})
    pm.addNestedPass<func::FuncOp>(std::make_unique<MarkPass>(mark));
  ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
  ASSERT_TRUE(succeeded(pm.run(*module)));
  for (auto function : module->getOps<func::FuncOp>())
    EXPECT_EQ(function->getAttr("test.mark"), StringAttr::get(&context, "b"));
}

// Of MLIR's setting, as it is when the pass manager runs.
TEST_P(TakeOverTest, VerifiesIfThePassManagerDoes) {
  for (llvm::StringRef mode : {"each", "changed", "end"}) {
    options.config = {{"partita.verify",
                       llvm::cantFail(partita::transform::parsePassConfigValue(
                           "partita.verify", ("\"" + mode + "\"").str()))}};
    PassManager pm(&context, "builtin.module");
    pm.addNestedPass<func::FuncOp>(std::make_unique<BreakPass>());
    pm.enableVerifier(false);
    ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
    ScopedDiagnosticHandler handler(&context,
                                    [](Diagnostic &) { return success(); });
    for (bool verifies : {false, true, false}) {
      pm.enableVerifier(verifies);
      OwningOpRef<ModuleOp> broken = module->clone();
      EXPECT_EQ(succeeded(pm.run(*broken)), !verifies);
    }
  }
}

TEST_P(TakeOverTest, PassesRunWhenTheyCouldBeInitialized) {
  PassManager pm(&context, "builtin.module");
  auto late = std::make_unique<LatePass>();
  LatePass *pass = late.get();
  pm.addNestedPass<func::FuncOp>(std::move(late));
  pm.addNestedPass<func::FuncOp>(std::make_unique<MarkPass>("a"));
  ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
  for (int run : {1, 2, 3, 4}) {
    EXPECT_EQ(succeeded(pm.run(*module)), run > 2);
    EXPECT_EQ(pass->numTries, std::min(run, 3));
    EXPECT_EQ(pass->numOps, run > 2 ? 2 * (run - 2) : 0);
  }
}

// MLIR recovers from a crash, on this thread, to write a reproducer.
TEST_P(TakeOverTest, RunsGoOnAfterACrash) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  // What the stack held when it crashed is lost.
  __lsan::ScopedDisabler disabler;
#endif
  auto counter = std::make_shared<EndCounter>();
  options.instruments.push_back(counter);
  PassContext passContext = getContext();
  ASSERT_FALSE(passContext.enterScope());
  SmallString<128> file;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("crash", "mlir", file));
  {
    PassManager pm(&context, "builtin.module");
    pm.enableCrashReproducerGeneration(file);
    auto last = std::make_unique<CountPass<func::FuncOp>>();
    auto *functions = last.get();
    pm.addPass(std::make_unique<CrashingPass>());
    pm.addNestedPass<func::FuncOp>(std::move(last));
    ASSERT_TRUE(succeeded(takeOver(pm, passContext)));
    EXPECT_TRUE(failed(pm.run(*module)));
    EXPECT_EQ(PassContext::current(), passContext);
    EXPECT_EQ(functions->numOps, 0);
    EXPECT_TRUE(succeeded(pm.run(*module)));
    EXPECT_TRUE(succeeded(pm.run(*module)));
    EXPECT_EQ(functions->numOps, 4);
  }
  EXPECT_EQ(counter->numGood, 2);
  EXPECT_LE(counter->numFailed, 1);
  EXPECT_FALSE(passContext.exitScope());
  llvm::sys::fs::remove(file);
}

TEST_P(TakeOverTest, DisabledPassesLive) {
  options.disabledPass = {"count-modules"};
  PassManager pm(&context, "builtin.module");
  auto first = std::make_unique<CountPass<ModuleOp>>();
  auto *modules = first.get();
  pm.addPass(std::move(first));
  ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
  ASSERT_TRUE(succeeded(pm.run(*module)));
  EXPECT_EQ(modules->numOps, 0);
  EXPECT_EQ(modules->getArgument(), "count-modules");
}

// MLIR's default.
TEST_P(TakeOverTest, PassesForAnyOpStayOnTheRoot) {
  PassManager pm(&context);
  auto first = std::make_unique<CountPass<ModuleOp>>();
  auto *modules = first.get();
  pm.addPass(std::move(first));
  auto nested = std::make_unique<CountPass<func::FuncOp>>();
  auto *functions = nested.get();
  pm.nestAny().addPass(std::move(nested));
  ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
  ASSERT_TRUE(succeeded(pm.run(*module)));
  EXPECT_EQ(modules->numOps, 1);
  EXPECT_EQ(functions->numOps, 2);
}

TEST_P(TakeOverTest, PassesThatTheRootCantRunAreErrors) {
  PassManager pm(&context);
  pm.addPass(std::make_unique<CountPass<func::FuncOp>>());
  ASSERT_TRUE(succeeded(takeOver(pm, getContext())));
  EXPECT_TRUE(failed(pm.run(*module)));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_THAT(diagnostics.front(),
              testing::HasSubstr("on an unsupported operation"));
}

TEST_P(TakeOverTest, SequentialsOfManagersForAnyOpRun) {
  PassManager pm(&context);
  pm.addPass(std::make_unique<CountPass<ModuleOp>>());
  llvm::Expected<partita::transform::Pass> pass = createSequential(pm);
  ASSERT_TRUE(bool(pass));
  EXPECT_TRUE(succeeded(pass->run(*module, getContext())));
  pm.clear();
  pm.addPass(std::make_unique<CountPass<func::FuncOp>>());
  pass = createSequential(pm);
  ASSERT_TRUE(bool(pass));
  EXPECT_TRUE(failed(pass->run(*module, getContext())));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_THAT(diagnostics.front(),
              testing::HasSubstr("to be put on 'func.func', which it runs on, "
                                 "but found it on 'builtin.module'"));
}

// An instrument that only looks leaves nothing out, and adds nothing.
TEST_P(TakeOverTest, NamedPassesRunWhateverTheirLevel) {
  registerTransformsPasses();
  registerPassInfo("symbol-dce", {"DropSymbols", 3, {"canonicalize"}});
  module = parseSourceString<ModuleOp>("func.func private @f()", &context);
  PassManager pm(&context, "builtin.module");
  pm.addPass(createSymbolDCEPass());
  ASSERT_TRUE(succeeded(takeOver(pm, getContext(), {}, /*runsAsNamed=*/true)));
  ASSERT_TRUE(succeeded(pm.run(*module)));
  EXPECT_TRUE(module->getBody()->empty());
}

INSTANTIATE_TEST_SUITE_P(Observed, TakeOverTest, testing::Bool());
} // namespace
