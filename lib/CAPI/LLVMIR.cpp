//===- LLVMIR.cpp - C API of the lowering to LLVM IR ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita-c/LLVMIR.h"
#include "partita/Target/LLVMIR/LowerToLLVMIR.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

#include <mutex>

using namespace mlir;

void partitaRegisterLoweringPasses(void) {
  static std::once_flag once;
  std::call_once(once, partita::registerLoweringPasses);
}

void partitaRegisterLoweringInterfaces(MlirDialectRegistry registry) {
  partita::registerLoweringInterfaces(*unwrap(registry));
}

MlirLogicalResult partitaTranslateToLLVMIR(MlirOperation module,
                                           MlirStringCallback callback,
                                           void *userData) {
  FailureOr<std::string> bitcode = partita::translateToLLVMIR(unwrap(module));
  if (failed(bitcode))
    return wrap(failure());
  callback(wrap(StringRef(*bitcode)), userData);
  return wrap(success());
}
