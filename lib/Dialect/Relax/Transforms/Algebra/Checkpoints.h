//===- Checkpoints.h - Compute values again for gradients -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_CHECKPOINTS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_CHECKPOINTS_H

#include "../Utils.h"

#include "mlir/IR/IRMapping.h"

namespace partita::relax {

/// Which values of a function are kept for its gradient: parameters, what goes
/// into a part that is marked, and values that are computed from these and from
/// what comes out of such parts alone. The others are computed again.
class Checkpoints {
public:
  /// Replaces the marks in `dataflow` by the values that they mark.
  Checkpoints(FuncOp func, DataflowOp dataflow);

  /// Sets the values that stand for the operands and results of `op` behind it,
  /// and computes the ones again that are not kept.
  void recompute(mlir::OpBuilder &builder, mlir::Operation *op,
                 llvm::SmallVectorImpl<mlir::Value> &operands,
                 llvm::SmallVectorImpl<mlir::Value> &results);
  /// The op of several results that `op` takes whole, as its first result; else
  /// null.
  static mlir::Value getWhole(mlir::Operation *op);

private:
  bool isKept(mlir::Value value) const;
  mlir::Value get(mlir::OpBuilder &builder, mlir::Value value);
  void compute(mlir::OpBuilder &builder, mlir::Operation *op);

  DataflowOp dataflow;
  llvm::DenseSet<mlir::Value> recomputed;
  mlir::IRMapping mapping;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_CHECKPOINTS_H
