//===- ScaleAxis.cpp - Move multiplications into weights ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaleAxis.h"

#include "ConstantTensor.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

std::optional<int64_t> partita::relax::mapAxis(int64_t axis, int64_t from,
                                               int64_t to) {
  if (axis == anyAxis)
    return anyAxis;
  return axis == from ? std::optional(to) : std::nullopt;
}

int64_t partita::relax::getAxis(StringRef layout, char letter) {
  return static_cast<int64_t>(layout.find(letter)) -
         static_cast<int64_t>(layout.size());
}

/// The one axis along which a tensor of this shape can differ, if there is one.
static std::optional<int64_t> findAxis(ArrayRef<int64_t> shape) {
  int64_t axis = anyAxis;
  for (auto [number, dim] : llvm::enumerate(shape)) {
    if (dim == 1)
      continue;
    if (axis != anyAxis)
      return std::nullopt;
    axis = static_cast<int64_t>(number) - static_cast<int64_t>(shape.size());
  }
  return axis;
}

//===----------------------------------------------------------------------===//
// Values of constants
//===----------------------------------------------------------------------===//

namespace {
/// The range of a tensor's elements. All of them are finite.
struct Extent {
  double least = std::numeric_limits<double>::infinity();
  double magnitude = 0;
};
} // namespace

template <typename T>
static std::optional<Extent> getRange(const ConstantTensor &tensor) {
  Extent range;
  for (T value : tensor.getValues<T>()) {
    double element = value;
    if (!std::isfinite(element))
      return std::nullopt;
    range.least = std::min(range.least, element);
    range.magnitude = std::max(range.magnitude, std::abs(element));
  }
  return range;
}

static std::optional<Extent> getRange(ConstantOp constant) {
  std::optional<ConstantTensor> tensor =
      ConstantTensor::get(constant.getValue());
  if (!tensor)
    return std::nullopt;
  Type type = tensor->getType().getElementType();
  if (type.isF16())
    return getRange<Half>(*tensor);
  if (type.isBF16())
    return getRange<BFloat>(*tensor);
  if (type.isF32())
    return getRange<float>(*tensor);
  if (type.isF64())
    return getRange<double>(*tensor);
  return std::nullopt;
}

/// A bound on the elements of a tensor that is a constant, moved or scaled.
static std::optional<double> getMagnitude(Value value) {
  double factor = 1;
  while (Operation *op = value.getDefiningOp()) {
    if (isa<PermuteDimsOp, ReshapeOp, ExpandDimsOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    auto multiply = dyn_cast<MultiplyOp>(op);
    auto constant = multiply ? multiply.getRhs().getDefiningOp<ConstantOp>()
                             : dyn_cast<ConstantOp>(op);
    std::optional<Extent> range =
        constant ? getRange(constant) : std::optional<Extent>();
    if (!range)
      return std::nullopt;
    factor *= range->magnitude;
    if (!multiply)
      return factor;
    value = multiply.getLhs();
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// AxisScale
//===----------------------------------------------------------------------===//

/// The same elements in another shape.
static OwnedElements reshape(ElementsAttr attr, ArrayRef<int64_t> shape) {
  return reshapeElements(attr,
                         RankedTensorType::get(shape, attr.getElementType()));
}

std::optional<AxisScale> AxisScale::get(MultiplyOp multiply) {
  AxisScale scale;
  scale.data = multiply.getLhs();
  scale.result = multiply.getResult();
  scale.constant = multiply.getRhs().getDefiningOp<ConstantOp>();
  if (!scale.constant) {
    scale.data = multiply.getRhs();
    scale.constant = multiply.getLhs().getDefiningOp<ConstantOp>();
  }
  auto type = dyn_cast<RankedTensorType>(multiply.getType());
  if (!scale.constant || !type || scale.data.getType() != type)
    return std::nullopt;
  std::optional<Extent> range = getRange(scale.constant);
  if (!range)
    return std::nullopt;
  scale.magnitude = range->magnitude;
  scale.positive = range->least > 0;

  OwnedElements value = scale.constant.getValue();
  int64_t size = value.getNumElements();
  std::optional<int64_t> axis =
      isa<SplatElementsAttr>(Attribute(value))
          ? anyAxis
          : findAxis(value.getShapedType().getShape());
  if (!axis || size == 0)
    return std::nullopt;
  scale.axis = *axis;
  scale.factors = *axis == anyAxis ? reshape(value, {}) : reshape(value, size);
  ArrayRef<int64_t> shape = type.getShape();
  if (*axis != anyAxis && shape[shape.size() + *axis] != size)
    return std::nullopt;
  return scale;
}

bool AxisScale::canScale(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() != factors.getElementType())
    return false;
  std::optional<double> bound = getMagnitude(value);
  const llvm::fltSemantics &format =
      cast<FloatType>(type.getElementType()).getFloatSemantics();
  return bound &&
         *bound * magnitude <= APFloat::getLargest(format).convertToDouble();
}

bool AxisScale::canScaleWeight(Value weight, int64_t axis) const {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(weight.getType()).getShape();
  bool fits =
      axis == anyAxis || shape[shape.size() + axis] == factors.getNumElements();
  return fits && canScale(weight);
}

void AxisScale::scale(OpOperand &operand, int64_t axis) const {
  OpBuilder builder(operand.getOwner());
  SmallVector<int64_t> shape;
  if (axis != anyAxis) {
    shape.assign(-axis, 1);
    shape.front() = factors.getNumElements();
  }
  Location loc = result.getLoc();
  Value factor = ConstantOp::create(builder, loc, reshape(factors, shape));
  operand.set(MultiplyOp::create(builder, loc, operand.get(), factor));
}

void AxisScale::erase() {
  result.replaceAllUsesWith(data);
  result.getDefiningOp()->erase();
  if (constant.use_empty())
    constant.erase();
}
