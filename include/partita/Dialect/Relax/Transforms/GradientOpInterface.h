//===- GradientOpInterface.h - How ops pass gradients on --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_GRADIENTOPINTERFACE_H
#define PARTITA_DIALECT_RELAX_TRANSFORMS_GRADIENTOPINTERFACE_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"

#include <functional>

namespace partita::relax {

/// Builds the gradient of an argument; several values for an argument that is a
/// tuple. Null if the argument has none. It is called later than the function
/// that makes it, and not where the argument needs no gradient.
using PartialGradient = std::function<llvm::SmallVector<mlir::Value>()>;

/// Builds gradients of one op. Its values are the op's as the code after the
/// op can use them: some are computed again.
class GradientBuilder : public mlir::ImplicitLocOpBuilder {
public:
  GradientBuilder(mlir::Location loc, mlir::OpBuilder &builder)
      : ImplicitLocOpBuilder(loc, builder) {}

  llvm::SmallVector<mlir::Value> operands, results;
  /// Of the results; one tuple can stand for several.
  llvm::SmallVector<mlir::Value> gradients;

  mlir::Value getGradient() const { return gradients.front(); }
  mlir::Value getResult() const { return results.front(); }

  /// `OpT` of these operands and attributes.
  template <typename OpT, typename... Args>
  mlir::Value make(Args &&...args) {
    return OpT::create(*this, std::forward<Args>(args)...)->getResult(0);
  }
  /// A scalar of the element type of `like`.
  mlir::Value makeScalar(mlir::Value like, double value);
  /// The shape of a tensor whose dimensions are known.
  mlir::Value makeShapeOf(mlir::Value tensor);
  /// `gradient` summed to the shape of `like`, if it has another one.
  mlir::Value fit(mlir::Value gradient, mlir::Value like);
};

} // namespace partita::relax

#include "partita/Dialect/Relax/Transforms/GradientOpInterface.h.inc"

namespace partita::relax {

/// Lets the ops of the relax dialect have a GradientOpInterface.
void registerGradientModels(mlir::DialectRegistry &registry);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_GRADIENTOPINTERFACE_H
