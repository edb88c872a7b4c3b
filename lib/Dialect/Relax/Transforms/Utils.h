//===- Utils.h - What passes on Relax have in common ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_UTILS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_UTILS_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/IR/RelaxShape.h"

namespace partita::relax {

/// `op`, or what takes its place, without the results that nothing uses.
DataflowOp dropUnusedOutputs(DataflowOp op);

/// Whether TVM has marked `func` as a single kernel.
inline bool isPrimitive(FuncOp func) {
  auto primitive = func->getAttrOfType<mlir::IntegerAttr>("Primitive");
  return primitive && !primitive.getValue().isZero();
}

/// Makes a constant of rank 0; `value` is rounded to the float type `type`.
inline mlir::Value createScalar(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Type type, double value) {
  return ConstantOp::create(
      builder, loc,
      mlir::DenseElementsAttr::get(
          mlir::RankedTensorType::get({}, type),
          mlir::Attribute(mlir::FloatAttr::get(type, value))));
}

/// Reshapes `x`, whose size is known, to rank `rank` with all elements in
/// dimension `axis`.
inline mlir::Value createAlong(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::TypedValue<mlir::RankedTensorType> x,
                               int64_t axis, int64_t rank) {
  llvm::SmallVector<Dim> dims(rank, Dim(1));
  if (rank > 0)
    dims[axis] = x.getType().getNumElements();
  // Without a name, as part of the reshape that it is in TVM.
  auto shape = ShapeOp::create(builder, builder.getUnknownLoc(),
                               ShapeAttr::get(builder.getContext(), dims));
  return ReshapeOp::create(builder, loc, x, shape);
}

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_UTILS_H
