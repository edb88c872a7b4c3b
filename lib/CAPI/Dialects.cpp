//===- Dialects.cpp - C API of dialects and passes ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita-c/Dialects.h"
#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxTypes.h"
#include "partita/InitAll.h"
#include "partita/Target/TVMJson/TVMJson.h"

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
using partita::relax::ShapeAttr;
using partita::relax::ShapeType;
using partita::relax::TensorData;
using partita::relax::TensorDataRef;
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

void partitaRegisterAllPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerTransformsPasses();
    affine::registerAffinePasses();
    arith::registerArithPasses();
    func::registerFuncPasses();
    registerLinalgPasses();
    memref::registerMemRefPasses();
    registerSCFPasses();
    partita::registerAllPasses();
  });
}

MlirOperation partitaImportTVMJson(MlirContext context, MlirStringRef json,
                                   bool isStrict) {
  OwningOpRef<partita::IRModuleOp> module =
      partita::importTVMJson(unwrap(json), "<json>", unwrap(context), isStrict);
  return wrap(module.release().getOperation());
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

MlirAttribute partitaShapeAttrGet(MlirAttribute dims) {
  auto array = cast<ArrayAttr>(unwrap(dims));
  SmallVector<Dim> list;
  for (Attribute dim : array) {
    if (auto size = dyn_cast<IntegerAttr>(dim))
      list.push_back(size.getInt());
    else
      list.push_back(isa<UnitAttr>(dim) ? Dim() : Dim(cast<StringAttr>(dim)));
  }
  auto emitError = [&] {
    return mlir::emitError(UnknownLoc::get(array.getContext()));
  };
  return wrap(ShapeAttr::getChecked(emitError, array.getContext(),
                                    llvm::ArrayRef<Dim>(list)));
}

MlirAttribute partitaShapeAttrGetDims(MlirAttribute shape) {
  auto attr = dyn_cast<ShapeAttr>(unwrap(shape));
  if (!attr)
    return {nullptr};
  Builder builder(attr.getContext());
  return wrap(builder.getArrayAttr(
      llvm::map_to_vector(attr.getDims(), [&](Dim dim) -> Attribute {
        if (dim.isNumber())
          return builder.getI64IntegerAttr(dim.getSize());
        return dim.isName() ? Attribute(dim.getName()) : builder.getUnitAttr();
      })));
}

MlirType partitaShapeTypeGet(MlirAttribute shape) {
  auto attr = cast<ShapeAttr>(unwrap(shape));
  return wrap(ShapeType::get(attr.getContext(), attr.getDims()));
}

MlirAttribute partitaShapeTypeGetShape(MlirType type) {
  auto shape = dyn_cast<ShapeType>(unwrap(type));
  if (!shape || !shape.getRanked() || shape.getLacksValues())
    return {nullptr};
  return wrap(ShapeAttr::get(shape.getContext(), shape.getDims()));
}

MlirType partitaCallableTypeGet(MlirType functionType, bool isPure) {
  auto function = cast<FunctionType>(unwrap(functionType));
  return wrap(CallableType::get(function.getContext(), function.getInputs(),
                                llvm::getSingleElement(function.getResults()),
                                isPure,
                                /*takesAny=*/false, /*derive=*/{}));
}

MlirType partitaCallableTypeGetFunctionType(MlirType type) {
  auto callable = dyn_cast<CallableType>(unwrap(type));
  if (!callable || callable.getTakesAny() || callable.getDerive())
    return {nullptr};
  return wrap(FunctionType::get(callable.getContext(), callable.getInputs(),
                                callable.getResult()));
}

bool partitaCallableTypeIsPure(MlirType type) {
  return cast<CallableType>(unwrap(type)).getPure();
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

MlirLogicalResult partitaModuleSave(MlirOperation op, MlirStringCallback onText,
                                    void (*onTensor)(PartitaTensor, void *),
                                    void *userData) {
  if (failed(mlir::verify(unwrap(op))))
    return wrap(failure());
  std::vector<TensorDataRef> tensors;
  {
    TensorStore store(tensors);
    mlir::detail::CallbackOstream stream(onText, userData);
    unwrap(op)->print(stream, OpPrintingFlags().assumeVerified());
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
  return wrap(parseSourceString<ModuleOp>(unwrap(text), unwrap(context))
                  .release()
                  .getOperation());
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
  return wrap(partita::exportTVMJson(irModule, stream));
}
