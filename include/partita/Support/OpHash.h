//===- OpHash.h - A hash of the contents of ops -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_OPHASH_H
#define PARTITA_SUPPORT_OPHASH_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"

#include <mutex>
#include <optional>

namespace mlir {
class Operation;
} // namespace mlir

namespace partita {

/// 128 bits that say what an op is: ops with equal hashes are taken for equal.
/// Ops, values, attributes, types and locations count by their addresses. So a
/// hash is compared with earlier hashes of the same op only, and only as long
/// as nobody changes the contents of a resource.
struct OpHash {
  uint64_t low = 0, high = 0;

  bool operator==(const OpHash &other) const {
    return low == other.low && high == other.high;
  }
  bool operator!=(const OpHash &other) const { return !(*this == other); }
};

/// The hash of an op's name and attributes.
OpHash hashHead(mlir::Operation *op);

/// The hashes of ops that passes run on. Each isolated op in an op counts by
/// its own hash, so that the hash of a module is known soon if the hashes of
/// its functions are. Threads share it.
class OpHashes {
public:
  /// The hash of `op`, and of all ops in it: their names, attributes,
  /// locations, types, operands and order, and the order of uses. Known hashes
  /// are not computed again.
  OpHash get(mlir::Operation *op);
  /// The same, if it is known.
  std::optional<OpHash> find(mlir::Operation *op);

  /// The hash of `op` with what a pass on `op` can see around it: the names and
  /// attributes of the ops around `op`, and the ops beside it or beside an op
  /// around it on which no pass runs, as constants of the module.
  OpHash getWithSurroundings(mlir::Operation *op) {
    return addSurroundings(get(op), op);
  }
  /// The same for an op with hash `hash`.
  OpHash addSurroundings(OpHash hash, mlir::Operation *op);

  /// Sets the hash of `op`, which is known to be as it was.
  void set(mlir::Operation *op, OpHash hash);
  /// Forgets the hashes of `op`, of the ops around it and of the ops in it,
  /// after a pass has run on it.
  void forget(mlir::Operation *op);
  void clear();

private:
  OpHash getGlobals(mlir::Operation *table);

  std::mutex mutex;
  llvm::DenseMap<mlir::Operation *, OpHash> hashes;
  /// For each symbol table, a hash of the ops in it that passes do not run on.
  llvm::DenseMap<mlir::Operation *, OpHash> globals;
};

} // namespace partita

template <>
struct llvm::DenseMapInfo<partita::OpHash> {
  using OpHash = partita::OpHash;
  static OpHash getEmptyKey() { return {~uint64_t(0), ~uint64_t(0)}; }
  static OpHash getTombstoneKey() { return {~uint64_t(0), ~uint64_t(1)}; }
  static unsigned getHashValue(const OpHash &hash) { return hash.low; }
  static bool isEqual(const OpHash &lhs, const OpHash &rhs) {
    return lhs == rhs;
  }
};

#endif // PARTITA_SUPPORT_OPHASH_H
