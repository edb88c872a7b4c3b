//===- Gradients.h - Attach gradients to relax ops --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of an op is a function that gets the op, a GradientBuilder and
// the list of partial gradients.
//
// TVM builds the parts of all gradients of an op before the gradients
// themselves: what a function builds at once comes first, and what it builds in
// a PartialGradient comes where the gradient is added up.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_GRADIENTS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_GRADIENTS_H

#include "../Utils.h"

#include "partita/Dialect/Relax/Transforms/GradientOpInterface.h"

namespace partita::relax {

using Partials = llvm::SmallVectorImpl<PartialGradient>;

/// A GradientOpInterface whose gradient is `fn`.
template <auto fn, typename OpT>
struct GradientModel
    : GradientOpInterface::ExternalModel<GradientModel<fn, OpT>, OpT> {
  llvm::LogicalResult getGradients(mlir::Operation *op,
                                   GradientBuilder &builder,
                                   Partials &partials) const {
    return fn(llvm::cast<OpT>(op), builder, partials);
  }
};

template <auto fn, typename... OpTs>
void attachGradient(mlir::MLIRContext *context) {
  (OpTs::template attachInterface<GradientModel<fn, OpTs>>(*context), ...);
}

void attachElementwiseGradients(mlir::MLIRContext *context);
void attachShapeGradients(mlir::MLIRContext *context);
void attachNNGradients(mlir::MLIRContext *context);

/// Adds a gradient that `build` makes, a value.
template <typename Fn>
void addPartial(Partials &partials, Fn build) {
  partials.push_back([build]() mutable -> llvm::SmallVector<mlir::Value> {
    return {build()};
  });
}

/// The number of elements in the dimensions `axes`, or in all; nothing unless
/// it is known and not 0.
std::optional<int64_t>
countElements(mlir::Value tensor, std::optional<llvm::ArrayRef<int64_t>> axes);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_GRADIENTS_H
