//===- UseOrders.h - The orders of uses in an op ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes depend on the order in which values and blocks are used. MLIR's
// bytecode has no orders for blocks, and gives some of the orders for values
// back as others: as their inverse, if few of many uses are out of order.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_USEORDERS_H
#define PARTITA_SUPPORT_USEORDERS_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace partita {

/// The orders in which ops in `op` use the values and the blocks in it, as far
/// as these uses do not come last to first.
llvm::SmallVector<uint32_t, 0> getUseOrders(mlir::Operation *op);

/// Puts uses into the orders that getUseOrders has returned for an op with the
/// same contents. Fails if it can't have done so.
mlir::LogicalResult setUseOrders(mlir::Operation *op,
                                 llvm::ArrayRef<uint32_t> orders);

} // namespace partita

#endif // PARTITA_SUPPORT_USEORDERS_H
