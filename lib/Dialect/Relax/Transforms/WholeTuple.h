//===- WholeTuple.h - Tuples that are passed on whole -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_WHOLETUPLE_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_WHOLETUPLE_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

namespace partita::relax {

/// The field of a tuple that `operand` is, without the casts to the function's
/// type; null if it is none, or if it has a variable in TVM.
TupleGetItemOp getUnnamedField(mlir::Value operand);

/// The tuple that `op` takes whole in TVM: its operands are all fields of the
/// tuple, in order, and none of these has a variable. Null if there is none.
mlir::Value getWholeTuple(mlir::Operation *op);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_WHOLETUPLE_H
