//===- GradientBuilder.cpp - Build gradients of ops -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradients.h"

using namespace mlir;
using namespace partita::relax;

#include "partita/Dialect/Relax/Transforms/GradientOpInterface.cpp.inc"

Value GradientBuilder::makeScalar(Value like, double value) {
  Type type = TensorInfo::get(like.getType())->elementType;
  if (isa<FloatType>(type))
    return createScalar(*this, getLoc(), type, value);
  return ConstantOp::create(
      *this, DenseElementsAttr::get(
                 RankedTensorType::get({}, type),
                 Attribute(IntegerAttr::get(type, int64_t(value)))));
}

Value GradientBuilder::makeShapeOf(Value tensor) {
  return createShape(*this, TensorInfo::get(tensor.getType())->dims);
}

Value GradientBuilder::fit(Value gradient, Value like) {
  SmallVector<Dim> from = TensorInfo::get(gradient.getType())->dims,
                   to = TensorInfo::get(like.getType())->dims;
  if (from.size() == to.size() && llvm::all_of_zip(from, to, areEqual))
    return gradient;
  return make<CollapseSumToOp>(gradient, makeShapeOf(like));
}

std::optional<int64_t>
partita::relax::countElements(Value tensor,
                              std::optional<ArrayRef<int64_t>> axes) {
  SmallVector<Dim> dims = TensorInfo::get(tensor.getType())->dims;
  Dim count = 1;
  if (axes)
    for (int64_t axis : *axes)
      count = count * dims[fromFront(axis, dims.size())];
  else
    count = multiply(dims);
  if (!count.isNumber() || count.getSize() == 0)
    return std::nullopt;
  return count.getSize();
}

void partita::relax::registerGradientModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RelaxDialect *) {
    attachElementwiseGradients(context);
    attachShapeGradients(context);
    attachNNGradients(context);
  });
}
