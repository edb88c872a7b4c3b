//===- LowerToLLVMIR.cpp - Lower a module to LLVM IR ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Target/LLVMIR/LowerToLLVMIR.h"
#include "partita/Conversion/Passes.h"
#include "partita/Pass/Pass.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRefMemorySlot.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace partita;

void partita::registerLoweringPasses() {
  conversion::registerConversionPasses();
  arith::registerArithExpandOpsPass();
  bufferization::registerBufferizationPasses();
  bufferization::registerBufferizationPipelines();
  memref::registerExpandStridedMetadataPass();
  registerArithToLLVMConversionPass();
  registerCSEPass();
  registerCanonicalizerPass();
  registerConvertBufferizationToMemRefPass();
  registerConvertControlFlowToLLVMPass();
  registerConvertFuncToLLVMPass();
  registerConvertIndexToLLVMPass();
  registerConvertMathToLLVMPass();
  registerConvertMathToLibmPass();
  registerConvertVectorToLLVMPass();
  registerFinalizeMemRefToLLVMConversionPass();
  registerConvertLinalgToParallelLoopsPass();
  registerLinalgElementwiseOpFusionPass();
  registerLowerAffinePass();
  registerReconcileUnrealizedCastsPass();
  registerSCFToControlFlowPass();
  registerSCFParallelForToNestedFors();
  registerUBToLLVMConversionPass();
}

void partita::registerLoweringInterfaces(DialectRegistry &registry) {
  // MLIR ends the process where a pass asks for an interface that a dialect has
  // promised, and that nobody has registered.
  affine::registerValueBoundsOpInterfaceExternalModels(registry);
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  linalg::registerValueBoundsOpInterfaceExternalModels(registry);
  LLVM::registerInlinerInterface(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  memref::registerBufferViewFlowOpInterfaceExternalModels(registry);
  memref::registerMemorySlotExternalModels(registry);
  memref::registerValueBoundsOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerSubsetOpInterfaceExternalModels(registry);
  vector::registerValueBoundsOpInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// Gives the constants in `module` one dimension. LLVM keeps, writes and reads
/// an array of numbers as bytes, but an array of arrays as an object for each
/// innermost row: 800,000 for 2.4 million weights of 3x3 filters. A resource
/// refers to the elements, because MLIR keeps each attribute with elements of
/// its own as long as the context.
static void flattenConstants(Operation *module) {
  module->walk([](LLVM::GlobalOp global) {
    auto value = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
    if (!value || value.empty() || value.isSplat() ||
        value.getShapedType().getRank() < 2 ||
        !value.getElementType().isIntOrFloat() ||
        value.getElementType().getIntOrFloatBitWidth() % 8)
      return;
    Type element = global.getGlobalType();
    for (int64_t i = 0, e = value.getShapedType().getRank(); i < e; ++i) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(element);
      if (!array)
        return;
      element = array.getElementType();
    }
    int64_t count = value.getNumElements();
    ShapedType type = value.getShapedType().clone({count});
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
      value = DenseResourceElementsAttr::get(type, resource.getRawHandle());
    else if (auto dense = dyn_cast<DenseElementsAttr>(value))
      value = DenseResourceElementsAttr::get(
          type, global.getSymName(),
          UnmanagedAsmResourceBlob::allocateInferAlign(dense.getRawData()));
    else
      return;
    global.setGlobalType(LLVM::LLVMArrayType::get(element, count));
    global.setValueAttr(value);
  });
}

/// LLVM asserts that names have no byte that is zero.
static LogicalResult checkNames(Operation *module) {
  WalkResult result = module->walk([](SymbolOpInterface symbol) {
    StringAttr name = symbol.getNameAttr();
    if (!name || !name.getValue().contains('\0'))
      return WalkResult::advance();
    symbol->emitError("expected a name without a byte that is 0, found ")
        << name << "; rename the function";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

FailureOr<std::string> partita::translateToLLVMIR(Operation *module) {
  if (failed(checkNames(module)))
    return failure();
  OwningOpRef<Operation *> copy = module->clone();
  flattenConstants(*copy);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*copy, context);
  if (!translated)
    return failure();
  std::string bitcode;
  llvm::raw_string_ostream os(bitcode);
  llvm::WriteBitcodeToFile(*translated, os);
  return bitcode;
}

FailureOr<std::string>
partita::lowerToLLVMIR(Operation *module,
                       const transform::PassContext &context) {
  OwningOpRef<ModuleOp> copy;
  if (auto builtin = dyn_cast<ModuleOp>(module)) {
    copy = builtin.clone();
  } else {
    copy = ModuleOp::create(module->getLoc());
    copy->push_back(module->clone());
  }
  llvm::Expected<transform::Pass> pass = transform::getPass("LowerToLLVM");
  if (!pass)
    return copy->emitError(llvm::toString(pass.takeError()));
  if (failed(pass->run(*copy, context)))
    return failure();
  return translateToLLVMIR(*copy);
}
