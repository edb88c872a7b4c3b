//===- LoopJumps.h - Lower jumps in prim_funcs ------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_PARTITATOFUNC_LOOPJUMPS_H
#define PARTITA_LIB_CONVERSION_PARTITATOFUNC_LOOPJUMPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita {

/// Replaces the breaks and continues in `func` by conditions, where their loops
/// run one iteration after the other. Fails with an error where they do not.
llvm::LogicalResult lowerLoopJumps(mlir::func::FuncOp func);

/// Replaces the returns in `func` by one at its end, if one is in a branch.
/// Leaves functions alone that return from a loop.
void lowerEarlyReturns(mlir::func::FuncOp func);

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_PARTITATOFUNC_LOOPJUMPS_H
