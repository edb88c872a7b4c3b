//===- RelaxInferIndexing.cpp - Types of indexing and reductions ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferTake(OptionalLoc loc, TakeOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  TensorInfo indices(ArrayRef<Dim>(), op.getIndices().getType());
  if (!op.getIndices().getType().isIntOrIndexOrFloat()) {
    FailureOr<TensorInfo> tensor = getTensor(loc, op.getIndices(), "indices");
    if (failed(tensor))
      return failure();
    indices = *tensor;
  }
  if (failed(x))
    return failure();
  if (isa_and_nonnull<FloatType>(indices.elementType) ||
      (indices.elementType && indices.elementType.isInteger(1)))
    return emitOptionalError(loc, "expected 'indices' to be integers, found ",
                             op.getIndices().getType());
  if (!op.getAxis() && (!x->isRanked || x->getRank() != 1))
    return emitOptionalError(
        loc, "expected a tensor of rank 1, since there is no 'axis', found ",
        op.getX().getType());
  MLIRContext *context = op.getX().getContext();
  if (!x->isRanked || !indices.isRanked) {
    x->setUnranked();
    return x->getType(context);
  }
  FailureOr<int64_t> axis =
      normalizeAxis(loc, op.getAxis().value_or(0), x->getRank());
  if (failed(axis))
    return failure();
  SmallVector<Dim> dims(ArrayRef(x->dims).take_front(*axis));
  llvm::append_range(dims, indices.dims);
  llvm::append_range(dims, ArrayRef(x->dims).drop_front(*axis + 1));
  x->setDims(dims);
  return x->getType(context);
}

/// The values of a tuple of numbers, if an op makes it.
static std::optional<SmallVector<Value>> getFields(Value tuple) {
  if (auto op = tuple.getDefiningOp<TupleOp>())
    return llvm::to_vector(op.getFields());
  return std::nullopt;
}

/// How many numbers are from `begin` to `end` by `stride`, or by 1 if that is
/// null; begin and end are limited to a dimension unless `isInside`.
static Dim getSliceSize(Value beginValue, Value endValue, Value strideValue,
                        Dim dim, bool isInside) {
  std::optional<int64_t> begin = getNumber(beginValue),
                         end = getNumber(endValue), stride = 1;
  if (strideValue)
    stride = getNumber(strideValue);
  if (stride == 0)
    return Dim();
  if (isInside && !(begin && end && stride))
    return stride && *stride < 0
               ? Dim()
               : ceilDiv(getDim(endValue) - getDim(beginValue),
                         strideValue ? getDim(strideValue) : Dim(1));
  if (!stride)
    return Dim();
  bool isDown = *stride < 0;
  if (!isInside && !(begin && end && dim.isNumber())) {
    // The places from 0 up to an index, or, downwards, up to and with it. One
    // that is beyond all numbers is the end of any dimension.
    auto limit = [&](Value value, std::optional<int64_t> index) {
      if (!index && getDim(value) == dim)
        return dim;
      if (!index)
        return isSize(value) && !isDown ? min(getDim(value), dim) : Dim();
      if (*index >= std::numeric_limits<int32_t>::max())
        return dim;
      if (*index <= std::numeric_limits<int32_t>::min())
        return Dim(0);
      if (*index >= 0)
        return min(Dim(*index + isDown), dim);
      return dim - min(Dim(-*index - isDown), dim);
    };
    Dim first = isDown ? limit(endValue, end) : limit(beginValue, begin),
        last = isDown ? limit(beginValue, begin) : limit(endValue, end);
    // Below what is limited, a limit changes nothing.
    if (!isDown && isSize(beginValue))
      first = getDim(beginValue);
    // Of two that count from the same side it is known which is less, and of
    // one that is the other and a size.
    bool isOrdered = (last - first).isIdentifier() ||
                     (begin && end && (*begin < 0) == (*end < 0) &&
                      (isDown ? *end <= *begin : *begin <= *end));
    Dim count = last - (isOrdered ? first : min(first, last));
    if (first == Dim(0))
      count = last;
    return *stride == std::numeric_limits<int64_t>::min()
               ? Dim()
               : ceilDiv(count, Dim(isDown ? -*stride : *stride));
  }
  int64_t size = dim.getSize(), from = *begin, to = *end;
  if (!isInside) {
    auto limit = [&](int64_t index) {
      if (index < 0)
        index += size;
      return isDown ? std::clamp<int64_t>(index, -1, size - 1)
                    : std::clamp<int64_t>(index, 0, size);
    };
    from = limit(from);
    to = limit(to);
  }
  // Below 2^63: either both are limited, or both have 64 bits and TVM takes
  // their difference, too.
  __int128 room = isDown ? __int128(from) - to : __int128(to) - from;
  __int128 step = isDown ? -__int128(*stride) : __int128(*stride);
  if (room <= 0)
    return isInside ? Dim() : Dim(0);
  __int128 count = (room + step - 1) / step;
  return count <= std::numeric_limits<int64_t>::max()
             ? Dim(static_cast<int64_t>(count))
             : Dim();
}

FailureOr<Type> partita::relax::inferStridedSlice(OptionalLoc loc,
                                                  StridedSliceOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  MLIRContext *context = op.getX().getContext();
  std::optional<SmallVector<Value>> axes = getFields(op.getAxes()),
                                    begin = getFields(op.getBegin()),
                                    end = getFields(op.getEnd()), strides;
  if (op.getStrides())
    strides = getFields(op.getStrides());
  if (!x->isRanked) {
    x->setUnranked();
    return x->getType(context);
  }
  if (!axes || !begin || !end || (op.getStrides() && !strides)) {
    x->setRank(x->getRank());
    return x->getType(context);
  }
  if (begin->size() != axes->size() || end->size() != axes->size() ||
      (strides && strides->size() != axes->size()))
    return emitOptionalError(loc,
                             "expected as many numbers in 'begin', 'end' "
                             "and 'strides' as in 'axes', ",
                             axes->size(), ", found ", begin->size(), " and ",
                             end->size());
  SmallVector<int64_t> numbers;
  for (Value axis : *axes) {
    std::optional<int64_t> number = getNumber(axis);
    if (!number) {
      x->setRank(x->getRank());
      return x->getType(context);
    }
    numbers.push_back(*number);
  }
  FailureOr<SmallVector<int64_t>> normalized =
      normalizeAxes(loc, numbers, x->getRank());
  if (failed(normalized))
    return failure();
  SmallVector<Dim> dims = x->dims;
  for (auto [index, axis] : llvm::enumerate(*normalized)) {
    if (strides && getNumber((*strides)[index]) == 0)
      return emitOptionalError(loc,
                               "expected strides that are not 0, found 0 "
                               "for axis ",
                               axis);
    dims[axis] = getSliceSize((*begin)[index], (*end)[index],
                              strides ? (*strides)[index] : Value(), dims[axis],
                              op.getAssumeInbound());
  }
  if (!normalized->empty())
    x->setDims(dims);
  return x->getType(context);
}

FailureOr<Type>
partita::relax::inferDynamicStridedSlice(OptionalLoc loc,
                                         DynamicStridedSliceOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  std::pair<StringRef, Value> lists[] = {{"begin", op.getBegin()},
                                         {"end", op.getEnd()},
                                         {"strides", op.getStrides()}};
  for (auto [name, value] : lists) {
    FailureOr<TensorInfo> list = getTensor(loc, value, name);
    if (failed(list))
      return failure();
    bool fits = !list->elementType || list->elementType.isInteger(64);
    if (fits && list->isRanked)
      fits = list->getRank() == 1 &&
             (!x->isRanked || mayBeEqual(list->dims.front(), x->getRank()));
    if (fits)
      continue;
    if (x->isRanked)
      return emitOptionalError(loc, "expected '", name, "' to be ",
                               x->getRank(), " 64-bit integers, found ",
                               value.getType());
    return emitOptionalError(loc, "expected '", name,
                             "' to be a list of 64-bit integers, found ",
                             value.getType());
  }
  if (x->isRanked)
    x->setRank(x->getRank());
  else
    x->setUnranked();
  return x->getType(op.getX().getContext());
}

FailureOr<Type>
partita::relax::inferReverseSequence(OptionalLoc loc,
                                     ReverseSequenceOp::Adaptor op) {
  int64_t batchAxis = op.getBatchAxis();
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data"),
                        lengths =
                            getTensor(loc, op.getSeqLengths(), "seq_lengths");
  if (failed(data) || failed(lengths) ||
      failed(
          inferAlong(loc, op.getData(), {int64_t(op.getSeqAxis()), batchAxis})))
    return failure();
  Dim batch;
  if (data->isRanked)
    batch = data->dims[batchAxis < 0 ? batchAxis + data->getRank() : batchAxis];
  Type type = lengths->elementType;
  bool fits = !type || type.isSignlessInteger(32) || type.isSignlessInteger(64);
  if (fits && lengths->isRanked)
    fits = lengths->getRank() == 1 && mayBeEqual(lengths->dims.front(), batch);
  if (!fits)
    return emitOptionalError(loc, "expected 'seq_lengths' to be ", batch,
                             " integers of 32 or 64 bits, found ",
                             op.getSeqLengths().getType());
  return op.getData().getType();
}

/// The type of indices, which are integers that are `kind`.
static FailureOr<TensorInfo> getIndices(
    OptionalLoc loc, Value value, StringRef kind = "integers",
    function_ref<bool(IntegerType)> isKind = [](IntegerType) { return true; }) {
  FailureOr<TensorInfo> indices = getTensor(loc, value, "indices");
  if (failed(indices) || !indices->elementType)
    return indices;
  auto integer = dyn_cast<IntegerType>(indices->elementType);
  if (!integer || integer.getWidth() == 1 || !isKind(integer))
    return emitOptionalError(loc, "expected 'indices' to be ", kind, ", found ",
                             value.getType());
  return indices;
}

FailureOr<Type>
partita::relax::inferGatherElements(OptionalLoc loc,
                                    GatherElementsOp::Adaptor op) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  FailureOr<TensorInfo> indices =
      getIndices(loc, op.getIndices(), "signed integers",
                 [](IntegerType type) { return !type.isUnsigned(); });
  if (failed(data) || failed(indices))
    return failure();
  indices->elementType = data->elementType;
  indices->vdevice = data->vdevice;
  if (!data->isRanked || !indices->isRanked) {
    indices->setUnranked();
    return indices->getType(op.getData().getContext());
  }
  if (data->getRank() != indices->getRank())
    return emitOptionalError(loc, "expected indices of the data's rank, ",
                             data->getRank(), ", found ",
                             op.getIndices().getType());
  if (failed(normalizeAxis(loc, op.getAxis(), data->getRank())))
    return failure();
  return indices->getType(op.getData().getContext());
}

FailureOr<Type> partita::relax::inferGatherND(OptionalLoc loc,
                                              GatherNDOp::Adaptor op) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  FailureOr<TensorInfo> indices =
      getIndices(loc, op.getIndices(), "integers of 64 bits",
                 [](IntegerType type) { return type.isSignlessInteger(64); });
  if (failed(data) || failed(indices))
    return failure();
  MLIRContext *context = op.getData().getContext();
  int64_t batchDims = op.getBatchDims();
  if (!data->isRanked || !indices->isRanked) {
    data->setUnranked();
    return data->getType(context);
  }
  if (batchDims < 0 || batchDims > data->getRank() ||
      batchDims > indices->getRank() - 1)
    return emitOptionalError(loc, "expected 'batch_dims' to be dimensions of ",
                             op.getData().getType(), " and ",
                             op.getIndices().getType(), ", found ", batchDims);
  Dim length = indices->dims.back();
  if (!length.isNumber()) {
    data->setUnranked();
    return data->getType(context);
  }
  if (length.getSize() > data->getRank() - batchDims)
    return emitOptionalError(loc, "expected indices of at most ",
                             data->getRank() - batchDims, " numbers, found ",
                             length.getSize());
  SmallVector<Dim> dims(ArrayRef(indices->dims).drop_back());
  llvm::append_range(
      dims, ArrayRef(data->dims).drop_front(batchDims + length.getSize()));
  data->setDims(dims);
  return data->getType(context);
}

/// The operands of `scatter` ops: indices, and updates that have the data's
/// type.
static LogicalResult readScatter(OptionalLoc loc, Value dataValue,
                                 Value indicesValue, Value updatesValue,
                                 TensorInfo &data, TensorInfo &indices,
                                 TensorInfo &updates) {
  FailureOr<TensorInfo> infos[] = {getTensor(loc, dataValue, "data"),
                                   getIndices(loc, indicesValue),
                                   getTensor(loc, updatesValue, "updates")};
  if (llvm::any_of(infos, [](auto &info) { return failed(info); }))
    return failure();
  data = *infos[0];
  indices = *infos[1];
  updates = *infos[2];
  if (data.elementType && updates.elementType &&
      data.elementType != updates.elementType)
    return emitOptionalError(loc, "expected updates of the data's type ",
                             data.elementType, ", found ",
                             updatesValue.getType());
  return success();
}

FailureOr<Type>
partita::relax::inferScatterElements(OptionalLoc loc,
                                     ScatterElementsOp::Adaptor op) {
  TensorInfo data, indices, updates;
  if (failed(readScatter(loc, op.getData(), op.getIndices(), op.getUpdates(),
                         data, indices, updates)))
    return failure();
  if (data.isRanked && indices.isRanked && data.getRank() != indices.getRank())
    return emitOptionalError(loc, "expected indices of the data's rank, ",
                             data.getRank(), ", found ",
                             op.getIndices().getType());
  if (indices.isRanked && updates.isRanked &&
      (indices.getRank() != updates.getRank() ||
       !llvm::all_of_zip(indices.dims, updates.dims, mayBeEqual)))
    return emitOptionalError(loc, "expected an update for each index, found ",
                             toString(updates.dims), " for ",
                             toString(indices.dims));
  return inferAlong(loc, op.getData(), op.getAxis());
}

FailureOr<Type> partita::relax::inferScatterND(OptionalLoc loc,
                                               ScatterNDOp::Adaptor op) {
  TensorInfo data, indices, updates;
  if (failed(readScatter(loc, op.getData(), op.getIndices(), op.getUpdates(),
                         data, indices, updates)))
    return failure();
  if (indices.isRanked && indices.dims.empty())
    return emitOptionalError(loc, "expected indices of rank 1 or more, found ",
                             op.getIndices().getType());
  if (data.isRanked && indices.isRanked && indices.dims.back().isNumber()) {
    int64_t length = indices.dims.back().getSize();
    if (length > data.getRank())
      return emitOptionalError(loc, "expected indices of at most ",
                               data.getRank(), " numbers, found ", length);
    SmallVector<Dim> dims(ArrayRef(indices.dims).drop_back());
    llvm::append_range(dims, ArrayRef(data.dims).drop_front(length));
    if (updates.isRanked && (updates.dims.size() != dims.size() ||
                             !llvm::all_of_zip(updates.dims, dims, mayBeEqual)))
      return emitOptionalError(loc, "expected updates of shape ",
                               toString(dims), ", found ",
                               toString(updates.dims));
  }
  return inferSame(loc, op.getData());
}

FailureOr<Type> partita::relax::inferSliceScatter(OptionalLoc loc,
                                                  SliceScatterOp::Adaptor op) {
  FailureOr<TensorInfo> input = getTensor(loc, op.getInput(), "input");
  FailureOr<TensorInfo> src = getTensor(loc, op.getSrc(), "src");
  if (failed(input) || failed(src) ||
      failed(inferElementType(loc, *input, *src)))
    return failure();
  std::optional<int64_t> step = getNumber(op.getStep());
  if (step && *step < 1)
    return emitOptionalError(loc, "expected 'step' to be at least 1, found ",
                             *step);
  std::optional<int64_t> start = getNumber(op.getStart()),
                         end = getNumber(op.getEnd());
  if (start && end && *end < *start)
    return emitOptionalError(loc, "expected 'end' to be at least 'start', ",
                             *start, ", found ", *end);
  if (!input->isRanked || !src->isRanked)
    return inferAlong(loc, op.getInput(), op.getAxis());
  FailureOr<int64_t> axis = normalizeAxis(loc, op.getAxis(), input->getRank());
  if (failed(axis))
    return failure();
  SmallVector<Dim> slice = input->dims;
  slice[*axis] = ceilDiv(getDim(op.getEnd()) - getDim(op.getStart()),
                         getDim(op.getStep()));
  if (slice.size() != src->dims.size() ||
      !llvm::all_of_zip(slice, src->dims, mayBeEqual))
    return emitOptionalError(loc, "expected 'src' to have the slice's shape ",
                             toString(slice), ", found ",
                             op.getSrc().getType());
  return inferSame(loc, op.getInput());
}

/// The tensors of indices, which are integers.
static FailureOr<SmallVector<TensorInfo>> getIndexTensors(OptionalLoc loc,
                                                          ValueRange values) {
  FailureOr<SmallVector<TensorInfo>> indices = getTensors(loc, values);
  if (failed(indices))
    return failure();
  for (const TensorInfo &index : *indices) {
    auto integer = dyn_cast_if_present<IntegerType>(index.elementType);
    if (index.elementType && (!integer || integer.getWidth() == 1))
      return emitOptionalError(loc, "expected 'indices' to be integers, found ",
                               index.getType(values.front().getContext()));
  }
  return indices;
}

FailureOr<Type> partita::relax::inferIndexPut(OptionalLoc loc,
                                              IndexPutOp::Adaptor op) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  FailureOr<TensorInfo> values = getTensor(loc, op.getValues(), "values");
  FailureOr<SmallVector<TensorInfo>> indices =
      getIndexTensors(loc, op.getIndices());
  if (failed(data) || failed(values) || failed(indices) ||
      failed(inferElementType(loc, *data, *values)))
    return failure();
  if (data->isRanked &&
      static_cast<int64_t>(indices->size()) != data->getRank())
    return emitOptionalError(loc, "expected an index for each dimension of ",
                             op.getData().getType(), ", found ",
                             indices->size());
  for (const TensorInfo &index : *indices)
    if (data->isRanked && index.isRanked && index.dims.empty())
      return emitOptionalError(loc,
                               "expected 'indices' of rank 1 or more, found ",
                               index.getType(op.getData().getContext()));
  return inferSame(loc, op.getData());
}

FailureOr<Type> partita::relax::inferIndexTensor(OptionalLoc loc,
                                                 IndexTensorOp::Adaptor op) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  FailureOr<SmallVector<TensorInfo>> indices =
      getIndexTensors(loc, op.getIndices());
  if (failed(data) || failed(indices))
    return failure();
  MLIRContext *context = op.getData().getContext();
  for (const TensorInfo &index : *indices)
    if (index.elementType && index.elementType.isUnsignedInteger())
      return emitOptionalError(loc,
                               "expected 'indices' to be signed integers, "
                               "found ",
                               index.getType(context));
  TensorInfo merged = indices->front();
  for (const TensorInfo &index : ArrayRef(*indices).drop_front()) {
    TensorInfo next;
    if (failed(broadcast(loc, merged, index, next)))
      return failure();
    merged = next;
  }
  if (data->isRanked && static_cast<int64_t>(indices->size()) > data->getRank())
    return emitOptionalError(loc, "expected at most ", data->getRank(),
                             " indices, found ", indices->size());
  if (!data->isRanked || !merged.isRanked) {
    data->setUnranked();
    return data->getType(context);
  }
  SmallVector<Dim> dims = merged.dims;
  llvm::append_range(dims, ArrayRef(data->dims).drop_front(indices->size()));
  data->setDims(dims);
  return data->getType(context);
}

//===----------------------------------------------------------------------===//
// Search and sorting
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferBucketize(OptionalLoc loc,
                                               BucketizeOp::Adaptor op) {
  FailureOr<TensorInfo> input =
      getTensor(loc, op.getInputTensor(), "input_tensor");
  FailureOr<TensorInfo> boundaries =
      getTensor(loc, op.getBoundaries(), "boundaries");
  if (failed(input) || failed(boundaries))
    return failure();
  if (boundaries->isRanked && boundaries->getRank() != 1)
    return emitOptionalError(loc,
                             "expected 'boundaries' to have rank 1, found ",
                             op.getBoundaries().getType());
  MLIRContext *context = op.getInputTensor().getContext();
  input->elementType = IntegerType::get(context, op.getOutInt32() ? 32 : 64);
  return input->getType(context);
}

FailureOr<Type> partita::relax::inferNonzero(OptionalLoc loc, Value x) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "x");
  if (failed(info))
    return failure();
  MLIRContext *context = x.getContext();
  info->elementType = IntegerType::get(context, 64);
  info->setRank(2);
  return info->getType(context);
}

LogicalResult partita::relax::inferUnique(OptionalLoc loc, UniqueOp::Adaptor op,
                                          TypeList &types) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  MLIRContext *context = op.getX().getContext();
  std::optional<int64_t> axis;
  if (op.getAxis())
    axis = getNumber(op.getAxis());
  if (axis && x->isRanked && failed(normalizeAxis(loc, *axis, x->getRank())))
    return failure();
  TensorInfo list = *x;
  bool isScalar = x->isRanked && x->getRank() == 0;
  list.setDims(isScalar ? Dim(1) : Dim());
  if (op.getAxis() && !isScalar) {
    if (x->isRanked)
      x->setRank(x->getRank());
    else
      x->setUnranked();
    types.push_back(x->getType(context));
  } else {
    types.push_back(list.getType(context));
  }
  list.elementType = IntegerType::get(context, 64);
  for (Value returned :
       {op.getReturnIndex(), op.getReturnInverse(), op.getReturnCounts()}) {
    std::optional<int64_t> number = getNumber(returned);
    if (!number)
      return emitOptionalError(loc,
                               "expected known numbers for 'return_index', "
                               "'return_inverse' and 'return_counts', "
                               "found an unknown one");
    if (*number)
      types.push_back(list.getType(context));
  }
  return success();
}

LogicalResult partita::relax::inferTopK(OptionalLoc loc, TopKOp::Adaptor op,
                                        TypeList &types) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  if (failed(data))
    return failure();
  MLIRContext *context = op.getData().getContext();
  if (data->isRanked) {
    FailureOr<int64_t> axis = normalizeAxis(loc, op.getAxis(), data->getRank());
    if (failed(axis))
      return failure();
    int64_t k = op.getK();
    SmallVector<Dim> dims = data->dims;
    Dim &dim = dims[*axis];
    if (k > 0 && (!dim.isNumber() || k < dim.getSize()))
      dim = dim.isUnknown() ? dim : Dim(k);
    data->setDims(dims);
  } else {
    data->setUnranked();
  }
  StringRef kind = op.getRetType();
  if (kind != "both" && kind != "values" && kind != "indices")
    return emitOptionalError(loc,
                             "expected 'ret_type' to be both, values or "
                             "indices, found '",
                             kind, "'");
  if (kind != "indices")
    types.push_back(data->getType(context));
  if (op.getDtypeAttr())
    data->elementType = op.getDtypeAttr().getValue();
  if (kind != "values")
    types.push_back(data->getType(context));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `info` without the dimensions `axis`, or with 1 in their place.
static FailureOr<TensorInfo> reduce(OptionalLoc loc, TensorInfo info,
                                    OptionalAxes axis, bool keepdims) {
  if (!info.isRanked) {
    info.setUnranked();
    if (!axis && !keepdims)
      info.setDims({});
    return info;
  }
  FailureOr<SmallVector<int64_t>> axes =
      normalizeAxes(loc, axis.value_or(ArrayRef<int64_t>()), info.getRank());
  if (failed(axes))
    return failure();
  SmallVector<Dim> result;
  for (auto [index, dim] : llvm::enumerate(info.dims)) {
    if (axis && !llvm::is_contained(*axes, index))
      result.push_back(dim);
    else if (keepdims)
      result.push_back(1);
  }
  info.setDims(result);
  return info;
}

FailureOr<Type> partita::relax::inferReduction(OptionalLoc loc, Value x,
                                               OptionalAxes axis,
                                               bool keepdims) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "x");
  if (failed(info))
    return failure();
  info = reduce(loc, *info, axis, keepdims);
  if (failed(info))
    return failure();
  return info->getType(x.getContext());
}

FailureOr<Type> partita::relax::inferArgReduction(OptionalLoc loc, Value x,
                                                  std::optional<int64_t> axis,
                                                  bool keepdims) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "x");
  if (failed(info))
    return failure();
  OptionalAxes axes;
  if (axis)
    axes = ArrayRef(*axis);
  info = reduce(loc, *info, axes, keepdims);
  if (failed(info))
    return failure();
  info->elementType = IntegerType::get(x.getContext(), 64);
  return info->getType(x.getContext());
}

LogicalResult partita::relax::inferMedian(OptionalLoc loc, MedianOp::Adaptor op,
                                          TypeList &types) {
  FailureOr<TensorInfo> info = getTensor(loc, op.getData(), "data");
  if (failed(info))
    return failure();
  bool isFullyKnown =
      info->isRanked && !info->shape &&
      llvm::none_of(info->dims, [](Dim dim) { return dim.isUnknown(); });
  info = reduce(loc, *info, op.getAxis(), op.getKeepdims());
  if (failed(info))
    return failure();
  MLIRContext *context = op.getData().getContext();
  types.push_back(info->getType(context));
  // TVM gives the index along one axis. Where it does not know the shape, it
  // gives one unless it knows the result's.
  bool hasIndex = op.getAxis() && op.getAxis()->size() == 1;
  if (!isFullyKnown)
    hasIndex = op.getAxis() ? !info->isRanked || info->getRank() != 0
                            : op.getKeepdims() && !info->isRanked;
  if (hasIndex) {
    info->elementType = IntegerType::get(context, 64);
    types.push_back(info->getType(context));
  }
  return success();
}

FailureOr<Type> partita::relax::inferScan(OptionalLoc loc, Value x,
                                          std::optional<int64_t> axis,
                                          TypeAttr dtype) {
  FailureOr<TensorInfo> info = getTensor(loc, x, "data");
  if (failed(info))
    return failure();
  if (dtype)
    info->elementType = dtype.getValue();
  if (!axis) {
    // Without a shape TVM gives the result the rank of the data.
    Dim size = info->isRanked ? multiply(info->dims) : Dim();
    if (size.isUnknown() && info->isRanked && info->getRank() != 1)
      info->setUnranked();
    else
      info->setDims(size);
  }
  return info->getType(x.getContext());
}
