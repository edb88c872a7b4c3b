//===- OpHash.h - A hash of the contents of ops -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_OPHASH_H
#define PARTITA_LIB_PASS_OPHASH_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMapInfo.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace partita::transform {

/// 128 bits that say what an op is: ops with equal hashes are taken for equal.
/// Attributes, types and locations count by their addresses, so that hashes are
/// compared in one MLIRContext only, and only as long as nobody changes the
/// contents of a resource.
struct OpHash {
  uint64_t low = 0, high = 0;

  bool operator==(const OpHash &other) const {
    return low == other.low && high == other.high;
  }
  bool operator!=(const OpHash &other) const { return !(*this == other); }
};

/// The hash of `op` and of all ops in it: their names, attributes, locations,
/// types, operands and order. `hashIsolated` returns the hash of an isolated op
/// in `op`.
OpHash hashOp(mlir::Operation *op,
              llvm::function_ref<OpHash(mlir::Operation *)> hashIsolated);

/// The hash of an op with hash `hash`, and of the names and attributes of the
/// ops around it.
OpHash hashWithParents(OpHash hash, mlir::Operation *op);

} // namespace partita::transform

template <>
struct llvm::DenseMapInfo<partita::transform::OpHash> {
  using OpHash = partita::transform::OpHash;
  static OpHash getEmptyKey() { return {~uint64_t(0), ~uint64_t(0)}; }
  static OpHash getTombstoneKey() { return {~uint64_t(0), ~uint64_t(1)}; }
  static unsigned getHashValue(const OpHash &hash) { return hash.low; }
  static bool isEqual(const OpHash &lhs, const OpHash &rhs) {
    return lhs == rhs;
  }
};

#endif // PARTITA_LIB_PASS_OPHASH_H
