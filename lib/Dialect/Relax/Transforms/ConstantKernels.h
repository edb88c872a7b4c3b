//===- ConstantKernels.h - Values of ops by kind ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTKERNELS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTKERNELS_H

#include "ConstantTensor.h"

#include "mlir/IR/Operation.h"

namespace partita::relax {

/// The value of an elementwise op whose operands are `operands`; nothing if ops
/// of this kind are not evaluated, or if the result has no value. `isTooLarge`
/// is set if it takes more than `maxBytes`.
std::optional<ConstantTensor> evaluateElementwise(
    mlir::Operation *op, llvm::ArrayRef<const ConstantTensor *> operands,
    mlir::RankedTensorType type, int64_t maxBytes, bool &isTooLarge);

/// The same for an op whose elements are looked up, or put somewhere, by index.
std::optional<ConstantTensor> evaluateIndexing(
    mlir::Operation *op, llvm::ArrayRef<const ConstantTensor *> operands,
    mlir::RankedTensorType type, int64_t maxBytes, bool &isTooLarge);

/// The same for convolutions and pooling.
std::optional<ConstantTensor> evaluateWindows(
    mlir::Operation *op, llvm::ArrayRef<const ConstantTensor *> operands,
    mlir::RankedTensorType type, int64_t maxBytes, bool &isTooLarge);

/// The same for an op that only moves elements. It may have several results.
std::optional<llvm::SmallVector<ConstantTensor>>
evaluateMovement(mlir::Operation *op,
                 llvm::ArrayRef<const ConstantTensor *> operands,
                 int64_t maxBytes, bool &isTooLarge);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTKERNELS_H
