//===- Windows.cpp - Lower convolutions and pooling -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Utils.h"
#include "Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita::relax;

static Value padWith(KernelBuilder &kernel, Value x,
                     ArrayRef<OpFoldResult> before,
                     ArrayRef<OpFoldResult> after, Value number) {
  auto isZero = [](OpFoldResult width) { return isConstantIntValue(width, 0); };
  if (llvm::all_of(before, isZero) && llvm::all_of(after, isZero))
    return x;
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  return tensor::PadOp::create(kernel, /*resultType=*/Type(), x, before, after,
                               kernel.getScalars(type).store(number));
}

/// `size` in `count` equal parts.
static OpFoldResult getPart(KernelBuilder &kernel, OpFoldResult size,
                            int64_t count) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return kernel.getIndexAttr(*number / count);
  Value parts = arith::ConstantIndexOp::create(kernel, count);
  return Value(arith::DivSIOp::create(kernel, cast<Value>(size), parts));
}

/// Makes two dimensions of dimension `dim`: `groups`, and the rest of it.
static Value splitDim(KernelBuilder &kernel, Value x, int64_t dim,
                      int64_t groups) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  KernelBuilder::Sizes sizes =
      tensor::getMixedSizes(kernel, kernel.getLoc(), x);
  if (!type.isDynamicDim(dim))
    shape[dim] /= groups;
  shape.insert(shape.begin() + dim, groups);
  sizes[dim] = getPart(kernel, sizes[dim], groups);
  sizes.insert(sizes.begin() + dim, kernel.getIndexAttr(groups));
  SmallVector<ReassociationIndices> parts;
  for (int64_t from = 0, to = 0; from < type.getRank(); ++from) {
    parts.push_back({to++});
    if (from == dim)
      parts.back().push_back(to++);
  }
  return tensor::ExpandShapeOp::create(
      kernel, RankedTensorType::get(shape, type.getElementType()), x, parts,
      sizes);
}

/// Makes one dimension of dimensions `dim` and `dim + 1`.
static Value joinDims(KernelBuilder &kernel, Value x, int64_t dim) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  SmallVector<ReassociationIndices> parts;
  for (int64_t from = 0; from < rank; ++from)
    if (from == dim + 1)
      parts.back().push_back(from);
    else
      parts.push_back({from});
  return tensor::CollapseShapeOp::create(kernel, x, parts);
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// A convolution, whose channels can be in groups.
struct Convolving {
  KernelBuilder &kernel;
  StringRef spatial;
  SmallVector<int64_t> strides;
  ArrayRef<int64_t> padding, dilation;
  int64_t groups;
  /// The letters of the dimensions: G of groups.
  std::string dataLayout, kernelLayout;
  bool isTransposed;
  Value data, weight;
  Type dataType, weightType, type;

  Value build(KernelBuilder::Sizes sizes);

private:
  Value buildNamed(ArrayRef<OpFoldResult> sizes, Value start);
  void transpose(ArrayRef<OpFoldResult> sizes);
  void mirrorWeight();
  void pad();
};
} // namespace

void Convolving::pad() {
  size_t rank = dataLayout.size();
  KernelBuilder::Sizes before(rank, kernel.getIndexAttr(0)), after = before;
  for (auto [index, letter] : llvm::enumerate(spatial)) {
    int64_t dim = findDim(dataLayout, letter);
    before[dim] = kernel.getIndexAttr(padding[index]);
    after[dim] = kernel.getIndexAttr(padding[spatial.size() + index]);
  }
  data = padWith(kernel, data, before, after,
                 kernel.getScalars(dataType).integer(0));
}

/// Makes an ordinary convolution of a transposed one: puts zeros between the
/// elements of the data and around them, and mirrors the weight.
void Convolving::transpose(ArrayRef<OpFoldResult> sizes) {
  KernelBuilder::Sizes window = tensor::getMixedSizes(kernel, kernel.getLoc(),
                                                      weight),
                       from =
                           tensor::getMixedSizes(kernel, kernel.getLoc(), data),
                       to = from;
  SmallVector<Value> extents(from.size()), first(from.size());
  SmallVector<int64_t> step(from.size(), 1);
  for (auto [index, letter] : llvm::enumerate(spatial)) {
    int64_t dim = findDim(dataLayout, letter);
    OpFoldResult last = kernel.add(window[findDim(kernelLayout, letter)],
                                   kernel.getIndexAttr(-1));
    OpFoldResult reach =
        kernel.multiply({kernel.getIndexAttr(dilation[index]), last});
    first[dim] =
        kernel.toValue(kernel.add(reach, kernel.getIndexAttr(-padding[index])));
    step[dim] = strides[index];
    to[dim] = kernel.add(sizes[dim], reach);
    extents[dim] = kernel.toValue(from[dim]);
  }
  Value source = data;
  data = kernel.move({}, to, dataType, [&](ScalarBuilder &s, ValueRange) {
    SmallVector<Value> indices;
    Value isThere =
        arith::ConstantOp::create(s, s.getBoolAttr(true)).getResult();
    auto require = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      isThere = s.bitAnd(isThere, arith::CmpIOp::create(s, predicate, a, b));
    };
    for (size_t dim = 0; dim < to.size(); ++dim) {
      Value at = linalg::IndexOp::create(s, dim);
      if (extents[dim]) {
        Value zero = s.index(0), stride = s.index(step[dim]);
        at = arith::SubIOp::create(s, at, first[dim]);
        require(arith::CmpIPredicate::sge, at, zero);
        require(arith::CmpIPredicate::eq, arith::RemSIOp::create(s, at, stride),
                zero);
        at = arith::DivSIOp::create(s, at, stride);
        require(arith::CmpIPredicate::slt, at, extents[dim]);
        Value last = arith::SubIOp::create(s, extents[dim], s.index(1));
        at = arith::MaxSIOp::create(s, arith::MinSIOp::create(s, at, last),
                                    zero);
      }
      indices.push_back(at);
    }
    Value element = tensor::ExtractOp::create(s, source, indices);
    ScalarBuilder of(s.getLoc(), s, dataType);
    return s.select(isThere, element, of.store(of.integer(0)));
  });
  mirrorWeight();
  strides.assign(spatial.size(), 1);
}

/// Moves the outputs in front of the inputs, too.
void Convolving::mirrorWeight() {
  KernelBuilder::Sizes sizes =
      tensor::getMixedSizes(kernel, kernel.getLoc(), weight);
  SmallVector<Value> last(sizes.size());
  for (size_t dim = 2; dim < sizes.size(); ++dim)
    last[dim] = kernel.toValue(kernel.add(sizes[dim], kernel.getIndexAttr(-1)));
  std::swap(sizes[0], sizes[1]);
  kernelLayout = ("OI" + spatial).str();
  weight = kernel.gather(
      weight, sizes, {},
      [&](ScalarBuilder &s, ValueRange, SmallVectorImpl<Value> &indices) {
        indices = getLoops(s, sizes.size());
        std::swap(indices[0], indices[1]);
        for (size_t dim = 2; dim < sizes.size(); ++dim)
          indices[dim] = arith::SubIOp::create(s, last[dim], indices[dim]);
      });
}

Value Convolving::buildNamed(ArrayRef<OpFoldResult> sizes, Value start) {
  bool isSimple = dataType == weightType && !type.isUnsignedInteger() &&
                  !dataType.isUnsignedInteger() &&
                  (type == dataType || isa<IntegerType>(type));
  if (!isSimple || groups != 1 || spatial.size() != 2)
    return nullptr;
  Type sumType = KernelBuilder::getSumType(type);
  auto make = [&](auto of) {
    using OpT = decltype(of);
    Value out = kernel.fill(start, sizes, sumType);
    return Value(OpT::create(kernel, TypeRange(out.getType()),
                             ValueRange{data, weight}, ValueRange(out),
                             kernel.getI64TensorAttr(strides),
                             kernel.getI64TensorAttr(dilation))
                     .getResult(0));
  };
  if (dataLayout == "NCHW" && kernelLayout == "OIHW")
    return make(linalg::Conv2DNchwFchwOp());
  if (dataLayout == "NHWC" && kernelLayout == "HWIO")
    return make(linalg::Conv2DNhwcHwcfOp());
  return nullptr;
}

Value Convolving::build(KernelBuilder::Sizes sizes) {
  Value start = kernel.getScalars(type).integer(0);
  if (isTransposed)
    transpose(sizes);
  else
    pad();
  if (Value result = buildNamed(sizes, start))
    return result;
  std::string outLayout = dataLayout;
  int64_t channel = findDim(dataLayout, 'C');
  if (groups != 1) {
    int64_t grouped = findDim(kernelLayout, isTransposed ? 'I' : 'O');
    data = splitDim(kernel, data, channel, groups);
    weight = splitDim(kernel, weight, grouped, groups);
    dataLayout.insert(channel, "G");
    outLayout = dataLayout;
    kernelLayout.insert(grouped, "G");
    sizes[channel] = getPart(kernel, sizes[channel], groups);
    sizes.insert(sizes.begin() + channel, kernel.getIndexAttr(groups));
  }
  // The loops are over the output, then over its inputs and the window.
  std::string loops = outLayout + "I" + spatial.lower();
  int64_t numLoops = loops.size();
  auto loop = [&](char letter) {
    return kernel.getAffineDimExpr(findDim(loops, letter));
  };
  SmallVector<AffineExpr> dataExprs, weightExprs;
  for (char letter : dataLayout) {
    size_t index = spatial.find(letter);
    dataExprs.push_back(index == StringRef::npos
                            ? loop(letter == 'C' ? 'I' : letter)
                            : loop(letter) * strides[index] +
                                  loop(llvm::toLower(letter)) *
                                      dilation[index]);
  }
  for (char letter : kernelLayout)
    weightExprs.push_back(loop(letter == 'O' ? 'C'
                               : letter == 'G' || letter == 'I'
                                   ? letter
                                   : llvm::toLower(letter)));
  MLIRContext *context = kernel.getContext();
  KernelBuilder::Input inputs[2] = {
      {data, AffineMap::get(numLoops, 0, dataExprs, context)},
      {weight, AffineMap::get(numLoops, 0, weightExprs, context)}};
  Value result = kernel.reduce(
      inputs, numLoops, llvm::to_vector(llvm::seq<int64_t>(outLayout.size())),
      sizes, type, start, [&](ScalarBuilder &s, ValueRange numbers) {
        auto convert = [&](Type from, Value number) {
          return ScalarBuilder(s.getLoc(), s, from).convert(number, type);
        };
        ScalarBuilder to(s.getLoc(), s, type);
        return to.add(numbers[2], to.multiply(convert(dataType, numbers[0]),
                                              convert(weightType, numbers[1])));
      });
  return groups == 1 ? result : joinDims(kernel, result, channel);
}

template <bool isTransposed, typename OpT>
static LogicalResult legalizeConvAs(OpT op, KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  StringRef spatial = getSpatial(sizes.size() - 2);
  bool hasDefaultLayouts = op.getDataLayout() == ("NC" + spatial).str() &&
                           op.getKernelLayout() == ("IO" + spatial).str();
  if (op.getOutLayout() != op.getDataLayout() || type.isInteger(1) ||
      op.getDataLayout().size() != sizes.size() ||
      op.getKernelLayout().size() != sizes.size() ||
      !arePlainLayouts({op.getDataLayout(), op.getKernelLayout()}) ||
      (isTransposed && !hasDefaultLayouts))
    return failure();
  Convolving conv{kernel,
                  spatial,
                  llvm::to_vector(op.getStrides()),
                  op.getPadding(),
                  op.getDilation(),
                  int64_t(op.getGroups()),
                  op.getDataLayout().str(),
                  op.getKernelLayout().str(),
                  isTransposed,
                  kernel.getTensor(op.getData()),
                  kernel.getTensor(op.getWeight()),
                  getNumberType(op.getData()),
                  getNumberType(op.getWeight()),
                  type};
  kernel.set(op.getResult(), kernel.narrow(conv.build(sizes), type));
  return success();
}

template <typename OpT>
static LogicalResult legalizeConv(OpT op, KernelBuilder &kernel) {
  return legalizeConvAs</*isTransposed=*/false>(op, kernel);
}

template <typename OpT>
static LogicalResult legalizeConvTranspose(OpT op, KernelBuilder &kernel) {
  return legalizeConvAs</*isTransposed=*/true>(op, kernel);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

namespace {
/// One spatial dimension that windows move over.
struct PooledDim {
  int64_t dim, size, stride, dilation, before, after;
  OpFoldResult extent;
};
} // namespace

/// How many elements of the window that begins at `start` count, which are
/// those from `first` to before `end`.
static Value countInWindow(ScalarBuilder &s, const PooledDim &pooled,
                           Value start, Value first, Value end) {
  auto getSteps = [&](Value to) {
    Value distance = arith::SubIOp::create(s, to, start);
    Value steps =
        arith::CeilDivSIOp::create(s, distance, s.index(pooled.dilation));
    steps = arith::MaxSIOp::create(s, steps, s.index(0));
    return Value(arith::MinSIOp::create(s, steps, s.index(pooled.size)));
  };
  return arith::SubIOp::create(s, getSteps(end), getSteps(first));
}

/// Divides each sum of a window by what `getCount` builds, an index.
static Value divide(KernelBuilder &kernel, Value sums,
                    ArrayRef<OpFoldResult> sizes, Type type,
                    llvm::function_ref<Value(ScalarBuilder &)> getCount) {
  return kernel.map(kernel.broadcast(KernelBuilder::getWhole(sums), sizes),
                    sizes, type, [&](ScalarBuilder &s, ValueRange numbers) {
                      Value count = getCount(s);
                      bool isFloat = isa<FloatType>(type);
                      Type sumType = getNumberType(sums);
                      ScalarBuilder to(s.getLoc(), s, isFloat ? type : sumType);
                      Value mean = to.divide(numbers[0], to.fromIndex(count));
                      return isFloat ? mean : to.convert(mean, type);
                    });
}

/// Divides sums of windows by the number of their elements.
static Value averageWindows(KernelBuilder &kernel, Value sums,
                            ArrayRef<OpFoldResult> sizes, Type type,
                            ArrayRef<PooledDim> pooled, bool countsPadding) {
  SmallVector<Value> ends =
      llvm::map_to_vector(pooled, [&](const PooledDim &dim) {
        return kernel.toValue(kernel.add(
            dim.extent, kernel.getIndexAttr(countsPadding ? dim.after : 0)));
      });
  return divide(kernel, sums, sizes, type, [&](ScalarBuilder &s) -> Value {
    Value count = s.index(1);
    for (auto [dim, end] : llvm::zip_equal(pooled, ends)) {
      Value at = linalg::IndexOp::create(s, dim.dim);
      Value start = arith::MulIOp::create(s, at, s.index(dim.stride));
      start = arith::SubIOp::create(s, start, s.index(dim.before));
      Value first = countsPadding ? start : s.index(0);
      count = arith::MulIOp::create(s, count,
                                    countInWindow(s, dim, start, first, end));
    }
    return arith::MaxSIOp::create(s, count, s.index(1));
  });
}

/// Reduces each window to its maximum or sum, of type `type`.
static Value reduceWindows(KernelBuilder &kernel, Value x,
                           ArrayRef<OpFoldResult> sizes, Type type,
                           ArrayRef<PooledDim> pooled, bool isMax) {
  Type from = getNumberType(x);
  auto getStart = [&](ScalarBuilder scalars) {
    return isMax ? scalars.least() : scalars.integer(0);
  };
  int64_t rank = sizes.size(), numLoops = rank + pooled.size();
  KernelBuilder::Sizes before(rank, kernel.getIndexAttr(0)), after = before,
                                                             window;
  SmallVector<AffineExpr> exprs, windowExprs;
  for (int64_t dim : llvm::seq(rank))
    exprs.push_back(kernel.getAffineDimExpr(dim));
  for (auto [index, dim] : llvm::enumerate(pooled)) {
    AffineExpr step = kernel.getAffineDimExpr(rank + index);
    exprs[dim.dim] = exprs[dim.dim] * dim.stride + step * dim.dilation;
    windowExprs.push_back(step);
    window.push_back(kernel.getIndexAttr(dim.size));
    before[dim.dim] = kernel.getIndexAttr(dim.before);
    after[dim.dim] = kernel.getIndexAttr(dim.after);
    // The last window can reach further.
    OpFoldResult have = kernel.add(dim.extent, kernel.getIndexAttr(dim.before));
    int64_t reach = dim.dilation * (dim.size - 1) + 1 - dim.stride;
    std::optional<int64_t> known = getConstantIntValue(have),
                           count = getConstantIntValue(sizes[dim.dim]);
    if (known && count) {
      after[dim.dim] = kernel.getIndexAttr(
          std::max(dim.after, *count * dim.stride + reach - *known));
      continue;
    }
    Value need = arith::MulIOp::create(
        kernel, kernel.toValue(sizes[dim.dim]),
        arith::ConstantIndexOp::create(kernel, dim.stride));
    need = kernel.toValue(kernel.add(need, kernel.getIndexAttr(reach)));
    need = arith::SubIOp::create(kernel, need, kernel.toValue(have));
    after[dim.dim] = Value(arith::MaxSIOp::create(
        kernel, need, arith::ConstantIndexOp::create(kernel, dim.after)));
  }
  MLIRContext *context = kernel.getContext();
  KernelBuilder::Input inputs[2] = {
      {padWith(kernel, x, before, after, getStart(kernel.getScalars(from))),
       AffineMap::get(numLoops, 0, exprs, context)},
      // It says how large the windows are.
      {tensor::EmptyOp::create(kernel, window, type),
       AffineMap::get(numLoops, 0, windowExprs, context)}};
  return kernel.reduce(
      inputs, numLoops, llvm::to_vector(llvm::seq(rank)), sizes, type,
      getStart(kernel.getScalars(type)),
      [&](ScalarBuilder &s, ValueRange numbers) {
        ScalarBuilder to(s.getLoc(), s, type);
        Value number =
            ScalarBuilder(s.getLoc(), s, from).convert(numbers[0], type);
        return isMax ? to.maximum(numbers[2], number)
                     : to.add(numbers[2], number);
      });
}

/// The letters of the op's layout; nothing if the op can't be lowered.
template <typename OpT>
static std::optional<std::string> getPooledLayout(OpT op) {
  std::optional<std::string> layout = getLetters(op.getLayout());
  bool canPool = layout && op.getOutLayout() == op.getLayout() &&
                 !getNumberType(op.getResult()).isInteger(1) &&
                 layout->size() == getDims(op.getResult()).size();
  return canPool ? layout : std::nullopt;
}

/// The spatial dimensions of a pooling op.
template <typename OpT>
static constexpr int64_t numPooled =
    llvm::is_one_of<OpT, AvgPool1DOp, MaxPool1DOp, AdaptiveAvgPool1DOp>::value
        ? 1
    : llvm::is_one_of<OpT, AvgPool2DOp, MaxPool2DOp, AdaptiveAvgPool2DOp>::value
        ? 2
        : 3;

template <bool isMax, typename OpT>
static LogicalResult legalizePool(OpT op, KernelBuilder &kernel) {
  std::optional<std::string> layout = getPooledLayout(op);
  if (!layout)
    return failure();
  Type type = getNumberType(op.getResult());
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult()),
                       from = kernel.getSizes(op.getData());
  StringRef spatial = getSpatial(numPooled<OpT>);
  SmallVector<PooledDim> pooled;
  bool isWhole = !op.getCeilMode();
  for (auto [index, letter] : llvm::enumerate(spatial)) {
    int64_t dim = findDim(*layout, letter);
    PooledDim of{dim,
                 op.getPoolSize()[index],
                 op.getStrides()[index],
                 op.getDilation()[index],
                 op.getPadding()[index],
                 op.getPadding()[spatial.size() + index],
                 from[dim]};
    isWhole &= op.getCountIncludePad() || (of.before == 0 && of.after == 0);
    pooled.push_back(of);
  }
  Type reduced = !isMax && sumsInInt32(op) ? kernel.getI32Type() : type;
  Value result = reduceWindows(kernel, kernel.getTensor(op.getData()), sizes,
                               reduced, pooled, isMax);
  if (isMax) {
    result = kernel.narrow(result, type);
  } else if (isWhole) {
    int64_t count = 1;
    for (const PooledDim &dim : pooled)
      count *= dim.size;
    result = divide(kernel, result, sizes, type,
                    [&](ScalarBuilder &s) { return s.index(count); });
  } else {
    result = averageWindows(kernel, result, sizes, type, pooled,
                            op.getCountIncludePad());
  }
  kernel.set(op.getResult(), result);
  return success();
}

namespace {
/// One spatial dimension of `extent` elements, which `count` windows cover.
/// They have no more than `size` elements.
struct AdaptiveDim {
  int64_t dim;
  OpFoldResult size;
  Value extent, count;
};
} // namespace

/// Averages windows of several sizes: neighbours can share elements.
static Value averageAdaptively(KernelBuilder &kernel, Value x,
                               ArrayRef<OpFoldResult> sizes, Type type,
                               ArrayRef<AdaptiveDim> pooled) {
  int64_t rank = sizes.size(), numLoops = rank + pooled.size();
  KernelBuilder::Sizes window;
  SmallVector<AffineExpr> exprs;
  for (auto [index, dim] : llvm::enumerate(pooled)) {
    exprs.push_back(kernel.getAffineDimExpr(rank + index));
    window.push_back(dim.size);
  }
  // Where the window of position `at` begins, or ends if `at` is the next one.
  auto getBound = [](ScalarBuilder &s, const AdaptiveDim &dim, Value at,
                     bool isEnd) -> Value {
    if (!isEnd)
      return arith::DivSIOp::create(s, arith::MulIOp::create(s, at, dim.extent),
                                    dim.count);
    Value next = arith::AddIOp::create(s, at, s.index(1));
    return arith::CeilDivSIOp::create(
        s, arith::MulIOp::create(s, next, dim.extent), dim.count);
  };
  KernelBuilder::Input input{
      tensor::EmptyOp::create(kernel, window, type),
      AffineMap::get(numLoops, 0, exprs, kernel.getContext())};
  Value sums = kernel.reduce(
      input, numLoops, llvm::to_vector(llvm::seq(rank)), sizes, type,
      kernel.getScalars(type).integer(0),
      [&](ScalarBuilder &s, ValueRange numbers) {
        SmallVector<Value> indices;
        for (int64_t dim : llvm::seq(rank))
          indices.push_back(linalg::IndexOp::create(s, dim));
        Value isThere =
            arith::ConstantOp::create(s, s.getBoolAttr(true)).getResult();
        for (auto [index, dim] : llvm::enumerate(pooled)) {
          Value at = indices[dim.dim];
          Value step = linalg::IndexOp::create(s, rank + index);
          Value from = arith::AddIOp::create(
              s, getBound(s, dim, at, /*isEnd=*/false), step);
          isThere = s.bitAnd(
              isThere, arith::CmpIOp::create(s, arith::CmpIPredicate::slt, from,
                                             getBound(s, dim, at,
                                                      /*isEnd=*/true)));
          indices[dim.dim] = clampIndex(s, from, dim.extent);
        }
        ScalarBuilder of(s.getLoc(), s, type);
        Value element = of.load(tensor::ExtractOp::create(s, x, indices));
        return of.add(numbers[1], of.select(isThere, element, of.integer(0)));
      });
  return divide(kernel, sums, sizes, type, [&](ScalarBuilder &s) {
    Value count = s.index(1);
    for (const AdaptiveDim &dim : pooled) {
      Value at = linalg::IndexOp::create(s, dim.dim);
      Value size =
          arith::SubIOp::create(s, getBound(s, dim, at, /*isEnd=*/true),
                                getBound(s, dim, at, /*isEnd=*/false));
      count = arith::MulIOp::create(s, count, size);
    }
    return count;
  });
}

template <typename OpT>
static LogicalResult legalizeAdaptivePool(OpT op, KernelBuilder &kernel) {
  std::optional<std::string> layout = getPooledLayout(op);
  if (!layout)
    return failure();
  Value x = kernel.getTensor(op.getData());
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult()),
                       from = kernel.getSizes(op.getData());
  // Windows of one element.
  if (!op.getOutputSize()) {
    kernel.set(op.getResult(), x);
    return success();
  }
  SmallVector<AdaptiveDim> pooled;
  for (char letter : getSpatial(numPooled<OpT>)) {
    int64_t dim = findDim(*layout, letter);
    std::optional<int64_t> extent = getConstantIntValue(from[dim]),
                           count = getConstantIntValue(sizes[dim]);
    if (count == 0)
      return failure();
    AdaptiveDim of{dim, nullptr, kernel.toValue(from[dim]),
                   kernel.toValue(sizes[dim])};
    if (extent && count)
      of.size = kernel.getIndexAttr(llvm::divideCeil(*extent, *count) +
                                    (*extent % *count == 0 ? 0 : 1));
    else
      of.size = kernel.add(
          Value(arith::CeilDivSIOp::create(kernel, of.extent, of.count)),
          kernel.getIndexAttr(1));
    pooled.push_back(of);
  }
  kernel.set(op.getResult(),
             averageAdaptively(kernel, x, sizes, getNumberType(op.getResult()),
                               pooled));
  return success();
}

void partita::relax::attachWindows(MLIRContext *context) {
  attach<&legalizeConv<Conv1DOp>, Conv1DOp>(context);
  attach<&legalizeConv<Conv2DOp>, Conv2DOp>(context);
  attach<&legalizeConv<Conv3DOp>, Conv3DOp>(context);
  attach<&legalizeConvTranspose<Conv1DTransposeOp>, Conv1DTransposeOp>(context);
  attach<&legalizeConvTranspose<Conv2DTransposeOp>, Conv2DTransposeOp>(context);
  attach<&legalizeConvTranspose<Conv3DTransposeOp>, Conv3DTransposeOp>(context);
  attach<&legalizePool<false, AvgPool1DOp>, AvgPool1DOp>(context);
  attach<&legalizePool<false, AvgPool2DOp>, AvgPool2DOp>(context);
  attach<&legalizePool<false, AvgPool3DOp>, AvgPool3DOp>(context);
  attach<&legalizePool<true, MaxPool1DOp>, MaxPool1DOp>(context);
  attach<&legalizePool<true, MaxPool2DOp>, MaxPool2DOp>(context);
  attach<&legalizePool<true, MaxPool3DOp>, MaxPool3DOp>(context);
  attach<&legalizeAdaptivePool<AdaptiveAvgPool1DOp>, AdaptiveAvgPool1DOp>(
      context);
  attach<&legalizeAdaptivePool<AdaptiveAvgPool2DOp>, AdaptiveAvgPool2DOp>(
      context);
  attach<&legalizeAdaptivePool<AdaptiveAvgPool3DOp>, AdaptiveAvgPool3DOp>(
      context);
}
