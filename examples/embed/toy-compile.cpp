//===- toy-compile.cpp - A compiler's driver with Partita's flags ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toy.h"

#include "partita/Instrument/Instruments.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Tools/CLOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

int main(int argc, char **argv) {
  cl::opt<std::string> input(cl::Positional, cl::desc("<input>"), cl::Required);
  partita::registerPartitaCLOptions();
  partita::instrument::registerAllInstruments();
  partita::transform::registerPassInfo("canonicalize", {"Canonicalize", 1, {}});
  cl::ParseCommandLineOptions(argc, argv, "Toy compiler\n");

  mlir::DialectRegistry registry;
  toy::registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(input, &context);
  if (!module)
    return 1;
  mlir::PassManager pm(&context, "builtin.module");
  toy::buildPipeline(pm);
  if (failed(partita::applyPartitaCLOptions(pm)) || failed(pm.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
