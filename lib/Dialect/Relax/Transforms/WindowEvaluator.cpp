//===- WindowEvaluator.cpp - Evaluate convolutions and pooling ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts are names of dimensions: tensors are seen as NC and their spatial
// dimensions in one order, whatever order their elements have.
//
//===----------------------------------------------------------------------===//

#include "ConstantArithmetic.h"
#include "ConstantKernels.h"
#include "ConstantLoops.h"
#include "Utils.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace partita::relax;

namespace {
/// The sizes and strides of a tensor's dimensions in another order. The first
/// two dimensions are not spatial, such as batches and channels.
struct View {
  SmallVector<int64_t> sizes;
  Strides strides;

  View(ShapedType type, Strides from, StringRef layout, StringRef order) {
    for (char name : order) {
      sizes.push_back(type.getDimSize(layout.find(name)));
      strides.push_back(from[layout.find(name)]);
    }
  }
  View(const ConstantTensor &tensor, StringRef layout, StringRef order)
      : View(tensor.getType(), getBroadcastStrides(tensor, layout.size()),
             layout, order) {}

  ArrayRef<int64_t> getSpatial() const { return ArrayRef(sizes).drop_front(2); }
  int64_t getOffset(int64_t first, int64_t second,
                    ArrayRef<int64_t> spatial) const {
    return first * strides[0] + second * strides[1] +
           dot(spatial, ArrayRef(strides).drop_front(2));
  }
};

/// Where the windows of a convolution or of pooling are: `before` and `after`
/// are the widths of the padding.
struct Windows {
  ArrayRef<int64_t> sizes, strides, dilation, before, after;
  /// Whether the input is as far apart as the strides say, not the output.
  bool isTransposed = false;

  /// Calls `fn(input, window)` with the positions in the input that the window
  /// for `output` covers. Some of these positions may be in the padding.
  void forEach(
      ArrayRef<int64_t> output,
      llvm::function_ref<void(ArrayRef<int64_t>, ArrayRef<int64_t>)> fn) const {
    SmallVector<int64_t> input(output.size());
    forEachPosition(sizes, [&](ArrayRef<int64_t> window, int64_t) {
      bool isThere = true;
      for (size_t dim = 0; dim < output.size(); ++dim) {
        int64_t step = window[dim] * dilation[dim];
        if (isTransposed) {
          int64_t at = output[dim] + before[dim] - step;
          isThere &= at % strides[dim] == 0;
          input[dim] = at / strides[dim];
        } else {
          input[dim] = output[dim] * strides[dim] - before[dim] + step;
        }
      }
      if (isThere)
        fn(ArrayRef<int64_t>(input), window);
      return true;
    });
  }
};

/// The attributes of all convolutions. `spatial` has the letters of the
/// dimensions.
struct Convolution {
  template <typename Op>
  Convolution(Op op, StringRef spatial, bool isTransposed)
      : spatial(spatial), dataLayout(op.getDataLayout()),
        kernelLayout(op.getKernelLayout()), outLayout(op.getOutLayout()),
        strides(op.getStrides()), padding(op.getPadding()),
        dilation(op.getDilation()), groups(op.getGroups()),
        isTransposed(isTransposed) {}

  StringRef spatial, dataLayout, kernelLayout, outLayout;
  ArrayRef<int64_t> strides, padding, dilation;
  int64_t groups;
  bool isTransposed;
};

/// The attributes of all pooling ops.
struct Pooling {
  template <typename Op>
  Pooling(Op op, StringRef spatial, bool isMax)
      : spatial(spatial), layout(op.getLayout()), outLayout(op.getOutLayout()),
        sizes(op.getPoolSize()), strides(op.getStrides()),
        padding(op.getPadding()), dilation(op.getDilation()),
        countsPadding(op.getCountIncludePad()), isMax(isMax),
        sumsInInt32(partita::relax::sumsInInt32(op)) {}

  StringRef spatial, layout, outLayout;
  ArrayRef<int64_t> sizes, strides, padding, dilation;
  bool countsPadding, isMax, sumsInInt32;
};

class WindowEvaluation : public OpEvaluation {
public:
  using OpEvaluation::OpEvaluation;

  bool evaluate(Operation *op);

private:
  bool allocate(int64_t stepsEach) {
    return isWithin(type.getShape(), stepsEach) && OpEvaluation::allocate();
  }
  View getResult(StringRef layout, StringRef order) const {
    return View(type, getStrides(type.getShape()), layout, order);
  }

  bool convolve(const Convolution &op);
  bool pool(const Pooling &op);
  bool poolAdaptively(StringRef layout, StringRef outLayout, StringRef spatial);
};
} // namespace

static bool isInside(ArrayRef<int64_t> position, ArrayRef<int64_t> sizes) {
  return llvm::all_of_zip(position, sizes, [](int64_t at, int64_t size) {
    return at >= 0 && at < size;
  });
}

bool WindowEvaluation::convolve(const Convolution &op) {
  if (!arePlainLayouts({op.dataLayout, op.kernelLayout, op.outLayout}) ||
      !isOfResultType(x()) || !isOfResultType(y()))
    return false;
  size_t rank = op.spatial.size();
  std::string order = ("NC" + op.spatial).str();
  View input(x(), op.dataLayout, order);
  View kernel(y(), op.kernelLayout, ("OI" + op.spatial).str());
  View output = getResult(op.outLayout, order);
  Windows windows{kernel.getSpatial(),
                  op.strides,
                  op.dilation,
                  op.padding.take_front(rank),
                  op.padding.drop_front(rank),
                  op.isTransposed};
  int64_t groups = op.groups;
  // The number of channels in each group.
  int64_t inputs = input.sizes[1] / groups, outputs = output.sizes[1] / groups;
  std::optional<int64_t> steps =
      llvm::checkedMul(inputs, ShapedType::getNumElements(kernel.getSpatial()));
  if (!steps || !allocate(*steps))
    return false;
  return dispatchNumber(getElementType(), [&](auto *elementType) {
    using T = Pointee<decltype(elementType)>;
    using Total = WrappingType<ComputeType<T>>;
    const T *in = x().getValues<T>().data();
    const T *weights = y().getValues<T>().data();
    T *out = result->getMutableValues<T>().data();
    SmallVector<std::pair<int64_t, int64_t>> offsets;
    return forEachPosition(output.sizes, [&](ArrayRef<int64_t> at, int64_t) {
      int64_t channel = at[1], group = channel / outputs;
      int64_t firstInput = group * inputs;
      // A transposed kernel has all inputs, and the outputs of a group.
      int64_t kernelOutput = op.isTransposed ? channel % outputs : channel;
      int64_t kernelInput = op.isTransposed ? firstInput : 0;
      offsets.clear();
      windows.forEach(at.drop_front(2), [&](ArrayRef<int64_t> from,
                                            ArrayRef<int64_t> window) {
        if (isInside(from, input.getSpatial()))
          offsets.emplace_back(
              input.getOffset(at[0], firstInput, from),
              kernel.getOffset(kernelOutput, kernelInput, window));
      });
      Total total(0);
      for (int64_t i = 0; i < inputs; ++i)
        for (auto [from, weight] : offsets)
          total +=
              Total(ComputeType<T>(in[from + i * input.strides[1]])) *
              Total(ComputeType<T>(weights[weight + i * kernel.strides[1]]));
      out[output.getOffset(at[0], channel, at.drop_front(2))] = T(total);
      return true;
    });
  });
}

bool WindowEvaluation::pool(const Pooling &op) {
  if (!arePlainLayouts({op.layout, op.outLayout}) || !isOfResultType(x()))
    return false;
  size_t rank = op.spatial.size();
  std::string order = ("NC" + op.spatial).str();
  View input(x(), op.layout, order);
  View output = getResult(op.outLayout, order);
  Windows windows{op.sizes, op.strides, op.dilation,
                  op.padding.take_front(rank), op.padding.drop_front(rank)};
  if (!allocate(ShapedType::getNumElements(op.sizes)))
    return false;
  auto isCounted = [&](ArrayRef<int64_t> from) {
    if (!op.countsPadding)
      return isInside(from, input.getSpatial());
    for (size_t dim = 0; dim < rank; ++dim)
      if (from[dim] >= input.getSpatial()[dim] + windows.after[dim])
        return false;
    return true;
  };
  return dispatchNumber(getElementType(), [&](auto *elementType) {
    using T = Pointee<decltype(elementType)>;
    using C = ComputeType<T>;
    using Limits = std::numeric_limits<C>;
    using Sum =
        std::conditional_t<std::is_integral_v<C> && sizeof(C) < sizeof(int32_t),
                           int32_t, C>;
    const C least =
        Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    const T *in = x().getValues<T>().data();
    T *out = result->getMutableValues<T>().data();
    return forEachPosition(output.sizes, [&](ArrayRef<int64_t> at, int64_t) {
      Sum value = op.isMax ? least : C(0);
      int64_t count = 0;
      windows.forEach(at.drop_front(2), [&](ArrayRef<int64_t> from,
                                            ArrayRef<int64_t>) {
        count += isCounted(from);
        if (!isInside(from, input.getSpatial()))
          return;
        Sum element = C(in[input.getOffset(at[0], at[1], from)]);
        value =
            op.isMax
                ? larger(element, value)
                : Sum(WrappingType<Sum>(value) + WrappingType<Sum>(element));
        if (!op.sumsInInt32)
          value = C(value);
      });
      if (!op.isMax)
        value = average(value, std::max<int64_t>(count, 1));
      out[output.getOffset(at[0], at[1], at.drop_front(2))] = T(value);
      return true;
    });
  });
}

/// Averages of windows that cover the input once; neighbours can share
/// elements.
bool WindowEvaluation::poolAdaptively(StringRef layout, StringRef outLayout,
                                      StringRef spatial) {
  if (!arePlainLayouts({layout, outLayout}) || !isOfResultType(x()))
    return false;
  std::string order = ("NC" + spatial).str();
  View input(x(), layout, order);
  View output = getResult(outLayout, order);
  ArrayRef<int64_t> from = input.getSpatial(), to = output.getSpatial();
  if (llvm::is_contained(to, 0))
    return false;
  // A window has up to two elements more than there are for each.
  std::optional<int64_t> steps = 1;
  for (auto [size, count] : llvm::zip(from, to))
    steps = steps ? llvm::checkedMul(*steps, size / count + 2) : steps;
  if (!steps || !allocate(*steps))
    return false;
  return dispatchNumber(getElementType(), [&](auto *elementType) {
    using T = Pointee<decltype(elementType)>;
    using Total = WrappingType<ComputeType<T>>;
    const T *in = x().getValues<T>().data();
    T *out = result->getMutableValues<T>().data();
    return forEachPosition(output.sizes, [&](ArrayRef<int64_t> at, int64_t) {
      SmallVector<int64_t> starts, sizes;
      for (auto [position, size, count] :
           llvm::zip(at.drop_front(2), from, to)) {
        starts.push_back(position * size / count);
        sizes.push_back(llvm::divideCeil((position + 1) * size, count) -
                        starts.back());
      }
      int64_t start = input.getOffset(at[0], at[1], starts);
      Total total(0);
      forEachPosition(sizes, [&](ArrayRef<int64_t> inside, int64_t) {
        total +=
            Total(ComputeType<T>(in[start + input.getOffset(0, 0, inside)]));
        return true;
      });
      int64_t count = ShapedType::getNumElements(sizes);
      out[output.getOffset(at[0], at[1], at.drop_front(2))] =
          T(average(ComputeType<T>(total), count));
      return true;
    });
  });
}

bool WindowEvaluation::evaluate(Operation *op) {
  auto convolution = [&](StringRef spatial, bool isTransposed) {
    return [=](auto op) { return convolve({op, spatial, isTransposed}); };
  };
  auto pooling = [&](StringRef spatial, bool isMax) {
    return [=](auto op) { return pool({op, spatial, isMax}); };
  };
  auto adaptive = [&](StringRef spatial) {
    return [=](auto op) {
      return poolAdaptively(op.getLayout(), op.getOutLayout(), spatial);
    };
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<Conv1DOp>(convolution("W", /*isTransposed=*/false))
      .Case<Conv2DOp>(convolution("HW", /*isTransposed=*/false))
      .Case<Conv3DOp>(convolution("DHW", /*isTransposed=*/false))
      .Case<Conv1DTransposeOp>(convolution("W", /*isTransposed=*/true))
      .Case<Conv2DTransposeOp>(convolution("HW", /*isTransposed=*/true))
      .Case<Conv3DTransposeOp>(convolution("DHW", /*isTransposed=*/true))
      .Case<AvgPool1DOp>(pooling("W", /*isMax=*/false))
      .Case<AvgPool2DOp>(pooling("HW", /*isMax=*/false))
      .Case<AvgPool3DOp>(pooling("DHW", /*isMax=*/false))
      .Case<MaxPool1DOp>(pooling("W", /*isMax=*/true))
      .Case<MaxPool2DOp>(pooling("HW", /*isMax=*/true))
      .Case<MaxPool3DOp>(pooling("DHW", /*isMax=*/true))
      .Case<AdaptiveAvgPool1DOp>(adaptive("W"))
      .Case<AdaptiveAvgPool2DOp>(adaptive("HW"))
      .Case<AdaptiveAvgPool3DOp>(adaptive("DHW"))
      .Default(false);
}

std::optional<ConstantTensor> partita::relax::evaluateWindows(
    Operation *op, ArrayRef<const ConstantTensor *> operands,
    RankedTensorType type, int64_t maxBytes, bool &isTooLarge) {
  return evaluateAs<WindowEvaluation>(op, operands, type, maxBytes, isTooLarge);
}
