//===- StoragePlan.cpp - Which allocations share memory -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoragePlan.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace partita;
using namespace partita::tir;

/// Memory of this size or less is a register.
static constexpr int64_t maxRegisterBits = 32;
/// Memory that is this many times larger or smaller is not shared.
static constexpr int64_t maxRatio = 16;
/// Special memory is divided at multiples of this.
static constexpr int64_t alignmentBits = 32;
static constexpr int64_t maxAlignmentBits = 1 << 20;
/// The last place at which a part of special memory begins: indices of 32 bits
/// can have any such offset.
static constexpr int64_t maxOffsetBits = INT32_MAX;

static constexpr StringLiteral registerScopes[] = {"warp",
                                                   "local",
                                                   "wmma.matrix_a",
                                                   "wmma.matrix_b",
                                                   "wmma.accumulator",
                                                   "texture",
                                                   "amx.tmm",
                                                   "m16n8k8.matrixA",
                                                   "m16n8k8.matrixB",
                                                   "m16n8k8.matrixC",
                                                   "metal.simdgroup",
                                                   "metal.cooperative_tensor",
                                                   "trn.sbuf",
                                                   "trn.psum"};

/// What follows the name of the memory in `scope`. `isRegister` is whether a
/// compiler allocates this memory better.
static StringRef getTag(StringRef scope, bool &isRegister) {
  isRegister = false;
  if (scope.consume_front("global") || scope.consume_front("shared"))
    return scope;
  isRegister = true;
  for (StringRef name : registerScopes)
    if (scope.consume_front(name))
      return scope;
  return "";
}

/// Memory with such a scope has parts at fixed places.
static bool isSpecial(StringRef scope) {
  bool isRegister;
  StringRef tag = getTag(scope, isRegister);
  return !tag.empty() && tag != ".dyn" && tag != ".workspace" && tag != ".vtcm";
}

static bool canShare(StringRef scope, int64_t bits) {
  bool isRegister;
  StringRef tag = getTag(scope, isRegister);
  return !tag.empty() || (!isRegister && (bits == 0 || bits > maxRegisterBits));
}

namespace {
/// Storages of one scope and place that nothing uses any more.
class FreeStorages {
public:
  void add(Storage *storage);
  Storage *take(const Allocation &allocation, bool needsSameType);

private:
  /// By the number of bits, and then by the order in which they got free.
  using BySize = std::map<std::pair<int64_t, int64_t>, Storage *>;

  Storage *remove(BySize::iterator it);

  BySize all;
  llvm::DenseMap<Type, BySize> ofType;
  llvm::DenseMap<Type, std::deque<Storage *>> unsized;
  int64_t numAdded = 0;
};

class Planner {
public:
  Planner(const StorageOptions &options) : options(options) {}

  void visit(StorageEvent &event, ArrayRef<Allocation *> killed);
  std::deque<Storage> storages;

private:
  Storage *findInPlace(const StorageEvent &event, const Allocation &allocation,
                       ArrayRef<Allocation *> killed);
  Storage *find(const Allocation &allocation);

  FreeStorages &getFree(const Storage &storage) {
    return free[{storage.attach, storage.scope}];
  }

  const StorageOptions &options;
  llvm::DenseMap<std::pair<Operation *, StringRef>, FreeStorages> free;
  /// Operands that a result has replaced.
  llvm::DenseSet<Allocation *> replaced;
};
} // namespace

void FreeStorages::add(Storage *storage) {
  if (storage->bits == 0) {
    unsized[storage->element].push_back(storage);
    return;
  }
  std::pair<int64_t, int64_t> key(storage->bits, numAdded++);
  all.emplace(key, storage);
  ofType[storage->element].emplace(key, storage);
}

Storage *FreeStorages::remove(BySize::iterator it) {
  auto [key, storage] = *it;
  all.erase(key);
  ofType[storage->element].erase(key);
  return storage;
}

/// Takes the storage that TVM takes: the smallest one that is large enough or,
/// without one, the largest one of the same type.
Storage *FreeStorages::take(const Allocation &allocation, bool needsSameType) {
  int64_t bits = allocation.bits;
  bool hasLanes = isa<VectorType>(allocation.type.getElementType());
  if (bits == 0) {
    std::deque<Storage *> &list = unsized[allocation.element];
    if (list.empty())
      return nullptr;
    Storage *storage = list.front();
    list.pop_front();
    return storage;
  }
  if (needsSameType && hasLanes)
    return nullptr;
  BySize &sameType = ofType[allocation.element];
  BySize &larger = needsSameType ? sameType : all;
  if (auto it = larger.lower_bound({bits, 0});
      it != larger.end() && it->first.first / maxRatio <= bits &&
      it->first.first <= bits * maxRatio)
    return remove(it);
  auto it = sameType.lower_bound({bits, 0});
  if (it == sameType.begin())
    return nullptr;
  --it;
  return it->first.first >= bits / maxRatio ? remove(it) : nullptr;
}

/// Finds the memory of an operand that `allocation` can replace.
Storage *Planner::findInPlace(const StorageEvent &event,
                              const Allocation &allocation,
                              ArrayRef<Allocation *> killed) {
  if (!allocation.isPlain || event.rejectsInPlace)
    return nullptr;
  // It looks at the stores when it is made.
  std::optional<InPlaceChecker> checker;
  for (Allocation *operand : killed) {
    Storage *storage = operand->storage;
    if (storage && !replaced.contains(operand) && operand->isPlain &&
        storage->scope == allocation.scope &&
        storage->attach == allocation.attach &&
        storage->element == allocation.element &&
        storage->bits == allocation.bits) {
      if (!checker)
        checker.emplace(event, allocation);
      if (!checker->isInPlace(*operand))
        continue;
      replaced.insert(operand);
      return storage;
    }
  }
  return nullptr;
}

Storage *Planner::find(const Allocation &allocation) {
  if (options.reuses && allocation.isPlain &&
      canShare(allocation.scope, allocation.bits))
    if (Storage *storage = free[{allocation.attach, allocation.scope}].take(
            allocation, options.needsSameType)) {
      storage->bits = std::max(storage->bits, allocation.bits);
      return storage;
    }
  Storage &storage = storages.emplace_back();
  storage.scope = allocation.scope;
  storage.attach = allocation.attach;
  storage.element = allocation.element;
  storage.bits = allocation.bits;
  return &storage;
}

/// Gives the allocations that `event` uses first a storage. In its end,
/// `killed` are used last.
void Planner::visit(StorageEvent &event, ArrayRef<Allocation *> killed) {
  for (Allocation *allocation : event.gen) {
    Storage *storage = nullptr;
    if (event.gen.size() <= 2)
      storage = findInPlace(event, *allocation, killed);
    if (!storage)
      storage = find(*allocation);
    storage->allocations.push_back(allocation);
    allocation->storage = storage;
  }
  for (Allocation *allocation : event.kill)
    if (Storage &storage = *allocation->storage;
        !replaced.contains(allocation) && allocation->isPlain &&
        canShare(storage.scope, storage.bits))
      getFree(storage).add(&storage);
}

/// Whether `use` can be of memory that begins some elements later. Makes
/// `alignment` a multiple of the bits of an element.
static bool canShift(OpOperand &use, int64_t &alignment) {
  Operation *op = use.getOwner();
  if (isElementAddress(use.get()))
    return true;
  Type element;
  if (isa<memref::LoadOp, LoadOp, memref::StoreOp, StoreOp>(op)) {
    unsigned number = isa<memref::StoreOp, StoreOp>(op) ? 1 : 0;
    auto type = dyn_cast<MemRefType>(use.get().getType());
    if (use.getOperandNumber() != number || !type || type.getRank() == 0)
      return false;
    element = type.getElementType();
  } else if (auto call = dyn_cast<CallIntrinOp>(op);
             call && call.getIntrinsic() == "tirx.tvm_access_ptr" &&
             use.getOperandNumber() == 1 && call.getArgs().size() == 5 &&
             getAddressedBuffer(use.get())) {
    element = call.getArgs()[0].getType();
  }
  int64_t bits = element ? getElementBits(element) : 0;
  if (bits == 0 || bits > maxAlignmentBits)
    return false;
  alignment = std::lcm(alignment, bits);
  return alignment <= maxAlignmentBits;
}

/// Puts special memory into one allocation for each scope and place.
static void joinSpecial(std::deque<Storage> &storages) {
  llvm::DenseMap<std::pair<Operation *, StringRef>, Storage *> parents;
  for (Storage &storage : storages) {
    if (!isSpecial(storage.scope) || storage.bits == 0 ||
        !llvm::all_of(storage.allocations,
                      [](Allocation *part) { return part->isPlain; }))
      continue;
    Storage *&parent = parents[{storage.attach, storage.scope}];
    if (!parent) {
      parent = &storage;
      storage.totalBits = llvm::alignTo(storage.bits, alignmentBits);
      continue;
    }
    int64_t alignment = alignmentBits;
    bool canBeLater = llvm::all_of(storage.allocations, [&](Allocation *part) {
      return llvm::all_of(part->accesses, [&](auto access) {
        return canShift(*access.second, alignment);
      });
    });
    int64_t begin = llvm::alignTo(parent->totalBits, alignment);
    if (!canBeLater || begin > maxOffsetBits)
      continue;
    parent->hasParts = true;
    storage.parent = parent;
    storage.bitsOffset = begin;
    parent->totalBits = llvm::alignTo(begin + storage.bits, alignmentBits);
  }
}

std::deque<Storage> tir::planStorage(StorageTimeline &timeline,
                                     const StorageOptions &options) {
  Planner planner(options);
  for (StorageEvent &event : timeline.events) {
    ArrayRef<Allocation *> killed;
    if (event.end)
      killed = timeline.events[*event.end].kill;
    planner.visit(event, killed);
  }
  joinSpecial(planner.storages);
  return std::move(planner.storages);
}
