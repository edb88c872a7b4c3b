//===- OpHash.cpp - A hash of the contents of ops -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHash.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace partita::transform {

namespace {
/// Writes down what ops are, in words.
class OpWriter {
public:
  using HashIsolated = llvm::function_ref<OpHash(Operation *)>;

  explicit OpWriter(HashIsolated hashIsolated) : hashIsolated(hashIsolated) {}

  void add(const void *address) {
    words.push_back(reinterpret_cast<uintptr_t>(address));
  }
  void add(OpHash hash) { words.append({hash.low, hash.high}); }
  void addHead(Operation *op) {
    add(op->getName().getAsOpaquePointer());
    add(op->getRawDictionaryAttrs().getAsOpaquePointer());
    words.push_back(op->hashProperties());
  }
  void addOp(Operation *op);

  OpHash finish() const {
    llvm::XXH128_hash_t hash = llvm::xxh3_128bits(
        {reinterpret_cast<const uint8_t *>(words.data()), words.size() * 8});
    return {hash.low64, hash.high64};
  }

private:
  /// A number for an op or a block, by the order in which they are met.
  uint64_t number(const void *object) {
    return numbers.try_emplace(object, numbers.size()).first->second;
  }
  void addValue(Value value) {
    if (auto result = dyn_cast<OpResult>(value))
      words.append({number(result.getOwner()), result.getResultNumber()});
    else
      words.append({number(value.getParentBlock()),
                    cast<BlockArgument>(value).getArgNumber()});
  }
  void addBlock(Block &block);

  HashIsolated hashIsolated;
  SmallVector<uint64_t, 0> words;
  llvm::DenseMap<const void *, uint64_t> numbers;
};
} // namespace

void OpWriter::addBlock(Block &block) {
  words.append({number(&block), block.getNumArguments()});
  for (BlockArgument argument : block.getArguments()) {
    add(argument.getType().getAsOpaquePointer());
    add(argument.getLoc().getAsOpaquePointer());
  }
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsIsolatedFromAbove>())
      add(hashIsolated(&op));
    else
      addOp(&op);
  }
  // No op has this name.
  words.push_back(0);
}

void OpWriter::addOp(Operation *op) {
  addHead(op);
  add(op->getLoc().getAsOpaquePointer());
  words.push_back(uint64_t(op->getNumOperands()) << 32 | op->getNumResults());
  words.push_back(uint64_t(op->getNumSuccessors()) << 32 | op->getNumRegions());
  if (op->getNumResults())
    words.push_back(number(op));
  for (Type type : op->getResultTypes())
    add(type.getAsOpaquePointer());
  for (Value operand : op->getOperands())
    addValue(operand);
  for (Block *successor : op->getSuccessors())
    words.push_back(number(successor));
  for (Region &region : op->getRegions()) {
    for (Block &block : region)
      addBlock(block);
    words.push_back(~uint64_t(0));
  }
}

OpHash hashOp(Operation *op,
              llvm::function_ref<OpHash(Operation *)> hashIsolated) {
  OpWriter writer(hashIsolated);
  writer.addOp(op);
  return writer.finish();
}

OpHash hashWithParents(OpHash hash, Operation *op) {
  OpWriter writer({});
  writer.add(hash);
  while ((op = op->getParentOp()))
    writer.addHead(op);
  return writer.finish();
}

} // namespace partita::transform
