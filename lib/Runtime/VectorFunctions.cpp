//===- VectorFunctions.cpp - Functions of vectors -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorFunctions.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Target/TargetMachine.h"

#include <gnu/lib-names.h>

namespace partita::runtime {

namespace {
/// A function of libmvec: for four floats or two doubles, and for twice as many
/// on processors with AVX2.
struct LibraryFunction {
  /// What code calls for one number.
  llvm::StringLiteral scalar;
  llvm::StringLiteral small;
  llvm::StringLiteral large;
  unsigned smallCount;
};
} // namespace

/// Those that are as exact as libm's, or that differ from the exact numbers by
/// less than 3 units in the last place: exp by 2.5 (of doubles by 3.1), erf by
/// 2.0, tanh by 1.1 (of doubles by 2.2, as libm's), and sin and cos by 2.0. log
/// would differ by 3.7, and erf of doubles by 2.5 in place of libm's 1.1.
static constexpr LibraryFunction libraryFunctions[] = {
    {"llvm.exp.f32", "_ZGVbN4v_expf", "_ZGVdN8v_expf", 4},
    {"llvm.exp.f64", "_ZGVbN2v_exp", "_ZGVdN4v_exp", 2},
    {"llvm.tanh.f32", "_ZGVbN4v_tanhf", "_ZGVdN8v_tanhf", 4},
    {"llvm.tanh.f64", "_ZGVbN2v_tanh", "_ZGVdN4v_tanh", 2},
    {"llvm.sin.f32", "_ZGVbN4v_sinf", "_ZGVdN8v_sinf", 4},
    {"llvm.cos.f32", "_ZGVbN4v_cosf", "_ZGVdN8v_cosf", 4},
    {"erff", "_ZGVbN4v_erff", "_ZGVdN8v_erff", 4}};

VectorFunctions::VectorFunctions(const llvm::TargetMachine &machine) {
#ifdef LIBMVEC_SO
  if (machine.getTargetTriple().getArch() != llvm::Triple::x86_64)
    return;
  auto library = llvm::sys::DynamicLibrary::getPermanentLibrary(LIBMVEC_SO);
  bool isLarge = machine.getMCSubtargetInfo()->checkFeatures("+avx2");
  for (const LibraryFunction &function : libraryFunctions) {
    // One size alone: the other would have other results.
    llvm::StringLiteral name = isLarge ? function.large : function.small;
    unsigned count = function.smallCount * (isLarge ? 2 : 1);
    // glibc has erf and tanh since 2.35.
    if (library.isValid() && library.getAddressOfSymbol(name.begin()))
      functions.emplace_back(function.scalar, name,
                             llvm::ElementCount::getFixed(count),
                             /*Masked=*/false,
                             count == 8   ? "_ZGV_LLVM_N8v"
                             : count == 4 ? "_ZGV_LLVM_N4v"
                                          : "_ZGV_LLVM_N2v",
                             /*Conv=*/std::nullopt);
  }
#endif
}

void VectorFunctions::describe(llvm::TargetLibraryInfoImpl &library) const {
  library.addVectorizableFunctions(functions);
}

/// The function for the elements of the result of a call.
const llvm::VecDesc *VectorFunctions::find(const llvm::CallBase &call) const {
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || call.arg_size() != 1)
    return nullptr;
  // An intrinsic of a vector is named by its element.
  llvm::Type *element = call.getType()->getScalarType();
  std::string name = callee->getName().str();
  if (llvm::Intrinsic::ID id = call.getIntrinsicID();
      id && llvm::isa<llvm::FixedVectorType>(call.getType()) &&
      (element->isFloatTy() || element->isDoubleTy()))
    name = llvm::Intrinsic::getBaseName(id).str() +
           (element->isFloatTy() ? ".f32" : ".f64");
  for (const llvm::VecDesc &function : functions)
    if (function.getScalarFnName() == name &&
        call.getArgOperand(0)->getType() == call.getType())
      return &function;
  return nullptr;
}

/// Calls a function for vectors of `count` elements on one number or on any
/// number of elements.
static llvm::Value *callInPieces(llvm::IRBuilder<> &builder,
                                 llvm::FunctionCallee function, unsigned count,
                                 llvm::Value *operand) {
  llvm::Type *type = function.getFunctionType()->getReturnType();
  llvm::Value *zeros = llvm::Constant::getNullValue(type);
  if (!operand->getType()->isVectorTy())
    return builder.CreateExtractElement(
        builder.CreateCall(
            function, builder.CreateInsertElement(zeros, operand, uint64_t(0))),
        uint64_t(0));
  int size =
      llvm::cast<llvm::FixedVectorType>(operand->getType())->getNumElements();
  llvm::Value *padding = llvm::Constant::getNullValue(operand->getType());
  llvm::SmallVector<llvm::Value *> pieces;
  for (int begin = 0; begin < size; begin += count) {
    auto elements = llvm::map_to_vector(
        llvm::seq<int>(begin, begin + count),
        [&](int element) { return std::min(element, size); });
    pieces.push_back(builder.CreateCall(
        function, builder.CreateShuffleVector(operand, padding, elements)));
  }
  llvm::Value *all = pieces.size() == 1
                         ? pieces.front()
                         : llvm::concatenateVectors(builder, pieces);
  return builder.CreateShuffleVector(all,
                                     llvm::to_vector(llvm::seq<int>(0, size)));
}

void VectorFunctions::replaceScalarCalls(llvm::Module &module) const {
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&inst);
      const llvm::VecDesc *found = call ? find(*call) : nullptr;
      if (!found)
        continue;
      unsigned count = found->getVectorizationFactor().getFixedValue();
      auto *type =
          llvm::FixedVectorType::get(call->getType()->getScalarType(), count);
      llvm::FunctionCallee callee =
          module.getOrInsertFunction(found->getVectorFnName(), type, type);
      llvm::IRBuilder<> builder(call);
      call->replaceAllUsesWith(
          callInPieces(builder, callee, count, call->getArgOperand(0)));
      call->eraseFromParent();
    }
}

} // namespace partita::runtime
