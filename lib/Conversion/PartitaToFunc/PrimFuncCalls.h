//===- PrimFuncCalls.h - Calls in a tir.prim_func ---------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_PARTITATOFUNC_PRIMFUNCCALLS_H
#define PARTITA_LIB_CONVERSION_PARTITATOFUNC_PRIMFUNCCALLS_H

#include "FunctionLowering.h"

namespace partita {

/// The buffer whose memory begins at `address`, or null.
mlir::Value getBufferAt(mlir::Value address);

/// Whether `op` is TVM's call of a packed function.
bool isPackedCall(mlir::Operation *op);
/// Replaces such a call by one of a declaration.
llvm::LogicalResult lowerPackedCall(mlir::Operation *op, LoweredModule &module);

/// Whether `op` is TVM's call of a function of C by its name.
bool isExternCall(mlir::Operation *op);
/// Replaces such a call if the function is one of C's library that computes a
/// number of numbers.
llvm::LogicalResult lowerExternCall(mlir::Operation *op, LoweredModule &module);

/// Replaces a call of another prim_func in a copy of the body of `caller`.
llvm::LogicalResult lowerPrimFuncCall(tir::CallOp op, tir::PrimFuncOp caller,
                                      LoweredModule &module);

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_PARTITATOFUNC_PRIMFUNCCALLS_H
