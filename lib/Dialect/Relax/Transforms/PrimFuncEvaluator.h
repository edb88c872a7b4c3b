//===- PrimFuncEvaluator.h - Run prim_funcs on constants --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_PRIMFUNCEVALUATOR_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_PRIMFUNCEVALUATOR_H

#include "ConstantTensor.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita::relax {

/// The tensors of types `results` that `func` writes when it gets `operands` in
/// front of them. A scalar is a tensor of one element. TVM compiles the
/// function for the host and runs it, so one that threads of another device run
/// has no value here either.
///
/// Nothing if the body has anything but loops, blocks and conditions, memory,
/// arithmetic and intrinsics of numbers, or if the results are not defined: an
/// element that is not written, or read before it is, an index outside of its
/// buffer, an integer divided by zero, sizes that do not fit the function's, a
/// write to an operand. `isTooLarge` is set if it takes too many steps, or if
/// the results together, or a buffer, take more than `maxBytes`.
std::optional<llvm::SmallVector<ConstantTensor>>
evaluatePrimFunc(tir::PrimFuncOp func,
                 llvm::ArrayRef<const ConstantTensor *> operands,
                 mlir::TypeRange results, int64_t maxBytes, bool &isTooLarge);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_PRIMFUNCEVALUATOR_H
