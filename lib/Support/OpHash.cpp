//===- OpHash.cpp - A hash of the contents of ops -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/OpHash.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace partita {

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
  /// Adds what `use` uses, and the use after it: bytecode keeps the order of
  /// uses, and passes depend on it. One word for both takes less time.
  template <typename Use>
  void addUse(Use &use) {
    auto next = reinterpret_cast<uintptr_t>(use.getNextOperandUsingThisValue());
    words.push_back(getAddress(use.get()) + next * 0x9e3779b97f4a7c15);
  }
  static uintptr_t getAddress(Value value) {
    return reinterpret_cast<uintptr_t>(value.getAsOpaquePointer());
  }
  static uintptr_t getAddress(Block *block) {
    return reinterpret_cast<uintptr_t>(block);
  }
  void addBlock(Block &block);

  HashIsolated hashIsolated;
  SmallVector<uint64_t, 512> words;
};
} // namespace

void OpWriter::addBlock(Block &block) {
  add(&block);
  words.push_back(block.getNumArguments());
  for (BlockArgument argument : block.getArguments()) {
    add(argument.getType().getAsOpaquePointer());
    add(argument.getLoc().getAsOpaquePointer());
  }
  for (Operation &op : block) {
    // Asking for a trait takes longer than hashing most ops.
    if (op.getNumRegions() != 0 && op.hasTrait<OpTrait::IsIsolatedFromAbove>())
      add(hashIsolated(&op));
    else
      addOp(&op);
  }
  // No op has this name.
  words.push_back(0);
}

void OpWriter::addOp(Operation *op) {
  add(op);
  addHead(op);
  add(op->getLoc().getAsOpaquePointer());
  words.push_back(uint64_t(op->getNumOperands()) << 32 | op->getNumResults());
  for (Type type : op->getResultTypes())
    add(type.getAsOpaquePointer());
  for (OpOperand &operand : op->getOpOperands())
    addUse(operand);
  for (BlockOperand &successor : op->getBlockOperands())
    addUse(successor);
  for (Region &region : op->getRegions()) {
    for (Block &block : region)
      addBlock(block);
    words.push_back(~uint64_t(0));
  }
}

OpHash hashHead(Operation *op) {
  OpWriter writer({});
  writer.addHead(op);
  return writer.finish();
}

std::optional<OpHash> OpHashes::find(Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = hashes.find(op);
  return it == hashes.end() ? std::nullopt : std::optional(it->second);
}

OpHash OpHashes::get(Operation *op) {
  if (std::optional<OpHash> known = find(op))
    return *known;
  auto hashIsolated = [&](Operation *isolated) { return get(isolated); };
  OpWriter writer(hashIsolated);
  writer.addOp(op);
  OpHash hash = writer.finish();
  std::lock_guard<std::mutex> lock(mutex);
  return hashes[op] = hash;
}

OpHash OpHashes::addSurroundings(OpHash hash, Operation *op) {
  OpWriter writer({});
  writer.add(hash);
  while ((op = op->getParentOp())) {
    writer.addHead(op);
    if (op->hasTrait<OpTrait::SymbolTable>())
      writer.add(getGlobals(op));
  }
  return writer.finish();
}

OpHash OpHashes::getGlobals(Operation *table) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = globals.find(table);
    if (it != globals.end())
      return it->second;
  }
  OpWriter writer({});
  for (Region &region : table->getRegions())
    for (Operation &op : region.getOps())
      // Other threads may change isolated ops.
      if (!op.hasTrait<OpTrait::IsIsolatedFromAbove>())
        writer.add(get(&op));
  OpHash hash = writer.finish();
  std::lock_guard<std::mutex> lock(mutex);
  return globals[table] = hash;
}

void OpHashes::set(Operation *op, OpHash hash) {
  std::lock_guard<std::mutex> lock(mutex);
  hashes[op] = hash;
}

void OpHashes::forget(Operation *op) {
  // Other ops can have the addresses of ops that are gone.
  if (!op->getParentOp() || op->hasTrait<OpTrait::SymbolTable>())
    return clear();
  std::lock_guard<std::mutex> lock(mutex);
  for (; op; op = op->getParentOp())
    hashes.erase(op);
}

void OpHashes::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  hashes.clear();
  globals.clear();
}

} // namespace partita
