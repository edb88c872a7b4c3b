//===- Indexing.cpp - Lower ops on elements at indices --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace partita::relax;

/// `at`, or the nearest index of a dimension of size `size`. A negative index
/// counts from the end.
static Value wrapIndex(ScalarBuilder &s, Value at, Value size) {
  Value isNegative =
      arith::CmpIOp::create(s, arith::CmpIPredicate::slt, at, s.index(0));
  return clampIndex(
      s, s.select(isNegative, arith::AddIOp::create(s, at, size), at), size);
}

/// An element of a tensor of integers as an index.
static Value loadIndex(ScalarBuilder &s, Value element) {
  ScalarBuilder of(s.getLoc(), s, element.getType());
  return of.toIndex(of.load(element));
}

/// Reads `view` at the loops from `first` on.
static KernelBuilder::Input getAtLoops(KernelBuilder &kernel,
                                       const TensorView &view, int64_t first,
                                       int64_t numLoops) {
  SmallVector<AffineExpr> exprs(view.getTensorType().getRank(),
                                kernel.getAffineConstantExpr(0));
  for (auto [index, dim] : llvm::enumerate(view.dims))
    if (dim >= 0)
      exprs[dim] = kernel.getAffineDimExpr(first + index);
  return {view.tensor, AffineMap::get(numLoops, 0, exprs, kernel.getContext())};
}

//===----------------------------------------------------------------------===//
// Elements that are read at indices
//===----------------------------------------------------------------------===//

static LogicalResult legalizeTake(TakeOp op, KernelBuilder &kernel) {
  StringRef mode = op.getMode();
  auto floatType = dyn_cast<FloatType>(getNumberType(op.getX()));
  bool isNan = mode == "nan";
  if (mode != "fast" && mode != "clip" && mode != "wrap" &&
      !(isNan && floatType))
    return failure();
  Value x = kernel.getTensor(op.getX());
  KernelBuilder::Sizes from = kernel.getSizes(op.getX()),
                       sizes = kernel.getSizes(op.getResult());
  if (!op.getAxis() && from.size() != 1) {
    OpFoldResult flat = kernel.multiply(from);
    x = kernel.reshape(x, from, flat);
    from = {flat};
  }
  int64_t rank = from.size(), numLoops = sizes.size();
  int64_t axis = fromFront(op.getAxis().value_or(0), rank);
  bool isNumber = kernel.isNumber(op.getIndices());
  SmallVector<KernelBuilder::Input> inputs;
  Value number;
  int64_t indicesRank = numLoops - rank + 1;
  if (isNumber) {
    number = kernel.getScalars(getNumberType(op.getIndices()))
                 .toIndex(kernel.getNumber(op.getIndices()));
  } else {
    TensorView view = kernel.getView(op.getIndices());
    inputs.push_back(getAtLoops(kernel, view, axis, numLoops));
  }
  Value extent = kernel.toValue(from[axis]);
  auto read = [&](ScalarBuilder &s, ValueRange elements) -> Value {
    Value given = isNumber ? number : loadIndex(s, elements[0]), at;
    if (mode == "wrap") {
      // Of a dimension without elements there is no remainder.
      Value divisor = arith::MaxSIOp::create(s, extent, s.index(1));
      Value rest = arith::RemSIOp::create(s, given, divisor);
      at = wrapIndex(s, rest, extent);
    } else {
      at = clampIndex(s, given, extent);
    }
    SmallVector<Value> indices;
    for (int64_t dim : llvm::seq(rank))
      if (dim == axis)
        indices.push_back(at);
      else
        indices.push_back(linalg::IndexOp::create(
            s, dim < axis ? dim : dim + indicesRank - 1));
    Value element = tensor::ExtractOp::create(s, x, indices);
    if (!isNan)
      return element;
    Value isInside =
        arith::CmpIOp::create(s, arith::CmpIPredicate::eq, given, at);
    Value nan = arith::ConstantOp::create(
        s, FloatAttr::get(floatType,
                          APFloat::getNaN(floatType.getFloatSemantics())));
    return s.select(isInside, element, nan);
  };
  kernel.set(op.getResult(),
             kernel.move(inputs, sizes, getNumberType(op.getX()), read));
  return success();
}

static LogicalResult legalizeGatherElements(GatherElementsOp op,
                                            KernelBuilder &kernel) {
  kernel.setName("gather");
  Value x = kernel.getTensor(op.getData());
  KernelBuilder::Sizes from = kernel.getSizes(op.getData()),
                       sizes = kernel.getSizes(op.getResult());
  int64_t rank = sizes.size(), axis = fromFront(op.getAxis(), rank);
  Value extent = kernel.toValue(from[axis]);
  KernelBuilder::Input input =
      getAtLoops(kernel, kernel.getView(op.getIndices()), 0, rank);
  auto setIndices = [&](ScalarBuilder &s, ValueRange elements,
                        SmallVectorImpl<Value> &indices) {
    for (int64_t dim : llvm::seq(rank))
      indices.push_back(linalg::IndexOp::create(s, dim));
    indices[axis] = clampIndex(s, loadIndex(s, elements[0]), extent);
  };
  kernel.set(op.getResult(), kernel.gather(x, sizes, input, setIndices));
  return success();
}

static LogicalResult legalizeGatherND(GatherNDOp op, KernelBuilder &kernel) {
  Value x = kernel.getTensor(op.getData()),
        positions = kernel.getTensor(op.getIndices());
  KernelBuilder::Sizes from = kernel.getSizes(op.getData()),
                       sizes = kernel.getSizes(op.getResult());
  SmallVector<Dim> indexDims = getDims(op.getIndices());
  if (indexDims.empty() || !indexDims.back().isNumber())
    return failure();
  int64_t count = indexDims.back().getSize(), outer = indexDims.size() - 1,
          batch = op.getBatchDims();
  SmallVector<Value> extents = llvm::map_to_vector(
      from, [&](OpFoldResult size) { return kernel.toValue(size); });
  auto setIndices = [&](ScalarBuilder &s, ValueRange,
                        SmallVectorImpl<Value> &indices) {
    SmallVector<Value> loops;
    for (int64_t dim : llvm::seq<int64_t>(sizes.size()))
      loops.push_back(linalg::IndexOp::create(s, dim));
    for (int64_t dim : llvm::seq<int64_t>(extents.size())) {
      if (dim < batch) {
        indices.push_back(loops[dim]);
        continue;
      }
      if (dim >= batch + count) {
        indices.push_back(loops[outer + dim - batch - count]);
        continue;
      }
      SmallVector<Value> at(ArrayRef<Value>(loops).take_front(outer));
      at.push_back(s.index(dim - batch));
      Value element = tensor::ExtractOp::create(s, positions, at);
      indices.push_back(clampIndex(s, loadIndex(s, element), extents[dim]));
    }
  };
  kernel.set(op.getResult(), kernel.gather(x, sizes, {}, setIndices));
  return success();
}

static LogicalResult legalizeIndexTensor(IndexTensorOp op,
                                         KernelBuilder &kernel) {
  SmallVector<Value> tensors = kernel.getFields(op.getIndices());
  Value x = kernel.getTensor(op.getData());
  KernelBuilder::Sizes from = kernel.getSizes(op.getData()),
                       sizes = kernel.getSizes(op.getResult());
  int64_t rank = from.size(), count = tensors.size(),
          outer = int64_t(sizes.size()) - (rank - count);
  if (outer < 0 || count > rank)
    return failure();
  SmallVector<KernelBuilder::Input> inputs;
  for (Value tensor : tensors) {
    KernelBuilder::Input input = kernel.broadcast(
        kernel.getView(tensor), ArrayRef(sizes).take_front(outer));
    input.map = AffineMap::get(sizes.size(), 0, input.map.getResults(),
                               kernel.getContext());
    inputs.push_back(input);
  }
  SmallVector<Value> extents = llvm::map_to_vector(
      from, [&](OpFoldResult size) { return kernel.toValue(size); });
  auto setIndices = [&](ScalarBuilder &s, ValueRange elements,
                        SmallVectorImpl<Value> &indices) {
    for (auto [element, extent] : llvm::zip(elements, extents))
      indices.push_back(wrapIndex(s, loadIndex(s, element), extent));
    for (int64_t dim = count; dim < rank; ++dim)
      indices.push_back(linalg::IndexOp::create(s, outer + dim - count));
  };
  kernel.set(op.getResult(), kernel.gather(x, sizes, inputs, setIndices));
  return success();
}

static LogicalResult legalizeOneHot(OneHotOp op, KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  if (op.getOnValue().getType() != type || op.getOffValue().getType() != type)
    return failure();
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  int64_t rank = sizes.size(), axis = fromFront(op.getAxis(), rank);
  TensorView view = kernel.getView(op.getIndices());
  view.dims.insert(view.dims.begin() + axis, -1);
  Value on = kernel.getNumber(op.getOnValue()),
        off = kernel.getNumber(op.getOffValue());
  kernel.set(op.getResult(),
             kernel.map(kernel.broadcast(view, sizes), sizes, type,
                        [&](ScalarBuilder &s, ValueRange numbers) {
                          Value at = linalg::IndexOp::create(s, axis);
                          Value isHere =
                              arith::CmpIOp::create(s, arith::CmpIPredicate::eq,
                                                    at, s.toIndex(numbers[0]));
                          return s.select(isHere, on, off);
                        }));
  return success();
}

/// The number of boundaries that are smaller, or not larger.
static LogicalResult legalizeBucketize(BucketizeOp op, KernelBuilder &kernel) {
  kernel.setName("searchsorted");
  Type type = getNumberType(op.getInputTensor());
  Type indexType = getNumberType(op.getResult());
  if (getNumberType(op.getBoundaries()) != type)
    return failure();
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  int64_t rank = sizes.size();
  KernelBuilder::Input inputs[2] = {
      getAtLoops(kernel, kernel.getView(op.getInputTensor()), 0, rank + 1),
      getAtLoops(kernel, kernel.getView(op.getBoundaries()), rank, rank + 1)};
  Value result = kernel.reduce(
      inputs, rank + 1, llvm::to_vector(llvm::seq(rank)), sizes, indexType,
      kernel.getScalars(indexType).integer(0),
      [&](ScalarBuilder &s, ValueRange numbers) {
        Value isBefore = op.getRight() ? s.lessEqual(numbers[1], numbers[0])
                                       : s.less(numbers[1], numbers[0]);
        ScalarBuilder of(s.getLoc(), s, s.getI1Type()),
            to(s.getLoc(), s, indexType);
        return to.add(numbers[2], of.convert(isBefore, indexType));
      });
  kernel.set(op.getResult(), result);
  return success();
}

//===----------------------------------------------------------------------===//
// Elements that are written at indices
//===----------------------------------------------------------------------===//

using Combine = Value (ScalarBuilder::*)(Value, Value);

/// How an update changes an element; null if it takes the element's place.
static FailureOr<Combine> getCombine(StringRef reduction, Type type) {
  // TVM puts bools in place, but does not combine them.
  if (type.isInteger(1) && reduction != "update")
    return failure();
  // TVM has no mean of integers with signs.
  if (reduction == "mean" && !type.isSignlessInteger())
    return Combine(&ScalarBuilder::average);
  return llvm::StringSwitch<FailureOr<Combine>>(reduction)
      .Case("update", Combine(nullptr))
      .Case("add", Combine(&ScalarBuilder::add))
      .Case("mul", Combine(&ScalarBuilder::multiply))
      .Case("max", Combine(&ScalarBuilder::maximum))
      .Case("min", Combine(&ScalarBuilder::minimum))
      .Default(failure());
}

/// `x` with the elements of `updates` put into it one after another, at what
/// `setIndices` makes of the place of each.
static Value scatter(
    KernelBuilder &kernel, Value x, Value updates, ArrayRef<OpFoldResult> sizes,
    Combine combine,
    function_ref<void(ScalarBuilder &, ValueRange, SmallVectorImpl<Value> &)>
        setIndices) {
  return buildLoops(
      kernel, sizes, x,
      [&](ScalarBuilder &s, ValueRange at, Value tensor) -> Value {
        SmallVector<Value> indices;
        setIndices(s, at, indices);
        Value element = tensor::ExtractOp::create(s, updates, at);
        if (combine) {
          Value old = tensor::ExtractOp::create(s, tensor, indices);
          element = s.store((s.*combine)(s.load(old), s.load(element)));
        }
        return tensor::InsertOp::create(s, element, tensor, indices);
      });
}

static LogicalResult legalizeScatterElements(ScatterElementsOp op,
                                             KernelBuilder &kernel) {
  Type type = getNumberType(op.getData());
  FailureOr<Combine> combine = getCombine(op.getReduction(), type);
  KernelBuilder::Sizes from = kernel.getSizes(op.getData()),
                       sizes = kernel.getSizes(op.getUpdates());
  if (failed(combine) || type != getNumberType(op.getUpdates()) || from.empty())
    return failure();
  int64_t axis = fromFront(op.getAxis(), from.size());
  Value positions = kernel.getTensor(op.getIndices()),
        extent = kernel.toValue(from[axis]), x = kernel.getTensor(op.getData()),
        updates = kernel.getTensor(op.getUpdates());
  auto setIndices = [&](ScalarBuilder &s, ValueRange at,
                        SmallVectorImpl<Value> &indices) {
    llvm::append_range(indices, at);
    Value position = tensor::ExtractOp::create(s, positions, at);
    indices[axis] = wrapIndex(s, loadIndex(s, position), extent);
  };
  kernel.set(op.getResult(),
             scatter(kernel, x, updates, sizes, *combine, setIndices));
  return success();
}

static LogicalResult legalizeScatterND(ScatterNDOp op, KernelBuilder &kernel) {
  Type type = getNumberType(op.getData());
  FailureOr<Combine> combine = getCombine(op.getReduction(), type);
  SmallVector<Dim> indexDims = getDims(op.getIndices());
  KernelBuilder::Sizes from = kernel.getSizes(op.getData()),
                       sizes = kernel.getSizes(op.getUpdates());
  if (failed(combine) || type != getNumberType(op.getUpdates()) ||
      op.getReduction() == "mean" || indexDims.empty() || sizes.empty() ||
      !indexDims.back().isNumber())
    return failure();
  int64_t count = indexDims.back().getSize(), outer = indexDims.size() - 1;
  Value positions = kernel.getTensor(op.getIndices()),
        x = kernel.getTensor(op.getData()),
        updates = kernel.getTensor(op.getUpdates());
  SmallVector<Value> extents = llvm::map_to_vector(
      from, [&](OpFoldResult size) { return kernel.toValue(size); });
  auto setIndices = [&](ScalarBuilder &s, ValueRange at,
                        SmallVectorImpl<Value> &indices) {
    for (int64_t dim : llvm::seq(count)) {
      SmallVector<Value> place(at.take_front(outer));
      place.push_back(s.index(dim));
      Value position = tensor::ExtractOp::create(s, positions, place);
      indices.push_back(wrapIndex(s, loadIndex(s, position), extents[dim]));
    }
    llvm::append_range(indices, at.drop_front(outer));
  };
  kernel.set(op.getResult(),
             scatter(kernel, x, updates, sizes, *combine, setIndices));
  return success();
}

/// Adds each number of the gradient to the elements that were taken there.
static LogicalResult legalizeTakeBackward(TakeBackwardOp op,
                                          KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult()), to = sizes;
  if (type.isInteger(1) || sizes.empty() ||
      type != getNumberType(op.getOutputGrad()))
    return failure();
  if (!op.getAxis())
    to = {kernel.multiply(sizes)};
  int64_t axis = fromFront(op.getAxis().value_or(0), to.size());
  int64_t rank = getDims(op.getIndices()).size();
  Value positions = kernel.getTensor(op.getIndices()),
        updates = kernel.getTensor(op.getOutputGrad()),
        extent = kernel.toValue(to[axis]);
  Value start = kernel.fill(kernel.getScalars(type).integer(0), to, type);
  auto setIndices = [&](ScalarBuilder &s, ValueRange at,
                        SmallVectorImpl<Value> &indices) {
    llvm::append_range(indices, at.take_front(axis));
    Value position =
        tensor::ExtractOp::create(s, positions, at.slice(axis, rank));
    indices.push_back(wrapIndex(s, loadIndex(s, position), extent));
    llvm::append_range(indices, at.drop_front(axis + rank));
  };
  Value sums =
      scatter(kernel, start, updates, kernel.getSizes(op.getOutputGrad()),
              &ScalarBuilder::add, setIndices);
  kernel.set(op.getResult(), kernel.reshape(sums, to, sizes));
  return success();
}

/// Whether tensors of indices are broadcast to a tensor of these dimensions.
static bool fit(ArrayRef<Value> tensors, ArrayRef<Dim> dims) {
  size_t rank = 0;
  for (Value tensor : tensors) {
    SmallVector<Dim> own = getDims(tensor);
    rank = std::max(rank, own.size());
    if (own.size() > dims.size())
      return false;
    for (auto [size, dim] : llvm::zip_equal(own, dims.take_back(own.size())))
      if (size != Dim(1) && size.isNumber() && dim.isNumber() && size != dim)
        return false;
  }
  return rank == dims.size();
}

static LogicalResult legalizeIndexPut(IndexPutOp op, KernelBuilder &kernel) {
  SmallVector<Value> tensors = kernel.getFields(op.getIndices());
  Type type = getNumberType(op.getData());
  KernelBuilder::Sizes from = kernel.getSizes(op.getData());
  // As TVM, only with an index for each dimension.
  if (tensors.size() != from.size() || from.empty() ||
      type != getNumberType(op.getValues()) ||
      (type.isInteger(1) && op.getAccumulate()))
    return failure();
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getValues());
  if (!fit(tensors, getDims(op.getValues())))
    return failure();
  Value x = kernel.getTensor(op.getData()),
        updates = kernel.getTensor(op.getValues());
  SmallVector<Value> positions, extents;
  for (auto [tensor, size] : llvm::zip_equal(tensors, from)) {
    positions.push_back(kernel.getTensor(tensor));
    extents.push_back(kernel.toValue(size));
  }
  auto setIndices = [&](ScalarBuilder &s, ValueRange at,
                        SmallVectorImpl<Value> &indices) {
    for (auto [position, extent] : llvm::zip_equal(positions, extents)) {
      auto positionType = cast<RankedTensorType>(position.getType());
      SmallVector<Value> place(at.take_back(positionType.getRank()));
      for (auto [dim, index] : llvm::enumerate(place))
        if (positionType.getDimSize(dim) == 1)
          index = s.index(0);
      Value element = tensor::ExtractOp::create(s, position, place);
      indices.push_back(wrapIndex(s, loadIndex(s, element), extent));
    }
  };
  Combine combine = op.getAccumulate() ? &ScalarBuilder::add : nullptr;
  kernel.set(op.getResult(),
             scatter(kernel, x, updates, sizes, combine, setIndices));
  return success();
}

static LogicalResult legalizeSliceScatter(SliceScatterOp op,
                                          KernelBuilder &kernel) {
  Type type = getNumberType(op.getInput());
  if (type != getNumberType(op.getSrc()))
    return failure();
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  int64_t rank = sizes.size(), axis = fromFront(op.getAxis(), rank);
  OpFoldResult step = kernel.getIndex(op.getStep());
  if (std::optional<int64_t> known = getConstantIntValue(step);
      !known || *known < 1)
    return failure();
  Value start = kernel.toValue(kernel.getIndex(op.getStart())),
        end = kernel.toValue(kernel.getIndex(op.getEnd())),
        distance = kernel.toValue(step),
        extent = kernel.toValue(kernel.getSizes(op.getSrc())[axis]),
        source = kernel.getTensor(op.getSrc());
  KernelBuilder::Input input =
      getAtLoops(kernel, kernel.getView(op.getInput()), 0, rank);
  auto choose = [&](ScalarBuilder &s, ValueRange elements) -> Value {
    SmallVector<Value> indices;
    for (int64_t dim : llvm::seq(rank))
      indices.push_back(linalg::IndexOp::create(s, dim));
    Value at = indices[axis];
    Value offset = arith::SubIOp::create(s, at, start);
    Value rest = arith::RemSIOp::create(s, offset, distance);
    auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      return Value(arith::CmpIOp::create(s, predicate, a, b));
    };
    Value isBehind = compare(arith::CmpIPredicate::sge, at, start);
    Value isBefore = compare(arith::CmpIPredicate::slt, at, end);
    Value isInside = s.bitAnd(isBehind, isBefore);
    Value isHere =
        s.bitAnd(isInside, compare(arith::CmpIPredicate::eq, rest, s.index(0)));
    indices[axis] =
        clampIndex(s, arith::DivSIOp::create(s, offset, distance), extent);
    Value element = tensor::ExtractOp::create(s, source, indices);
    return s.select(isHere, element, elements[0]);
  };
  kernel.set(op.getResult(), kernel.move(input, sizes, type, choose));
  return success();
}

void partita::relax::attachIndexing(MLIRContext *context) {
  attach<&legalizeTake, TakeOp>(context);
  attach<&legalizeGatherElements, GatherElementsOp>(context);
  attach<&legalizeGatherND, GatherNDOp>(context);
  attach<&legalizeIndexTensor, IndexTensorOp>(context);
  attach<&legalizeOneHot, OneHotOp>(context);
  attach<&legalizeBucketize, BucketizeOp>(context);
  attach<&legalizeScatterElements, ScatterElementsOp>(context);
  attach<&legalizeScatterND, ScatterNDOp>(context);
  attach<&legalizeSliceScatter, SliceScatterOp>(context);
  attach<&legalizeIndexPut, IndexPutOp>(context);
  attach<&legalizeTakeBackward, TakeBackwardOp>(context);
}
