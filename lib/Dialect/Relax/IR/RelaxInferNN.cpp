//===- RelaxInferNN.cpp - Types of ops of neural networks ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

/// Verifies that `parameter` has the data's element type and dimensions `dims`
/// (any, if the data's rank is unknown).
static LogicalResult checkParameter(OptionalLoc loc, NamedValue parameter,
                                    const TensorInfo &data,
                                    ArrayRef<Dim> dims) {
  FailureOr<TensorInfo> info =
      getTensor(loc, parameter.first, parameter.second);
  if (failed(info))
    return failure();
  bool areElementsEqual = !info->elementType || !data.elementType ||
                          info->elementType == data.elementType;
  if (areElementsEqual && (!info->isRanked || !data.isRanked ||
                           llvm::all_of_zip(info->dims, dims, mayBeEqual)))
    return success();
  return emitOptionalError(
      loc, "expected '", parameter.second, "' to have shape ", toString(dims),
      " and element type ", data.elementType, " to fit the data, found ",
      parameter.first.getType());
}

FailureOr<Type>
partita::relax::inferNormalized(OptionalLoc loc, Value data,
                                std::initializer_list<NamedValue> parameters,
                                ArrayRef<int64_t> axes) {
  FailureOr<TensorInfo> info = getTensor(loc, data, "data");
  if (failed(info))
    return failure();
  SmallVector<Dim> normalized;
  if (info->isRanked) {
    FailureOr<SmallVector<int64_t>> known =
        normalizeAxes(loc, axes, info->getRank());
    if (failed(known))
      return failure();
    normalized = llvm::map_to_vector(
        *known, [&](int64_t axis) { return info->dims[axis]; });
  }
  for (NamedValue parameter : parameters)
    if (failed(checkParameter(loc, parameter, *info, normalized)))
      return failure();
  return data.getType();
}

FailureOr<Type> partita::relax::inferChannelNorm(
    OptionalLoc loc, Value data, std::initializer_list<NamedValue> parameters,
    int64_t channelAxis, ArrayRef<int64_t> axes, int64_t groups) {
  FailureOr<TensorInfo> info = getTensor(loc, data, "data");
  if (failed(info))
    return failure();
  Dim channels;
  if (info->isRanked) {
    FailureOr<int64_t> channel =
        normalizeAxis(loc, channelAxis, info->getRank());
    FailureOr<SmallVector<int64_t>> normalized =
        normalizeAxes(loc, axes, info->getRank());
    if (failed(channel) || failed(normalized))
      return failure();
    if (llvm::is_contained(*normalized, *channel))
      return emitOptionalError(
          loc, "expected 'axes' without the channels' axis, found ", *channel);
    channels = info->dims[*channel];
  }
  if (groups < 1 || (channels.isNumber() && channels.getSize() % groups))
    return emitOptionalError(loc,
                             "expected 'num_groups' to divide the channels, ",
                             channels, ", found ", groups);
  for (NamedValue parameter : parameters)
    if (failed(checkParameter(loc, parameter, *info, channels)))
      return failure();
  return data.getType();
}

LogicalResult partita::relax::inferBatchNorm(OptionalLoc loc,
                                             BatchNormOp::Adaptor op,
                                             TypeList &types) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  if (failed(data))
    return failure();
  Dim channels;
  if (data->isRanked) {
    FailureOr<int64_t> axis = normalizeAxis(loc, op.getAxis(), data->getRank());
    if (failed(axis))
      return failure();
    channels = data->dims[*axis];
  }
  NamedValue parameters[] = {{op.getGamma(), "gamma"},
                             {op.getBeta(), "beta"},
                             {op.getMovingMean(), "moving_mean"},
                             {op.getMovingVar(), "moving_var"}};
  for (NamedValue parameter : parameters)
    if (failed(checkParameter(loc, parameter, *data, channels)))
      return failure();
  types.assign({op.getData().getType(), op.getMovingMean().getType(),
                op.getMovingVar().getType()});
  return success();
}

LogicalResult partita::relax::inferDropout(OptionalLoc loc,
                                           DropoutOp::Adaptor op,
                                           TypeList &types) {
  if (failed(getTensor(loc, op.getData(), "data")))
    return failure();
  types.append(2, op.getData().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

namespace {
/// One dimension of a layout: the whole dimension of a letter, or the part of
/// it that is `factor` long.
struct LayoutDim {
  char letter;
  int64_t factor;
};
} // namespace

/// The dimensions of a layout such as NCHW4c; nothing if it is none.
static std::optional<SmallVector<LayoutDim>> parseLayout(StringRef layout) {
  SmallVector<LayoutDim> dims;
  while (!layout.empty()) {
    int64_t factor = 0;
    if (llvm::isDigit(layout.front()) &&
        (layout.consumeInteger(10, factor) || factor < 1 || layout.empty()))
      return std::nullopt;
    char letter = layout.front();
    layout = layout.drop_front();
    if (!llvm::isAlpha(letter) || (factor != 0) != llvm::isLower(letter))
      return std::nullopt;
    dims.push_back({llvm::toUpper(letter), factor});
  }
  return dims;
}

LogicalResult partita::relax::checkLayout(OptionalLoc loc, StringRef name,
                                          StringRef layout,
                                          StringRef canonical) {
  std::optional<SmallVector<LayoutDim>> dims = parseLayout(layout);
  std::string letters;
  bool areKnown = dims.has_value();
  for (LayoutDim dim : dims.value_or(SmallVector<LayoutDim>())) {
    if (dim.factor == 0)
      letters += dim.letter;
    areKnown &= canonical.contains(dim.letter);
  }
  if (areKnown && letters.size() == canonical.size() &&
      std::is_permutation(letters.begin(), letters.end(), canonical.begin()))
    return success();
  return emitOptionalError(loc, "expected '", name, "' to be a permutation of ",
                           canonical, ", found '", layout, "'");
}

FailureOr<SmallVector<Dim>>
partita::relax::toCanonical(OptionalLoc loc, const TensorInfo &tensor,
                            StringRef layout, StringRef canonical) {
  SmallVector<LayoutDim> parts = *parseLayout(layout);
  if (tensor.isRanked && tensor.dims.size() != parts.size())
    return emitOptionalError(loc, "expected a tensor of rank ", parts.size(),
                             " for layout '", layout, "', found rank ",
                             tensor.getRank());
  SmallVector<Dim> result(canonical.size(), tensor.isRanked ? Dim(1) : Dim());
  if (tensor.isRanked)
    for (auto [dim, part] : llvm::zip_equal(tensor.dims, parts)) {
      Dim &whole = result[canonical.find(part.letter)];
      whole = whole * (part.factor ? Dim(part.factor) : dim);
    }
  return result;
}

SmallVector<Dim> partita::relax::fromCanonical(ArrayRef<Dim> dims,
                                               StringRef layout,
                                               StringRef canonical) {
  SmallVector<LayoutDim> parts = *parseLayout(layout);
  return llvm::map_to_vector(parts, [&](LayoutDim part) {
    if (part.factor)
      return Dim(part.factor);
    Dim size = dims[canonical.find(part.letter)];
    for (LayoutDim inner : parts)
      if (inner.letter == part.letter && inner.factor)
        size = ceilDiv(size, Dim(inner.factor));
    return size;
  });
}

/// A tensor of the dimensions `dims`, which are in the order of `canonical`.
static Type makeResult(MLIRContext *context, Type elementType,
                       Attribute vdevice, ArrayRef<Dim> dims, StringRef layout,
                       StringRef canonical) {
  TensorInfo result(fromCanonical(dims, layout, canonical), elementType);
  result.vdevice = vdevice;
  return result.getType(context);
}

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

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
  if (!window.size.isNumber()) {
    if (window.ceilMode)
      return Dim();
    Dim room = input + Dim(window.before) + Dim(window.after) +
               Dim(window.dilation) - window.size * Dim(window.dilation) -
               Dim(1);
    return floorDiv(room, Dim(window.stride)) + Dim(1);
  }
  if (window.size.getSize() < 1)
    return emitOptionalError(loc, "expected a window of at least 1, found ",
                             window.size.getSize());
  std::optional<int64_t> reach =
      checkedMulAdd<int64_t>(window.dilation, window.size.getSize() - 1, 1);
  std::optional<int64_t> padding =
      checkedAdd<int64_t>(window.before, window.after);
  if (!input.isNumber()) {
    if (!reach || !padding)
      return Dim();
    // As in TVM, the last window goes only if it starts in the padding after
    // the input whatever the size of the input is.
    int64_t rounding = window.ceilMode ? window.stride - 1 : 0;
    bool isLastOutside = window.ceilMode && window.after >= *reach;
    std::optional<int64_t> more = checkedAdd(*padding, rounding);
    if (!more)
      return Dim();
    Dim room = *more >= *reach ? input + Dim(*more - *reach)
                               : input - Dim(*reach - *more);
    return floorDiv(room, Dim(window.stride)) + Dim(isLastOutside ? 0 : 1);
  }
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

namespace {
/// The types and dimensions that the inference of all convolutions uses.
struct ConvTypes {
  TensorInfo data, weight;
  Type elementType;
  /// The dimensions in the order NC.., and OI.. or IO...
  SmallVector<Dim> input, kernel;
  std::string canonical;
};
} // namespace

static LogicalResult readConv(OptionalLoc loc, StringRef dims, const Conv &conv,
                              StringRef kernel, ConvTypes &types) {
  FailureOr<TensorInfo> data = getTensor(loc, conv.data, "data");
  FailureOr<TensorInfo> weight = getTensor(loc, conv.weight, "weight");
  if (failed(data) || failed(weight))
    return failure();
  types.canonical = ("NC" + dims).str();
  std::string kernelLayout = (kernel + dims).str();
  size_t rank = dims.size();
  if (failed(checkNumbers(loc, "strides", conv.strides, rank, 1)) ||
      failed(checkNumbers(loc, "padding", conv.padding, 2 * rank, 0)) ||
      failed(checkNumbers(loc, "dilation", conv.dilation, rank, 1)) ||
      failed(checkNumbers(loc, "groups", conv.groups, 1, 1)) ||
      failed(
          checkLayout(loc, "data_layout", conv.dataLayout, types.canonical)) ||
      failed(
          checkLayout(loc, "kernel_layout", conv.kernelLayout, kernelLayout)) ||
      failed(checkLayout(loc, "out_layout", conv.outLayout, types.canonical)))
    return failure();
  FailureOr<Type> element =
      inferElementType(loc, *data, *weight, conv.outDtype);
  FailureOr<SmallVector<Dim>> input =
      toCanonical(loc, *data, conv.dataLayout, types.canonical);
  FailureOr<SmallVector<Dim>> kernelDims =
      toCanonical(loc, *weight, conv.kernelLayout, kernelLayout);
  if (failed(element) || failed(input) || failed(kernelDims))
    return failure();
  types.data = *data;
  types.weight = *weight;
  types.elementType = *element;
  types.input = *input;
  types.kernel = *kernelDims;
  return success();
}

static Type finishConv(const Conv &conv, const ConvTypes &types,
                       ArrayRef<Dim> dims) {
  return makeResult(conv.data.getContext(), types.elementType,
                    inferVDevice(types.data, types.weight), dims,
                    conv.outLayout, types.canonical);
}

/// Whether `groups` may divide the dimension.
static bool isDivisible(Dim dim, int64_t groups) {
  return mayBeEqual(dim, floorDiv(dim, groups) * Dim(groups));
}

FailureOr<Type> partita::relax::inferConv(OptionalLoc loc, StringRef dims,
                                          const Conv &conv) {
  ConvTypes types;
  if (failed(readConv(loc, dims, conv, "OI", types)))
    return failure();
  int64_t groups = conv.groups;
  Dim inputs = types.input[1], perGroup = types.kernel[1],
      outputs = types.kernel[0];
  bool fits = mayBeEqual(inputs, perGroup * Dim(groups));
  if (inputs.isNumber() && perGroup.isNumber())
    fits = llvm::checkedMul(perGroup.getSize(), groups) == inputs.getSize();
  if (!fits)
    return emitOptionalError(
        loc, "expected as many channels in the data as in the weight times ",
        groups, " groups, found ", toString(inputs), " and ",
        toString(perGroup));
  if (!isDivisible(outputs, groups))
    return emitOptionalError(loc, "expected output channels divisible by ",
                             groups, " groups, found ", outputs);

  SmallVector<Dim> result = {types.input[0], outputs};
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    FailureOr<Dim> size = countWindows(
        loc, types.input[2 + axis],
        {types.kernel[2 + axis], conv.strides[axis], conv.dilation[axis],
         conv.padding[axis], conv.padding[dims.size() + axis],
         /*ceilMode=*/false});
    if (failed(size))
      return failure();
    result.push_back(*size);
  }
  return finishConv(conv, types, result);
}

FailureOr<Type>
partita::relax::inferConvTranspose(OptionalLoc loc, StringRef dims,
                                   const Conv &conv,
                                   ArrayRef<int64_t> outputPadding) {
  ConvTypes types;
  if (failed(readConv(loc, dims, conv, "IO", types)) ||
      failed(
          checkNumbers(loc, "output_padding", outputPadding, dims.size(), 0)))
    return failure();
  Dim inputs = types.input[1], kernelInputs = types.kernel[0];
  if (!mayBeEqual(inputs, kernelInputs))
    return emitOptionalError(
        loc, "expected as many channels in the data as in the weight, found ",
        toString(inputs), " and ", toString(kernelInputs));
  if (!isDivisible(kernelInputs, conv.groups))
    return emitOptionalError(loc, "expected input channels divisible by ",
                             conv.groups, " groups, found ", kernelInputs);
  SmallVector<Dim> result = {types.input[0],
                             types.kernel[1] * Dim(conv.groups)};
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (outputPadding[axis] >= conv.strides[axis])
      return emitOptionalError(loc,
                               "expected 'output_padding' to be below the "
                               "stride, ",
                               conv.strides[axis], ", found ",
                               outputPadding[axis]);
    // Sum up the positive terms and the subtracted terms separately.
    Dim more = types.input[2 + axis] * Dim(conv.strides[axis]) +
               types.kernel[2 + axis] * Dim(conv.dilation[axis]) +
               Dim(outputPadding[axis]) + Dim(1);
    Dim less = Dim(conv.strides[axis]) + Dim(conv.dilation[axis]) +
               Dim(conv.padding[axis]) + Dim(conv.padding[dims.size() + axis]);
    result.push_back(more - less);
  }
  return finishConv(conv, types, result);
}

FailureOr<Type> partita::relax::inferPool(OptionalLoc loc, StringRef dims,
                                          Value data, const Pool &pool) {
  FailureOr<TensorInfo> info = getTensor(loc, data, "data");
  std::string canonical = ("NC" + dims).str();
  size_t rank = dims.size();
  if (failed(info) ||
      failed(checkNumbers(loc, "pool_size", pool.poolSize, rank, 1)) ||
      failed(checkNumbers(loc, "strides", pool.strides, rank, 1)) ||
      failed(checkNumbers(loc, "dilation", pool.dilation, rank, 1)) ||
      failed(checkNumbers(loc, "padding", pool.padding, 2 * rank, 0)) ||
      failed(checkLayout(loc, "layout", pool.layout, canonical)) ||
      failed(checkLayout(loc, "out_layout", pool.outLayout, canonical)))
    return failure();
  FailureOr<SmallVector<Dim>> result =
      toCanonical(loc, *info, pool.layout, canonical);
  if (failed(result))
    return failure();
  for (size_t axis = 0; axis < rank; ++axis) {
    FailureOr<Dim> size = countWindows(
        loc, (*result)[2 + axis],
        {pool.poolSize[axis], pool.strides[axis], pool.dilation[axis],
         pool.padding[axis], pool.padding[rank + axis], pool.ceilMode});
    if (failed(size))
      return failure();
    (*result)[2 + axis] = *size;
  }
  return makeResult(data.getContext(), info->elementType, info->vdevice,
                    *result, pool.outLayout, canonical);
}

FailureOr<Type> partita::relax::inferAdaptivePool(OptionalLoc loc,
                                                  StringRef dims, Value data,
                                                  OptionalAxes outputSize,
                                                  StringRef layout,
                                                  StringRef outLayout) {
  FailureOr<TensorInfo> info = getTensor(loc, data, "data");
  std::string canonical = ("NC" + dims).str();
  if (failed(info) ||
      (outputSize &&
       failed(checkNumbers(loc, "output_size", *outputSize, dims.size(), 1))) ||
      failed(checkLayout(loc, "layout", layout, canonical)) ||
      failed(checkLayout(loc, "out_layout", outLayout, canonical)))
    return failure();
  FailureOr<SmallVector<Dim>> result =
      toCanonical(loc, *info, layout, canonical);
  if (failed(result))
    return failure();
  if (!outputSize && layout == outLayout && info->isRanked)
    return data.getType();
  for (size_t axis = 0; outputSize && axis < dims.size(); ++axis)
    (*result)[2 + axis] = (*outputSize)[axis];
  return makeResult(data.getContext(), info->elementType, info->vdevice,
                    *result, outLayout, canonical);
}

//===----------------------------------------------------------------------===//
// Attention, losses and others
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferAttention(OptionalLoc loc,
                                               ValueRange operands) {
  FailureOr<TensorInfo> query = getTensor(loc, operands[0], "query");
  FailureOr<TensorInfo> key = getTensor(loc, operands[1], "key");
  FailureOr<TensorInfo> value = getTensor(loc, operands[2], "value");
  if (failed(query) || failed(key) || failed(value))
    return failure();
  for (TensorInfo *info : {&*query, &*key, &*value}) {
    if (info->isRanked && info->getRank() != 4)
      return emitOptionalError(loc,
                               "expected query, key and value of rank 4, "
                               "found rank ",
                               info->getRank());
    if (!info->isRanked)
      info->setRank(4);
  }
  std::pair<Dim, Dim> equals[] = {{query->dims[0], key->dims[0]},
                                  {query->dims[0], value->dims[0]},
                                  {key->dims[1], value->dims[1]},
                                  {query->dims[3], key->dims[3]}};
  for (auto [a, b] : equals)
    if (!mayBeEqual(a, b))
      return emitOptionalError(loc,
                               "expected query, key and value to agree in "
                               "batch, length and head size, found ",
                               toString(a), " and ", toString(b));
  Dim heads = query->dims[2];
  for (Dim others : {key->dims[2], value->dims[2]})
    if (heads.isNumber() && others.isNumber() && others != Dim(0) &&
        heads.getSize() % others.getSize() != 0)
      return emitOptionalError(loc,
                               "expected the query's heads to be a multiple of "
                               "the key's and the value's, found ",
                               toString(heads), " and ", toString(others));
  if (operands.size() == 4) {
    FailureOr<TensorInfo> bias = getTensor(loc, operands[3], "bias");
    if (failed(bias))
      return failure();
    Dim dims[] = {query->dims[0], heads, query->dims[1], key->dims[1]};
    bool fits = !bias->isRanked || bias->getRank() == 4;
    for (size_t i = 0; fits && i < bias->dims.size(); ++i)
      fits = (i < 3 && bias->dims[i] == Dim(1)) ||
             mayBeEqual(dims[i], bias->dims[i]);
    if (!fits)
      return emitOptionalError(loc,
                               "expected 'bias' to have a shape that "
                               "broadcasts to ",
                               toString(dims), ", found ",
                               operands[3].getType());
  }
  query->setDims(
      {query->dims[0], query->dims[1], query->dims[2], value->dims[3]});
  return query->getType(operands[0].getContext());
}

FailureOr<Type>
partita::relax::inferCrossEntropy(OptionalLoc loc,
                                  CrossEntropyWithLogitsOp::Adaptor op) {
  FailureOr<TensorInfo> predictions =
      getTensor(loc, op.getPredictions(), "predictions");
  FailureOr<TensorInfo> labels = getTensor(loc, op.getLabels(), "labels");
  if (failed(predictions) || failed(labels))
    return failure();
  FailureOr<Type> element = inferElementType(loc, *predictions, *labels);
  if (failed(element))
    return failure();
  if (predictions->isRanked && labels->isRanked &&
      !llvm::all_of_zip(predictions->dims, labels->dims, mayBeEqual))
    return emitOptionalError(loc, "expected labels of the predictions' shape, ",
                             toString(predictions->dims), ", found ",
                             toString(labels->dims));
  TensorInfo result(ArrayRef<Dim>(), *element);
  result.vdevice = inferVDevice(*predictions, *labels);
  return result.getType(op.getPredictions().getContext());
}

FailureOr<Type> partita::relax::inferNLLLoss(OptionalLoc loc,
                                             NLLLossOp::Adaptor op) {
  FailureOr<TensorInfo> predictions =
      getTensor(loc, op.getPredictions(), "predictions");
  FailureOr<TensorInfo> targets = getTensor(loc, op.getTargets(), "targets");
  if (failed(predictions) || failed(targets))
    return failure();
  TensorInfo result;
  result.elementType = predictions->elementType;
  result.vdevice = predictions->vdevice;
  if (Value value = op.getWeights()) {
    FailureOr<TensorInfo> weights = getTensor(loc, value, "weights");
    if (failed(weights))
      return failure();
    FailureOr<Type> element = inferElementType(loc, *predictions, *weights);
    if (failed(element))
      return failure();
    result.elementType = *element;
    result.vdevice = inferVDevice(*predictions, *weights);
    bool fits = !weights->isRanked || weights->getRank() == 1;
    if (fits && weights->isRanked && predictions->isRanked &&
        predictions->getRank() > 0)
      fits = mayBeEqual(weights->dims.front(),
                        predictions->dims[predictions->getRank() > 1]);
    if (!fits)
      return emitOptionalError(
          loc, "expected 'weights' to be a number for each class of ",
          op.getPredictions().getType(), ", found ", value.getType());
  }
  if (predictions->isRanked && predictions->getRank() < 1)
    return emitOptionalError(loc,
                             "expected 'predictions' of rank 1 or more, found ",
                             op.getPredictions().getType());
  auto integer = dyn_cast_if_present<IntegerType>(targets->elementType);
  if (targets->elementType && (!integer || integer.getWidth() == 1))
    return emitOptionalError(loc, "expected 'targets' to be integers, found ",
                             op.getTargets().getType());
  StringRef reduction = op.getReduction();
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return emitOptionalError(
        loc, "expected 'reduction' to be none, sum or mean, found ", reduction);
  SmallVector<Dim> dims = predictions->dims;
  if (predictions->isRanked) {
    // All but the classes.
    dims.erase(dims.begin() + (dims.size() > 1));
    if (targets->isRanked &&
        (targets->dims.size() != dims.size() ||
         !llvm::all_of_zip(targets->dims, dims, mayBeEqual)))
      return emitOptionalError(loc, "expected 'targets' of shape ",
                               toString(dims), ", found ",
                               toString(targets->dims));
  }
  if (reduction != "none")
    result.setDims({});
  else if (predictions->isRanked)
    result.setDims(dims);
  return result.getType(op.getPredictions().getContext());
}

FailureOr<Type> partita::relax::inferBatchFlatten(OptionalLoc loc, Value data) {
  FailureOr<TensorInfo> info = getTensor(loc, data, "data");
  if (failed(info))
    return failure();
  if (info->isRanked && info->getRank() < 2)
    return emitOptionalError(loc, "expected a tensor of rank 2 or more, found ",
                             data.getType());
  if (info->isRanked && info->getRank() == 2)
    return data.getType();
  if (info->isRanked)
    info->setDims(
        {info->dims.front(), multiply(ArrayRef(info->dims).drop_front())});
  else
    info->setRank(2);
  return info->getType(data.getContext());
}

FailureOr<Type> partita::relax::inferPad(OptionalLoc loc, PadOp::Adaptor op) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  if (failed(data))
    return failure();
  ArrayRef<int64_t> width = op.getPadWidth();
  if (data->isRanked &&
      static_cast<int64_t>(width.size()) != 2 * data->getRank())
    return emitOptionalError(loc, "expected 'pad_width' to be ",
                             2 * data->getRank(), " numbers, found ",
                             width.size());
  if (data->isRanked) {
    SmallVector<Dim> dims = data->dims;
    for (auto [index, dim] : llvm::enumerate(dims)) {
      std::optional<int64_t> sum =
          llvm::checkedAdd(width[2 * index], width[2 * index + 1]);
      if (!sum || *sum == std::numeric_limits<int64_t>::min())
        dim = Dim();
      else
        dim = *sum < 0 ? dim - Dim(-*sum) : dim + Dim(*sum);
    }
    data->setDims(dims);
  } else {
    data->setUnranked();
  }
  return data->getType(op.getData().getContext());
}

FailureOr<Type> partita::relax::inferPixelShuffle(OptionalLoc loc,
                                                  PixelShuffleOp::Adaptor op) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  if (failed(data))
    return failure();
  int64_t factor = op.getUpscaleFactor();
  if (factor < 1 || factor > std::numeric_limits<int32_t>::max())
    return emitOptionalError(
        loc, "expected 'upscale_factor' to be at least 1, found ", factor);
  if (!data->isRanked) {
    data->setUnranked();
    return data->getType(op.getData().getContext());
  }
  if (data->getRank() < 3)
    return emitOptionalError(loc, "expected a tensor of rank 3 or more, found ",
                             op.getData().getType());
  SmallVector<Dim> dims = data->dims;
  Dim &channels = dims[dims.size() - 3];
  if (channels.isNumber() && channels.getSize() % (factor * factor))
    return emitOptionalError(loc, "expected channels divisible by ",
                             factor * factor, ", found ", channels.getSize());
  channels = floorDiv(channels, Dim(factor * factor));
  for (Dim &dim : MutableArrayRef(dims).take_back(2))
    dim = dim * Dim(factor);
  data->setDims(dims);
  return data->getType(op.getData().getContext());
}
