//===- Utils.h - What passes on layouts have in common ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LAYOUT_UTILS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LAYOUT_UTILS_H

#include "../Utils.h"

#include "partita/Dialect/Relax/Transforms/Layout.h"

namespace partita::relax {

/// Appends the types that are no tuples in `type`, in order.
void appendLeaves(mlir::Type type, llvm::SmallVectorImpl<mlir::Type> &leaves);

/// A variable of TVM's for `value`, which is what to convert: one of several
/// results has none.
mlir::Value createField(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);

/// The same for a field of a tuple, which can be what the tuple was made of.
mlir::Value createField(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value tuple, int64_t index);

/// Erases a tuple that is part of an expression which is gone, and the numbers
/// in it.
void eraseUnusedTuple(mlir::Value value);

/// Drops what a rewriter of TVM's drops, whether it finds something or not:
/// other names of values, outputs of blocks that come from outside of the
/// block, and ops that nothing uses.
void dropLikeRewriter(FuncOp func);

/// Whether an operand of the block's terminator is `value`.
bool leavesBlock(mlir::Value value);

/// Results of one op that leave their block together: TVM has one variable for
/// them, a tuple.
struct WholeOutput {
  /// Where they are among the operands of the block's terminator.
  unsigned first;
  /// The values that leave the block in their place.
  llvm::SmallVector<mlir::Value> fields;
};

/// Where all results of `op` leave the block one after the other, if they are
/// several and do.
std::optional<unsigned> findWholeOutput(mlir::Operation *op);

/// Lets `block` give a tuple in place of each of `outputs`.
void outputTuples(DataflowOp block, llvm::ArrayRef<WholeOutput> outputs);

/// TVM's index map, in TVM's JSON, that brings a tensor from one layout into
/// another.
IndexMapAttr getIndexMap(mlir::MLIRContext *context, const Layout &from,
                         const Layout &to);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LAYOUT_UTILS_H
