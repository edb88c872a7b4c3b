//===- Sorting.cpp - Sort in prim_funcs -----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"
#include "Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita::relax;

/// The exponent of the least power of 2 that is at least `number`.
static OpFoldResult getLog2Ceil(KernelBuilder &kernel, OpFoldResult number) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return kernel.getIndexAttr(
        llvm::Log2_64_Ceil(std::max<int64_t>(*known, 1)));
  ScalarBuilder n = kernel.getScalars(kernel.getI64Type());
  Value size = n.fromIndex(kernel.toValue(number));
  // How many powers of 2 are less: TVM can't count leading zeros.
  auto count = [&](OpBuilder &builder, Location loc, Value at,
                   ValueRange counts) {
    ScalarBuilder n(loc, builder, builder.getI64Type());
    Value one = n.integer(1);
    Value power = n.shiftLeft(one, n.fromIndex(at));
    Value isLess = n.less(power, size);
    Value step = n.select(isLess, one, n.integer(0));
    scf::YieldOp::create(builder, loc, n.add(counts[0], step));
  };
  Value first = n.index(0), end = n.index(63), step = n.index(1);
  auto loop =
      scf::ForOp::create(n, first, end, step, ValueRange(n.integer(0)), count);
  return n.toIndex(loop.getResult(0));
}

Sorter::Sorter(KernelBuilder &kernel, Value tensor, Sizes sizes, int64_t axis,
               bool isDescending)
    : kernel(kernel), x(tensor), axis(axis), isDescending(isDescending),
      type(cast<RankedTensorType>(tensor.getType()).getElementType()),
      size(sizes[axis]) {
  Sizes planes = {kernel.getIndexAttr(2)};
  llvm::append_range(planes, sizes);
  OpFoldResult numPasses = getLog2Ceil(kernel, size);
  plane = arith::AndIOp::create(kernel, kernel.toValue(numPasses),
                                kernel.toValue(kernel.getIndexAttr(1)));
  Value start = kernel.map(
      {}, planes, kernel.getI64Type(), [&](ScalarBuilder &n, ValueRange) {
        return n.fromIndex(linalg::IndexOp::create(n, axis + 1));
      });
  // The other dimensions, the passes, and the elements of a row.
  sizes.erase(sizes.begin() + axis);
  sizes.append({numPasses, size});
  orders = buildLoops(kernel, sizes, start,
                      [&](ScalarBuilder &n, ValueRange at, Value orders) {
                        return merge(n, at, orders);
                      });
}

Value Sorter::isBefore(ScalarBuilder &s, Value a, Value b) {
  if (isDescending)
    std::swap(a, b);
  Value isLess = s.less(a, b);
  return s.isFloat()
             ? s.bitOr(isLess, s.bitAnd(s.equal(a, a), s.notEqual(b, b)))
             : isLess;
}

SmallVector<Value> Sorter::getIndices(ScalarBuilder &n, ValueRange row,
                                      Value place) {
  SmallVector<Value> indices(row);
  indices.insert(indices.begin() + axis, n.toIndex(place));
  return indices;
}

Value Sorter::readOrder(ScalarBuilder &n, Value orders, Value plane,
                        ValueRange row, Value place) {
  SmallVector<Value> indices = getIndices(n, row, place);
  indices.insert(indices.begin(), n.toIndex(plane));
  return tensor::ExtractOp::create(n, orders, indices);
}

Value Sorter::readElement(ScalarBuilder &n, ValueRange row, Value position) {
  ScalarBuilder s(n.getLoc(), n, type);
  return s.load(tensor::ExtractOp::create(s, x, getIndices(n, row, position)));
}

/// Puts one element where it is after its run and its neighbour are merged.
Value Sorter::merge(ScalarBuilder &n, ValueRange at, Value orders) {
  ValueRange row = at.drop_back(2);
  Value pass = n.fromIndex(at[row.size()]), place = n.fromIndex(at.back());
  Value one = n.integer(1), extent = n.fromIndex(kernel.toValue(size));
  Value last = n.subtract(extent, one), from = n.bitAnd(pass, one);
  Value width = n.shiftLeft(one, pass), twice = n.add(width, width);
  Value start = n.bitAnd(place, n.negate(twice));
  Value middle = n.minimum(n.add(start, width), extent);
  Value end = n.minimum(n.add(start, twice), extent);
  Value isFirst = n.less(place, middle);
  Value position = readOrder(n, orders, from, row, place);
  Value key = readElement(n, row, position);
  // A binary search: how many elements of the neighbour come before. If two are
  // equal, the one in the first run does.
  auto narrow = [&](OpBuilder &builder, Location loc, Value,
                    ValueRange bounds) {
    ScalarBuilder n(loc, builder, builder.getI64Type()), s(loc, builder, type),
        is(loc, builder, builder.getI1Type());
    Value low = bounds[0], high = bounds[1];
    Value half = n.shiftRight(n.add(low, high), one);
    Value other = readElement(
        n, row, readOrder(n, orders, from, row, n.minimum(half, last)));
    Value isLess = isBefore(s, other, key), isMore = isBefore(s, key, other);
    Value isOpen = n.less(low, high);
    Value comesBefore = is.select(isFirst, isLess, is.bitNot(isMore));
    Value goesRight = is.bitAnd(isOpen, comesBefore);
    Value goesLeft = is.bitAnd(isOpen, is.bitNot(comesBefore));
    Value newLow = n.select(goesRight, n.add(half, one), low);
    Value newHigh = n.select(goesLeft, half, high);
    scf::YieldOp::create(builder, loc, ValueRange{newLow, newHigh});
  };
  Value low = n.select(isFirst, middle, start);
  Value high = n.select(isFirst, end, middle);
  Value numSteps = n.toIndex(n.add(pass, one));
  Value first = n.index(0), step = n.index(1);
  auto search = scf::ForOp::create(n, first, numSteps, step,
                                   ValueRange{low, high}, narrow);
  Value target = n.subtract(n.add(place, search.getResult(0)), middle);
  SmallVector<Value> indices = getIndices(n, row, target);
  indices.insert(indices.begin(), n.toIndex(n.bitXor(from, one)));
  return tensor::InsertOp::create(n, position, orders, indices);
}

Value Sorter::getPosition(ScalarBuilder &s, ValueRange place) {
  SmallVector<Value> order = {plane};
  llvm::append_range(order, place);
  return tensor::ExtractOp::create(s, orders, order);
}

Value Sorter::getPositions(const Sizes &sizes, Type elementType) {
  return kernel.map({}, sizes, elementType, [&](ScalarBuilder &s, ValueRange) {
    ScalarBuilder n(s.getLoc(), s, s.getI64Type());
    return n.convert(getPosition(s, getLoops(s, sizes.size())), elementType);
  });
}

Value Sorter::getElements(const Sizes &sizes) {
  return kernel.gather(
      x, sizes, {},
      [&](ScalarBuilder &s, ValueRange, SmallVectorImpl<Value> &indices) {
        llvm::append_range(indices, getLoops(s, sizes.size()));
        Value position = getPosition(s, indices);
        indices[axis] =
            ScalarBuilder(s.getLoc(), s, s.getI64Type()).toIndex(position);
      });
}
