//===- Compile.cpp - From LLVM IR to an object file -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Metadata.h"
#include "RuntimeError.h"
#include "VectorFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

namespace partita::runtime {

namespace {
/// Collects errors of LLVM, which would end the process otherwise.
class ErrorCollector : public llvm::DiagnosticHandler {
public:
  explicit ErrorCollector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream os(errors);
    llvm::DiagnosticPrinterRawOStream printer(os);
    os << (errors.empty() ? "" : "\n");
    info.print(printer);
    return true;
  }

private:
  std::string &errors;
};

/// Makes a module of a lowering one that can be called.
class ModulePreparation {
public:
  ModulePreparation(llvm::Module &module, llvm::TargetMachine &machine)
      : module(module), machine(machine) {}

  llvm::Error run();
  /// The bytes of large constants. The context owns them.
  llvm::ArrayRef<llvm::StringRef> getLargeConstants() const {
    return largeConstants;
  }

private:
  llvm::Error checkModule();
  llvm::Error readFunctions();
  llvm::Error addEntry(const Function &function);
  llvm::Error addPackedFunc(const PackedFunc &func, unsigned index);
  llvm::Error addParallelLoop(llvm::Function &interface);
  llvm::Error checkInterface(const Function &function,
                             llvm::Function &interface);
  llvm::Type *getType(DType dtype);
  llvm::Error gatherLargeConstants();
  void addFeatures();
  void setAttributes();

  llvm::Module &module;
  llvm::TargetMachine &machine;
  Metadata metadata;
  std::vector<llvm::StringRef> largeConstants;
};
} // namespace

llvm::Expected<llvm::orc::JITTargetMachineBuilder> getHost() {
  static const bool isReady = [] {
    return !llvm::InitializeNativeTarget() &&
           !llvm::InitializeNativeTargetAsmPrinter();
  }();
  if (!isReady)
    return makeFailure("expected a code generator for this machine");
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host;
  // As TVM; sums keep their order.
  host->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Fast;
  host->setRelocationModel(llvm::Reloc::PIC_);
  host->setCodeModel(llvm::CodeModel::Small);
  return host;
}

//===----------------------------------------------------------------------===//
// ModulePreparation
//===----------------------------------------------------------------------===//

llvm::Error ModulePreparation::checkModule() {
  const llvm::Triple &triple = machine.getTargetTriple();
  if (!module.getTargetTriple().empty() &&
      module.getTargetTriple().getArch() != triple.getArch())
    return makeFailure("expected code for " + triple.str() +
                       ", but found code for " +
                       module.getTargetTriple().str());
  bool hasAssembly = !module.getModuleInlineAsm().empty();
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&inst))
        hasAssembly |= call->isInlineAsm();
  if (hasAssembly)
    return makeFailure("expected no assembly in the code, but found some");
  module.setTargetTriple(triple);
  module.setDataLayout(machine.createDataLayout());
  return llvm::Error::success();
}

llvm::Error ModulePreparation::readFunctions() {
  llvm::GlobalVariable *global =
      module.getGlobalVariable(kMetadataSymbol, /*AllowInternal=*/true);
  auto *text = global && global->hasInitializer()
                   ? llvm::dyn_cast<llvm::ConstantDataSequential>(
                         global->getInitializer())
                   : nullptr;
  if (!text || !text->isCString())
    return makeFailure("expected a global string 'partita_metadata' that ends "
                       "in a zero, but found none");
  global->setLinkage(llvm::GlobalValue::ExternalLinkage);
  llvm::Expected<Metadata> parsed = parseMetadata(text->getAsCString());
  if (!parsed)
    return parsed.takeError();
  metadata = std::move(*parsed);
  return llvm::Error::success();
}

llvm::Type *ModulePreparation::getType(DType dtype) {
  llvm::LLVMContext &context = module.getContext();
  if (dtype.code == kBFloatCode)
    return llvm::Type::getBFloatTy(context);
  if (dtype.code != kFloatCode)
    return llvm::Type::getIntNTy(context, dtype.bits);
  return dtype.bits == 16   ? llvm::Type::getHalfTy(context)
         : dtype.bits == 32 ? llvm::Type::getFloatTy(context)
                            : llvm::Type::getDoubleTy(context);
}

/// Code that disagrees with the metadata would crash.
llvm::Error ModulePreparation::checkInterface(const Function &function,
                                              llvm::Function &interface) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  llvm::Type *int64 = llvm::Type::getInt64Ty(context);
  llvm::Type *result = llvm::Type::getVoidTy(context);
  llvm::SmallVector<llvm::Type *> params;
  auto addTypes = [&](const Param &leaf,
                      llvm::SmallVectorImpl<llvm::Type *> &to) {
    if (leaf.kind == ParamKind::Shape)
      to.append(leaf.sizes.size(), int64);
    else if (leaf.kind != ParamKind::String)
      to.push_back(leaf.kind == ParamKind::Prim ? getType(leaf.dtype)
                                                : pointer);
  };
  if (function.returnsValue()) {
    llvm::SmallVector<llvm::Type *, 1> results;
    function.result.visitLeaves(
        [&](const Param &leaf) { addTypes(leaf, results); });
    result = results.front();
  } else if (function.countResults()) {
    params.push_back(pointer);
  }
  for (const Param &param : function.params)
    param.visitLeaves([&](const Param &leaf) { addTypes(leaf, params); });
  auto *expected = llvm::FunctionType::get(result, params, /*isVarArg=*/false);
  // A bool of MLIR has one bit. It is loaded and stored as a byte.
  auto widen = [&](llvm::Type *type) {
    return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(context) : type;
  };
  auto *found = llvm::FunctionType::get(
      widen(interface.getReturnType()),
      llvm::map_to_vector(interface.getFunctionType()->params(), widen),
      /*isVarArg=*/false);
  if (found == expected && !interface.isVarArg())
    return llvm::Error::success();
  std::string message;
  llvm::raw_string_ostream(message)
      << "expected '" << interface.getName() << "' to have type " << *expected
      << " as its metadata say, but found " << *interface.getFunctionType();
  return makeFailure(message);
}

/// Loads the arguments of `function` that begin with `first` from slots.
static llvm::SmallVector<llvm::Value *> loadSlots(llvm::IRBuilder<> &builder,
                                                  llvm::Value *slots,
                                                  llvm::Function &function,
                                                  unsigned first) {
  llvm::SmallVector<llvm::Value *> args;
  for (unsigned i = first; i < function.arg_size(); ++i)
    args.push_back(builder.CreateLoad(
        function.getFunctionType()->getParamType(i),
        builder.CreateConstGEP1_64(builder.getInt64Ty(), slots, i - first)));
  return args;
}

/// Stores the arguments of the function that is being built to slots.
static llvm::Value *storeSlots(llvm::IRBuilder<> &builder, unsigned first) {
  llvm::Function &function = *builder.GetInsertBlock()->getParent();
  llvm::Type *int64 = builder.getInt64Ty();
  llvm::Value *slots = builder.CreateAlloca(
      int64, builder.getInt64(std::max<size_t>(function.arg_size(), 1)));
  for (unsigned i = first; i < function.arg_size(); ++i)
    builder.CreateStore(function.getArg(i),
                        builder.CreateConstGEP1_64(int64, slots, i - first));
  return slots;
}

/// Adds a function that loads the arguments from slots of 8 bytes. The last
/// slot gets the result: a pointer to its struct is there before, or a scalar
/// after the call.
llvm::Error ModulePreparation::addEntry(const Function &function) {
  // The lowering of partita.modules calls `exp` `partita.exp`: libm has an exp.
  llvm::Function *interface =
      module.getFunction(kInterfacePrefix + ("partita." + function.name));
  if (!interface)
    interface = module.getFunction(kInterfacePrefix + function.name);
  if (!interface || interface->isDeclaration())
    return makeFailure("expected a definition of '_mlir_ciface_" +
                       function.name + "', but found none");
  if (llvm::Error error = checkInterface(function, *interface))
    return error;
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  auto *entry = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false),
      llvm::GlobalValue::ExternalLinkage, kEntryPrefix + function.name, module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", entry));
  unsigned numSlots = function.countSlots();
  unsigned hasStruct = interface->arg_size() - numSlots;
  llvm::Value *result = builder.CreateConstGEP1_64(builder.getInt64Ty(),
                                                   entry->getArg(0), numSlots);
  llvm::SmallVector<llvm::Value *> args =
      loadSlots(builder, entry->getArg(0), *interface, hasStruct);
  if (hasStruct)
    args.insert(args.begin(), builder.CreateLoad(pointer, result));
  llvm::CallInst *call = builder.CreateCall(interface, args);
  call->setCallingConv(interface->getCallingConv());
  // One copy of the code is enough.
  call->setIsNoInline();
  if (function.returnsValue())
    builder.CreateStore(call, result);
  builder.CreateRetVoid();
  return llvm::Error::success();
}

/// Defines the interface of a packed function: it stores its arguments to
/// slots, as an entry loads them, and hands them to the runtime.
llvm::Error ModulePreparation::addPackedFunc(const PackedFunc &func,
                                             unsigned index) {
  llvm::Function *interface =
      module.getFunction(kInterfacePrefix + func.symbol);
  // The code no longer calls it.
  if (!interface)
    return llvm::Error::success();
  if (!interface->isDeclaration())
    return makeFailure("expected a declaration of '" + interface->getName() +
                       "', but found a definition");
  if (llvm::Error error = checkInterface(func.function, *interface))
    return error;
  interface->setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", interface));
  llvm::Type *pointer = builder.getPtrTy(), *int64 = builder.getInt64Ty();
  unsigned hasStruct = interface->arg_size() - func.function.countSlots();
  llvm::Value *slots = storeSlots(builder, hasStruct);
  bool returnsValue = func.function.returnsValue();
  llvm::Value *result =
      hasStruct      ? static_cast<llvm::Value *>(interface->getArg(0))
      : returnsValue ? builder.CreateAlloca(int64)
                     : static_cast<llvm::Value *>(
                           llvm::ConstantPointerNull::get(builder.getPtrTy()));
  llvm::FunctionCallee callee =
      module.getOrInsertFunction("partita_runtime_call_packed",
                                 builder.getVoidTy(), int64, pointer, pointer);
  builder.CreateCall(callee, {builder.getInt64(index), slots, result});
  if (returnsValue)
    builder.CreateRet(builder.CreateLoad(interface->getReturnType(), result));
  else
    builder.CreateRetVoid();
  return llvm::Error::success();
}

/// Begins the names of the loops that outline-parallel-loops has made functions
/// of.
constexpr llvm::StringLiteral kParallelPrefix = "partita_parallel_";

/// Defines the interface of a parallel loop, which takes the number of
/// iterations, how many of them are worth a thread, and other arguments: it
/// hands a function to the runtime that calls the body.
llvm::Error ModulePreparation::addParallelLoop(llvm::Function &interface) {
  llvm::Function *body =
      module.getFunction((interface.getName() + "_body").str());
  llvm::FunctionType *type = interface.getFunctionType();
  bool hasNumbers = type->getNumParams() >= 2 &&
                    type->getParamType(0)->isIntegerTy(64) &&
                    type->getParamType(1)->isIntegerTy(64) &&
                    type->getReturnType()->isVoidTy();
  if (!hasNumbers || !body || body->isDeclaration() ||
      body->getFunctionType() != type)
    return makeFailure("expected '" + interface.getName() +
                       "' to take two numbers of 64 bits and to have a body of "
                       "the same type");
  llvm::LLVMContext &context = module.getContext();
  interface.setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", &interface));
  llvm::Type *pointer = builder.getPtrTy(), *int64 = builder.getInt64Ty();
  auto *share = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(), {int64, int64, pointer},
                              /*isVarArg=*/false),
      llvm::GlobalValue::InternalLinkage, "partita_share", module);
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      "partita_runtime_parallel", builder.getVoidTy(), int64, int64, pointer,
      pointer);
  builder.CreateCall(callee, {interface.getArg(0), interface.getArg(1), share,
                              storeSlots(builder, /*first=*/2)});
  builder.CreateRetVoid();
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", share));
  llvm::SmallVector<llvm::Value *> args =
      loadSlots(builder, share->getArg(2), *body, /*first=*/2);
  args.insert(args.begin(), {share->getArg(0), share->getArg(1)});
  builder.CreateCall(body, args);
  builder.CreateRetVoid();
  body->setLinkage(llvm::GlobalValue::InternalLinkage);
  return llvm::Error::success();
}

/// Refers to large constants by their places in memory that the object does not
/// have: LLVM would emit them one element at a time.
llvm::Error ModulePreparation::gatherLargeConstants() {
  llvm::NamedMDNode *node = module.getNamedMetadata(kLargeConstantsMetadata);
  if (!node)
    return llvm::Error::success();
  llvm::Type *byte = llvm::Type::getInt8Ty(module.getContext());
  auto *memory = new llvm::GlobalVariable(
      module, byte, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
      /*Initializer=*/nullptr, kLargeConstantsSymbol);
  memory->setAlignment(llvm::Align(kConstantAlignment));
  uint64_t offset = 0;
  for (llvm::MDNode *pair : node->operands()) {
    llvm::GlobalVariable *global = nullptr;
    llvm::MDString *bytes = nullptr;
    if (pair->getNumOperands() == 2) {
      global = llvm::mdconst::dyn_extract_or_null<llvm::GlobalVariable>(
          pair->getOperand(0));
      bytes = llvm::dyn_cast_or_null<llvm::MDString>(pair->getOperand(1).get());
    }
    if (!global || !bytes || global == memory || !global->isDeclaration() ||
        global->getType() != memory->getType() ||
        module.getDataLayout().getTypeAllocSize(global->getValueType()) !=
            bytes->getLength())
      return makeFailure(llvm::Twine("expected '") + kLargeConstantsMetadata +
                         "' to have pairs of a declaration and a string with "
                         "its bytes");
    global->replaceAllUsesWith(llvm::ConstantExpr::getGetElementPtr(
        byte, memory,
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()),
                               offset)));
    global->eraseFromParent();
    largeConstants.push_back(bytes->getString());
    offset += llvm::alignTo(bytes->getLength(), kConstantAlignment);
  }
  node->eraseFromParent();
  return llvm::Error::success();
}

void ModulePreparation::addFeatures() {
  auto *text = llvm::ConstantDataArray::getString(
      module.getContext(), machine.getTargetFeatureString());
  if (auto *old = module.getNamedValue(kFeaturesSymbol))
    old->setName("");
  new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, text,
                           kFeaturesSymbol);
}

void ModulePreparation::setAttributes() {
  for (llvm::Function &function : module) {
    llvm::StringRef name = function.getName();
    // Compiled code has no exceptions, so that it needs no tables for them.
    if (!function.isIntrinsic())
      function.setDoesNotThrow();
    if (name == "_mlir_memref_to_llvm_alloc" ||
        name == "_mlir_memref_to_llvm_aligned_alloc") {
      function.addRetAttr(llvm::Attribute::NoAlias);
      function.addRetAttr(llvm::Attribute::getWithAlignment(module.getContext(),
                                                            llvm::Align(64)));
    }
    if (name == "partita_runtime_fail") {
      function.setDoesNotReturn();
      function.addFnAttr(llvm::Attribute::Cold);
    }
    // A recursion that is made a loop never fills the stack.
    if (name == "partita_runtime_check_stack")
      for (llvm::User *user : function.users())
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
          call->getFunction()->addFnAttr("disable-tail-calls", "true");
    if (function.isDeclaration())
      continue;
    function.setUWTableKind(llvm::UWTableKind::None);
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    // Inlined where it is called once.
    if (function.hasExternalLinkage() && !name.starts_with(kEntryPrefix) &&
        !name.starts_with(kInterfacePrefix))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

llvm::Error ModulePreparation::run() {
  if (llvm::Error error = checkModule())
    return error;
  if (llvm::Error error = readFunctions())
    return error;
  for (const Function &function :
       llvm::concat<const Function>(metadata.functions, metadata.closures))
    if (llvm::Error error = addEntry(function))
      return error;
  for (auto [index, func] : llvm::enumerate(metadata.packedFuncs))
    if (llvm::Error error = addPackedFunc(func, index))
      return error;
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    llvm::StringRef name = function.getName();
    if (name.consume_front(kInterfacePrefix) &&
        name.starts_with(kParallelPrefix) && function.isDeclaration())
      if (llvm::Error error = addParallelLoop(function))
        return error;
  }
  if (llvm::Error error = gatherLargeConstants())
    return error;
  addFeatures();
  setAttributes();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Seals
//===----------------------------------------------------------------------===//

/// Is at the end of a file, before the checksum.
constexpr llvm::StringLiteral kSeal = "PARTITA1";
/// The same, if large constants and the number of bytes before them come first.
constexpr llvm::StringLiteral kSealOfConstants = "PARTITA2";

std::unique_ptr<llvm::WritableMemoryBuffer> allocateSealed(uint64_t size) {
  return llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      size, "object", llvm::Align(kConstantAlignment));
}

std::unique_ptr<llvm::MemoryBuffer>
seal(llvm::StringRef object, llvm::ArrayRef<llvm::StringRef> constants) {
  uint64_t begin = llvm::alignTo(object.size(), kConstantAlignment),
           size = object.size();
  if (!constants.empty()) {
    size = begin + sizeof(begin);
    for (llvm::StringRef constant : constants)
      size += llvm::alignTo(constant.size(), kConstantAlignment);
  }
  auto sealed = allocateSealed(size + kSeal.size() + sizeof(uint32_t));
  llvm::StringRef contents(sealed->getBufferStart(), size);
  char *end = llvm::copy(object, sealed->getBufferStart());
  if (!constants.empty()) {
    end = std::fill_n(end, begin - object.size(), 0);
    for (llvm::StringRef constant : constants) {
      end = llvm::copy(constant, end);
      end = std::fill_n(end,
                        llvm::offsetToAlignment(
                            constant.size(), llvm::Align(kConstantAlignment)),
                        0);
    }
    llvm::support::endian::write64le(end, begin);
    end += sizeof(begin);
  }
  end = llvm::copy(constants.empty() ? kSeal : kSealOfConstants, end);
  llvm::support::endian::write32le(
      end, llvm::crc32(llvm::arrayRefFromStringRef(contents)));
  return sealed;
}

llvm::Expected<Unsealed> unseal(llvm::MemoryBufferRef sealed) {
  auto fail = [] {
    return makeFailure("expected an object file that the runtime has saved, "
                       "but found another or a damaged file");
  };
  llvm::StringRef contents = sealed.getBuffer();
  llvm::StringRef sum = contents.take_back(sizeof(uint32_t));
  contents = contents.drop_back(sum.size());
  bool hasConstants = contents.consume_back(kSealOfConstants);
  if ((!hasConstants && !contents.consume_back(kSeal)) ||
      llvm::support::endian::read32le(sum.data()) !=
          llvm::crc32(llvm::arrayRefFromStringRef(contents)))
    return fail();
  uint64_t begin = contents.size();
  if (hasConstants) {
    if (contents.size() < sizeof(begin))
      return fail();
    contents = contents.drop_back(sizeof(begin));
    begin = llvm::support::endian::read64le(contents.end());
    if (begin > contents.size() || begin % kConstantAlignment)
      return fail();
  }
  return Unsealed{llvm::MemoryBufferRef(contents.take_front(begin),
                                        sealed.getBufferIdentifier()),
                  contents.drop_front(begin)};
}

//===----------------------------------------------------------------------===//
// compile
//===----------------------------------------------------------------------===//

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned optLevel) {
  static const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  // The lowering has made vectors and tiles. To unroll loops, and to look for
  // more vectors, takes half of the time, and makes no model faster.
  llvm::PipelineTuningOptions options;
  options.LoopUnrolling = false;
  options.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, options);
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  VectorFunctions vectorFunctions(machine);
  vectorFunctions.describe(library);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes =
      optLevel ? builder.buildPerModuleDefaultPipeline(levels[optLevel])
               : builder.buildO0DefaultPipeline(levels[0]);
  passes.run(module, modules);
  vectorFunctions.replaceScalarCalls(module);
}

/// Parses and verifies.
static llvm::Expected<std::unique_ptr<llvm::Module>>
parse(llvm::StringRef code, llvm::LLVMContext &context) {
  llvm::SMDiagnostic diagnostic;
  // The parser of text wants a zero at the end.
  std::unique_ptr<llvm::MemoryBuffer> text;
  llvm::MemoryBufferRef buffer(code, "code");
  if (!llvm::isBitcode(code.bytes_begin(), code.bytes_end())) {
    text = llvm::MemoryBuffer::getMemBufferCopy(code, "code");
    buffer = *text;
  }
  std::unique_ptr<llvm::Module> module =
      llvm::parseIR(buffer, diagnostic, context);
  std::string message;
  llvm::raw_string_ostream os(message);
  if (!module) {
    diagnostic.print(nullptr, os, /*ShowColors=*/false);
    return makeFailure("expected LLVM IR, but found: " +
                       llvm::StringRef(message).trim());
  }
  if (llvm::verifyModule(*module, &os))
    return makeFailure("expected valid LLVM IR, but found: " +
                       llvm::StringRef(message).trim());
  return module;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compile(llvm::StringRef code, unsigned optLevel) {
  std::string errors;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  auto getError = [&] {
    return makeFailure("expected code for this machine: " + errors);
  };
  auto host = getHost();
  if (!host)
    return host.takeError();
  static const llvm::CodeGenOptLevel levels[] = {
      llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less,
      llvm::CodeGenOptLevel::Default, llvm::CodeGenOptLevel::Aggressive};
  host->setCodeGenOptLevel(levels[optLevel]);
  auto machine = host->createTargetMachine();
  if (!machine)
    return machine.takeError();
  llvm::Expected<std::unique_ptr<llvm::Module>> module = parse(code, context);
  if (!module)
    return module.takeError();
  ModulePreparation preparation(**module, **machine);
  if (llvm::Error error = preparation.run())
    return error;
  optimize(**module, **machine, optLevel);
  if (!errors.empty())
    return getError();
  auto object = llvm::orc::SimpleCompiler(**machine)(**module);
  if (!errors.empty()) {
    llvm::consumeError(object.takeError());
    return getError();
  }
  if (!object)
    return object.takeError();
  return seal((*object)->getBuffer(), preparation.getLargeConstants());
}

} // namespace partita::runtime
