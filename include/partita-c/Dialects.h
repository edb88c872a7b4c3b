//===- partita-c/Dialects.h - C API of dialects and passes --------*- C -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_C_DIALECTS_H
#define PARTITA_C_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Partita, partita);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Relax, relax);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TIR, tir);

/// Adds to `registry` Partita's dialects and, with their extensions, those of
/// upstream through which tensor code is lowered.
MLIR_CAPI_EXPORTED void
partitaRegisterAllDialects(MlirDialectRegistry registry);

/// Registers the passes of those dialects, upstream's passes on any dialect,
/// and Partita's instruments. Later calls do nothing.
MLIR_CAPI_EXPORTED void partitaRegisterAllPasses(void);

/// The module that TVM has saved as `json`, as a partita.module; null after a
/// diagnostic.
MLIR_CAPI_EXPORTED MlirOperation partitaImportTVMJson(MlirContext context,
                                                      MlirStringRef json);

/// All attributes of `op`, as a dictionary, in one call.
MLIR_CAPI_EXPORTED MlirAttribute
partitaOperationGetAttributes(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // PARTITA_C_DIALECTS_H
