//===- CloneModule.cpp - Copies of modules --------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/CloneModule.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Threading.h"

using namespace mlir;

/// Whether `op` and the ops around it refer to each other only by name.
static bool isAlone(Operation &op) {
  return op.hasTrait<OpTrait::IsIsolatedFromAbove>() &&
         op.getNumOperands() == 0 && op.getNumResults() == 0 &&
         op.getNumSuccessors() == 0;
}

/// A copy of `op`, whose regions have one block each. Operation::clone copies
/// all ops before it sets their operands; the ops then have no room for
/// operands, and each needs an allocation. Here an op gets its operands when it
/// is made. Operands that are not known yet, which occur only in graph regions,
/// are added to `later`.
static Operation *cloneInOrder(Operation &op, IRMapping &mapping,
                               SmallVectorImpl<OpOperand *> &later) {
  Operation *copy = op.clone(
      mapping,
      Operation::CloneOptions().cloneRegions(false).cloneOperands(true));
  for (auto [operand, before] :
       llvm::zip_equal(copy->getOpOperands(), op.getOperands()))
    if (operand.get() == before)
      later.push_back(&operand);
  for (auto [region, before] :
       llvm::zip_equal(copy->getRegions(), op.getRegions())) {
    if (before.empty())
      continue;
    Block &block = region.emplaceBlock();
    for (BlockArgument argument : before.getArguments())
      mapping.map(argument,
                  block.addArgument(argument.getType(), argument.getLoc()));
    for (Operation &inner : before.front())
      block.push_back(cloneInOrder(inner, mapping, later));
  }
  return copy;
}

/// A copy of `op`, which must not refer to values around it.
static Operation *cloneAlone(Operation &op) {
  auto hasMoreBlocks = [](Region *region) {
    return region->empty() || region->hasOneBlock() ? WalkResult::advance()
                                                    : WalkResult::interrupt();
  };
  if (op.walk(hasMoreBlocks).wasInterrupted())
    return op.clone();
  IRMapping mapping;
  SmallVector<OpOperand *> later;
  Operation *copy = cloneInOrder(op, mapping, later);
  for (OpOperand *operand : later)
    operand->set(mapping.lookupOrDefault(operand->get()));
  return copy;
}

OwningOpRef<Operation *> partita::cloneModule(Operation *op) {
  // The number of ops that a thread copies at a time.
  constexpr size_t chunkSize = 128;
  if (op->getNumRegions() != 1 || op->getNumOperands() != 0 ||
      !op->getRegion(0).hasOneBlock() ||
      op->getRegion(0).getNumArguments() != 0)
    return op->clone();
  Block &block = op->getRegion(0).front();
  if (!llvm::all_of(block, isAlone))
    return op->clone();
  OwningOpRef<Operation *> copy = op->cloneWithoutRegions();
  Block &copies = copy->getRegion(0).emplaceBlock();
  SmallVector<Operation *> ops(llvm::make_pointer_range(block));
  auto cloneChunk = [&](size_t chunk) {
    size_t begin = chunk * chunkSize;
    // In `ops`, the copies replace their originals.
    for (Operation *&inner :
         MutableArrayRef(ops).slice(begin).take_front(chunkSize))
      inner = cloneAlone(*inner);
  };
  parallelFor(op->getContext(), 0, llvm::divideCeil(ops.size(), chunkSize),
              cloneChunk);
  for (Operation *inner : ops)
    copies.push_back(inner);
  return copy;
}

void partita::replaceContents(Operation *op, Operation *source) {
  // setAttrs does not change properties that are missing in the dictionary.
  op->copyProperties(source->getPropertiesStorage());
  op->setDiscardableAttrs(source->getDiscardableAttrDictionary());
  op->setLoc(source->getLoc());
  for (auto [to, from] :
       llvm::zip_equal(op->getRegions(), source->getRegions())) {
    to.dropAllReferences();
    to.takeBody(from);
  }
}
