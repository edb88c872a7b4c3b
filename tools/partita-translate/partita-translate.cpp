//===- partita-translate.cpp - mlir-translate with TVM's JSON -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Target/TVMJson/TVMJson.h"

#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/Process.h"

int main(int argc, char **argv) {
  // A closed one would be the next file that is opened, and get what is said.
  [[maybe_unused]] std::error_code fixed =
      llvm::sys::Process::FixupStandardFileDescriptors();
  mlir::registerAllTranslations();
  partita::registerTVMJsonTranslation();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "Partita translation driver\n"));
}
