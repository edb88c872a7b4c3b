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
/// diagnostic. What the dialects lack is kept as it is, with a warning, unless
/// `isStrict` makes it an error.
MLIR_CAPI_EXPORTED MlirOperation partitaImportTVMJson(MlirContext context,
                                                      MlirStringRef json,
                                                      bool isStrict);

/// Gives `callback` a partita.module as JSON that TVM loads, in parts. Fails,
/// after a diagnostic, if the module holds something that TVM lacks.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaExportTVMJson(
    MlirOperation module, MlirStringCallback callback, void *userData);

//===----------------------------------------------------------------------===//
// Types of Relax
//===----------------------------------------------------------------------===//

/// The #relax.shape of `dims`, an array of which each element is an integer, a
/// string (a name or an expression) or a unit (an unknown dimension); null
/// after a diagnostic.
MLIR_CAPI_EXPORTED MlirAttribute partitaShapeAttrGet(MlirAttribute dims);
/// That array; null if `shape` is no #relax.shape.
MLIR_CAPI_EXPORTED MlirAttribute partitaShapeAttrGetDims(MlirAttribute shape);
/// The !relax.shape of the dimensions of a #relax.shape.
MLIR_CAPI_EXPORTED MlirType partitaShapeTypeGet(MlirAttribute shape);
/// The #relax.shape of a !relax.shape; null if `type` is none, or if its number
/// of dimensions is unknown.
MLIR_CAPI_EXPORTED MlirAttribute partitaShapeTypeGetShape(MlirType type);

/// The !relax.callable of functions of a builtin function type of one result.
MLIR_CAPI_EXPORTED MlirType partitaCallableTypeGet(MlirType functionType,
                                                   bool isPure);
/// That function type; null if `type` is no !relax.callable, or if it does not
/// say what the function takes and returns.
MLIR_CAPI_EXPORTED MlirType partitaCallableTypeGetFunctionType(MlirType type);
MLIR_CAPI_EXPORTED bool partitaCallableTypeIsPure(MlirType type);

/// The `results` of a function of a builtin function type where it is called
/// with `args`, as many as it has inputs: relax::DimBinding.
MLIR_CAPI_EXPORTED void partitaFunctionTypeBind(MlirType functionType,
                                                const MlirType *args,
                                                MlirType *results);

//===----------------------------------------------------------------------===//
// Elements of constants
//===----------------------------------------------------------------------===//

/// relax::TensorData, to make and to read.
typedef struct PartitaTensor {
  MlirStringRef name;
  size_t alignment;
  MlirStringRef data;
} PartitaTensor;

/// An attribute of this type with a copy of the elements `data`: a
/// relax::TensorAttr. Nothing holds them yet.
MLIR_CAPI_EXPORTED MlirAttribute partitaTensorGet(MlirType type,
                                                  MlirStringRef name,
                                                  size_t alignment,
                                                  MlirStringRef data);

/// Elements that are not freed before this is destroyed: relax::OwnedElements.
typedef struct PartitaElements {
  void *ptr;
} PartitaElements;
MLIR_CAPI_EXPORTED PartitaElements partitaElementsCreate(MlirAttribute attr);
MLIR_CAPI_EXPORTED void partitaElementsDestroy(PartitaElements elements);

/// Frees the resources of `root`, which was just parsed, with the last of its
/// constants: relax::adoptResources.
MLIR_CAPI_EXPORTED void partitaAdoptResources(MlirOperation root);

/// The text of `op` and, beside it, the elements of its constants, none of
/// which become resources: relax::TensorStore. Failure, after diagnostics, if
/// the op is invalid: what would be saved could not be loaded.
MLIR_CAPI_EXPORTED MlirLogicalResult
partitaModuleSave(MlirOperation op, MlirStringCallback onText,
                  void (*onTensor)(PartitaTensor tensor, void *userData),
                  void *userData);
/// The builtin.module around what was saved; null after a diagnostic. The
/// tensors are copied.
MLIR_CAPI_EXPORTED MlirOperation
partitaModuleLoad(MlirContext context, MlirStringRef text, intptr_t numTensors,
                  const PartitaTensor *tensors);
/// All attributes of `op`, as a dictionary, in one call.
MLIR_CAPI_EXPORTED MlirAttribute
partitaOperationGetAttributes(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // PARTITA_C_DIALECTS_H
