//===- Tools.cpp - The tools, with all of MLIR ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools.h"
#include "partita/Conversion/Passes.h"
#include "partita/InitAll.h"
#include "partita/Tools/PartitaBisectMain.h"
#include "partita/Tools/PartitaOptMain.h"
#include "partita/Tools/PartitaTranslateMain.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int partitaRunBisect(int argc, char **argv) {
  return partita::partitaBisectMain(argc, argv);
}

static void addAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  partita::registerAllDialects(registry);
}

int partitaRunLspServer(int argc, char **argv) {
  mlir::DialectRegistry registry;
  addAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}

int partitaRunOpt(int argc, char **argv) {
  mlir::DialectRegistry registry;
  addAllDialects(registry);
  mlir::registerAllPasses();
  partita::registerAllPasses();
  partita::conversion::registerConversionPasses();
  // Needed by gpu-module-to-binary, if there are targets; mlir-opt does the
  // same.
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  return partita::partitaOptMain(argc, argv, "Partita optimizer driver\n",
                                 registry);
}

int partitaRunTranslate(int argc, char **argv) {
  return partita::partitaTranslateMain(argc, argv,
                                       mlir::registerAllTranslations);
}
