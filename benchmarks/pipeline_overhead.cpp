//===- pipeline_overhead.cpp - A compiler's own pipeline as a Sequential --===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the 40 passes that a `void build(OpPassManager &)` adds on a module of
// 300 functions. They run in an mlir::PassManager, or in a Sequential made from
// it, and both must make the same module. Under callgrind,
// `--toggle-collect=measuredRun` counts the instructions of one run; run.py
// does so for each mode.
//
//===----------------------------------------------------------------------===//

#include "MeasuredRun.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/Pass.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
namespace cl = llvm::cl;
namespace transform = partita::transform;

static cl::opt<std::string>
    mode("mode",
         cl::desc("raw: the passes in an mlir::PassManager; bare: a Sequential "
                  "without instruments; or an instrument, as NAME{options}"),
         cl::init("bare"));
static cl::opt<unsigned> numFunctions("functions",
                                      cl::desc("Functions in the module"),
                                      cl::init(300));
static cl::opt<bool> verifyPasses("verify", cl::desc("Verify after each pass"),
                                  cl::init(true));

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

namespace {
/// Counts the ops in its op, and stores their number for the given round. It
/// has no argument, is registered nowhere, and its option has no default.
template <typename OpT = void>
class CountPass : public PassWrapper<CountPass<OpT>, OperationPass<OpT>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountPass)

  explicit CountPass(std::optional<int> given = {}) {
    if (given)
      round = *given;
  }
  CountPass(const CountPass &other)
      : PassWrapper<CountPass, OperationPass<OpT>>(other) {}

  StringRef getName() const override { return "CountPass"; }

  void runOnOperation() override {
    Operation *op = this->getOperation();
    int64_t count = 0;
    op->walk([&](Operation *) { ++count; });
    if (round.hasValue())
      op->setAttr("bench.ops" + std::to_string(round),
                  Builder(op->getContext()).getI64IntegerAttr(count));
    this->markAllAnalysesPreserved();
  }

private:
  typename mlir::Pass::template Option<int> round{
      *this, "round", llvm::cl::desc("When it counts")};
};
} // namespace

static constexpr unsigned numPasses = 40;

static void buildPipeline(OpPassManager &pm) {
  for (int round = 0; round < 4; ++round) {
    pm.addPass(std::make_unique<CountPass<>>());
    pm.addNestedPass<func::FuncOp>(std::make_unique<CountPass<func::FuncOp>>(
        round == 3 ? std::optional<int>(round) : std::nullopt));
    GreedyRewriteConfig config;
    config.setMaxIterations(round + 1);
    pm.addNestedPass<func::FuncOp>(createCanonicalizerPass(config));
    pm.addPass(createCSEPass());
    OpPassManager &inner = pm.nest<ModuleOp>();
    inner.addPass(createSCCPPass());
    OpPassManager &innermost = inner.nest<ModuleOp>();
    innermost.addPass(std::make_unique<CountPass<>>(round));
    innermost.nest<func::FuncOp>().addPass(createCanonicalizerPass());
    innermost.nestAny().addPass(createCSEPass());
    pm.nestAny().addPass(createLoopInvariantCodeMotionPass());
    switch (round) {
    case 0:
      pm.addPass(createInlinerPass());
      break;
    case 1:
      pm.addPass(createSCCPPass());
      break;
    case 2:
      pm.addPass(createSCFToControlFlowPass());
      break;
    default:
      pm.addPass(createSymbolDCEPass());
    }
  }
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// A function with ops to fold, to merge, to hoist and, except in the first
/// function, to inline.
static std::string getFunction(unsigned index) {
  std::string call;
  if (index % 8 != 0)
    call = llvm::formatv("    %call = func.call @f{0}(%m, %n, %sum) : "
                         "(memref<?xi32>, index, i32) -> i32\n"
                         "    %last = arith.addi %call, %sum : i32\n",
                         index - index % 8);
  return llvm::formatv(R"(
  func.func @f{0}(%m: memref<?xi32>, %n: index, %x: i32) -> i32 {{
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %init = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant {0} : i32
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (i32) {{
      %five = arith.addi %two, %three : i32
      %scaled = arith.muli %x, %five : i32
      %again = arith.muli %x, %five : i32
      %value = memref.load %m[%i] : memref<?xi32>
      %isLess = arith.cmpi slt, %value, %scaled : i32
      %chosen = scf.if %isLess -> (i32) {{
        %a = arith.addi %value, %again : i32
        %b = arith.addi %a, %init : i32
        scf.yield %b : i32
      } else {{
        %a = arith.xori %value, %scaled : i32
        scf.yield %a : i32
      }
      %next = arith.addi %acc, %chosen : i32
      %dead = arith.subi %next, %acc : i32
      scf.yield %next : i32
    }
{1}    return {2} : i32
  })",
                       index, call, call.empty() ? "%sum" : "%last");
}

/// Two thirds of the functions are directly in the module, the others one and
/// two modules deeper.
static std::string getModule() {
  // Calls stay within a group of eight functions.
  unsigned top = numFunctions * 2 / 3 / 8 * 8;
  unsigned middle = top + (numFunctions - top) / 2 / 8 * 8;
  std::string text;
  for (unsigned index = 0; index < numFunctions; ++index) {
    for (unsigned begin : {top, middle})
      if (index == begin)
        text += "\nmodule {";
    text += getFunction(index);
  }
  return text + "\n}\n}\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(
      argc, argv, "Measures what a pipeline costs as a Sequential\n");
  partita::instrument::registerAllInstruments();
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, memref::MemRefDialect, scf::SCFDialect>();
  func::registerInlinerExtension(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(getModule(), &context);
  if (!module)
    return 1;

  PassManager pm(&context, ModuleOp::getOperationName());
  pm.enableVerifier(verifyPasses);
  buildPipeline(pm);
  auto runRaw = [&](ModuleOp module) { return pm.run(module); };
  if (mode == "raw")
    return runTwice(runRaw, *module).empty();

  transform::Pass pipeline =
      transform::Sequential(buildPipeline, {"pipeline", 0, {}});
  if (pipeline.passes().size() != numPasses)
    return 1;
  transform::PassContextOptions options;
  if (mode != "bare")
    options.instruments = {
        llvm::cantFail(partita::instrument::createInstrument(mode))};
  transform::PassContext passContext =
      llvm::cantFail(transform::PassContext::create(std::move(options)));
  transform::RunOptions runOptions;
  runOptions.verify = verifyPasses;
  std::string text = runTwice(
      [&](ModuleOp module) -> LogicalResult {
        auto scope = transform::PassContextScope::enter(passContext);
        if (!scope)
          return module.emitError(llvm::toString(scope.takeError()));
        if (failed(pipeline.run(module, passContext, runOptions)))
          return failure();
        if (llvm::Error error = scope->exit())
          return module.emitError(llvm::toString(std::move(error)));
        return success();
      },
      *module);
  return compareWithPassManager(text, runRaw, *module);
}
