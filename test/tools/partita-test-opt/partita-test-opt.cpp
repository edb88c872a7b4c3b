//===- partita-test-opt.cpp - partita-opt with the passes of tests --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/SequentialPass.h"
#include "partita/Tools/PartitaOptMain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::scf::SCFDialect>();
  partita::test::registerTestDialect(registry);
  mlir::func::registerInlinerExtension(registry);
  mlir::registerTransformsPasses();
  partita::transform::registerSequentialPass();
  partita::instrument::registerAllInstruments();
  partita::test::registerTestPasses();
  partita::test::registerTestInstruments();
  partita::test::registerTestConfigs();
  return partita::partitaOptMain(argc, argv, "Partita test driver\n", registry);
}
