//===- RelaxInferTensor.cpp - Types of ops on tensors ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Shared by several ops
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType>
partita::relax::getTensor(OptionalLoc loc, Value value, StringRef name) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    return type;
  return emitOptionalError(loc, "expected '", name,
                           "' to be a ranked tensor, found ", value.getType());
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
                                                 RankedTensorType lhs,
                                                 RankedTensorType rhs,
                                                 TypeAttr outDtype) {
  if (outDtype) {
    if (outDtype.getValue().isIntOrFloat())
      return outDtype.getValue();
    return emitOptionalError(
        loc, "expected 'out_dtype' to be an integer or a float, found ",
        outDtype.getValue());
  }
  if (lhs.getElementType() == rhs.getElementType())
    return lhs.getElementType();
  return emitOptionalError(loc, "expected operands of one element type, found ",
                           lhs.getElementType(), " and ", rhs.getElementType(),
                           "; convert one with relax.astype");
}

bool partita::relax::mayBeEqual(Dim a, Dim b) {
  return areCompatible(a, b) || (a.isName() && b.isName());
}

std::string partita::relax::toString(ArrayRef<Dim> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(dims, os);
  os << ']';
  return text;
}

/// Broadcasts two shapes as NumPy does.
static FailureOr<SmallVector<Dim>>
broadcastShapes(OptionalLoc loc, ArrayRef<Dim> lhs, ArrayRef<Dim> rhs) {
  ArrayRef<Dim> longer = lhs.size() < rhs.size() ? rhs : lhs;
  ArrayRef<Dim> shorter = lhs.size() < rhs.size() ? lhs : rhs;
  SmallVector<Dim> result(longer);
  size_t offset = longer.size() - shorter.size();
  for (auto [index, dim] : llvm::enumerate(shorter)) {
    Dim other = longer[offset + index];
    std::optional<Dim> merged = broadcast(other, dim);
    if (!merged)
      return emitOptionalError(
          loc, "expected shapes that broadcast, found ", toString(lhs), " and ",
          toString(rhs), ", where ", toString(other), " meets ", toString(dim),
          other.isName() || dim.isName()
              ? "; say with relax.match_cast which number the name is"
              : "");
    result[offset + index] = *merged;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferAstype(OptionalLoc loc,
                                            AstypeOp::Adaptor op) {
  FailureOr<RankedTensorType> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  TypeAttr dtype = op.getDtypeAttr();
  if (!dtype || !dtype.getValue().isIntOrFloat())
    return emitOptionalError(loc,
                             "expected 'dtype' to be an integer or a float");
  return Type(getTensorType(getDims(*x), dtype.getValue()));
}

FailureOr<Type> partita::relax::inferBroadcast(OptionalLoc loc, Value lhs,
                                               Value rhs) {
  FailureOr<RankedTensorType> x = getTensor(loc, lhs, "lhs");
  FailureOr<RankedTensorType> y = getTensor(loc, rhs, "rhs");
  if (failed(x) || failed(y))
    return failure();
  FailureOr<Type> element = inferElementType(loc, *x, *y);
  if (failed(element))
    return failure();
  FailureOr<SmallVector<Dim>> dims =
      broadcastShapes(loc, getDims(*x), getDims(*y));
  if (failed(dims))
    return failure();
  return Type(getTensorType(*dims, *element));
}

FailureOr<Type> partita::relax::inferMatmul(OptionalLoc loc,
                                            MatmulOp::Adaptor op) {
  FailureOr<RankedTensorType> x = getTensor(loc, op.getX1(), "x1");
  FailureOr<RankedTensorType> y = getTensor(loc, op.getX2(), "x2");
  if (failed(x) || failed(y))
    return failure();
  if (x->getRank() == 0 || y->getRank() == 0)
    return emitOptionalError(
        loc, "expected operands of rank 1 or more, found ranks ", x->getRank(),
        " and ", y->getRank());
  FailureOr<Type> element = inferElementType(loc, *x, *y, op.getOutDtypeAttr());
  if (failed(element))
    return failure();

  SmallVector<Dim> lhs = getDims(*x), rhs = getDims(*y);
  bool isRow = lhs.size() == 1, isColumn = rhs.size() == 1;
  if (isRow)
    lhs.insert(lhs.begin(), Dim(1));
  if (isColumn)
    rhs.push_back(Dim(1));
  Dim contractedLhs = lhs.back(), contractedRhs = rhs[rhs.size() - 2];
  if (!mayBeEqual(contractedLhs, contractedRhs))
    return emitOptionalError(
        loc, "expected contracted dimensions of the same size, found ",
        toString(contractedLhs), " in ", *x, " and ", toString(contractedRhs),
        " in ", *y);
  FailureOr<SmallVector<Dim>> dims = broadcastShapes(
      loc, ArrayRef(lhs).drop_back(2), ArrayRef(rhs).drop_back(2));
  if (failed(dims))
    return failure();
  if (!isRow)
    dims->push_back(lhs[lhs.size() - 2]);
  if (!isColumn)
    dims->push_back(rhs.back());
  return Type(getTensorType(*dims, *element));
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferPermuteDims(OptionalLoc loc,
                                                 PermuteDimsOp::Adaptor op) {
  FailureOr<RankedTensorType> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  SmallVector<Dim> dims = getDims(*x), result(llvm::reverse(dims));
  if (OptionalAxes axes = op.getAxes()) {
    FailureOr<SmallVector<int64_t>> permutation =
        normalizeAxes(loc, *axes, x->getRank());
    if (failed(permutation))
      return failure();
    if (permutation->size() != dims.size())
      return emitOptionalError(loc, "expected ", dims.size(),
                               " axes, one for each dimension, found ",
                               permutation->size());
    for (auto [dim, axis] : llvm::zip(result, *permutation))
      dim = dims[axis];
  }
  return Type(getTensorType(result, x->getElementType()));
}

/// The product of the numbers in a shape; nothing if it exceeds 64 bits.
/// Appends names and unknown dimensions to `others`.
static std::optional<int64_t> countElements(ArrayRef<Dim> dims,
                                            SmallVectorImpl<Dim> &others) {
  std::optional<int64_t> count = 1;
  for (Dim dim : dims) {
    if (!dim.isNumber())
      others.push_back(dim);
    else if (dim.getSize() == 0)
      return 0;
    else if (count)
      count = llvm::checkedMul(*count, dim.getSize());
  }
  return count;
}

FailureOr<Type> partita::relax::inferReshape(OptionalLoc loc,
                                             ReshapeOp::Adaptor op) {
  FailureOr<RankedTensorType> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  auto shape = dyn_cast<ShapeType>(op.getShape().getType());
  if (!shape)
    return emitOptionalError(loc,
                             "expected 'shape' to be a !relax.shape, "
                             "found ",
                             op.getShape().getType());
  SmallVector<Dim> from, to;
  std::optional<int64_t> fromCount = countElements(getDims(*x), from);
  std::optional<int64_t> toCount = countElements(shape.getDims(), to);
  if (!fromCount || !toCount)
    return emitOptionalError(
        loc, "expected a number of elements that fits in 64 bits, found ", *x,
        " and ", shape);
  // Names on both sides cancel out.
  for (Dim dim : from)
    if (Dim *same = llvm::find(to, dim); same != to.end() && dim.isName())
      to.erase(same);
    else
      return Type(getTensorType(shape.getDims(), x->getElementType()));
  if (to.empty() && *fromCount != *toCount)
    return emitOptionalError(loc, "expected a shape of as many elements as ",
                             *x, " has, found ", shape);
  return Type(getTensorType(shape.getDims(), x->getElementType()));
}

FailureOr<Type> partita::relax::inferExpandDims(OptionalLoc loc,
                                                ExpandDimsOp::Adaptor op) {
  FailureOr<RankedTensorType> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  if (!op.getAxisAttr())
    return emitOptionalError(loc, "expected an attribute 'axis'");
  ArrayRef<int64_t> axis = op.getAxis();
  int64_t rank = x->getRank() + axis.size();
  FailureOr<SmallVector<int64_t>> axes = normalizeAxes(loc, axis, rank);
  if (failed(axes))
    return failure();
  SmallVector<Dim> dims = getDims(*x), result;
  auto *next = dims.begin();
  for (int64_t index = 0; index < rank; ++index)
    result.push_back(llvm::is_contained(*axes, index) ? Dim(1) : *next++);
  return Type(getTensorType(result, x->getElementType()));
}

FailureOr<Type> partita::relax::inferSqueeze(OptionalLoc loc,
                                             SqueezeOp::Adaptor op) {
  FailureOr<RankedTensorType> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  SmallVector<Dim> dims = getDims(*x), result;
  OptionalAxes axis = op.getAxis();
  FailureOr<SmallVector<int64_t>> axes =
      normalizeAxes(loc, axis.value_or(ArrayRef<int64_t>()), x->getRank());
  if (failed(axes))
    return failure();
  for (auto [index, dim] : llvm::enumerate(dims)) {
    bool isNamed = llvm::is_contained(*axes, index);
    if (isNamed && dim.isNumber() && dim.getSize() != 1)
      return emitOptionalError(loc, "expected axes of size 1, found axis ",
                               index, " of ", *x);
    if (!axis && !dim.isNumber())
      return emitOptionalError(loc, "expected 'axis', since dimension ", index,
                               " of ", *x, " is not a number");
    if (axis ? !isNamed : dim != Dim(1))
      result.push_back(dim);
  }
  return Type(getTensorType(result, x->getElementType()));
}

FailureOr<Type> partita::relax::inferConcat(OptionalLoc loc,
                                            ConcatOp::Adaptor op) {
  ValueRange tensors = op.getTensors();
  if (tensors.empty())
    return emitOptionalError(loc, "expected at least one tensor, found none");
  FailureOr<RankedTensorType> first = getTensor(loc, tensors[0], "tensors");
  if (failed(first))
    return failure();
  if (!op.getAxis() && first->getRank() != 1)
    return emitOptionalError(
        loc, "expected tensors of rank 1, since there is no 'axis', found ",
        *first);
  FailureOr<int64_t> axis =
      normalizeAxis(loc, op.getAxis().value_or(0), first->getRank());
  if (failed(axis))
    return failure();

  SmallVector<Dim> result = getDims(*first);
  for (Value value : tensors.drop_front()) {
    FailureOr<RankedTensorType> type = getTensor(loc, value, "tensors");
    if (failed(type) || failed(inferElementType(loc, *first, *type)))
      return failure();
    SmallVector<Dim> dims = getDims(*type);
    bool fits = dims.size() == result.size();
    for (size_t index = 0; fits && index < dims.size(); ++index)
      fits = static_cast<int64_t>(index) == *axis ||
             mayBeEqual(result[index], dims[index]);
    if (!fits)
      return emitOptionalError(loc,
                               "expected tensors that differ in dimension ",
                               *axis, " only, found ", *first, " and ", *type);
    for (auto [index, dim] : llvm::enumerate(dims))
      if (static_cast<int64_t>(index) != *axis)
        result[index] = merge(result[index], dim);
    Dim &joined = result[*axis];
    if (!joined.isNumber() || !dims[*axis].isNumber()) {
      joined = Dim();
      continue;
    }
    std::optional<int64_t> sum =
        llvm::checkedAdd(joined.getSize(), dims[*axis].getSize());
    if (!sum)
      return emitOptionalError(loc,
                               "expected a size that fits in 64 bits, found ",
                               joined.getSize(), " + ", dims[*axis].getSize());
    joined = *sum;
  }
  return Type(getTensorType(result, first->getElementType()));
}

FailureOr<Type> partita::relax::inferReduction(OptionalLoc loc, Value x,
                                               OptionalAxes axis,
                                               bool keepdims) {
  FailureOr<RankedTensorType> type = getTensor(loc, x, "x");
  if (failed(type))
    return failure();
  FailureOr<SmallVector<int64_t>> axes =
      normalizeAxes(loc, axis.value_or(ArrayRef<int64_t>()), type->getRank());
  if (failed(axes))
    return failure();
  SmallVector<Dim> result;
  for (auto [index, dim] : llvm::enumerate(getDims(*type))) {
    if (axis && !llvm::is_contained(*axes, index))
      result.push_back(dim);
    else if (keepdims)
      result.push_back(1);
  }
  return Type(getTensorType(result, type->getElementType()));
}

//===----------------------------------------------------------------------===//
// Values that are not tensors
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferShape(OptionalLoc loc,
                                           ShapeOp::Adaptor op) {
  ShapeAttr dims = op.getDimsAttr();
  if (!dims)
    return emitOptionalError(loc, "expected an attribute 'dims'");
  for (auto [index, dim] : llvm::enumerate(dims.getDims()))
    if (dim.isUnknown())
      return emitOptionalError(
          loc,
          "expected sizes and names, found an unknown dimension at "
          "position ",
          index);
  return Type(ShapeType::get(dims.getContext(), dims.getDims()));
}

FailureOr<Type> partita::relax::inferTuple(MLIRContext *context,
                                           TupleOp::Adaptor op) {
  return Type(TupleType::get(context, op.getFields().getTypes()));
}

FailureOr<Type> partita::relax::inferTupleGetItem(OptionalLoc loc,
                                                  TupleGetItemOp::Adaptor op) {
  auto type = dyn_cast<TupleType>(op.getTupleValue().getType());
  if (!type)
    return emitOptionalError(loc, "expected a tuple, found ",
                             op.getTupleValue().getType());
  if (!op.getIndexAttr())
    return emitOptionalError(loc, "expected an attribute 'index'");
  uint64_t index = op.getIndex();
  if (index >= type.size())
    return emitOptionalError(loc, "expected an index below ", type.size(),
                             ", found ", static_cast<int64_t>(index));
  return type.getType(index);
}
