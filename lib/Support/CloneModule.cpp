//===- CloneModule.cpp - Copies of modules --------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/CloneModule.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Threading.h"

using namespace mlir;

/// Whether `op` refers to nothing around it, and nothing around it to `op`,
/// except by name.
static bool isAlone(Operation &op) {
  return op.hasTrait<OpTrait::IsIsolatedFromAbove>() &&
         op.getNumOperands() == 0 && op.getNumResults() == 0 &&
         op.getNumSuccessors() == 0;
}

OwningOpRef<Operation *> partita::cloneModule(Operation *op) {
  // How many ops a thread copies at a time.
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
    // The place of the original is that of its copy.
    for (Operation *&inner :
         MutableArrayRef(ops).slice(begin).take_front(chunkSize))
      inner = inner->clone();
  };
  parallelFor(op->getContext(), 0, llvm::divideCeil(ops.size(), chunkSize),
              cloneChunk);
  for (Operation *inner : ops)
    copies.push_back(inner);
  return copy;
}
