//===- DispatchSortScan.cpp - Turn sorts and scans into prim_funcs --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../UniqueFunctions.h"
#include "../Utils.h"
#include "Models.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Pass/Pass.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace partita::relax {
#define GEN_PASS_DEF_DISPATCHSORTSCAN
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct DispatchSortScan : relax::impl::DispatchSortScanBase<DispatchSortScan> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registerLegalizeModels(registry);
  }
  void runOnOperation() override;
};
} // namespace

using Sizes = KernelBuilder::Sizes;

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// The exponent of the least power of 2 that is at least `number`.
static OpFoldResult getLog2Ceil(KernelBuilder &kernel, OpFoldResult number) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return kernel.getIndexAttr(
        llvm::Log2_64_Ceil(std::max<int64_t>(*known, 1)));
  ScalarBuilder n = kernel.getScalars(kernel.getI64Type());
  Value last = n.subtract(n.fromIndex(kernel.toValue(number)), n.integer(1));
  Value zeros = math::CountLeadingZerosOp::create(n, last);
  return n.toIndex(n.subtract(n.integer(64), zeros));
}

namespace {
/// Sorts along one dimension: merges runs of 1, 2, 4 elements and so on.
class Sorter {
public:
  Sorter(KernelBuilder &kernel, Value data, int64_t axis, bool isDescending);

  /// The elements in order, as many as `result` has.
  Value getElements(Value result);
  /// Their positions in the data.
  Value getPositions(Value result);

private:
  Value merge(ScalarBuilder &n, ValueRange at, Value orders);
  /// Whether `a` comes before `b`. A NaN is the largest number.
  Value isBefore(ScalarBuilder &s, Value a, Value b);
  /// `row` with its element at `place`, an i64.
  SmallVector<Value> getIndices(ScalarBuilder &n, ValueRange row, Value place);
  /// The position of the element that is at `place`.
  Value readOrder(ScalarBuilder &n, Value orders, Value plane, ValueRange row,
                  Value place);
  Value readElement(ScalarBuilder &n, ValueRange row, Value position);

  KernelBuilder &kernel;
  Value x;
  int64_t axis;
  bool isDescending;
  Type type;
  OpFoldResult size;
  Value plane;
  /// Two planes of positions, of i64: a pass reads one, and writes the other.
  Value orders;
};
} // namespace

Sorter::Sorter(KernelBuilder &kernel, Value data, int64_t axis,
               bool isDescending)
    : kernel(kernel), x(kernel.getTensor(data)), axis(axis),
      isDescending(isDescending), type(getNumberType(data)) {
  Sizes sizes = kernel.getSizes(data), planes = {kernel.getIndexAttr(2)};
  size = sizes[axis];
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
  auto search = scf::ForOp::create(n, n.index(0), numSteps, n.index(1),
                                   ValueRange{low, high}, narrow);
  Value target = n.subtract(n.add(place, search.getResult(0)), middle);
  SmallVector<Value> indices = getIndices(n, row, target);
  indices.insert(indices.begin(), n.toIndex(n.bitXor(from, one)));
  return tensor::InsertOp::create(n, position, orders, indices);
}

Value Sorter::getPositions(Value result) {
  Type to = getNumberType(result);
  return kernel.map(
      {}, kernel.getSizes(result), to, [&](ScalarBuilder &s, ValueRange) {
        ScalarBuilder n(s.getLoc(), s, s.getI64Type());
        SmallVector<Value> indices = {plane};
        for (int64_t dim : llvm::seq(getDims(result).size()))
          indices.push_back(linalg::IndexOp::create(s, dim));
        return n.convert(tensor::ExtractOp::create(s, orders, indices), to);
      });
}

Value Sorter::getElements(Value result) {
  return kernel.gather(
      x, kernel.getSizes(result), {},
      [&](ScalarBuilder &s, ValueRange, SmallVectorImpl<Value> &indices) {
        SmallVector<Value> order = {plane};
        for (int64_t dim : llvm::seq(getDims(result).size()))
          indices.push_back(linalg::IndexOp::create(s, dim));
        llvm::append_range(order, indices);
        Value position = tensor::ExtractOp::create(s, orders, order);
        indices[axis] =
            ScalarBuilder(s.getLoc(), s, s.getI64Type()).toIndex(position);
      });
}

/// The axis of an op that sorts, counted from the front.
template <typename OpT>
static FailureOr<int64_t> getAxis(OpT op) {
  int64_t rank = getDims(op.getData()).size();
  if (rank == 0)
    return failure();
  return fromFront(op.getAxis(), rank);
}

template <typename OpT>
static LogicalResult lowerSort(OpT op, KernelBuilder &kernel) {
  FailureOr<int64_t> axis = getAxis(op);
  if (failed(axis))
    return failure();
  Sorter sorter(kernel, op.getData(), *axis, op.getDescending());
  kernel.set(op.getResult(), std::is_same_v<OpT, SortOp>
                                 ? sorter.getElements(op.getResult())
                                 : sorter.getPositions(op.getResult()));
  return success();
}

static LogicalResult lowerTopK(TopKOp op, KernelBuilder &kernel) {
  FailureOr<int64_t> axis = getAxis(op);
  if (failed(axis))
    return failure();
  Sorter sorter(kernel, op.getData(), *axis, op.getLargest());
  StringRef wanted = op.getRetType();
  if (wanted != "indices")
    kernel.set(op->getResult(0), sorter.getElements(op->getResult(0)));
  if (wanted != "values") {
    Value positions = op->getResults().back();
    kernel.set(positions, sorter.getPositions(positions));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Combines the elements up to each one, along one dimension or in a row.
template <typename OpT>
static LogicalResult lowerScan(OpT op, KernelBuilder &kernel) {
  constexpr bool isSum = std::is_same_v<OpT, CumsumOp>;
  Type from = getNumberType(op.getData()), to = getNumberType(op.getResult());
  if (to.isInteger(1))
    return failure();
  Value x = kernel.getTensor(op.getData());
  Sizes sizes = kernel.getSizes(op.getResult());
  if (!op.getAxis())
    x = kernel.reshape(x, kernel.getSizes(op.getData()), sizes);
  int64_t axis = fromFront(op.getAxis().value_or(0), sizes.size());
  Type sumType = KernelBuilder::getSumType(to);
  Value start =
      kernel.fill(kernel.getScalars(to).integer(!isSum), sizes, sumType);
  Value sums = buildLoops(
      kernel, sizes, start,
      [&](ScalarBuilder &s, ValueRange at, Value sums) -> Value {
        ScalarBuilder of(s.getLoc(), s, from);
        ScalarBuilder n(s.getLoc(), s, s.getI64Type());
        Value place = n.fromIndex(at[axis]);
        SmallVector<Value> before(at);
        before[axis] =
            n.toIndex(n.maximum(n.subtract(place, n.integer(1)), n.integer(0)));
        Value isFirst = n.equal(place, n.integer(0)), one = s.integer(!isSum);
        Value sofar = s.select(
            isFirst, one, s.load(tensor::ExtractOp::create(s, sums, before)));
        Value element =
            of.convert(of.load(tensor::ExtractOp::create(
                           s, x, op.getExclusive() ? ValueRange(before) : at)),
                       to);
        if (op.getExclusive())
          element = s.select(isFirst, one, element);
        Value sum = isSum ? s.add(sofar, element) : s.multiply(sofar, element);
        return tensor::InsertOp::create(s, s.store(sum), sums, at);
      });
  kernel.set(op.getResult(), kernel.narrow(sums, to));
  return success();
}

void DispatchSortScan::runOnOperation() {
  UniqueFunctions functions(getOperation());
  SmallVector<Operation *> ops;
  for (FuncOp func : getOperation().getOps<FuncOp>())
    if (!partita::transform::skipsOptimization(func))
      func.walk([&](Operation *op) { ops.push_back(op); });
  auto replace = [&](auto op, auto lower) {
    numOps += replaceByKernel(op, functions, [&](KernelBuilder &kernel) {
      return lower(op, kernel);
    });
  };
  for (Operation *op : ops)
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](ArgsortOp op) { replace(op, lowerSort<ArgsortOp>); })
        .Case([&](CumprodOp op) { replace(op, lowerScan<CumprodOp>); })
        .Case([&](CumsumOp op) { replace(op, lowerScan<CumsumOp>); })
        .Case([&](SortOp op) { replace(op, lowerSort<SortOp>); })
        .Case([&](TopKOp op) { replace(op, lowerTopK); });
}
