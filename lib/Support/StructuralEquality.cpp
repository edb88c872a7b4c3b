//===- StructuralEquality.cpp - Whether IR is the same --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/StructuralEquality.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace partita;

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

StringRef partita::getResourceBytes(Attribute elements) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  if (!resource || !resource.getRawHandle().getBlob())
    return StringRef();
  ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
  return {data.data(), data.size()};
}

/// The elements of `op` if it is a constant that keeps them in a resource.
static DenseResourceElementsAttr getResource(Operation *op) {
  DenseResourceElementsAttr resource;
  if (!matchPattern(op, m_Constant(&resource)) ||
      !resource.getRawHandle().getBlob())
    return nullptr;
  return resource;
}

/// Gives all constants in `root` with the same elements one resource, which
/// `merged` keeps.
static void
mergeResources(Operation *root,
               DenseMap<std::pair<Type, StringRef>, Attribute> &merged) {
  root->walk([&](Operation *op) {
    DenseResourceElementsAttr resource = getResource(op);
    if (!resource)
      return;
    Attribute first =
        merged
            .try_emplace({resource.getType(), getResourceBytes(resource)},
                         resource)
            .first->second;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](DenseResourceElementsAttr attr) -> Attribute {
      return attr == resource ? first : attr;
    });
    replacer.replaceElementsIn(op);
  });
}

//===----------------------------------------------------------------------===//
// Equality
//===----------------------------------------------------------------------===//

bool partita::isStructurallyEqual(Operation *lhs, Operation *rhs) {
  auto isEquivalent = [](Operation *lhs, Operation *rhs) {
    return OperationEquivalence::isEquivalentTo(
        lhs, rhs, OperationEquivalence::IgnoreLocations);
  };
  if (isEquivalent(lhs, rhs))
    return true;
  // MLIR distinguishes resources by name, not by contents.
  auto isResource = [](Operation *op) {
    return getResource(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  if (!lhs->walk(isResource).wasInterrupted() ||
      !rhs->walk(isResource).wasInterrupted())
    return false;
  OwningOpRef<Operation *> lhsCopy = lhs->clone(), rhsCopy = rhs->clone();
  DenseMap<std::pair<Type, StringRef>, Attribute> merged;
  mergeResources(*lhsCopy, merged);
  mergeResources(*rhsCopy, merged);
  return isEquivalent(*lhsCopy, *rhsCopy);
}

size_t partita::structuralHash(Operation *op) {
  llvm::hash_code hash = 0;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    auto flags = OperationEquivalence::IgnoreLocations;
    if (DenseResourceElementsAttr resource = getResource(inner)) {
      hash = llvm::hash_combine(hash, getResourceBytes(resource));
      flags |= OperationEquivalence::IgnoreProperties |
               OperationEquivalence::IgnoreDiscardableAttrs;
    }
    hash = llvm::hash_combine(
        hash, OperationEquivalence::computeHash(
                  inner, OperationEquivalence::ignoreHashValue,
                  OperationEquivalence::ignoreHashValue, flags));
  });
  return hash;
}

//===----------------------------------------------------------------------===//
// hashStructure
//===----------------------------------------------------------------------===//

namespace {
/// Hashes IR with numbers for values and blocks, in the order in which it meets
/// them.
class StructureHasher {
public:
  llvm::hash_code hash(Operation *op) {
    llvm::hash_code code = llvm::hash_combine(
        op->getName(), op->getDiscardableAttrDictionary(), op->hashProperties(),
        op->getNumOperands(), op->getNumResults(), op->getNumRegions());
    for (Value operand : op->getOperands())
      code = llvm::hash_combine(code, number(operand.getAsOpaquePointer()));
    for (Value result : op->getResults())
      code = llvm::hash_combine(code, result.getType(),
                                number(result.getAsOpaquePointer()));
    for (Block *successor : op->getSuccessors())
      code = llvm::hash_combine(code, number(successor));
    for (Region &region : op->getRegions()) {
      code = llvm::hash_combine(code, region.getBlocks().size());
      for (Block &block : region)
        code = llvm::hash_combine(code, hash(block));
    }
    return code;
  }

private:
  llvm::hash_code hash(Block &block) {
    llvm::hash_code code = llvm::hash_value(number(&block));
    for (BlockArgument argument : block.getArguments())
      code = llvm::hash_combine(code, argument.getType(),
                                number(argument.getAsOpaquePointer()));
    for (Operation &op : block)
      code = llvm::hash_combine(code, hash(&op));
    return code;
  }

  size_t number(const void *thing) {
    return numbers.try_emplace(thing, numbers.size()).first->second;
  }

  llvm::DenseMap<const void *, size_t> numbers;
};
} // namespace

uint64_t partita::hashStructure(Operation *op) {
  return StructureHasher().hash(op);
}
