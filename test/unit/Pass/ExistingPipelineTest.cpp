//===- ExistingPipelineTest.cpp - Sequentials from existing pipelines -----===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that a compiler's own `void build(OpPassManager &)` adds become a
// Sequential, and a Sequential becomes a pass of a compiler's own pipeline.
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/SequentialPass.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gmock/gmock.h"

using namespace mlir;
using namespace partita::transform;
using testing::HasSubstr;

namespace {

/// Records on its op that it ran, and with which option. It has no argument, is
/// registered nowhere, and its option has no default.
template <typename OpT = void>
class NotePass : public PassWrapper<NotePass<OpT>, OperationPass<OpT>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NotePass)

  explicit NotePass(int number = 0, std::optional<int> given = {})
      : number(number) {
    if (given)
      value = *given;
  }
  NotePass(const NotePass &other)
      : PassWrapper<NotePass, OperationPass<OpT>>(other), number(other.number) {
  }

  StringRef getName() const override { return "NotePass"; }

  void runOnOperation() override {
    Operation *op = this->getOperation();
    Builder builder(op->getContext());
    std::string note = std::to_string(number);
    if (value.hasValue())
      note += "=" + std::to_string(value);
    if (auto before = op->getAttrOfType<StringAttr>("test.notes"))
      note = (before.getValue() + " " + note).str();
    op->setAttr("test.notes", builder.getStringAttr(note));
  }

private:
  int number;
  typename mlir::Pass::template Option<int> value{*this, "value",
                                                  llvm::cl::desc("A number")};
};

using partita::transform::Pass;

constexpr unsigned numPasses = 40;

/// A pipeline as compilers build it.
void buildPipeline(OpPassManager &pm) {
  for (int number = 0; number < 4; ++number) {
    pm.addPass(std::make_unique<NotePass<>>(number));
    pm.addNestedPass<func::FuncOp>(std::make_unique<NotePass<func::FuncOp>>(
        number, number % 2 ? std::optional<int>(number) : std::nullopt));
    GreedyRewriteConfig config;
    config.setMaxIterations(number + 1);
    pm.addNestedPass<func::FuncOp>(createCanonicalizerPass(config));
    pm.addPass(createCSEPass());
    OpPassManager &inner = pm.nest<ModuleOp>();
    inner.addPass(std::make_unique<NotePass<ModuleOp>>(10 + number));
    OpPassManager &innermost = inner.nest<ModuleOp>();
    innermost.addPass(std::make_unique<NotePass<>>(20 + number, 7));
    innermost.nest<func::FuncOp>().addPass(
        std::make_unique<NotePass<func::FuncOp>>(30 + number));
    innermost.nestAny().addPass(std::make_unique<NotePass<>>(40 + number, 0));
    pm.nestAny().addPass(std::make_unique<NotePass<>>(50 + number));
    pm.addPass(createSymbolDCEPass());
  }
}

class ExistingPipelineTest : public PassTest {
protected:
  ExistingPipelineTest() {
    module = parse(R"(
      func.func @f(%x: i32) -> i32 {
        %zero = arith.constant 0 : i32
        %0 = arith.addi %x, %zero : i32
        %1 = arith.addi %x, %zero : i32
        %2 = arith.muli %0, %1 : i32
        return %2 : i32
      }
      func.func private @unused() { return }
      module {
        func.func @g() { return }
        module {
          func.func @h(%x: i32) -> i32 {
            %zero = arith.constant 0 : i32
            %0 = arith.addi %x, %zero : i32
            return %0 : i32
          }
          func.func @i() { return }
        }
      }
    )");
  }

  std::string runPlain(llvm::function_ref<void(OpPassManager &)> build) {
    OwningOpRef<ModuleOp> copy = module->clone();
    PassManager pm(&context, "builtin.module");
    build(pm);
    EXPECT_TRUE(succeeded(pm.run(*copy)));
    return print(*copy);
  }
  std::string runUnder(const Pass &pass, PassInstruments instruments,
                       int optLevel = 2) {
    OwningOpRef<ModuleOp> copy = module->clone();
    PassContextOptions options;
    options.instruments = std::move(instruments);
    options.optLevel = optLevel;
    EXPECT_TRUE(succeeded(pass.run(*copy, create(options)))) << takeMessages();
    return print(*copy);
  }
};

TEST_F(ExistingPipelineTest, RunsAsThePassManagerDoes) {
  std::string expected = runPlain(buildPipeline);
  EXPECT_THAT(expected, HasSubstr("\"30 40=0 31 41=0 32 42=0 33 43=0\""));
  EXPECT_THAT(expected, HasSubstr("1=1"));
  Pass pipeline = Sequential(buildPipeline, {"Existing", 0, {}});
  EXPECT_EQ(pipeline.info().name, "Existing");
  ASSERT_EQ(pipeline.passes().size(), numPasses);
  EXPECT_EQ(runUnder(pipeline, {}), expected);
  partita::instrument::PassTimingInstrumentOptions timing;
  timing.print = false;
  EXPECT_EQ(runUnder(pipeline,
                     {partita::instrument::createPassTimingInstrument(timing)}),
            expected);
  EXPECT_EQ(runUnder(pipeline, {recorder("A")}), expected);
  std::string seen = log.take();
  EXPECT_THAT(seen, HasSubstr("A.before:Existing A.should:NotePass"));
  EXPECT_THAT(seen, HasSubstr("A.after:cse"));
}

TEST_F(ExistingPipelineTest, AlsoFromAManagerThatHasRun) {
  std::string expected = runPlain(buildPipeline);
  PassManager pm(&context, "builtin.module");
  buildPipeline(pm);
  OwningOpRef<ModuleOp> copy = module->clone();
  // MLIR merges the nested managers when it runs them.
  ASSERT_TRUE(succeeded(pm.run(*copy)));
  Pass pipeline = Sequential(pm);
  ASSERT_EQ(pipeline.passes().size(), numPasses);
  EXPECT_EQ(runUnder(pipeline, {}), expected);
  EXPECT_EQ(runUnder(pipeline, {recorder("A")}), expected);
}

TEST_F(ExistingPipelineTest, ManagersForAnyOp) {
  auto build = [](OpPassManager &pm) {
    pm.addPass(std::make_unique<NotePass<>>(1));
    pm.nest<func::FuncOp>().addPass(std::make_unique<NotePass<>>(2, 3));
  };
  OpPassManager any;
  build(any);
  Pass pipeline = Sequential(any, {"any", 0, {}}, "builtin.module");
  EXPECT_EQ(runUnder(pipeline, {}), runPlain(build));
}

/// Has neither argument nor options.
struct TypedPass : PassWrapper<TypedPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TypedPass)
  void runOnOperation() override {
    getOperation()->setAttr("typed", UnitAttr::get(&getContext()));
  }
};

TEST_F(ExistingPipelineTest, PassInfoByType) {
  registerPassInfo<TypedPass>({"Typed", 3, {}});
  Pass pipeline = Sequential([](OpPassManager &pm) {
    pm.addNestedPass<func::FuncOp>(std::make_unique<TypedPass>());
  });
  EXPECT_EQ(pipeline.passes()[0].info().name, "Typed");
  EXPECT_EQ(runUnder(pipeline, {}, /*optLevel=*/2), print(*module));
  EXPECT_THAT(runUnder(pipeline, {}, /*optLevel=*/3), HasSubstr("typed"));

  // Required by the name of a pass that MLIR does not know.
  Pass owner = createModulePass(
      [](Operation *, const PassContext &) { return success(); }, 0,
      "TypedOwner", {"Typed"});
  EXPECT_THAT(runUnder(Sequential({owner}), {}), HasSubstr("typed"));
  EXPECT_THAT(llvm::toString(getPass("Typed", "no=1").takeError()),
              HasSubstr("expected options that pass"));
}

TEST_F(ExistingPipelineTest, AsAPassOfAnotherPipeline) {
  Pass note = lambdaPass("existing-note", [](LambdaPass<> &pass) {
    Builder builder(pass.getOperation()->getContext());
    pass.getOperation()->setAttr(
        "test.level",
        builder.getI64IntegerAttr(PassContext::current().optLevel()));
  });
  Pass high = createModulePass(
      [](Operation *op, const PassContext &) {
        op->setAttr("test.high", UnitAttr::get(op->getContext()));
        return success();
      },
      3, "existing-high");
  PassManager pm(&context, "builtin.module");
  pm.addPass(createPass(Sequential({note, high}, {"Mine", 0, {}})));
  pm.addPass(createPass(note));
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  EXPECT_EQ(text, "builtin.module(sequential{passes=any(existing-note),any("
                  "existing-high) name=Mine opt-level=0},sequential{passes=any("
                  "existing-note)})");
  for (int level : {2, 3}) {
    OwningOpRef<ModuleOp> copy = module->clone();
    auto scope = llvm::cantFail(PassContextScope::enter(withLevel(level)));
    ASSERT_TRUE(succeeded(pm.run(*copy)));
    llvm::cantFail(scope.exit());
    EXPECT_EQ((*copy)->getAttrOfType<IntegerAttr>("test.level").getInt(),
              level);
    EXPECT_EQ((*copy)->hasAttr("test.high"), level == 3);
  }
  // On functions, and from there back on the module.
  PassManager nested(&context, "builtin.module");
  nested.addNestedPass<func::FuncOp>(createPass(note));
  Pass again = Sequential(nested);
  ASSERT_EQ(again.passes().size(), 1u);
  EXPECT_EQ(again.passes()[0].info().name, "existing-note");
  OwningOpRef<ModuleOp> copy = module->clone();
  ASSERT_TRUE(succeeded(nested.run(*copy)));
  EXPECT_TRUE((*copy->getOps<func::FuncOp>().begin())->hasAttr("test.level"));
  EXPECT_EQ(runUnder(again, {}), print(*copy));
}

TEST_F(ExistingPipelineTest, PrintedAndParsedAgain) {
  registerSequentialPass();
  registerTransformsPasses();
  Pass inner = Sequential({llvm::cantFail(getPass("cse"))}, {"Inner", 1, {}});
  Pass outer = Sequential(
      {inner, llvm::cantFail(getPass("canonicalize", "max-iterations=3"))},
      {"Outer", 2, {"cse"}, /*reuseRequired=*/true});
  PassManager pm(&context, "builtin.module");
  pm.addPass(createPass(outer));
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  EXPECT_EQ(text,
            "builtin.module(sequential{passes=any(sequential{passes=any("
            "cse) name=Inner opt-level=1}),any(canonicalize{max-iterations"
            "=3}) name=Outer opt-level=2 required=cse "
            "reuse-required=true})");
  Pass parsed = llvm::cantFail(parseSequential(text)).passes()[0];
  EXPECT_EQ(parsed.info(), outer.info());
  EXPECT_EQ(parsed.passes()[0].info(), inner.info());
}

TEST_F(ExistingPipelineTest, NullPassesFail) {
  PassManager pm(&context, "builtin.module");
  pm.addPass(createPass(Sequential({Pass()})));
  EXPECT_TRUE(failed(pm.run(*module)));
  EXPECT_THAT(takeMessages(), HasSubstr("but found a null one"));
}

} // namespace
