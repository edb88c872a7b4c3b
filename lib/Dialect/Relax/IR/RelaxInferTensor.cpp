//===- RelaxInferTensor.cpp - Types of ops on tensors --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferMatmul(OptionalLoc loc,
                                            MatmulOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX1(), "x1");
  FailureOr<TensorInfo> y = getTensor(loc, op.getX2(), "x2");
  if (failed(x) || failed(y))
    return failure();
  if ((x->isRanked && x->getRank() == 0) || (y->isRanked && y->getRank() == 0))
    return emitOptionalError(loc, "expected operands of rank 1 or more, found ",
                             op.getX1().getType(), " and ",
                             op.getX2().getType());
  FailureOr<Type> element = inferElementType(loc, *x, *y, op.getOutDtypeAttr());
  if (failed(element))
    return failure();
  TensorInfo result;
  result.elementType = *element;
  result.vdevice = inferVDevice(*x, *y);
  if (!x->isRanked || !y->isRanked)
    return result.getType(op.getX1().getContext());

  SmallVector<Dim> lhs = x->dims, rhs = y->dims;
  bool isRow = lhs.size() == 1, isColumn = rhs.size() == 1;
  if (isRow)
    lhs.insert(lhs.begin(), Dim(1));
  if (isColumn)
    rhs.push_back(Dim(1));
  Dim contractedLhs = lhs.back(), contractedRhs = rhs[rhs.size() - 2];
  if (!mayBeEqual(contractedLhs, contractedRhs))
    return emitOptionalError(
        loc, "expected contracted dimensions of the same size, found ",
        toString(contractedLhs), " in ", op.getX1().getType(), " and ",
        toString(contractedRhs), " in ", op.getX2().getType());
  if (failed(broadcast(loc, TensorInfo(ArrayRef(lhs).drop_back(2), *element),
                       TensorInfo(ArrayRef(rhs).drop_back(2), *element),
                       result)))
    return failure();
  if (!isRow)
    result.dims.push_back(lhs[lhs.size() - 2]);
  if (!isColumn)
    result.dims.push_back(rhs.back());
  return result.getType(op.getX1().getContext());
}

/// The element type and the device that tensors share.
static FailureOr<TensorInfo> mergeElements(OptionalLoc loc,
                                           ArrayRef<TensorInfo> tensors) {
  TensorInfo result;
  for (const TensorInfo &tensor : tensors) {
    Type type = result.elementType;
    if (type && tensor.elementType && type != tensor.elementType)
      return emitOptionalError(loc,
                               "expected tensors of one element type, found ",
                               type, " and ", tensor.elementType);
    result.elementType = type ? type : tensor.elementType;
    result.vdevice = inferVDevice(result, tensor);
  }
  return result;
}

/// Gives `result` the rank that an equation with an explicit `output` has.
/// Without shapes TVM gives it the rank of the first tensor, `first`; a
/// different rank is not claimed.
static void setEinsumRank(const TensorInfo &first, StringRef output,
                          TensorInfo &result) {
  bool isKnown = !output.empty() && !output.contains('.');
  if (isKnown && first.isRanked &&
      first.getRank() == static_cast<int64_t>(output.size()))
    result.setRank(output.size());
}

FailureOr<Type> partita::relax::inferEinsum(OptionalLoc loc,
                                            EinsumOp::Adaptor op) {
  FailureOr<SmallVector<TensorInfo>> tensors =
      getTensors(loc, op.getOperands());
  if (failed(tensors))
    return failure();
  MLIRContext *context = op.getOperands().front().getContext();
  FailureOr<TensorInfo> merged = mergeElements(loc, *tensors);
  if (failed(merged))
    return failure();
  TensorInfo result = *merged;
  std::string subscripts = op.getSubscripts().str();
  llvm::erase(subscripts, ' ');
  auto [inputs, output] = StringRef(subscripts).split("->");
  SmallVector<StringRef> inputList;
  inputs.split(inputList, ',');
  if (inputList.size() != tensors->size())
    return emitOptionalError(loc, "expected subscripts of ", tensors->size(),
                             " tensors, found \"", subscripts, "\"");

  // Dimensions by letter. The dimensions of ellipses broadcast.
  llvm::MapVector<char, Dim> dimOf;
  llvm::DenseMap<char, unsigned> counts;
  TensorInfo ellipsis(ArrayRef<Dim>(), result.elementType);
  for (auto [input, tensor] : llvm::zip_equal(inputList, *tensors)) {
    if (!tensor.isRanked) {
      setEinsumRank(tensors->front(), output, result);
      return result.getType(context);
    }
    auto [before, after] = input.split("...");
    bool hasEllipsis = input.contains("...");
    size_t named = before.size() + after.size();
    ArrayRef<Dim> dims = tensor.dims;
    if (hasEllipsis ? dims.size() < named : dims.size() != named)
      return emitOptionalError(loc, "expected a tensor of the dimensions '",
                               input, "', found rank ", tensor.getRank());
    auto bind = [&](StringRef letters, ArrayRef<Dim> list) -> LogicalResult {
      for (auto [letter, dim] : llvm::zip_equal(letters, list)) {
        ++counts[letter];
        auto [known, isNew] = dimOf.insert({letter, dim});
        if (isNew)
          continue;
        std::optional<Dim> merged = broadcast(known->second, dim);
        if (!merged)
          return emitOptionalError(
              loc, "expected dimensions '", StringRef(&letter, 1),
              "' of one size, found ", toString(known->second), " and ",
              toString(dim));
        known->second = *merged;
      }
      return success();
    };
    TensorInfo middle(dims.slice(before.size(), dims.size() - named),
                      result.elementType),
        merged;
    if (failed(bind(before, dims.take_front(before.size()))) ||
        failed(bind(after, dims.take_back(after.size()))) ||
        failed(broadcast(loc, ellipsis, middle, merged)))
      return failure();
    ellipsis.setDims(merged.dims);
  }

  SmallVector<Dim> dims;
  if (!StringRef(subscripts).contains("->")) {
    // The letters that are there once, in order.
    dims = ellipsis.dims;
    for (char letter = 'A'; letter <= 'z'; ++letter)
      if (counts.lookup(letter) == 1)
        dims.push_back(dimOf.lookup(letter));
    output = "";
  }
  for (; !output.empty(); output = output.drop_front()) {
    if (output.consume_front("...")) {
      llvm::append_range(dims, ellipsis.dims);
      if (output.empty())
        break;
    }
    auto *known = dimOf.find(output.front());
    if (known == dimOf.end())
      return emitOptionalError(loc,
                               "expected a dimension of an operand, found "
                               "'",
                               output.take_front(), "' in \"", subscripts,
                               "\"");
    dims.push_back(known->second);
  }
  bool isKnown = llvm::all_of(*tensors, [](const TensorInfo &tensor) {
    return llvm::none_of(tensor.dims, [](Dim dim) { return dim.isUnknown(); });
  });
  if (isKnown || !tensors->front().isRanked ||
      tensors->front().dims.size() == dims.size())
    result.setDims(dims);
  return result.getType(context);
}

FailureOr<Type> partita::relax::inferOuter(OptionalLoc loc,
                                           OuterOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX1(), "x1");
  FailureOr<TensorInfo> y = getTensor(loc, op.getX2(), "x2");
  if (failed(x) || failed(y))
    return failure();
  SmallVector<Dim> dims;
  for (const TensorInfo *info : {&*x, &*y}) {
    if (info->isRanked && info->getRank() != 1)
      return emitOptionalError(loc, "expected tensors of rank 1, found ",
                               op.getX1().getType(), " and ",
                               op.getX2().getType());
    dims.push_back(info->isRanked ? info->dims.front() : Dim());
  }
  TensorInfo result(dims, x->elementType);
  result.vdevice = inferVDevice(*x, *y);
  return result.getType(op.getX1().getContext());
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferPermuteDims(OptionalLoc loc,
                                                 PermuteDimsOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  OptionalAxes axes = op.getAxes();
  if (!x->isRanked && axes)
    x->setRank(axes->size());
  if (!x->isRanked) {
    x->setUnranked();
    return x->getType(op.getX().getContext());
  }
  SmallVector<Dim> result(llvm::reverse(x->dims));
  bool isIdentity = x->getRank() < 2;
  if (axes) {
    FailureOr<SmallVector<int64_t>> permutation =
        normalizeAxes(loc, *axes, x->getRank());
    if (failed(permutation))
      return failure();
    if (permutation->size() != x->dims.size())
      return emitOptionalError(loc, "expected ", x->dims.size(),
                               " axes, one for each dimension, found ",
                               permutation->size());
    for (auto [dim, axis] : llvm::zip(result, *permutation))
      dim = x->dims[axis];
    isIdentity =
        llvm::equal(*permutation, llvm::seq<int64_t>(0, permutation->size()));
  }
  if (isIdentity)
    return op.getX().getType();
  x->setDims(result);
  return x->getType(op.getX().getContext());
}

/// Whether the products of two lists of dimensions may be equal; nothing if a
/// product of numbers exceeds 64 bits.
static std::optional<bool> mayHaveAsMany(ArrayRef<Dim> from, ArrayRef<Dim> to) {
  SmallVector<Dim> others(to);
  int64_t counts[] = {1, 1};
  bool isKnown = true;
  auto multiply = [](int64_t &count, Dim dim) {
    std::optional<int64_t> product = llvm::checkedMul(count, dim.getSize());
    count = product.value_or(count);
    return product.has_value();
  };
  for (int64_t &count : counts) {
    ArrayRef<Dim> dims = &count == counts ? from : to;
    if (llvm::is_contained(dims, Dim(0))) {
      count = 0;
      continue;
    }
    for (Dim dim : dims)
      if (dim.isNumber() && !multiply(count, dim))
        return std::nullopt;
  }
  llvm::erase_if(others, [](Dim dim) { return dim.isNumber(); });
  // Names on both sides cancel out.
  for (Dim dim : from) {
    if (dim.isNumber())
      continue;
    auto *same = llvm::find(others, dim);
    if (same != others.end() && dim.isName())
      others.erase(same);
    else
      isKnown = false;
  }
  return !isKnown || !others.empty() || counts[0] == counts[1];
}

FailureOr<Type> partita::relax::inferReshape(OptionalLoc loc,
                                             ReshapeOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  std::optional<SmallVector<Dim>> shape = getShapeDims(op.getShape());
  if (shape && x->isRanked) {
    std::optional<bool> mayFit = mayHaveAsMany(x->dims, *shape);
    if (!mayFit)
      return emitOptionalError(
          loc, "expected a number of elements that fits in 64 bits, found ",
          op.getX().getType(), " and ", op.getShape().getType());
    if (!*mayFit)
      return emitOptionalError(loc, "expected a shape of as many elements as ",
                               op.getX().getType(), " has, found ",
                               op.getShape().getType());
  }
  // TVM looks into a shape here.
  if (shape && llvm::none_of(*shape, [](Dim dim) { return dim.isUnknown(); })) {
    x->setShape(cast<ShapeType>(op.getShape().getType()));
    return x->getType(op.getX().getContext());
  }
  return inferInShape(loc, op.getShape(), *x);
}

FailureOr<Type> partita::relax::inferBroadcastTo(OptionalLoc loc, Value x,
                                                 Value shape) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "x");
  if (failed(info))
    return failure();
  std::optional<SmallVector<Dim>> dims = getShapeDims(shape);
  if (dims && info->isRanked) {
    size_t rank = info->dims.size();
    bool fits = dims->size() >= rank;
    for (size_t index = 0; fits && index < rank; ++index) {
      Dim from = info->dims[index];
      fits = from == Dim(1) ||
             mayBeEqual(from, (*dims)[dims->size() - rank + index]);
    }
    if (!fits)
      return emitOptionalError(loc, "expected a shape to which ", x.getType(),
                               " broadcasts, found ", shape.getType());
  }
  return inferInShape(loc, shape, *info);
}

FailureOr<Type> partita::relax::inferFlatten(OptionalLoc loc, Value x) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "x");
  if (failed(info))
    return failure();
  if (info->isRanked && info->getRank() == 1)
    return x.getType();
  info->setDims(info->isRanked ? multiply(info->dims) : Dim());
  return info->getType(x.getContext());
}

FailureOr<Type> partita::relax::inferExpandDims(OptionalLoc loc,
                                                ExpandDimsOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  ArrayRef<int64_t> axis = op.getAxis();
  if (axis.empty())
    return op.getX().getType();
  if (!x->isRanked) {
    x->setUnranked();
    return x->getType(op.getX().getContext());
  }
  int64_t rank = x->getRank() + axis.size();
  FailureOr<SmallVector<int64_t>> axes = normalizeAxes(loc, axis, rank);
  if (failed(axes))
    return failure();
  SmallVector<Dim> result;
  auto *next = x->dims.begin();
  for (int64_t index = 0; index < rank; ++index)
    result.push_back(llvm::is_contained(*axes, index) ? Dim(1) : *next++);
  x->setDims(result);
  return x->getType(op.getX().getContext());
}

FailureOr<Type> partita::relax::inferSqueeze(OptionalLoc loc,
                                             SqueezeOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  MLIRContext *context = op.getX().getContext();
  if (!x->isRanked) {
    x->setUnranked();
    return x->getType(context);
  }
  OptionalAxes axis = op.getAxis();
  FailureOr<SmallVector<int64_t>> axes =
      normalizeAxes(loc, axis.value_or(ArrayRef<int64_t>()), x->getRank());
  if (failed(axes))
    return failure();
  SmallVector<Dim> result;
  for (auto [index, dim] : llvm::enumerate(x->dims)) {
    // Which dimensions are 1 decides on the rank.
    if (!axis && !dim.isNumber()) {
      x->setUnranked();
      return x->getType(context);
    }
    bool isNamed = !axis || llvm::is_contained(*axes, index);
    if (!isNamed || (dim.isNumber() && dim != Dim(1)))
      result.push_back(dim);
  }
  if (result.size() == x->dims.size())
    return op.getX().getType();
  x->setDims(result);
  return x->getType(context);
}

/// Verifies that tensors differ in dimension `axis` alone, or in none, and
/// merges the others.
static FailureOr<TensorInfo> joinTensors(OptionalLoc loc,
                                         ArrayRef<TensorInfo> tensors,
                                         int64_t axis, TypeRange types) {
  // `typed` is the first tensor whose element type is known.
  TensorInfo result = tensors.front(), typed = result;
  for (const TensorInfo &tensor : tensors.drop_front()) {
    if (!typed.elementType)
      typed.elementType = tensor.elementType;
    if (failed(inferElementType(loc, typed, tensor)))
      return failure();
    if (!tensor.elementType)
      result.elementType = {};
    result.vdevice = inferVDevice(result, tensor);
    if (!result.isRanked && !tensor.isRanked) {
      result.setUnranked();
      continue;
    }
    if (!result.isRanked || !tensor.isRanked) {
      result.isRanked = true;
      result.setRank(std::max(result.getRank(), tensor.getRank()));
      continue;
    }
    bool fits = tensor.dims.size() == result.dims.size();
    for (size_t index = 0; fits && index < tensor.dims.size(); ++index)
      fits = static_cast<int64_t>(index) == axis ||
             mayBeEqual(result.dims[index], tensor.dims[index]);
    if (!fits) {
      if (axis < 0)
        return emitOptionalError(loc, "expected tensors of one shape, found ",
                                 toString(result.dims), " and ",
                                 toString(tensor.dims));
      return emitOptionalError(loc,
                               "expected tensors that differ in dimension ",
                               axis, " only, found ", types.front(), " and ",
                               types[&tensor - tensors.begin()]);
    }
    SmallVector<Dim> dims = result.dims;
    for (auto [index, dim] : llvm::enumerate(tensor.dims)) {
      if (static_cast<int64_t>(index) == axis) {
        if (dim.isNumber() && dims[index].isNumber() &&
            !llvm::checkedAdd(dims[index].getSize(), dim.getSize()))
          return emitOptionalError(
              loc, "expected a size that fits in 64 bits, found ",
              dims[index].getSize(), " + ", dim.getSize());
        dims[index] = dims[index] + dim;
      } else if (!areEqual(dims[index], dim))
        dims[index] = dims[index].isUnknown() ? dim
                      : dim.isUnknown()       ? dims[index]
                                              : Dim();
    }
    result.setDims(dims);
  }
  return result;
}

/// The types of the tensors of a variadic operand.
static SmallVector<Type> getListTypes(ValueRange values) {
  if (values.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(values.front().getType()))
      return llvm::to_vector(tuple.getTypes());
  return llvm::to_vector(values.getTypes());
}

/// The rank of the first tensor that has a known one.
static std::optional<int64_t> findRank(ArrayRef<TensorInfo> tensors) {
  for (const TensorInfo &tensor : tensors)
    if (tensor.isRanked)
      return tensor.getRank();
  return std::nullopt;
}

FailureOr<Type> partita::relax::inferConcat(OptionalLoc loc,
                                            ConcatOp::Adaptor op) {
  FailureOr<SmallVector<TensorInfo>> tensors = getTensors(loc, op.getTensors());
  if (failed(tensors))
    return failure();
  SmallVector<Type> types = getListTypes(op.getTensors());
  std::optional<int64_t> rank = findRank(*tensors);
  if (!op.getAxis() && rank.value_or(1) != 1)
    return emitOptionalError(
        loc, "expected tensors of rank 1, since there is no 'axis', found ",
        types.front());
  FailureOr<int64_t> axis =
      rank ? normalizeAxis(loc, op.getAxis().value_or(0), *rank) : 0;
  if (failed(axis))
    return failure();
  if (tensors->size() == 1)
    return types.front();
  FailureOr<TensorInfo> result = joinTensors(loc, *tensors, *axis, types);
  if (failed(result))
    return failure();
  if (!rank)
    result->setUnranked();
  if (!rank && !op.getAxis())
    result->setRank(1);
  return result->getType(types.front().getContext());
}

FailureOr<Type> partita::relax::inferStack(OptionalLoc loc,
                                           StackOp::Adaptor op) {
  FailureOr<SmallVector<TensorInfo>> tensors = getTensors(loc, op.getTensors());
  if (failed(tensors))
    return failure();
  SmallVector<Type> types = getListTypes(op.getTensors());
  FailureOr<TensorInfo> result = joinTensors(loc, *tensors, /*axis=*/-1, types);
  if (failed(result))
    return failure();
  result->shape = {};
  if (!findRank(*tensors)) {
    result->setUnranked();
    return result->getType(types.front().getContext());
  }
  FailureOr<int64_t> axis =
      normalizeAxis(loc, op.getAxis().value_or(0), result->getRank() + 1);
  if (failed(axis))
    return failure();
  result->dims.insert(result->dims.begin() + *axis,
                      Dim(static_cast<int64_t>(tensors->size())));
  return result->getType(types.front().getContext());
}

LogicalResult partita::relax::inferMeshgrid(OptionalLoc loc,
                                            MeshgridOp::Adaptor op,
                                            TypeList &types) {
  FailureOr<SmallVector<TensorInfo>> tensors = getTensors(loc, op.getTensors());
  if (failed(tensors))
    return failure();
  FailureOr<TensorInfo> merged = mergeElements(loc, *tensors);
  if (failed(merged))
    return failure();
  MLIRContext *context = op.getTensors().front().getContext();
  SmallVector<Dim> dims;
  for (const TensorInfo &tensor : *tensors) {
    if (tensor.isRanked && tensor.getRank() > 1)
      return emitOptionalError(loc, "expected tensors of rank 1, found one of ",
                               "rank ", tensor.getRank());
    dims.push_back(!tensor.isRanked      ? Dim()
                   : tensor.dims.empty() ? Dim(1)
                                         : tensor.dims.front());
  }
  merged->setDims(dims);
  types.append(tensors->size(), merged->getType(context));
  if (types.size() == 1)
    types.front() = TupleType::get(context, types.front());
  return success();
}

LogicalResult partita::relax::inferSplit(OptionalLoc loc, SplitOp::Adaptor op,
                                         TypeList &types) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  MLIRContext *context = op.getX().getContext();
  int64_t axis = 0;
  if (x->isRanked) {
    FailureOr<int64_t> normalized =
        normalizeAxis(loc, op.getAxis(), x->getRank());
    if (failed(normalized))
      return failure();
    axis = *normalized;
  }
  auto append = [&](Dim size) {
    TensorInfo part = *x;
    if (part.isRanked) {
      SmallVector<Dim> dims = part.dims;
      dims[axis] = size;
      part.setDims(dims);
    } else {
      part.setUnranked();
    }
    types.push_back(part.getType(context));
  };
  Dim whole = x->isRanked ? x->dims[axis] : Dim();
  if (auto sections = dyn_cast<IntegerAttr>(op.getIndicesOrSections())) {
    int64_t count = sections.getInt();
    if (count <= 0 || count > (1 << 16))
      return emitOptionalError(loc, "expected 1 to 65536 parts, found ", count);
    if (count == 1) {
      types.push_back(op.getX().getType());
      return success();
    }
    Dim part = ceilDiv(whole, Dim(count));
    for (int64_t index = 1; index < count; ++index)
      append(part);
    append(whole - part * Dim(count - 1));
    return success();
  }
  auto indices =
      cast<DenseI64ArrayAttr>(op.getIndicesOrSections()).asArrayRef();
  if (indices.empty()) {
    types.push_back(op.getX().getType());
    return success();
  }
  // As in TVM an index is limited to the dimension.
  auto limit = [&](int64_t index) {
    return whole.isNumber()
               ? Dim(std::min(std::max<int64_t>(index, 0), whole.getSize()))
           : index <= 0 ? Dim(0)
                        : min(Dim(index), whole);
  };
  Dim left = 0;
  for (size_t i = 0; i <= indices.size(); ++i) {
    Dim right = i < indices.size() ? limit(indices[i]) : whole;
    if (left.isNumber() && right.isNumber())
      append(Dim(std::max<int64_t>(right.getSize() - left.getSize(), 0)));
    else if (i == 0 || i == indices.size() || indices[i] >= indices[i - 1])
      append(right - left);
    else
      append(right - min(left, right));
    left = right;
  }
  return success();
}

FailureOr<Type> partita::relax::inferRepeat(OptionalLoc loc,
                                            RepeatOp::Adaptor op) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  if (failed(data))
    return failure();
  int64_t repeats = op.getRepeats();
  if (repeats < 0)
    return emitOptionalError(loc, "expected 'repeats' to be at least 0, found ",
                             repeats);
  MLIRContext *context = op.getData().getContext();
  if (!op.getAxis()) {
    data->setDims(data->isRanked ? multiply(data->dims) * Dim(repeats) : Dim());
    return data->getType(context);
  }
  if (data->isRanked) {
    FailureOr<int64_t> axis =
        normalizeAxis(loc, *op.getAxis(), data->getRank());
    if (failed(axis))
      return failure();
    SmallVector<Dim> dims = data->dims;
    dims[*axis] = dims[*axis] * Dim(repeats);
    if (repeats != 1)
      data->setDims(dims);
  } else if (repeats != 1) {
    data->setUnranked();
  }
  return data->getType(context);
}

FailureOr<Type> partita::relax::inferTile(OptionalLoc loc, TileOp::Adaptor op) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  if (failed(data))
    return failure();
  ArrayRef<int64_t> repeats = op.getRepeats();
  for (int64_t count : repeats)
    if (count < 0)
      return emitOptionalError(
          loc, "expected 'repeats' to be at least 0, found ", count);
  MLIRContext *context = op.getData().getContext();
  if (!data->isRanked) {
    data->setUnranked();
    return data->getType(context);
  }
  if (repeats.size() <= data->dims.size() && llvm::all_equal(repeats) &&
      (repeats.empty() || repeats.front() == 1))
    return op.getData().getType();
  SmallVector<Dim> dims = data->dims;
  if (dims.size() < repeats.size())
    dims.insert(dims.begin(), repeats.size() - dims.size(), Dim(1));
  size_t offset = dims.size() - repeats.size();
  for (auto [index, count] : llvm::enumerate(repeats))
    dims[offset + index] = dims[offset + index] * Dim(count);
  data->setDims(dims);
  return data->getType(context);
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
  return Type(dims.getValueType());
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
