//===- RelaxInferNN.cpp - Types of ops of neural networks -----------------===//
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
// Normalization
//===----------------------------------------------------------------------===//

/// Verifies that `value` has element type `element` and dimensions `dims`.
static LogicalResult checkParameter(OptionalLoc loc, Value value,
                                    StringRef name, ArrayRef<Dim> dims,
                                    Type element) {
  FailureOr<RankedTensorType> type = getTensor(loc, value, name);
  if (failed(type))
    return failure();
  SmallVector<Dim> actual = getDims(*type);
  if (type->getElementType() == element &&
      llvm::all_of_zip(actual, dims, mayBeEqual))
    return success();
  return emitOptionalError(loc, "expected '", name, "' to have shape ",
                           toString(dims), " and element type ", element,
                           " to fit the data, found ", *type);
}

FailureOr<Type> partita::relax::inferLayerNorm(OptionalLoc loc,
                                               LayerNormOp::Adaptor op) {
  FailureOr<RankedTensorType> data = getTensor(loc, op.getData(), "data");
  if (failed(data))
    return failure();
  if (!op.getAxesAttr())
    return emitOptionalError(loc, "expected an attribute 'axes'");
  FailureOr<SmallVector<int64_t>> axes =
      normalizeAxes(loc, op.getAxes(), data->getRank());
  if (failed(axes))
    return failure();
  SmallVector<Dim> dims = getDims(*data);
  SmallVector<Dim> normalized =
      llvm::map_to_vector(*axes, [&](int64_t axis) { return dims[axis]; });
  Type element = data->getElementType();
  if (failed(
          checkParameter(loc, op.getGamma(), "gamma", normalized, element)) ||
      failed(checkParameter(loc, op.getBeta(), "beta", normalized, element)))
    return failure();
  return Type(*data);
}

LogicalResult partita::relax::inferBatchNorm(OptionalLoc loc,
                                             BatchNormOp::Adaptor op,
                                             SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> data = getTensor(loc, op.getData(), "data");
  if (failed(data))
    return failure();
  if (!op.getAxisAttr())
    return emitOptionalError(loc, "expected an attribute 'axis'");
  FailureOr<int64_t> axis = normalizeAxis(loc, op.getAxis(), data->getRank());
  if (failed(axis))
    return failure();
  Dim channels = getDims(*data)[*axis];
  std::pair<Value, StringRef> parameters[] = {
      {op.getGamma(), "gamma"},
      {op.getBeta(), "beta"},
      {op.getMovingMean(), "moving_mean"},
      {op.getMovingVar(), "moving_var"}};
  for (auto [value, name] : parameters)
    if (failed(
            checkParameter(loc, value, name, channels, data->getElementType())))
      return failure();
  types.assign(
      {*data, op.getMovingMean().getType(), op.getMovingVar().getType()});
  return success();
}

LogicalResult SoftmaxOp::verify() {
  return normalizeAxis(getLoc(), getAxis(), getData().getType().getRank());
}

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

/// The dimensions of `type`, which are in the order `layout`, in the order
/// `canonical`, which has the same letters.
static FailureOr<SmallVector<Dim>> toCanonical(OptionalLoc loc,
                                               RankedTensorType type,
                                               StringRef layout,
                                               StringRef canonical) {
  if (type.getRank() != static_cast<int64_t>(layout.size()))
    return emitOptionalError(loc, "expected a tensor of rank ", layout.size(),
                             " for layout '", layout, "', found ", type);
  SmallVector<Dim> dims = getDims(type);
  return llvm::map_to_vector(
      canonical, [&](char letter) { return dims[layout.find(letter)]; });
}

/// The inverse of toCanonical.
static Type fromCanonical(ArrayRef<Dim> dims, StringRef layout,
                          StringRef canonical, Type element) {
  return getTensorType(
      llvm::map_to_vector(
          layout, [&](char letter) { return dims[canonical.find(letter)]; }),
      element);
}

static LogicalResult checkLayout(OptionalLoc loc, StringRef name,
                                 StringRef layout, StringRef canonical) {
  if (layout.size() == canonical.size() &&
      std::is_permutation(layout.begin(), layout.end(), canonical.begin()))
    return success();
  return emitOptionalError(loc, "expected '", name, "' to be a permutation of ",
                           canonical, ", found '", layout, "'");
}

/// Verifies that `values` are `count` numbers of at least `least`.
static LogicalResult checkNumbers(OptionalLoc loc, StringRef name,
                                  ArrayRef<int64_t> values, size_t count,
                                  int64_t least) {
  if (values.size() != count)
    return emitOptionalError(loc, "expected '", name, "' to be ", count,
                             " numbers, found ", values.size());
  for (int64_t value : values)
    if (value < least)
      return emitOptionalError(loc, "expected '", name, "' to be at least ",
                               least, ", found ", value);
  return success();
}

namespace {
/// A window that moves along one dimension.
struct Window {
  Dim size;
  int64_t stride, dilation, before, after;
  bool ceilMode;
};
} // namespace

/// How many places `window` takes in a dimension `input`.
static FailureOr<Dim> countWindows(OptionalLoc loc, Dim input,
                                   const Window &window) {
  using llvm::checkedAdd, llvm::checkedMulAdd;
  if (!window.size.isNumber())
    return Dim();
  if (window.size.getSize() < 1)
    return emitOptionalError(loc, "expected a window of at least 1, found ",
                             window.size.getSize());
  std::optional<int64_t> reach =
      checkedMulAdd<int64_t>(window.dilation, window.size.getSize() - 1, 1);
  std::optional<int64_t> padding =
      checkedAdd<int64_t>(window.before, window.after);
  if (!input.isNumber())
    return window.stride == 1 && reach && padding && *padding == *reach - 1
               ? input
               : Dim();
  std::optional<int64_t> padded =
      padding ? checkedAdd(input.getSize(), *padding) : std::nullopt;
  // Room for rounding up.
  if (!reach || !padded || !checkedAdd(*padded, window.stride))
    return emitOptionalError(
        loc,
        "expected sizes that fit in 64 bits, found a window that does not "
        "in a dimension of size ",
        input.getSize());
  if (*padded < *reach)
    return emitOptionalError(loc,
                             "expected a window no larger than the padded "
                             "input, ",
                             *padded, ", found ", *reach);
  int64_t room = *padded - *reach;
  if (!window.ceilMode)
    return Dim(room / window.stride + 1);
  int64_t last = (room + window.stride - 1) / window.stride;
  // A last window that starts in the padding after the input covers no input.
  if (last * window.stride >= input.getSize() + window.before)
    --last;
  return Dim(last + 1);
}

FailureOr<Type> partita::relax::inferConv2D(OptionalLoc loc,
                                            Conv2DOp::Adaptor op) {
  FailureOr<RankedTensorType> data = getTensor(loc, op.getData(), "data");
  FailureOr<RankedTensorType> weight = getTensor(loc, op.getWeight(), "weight");
  if (failed(data) || failed(weight))
    return failure();
  int64_t groups = op.getGroups();
  if (failed(checkNumbers(loc, "strides", op.getStrides(), 2, 1)) ||
      failed(checkNumbers(loc, "padding", op.getPadding(), 4, 0)) ||
      failed(checkNumbers(loc, "dilation", op.getDilation(), 2, 1)) ||
      failed(checkNumbers(loc, "groups", groups, 1, 1)) ||
      failed(checkLayout(loc, "data_layout", op.getDataLayout(), "NCHW")) ||
      failed(checkLayout(loc, "kernel_layout", op.getKernelLayout(), "OIHW")) ||
      failed(checkLayout(loc, "out_layout", op.getOutLayout(), "NCHW")))
    return failure();
  FailureOr<Type> element =
      inferElementType(loc, *data, *weight, op.getOutDtypeAttr());
  FailureOr<SmallVector<Dim>> nchw =
      toCanonical(loc, *data, op.getDataLayout(), "NCHW");
  FailureOr<SmallVector<Dim>> oihw =
      toCanonical(loc, *weight, op.getKernelLayout(), "OIHW");
  if (failed(element) || failed(nchw) || failed(oihw))
    return failure();

  Dim inputs = (*nchw)[1], perGroup = (*oihw)[1], outputs = (*oihw)[0];
  bool fits = groups > 1 || mayBeEqual(inputs, perGroup);
  if (inputs.isNumber() && perGroup.isNumber())
    fits = llvm::checkedMul(perGroup.getSize(), groups) == inputs.getSize();
  if (!fits)
    return emitOptionalError(
        loc, "expected as many channels in the data as in the weight times ",
        groups, " groups, found ", toString(inputs), " and ",
        toString(perGroup));
  if (outputs.isNumber() && outputs.getSize() % groups)
    return emitOptionalError(loc, "expected output channels divisible by ",
                             groups, " groups, found ", outputs.getSize());

  SmallVector<Dim> result = {(*nchw)[0], outputs};
  for (unsigned axis : {0, 1}) {
    FailureOr<Dim> size = countWindows(
        loc, (*nchw)[2 + axis],
        {(*oihw)[2 + axis], op.getStrides()[axis], op.getDilation()[axis],
         op.getPadding()[axis], op.getPadding()[2 + axis],
         /*ceilMode=*/false});
    if (failed(size))
      return failure();
    result.push_back(*size);
  }
  return fromCanonical(result, op.getOutLayout(), "NCHW", *element);
}

FailureOr<Type> partita::relax::inferPool2D(OptionalLoc loc, Value data,
                                            const Pool2D &pool) {
  FailureOr<RankedTensorType> type = getTensor(loc, data, "data");
  if (failed(type) ||
      failed(checkNumbers(loc, "pool_size", pool.poolSize, 2, 1)) ||
      failed(checkNumbers(loc, "strides", pool.strides, 2, 1)) ||
      failed(checkNumbers(loc, "dilation", pool.dilation, 2, 1)) ||
      failed(checkNumbers(loc, "padding", pool.padding, 4, 0)) ||
      failed(checkLayout(loc, "layout", pool.layout, "NCHW")) ||
      failed(checkLayout(loc, "out_layout", pool.outLayout, "NCHW")))
    return failure();
  FailureOr<SmallVector<Dim>> dims =
      toCanonical(loc, *type, pool.layout, "NCHW");
  if (failed(dims))
    return failure();
  for (unsigned axis : {0, 1}) {
    FailureOr<Dim> size = countWindows(loc, (*dims)[2 + axis],
                                       {pool.poolSize[axis], pool.strides[axis],
                                        pool.dilation[axis], pool.padding[axis],
                                        pool.padding[2 + axis], pool.ceilMode});
    if (failed(size))
      return failure();
    (*dims)[2 + axis] = *size;
  }
  return fromCanonical(*dims, pool.outLayout, "NCHW", type->getElementType());
}
