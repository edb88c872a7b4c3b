//===- PoolingGradients.cpp - Lower the gradients of pooling --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace partita::relax;

namespace {
/// One spatial dimension that windows move over.
struct CoveredDim {
  int64_t dim, size, stride, before;
  /// The numbers of elements and of windows.
  Value extent, count;

  /// The first element of the window at `at`, and the one behind its last. Both
  /// are within the dimension.
  std::pair<Value, Value> getBounds(ScalarBuilder &s, Value at) const;
  /// The windows that have element `at`: the last one, and whether the one that
  /// is `step` before it is one of them.
  std::pair<Value, Value> getWindow(ScalarBuilder &s, Value at,
                                    Value step) const;
};
} // namespace

std::pair<Value, Value> CoveredDim::getBounds(ScalarBuilder &s,
                                              Value at) const {
  Value first = arith::MulIOp::create(s, at, s.index(stride));
  Value start = arith::SubIOp::create(s, first, s.index(before));
  Value end = arith::AddIOp::create(s, start, s.index(size));
  return {arith::MaxSIOp::create(s, start, s.index(0)),
          arith::MinSIOp::create(s, end, extent)};
}

std::pair<Value, Value> CoveredDim::getWindow(ScalarBuilder &s, Value at,
                                              Value step) const {
  Value place = arith::AddIOp::create(s, at, s.index(before));
  Value last = arith::DivUIOp::create(s, place, s.index(stride));
  Value window = arith::SubIOp::create(s, last, step);
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return Value(arith::CmpIOp::create(s, predicate, a, b));
  };
  Value start = arith::MulIOp::create(s, window, s.index(stride));
  Value end = arith::AddIOp::create(s, start, s.index(size));
  Value isFirst = compare(arith::CmpIPredicate::sge, window, s.index(0));
  Value exists =
      s.bitAnd(isFirst, compare(arith::CmpIPredicate::slt, window, count));
  return {clampIndex(s, window, count),
          s.bitAnd(exists, compare(arith::CmpIPredicate::slt, place, end))};
}

/// The place of an element in the spatial dimensions, counted in a row.
static Value getPlace(ScalarBuilder &s, ArrayRef<CoveredDim> pooled,
                      ValueRange at) {
  Value place = s.index(0);
  for (auto [dim, index] : llvm::zip_equal(pooled, at))
    place = arith::AddIOp::create(
        s, arith::MulIOp::create(s, place, dim.extent), index);
  return place;
}

/// The place of each window's largest element, of equal ones the first; -1 for
/// a window without elements. A NaN is the largest.
static Value findLargest(KernelBuilder &kernel, Value x,
                         ArrayRef<OpFoldResult> sizes,
                         ArrayRef<CoveredDim> pooled) {
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  auto body = [&](ScalarBuilder &n, ValueRange) {
    SmallVector<Value> loops = getLoops(n, sizes.size()), starts, ends;
    for (const CoveredDim &dim : pooled) {
      auto [start, end] = dim.getBounds(n, loops[dim.dim]);
      starts.push_back(start);
      ends.push_back(end);
    }
    SmallVector<Value> steps(pooled.size(), n.index(1));
    auto compare = [&](OpBuilder &builder, Location loc, ValueRange at,
                       ValueRange sofar) -> scf::ValueVector {
      ScalarBuilder s(loc, builder, type), n(loc, builder, s.getI64Type());
      SmallVector<Value> indices(loops);
      for (auto [dim, index] : llvm::zip_equal(pooled, at))
        indices[dim.dim] = index;
      Value element = s.load(tensor::ExtractOp::create(s, x, indices));
      Value isGreater = s.greater(element, sofar[0]);
      if (s.isFloat())
        isGreater = s.bitOr(isGreater, s.bitAnd(s.notEqual(element, element),
                                                s.equal(sofar[0], sofar[0])));
      Value isBetter = s.bitOr(isGreater, n.less(sofar[1], n.integer(0)));
      Value place = n.fromIndex(getPlace(s, pooled, at));
      return {s.select(isBetter, element, sofar[0]),
              s.select(isBetter, place, sofar[1])};
    };
    ScalarBuilder s(n.getLoc(), n, type);
    return scf::buildLoopNest(n, n.getLoc(), starts, ends, steps,
                              {s.least(), n.integer(-1)}, compare)
        .results[1];
  };
  return kernel.map({}, sizes, kernel.getI64Type(), body);
}

template <typename OpT>
static LogicalResult legalizePoolBackward(OpT op, KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  std::optional<std::string> layout = getLetters(op.getLayout());
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult()),
                       windows = kernel.getSizes(op.getOutputGrad());
  int64_t rank = sizes.size();
  auto isPositive = [](int64_t number) { return number > 0; };
  // As TVM.
  if (!layout || !llvm::all_of(op.getPoolSize(), isPositive) ||
      !llvm::all_of(op.getStrides(), isPositive) ||
      int64_t(layout->size()) != rank || int64_t(windows.size()) != rank ||
      type.isInteger(1) || type != getNumberType(op.getOutputGrad()) ||
      llvm::any_of(op.getDilation(), [](int64_t step) { return step != 1; }))
    return failure();
  SmallVector<CoveredDim> pooled;
  SmallVector<AffineExpr> exprs;
  KernelBuilder::Sizes steps;
  for (auto [index, letter] : llvm::enumerate(getSpatial(2))) {
    int64_t dim = findDim(*layout, letter), size = op.getPoolSize()[index],
            stride = op.getStrides()[index];
    pooled.push_back({dim, size, stride, op.getPadding()[index],
                      kernel.toValue(sizes[dim]),
                      kernel.toValue(windows[dim])});
    steps.push_back(kernel.getIndexAttr(llvm::divideCeil(size, stride)));
    exprs.push_back(kernel.getAffineDimExpr(rank + index));
  }
  constexpr bool isMax = std::is_same_v<OpT, MaxPool2DBackwardOp>;
  Value gradient = kernel.getTensor(op.getOutputGrad()), largest;
  if (isMax)
    largest =
        findLargest(kernel, kernel.getTensor(op.getData()), windows, pooled);
  auto addGradient = [&](ScalarBuilder &s, ValueRange numbers) {
    SmallVector<Value> loops = getLoops(s, rank + 2), place;
    SmallVector<Value> indices(ArrayRef<Value>(loops).take_front(rank));
    ScalarBuilder of(s.getLoc(), s, type), n(s.getLoc(), s, s.getI64Type());
    Value isIn, count = s.index(1);
    for (auto [index, dim] : llvm::enumerate(pooled)) {
      place.push_back(loops[dim.dim]);
      auto [window, has] = dim.getWindow(s, place.back(), loops[rank + index]);
      indices[dim.dim] = window;
      isIn = isIn ? s.bitAnd(isIn, has) : has;
      auto [start, end] = dim.getBounds(s, window);
      Value size = op.getCountIncludePad()
                       ? s.index(dim.size)
                       : arith::SubIOp::create(s, end, start).getResult();
      count = arith::MulIOp::create(s, count, size);
    }
    Value part = of.load(tensor::ExtractOp::create(s, gradient, indices));
    if (isMax) {
      Value found = tensor::ExtractOp::create(s, largest, indices);
      Value here = n.fromIndex(getPlace(s, pooled, place));
      isIn = s.bitAnd(isIn, n.equal(found, here));
    } else {
      count = arith::MaxSIOp::create(s, count, s.index(1));
      part = of.divide(part, of.fromIndex(count));
    }
    return of.add(numbers[1], of.select(isIn, part, of.integer(0)));
  };
  // It says how many windows an element can be in.
  KernelBuilder::Input input{
      tensor::EmptyOp::create(kernel, steps, type),
      AffineMap::get(rank + 2, 0, exprs, kernel.getContext())};
  Value sums =
      kernel.reduce(input, rank + 2, llvm::to_vector(llvm::seq(rank)), sizes,
                    type, kernel.getScalars(type).integer(0), addGradient);
  kernel.set(op.getResult(), kernel.narrow(sums, type));
  return success();
}

void partita::relax::attachPoolingGradients(MLIRContext *context) {
  attach<&legalizePoolBackward<AvgPool2DBackwardOp>, AvgPool2DBackwardOp>(
      context);
  attach<&legalizePoolBackward<MaxPool2DBackwardOp>, MaxPool2DBackwardOp>(
      context);
}
