//===- LiftPlan.h - What can be computed from weights alone -----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_LIFTPLAN_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_LIFTPLAN_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "llvm/ADT/SetVector.h"

namespace partita::relax {

/// What a function computes from its weights, and what the rest of it needs.
class LiftPlan {
public:
  /// `mayLift` says which ops may be lifted at all. Names of sizes do not come
  /// from weights unless `liftsNames` holds.
  LiftPlan(FuncOp func, unsigned numInput, bool liftsNames,
           llvm::function_ref<bool(mlir::Operation *)> mayLift);

  /// The ops that can be computed without the other parameters, in order.
  llvm::SetVector<mlir::Operation *> liftable;

  /// Whether `op`, which is liftable, depends on weights.
  bool dependsOnWeights(mlir::Operation *op) const;
  /// Whether the rest of the function needs `value`.
  bool isNeeded(mlir::Value value) const { return needed.contains(value); }
  bool isNameNeeded(mlir::StringAttr name) const {
    return neededNames.contains(name);
  }

private:
  void visit(mlir::Operation *op, bool isInDataflow);
  bool canLift(mlir::Operation *op, llvm::ArrayRef<mlir::Value> used,
               llvm::ArrayRef<mlir::StringAttr> names) const;

  llvm::function_ref<bool(mlir::Operation *)> mayLift;
  llvm::DenseSet<mlir::Value> available, weights, needed;
  llvm::DenseSet<mlir::StringAttr> availableNames, neededNames;
};

/// The values that `op` uses, through the parts of its expression, as they are
/// inside of dataflow blocks; and the names of sizes that it has.
llvm::SmallVector<mlir::Value>
getUsedVariables(mlir::Operation *op, llvm::SetVector<mlir::StringAttr> &names);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_LIFTPLAN_H
