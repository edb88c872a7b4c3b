//===- RelaxInferElementwise.cpp - Types of elementwise ops --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

#include "partita/Dialect/Relax/IR/RelaxVariables.h"

#include <cmath>

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Shared by several ops
//===----------------------------------------------------------------------===//

FailureOr<TensorInfo> partita::relax::getTensor(OptionalLoc loc, Value value,
                                                StringRef name) {
  if (std::optional<TensorInfo> info = TensorInfo::get(value.getType()))
    return std::move(*info);
  return emitOptionalError(loc, "expected '", name, "' to be a tensor, found ",
                           value.getType());
}

FailureOr<SmallVector<TensorInfo>>
partita::relax::getTensors(OptionalLoc loc, ValueRange values) {
  SmallVector<Type> list(values.getTypes());
  if (list.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(list.front()))
      list = llvm::to_vector(tuple.getTypes());
  if (list.empty())
    return emitOptionalError(loc, "expected at least one tensor, found none");
  SmallVector<TensorInfo> tensors;
  for (Type type : list) {
    std::optional<TensorInfo> tensor = TensorInfo::get(type);
    if (!tensor)
      return emitOptionalError(loc, "expected tensors, found ", type);
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

std::optional<int64_t> partita::relax::getNumber(Value value) {
  if (auto dim = value.getDefiningOp<DimOp>(); dim && dim.getDim().isNumber())
    return dim.getDim().getSize();
  auto number = value.getDefiningOp<PrimValueOp>();
  auto integer =
      number ? dyn_cast<IntegerAttr>(number.getValue()) : IntegerAttr();
  if (!integer || integer.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return integer.getType().isUnsignedInteger() || integer.getType().isInteger(1)
             ? int64_t(integer.getValue().getZExtValue())
             : integer.getValue().getSExtValue();
}

Dim partita::relax::getDim(Value number) {
  if (auto dim = number.getDefiningOp<DimOp>())
    return dim.getDim();
  // A number that the function takes and that types refer to.
  if (auto argument = dyn_cast<BlockArgument>(number))
    if (auto func =
            dyn_cast_if_present<FuncOp>(argument.getOwner()->getParentOp()))
      if (auto name = func.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), FuncOp::getDimAttrName()))
        return name;
  std::optional<int64_t> value = getNumber(number);
  return value && *value >= 0 ? Dim(*value) : Dim();
}

bool partita::relax::isSize(Value number) {
  auto op = number.getDefiningOp<DimOp>();
  if (!op || !op.getDim().isIdentifier())
    return false;
  auto func = op->getParentOfType<FuncOp>();
  return !func || llvm::none_of(llvm::seq(func.getNumArguments()), [&](auto i) {
    return func.getArgAttr(i, FuncOp::getDimAttrName()) ==
           op.getDim().getName();
  });
}

std::optional<SmallVector<Dim>> partita::relax::getShapeDims(Value shape) {
  auto type = dyn_cast<ShapeType>(shape.getType());
  if (!type || !type.getRanked())
    return std::nullopt;
  return llvm::to_vector(type.getDims());
}

FailureOr<int64_t> partita::relax::normalizeAxis(OptionalLoc loc, int64_t axis,
                                                 int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  return emitOptionalError(loc, "expected an axis of a tensor of rank ", rank,
                           ", found ", axis);
}

FailureOr<SmallVector<int64_t>>
partita::relax::normalizeAxes(OptionalLoc loc, ArrayRef<int64_t> axes,
                              int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normalized = normalizeAxis(loc, axis, rank);
    if (failed(normalized))
      return failure();
    if (llvm::is_contained(result, *normalized))
      return emitOptionalError(loc, "expected every axis once, found axis ",
                               *normalized, " twice");
    result.push_back(*normalized);
  }
  return result;
}

FailureOr<Type> partita::relax::inferElementType(OptionalLoc loc,
                                                 const TensorInfo &lhs,
                                                 const TensorInfo &rhs,
                                                 TypeAttr outDtype) {
  if (outDtype) {
    if (outDtype.getValue().isIntOrFloat())
      return outDtype.getValue();
    return emitOptionalError(
        loc, "expected 'out_dtype' to be an integer or a float, found ",
        outDtype.getValue());
  }
  if (!lhs.elementType || !rhs.elementType)
    return Type();
  // As in TVM a boolean goes with anything.
  if (lhs.elementType == rhs.elementType || lhs.elementType.isInteger(1) ||
      rhs.elementType.isInteger(1))
    return lhs.elementType;
  return emitOptionalError(loc, "expected operands of one element type, found ",
                           lhs.elementType, " and ", rhs.elementType,
                           "; convert one with relax.astype");
}

bool partita::relax::mayBeEqual(Dim a, Dim b) {
  bool isOneIdentifier = a.isIdentifier() || b.isIdentifier();
  bool isSimple =
      (a.isNumber() || a.isIdentifier()) && (b.isNumber() || b.isIdentifier());
  return (isOneIdentifier && isSimple) || areCompatible(a, b);
}

std::string partita::relax::toString(ArrayRef<Dim> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(dims, os);
  os << ']';
  return text;
}

LogicalResult partita::relax::broadcast(OptionalLoc loc, const TensorInfo &lhs,
                                        const TensorInfo &rhs,
                                        TensorInfo &result) {
  if (lhs.shape && lhs.shape == rhs.shape && lhs.isRanked == rhs.isRanked &&
      lhs.dims == rhs.dims) {
    result.isRanked = lhs.isRanked;
    result.dims = lhs.dims;
    result.shape = lhs.shape;
    return success();
  }
  if (!lhs.isRanked || !rhs.isRanked) {
    result.setUnranked();
    return success();
  }
  ArrayRef<Dim> longer = lhs.dims, shorter = rhs.dims;
  if (longer.size() < shorter.size())
    std::swap(longer, shorter);
  result.setDims(longer);
  size_t offset = longer.size() - shorter.size();
  for (auto [index, dim] : llvm::enumerate(shorter)) {
    Dim other = longer[offset + index];
    std::optional<Dim> merged = broadcast(other, dim);
    if (!merged)
      return emitOptionalError(loc, "expected shapes that broadcast, found ",
                               toString(lhs.dims), " and ", toString(rhs.dims),
                               ", where ", toString(other), " meets ",
                               toString(dim));
    result.dims[offset + index] = *merged;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Of one operand
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferSame(OptionalLoc loc, Value x) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "x");
  if (failed(info))
    return failure();
  return x.getType();
}

FailureOr<Type> partita::relax::inferAlong(OptionalLoc loc, Value x,
                                           ArrayRef<int64_t> axes) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "data");
  if (failed(info))
    return failure();
  for (int64_t axis : axes)
    if (info->isRanked && failed(normalizeAxis(loc, axis, info->getRank())))
      return failure();
  return x.getType();
}

FailureOr<Type> partita::relax::inferOfRank(OptionalLoc loc, Value x,
                                            int64_t least) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "x");
  if (failed(info))
    return failure();
  if (info->isRanked && info->getRank() < least)
    return emitOptionalError(loc, "expected a tensor of rank ", least,
                             " or more, found ", x.getType());
  return x.getType();
}

FailureOr<Type> partita::relax::inferCheck(OptionalLoc loc, Value x) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "x");
  if (failed(info))
    return failure();
  info->elementType = IntegerType::get(x.getContext(), 1);
  return info->getType(x.getContext());
}

FailureOr<Type> partita::relax::inferConverted(OptionalLoc loc, Value x,
                                               TypeAttr dtype) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "x");
  if (failed(info))
    return failure();
  if (!dtype)
    return x.getType();
  if (!dtype.getValue().isIntOrFloat())
    return emitOptionalError(loc,
                             "expected 'dtype' to be an integer or a float");
  info->elementType = dtype.getValue();
  return info->getType(x.getContext());
}

//===----------------------------------------------------------------------===//
// Of several operands
//===----------------------------------------------------------------------===//

/// The operand of a binary op: a number is a tensor of one element.
static FailureOr<TensorInfo> getBinaryOperand(OptionalLoc loc, Value value,
                                              StringRef name) {
  if (value.getType().isIntOrIndexOrFloat())
    return TensorInfo(Dim(1), value.getType());
  return getTensor(loc, value, name);
}

/// Whether all is known of a tensor: elementwise ops on such tensors give
/// results of the same type.
static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding();
}

/// The type of a binary op on elements; `elementType`, if given, is the element
/// type of the result.
static FailureOr<Type> inferBinary(OptionalLoc loc, Value lhs, Value rhs,
                                   Type elementType) {
  if (!elementType && lhs.getType() == rhs.getType() &&
      isStaticTensor(lhs.getType()))
    return lhs.getType();
  FailureOr<TensorInfo> x = getBinaryOperand(loc, lhs, "lhs");
  FailureOr<TensorInfo> y = getBinaryOperand(loc, rhs, "rhs");
  if (failed(x) || failed(y))
    return failure();
  TensorInfo result;
  result.elementType = elementType;
  if (!elementType) {
    FailureOr<Type> element = inferElementType(loc, *x, *y);
    if (failed(element))
      return failure();
    result.elementType = *element;
  }
  if (lhs.getType().isIntOrIndexOrFloat() &&
      rhs.getType().isIntOrIndexOrFloat())
    return result.elementType;
  if (failed(broadcast(loc, *x, *y, result)))
    return failure();
  result.vdevice = inferVDevice(*x, *y);
  return result.getType(lhs.getContext());
}

FailureOr<Type> partita::relax::inferBroadcast(OptionalLoc loc, Value lhs,
                                               Value rhs) {
  return inferBinary(loc, lhs, rhs, {});
}

FailureOr<Type> partita::relax::inferComparison(OptionalLoc loc, Value lhs,
                                                Value rhs) {
  return inferBinary(loc, lhs, rhs, IntegerType::get(lhs.getContext(), 1));
}

FailureOr<Type> partita::relax::inferSameShape(OptionalLoc loc,
                                               ValueRange operands) {
  if (operands.size() == 1 && isStaticTensor(operands.front().getType()))
    return operands.front().getType();
  FailureOr<TensorInfo> result = getTensor(loc, operands.front(), "x1");
  if (failed(result))
    return failure();
  for (Value operand : operands.drop_front()) {
    FailureOr<TensorInfo> info = getTensor(loc, operand, "x2");
    if (failed(info))
      return failure();
    FailureOr<Type> element = inferElementType(loc, *result, *info);
    if (failed(element))
      return failure();
    bool isSame =
        result->isRanked == info->isRanked &&
        llvm::equal(result->dims, info->dims, areEqual) &&
        (llvm::none_of(result->dims, [](Dim dim) { return dim.isUnknown(); }) ||
         (result->shape && result->shape == info->shape));
    if (result->isRanked && info->isRanked &&
        !llvm::all_of_zip(result->dims, info->dims, mayBeEqual))
      return emitOptionalError(loc, "expected tensors of one shape, found ",
                               operands.front().getType(), " and ",
                               operand.getType());
    if (!result->isRanked)
      result->dims = info->dims;
    result->isRanked |= info->isRanked;
    if (!isSame)
      result->setRank(result->getRank());
    result->elementType = *element;
    result->vdevice = inferVDevice(*result, *info);
  }
  return result->getType(operands.front().getContext());
}

FailureOr<Type> partita::relax::inferWhere(OptionalLoc loc,
                                           WhereOp::Adaptor op) {
  FailureOr<TensorInfo> condition =
      getTensor(loc, op.getCondition(), "condition");
  FailureOr<TensorInfo> x1 = getTensor(loc, op.getX1(), "x1");
  FailureOr<TensorInfo> x2 = getTensor(loc, op.getX2(), "x2");
  if (failed(condition) || failed(x1) || failed(x2))
    return failure();
  if (condition->elementType && !condition->elementType.isInteger(1))
    return emitOptionalError(loc, "expected 'condition' to be boolean, found ",
                             op.getCondition().getType());
  FailureOr<Type> element = inferElementType(loc, *x1, *x2);
  TensorInfo values, result;
  if (failed(element) || failed(broadcast(loc, *x1, *x2, values)) ||
      failed(broadcast(loc, *condition, values, result)))
    return failure();
  result.elementType = *element;
  result.vdevice =
      condition->vdevice ? condition->vdevice : inferVDevice(*x1, *x2);
  return result.getType(op.getCondition().getContext());
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferInShape(OptionalLoc loc, Value shape,
                                             TensorInfo info) {
  auto type = dyn_cast<ShapeType>(shape.getType());
  if (!type)
    return emitOptionalError(loc,
                             "expected 'shape' to be a !relax.shape, "
                             "found ",
                             shape.getType());
  info.setShape(type);
  // Like TVM, types refer to a shape that is a variable by its name.
  Operation *op = shape.getDefiningOp();
  StringAttr name = getVarName(shape);
  if (name && !isa_and_present<ShapeOp, ShapeOfOp>(op) &&
      (!op || op->getNumResults() == 1))
    info.shape = name;
  return info.getType(shape.getContext());
}

/// Whether a tensor of dimensions `from` may be summed to dimensions `to`.
static LogicalResult checkCollapse(OptionalLoc loc, ArrayRef<Dim> from,
                                   ArrayRef<Dim> to) {
  for (auto [dim, target] : llvm::zip(llvm::reverse(from), llvm::reverse(to)))
    if (target != Dim(1) && !mayBeEqual(dim, target))
      return emitOptionalError(loc, "expected a shape that broadcasts to ",
                               toString(from), ", found ", toString(to));
  return success();
}

FailureOr<Type> partita::relax::inferToShape(OptionalLoc loc, Value x,
                                             Value shape) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "data");
  if (failed(info))
    return failure();
  auto type = dyn_cast<ShapeType>(shape.getType());
  if (type && failed(checkCollapse(loc, info->dims, type.getDims())))
    return failure();
  return inferInShape(loc, shape, *info);
}

FailureOr<Type> partita::relax::inferLike(OptionalLoc loc, Value x,
                                          Value target) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "data");
  FailureOr<TensorInfo> like = getTensor(loc, target, "collapse_target");
  if (failed(info) || failed(like) ||
      failed(checkCollapse(loc, info->dims, like->dims)))
    return failure();
  like->elementType = info->elementType;
  return like->getType(x.getContext());
}

static LogicalResult checkDType(OptionalLoc loc, TypeAttr dtype) {
  if (dtype && dtype.getValue().isIntOrFloat())
    return success();
  return emitOptionalError(loc, "expected 'dtype' to be an integer or a float");
}

FailureOr<Type> partita::relax::inferCreate(OptionalLoc loc, Value shape,
                                            TypeAttr dtype) {
  if (failed(checkDType(loc, dtype)))
    return failure();
  if (shape.getType().isIntOrIndex())
    return inferCreate(loc, {shape}, dtype);
  TensorInfo info;
  info.elementType = dtype.getValue();
  return inferInShape(loc, shape, info);
}

FailureOr<Type> partita::relax::inferCreate(OptionalLoc loc,
                                            std::initializer_list<Value> dims,
                                            TypeAttr dtype) {
  if (failed(checkDType(loc, dtype)))
    return failure();
  return TensorInfo(llvm::map_to_vector(dims, getDim), dtype.getValue())
      .getType(dtype.getContext());
}

FailureOr<Type>
partita::relax::inferHammingWindow(OptionalLoc loc,
                                   HammingWindowOp::Adaptor op) {
  TypeAttr dtype = op.getDtypeAttr();
  auto integer = dyn_cast<IntegerType>(dtype.getValue());
  if (integer && integer.getWidth() > 1)
    return emitOptionalError(loc, "expected 'dtype' to be a float, found ",
                             integer);
  std::optional<int64_t> size = getNumber(op.getWindowSize());
  if (size && *size < 1)
    return emitOptionalError(
        loc, "expected 'window_size' to be at least 1, found ", *size);
  return inferCreate(loc, op.getWindowSize(), dtype);
}

/// The type of the number that a tensor is filled with.
static FailureOr<TensorInfo> getFillValue(OptionalLoc loc, Value fill) {
  FailureOr<TensorInfo> value = getTensor(loc, fill, "fill_value");
  if (succeeded(value) && (!value->isRanked || value->getRank() != 0))
    return emitOptionalError(
        loc, "expected 'fill_value' to have rank 0, found ", fill.getType());
  return value;
}

FailureOr<Type> partita::relax::inferFullLike(OptionalLoc loc,
                                              FullLikeOp::Adaptor op) {
  if (failed(getFillValue(loc, op.getFillValue())))
    return failure();
  return inferConverted(loc, op.getX(), op.getDtypeAttr());
}

FailureOr<Type> partita::relax::inferFull(OptionalLoc loc, FullOp::Adaptor op) {
  FailureOr<TensorInfo> value = getFillValue(loc, op.getFillValue());
  if (failed(value))
    return failure();
  if (TypeAttr dtype = op.getDtypeAttr())
    value->elementType = dtype.getValue();
  return inferInShape(loc, op.getShape(), *value);
}

/// The value of a number that is known.
static std::optional<double> getReal(Value value) {
  if (std::optional<int64_t> integer = getNumber(value))
    return static_cast<double>(*integer);
  auto number = value.getDefiningOp<PrimValueOp>();
  auto real = number ? dyn_cast<FloatAttr>(number.getValue()) : FloatAttr();
  return real ? std::optional(real.getValueAsDouble()) : std::nullopt;
}

FailureOr<Type> partita::relax::inferArange(OptionalLoc loc,
                                            ArangeOp::Adaptor op) {
  if (failed(checkDType(loc, op.getDtypeAttr())))
    return failure();
  auto isInteger = [](Value value) { return value.getType().isIntOrIndex(); };
  Dim size;
  std::optional<int64_t> step = getNumber(op.getStep());
  if (step == 0)
    return emitOptionalError(loc, "expected 'step' not to be 0");
  std::optional<double> from = getReal(op.getStart()),
                        to = getReal(op.getEnd()), by = getReal(op.getStep());
  if (from && to && by && *by != 0) {
    // Exact: TVM computes integers as integers, which are smaller than 2^53
    // where they are sizes. It takes the size of an empty range for negative.
    double count = std::max(std::ceil((*to - *from) / *by), 0.0);
    if (count < 0x1p53)
      size = Dim(static_cast<int64_t>(count));
  } else if ((step || isSize(op.getStep())) &&
             llvm::all_of(op.getOperands(), isInteger)) {
    bool goesDown = step && *step < 0;
    Value first = goesDown ? op.getEnd() : op.getStart(),
          last = goesDown ? op.getStart() : op.getEnd();
    std::optional<int64_t> number = getNumber(first);
    Dim most = getDim(last);
    size = ceilDiv(number && *number < 0 ? most + Dim(-*number)
                                         : most - getDim(first),
                   goesDown ? Dim(-*step) : getDim(op.getStep()));
  }
  return TensorInfo(size, op.getDtype()).getType(op.getDtype().getContext());
}

FailureOr<Type> partita::relax::inferOneHot(OptionalLoc loc,
                                            OneHotOp::Adaptor op) {
  FailureOr<TensorInfo> indices = getTensor(loc, op.getIndices(), "indices");
  if (failed(indices))
    return failure();
  auto integer = dyn_cast_if_present<IntegerType>(indices->elementType);
  if (indices->elementType && (!integer || integer.getWidth() == 1))
    return emitOptionalError(loc, "expected 'indices' to be integers, found ",
                             op.getIndices().getType());
  int64_t depth = op.getDepth();
  if (depth <= 0)
    return emitOptionalError(loc, "expected 'depth' to be at least 1, found ",
                             depth);
  if (op.getOnValue().getType() != op.getOffValue().getType())
    return emitOptionalError(
        loc, "expected 'on_value' and 'off_value' of one type, found ",
        op.getOnValue().getType(), " and ", op.getOffValue().getType());
  indices->elementType = op.getOnValue().getType();
  if (!indices->isRanked) {
    indices->setUnranked();
    return indices->getType(op.getIndices().getContext());
  }
  FailureOr<int64_t> axis =
      normalizeAxis(loc, op.getAxis(), indices->getRank() + 1);
  if (failed(axis))
    return failure();
  SmallVector<Dim> dims = indices->dims;
  dims.insert(dims.begin() + *axis, Dim(depth));
  indices->setDims(dims);
  return indices->getType(op.getIndices().getContext());
}
