//===- Dialects.cpp - C API of dialects and passes ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita-c/Dialects.h"
#include "partita/Conversion/LinalgToTIR.h"
#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/IR/RelaxTypes.h"
#include "partita/Dialect/Relax/Transforms/Bind.h"
#include "partita/Dialect/Relax/Transforms/ReshapeAnalysis.h"
#include "partita/InitAll.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Target/TVMJson/TVMJson.h"

#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/Passes.h"

#include <mutex>

using namespace mlir;
using partita::relax::CallableType;
using partita::relax::Dim;
using partita::relax::OwnedElements;
using partita::relax::PartialTensorType;
using partita::relax::ShapeAttr;
using partita::relax::ShapeType;
using partita::relax::TensorData;
using partita::relax::TensorDataRef;
using partita::relax::TensorHolder;
using partita::relax::TensorInfo;
using partita::relax::TensorStore;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Partita, partita, partita::PartitaDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Relax, relax,
                                      partita::relax::RelaxDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TIR, tir, partita::tir::TIRDialect)

void partitaRegisterAllDialects(MlirDialectRegistry wrapped) {
  DialectRegistry &registry = *unwrap(wrapped);
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect>();
  func::registerInlinerExtension(registry);
  partita::registerAllDialects(registry);
}

/// The registered MLIR passes, by their folders in MLIR.
static constexpr std::pair<StringLiteral, void (*)()> mlirPasses[] = {
    {"Transforms", registerTransformsPasses},
    {"affine", affine::registerAffinePasses},
    {"arith", arith::registerArithPasses},
    {"func", func::registerFuncPasses},
    {"linalg", registerLinalgPasses},
    {"memref", memref::registerMemRefPasses},
    {"scf", registerSCFPasses}};

void partitaRegisterAllPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const auto &[name, registerPasses] : mlirPasses)
      registerPasses();
    partita::registerAllPasses();
  });
}

void partitaExplainMissingPass(MlirStringRef name, MlirStringCallback callback,
                               void *userData) {
  if (partita::transform::isRegisteredPass(unwrap(name)))
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "; MLIR's passes for ";
  llvm::interleaveComma(mlirPasses, os,
                        [&](const auto &entry) { os << entry.first; });
  os << " are registered here";
  callback(wrap(StringRef(text)), userData);
}

void partitaPassConfigDescribeUnread(MlirStringRef key,
                                     MlirStringCallback callback,
                                     void *userData) {
  std::string warning = partita::transform::describeUnreadConfig(unwrap(key));
  if (!warning.empty())
    callback(wrap(StringRef(warning)), userData);
}

MlirOperation partitaImportTVMJson(MlirContext context, MlirStringRef json,
                                   bool isStrict) {
  OwningOpRef<partita::IRModuleOp> module =
      partita::importTVMJson(unwrap(json), "<json>", unwrap(context), isStrict);
  return wrap(module.release().getOperation());
}

//===----------------------------------------------------------------------===//
// Types of Relax
//===----------------------------------------------------------------------===//

static Dim toDim(const PartitaDim &dim) {
  if (Attribute name = unwrap(dim.name))
    return cast<StringAttr>(name);
  return dim.size;
}

static PartitaDim fromDim(Dim dim) {
  return {dim.getSize(), wrap(Attribute(dim.getName()))};
}

/// The dimensions of a shape; empty if their number is unknown.
static SmallVector<Dim> toDims(const PartitaDims &dims) {
  if (dims.count < 0)
    return {};
  return llvm::map_to_vector(ArrayRef(dims.dims, dims.count), toDim);
}

/// Calls `function` with `dims`, which live until it returns.
static void withDims(ArrayRef<Dim> dims, bool isRanked, bool isLacking,
                     llvm::function_ref<void(PartitaDims)> function) {
  SmallVector<PartitaDim> list = llvm::map_to_vector(dims, fromDim);
  function({isRanked ? intptr_t(list.size()) : -1, list.data(), isLacking});
}

static auto makeEmitError(MLIRContext *context) {
  return [context] { return mlir::emitError(UnknownLoc::get(context)); };
}

MlirAttribute partitaShapeAttrGet(MlirContext context, PartitaDims dims) {
  return wrap(Attribute(ShapeAttr::getChecked(makeEmitError(unwrap(context)),
                                              unwrap(context),
                                              ArrayRef<Dim>(toDims(dims)))));
}

bool partitaShapeAttrGetDims(MlirAttribute shape,
                             void (*callback)(PartitaDims, void *),
                             void *userData) {
  auto attr = dyn_cast<ShapeAttr>(unwrap(shape));
  if (attr)
    withDims(attr.getDims(), /*isRanked=*/true, /*isLacking=*/false,
             [&](PartitaDims dims) { callback(dims, userData); });
  return static_cast<bool>(attr);
}

MlirType partitaShapeTypeGet(MlirContext context, PartitaDims dims) {
  return wrap(Type(ShapeType::getChecked(
      makeEmitError(unwrap(context)), unwrap(context),
      ArrayRef<Dim>(toDims(dims)), dims.count >= 0, dims.isLacking)));
}

MlirTypeID partitaShapeTypeGetTypeID() { return wrap(ShapeType::getTypeID()); }

bool partitaShapeTypeGetDims(MlirType type,
                             void (*callback)(PartitaDims, void *),
                             void *userData) {
  auto shape = dyn_cast<ShapeType>(unwrap(type));
  if (shape)
    withDims(shape.getDims(), shape.getRanked(), shape.getLacksValues(),
             [&](PartitaDims dims) { callback(dims, userData); });
  return static_cast<bool>(shape);
}

MlirType partitaTensorTypeGet(MlirContext context, PartitaTensorInfo given) {
  auto emitError = makeEmitError(unwrap(context));
  TensorInfo info;
  info.elementType = unwrap(given.elementType);
  info.dims = toDims(given.dims);
  info.isRanked = given.dims.count >= 0;
  info.lacksShape = given.dims.isLacking;
  info.shape = cast_if_present<StringAttr>(unwrap(given.shape));
  info.vdevice = unwrap(given.vdevice);
  if (info.elementType && !TensorType::isValidElementType(info.elementType)) {
    emitError() << "expected the type of an element, found "
                << info.elementType;
    return {nullptr};
  }
  // A builtin tensor type is right if its dimensions are.
  bool isPartial =
      !info.elementType || info.shape || info.lacksShape || info.vdevice;
  if (isPartial ? failed(PartialTensorType::verifyInvariants(
                      emitError, info.dims, info.isRanked, info.elementType,
                      info.shape, info.lacksShape, info.vdevice))
                : failed(partita::relax::verifyDims(emitError, info.dims)))
    return {nullptr};
  return wrap(info.getType(unwrap(context)));
}

bool partitaTensorTypeGetInfo(MlirType type,
                              void (*callback)(PartitaTensorInfo, void *),
                              void *userData) {
  std::optional<TensorInfo> info = TensorInfo::get(unwrap(type));
  if (info)
    withDims(info->dims, info->isRanked, info->lacksShape,
             [&](PartitaDims dims) {
               callback({dims, wrap(info->elementType),
                         wrap(Attribute(info->shape)), wrap(info->vdevice)},
                        userData);
             });
  return info.has_value();
}

PartitaDim partitaDimSimplify(MlirContext context, MlirStringRef text) {
  return fromDim(Dim(StringAttr::get(unwrap(context), unwrap(text))) + Dim(0));
}

bool partitaTypeIsMoreGeneral(MlirType general, MlirType specific) {
  return partita::relax::isMoreGeneral(unwrap(general), unwrap(specific));
}

bool partitaTypeIsCastable(MlirType from, MlirType to) {
  return partita::relax::isCastable(unwrap(from), unwrap(to));
}

MlirAttribute partitaOpaqueAttrGet(MlirContext context, MlirStringRef kind,
                                   MlirStringRef json) {
  return wrap(Attribute(partita::relax::OpaqueAttr::get(
      unwrap(context), unwrap(kind), unwrap(json))));
}

MlirStringRef partitaOpaqueAttrGetJson(MlirAttribute attr) {
  auto opaque = dyn_cast<partita::relax::OpaqueAttr>(unwrap(attr));
  return opaque ? wrap(opaque.getJson()) : MlirStringRef{nullptr, 0};
}

MlirAffineMap partitaIndexMapAttrGetMap(MlirAttribute attr, MlirType *type) {
  auto map = dyn_cast<partita::relax::IndexMapAttr>(unwrap(attr));
  if (!map)
    return {nullptr};
  *type = wrap(Type(map.getType()));
  return wrap(map.getMap());
}

MlirType partitaObjectTypeGet(MlirContext context) {
  return wrap(Type(partita::relax::ObjectType::get(unwrap(context))));
}

bool partitaTypeIsAObject(MlirType type) {
  return isa<partita::relax::ObjectType>(unwrap(type));
}

MlirType partitaCallableTypeGet(MlirContext context, PartitaCallable callable) {
  bool takesAny = callable.numInputs < 0;
  SmallVector<Type> inputs;
  if (!takesAny)
    (void)unwrapList(callable.numInputs, callable.inputs, inputs);
  return wrap(Type(CallableType::get(
      unwrap(context), inputs, unwrap(callable.result), callable.isPure,
      takesAny, cast_if_present<StringAttr>(unwrap(callable.derive)))));
}

bool partitaCallableTypeGetInfo(MlirType type,
                                void (*callback)(PartitaCallable, void *),
                                void *userData) {
  auto callable = dyn_cast<CallableType>(unwrap(type));
  if (!callable)
    return false;
  SmallVector<MlirType> inputs = llvm::map_to_vector(
      callable.getInputs(), [](Type input) { return wrap(input); });
  callback({callable.getTakesAny() ? -1 : intptr_t(inputs.size()),
            inputs.data(), wrap(callable.getResult()), callable.getPure(),
            wrap(Attribute(callable.getDerive()))},
           userData);
  return true;
}

void partitaFunctionTypeBind(MlirType functionType, const MlirType *args,
                             MlirType *results) {
  auto function = cast<FunctionType>(unwrap(functionType));
  partita::relax::DimBinding binding;
  for (auto [index, input] : llvm::enumerate(function.getInputs()))
    (void)binding.bind(input, unwrap(args[index]));
  for (auto [index, result] : llvm::enumerate(function.getResults()))
    results[index] = wrap(binding.apply(result));
}

MlirLogicalResult partitaFuncBindParams(MlirOperation func,
                                        intptr_t numBindings,
                                        const PartitaParamBinding *bindings) {
  return wrap(partita::relax::bindParams(
      cast<partita::relax::FuncOp>(unwrap(func)),
      llvm::map_to_vector(ArrayRef(bindings, numBindings),
                          [](const PartitaParamBinding &binding) {
                            return partita::relax::ParamBinding(
                                binding.index, unwrap(binding.value));
                          })));
}

MlirLogicalResult partitaFuncBindSymbolicVars(MlirOperation func,
                                              const MlirStringRef *names,
                                              PartitaDims dims) {
  MLIRContext *context = unwrap(func)->getContext();
  partita::relax::DimMap bindings;
  for (auto [index, dim] : llvm::enumerate(toDims(dims)))
    bindings.insert({StringAttr::get(context, unwrap(names[index])), dim});
  return wrap(partita::relax::bindSymbolicVars(
      cast<partita::relax::FuncOp>(unwrap(func)), bindings));
}

//===----------------------------------------------------------------------===//
// Elements of constants
//===----------------------------------------------------------------------===//

static TensorDataRef makeTensorData(const PartitaTensor &tensor) {
  return std::make_shared<TensorData>(
      HeapAsmResourceBlob::allocateAndCopyWithAlign(
          ArrayRef(tensor.data.data, tensor.data.length), tensor.alignment),
      unwrap(tensor.name));
}

MlirAttribute partitaTensorGet(MlirType type, MlirStringRef name,
                               size_t alignment, MlirStringRef data) {
  return wrap(partita::relax::TensorAttr::get(
      cast<ShapedType>(unwrap(type)), makeTensorData({name, alignment, data})));
}

PartitaElements partitaElementsCreate(MlirAttribute attr) {
  return {new OwnedElements(cast<ElementsAttr>(unwrap(attr)))};
}

void partitaElementsDestroy(PartitaElements elements) {
  delete static_cast<OwnedElements *>(elements.ptr);
}

void partitaAdoptResources(MlirOperation root) {
  partita::relax::adoptResources(unwrap(root));
}

PartitaTensorHolder partitaTensorHolderCreate(MlirOperation module) {
  return {new TensorHolder(unwrap(module))};
}

void partitaTensorHolderDestroy(PartitaTensorHolder holder) {
  delete static_cast<TensorHolder *>(holder.ptr);
}

MlirLogicalResult partitaModuleSave(MlirOperation op, MlirStringCallback onText,
                                    void (*onTensor)(PartitaTensor, void *),
                                    void *userData) {
  if (failed(mlir::verify(unwrap(op))))
    return wrap(failure());
  std::vector<TensorDataRef> tensors;
  {
    TensorStore store(tensors);
    mlir::detail::CallbackOstream stream(onText, userData);
    // Locations have the exact names of variables.
    unwrap(op)->print(stream,
                      OpPrintingFlags().assumeVerified().enableDebugInfo());
  }
  for (const TensorDataRef &data : tensors)
    onTensor(
        {wrap(data->getName()), data->getAlignment(),
         wrap(StringRef(data->getBytes().data(), data->getBytes().size()))},
        userData);
  return wrap(success());
}

MlirOperation partitaModuleLoad(MlirContext context, MlirStringRef text,
                                intptr_t numTensors,
                                const PartitaTensor *tensors) {
  std::vector<TensorDataRef> data;
  for (const PartitaTensor &tensor : ArrayRef(tensors, numTensors))
    data.push_back(makeTensorData(tensor));
  TensorStore store(data);
  // A function alone calls functions that are not there.
  ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(unwrap(text), config);
  if (!module || !llvm::all_of(*module->getBody(), [](Operation &op) {
        return succeeded(verify(&op));
      }))
    return {nullptr};
  return wrap(module.release().getOperation());
}

bool partitaOperationIsPure(MlirOperation op) {
  return partita::relax::isPureExpr(unwrap(op));
}

bool partitaOperationIsReshape(MlirOperation op) {
  auto func = llvm::dyn_cast<partita::tir::PrimFuncOp>(unwrap(op));
  return func && partita::relax::findReshaped(func);
}

bool partitaOperationVerifyAlone(MlirOperation op) {
  return succeeded(verify(unwrap(op), /*verifyRecursively=*/false));
}

MlirAttribute partitaOperationGetAttributes(MlirOperation op) {
  return wrap(unwrap(op)->getAttrDictionary());
}

MlirLogicalResult partitaExportTVMJson(MlirOperation module,
                                       MlirStringCallback callback,
                                       void *userData) {
  auto irModule = dyn_cast<partita::IRModuleOp>(unwrap(module));
  if (!irModule)
    return wrap(unwrap(module)->emitError("expected a partita.module, found '")
                << unwrap(module)->getName() << "'");
  mlir::detail::CallbackOstream stream(callback, userData);
  return wrap(partita::exportTVMJson(irModule, stream,
                                     partita::conversion::convertLinalgToTIR));
}
