//===- ConstantEvaluator.h - Evaluate ops on constants ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTEVALUATOR_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTEVALUATOR_H

#include "ConstantTensor.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/Operation.h"

namespace partita::relax {

/// Computes ops of the relax dialect on constant tensors.
///
/// Every op is computed in the precision of its tensors as TVM computes it:
/// float16 and bfloat16 as float with the result rounded, integers modulo their
/// width. The larger or smaller one of a number and NaN is NaN, as in NumPy.
class ConstantEvaluator {
public:
  /// A result may take `maxGrowth` bytes more than the operands do.
  explicit ConstantEvaluator(int64_t maxGrowth) : maxGrowth(maxGrowth) {}

  /// The results of `op`, whose tensor operands are `operands`, with numbers as
  /// tensors of one element, and the fields of tuples in place of these. Leave
  /// out an operand whose shape alone matters, as in relax.ones_like. Nothing
  /// if ops of this kind are not evaluated, if the type of a result is not
  /// static or has elements of another kind, if a result has no value (an
  /// integer divided by zero, a float converted to an integer that cannot hold
  /// it, the maximum of nothing, an element from outside of a tensor), or if it
  /// is too large.
  std::optional<llvm::SmallVector<ConstantTensor>>
  evaluate(mlir::Operation *op,
           llvm::ArrayRef<const ConstantTensor *> operands);

  /// The results, of types `results`, of a `relax.call_tir` of `callee`;
  /// nothing if they cannot be computed (PrimFuncEvaluator.h).
  std::optional<llvm::SmallVector<ConstantTensor>>
  evaluate(tir::PrimFuncOp callee,
           llvm::ArrayRef<const ConstantTensor *> operands,
           mlir::TypeRange results);

  /// How many ops were not evaluated since the result would take too many bytes
  /// or too long.
  int64_t getNumTooLarge() const { return numTooLarge; }

private:
  /// The most bytes that the results of an op on `operands` may take.
  int64_t getMaxBytes(llvm::ArrayRef<const ConstantTensor *> operands) const;
  std::optional<ConstantTensor>
  evaluateOne(mlir::Operation *op,
              llvm::ArrayRef<const ConstantTensor *> operands);

  int64_t maxGrowth;
  int64_t numTooLarge = 0;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTEVALUATOR_H
