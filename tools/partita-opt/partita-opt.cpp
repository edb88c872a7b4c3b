//===- partita-opt.cpp - mlir-opt with TVM's pass infrastructure ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/InitAll.h"
#include "partita/Tools/PartitaOptMain.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  partita::registerAllDialects(registry);
  partita::registerAllPasses();
  return partita::partitaOptMain(argc, argv, "Partita optimizer driver\n",
                                 registry);
}
