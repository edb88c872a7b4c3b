//===- Reductions.cpp - Lower reductions ----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "Sorting.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace partita::relax;

namespace {
/// The dimensions of a tensor, and which of them a reduction keeps.
struct ReducedDims {
  KernelBuilder::Sizes sizes, keptSizes;
  SmallVector<int64_t> kept;

  ReducedDims(KernelBuilder &kernel, Value x,
              std::optional<ArrayRef<int64_t>> axes)
      : sizes(kernel.getSizes(x)) {
    int64_t rank = sizes.size();
    for (int64_t axis : llvm::seq(rank))
      if (axes && !llvm::is_contained(*axes, axis) &&
          !llvm::is_contained(*axes, axis - rank)) {
        kept.push_back(axis);
        keptSizes.push_back(sizes[axis]);
      }
  }

  /// The result, from the tensor that has the kept dimensions.
  TensorView getResult(Value tensor, bool keepdims) const {
    if (!keepdims)
      return KernelBuilder::getWhole(tensor);
    SmallVector<int64_t> dims(sizes.size(), -1);
    for (auto [index, axis] : llvm::enumerate(kept))
      dims[axis] = index;
    return {tensor, dims};
  }
};
} // namespace

/// The number of elements that are reduced to one.
static OpFoldResult getCount(KernelBuilder &kernel, const ReducedDims &dims) {
  KernelBuilder::Sizes reduced;
  for (auto [axis, size] : llvm::enumerate(dims.sizes))
    if (!llvm::is_contained(dims.kept, int64_t(axis)))
      reduced.push_back(size);
  return kernel.multiply(reduced);
}

template <typename OpT>
static LogicalResult legalizeReduction(OpT op, KernelBuilder &kernel) {
  Value x = op.getX();
  Type type = getNumberType(x);
  constexpr bool isMax = std::is_same_v<OpT, MaxOp>,
                 isMin = std::is_same_v<OpT, MinOp>,
                 isProduct = std::is_same_v<OpT, ProdOp>,
                 isSum = std::is_same_v<OpT, SumOp>;
  constexpr bool isMean = std::is_same_v<OpT, MeanOp>;
  if ((type.isInteger(1) && !isProduct && !isSum && !isMean) ||
      type != getNumberType(op.getResult()))
    return failure();
  ReducedDims dims(kernel, x, op.getAxis());
  ScalarBuilder scalars = kernel.getScalars(type);
  Value start = isMax   ? scalars.least()
                : isMin ? scalars.most()
                        : scalars.integer(isProduct);
  Value tensor = kernel.reduce(
      kernel.broadcast(kernel.getView(x), dims.sizes), dims.sizes.size(),
      dims.kept, dims.keptSizes, type, start,
      [](ScalarBuilder &s, ValueRange numbers) -> Value {
        Value element = numbers[0], sofar = numbers[1];
        if (isMax)
          return s.maximum(sofar, element);
        if (isMin)
          return s.minimum(sofar, element);
        if (isProduct)
          return s.multiply(sofar, element);
        return s.isBool() ? s.bitOr(sofar, element) : s.add(sofar, element);
      });
  if (isMean) {
    // As in TVM, sums of integers wrap around, and are divided in 64 bits.
    bool isNarrow = isa<IntegerType>(type) && type.getIntOrFloatBitWidth() < 64;
    Type wide = isNarrow ? kernel.getI64Type() : type;
    Value count = kernel.getScalars(wide).fromIndex(
        kernel.toValue(getCount(kernel, dims)));
    tensor = kernel.map(
        kernel.broadcast(KernelBuilder::getWhole(tensor), dims.keptSizes),
        dims.keptSizes, type, [&](ScalarBuilder &of, ValueRange numbers) {
          ScalarBuilder s(of.getLoc(), of, type), to(of.getLoc(), of, wide);
          Value sum = s.convert(numbers[0], wide);
          return to.convert(to.divide(sum, count), type);
        });
  }
  kernel.set(op.getResult(),
             dims.getResult(kernel.narrow(tensor, type), op.getKeepdims()));
  return success();
}

/// The index of the largest or smallest element, of equal ones the first. A NaN
/// is larger and smaller than any number.
template <typename OpT>
static LogicalResult legalizeArgReduction(OpT op, KernelBuilder &kernel) {
  Value x = op.getX();
  Type type = getNumberType(x);
  constexpr bool isMax = std::is_same_v<OpT, ArgmaxOp>;
  std::optional<ArrayRef<int64_t>> axes;
  int64_t axis = op.getAxis().value_or(0);
  if (op.getAxis())
    axes = ArrayRef<int64_t>(axis);
  ReducedDims dims(kernel, x, axes);
  int64_t rank = dims.sizes.size();
  ScalarBuilder scalars = kernel.getScalars(type);
  Value bests = kernel.fill(isMax ? scalars.least() : scalars.most(),
                            dims.keptSizes, KernelBuilder::getSumType(type));
  Type indexType = kernel.getI64Type();
  Value positions = kernel.fill(kernel.getScalars(indexType).most(),
                                dims.keptSizes, indexType);
  SmallVector<Value> strides(rank);
  Value stride = arith::ConstantIndexOp::create(kernel, 1);
  for (int64_t dim = rank; dim-- > 0;)
    if (!llvm::is_contained(dims.kept, dim)) {
      strides[dim] = stride;
      Value size = kernel.toValue(dims.sizes[dim]);
      stride = arith::MulIOp::create(kernel, stride, size);
    }
  KernelBuilder::Input input = kernel.broadcast(kernel.getView(x), dims.sizes);
  SmallVector<AffineExpr> exprs;
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  for (int64_t dim : dims.kept) {
    exprs.push_back(kernel.getAffineDimExpr(dim));
    iterators[dim] = utils::IteratorType::parallel;
  }
  AffineMap outMap = AffineMap::get(rank, 0, exprs, kernel.getContext());
  auto build = [&](OpBuilder &builder, Location loc, ValueRange elements) {
    ScalarBuilder s(loc, builder, type), i(loc, builder, indexType);
    ScalarBuilder of(loc, builder, elements[1].getType());
    Value element = s.load(elements[0]), best = of.load(elements[1]),
          bestIndex = elements[2];
    Value position = i.integer(0);
    for (int64_t dim = 0; dim < rank; ++dim)
      if (strides[dim]) {
        Value at = linalg::IndexOp::create(builder, loc, dim);
        Value step = arith::MulIOp::create(builder, loc, at, strides[dim]);
        position = i.add(position, i.fromIndex(step));
      }
    Value isBetter = isMax ? s.greater(element, best) : s.less(element, best);
    Value isEqual = s.equal(element, best);
    if (s.isFloat()) {
      Value isNan = s.notEqual(element, element);
      isBetter = s.bitOr(isBetter, s.bitAnd(isNan, s.equal(best, best)));
      isEqual = s.bitOr(isEqual, s.bitAnd(isNan, s.notEqual(best, best)));
    }
    isBetter =
        s.bitOr(isBetter, s.bitAnd(isEqual, i.less(position, bestIndex)));
    linalg::YieldOp::create(
        builder, loc,
        ValueRange{of.store(s.select(isBetter, element, best)),
                   s.select(isBetter, position, bestIndex)});
  };
  auto generic = linalg::GenericOp::create(
      kernel, TypeRange{bests.getType(), positions.getType()}, input.tensor,
      ValueRange{bests, positions},
      ArrayRef<AffineMap>{input.map, outMap, outMap}, iterators, build);
  Type resultType = getNumberType(op.getResult());
  Value result = generic.getResult(1);
  if (resultType != indexType)
    result = kernel.map(
        kernel.broadcast(KernelBuilder::getWhole(result), dims.keptSizes),
        dims.keptSizes, resultType, [&](ScalarBuilder &s, ValueRange numbers) {
          return s.convert(numbers[0], resultType);
        });
  kernel.set(op.getResult(), dims.getResult(result, op.getKeepdims()));
  return success();
}

/// `x` with an element, which is NaN or 0, where dimension `axis` has none.
static Value fillEmpty(KernelBuilder &kernel, Value x,
                       KernelBuilder::Sizes &sizes, int64_t axis) {
  auto type = cast<RankedTensorType>(x.getType());
  ScalarBuilder scalars = kernel.getScalars(type.getElementType());
  Value size = kernel.toValue(sizes[axis]), one = scalars.index(1);
  Value filled = arith::MaxSIOp::create(kernel, size, one);
  KernelBuilder::Sizes none(sizes.size(), kernel.getIndexAttr(0)), after(none);
  after[axis] = Value(arith::SubIOp::create(kernel, filled, size));
  sizes[axis] = filled;
  Value number =
      scalars.isFloat() ? scalars.number(std::nan("")) : scalars.integer(0);
  return tensor::PadOp::create(kernel, type, x, none, after,
                               scalars.store(number));
}

/// The element in the middle, or before it, and where it is.
static LogicalResult legalizeMedian(MedianOp op, KernelBuilder &kernel) {
  std::optional<ArrayRef<int64_t>> axes = op.getAxis();
  if (axes && axes->empty())
    axes.reset();
  ReducedDims dims(kernel, op.getData(), axes);
  OpFoldResult count = getCount(kernel, dims);
  if (isConstantIntValue(count, 0))
    return failure();
  Value x;
  KernelBuilder::Sizes sizes = dims.sizes;
  int64_t axis = dims.kept.size();
  if (axes && axes->size() == 1) {
    x = kernel.getTensor(op.getData());
    axis = fromFront(axes->front(), sizes.size());
  } else {
    // Several dimensions become one, the last.
    TensorView data = kernel.getView(op.getData()), moved = {data.tensor, {}};
    SmallVector<int64_t> order = dims.kept;
    for (int64_t dim : llvm::seq<int64_t>(sizes.size()))
      if (!llvm::is_contained(dims.kept, dim))
        order.push_back(dim);
    KernelBuilder::Sizes from;
    for (int64_t dim : order) {
      moved.dims.push_back(data.dims[dim]);
      from.push_back(sizes[dim]);
    }
    sizes = dims.keptSizes;
    sizes.push_back(count);
    x = kernel.reshape(kernel.realize(moved), from, sizes);
  }
  if (!getConstantIntValue(count)) {
    x = fillEmpty(kernel, x, sizes, axis);
    count = sizes[axis];
  }
  Sorter sorter(kernel, x, sizes, axis, /*isDescending=*/false);
  Value last = kernel.toValue(kernel.add(count, kernel.getIndexAttr(-1)));
  auto getPosition = [&](ScalarBuilder &s, SmallVectorImpl<Value> &place) {
    place = getLoops(s, dims.keptSizes.size());
    place.insert(place.begin() + axis,
                 arith::DivSIOp::create(s, last, s.index(2)));
    return sorter.getPosition(s, place);
  };
  auto setIndices = [&](ScalarBuilder &s, ValueRange,
                        SmallVectorImpl<Value> &indices) {
    Value position = getPosition(s, indices);
    indices[axis] =
        ScalarBuilder(s.getLoc(), s, s.getI64Type()).toIndex(position);
  };
  Value median = kernel.gather(x, dims.keptSizes, {}, setIndices);
  kernel.set(op->getResult(0), dims.getResult(median, op.getKeepdims()));
  if (op->getNumResults() == 1)
    return success();
  Value positions = kernel.map({}, dims.keptSizes, kernel.getI64Type(),
                               [&](ScalarBuilder &s, ValueRange) {
                                 SmallVector<Value> place;
                                 return getPosition(s, place);
                               });
  kernel.set(op->getResult(1), dims.getResult(positions, op.getKeepdims()));
  return success();
}

void partita::relax::attachReductions(MLIRContext *context) {
  attach<&legalizeReduction<MaxOp>, MaxOp>(context);
  attach<&legalizeReduction<MeanOp>, MeanOp>(context);
  attach<&legalizeReduction<MinOp>, MinOp>(context);
  attach<&legalizeMedian, MedianOp>(context);
  attach<&legalizeReduction<ProdOp>, ProdOp>(context);
  attach<&legalizeReduction<SumOp>, SumOp>(context);
  attach<&legalizeArgReduction<ArgmaxOp>, ArgmaxOp>(context);
  attach<&legalizeArgReduction<ArgminOp>, ArgminOp>(context);
}
