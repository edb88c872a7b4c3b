//===- SharedLift.h - What functions compute alike from their weights *- C++
//-*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_SHAREDLIFT_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_SHAREDLIFT_H

#include "LiftPlan.h"

#include <map>

namespace partita::relax {

/// A function with weights: its parameters from `numInput` on.
struct LiftTarget {
  FuncOp func;
  unsigned numInput;

  mlir::Block::BlockArgListType getWeights() {
    return func.getArguments().drop_front(numInput);
  }
};

/// Fails after a diagnostic unless all functions have as many weights, and of
/// the same types but for the names of sizes.
llvm::LogicalResult checkWeights(llvm::MutableArrayRef<LiftTarget> targets);

/// The ops that all functions have: the same ops on the same weights.
class SharedOps {
public:
  explicit SharedOps(llvm::MutableArrayRef<LiftTarget> targets);

  bool isShared(mlir::Operation *op) const;
  /// Equal for equal ops.
  unsigned getNumber(mlir::Operation *op) const { return numbers.lookup(op); }

private:
  using Key = std::vector<uintptr_t>;

  void addOp(mlir::Operation *op);
  Key getKey(mlir::Operation *op);

  /// The numbers of ops, and of values.
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::DenseMap<mlir::Value, unsigned> values;
  unsigned numValues = 0;
  std::map<Key, mlir::Operation *> firstOps;
  /// For each number, how many functions have it, and the last one that does.
  struct Count {
    unsigned numFunctions = 0;
    mlir::Operation *last = nullptr;
  };
  std::vector<Count> counts;
  unsigned numTargets;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_SHAREDLIFT_H
