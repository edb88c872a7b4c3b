//===- DynamicSlices.cpp - Lower slices whose bounds are computed ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../NarrowTypes.h"
#include "Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace partita::relax;

namespace {
/// A slice in one dimension, in i64. The stride is not 0.
struct SlicedDim {
  Value begin, end, stride;
};
} // namespace

/// Reads the slice in dimension `at`. A negative bound counts from the end of
/// `extent` elements, and no bound is outside.
static SlicedDim readSlice(ScalarBuilder &n, ValueRange bounds, Value at,
                           Value extent) {
  auto load = [&](Value tensor) -> Value {
    return tensor::ExtractOp::create(n, tensor, at);
  };
  Value zero = n.integer(0), one = n.integer(1), stride = load(bounds[2]);
  stride = n.select(n.equal(stride, zero), one, stride);
  Value isBackward = n.less(stride, zero);
  Value least = n.select(isBackward, n.integer(-1), zero);
  Value most = n.select(isBackward, n.subtract(extent, one), extent);
  auto limit = [&](Value bound) {
    Value isNegative = n.less(bound, zero);
    bound = n.select(isNegative, n.add(bound, extent), bound);
    return n.minimum(n.maximum(bound, least), most);
  };
  Value begin = limit(load(bounds[0]));
  return {begin, limit(load(bounds[1])), stride};
}

/// The bounds and the strides.
static SmallVector<Value> getBounds(DynamicStridedSliceOp op,
                                    KernelBuilder &kernel) {
  return {kernel.getTensor(op.getBegin()), kernel.getTensor(op.getEnd()),
          kernel.getTensor(op.getStrides())};
}

/// Computes the sizes of the slice.
static LogicalResult buildSizes(DynamicStridedSliceOp op,
                                KernelBuilder &kernel) {
  kernel.setName("shape_func");
  SmallVector<Value> bounds = getBounds(op, kernel);
  ScalarBuilder i64 = kernel.getScalars(kernel.getI64Type());
  SmallVector<Value> extents =
      llvm::map_to_vector(kernel.getSizes(op.getX()), [&](OpFoldResult size) {
        return i64.fromIndex(kernel.toValue(size));
      });
  auto getSize = [&](ScalarBuilder &n, ValueRange) {
    Value at = linalg::IndexOp::create(n, 0), extent = extents.front();
    for (auto [dim, size] : llvm::enumerate(extents))
      extent = n.select(
          arith::CmpIOp::create(n, arith::CmpIPredicate::eq, at, n.index(dim)),
          size, extent);
    SlicedDim slice = readSlice(n, bounds, at, extent);
    Value one = n.integer(1), zero = n.integer(0),
          step = n.absolute(slice.stride),
          length = n.subtract(slice.end, slice.begin);
    Value isBackward = n.less(slice.stride, zero);
    length = n.select(isBackward, n.negate(length), length);
    Value count = n.divide(n.add(length, n.subtract(step, one)), step);
    return n.select(n.greater(length, zero), count, zero);
  };
  kernel.set(op.getResult(), kernel.map({}, kernel.getSizes(op.getResult()),
                                        kernel.getI64Type(), getSize));
  return success();
}

static LogicalResult buildSlice(DynamicStridedSliceOp op,
                                KernelBuilder &kernel) {
  SmallVector<Value> bounds = getBounds(op, kernel);
  Value x = kernel.getTensor(op.getX());
  SmallVector<Value> extents =
      llvm::map_to_vector(kernel.getSizes(op.getX()), [&](OpFoldResult size) {
        return kernel.toValue(size);
      });
  auto setIndices = [&](ScalarBuilder &s, ValueRange,
                        SmallVectorImpl<Value> &indices) {
    ScalarBuilder n(s.getLoc(), s, s.getI64Type());
    SmallVector<Value> loops = getLoops(s, extents.size());
    for (auto [dim, extent] : llvm::enumerate(extents)) {
      Value at = n.index(dim);
      SlicedDim slice = readSlice(n, bounds, at, n.fromIndex(extent));
      Value offset = n.multiply(n.fromIndex(loops[dim]), slice.stride);
      Value place = n.toIndex(n.add(slice.begin, offset));
      indices.push_back(clampIndex(s, place, extent));
    }
  };
  kernel.set(op.getResult(),
             kernel.gather(x, kernel.getSizes(op.getResult()), {}, setIndices));
  return success();
}

/// Calls the kernel that `build` makes of `op` with a result of type `type`.
static CallTIROp
callKernel(DynamicStridedSliceOp op, Type type, UniqueFunctions &functions,
           LogicalResult (*build)(DynamicStridedSliceOp, KernelBuilder &)) {
  OpBuilder builder(op);
  OperationState state(op.getLoc(), op->getName(), op->getOperands(), type);
  auto typed = cast<DynamicStridedSliceOp>(builder.create(state));
  CallTIROp call =
      replaceByKernel(typed, functions, [&](KernelBuilder &kernel) {
        return build(typed, kernel);
      });
  if (!call)
    typed->erase();
  return call;
}

bool partita::relax::legalizeDynamicSlice(DynamicStridedSliceOp op,
                                          UniqueFunctions &functions,
                                          DenseSet<StringAttr> &names) {
  std::optional<TensorInfo> info = TensorInfo::get(op.getX().getType());
  auto bounds = dyn_cast<RankedTensorType>(op.getBegin().getType());
  if (!info || !info->isRanked || info->dims.empty() || !bounds ||
      !bounds.hasStaticShape() ||
      bounds.getNumElements() != int64_t(info->dims.size()) ||
      op.getEnd().getType() != bounds || op.getStrides().getType() != bounds)
    return false;
  CallTIROp sizes = callKernel(op, bounds, functions, buildSizes);
  if (!sizes)
    return false;
  sizes->setLoc(withoutName(op.getLoc()));
  OpBuilder builder(op);
  auto toShape = TensorToShapeOp::create(builder, withoutName(op.getLoc()),
                                         sizes->getResult(0));
  ShapeOp shape = decomposeShape(toShape, names);
  info->setDims(shape.getDims().getDims());
  CallTIROp slice =
      callKernel(op, info->getType(op.getContext()), functions, buildSlice);
  op.getResult().replaceAllUsesWith(slice->getResult(0));
  op->erase();
  if (shape->use_empty())
    shape->erase();
  return true;
}
