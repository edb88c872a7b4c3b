//===- PrimFuncEvaluator.cpp - Run prim_funcs on constants ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrimFuncEvaluator.h"
#include "PrimFuncTranslator.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// A few seconds, as of the longest reduction that is folded.
static constexpr int64_t maxPrimFuncSteps = int64_t(1) << 28;

std::optional<SmallVector<ConstantTensor>> partita::relax::evaluatePrimFunc(
    tir::PrimFuncOp func, ArrayRef<const ConstantTensor *> operands,
    TypeRange results, int64_t maxBytes, bool &isTooLarge) {
  if (func.isExternal() ||
      func.getNumArguments() != operands.size() + results.size())
    return std::nullopt;
  Machine machine;
  machine.stepsLeft = maxPrimFuncSteps;
  machine.maxBytes = maxBytes;
  PrimFuncTranslator translator(func, machine);
  unsigned number = 0;
  for (const ConstantTensor *operand : operands) {
    auto memory = std::make_shared<Memory>();
    memory->numElements =
        operand->isSplat() ? 1 : operand->getType().getNumElements();
    // Nothing writes to it.
    memory->bytes = const_cast<char *>(operand->getBytes().data());
    if (!translator.bind(number++, operand->getType(), std::move(memory),
                         operand->isSplat()))
      return std::nullopt;
  }
  SmallVector<ConstantTensor> tensors;
  SmallVector<std::shared_ptr<Memory>> memories;
  int64_t bytesLeft = maxBytes;
  for (Type result : results) {
    auto type = dyn_cast<RankedTensorType>(result);
    std::optional<int64_t> size =
        type ? ConstantTensor::getSizeInBytes(type) : std::nullopt;
    if (!size)
      return std::nullopt;
    std::optional<ConstantTensor> tensor =
        ConstantTensor::allocate(type, /*isSplat=*/false, bytesLeft);
    isTooLarge |= !tensor;
    if (!tensor)
      return std::nullopt;
    bytesLeft -= *size;
    tensors.push_back(std::move(*tensor));
    auto memory = std::make_shared<Memory>();
    memory->isWritable = true;
    memory->numElements = type.getNumElements();
    memory->isUnwritten.assign(memory->numElements, true);
    memory->bytes = tensors.back().getMutableValues<char>().data();
    memories.push_back(memory);
    if (!translator.bind(number++, type, std::move(memory), /*isSplat=*/false))
      return std::nullopt;
  }
  if (!translator.translate())
    return std::nullopt;
  bool hasEnded = machine.run();
  isTooLarge |= machine.stepsLeft <= 0;
  if (!hasEnded || llvm::any_of(memories, [](auto &memory) {
        return llvm::is_contained(memory->isUnwritten, true);
      }))
    return std::nullopt;
  return tensors;
}
