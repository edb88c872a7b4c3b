//===- StoragePlan.h - Which allocations share memory -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StorageRewrite finds the uses of allocations in order, plans which ones share
// memory, and then changes the function. As in TVM, a loop, a condition or the
// launch of threads counts as one use of the allocations around it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_TIR_TRANSFORMS_STORAGEPLAN_H
#define PARTITA_LIB_DIALECT_TIR_TRANSFORMS_STORAGEPLAN_H

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "llvm/ADT/SetVector.h"

#include <deque>
#include <optional>
#include <vector>

namespace partita::tir {

struct Storage;

/// A `tir.alloc_buffer` that can move, and what uses its memory.
struct Allocation {
  AllocBufferOp op;
  mlir::Value buffer;
  mlir::MemRefType type;
  /// The number of scopes around it.
  unsigned level = 0;
  /// The op in whose body the memory can be: a parallel loop or a launch of
  /// threads; null for the function.
  mlir::Operation *attach = nullptr;
  /// Its type of elements, without lanes; and the bits of one with lanes.
  mlir::Type element;
  int64_t elementBits = 0;
  /// The bits of all of it; 0 if its size is not constant.
  int64_t bits = 0;
  /// Whether its elements follow each other, at an address that nobody knows.
  bool isPlain = false;
  bool isVolatile = false;
  /// The memory's scope, with its tag.
  llvm::StringRef scope;
  /// Buffers at its address, and intrinsics that give the address. Neither is
  /// an access by itself.
  llvm::SmallVector<DeclBufferOp> views;
  llvm::SmallVector<CallIntrinOp> addresses;
  /// Accesses with their numbers, in order.
  llvm::SmallVector<std::pair<int64_t, mlir::OpOperand *>> accesses;
  Storage *storage = nullptr;
};

/// Memory that allocations share, one after the other.
struct Storage {
  llvm::StringRef scope;
  mlir::Operation *attach = nullptr;
  mlir::Type element;
  int64_t bits = 0;
  llvm::SmallVector<Allocation *> allocations;
  /// Memory of a special scope is one allocation: the first storage has it, and
  /// the others begin some bits later.
  Storage *parent = nullptr;
  int64_t bitsOffset = 0, totalBits = 0;
  bool hasParts = false;
  /// The buffer that has the memory.
  AllocBufferOp result;
};

/// A statement, or the beginning or the end of a scope.
struct StorageEvent {
  mlir::Operation *statement;
  /// The number of the event that ends it: its own for a statement; nothing for
  /// the end of a scope.
  std::optional<size_t> end;
  /// Accesses in it have numbers from `first` to before `last`.
  int64_t first = 0, last = 0;
  /// Allocations that are used for the first time: at the beginning of a scope.
  llvm::SmallVector<Allocation *> gen;
  /// Allocations that are used for the last time: at the end of a scope.
  llvm::SmallVector<Allocation *> kill;
  /// Whether something in it forbids that a result replaces an operand.
  bool rejectsInPlace = false;
};

/// The statements of a function that use allocations.
struct StorageTimeline {
  std::deque<Allocation> allocations;
  std::vector<StorageEvent> events;
};

/// Adds the statements of `func`. Fails with an error at a loop that runs as
/// vectors.
mlir::LogicalResult buildTimeline(PrimFuncOp func, StorageTimeline &timeline);

/// The bits of an element of `type`; 0 if they are not known.
int64_t getElementBits(mlir::Type type);

/// Whether two expressions without effects are the same.
bool isSameExpr(mlir::Value a, mlir::Value b);

/// The buffer whose address `value` is; null if it is no such address.
mlir::Value getAddressedBuffer(mlir::Value value);

/// Whether another access of the memory computes `value`, an address in it.
bool isElementAddress(mlir::Value value);

/// The annotation of memory that others change, too.
inline constexpr llvm::StringLiteral volatileName = "tirx.volatile";

/// Finds operands that a result can replace in memory: `event`, which has the
/// first use of `result`, computes an element from their same elements.
class InPlaceChecker {
public:
  InPlaceChecker(const StorageEvent &event, const Allocation &result);
  /// Whether `operand`, whose last use is in the event, is such an operand.
  bool isInPlace(const Allocation &operand) const;

private:
  bool addStores();
  bool isWrittenOnce() const;
  bool feedStores(llvm::SmallVector<mlir::Value> values) const;

  const StorageEvent &event;
  const Allocation &result;
  llvm::SmallSetVector<mlir::Operation *, 2> stores;
  bool isPossible;
};

struct StorageOptions {
  bool reuses = true;
  /// Whether all allocations in a storage have the same type of elements.
  bool needsSameType = false;
};

/// Gives each allocation that is used a storage. The storages are in the order
/// in which their first allocations are used.
std::deque<Storage> planStorage(StorageTimeline &timeline,
                                const StorageOptions &options);

/// Makes the elements of `buffer` vectors if all its accesses load or store
/// vectors of one size. Returns whether it did.
bool vectorizeElements(AllocBufferOp buffer);

} // namespace partita::tir

#endif // PARTITA_LIB_DIALECT_TIR_TRANSFORMS_STORAGEPLAN_H
