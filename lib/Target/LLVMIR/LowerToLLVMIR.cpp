//===- LowerToLLVMIR.cpp - Lower a module to LLVM IR ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Target/LLVMIR/LowerToLLVMIR.h"
#include "partita/Conversion/Passes.h"
#include "partita/Dialect/Relax/IR/RelaxTensor.h"
#include "partita/Pass/Pass.h"
#include "partita/Support/StructuralEquality.h"

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
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
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

/// The bytes of an array of numbers; none if `value` does not hold them.
static llvm::MDString *getBytes(llvm::LLVMContext &context,
                                ElementsAttr value) {
  StringRef bytes = getResourceBytes(value);
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    bytes = StringRef(dense.getRawData().data(), dense.getRawData().size());
  if (!value.isSplat())
    return llvm::MDString::get(context, bytes);
  std::string repeated;
  for (int64_t i = 0, e = value.getNumElements(); i < e; ++i)
    repeated += bytes;
  return llvm::MDString::get(context, repeated);
}

/// Whether a declaration can stand for `global`, wherever its elements are.
static bool isPlainConstant(LLVM::GlobalOp global) {
  constexpr uint64_t alignment = 64;
  LLVM::Linkage linkage = global.getLinkage();
  return global.getConstant() && !global.getThreadLocal_() &&
         !global.getComdat() && global.getAddrSpace() == 0 &&
         global.getAlignment().value_or(1) <= alignment &&
         (linkage == LLVM::Linkage::Private ||
          linkage == LLVM::Linkage::Internal);
}

/// A constant without its elements, and their bytes.
using LargeConstant = std::pair<StringAttr, llvm::MDString *>;

/// Takes the elements from the large constants in `module`, which become
/// declarations. LLVM would write, read and emit the elements one by one.
static std::vector<LargeConstant>
takeLargeConstants(Operation *module, llvm::LLVMContext &context) {
  // An alias needs a definition.
  WalkResult aliases =
      module->walk([](LLVM::AliasOp) { return WalkResult::interrupt(); });
  if (aliases.wasInterrupted())
    return {};
  // Bitcode has one block for the bytes of all. Its size has 32 bits.
  constexpr uint64_t large = 4096, most = uint64_t(1) << 31;
  uint64_t total = 0;
  std::vector<LargeConstant> constants;
  module->walk([&](LLVM::GlobalOp global) {
    auto value = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
    if (!value || !value.getElementType().isIntOrFloat() ||
        !isPlainConstant(global))
      return;
    uint64_t bits = value.getElementType().getIntOrFloatBitWidth(),
             size = value.getNumElements() * bits / 8;
    if (bits % 8 || !llvm::isPowerOf2_64(bits) || size < large ||
        size > most - total)
      return;
    llvm::MDString *bytes = getBytes(context, value);
    if (bytes->getLength() != size)
      return;
    total += size;
    global.removeValueAttr();
    global.setLinkage(LLVM::Linkage::External);
    constants.emplace_back(global.getSymNameAttr(), bytes);
  });
  return constants;
}

/// Adds large constants to `module` as metadata: pairs of a declaration and its
/// bytes.
static void addLargeConstants(llvm::Module &module,
                              ArrayRef<LargeConstant> constants) {
  for (auto [name, bytes] : constants)
    module.getOrInsertNamedMetadata("partita.large_constants")
        ->addOperand(llvm::MDNode::get(
            module.getContext(), {llvm::ConstantAsMetadata::get(
                                      module.getNamedGlobal(name.getValue())),
                                  bytes}));
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
  llvm::LLVMContext context;
  std::vector<LargeConstant> constants = takeLargeConstants(*copy, context);
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*copy, context);
  if (!translated)
    return failure();
  addLargeConstants(*translated, constants);
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
  // An instrument can keep a copy of the lowered module.
  std::optional<relax::TensorHolder> holder;
  if (context.instruments()->empty())
    holder.emplace(*copy);
  llvm::Expected<transform::Pass> pass = transform::getPass("LowerToLLVM");
  if (!pass)
    return copy->emitError(llvm::toString(pass.takeError()));
  if (failed(pass->run(*copy, context)))
    return failure();
  return translateToLLVMIR(*copy);
}
