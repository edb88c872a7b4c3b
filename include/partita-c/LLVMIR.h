//===- partita-c/LLVMIR.h - C API of the lowering to LLVM IR ------*- C -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_C_LLVMIR_H
#define PARTITA_C_LLVMIR_H

#include "partita-c/Transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers LowerToLLVM, and the passes that it names.
MLIR_CAPI_EXPORTED void partitaRegisterLoweringPasses(void);
/// Adds what these passes, and the translation, need of dialects.
MLIR_CAPI_EXPORTED void
partitaRegisterLoweringInterfaces(MlirDialectRegistry registry);

/// Gives `callback` a module of the LLVM dialect as LLVM bitcode, which
/// partitaRuntimeCompile takes. Fails after a diagnostic.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaTranslateToLLVMIR(
    MlirOperation module, MlirStringCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif // PARTITA_C_LLVMIR_H
