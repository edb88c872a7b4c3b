//===- MovementEvaluator.cpp - Evaluate ops that move elements ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most of these ops say where in the operand the elements of the result are, at
// regular distances: a start, and for each dimension a stride.
//
//===----------------------------------------------------------------------===//

#include "ConstantKernels.h"
#include "ConstantLoops.h"

#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <algorithm>

using namespace mlir;
using namespace partita::relax;

namespace {
/// Evaluates one op. Its methods return whether `results` hold the values.
class Movement {
public:
  Movement(ArrayRef<const ConstantTensor *> operands, TypeRange types,
           int64_t maxBytes, bool &isTooLarge)
      : operands(operands), types(types), bytesLeft(maxBytes),
        isTooLarge(isTooLarge) {}

  bool evaluate(Operation *op);

  SmallVector<ConstantTensor> results;

private:
  const ConstantTensor &x() const { return *operands[0]; }
  /// The strides of the operand. A splat, which has one element, has strides of
  /// zero.
  Strides getOperandStrides() const {
    return getBroadcastStrides(x(), x().getShape().size());
  }

  /// Adds a result without values, of the operand's element type.
  bool allocate(bool isSplat);
  /// Adds a result that has, in row-major order, the elements of the operand
  /// that are at `start` and by `strides` along `shape`.
  bool view(ArrayRef<int64_t> shape, Strides strides, int64_t start = 0);

  bool flip(int64_t axis);
  bool tile(ArrayRef<int64_t> repeats);
  bool repeat(int64_t repeats, std::optional<int64_t> axis);
  bool split(SplitOp op);
  bool slice(bool hasStrides, bool isInside);
  bool stack(int64_t axis);
  bool take(std::optional<int64_t> axis, StringRef mode);
  bool transformLayout(AffineMap map, Attribute padding);
  /// Zeros above the diagonal, or below it.
  bool cut(bool isUpper);

  ArrayRef<const ConstantTensor *> operands;
  TypeRange types;
  int64_t bytesLeft;
  bool &isTooLarge;
};
} // namespace

bool Movement::allocate(bool isSplat) {
  if (results.size() == types.size())
    return false;
  auto type = dyn_cast<RankedTensorType>(types[results.size()]);
  if (!type || !type.hasStaticShape() ||
      type.getElementType() != x().getType().getElementType())
    return false;
  std::optional<ConstantTensor> result =
      ConstantTensor::allocate(type, isSplat, bytesLeft);
  if (!result) {
    isTooLarge = true;
    return false;
  }
  bytesLeft -= result->getBytes().size();
  results.push_back(std::move(*result));
  return true;
}

bool Movement::view(ArrayRef<int64_t> shape, Strides strides, int64_t start) {
  if (!allocate(x().isSplat()))
    return false;
  return dispatchSize(x().getType().getElementType(), [&](auto *type) {
    using T = Pointee<decltype(type)>;
    const T *in = x().getValues<T>().data();
    MutableArrayRef<T> out = results.back().getMutableValues<T>();
    if (x().isSplat() || out.empty()) {
      llvm::fill(out, x().isSplat() ? *in : T(0));
      return true;
    }
    std::optional<int64_t> size = 1;
    for (int64_t dim : shape)
      size = size ? llvm::checkedMul(*size, dim) : size;
    if (size != static_cast<int64_t>(out.size()))
      return false;
    LoopNest<1>(shape, {strides})
        .run([&](int64_t index, auto at, auto step, int64_t count) {
          for (int64_t i = 0; i < count; ++i)
            out[index + i] = in[start + at[0] + i * step[0]];
        });
    return true;
  });
}

/// `axis` from the front; nothing if there is no such dimension.
static std::optional<size_t> normalize(int64_t axis, size_t rank) {
  int64_t count = rank;
  if (axis < -count || axis >= count)
    return std::nullopt;
  return axis < 0 ? axis + count : axis;
}

bool Movement::flip(int64_t axis) {
  std::optional<size_t> dim = normalize(axis, x().getShape().size());
  if (!dim)
    return false;
  Strides strides = getOperandStrides();
  int64_t last = (x().getShape()[*dim] - 1) * strides[*dim];
  strides[*dim] = -strides[*dim];
  return view(x().getShape(), strides, last);
}

bool Movement::tile(ArrayRef<int64_t> repeats) {
  ArrayRef<int64_t> shape = x().getShape();
  Strides from = getOperandStrides();
  size_t rank = std::max(shape.size(), repeats.size());
  SmallVector<int64_t> sizes;
  Strides strides;
  for (size_t left = rank; left > 0; --left) {
    sizes.push_back(left > repeats.size() ? 1 : *(repeats.end() - left));
    strides.push_back(0);
    sizes.push_back(left > shape.size() ? 1 : *(shape.end() - left));
    strides.push_back(left > shape.size() ? 0 : *(from.end() - left));
  }
  return view(sizes, strides);
}

bool Movement::repeat(int64_t repeats, std::optional<int64_t> axis) {
  SmallVector<int64_t> sizes(x().getShape());
  Strides strides = getOperandStrides();
  // Without an axis all is one dimension, whose order is the same.
  size_t position = sizes.size();
  if (axis) {
    std::optional<size_t> dim = normalize(*axis, sizes.size());
    if (!dim)
      return false;
    position = *dim + 1;
  }
  sizes.insert(sizes.begin() + position, repeats);
  strides.insert(strides.begin() + position, 0);
  return view(sizes, strides);
}

bool Movement::split(SplitOp op) {
  std::optional<size_t> dim = normalize(op.getAxis(), x().getShape().size());
  if (!dim)
    return false;
  Strides strides = getOperandStrides();
  int64_t size = x().getShape()[*dim], start = 0;
  auto indices = dyn_cast<DenseI64ArrayAttr>(op.getIndicesOrSections());
  for (auto [number, type] : llvm::enumerate(types)) {
    auto part = dyn_cast<RankedTensorType>(type);
    if (!part || !part.hasStaticShape())
      return false;
    if (indices && number > 0)
      start = std::clamp<int64_t>(indices[number - 1], 0, size);
    int64_t count = part.getDimSize(*dim);
    if (count > size - start && count != 0)
      return false;
    if (!view(part.getShape(), strides, start * strides[*dim]))
      return false;
    start += indices ? 0 : count;
  }
  return true;
}

/// The integers in tensors of one element; nothing if they hold something else.
static std::optional<SmallVector<int64_t>>
getIntegers(ArrayRef<const ConstantTensor *> tensors) {
  SmallVector<int64_t> numbers;
  for (const ConstantTensor *tensor : tensors) {
    std::optional<int64_t> number = getOneInteger(*tensor);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// The operands are x and the numbers of `axes`, `begin`, `end` and `strides`.
bool Movement::slice(bool hasStrides, bool isInside) {
  std::optional<SmallVector<int64_t>> numbers =
      getIntegers(operands.drop_front());
  auto type = dyn_cast<RankedTensorType>(types.front());
  if (!numbers || !type || !type.hasStaticShape() ||
      numbers->size() % (3 + hasStrides) != 0)
    return false;
  size_t count = numbers->size() / (3 + hasStrides);
  Strides strides = getOperandStrides();
  int64_t start = 0;
  for (size_t i = 0; i < count; ++i) {
    std::optional<size_t> dim = normalize((*numbers)[i], x().getShape().size());
    if (!dim)
      return false;
    int64_t size = x().getShape()[*dim], begin = (*numbers)[count + i],
            stride = hasStrides ? (*numbers)[3 * count + i] : 1,
            length = type.getDimSize(*dim);
    if (!isInside && begin < 0)
      begin += size;
    if (!isInside)
      begin = stride > 0 ? std::clamp<int64_t>(begin, 0, size)
                         : std::clamp<int64_t>(begin, -1, size - 1);
    if (length == 0)
      continue;
    __int128 last = begin + __int128(stride) * (length - 1);
    if (stride == 0 || begin < 0 || begin >= size || last < 0 || last >= size)
      return false;
    start += begin * strides[*dim];
    strides[*dim] = length == 1 ? 0 : strides[*dim] * stride;
  }
  return view(type.getShape(), strides, start);
}

bool Movement::stack(int64_t axis) {
  std::optional<size_t> dim = normalize(axis, x().getShape().size() + 1);
  if (!dim || !llvm::all_of(operands, [&](const ConstantTensor *operand) {
        return operand->getType() == x().getType();
      }))
    return false;
  if (!allocate(/*isSplat=*/false))
    return false;
  if (results.back().getBytes().empty())
    return true;
  Strides outStrides = getStrides(results.back().getShape());
  int64_t distance = outStrides[*dim];
  outStrides.erase(outStrides.begin() + *dim);
  return dispatchSize(x().getType().getElementType(), [&](auto *type) {
    using T = Pointee<decltype(type)>;
    T *out = results.back().getMutableValues<T>().data();
    for (const ConstantTensor *operand : operands) {
      const T *in = operand->getValues<T>().data();
      LoopNest<2>(
          operand->getShape(),
          {getBroadcastStrides(*operand, outStrides.size()), outStrides})
          .run([&](int64_t, auto at, auto step, int64_t count) {
            for (int64_t i = 0; i < count; ++i)
              out[at[1] + i * step[1]] = in[at[0] + i * step[0]];
          });
      out += distance;
    }
    return true;
  });
}

/// Where `index` is in a dimension of `size`; nothing if it is nowhere, about
/// which TVM's "fast" says nothing.
template <typename T>
static std::optional<int64_t> findPlace(T index, int64_t size, StringRef mode) {
  bool isNegative = index < T(0);
  bool isInside =
      !isNegative && static_cast<uint64_t>(index) < static_cast<uint64_t>(size);
  if (isInside)
    return static_cast<int64_t>(index);
  if (size == 0)
    return std::nullopt;
  if (mode == "clip")
    return isNegative ? 0 : size - 1;
  if (mode != "wrap")
    return std::nullopt;
  if (!isNegative)
    return static_cast<int64_t>(static_cast<uint64_t>(index) %
                                static_cast<uint64_t>(size));
  return (static_cast<int64_t>(index) % size + size) % size;
}

bool Movement::take(std::optional<int64_t> axis, StringRef mode) {
  const ConstantTensor &indices = *operands[1];
  ArrayRef<int64_t> shape = x().getShape();
  std::optional<size_t> dim = normalize(axis.value_or(0), shape.size());
  if (!dim)
    return false;
  SmallVector<int64_t> places;
  bool areFound =
      dispatchNumber(indices.getType().getElementType(), [&](auto *type) {
        using T = Pointee<decltype(type)>;
        if constexpr (!std::is_integral_v<T>)
          return false;
        else
          return llvm::all_of(indices.getValues<T>(), [&](T index) {
            std::optional<int64_t> place = findPlace(index, shape[*dim], mode);
            places.push_back(place.value_or(0));
            return place.has_value();
          });
      });
  if (!areFound || !allocate(x().isSplat()))
    return false;
  if (results.back().getBytes().empty())
    return true;
  // Of each of `outer` blocks the slices of `inner` elements at the indices.
  int64_t outer = ShapedType::getNumElements(shape.take_front(*dim)),
          inner = ShapedType::getNumElements(shape.drop_front(*dim + 1));
  return dispatchSize(x().getType().getElementType(), [&](auto *type) {
    using T = Pointee<decltype(type)>;
    const T *in = x().getValues<T>().data();
    MutableArrayRef<T> result = results.back().getMutableValues<T>();
    if (x().isSplat()) {
      result.front() = *in;
      return true;
    }
    // The one element of a splat stands for all indices.
    size_t count =
        indices.isSplat() ? indices.getType().getNumElements() : places.size();
    if (result.size() != outer * count * inner)
      return false;
    T *out = result.data();
    for (int64_t block = 0; block < outer; ++block, in += shape[*dim] * inner)
      for (size_t i = 0; i < count; ++i, out += inner)
        std::copy_n(in + places[indices.isSplat() ? 0 : i] * inner, inner, out);
    return true;
  });
}

/// Two elements in one place have no value.
bool Movement::transformLayout(AffineMap map, Attribute padding) {
  ArrayRef<int64_t> shape = x().getShape();
  Type elementType = x().getType().getElementType();
  auto padType = RankedTensorType::get(1, elementType);
  std::optional<ConstantTensor> pad;
  if (isa_and_present<IntegerAttr, FloatAttr>(padding) &&
      cast<TypedAttr>(padding).getType() == elementType)
    pad = ConstantTensor::get(DenseElementsAttr::get(padType, padding));
  if (map.getNumDims() != shape.size() || (padding && !pad) ||
      !allocate(/*isSplat=*/false))
    return false;
  ArrayRef<int64_t> newShape = results.back().getShape();
  if (map.getNumResults() != newShape.size())
    return false;
  Strides strides = getStrides(newShape);
  return dispatchSize(elementType, [&](auto *type) {
    using T = Pointee<decltype(type)>;
    MutableArrayRef<T> out = results.back().getMutableValues<T>();
    llvm::fill(out, pad ? pad->getValues<T>().front() : T(0));
    llvm::BitVector isFilled(out.size());
    const T *in = x().getValues<T>().data();
    SmallVector<int64_t> from(shape.size()), to;
    for (int64_t index = 0, size = x().getType().getNumElements(); index < size;
         ++index) {
      if (!mapIndices(map, from, to))
        return false;
      int64_t place = 0;
      for (auto [position, dim, stride] : llvm::zip(to, newShape, strides)) {
        if (position < 0 || position >= dim)
          return false;
        place += position * stride;
      }
      if (isFilled.test(place))
        return false;
      isFilled.set(place);
      out[place] = in[x().isSplat() ? 0 : index];
      for (size_t dim = shape.size(); dim-- > 0;) {
        if (++from[dim] < shape[dim])
          break;
        from[dim] = 0;
      }
    }
    return true;
  });
}

bool Movement::cut(bool isUpper) {
  std::optional<SmallVector<int64_t>> diagonal =
      getIntegers(operands.drop_front());
  ArrayRef<int64_t> shape = x().getShape();
  if (!diagonal || diagonal->size() != 1 || shape.size() < 2 ||
      !allocate(/*isSplat=*/false))
    return false;
  int64_t rows = shape[shape.size() - 2], columns = shape.back(),
          k = std::clamp(diagonal->front(), -rows - 1, columns + 1);
  return dispatchSize(x().getType().getElementType(), [&](auto *type) {
    using T = Pointee<decltype(type)>;
    ArrayRef<T> in = x().getValues<T>();
    MutableArrayRef<T> out = results.back().getMutableValues<T>();
    for (int64_t index = 0, size = out.size(); index < size; ++index) {
      int64_t column = index % columns, row = index / columns % rows;
      bool isKept = isUpper ? column - row >= k : column - row <= k;
      out[index] = isKept ? in[x().isSplat() ? 0 : index] : T(0);
    }
    return true;
  });
}

bool Movement::evaluate(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](FlipOp flipOp) { return flip(flipOp.getAxis()); })
      .Case([&](TileOp tileOp) { return tile(tileOp.getRepeats()); })
      .Case([&](RepeatOp repeatOp) {
        return repeat(repeatOp.getRepeats(), repeatOp.getAxis());
      })
      .Case([&](SplitOp splitOp) { return split(splitOp); })
      .Case([&](StridedSliceOp sliceOp) {
        return slice(static_cast<bool>(sliceOp.getStrides()),
                     sliceOp.getAssumeInbound());
      })
      .Case(
          [&](StackOp stackOp) { return stack(stackOp.getAxis().value_or(0)); })
      .Case([&](TakeOp takeOp) {
        return take(takeOp.getAxis(), takeOp.getMode());
      })
      .Case([&](LayoutTransformOp layoutOp) {
        AffineMap map = getIndexMap(layoutOp.getIndexMap());
        return map && transformLayout(map, layoutOp.getPadValueAttr());
      })
      .Case([&](TrilOp) { return cut(/*isUpper=*/false); })
      .Case([&](TriuOp) { return cut(/*isUpper=*/true); })
      .Default(false);
}

std::optional<SmallVector<ConstantTensor>>
partita::relax::evaluateMovement(Operation *op,
                                 ArrayRef<const ConstantTensor *> operands,
                                 int64_t maxBytes, bool &isTooLarge) {
  Movement movement(operands, op->getResultTypes(), maxBytes, isTooLarge);
  if (operands.empty() || !movement.evaluate(op) ||
      movement.results.size() != op->getNumResults())
    return std::nullopt;
  return std::move(movement.results);
}
