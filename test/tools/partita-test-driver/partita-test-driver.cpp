//===- partita-test-driver.cpp - A compiler with flags of its own ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It has flags of the names that Partita's have, so that these need a prefix,
// and two pass managers, which share one PassContext.
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/Instruments.h"
#include "partita/Tools/CLOptions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
namespace cl = llvm::cl;

static LogicalResult run(ModuleOp module, std::unique_ptr<Pass> pass) {
  PassManager pm(module.getContext(), "builtin.module");
  pm.addNestedPass<func::FuncOp>(std::move(pass));
  if (failed(applyPassManagerCLOptions(pm)) ||
      failed(partita::applyPartitaCLOptions(pm)))
    return failure();
  return pm.run(module);
}

int main(int argc, char **argv) {
  cl::opt<std::string> input(cl::Positional, cl::Required);
  cl::opt<int> level("O", cl::Prefix, cl::desc("Levels of this compiler"));
  cl::opt<bool> explains("explain", cl::desc("Say what this compiler is"));
  registerPassManagerCLOptions();
  partita::registerPartitaCLOptions("my-", "MY_FLAGS");
  partita::instrument::registerAllInstruments();
  cl::ParseCommandLineOptions(argc, argv, "A compiler with flags of its own\n");
  if (explains)
    llvm::outs() << "a compiler at level " << level << "\n";

  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect>();
  MLIRContext context(registry);
  auto module = parseSourceFile<ModuleOp>(input, &context);
  if (!module || failed(run(*module, createCanonicalizerPass())) ||
      failed(run(*module, createCSEPass())))
    return EXIT_FAILURE;
  module->print(llvm::outs());
  return EXIT_SUCCESS;
}
