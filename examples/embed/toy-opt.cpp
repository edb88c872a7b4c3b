//===- toy-opt.cpp - An mlir-opt with the flags of partita-opt ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toy.h"

#include "partita/Instrument/Instruments.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/SequentialPass.h"
#include "partita/Tools/PartitaOptMain.h"

#include "mlir/Transforms/Passes.h"

using namespace partita;

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  toy::registerDialects(registry);
  mlir::registerTransformsPasses();
  transform::registerSequentialPass();
  instrument::registerAllInstruments();

  // The names of the passes, and the opt_level from which they run.
  transform::registerPassInfo<toy::ExpandTwice>({"ExpandTwice", 0, {}});
  transform::registerPassInfo("canonicalize", {"Canonicalize", 1, {}});
  transform::registerPassInfo("cse", {"CommonSubexpr", 2, {}});

  // The compiler's pipeline: --toy-pipeline, and the pipeline of -O LEVEL.
  transform::Pass pipeline =
      transform::Sequential(toy::buildPipeline, {"toy-pipeline", 0, {}});
  transform::registerPass(pipeline);
  return partitaOptMain(argc, argv, "Toy optimizer driver\n", registry,
                        [&](int) { return pipeline; });
}
