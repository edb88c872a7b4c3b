//===- repeated_passes.cpp - A pipeline in which passes come again --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs 60 passes on a module of 3,000 functions of 25 ops: 18 times
// canonicalize on the module, as in real compilers, cse on functions, and
// passes between that change some of the functions. They run in an
// mlir::PassManager, or in a Sequential that saves work, and both must make the
// same module.
//
//===----------------------------------------------------------------------===//

#include "MeasuredRun.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/Pass.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
namespace cl = llvm::cl;
namespace transform = partita::transform;

static cl::opt<std::string>
    mode("mode",
         cl::desc("raw: the passes in an mlir::PassManager; plain: a "
                  "Sequential; skip, nest, both, cache: one that saves work; "
                  "changed: one that verifies only what has changed; waste: "
                  "a plain one that prints what the others would save"),
         cl::init("both"));
static cl::opt<std::string>
    cacheDir("cache-dir",
             cl::desc("An empty directory, for mode=cache: runs once, changes "
                      "one function, and runs again"));
static cl::opt<unsigned> changes("changes",
                                 cl::desc("Percent of the functions that the "
                                          "passes between change"),
                                 cl::init(5));
static cl::opt<bool> repeats("repeats",
                             cl::desc("Whether passes come again; if not, only "
                                      "the passes between run, 60 times"),
                             cl::init(true));
static cl::opt<unsigned> numFunctions("functions",
                                      cl::desc("Functions in the module"),
                                      cl::init(3000));
static cl::opt<bool> verifyPasses("verify", cl::desc("Verify after each pass"),
                                  cl::init(true));
static cl::opt<bool> hasThreads("multithreading", cl::desc("Use all threads"),
                                cl::init(false));
static cl::opt<bool> printTime("time", cl::desc("Print the time of a run"),
                               cl::init(false));

namespace {
/// Adds ops that canonicalize folds to some functions, each round to others.
class ChangePass : public PassWrapper<ChangePass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChangePass)

  explicit ChangePass(unsigned given = 0) { round = given; }
  ChangePass(const ChangePass &other) : PassWrapper(other) {}

  StringRef getName() const override { return "ChangePass"; }
  StringRef getArgument() const override { return "change"; }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    unsigned index = 0;
    function.getName().drop_front().getAsInteger(10, index);
    if ((index + 37 * round) % 100 >= changes)
      return markAllAnalysesPreserved();
    addOps(function);
  }

  /// Adds two ops. Canonicalize folds the first.
  static void addOps(func::FuncOp function) {
    Operation *end = function.back().getTerminator();
    OpBuilder builder(end);
    Value value = end->getOperand(0);
    for (int i = 0; i < 2; ++i)
      value = arith::AddIOp::create(
          builder, end->getLoc(), value,
          arith::ConstantIntOp::create(builder, end->getLoc(), value.getType(),
                                       i));
    end->setOperand(0, value);
  }

private:
  Option<unsigned> round{*this, "round", llvm::cl::desc("Which are changed")};
};
} // namespace

static void buildPipeline(OpPassManager &pm) {
  unsigned round = 0;
  auto addChange = [&] {
    pm.addNestedPass<func::FuncOp>(std::make_unique<ChangePass>(round++));
  };
  if (!repeats) {
    while (round < 60)
      addChange();
    return;
  }
  for (int i = 0; i < 18; ++i) {
    addChange();
    pm.addNestedPass<func::FuncOp>(createCSEPass());
    pm.addPass(createCanonicalizerPass());
  }
  for (int i = 0; i < 6; ++i)
    pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
}

/// Computes a value from two others with `numOps` ops that canonicalize leaves
/// as they are.
static Value addOps(OpBuilder &builder, Value value, Value other, int numOps) {
  Location loc = builder.getUnknownLoc();
  for (int i = 0; i < numOps; ++i)
    value = i % 2
                ? arith::MulIOp::create(builder, loc, value, other).getResult()
                : arith::SubIOp::create(builder, loc, value, other).getResult();
  return value;
}

/// Eight blocks. Each ends in a branch to the next one or to the last one, and
/// the last one returns.
static void addBlocks(OpBuilder &builder, func::FuncOp function) {
  Location loc = builder.getUnknownLoc();
  Block *block = function.addEntryBlock();
  Value other = block->getArgument(1);
  SmallVector<Block *> blocks = {block};
  while (blocks.size() < 8) {
    blocks.push_back(function.addBlock());
    blocks.back()->addArgument(other.getType(), loc);
  }
  for (auto [index, block] : llvm::enumerate(blocks)) {
    builder.setInsertionPointToStart(block);
    if (block == blocks.back()) {
      func::ReturnOp::create(builder, loc, block->getArgument(0));
      break;
    }
    Value value = addOps(builder, block->getArgument(0), other, 2);
    Value isLess = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, value, other);
    cf::CondBranchOp::create(builder, loc, isLess, blocks[index + 1], value,
                             blocks.back(), value);
  }
}

/// A module of functions of about 25 ops that canonicalize leaves as they are.
/// Every eighth function has several blocks.
static OwningOpRef<ModuleOp> makeModule(MLIRContext *context) {
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  auto module = ModuleOp::create(loc);
  Type type = builder.getI32Type();
  for (unsigned index = 0; index < numFunctions; ++index) {
    builder.setInsertionPointToEnd(module.getBody());
    auto function =
        func::FuncOp::create(builder, loc, "f" + std::to_string(index),
                             builder.getFunctionType({type, type}, {type}));
    if (index % 8 == 0) {
      addBlocks(builder, function);
      continue;
    }
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    func::ReturnOp::create(
        builder, loc,
        addOps(builder, block->getArgument(0), block->getArgument(1), 24));
  }
  return module;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(
      argc, argv, "Measures what is saved where passes come again\n");
  DialectRegistry registry;
  registry
      .insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect>();
  MLIRContext context(registry, hasThreads ? MLIRContext::Threading::ENABLED
                                           : MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = makeModule(&context);

  PassManager pm(&context, ModuleOp::getOperationName());
  pm.enableVerifier(verifyPasses);
  buildPipeline(pm);
  auto runRaw = [&](ModuleOp module) { return pm.run(module); };
  if (mode == "raw")
    return runTwice(runRaw, *module, printTime).empty();

  transform::Pass pipeline =
      transform::Sequential(buildPipeline, {"pipeline", 0, {}});
  transform::PassContextOptions options;
  Attribute on = BoolAttr::get(&context, true);
  StringRef saving = mode;
  if (saving == "waste")
    options.instruments.push_back(partita::instrument::createWaste({}));
  if (saving == "changed")
    options.config.emplace_back("partita.verify",
                                StringAttr::get(&context, "changed"));
  if (saving == "skip" || saving == "both")
    options.config.emplace_back("partita.skip_unchanged", on);
  if (saving == "nest" || saving == "both")
    options.config.emplace_back("partita.nest_in_functions", on);
  if (mode == "cache") {
    options.config.emplace_back("partita.pass_cache",
                                StringAttr::get(&context, cacheDir));
    transform::PassTraits traits;
    traits.isCacheable = true;
    transform::registerPassTraits("change", traits);
  }
  transform::PassContext passContext =
      llvm::cantFail(transform::PassContext::create(std::move(options)));
  transform::RunOptions runOptions;
  runOptions.verify = verifyPasses;
  auto run = [&](ModuleOp module) {
    return pipeline.run(module, passContext, runOptions);
  };
  if (mode == "cache") {
    if (runOnce(run, *module, printTime).empty())
      return 1;
    ChangePass::addOps(*module->getOps<func::FuncOp>().begin());
    return compareWithPassManager(runOnce(run, *module, printTime), runRaw,
                                  *module);
  }
  auto scope = transform::PassContextScope::enter(passContext);
  llvm::cantFail(scope.takeError());
  std::string text = runTwice(run, *module, printTime);
  llvm::cantFail(scope->exit());
  return compareWithPassManager(text, runRaw, *module);
}
