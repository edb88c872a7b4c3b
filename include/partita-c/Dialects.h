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
/// If no pass is called `name`, calls `callback` with which of MLIR's that has
/// registered.
MLIR_CAPI_EXPORTED void partitaExplainMissingPass(MlirStringRef name,
                                                  MlirStringCallback callback,
                                                  void *userData);
/// If `key` is a config key of TVM's that no pass reads, calls `callback` with
/// a warning.
MLIR_CAPI_EXPORTED void
partitaPassConfigDescribeUnread(MlirStringRef key, MlirStringCallback callback,
                                void *userData);

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

/// A dimension: its size, `mlirShapedTypeGetDynamicSize` if that is not known,
/// and its name or the expression that it is, a string attribute, or null.
typedef struct PartitaDim {
  int64_t size;
  MlirAttribute name;
} PartitaDim;

/// The dimensions of a shape or tensor.
typedef struct PartitaDims {
  /// -1 if even their number is unknown.
  intptr_t count;
  const PartitaDim *dims;
  /// Whether TVM has no shape of what has no dimensions.
  bool isLacking;
} PartitaDims;

/// What is known about a tensor: relax::TensorInfo.
typedef struct PartitaTensorInfo {
  PartitaDims dims;
  /// Null if it is unknown.
  MlirType elementType;
  /// The name of the variable that is the shape, or null.
  MlirAttribute shape;
  /// The device or its place in the module's global infos, or null.
  MlirAttribute vdevice;
} PartitaTensorInfo;

/// The #relax.shape of dimensions whose number is known; null after a
/// diagnostic.
MLIR_CAPI_EXPORTED MlirAttribute partitaShapeAttrGet(MlirContext context,
                                                     PartitaDims dims);
/// Gives `callback` these dimensions; false if `shape` is no #relax.shape.
MLIR_CAPI_EXPORTED bool
partitaShapeAttrGetDims(MlirAttribute shape,
                        void (*callback)(PartitaDims dims, void *userData),
                        void *userData);

/// A !relax.shape; null after a diagnostic.
MLIR_CAPI_EXPORTED MlirType partitaShapeTypeGet(MlirContext context,
                                                PartitaDims dims);
MLIR_CAPI_EXPORTED MlirTypeID partitaShapeTypeGetTypeID(void);
/// Gives `callback` its dimensions; false if `type` is no !relax.shape.
MLIR_CAPI_EXPORTED bool
partitaShapeTypeGetDims(MlirType type,
                        void (*callback)(PartitaDims dims, void *userData),
                        void *userData);

/// A builtin tensor, or a !relax.tensor where it can't say the same; null after
/// a diagnostic.
MLIR_CAPI_EXPORTED MlirType partitaTensorTypeGet(MlirContext context,
                                                 PartitaTensorInfo info);
/// Gives `callback` what the type says; false if it is not that of a tensor.
MLIR_CAPI_EXPORTED bool partitaTensorTypeGetInfo(
    MlirType type, void (*callback)(PartitaTensorInfo info, void *userData),
    void *userData);

/// The expression that `text` is, simplified; neither a size nor a name if it
/// is none, or no size.
MLIR_CAPI_EXPORTED PartitaDim partitaDimSimplify(MlirContext context,
                                                 MlirStringRef text);

/// relax::isMoreGeneral and relax::isCastable.
MLIR_CAPI_EXPORTED bool partitaTypeIsMoreGeneral(MlirType general,
                                                 MlirType specific);
MLIR_CAPI_EXPORTED bool partitaTypeIsCastable(MlirType from, MlirType to);

/// A #relax.opaque: a value of TVM as the JSON that TVM writes.
MLIR_CAPI_EXPORTED MlirAttribute partitaOpaqueAttrGet(MlirContext context,
                                                      MlirStringRef kind,
                                                      MlirStringRef json);

MLIR_CAPI_EXPORTED MlirType partitaObjectTypeGet(MlirContext context);
MLIR_CAPI_EXPORTED bool partitaTypeIsAObject(MlirType type);

/// A !relax.callable.
typedef struct PartitaCallable {
  /// -1 if it takes any arguments.
  intptr_t numInputs;
  const MlirType *inputs;
  MlirType result;
  bool isPure;
  /// The name of TVM's function that knows the types of calls, or null.
  MlirAttribute derive;
} PartitaCallable;
MLIR_CAPI_EXPORTED MlirType partitaCallableTypeGet(MlirContext context,
                                                   PartitaCallable callable);
/// Gives `callback` what the type says; false if it is no !relax.callable.
MLIR_CAPI_EXPORTED bool partitaCallableTypeGetInfo(
    MlirType type, void (*callback)(PartitaCallable info, void *userData),
    void *userData);

/// The `results` of a function of a builtin function type where it is called
/// with `args`, as many as it has inputs: relax::DimBinding.
MLIR_CAPI_EXPORTED void partitaFunctionTypeBind(MlirType functionType,
                                                const MlirType *args,
                                                MlirType *results);

/// A parameter of a function, and its value.
typedef struct PartitaParamBinding {
  unsigned index;
  MlirAttribute value;
} PartitaParamBinding;
/// relax::bindParams, on a relax.func with a body, and relax::bindSymbolicVars,
/// of as many dimensions as names. The function is to be dropped after a
/// failure.
MLIR_CAPI_EXPORTED MlirLogicalResult
partitaFuncBindParams(MlirOperation func, intptr_t numBindings,
                      const PartitaParamBinding *bindings);
MLIR_CAPI_EXPORTED MlirLogicalResult partitaFuncBindSymbolicVars(
    MlirOperation func, const MlirStringRef *names, PartitaDims dims);

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

/// The text of `op`, with locations, and, beside it, the elements of its
/// constants, none of which become resources: relax::TensorStore. Failure,
/// after diagnostics, if the op is invalid: what would be saved could not be
/// loaded.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaModuleSave(
    MlirOperation op, MlirStringCallback onText,
    void (*onTensor)(PartitaTensor tensor, void *userData), void *userData);
/// The builtin.module around what was saved; null after a diagnostic. The
/// tensors are copied.
MLIR_CAPI_EXPORTED MlirOperation
partitaModuleLoad(MlirContext context, MlirStringRef text, intptr_t numTensors,
                  const PartitaTensor *tensors);
/// Whether `op`, of Relax, may be moved, merged and dropped: relax::isPureExpr.
MLIR_CAPI_EXPORTED bool partitaOperationIsPure(MlirOperation op);
/// Whether `op` is valid, of whose regions the ops are not verified: those that
/// were verified when they were made need not be again.
MLIR_CAPI_EXPORTED bool partitaOperationVerifyAlone(MlirOperation op);
/// All attributes of `op`, as a dictionary, in one call.
MLIR_CAPI_EXPORTED MlirAttribute
partitaOperationGetAttributes(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // PARTITA_C_DIALECTS_H
