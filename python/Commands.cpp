//===- Commands.cpp - The package's command-line tools --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that python/commands calls: partita-opt, partita-translate and
// partita-bisect with the MLIR, the dialects and the passes that the package
// has.
//
//===----------------------------------------------------------------------===//

#include "partita-c/Dialects.h"
#include "partita/Tools/PartitaBisectMain.h"
#include "partita/Tools/PartitaOptMain.h"
#include "partita/Tools/PartitaTranslateMain.h"

#include "mlir/CAPI/IR.h"

extern "C" {
MLIR_CAPI_EXPORTED int partitaRunOpt(int argc, char **argv) {
  mlir::DialectRegistry registry;
  partitaRegisterAllDialects(wrap(&registry));
  partitaRegisterAllPasses();
  return partita::partitaOptMain(argc, argv, "Partita optimizer driver\n",
                                 registry);
}

MLIR_CAPI_EXPORTED int partitaRunTranslate(int argc, char **argv) {
  return partita::partitaTranslateMain(argc, argv, [] {});
}

MLIR_CAPI_EXPORTED int partitaRunBisect(int argc, char **argv) {
  return partita::partitaBisectMain(argc, argv);
}
}
