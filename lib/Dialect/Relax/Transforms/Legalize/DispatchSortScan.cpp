//===- DispatchSortScan.cpp - Turn sorts and scans into prim_funcs --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../UniqueFunctions.h"
#include "../Utils.h"
#include "Models.h"
#include "Sorting.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Pass/Pass.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// `axis` of `tensor`, counted from the front. As in TVM, the types of sorts
/// and scans do not say whether it is there.
static FailureOr<int64_t> getAxis(Value tensor, int64_t axis) {
  int64_t rank = getDims(tensor).size();
  axis = fromFront(axis, rank);
  if (axis < 0 || axis >= rank)
    return failure();
  return axis;
}

template <typename OpT>
static LogicalResult lowerSort(OpT op, KernelBuilder &kernel) {
  FailureOr<int64_t> axis = getAxis(op.getData(), op.getAxis());
  if (failed(axis))
    return failure();
  Sorter sorter(kernel, kernel.getTensor(op.getData()),
                kernel.getSizes(op.getData()), *axis, op.getDescending());
  Sizes sizes = kernel.getSizes(op.getResult());
  kernel.set(op.getResult(),
             std::is_same_v<OpT, SortOp>
                 ? sorter.getElements(sizes)
                 : sorter.getPositions(sizes, getNumberType(op.getResult())));
  return success();
}

static LogicalResult lowerTopK(TopKOp op, KernelBuilder &kernel) {
  FailureOr<int64_t> axis = getAxis(op.getData(), op.getAxis());
  if (failed(axis))
    return failure();
  Sorter sorter(kernel, kernel.getTensor(op.getData()),
                kernel.getSizes(op.getData()), *axis, op.getLargest());
  StringRef wanted = op.getRetType();
  Value positions = op->getResults().back();
  Sizes sizes = kernel.getSizes(positions);
  if (wanted != "indices")
    kernel.set(op->getResult(0), sorter.getElements(sizes));
  if (wanted != "values")
    kernel.set(positions, sorter.getPositions(sizes, getNumberType(positions)));
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
  FailureOr<int64_t> found = getAxis(op.getResult(), op.getAxis().value_or(0));
  if (to.isInteger(1) || failed(found))
    return failure();
  int64_t axis = *found;
  Value x = kernel.getTensor(op.getData());
  Sizes sizes = kernel.getSizes(op.getResult());
  if (!op.getAxis())
    x = kernel.reshape(x, kernel.getSizes(op.getData()), sizes);
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
  bool hasChanged = false;
  auto replace = [&](auto op, auto lower) {
    bool isReplaced = replaceWithCheckedSizes(op, [&] {
      return replaceByKernel(op, functions, [&](KernelBuilder &kernel) {
        return lower(op, kernel);
      });
    });
    hasChanged |= isReplaced;
    numOps += isReplaced;
  };
  for (Operation *op : ops)
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](ArgsortOp op) { replace(op, lowerSort<ArgsortOp>); })
        .Case([&](CumprodOp op) { replace(op, lowerScan<CumprodOp>); })
        .Case([&](CumsumOp op) { replace(op, lowerScan<CumsumOp>); })
        .Case([&](SortOp op) { replace(op, lowerSort<SortOp>); })
        .Case([&](TopKOp op) { replace(op, lowerTopK); });
  if (!hasChanged)
    markAllAnalysesPreserved();
}
