//===- StoragePool.h - Storage that can be used again -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_STORAGEPOOL_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_STORAGEPOOL_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "llvm/ADT/MapVector.h"

#include <deque>
#include <map>

namespace partita::relax {

/// A piece of memory, which several tensors use one after the other.
struct Storage {
  /// Its scope, and the element type of the tensors.
  std::pair<mlir::StringAttr, mlir::Type> kind;
  Dim bytes;
  /// Made at the first tensor.
  mlir::Value value;
  /// Storage that is not known any more is not given out.
  bool isDropped = false;
};

/// The storage that no tensor uses at a point of a program.
class StoragePool {
public:
  using Kind = std::pair<mlir::StringAttr, mlir::Type>;

  /// Takes storage for `bytes` out of the pool; null if none fits. Smaller
  /// storage grows.
  Storage *take(Kind kind, Dim bytes) {
    auto found = kinds.find(kind);
    if (found == kinds.end())
      return nullptr;
    return bytes.isNumber() ? takeNumber(found->second.bySize, bytes.getSize())
                            : takeEqual(found->second, bytes);
  }

  void release(Storage *storage) {
    ByKind &pool = kinds[storage->kind];
    if (storage->bytes.isNumber())
      pool.bySize.emplace(storage->bytes.getSize(), storage);
    else
      pool.byName[getKey(storage->bytes)].push_back(storage);
  }

  void drop(Storage *storage) { storage->isDropped = true; }

private:
  using BySize = std::multimap<int64_t, Storage *>;
  struct ByKind {
    BySize bySize;
    llvm::DenseMap<mlir::StringAttr, std::deque<Storage *>> byName;
  };

  /// The same for sizes that are equal whatever the values of names are.
  static mlir::StringAttr getKey(Dim bytes) {
    Dim simplified = bytes + Dim(0);
    return (simplified.isName() ? simplified : bytes).getName();
  }

  /// Takes the storage at `it`; null if that is dropped.
  static Storage *takeAt(BySize &pool, BySize::iterator it) {
    Storage *storage = it->second;
    pool.erase(it);
    return storage->isDropped ? nullptr : storage;
  }

  static Storage *takeNumber(BySize &pool, int64_t size) {
    // As in TVM, at most 16 times as large or as small.
    constexpr int64_t range = 16;
    int64_t most = size > std::numeric_limits<int64_t>::max() / range
                       ? std::numeric_limits<int64_t>::max()
                       : size * range;
    while (true) {
      auto it = pool.lower_bound(size);
      if (it == pool.end() || it->first > most)
        break;
      if (Storage *storage = takeAt(pool, it))
        return storage;
    }
    while (true) {
      auto it = pool.lower_bound(size);
      if (it == pool.begin() || std::prev(it)->first < size / range)
        return nullptr;
      if (Storage *storage = takeAt(pool, std::prev(it))) {
        storage->bytes = size;
        return storage;
      }
    }
  }

  static Storage *takeEqual(ByKind &pool, Dim bytes) {
    auto found = pool.byName.find(getKey(bytes));
    if (found == pool.byName.end())
      return nullptr;
    while (!found->second.empty()) {
      Storage *storage = found->second.front();
      found->second.pop_front();
      if (!storage->isDropped)
        return storage;
    }
    return nullptr;
  }

  llvm::DenseMap<Kind, ByKind> kinds;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_STORAGEPOOL_H
