//===- partita-c/Dialects.h - C API of dialects and passes --------*- C -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_C_DIALECTS_H
#define PARTITA_C_DIALECTS_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Partita, partita);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Relax, relax);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TIR, tir);

/// Adds Partita's dialects to `registry`, and the upstream dialects that lower
/// tensor code, with their extensions.
MLIR_CAPI_EXPORTED void
partitaRegisterAllDialects(MlirDialectRegistry registry);

/// Registers the passes of these dialects, upstream's passes on any dialect,
/// and Partita's instruments. Later calls do nothing.
MLIR_CAPI_EXPORTED void partitaRegisterAllPasses(void);
/// If no pass is called `name`, calls `callback` with a text that says which
/// groups of MLIR passes are registered.
MLIR_CAPI_EXPORTED void partitaExplainMissingPass(MlirStringRef name,
                                                  MlirStringCallback callback,
                                                  void *userData);
/// Calls `callback` with a warning if `key` is a config key of TVM that no pass
/// reads.
MLIR_CAPI_EXPORTED void
partitaPassConfigDescribeUnread(MlirStringRef key, MlirStringCallback callback,
                                void *userData);

/// Imports a module that TVM has saved as `json`, as a partita.module; null
/// after a diagnostic. Nodes without a counterpart in the dialects are kept as
/// JSON, with a warning; `isStrict` makes them an error.
MLIR_CAPI_EXPORTED MlirOperation partitaImportTVMJson(MlirContext context,
                                                      MlirStringRef json,
                                                      bool isStrict);

/// Gives `callback` a partita.module as JSON that TVM loads, in parts. Linalg
/// in prim_funcs becomes TVM's blocks, in a copy. Fails, after a diagnostic, if
/// the module holds something that TVM lacks.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaExportTVMJson(
    MlirOperation module, MlirStringCallback callback, void *userData);

//===----------------------------------------------------------------------===//
// Types of Relax
//===----------------------------------------------------------------------===//

/// A dimension: its size, `mlirShapedTypeGetDynamicSize` if that is not known;
/// and its name or its expression, a string attribute, or null.
typedef struct PartitaDim {
  int64_t size;
  MlirAttribute name;
} PartitaDim;

/// The dimensions of a shape or tensor.
typedef struct PartitaDims {
  /// -1 if even the number of dimensions is unknown.
  intptr_t count;
  const PartitaDim *dims;
  /// Whether TVM has no shape here, if there are no dimensions.
  bool isLacking;
} PartitaDims;

/// The known facts about a tensor: relax::TensorInfo.
typedef struct PartitaTensorInfo {
  PartitaDims dims;
  /// Null if it is unknown.
  MlirType elementType;
  /// The name of the variable that holds the shape, or null.
  MlirAttribute shape;
  /// The device, or its index in the module's global infos, or null.
  MlirAttribute vdevice;
} PartitaTensorInfo;

/// The #relax.shape with these dimensions, whose number must be known; null
/// after a diagnostic.
MLIR_CAPI_EXPORTED MlirAttribute partitaShapeAttrGet(MlirContext context,
                                                     PartitaDims dims);
/// Gives `callback` the dimensions; false if `shape` is no #relax.shape.
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

/// A builtin tensor type or, if that lacks something, a !relax.tensor; null
/// after a diagnostic.
MLIR_CAPI_EXPORTED MlirType partitaTensorTypeGet(MlirContext context,
                                                 PartitaTensorInfo info);
/// Gives `callback` the facts in the type; false if it is no tensor type.
MLIR_CAPI_EXPORTED bool partitaTensorTypeGetInfo(
    MlirType type, void (*callback)(PartitaTensorInfo info, void *userData),
    void *userData);

/// Parses `text` as an expression and simplifies it. Without a size and a name
/// if `text` is no expression, or no size.
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
/// The JSON of a #relax.opaque; null if `attr` is none.
MLIR_CAPI_EXPORTED MlirStringRef partitaOpaqueAttrGetJson(MlirAttribute attr);

/// The map of a #relax.index_map; null if `attr` is none. Sets `type` to the
/// type of the indices in TVM.
MLIR_CAPI_EXPORTED MlirAffineMap partitaIndexMapAttrGetMap(MlirAttribute attr,
                                                           MlirType *type);

MLIR_CAPI_EXPORTED MlirType partitaObjectTypeGet(MlirContext context);
MLIR_CAPI_EXPORTED bool partitaTypeIsAObject(MlirType type);

/// A !relax.callable.
typedef struct PartitaCallable {
  /// -1 if it takes any arguments.
  intptr_t numInputs;
  const MlirType *inputs;
  MlirType result;
  bool isPure;
  /// The name of TVM's function that infers the types of calls, or null.
  MlirAttribute derive;
} PartitaCallable;
MLIR_CAPI_EXPORTED MlirType partitaCallableTypeGet(MlirContext context,
                                                   PartitaCallable callable);
/// Gives `callback` the facts in the type; false if it is no !relax.callable.
MLIR_CAPI_EXPORTED bool partitaCallableTypeGetInfo(
    MlirType type, void (*callback)(PartitaCallable info, void *userData),
    void *userData);

/// Gives `callback` the results of a call with `args`, one for each input of
/// the builtin `functionType`: relax::DimBinding.
MLIR_CAPI_EXPORTED void partitaFunctionTypeBind(MlirType functionType,
                                                const MlirType *args,
                                                MlirType *results);

/// A parameter of a function, and its value.
typedef struct PartitaParamBinding {
  unsigned index;
  MlirAttribute value;
} PartitaParamBinding;
/// relax::bindParams, on a relax.func with a body, and relax::bindSymbolicVars,
/// with as many dimensions as names. Drop the function after a failure.
MLIR_CAPI_EXPORTED MlirLogicalResult
partitaFuncBindParams(MlirOperation func, intptr_t numBindings,
                      const PartitaParamBinding *bindings);
MLIR_CAPI_EXPORTED MlirLogicalResult partitaFuncBindSymbolicVars(
    MlirOperation func, const MlirStringRef *names, PartitaDims dims);

//===----------------------------------------------------------------------===//
// Elements of constants
//===----------------------------------------------------------------------===//

/// relax::TensorData, to create and to read.
typedef struct PartitaTensor {
  MlirStringRef name;
  size_t alignment;
  MlirStringRef data;
} PartitaTensor;

/// An attribute of type `type` with a copy of the elements `data`: a
/// relax::TensorAttr. Nothing holds the elements yet.
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

/// Call it on a `root` that was just parsed. Its resources are then freed with
/// the last constant that uses them: relax::adoptResources.
MLIR_CAPI_EXPORTED void partitaAdoptResources(MlirOperation root);

/// Holds the elements that a lowering of `module` refers to, until it is
/// destroyed: relax::TensorHolder. No copy of the lowered module may be used
/// after that.
typedef struct PartitaTensorHolder {
  void *ptr;
} PartitaTensorHolder;
MLIR_CAPI_EXPORTED PartitaTensorHolder
partitaTensorHolderCreate(MlirOperation module);
MLIR_CAPI_EXPORTED void partitaTensorHolderDestroy(PartitaTensorHolder holder);

/// The text of `op`, with locations, and beside it the elements of its
/// constants, without making resources of them: relax::TensorStore. Fails,
/// after diagnostics, if the op is invalid, because the text could not be
/// loaded.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaModuleSave(
    MlirOperation op, MlirStringCallback onText,
    void (*onTensor)(PartitaTensor tensor, void *userData), void *userData);
/// Loads a saved op, inside a builtin.module; null after a diagnostic. The
/// tensors are copied.
MLIR_CAPI_EXPORTED MlirOperation
partitaModuleLoad(MlirContext context, MlirStringRef text, intptr_t numTensors,
                  const PartitaTensor *tensors);
/// Whether `op`, a Relax op, may be moved, merged and dropped:
/// relax::isPureExpr.
MLIR_CAPI_EXPORTED bool partitaOperationIsPure(MlirOperation op);
/// Whether `op` is a tir.prim_func that only gives a parameter another shape:
/// relax::findReshaped.
MLIR_CAPI_EXPORTED bool partitaOperationIsReshape(MlirOperation op);
/// Whether `op` is valid. The ops in its regions are not verified: ops that
/// were verified when they were made need not be again.
MLIR_CAPI_EXPORTED bool partitaOperationVerifyAlone(MlirOperation op);
/// All attributes of `op`, as a dictionary, in one call.
MLIR_CAPI_EXPORTED MlirAttribute
partitaOperationGetAttributes(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // PARTITA_C_DIALECTS_H
