//===- ConstantLoops.h - Loops over constant tensors ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over arrays of C++ numbers, instantiated for each type. Whether an
// operand broadcasts, is transposed or is a splat decides only how far to move
// in it from one element of the result to the next.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTLOOPS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTLOOPS_H

#include "ConstantTensor.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace partita::relax {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The type in which numbers of type `T` are computed.
template <typename T>
struct ComputeTypeOf {
  using Type = T;
};
template <>
struct ComputeTypeOf<Half> {
  using Type = float;
};
template <>
struct ComputeTypeOf<BFloat> {
  using Type = float;
};

template <typename T>
using ComputeType = typename ComputeTypeOf<T>::Type;

/// The type in which arithmetic on `T` wraps around instead of being undefined.
template <typename T>
using WrappingType = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;

/// Calls `fn` with a null pointer to the type in `Types` that has `width` bits;
/// false if there is none or `fn` returns false.
template <typename... Types, typename Fn>
bool dispatchWidth(unsigned width, Fn fn) {
  return ((width == 8 * sizeof(Types) && fn(static_cast<Types *>(nullptr))) ||
          ...);
}

/// The same with the C++ type of `type`.
template <typename Fn>
bool dispatchFloat(mlir::Type type, Fn fn) {
  if (type.isF32())
    return fn(static_cast<float *>(nullptr));
  if (type.isF64())
    return fn(static_cast<double *>(nullptr));
  if (type.isF16())
    return fn(static_cast<Half *>(nullptr));
  if (type.isBF16())
    return fn(static_cast<BFloat *>(nullptr));
  return false;
}

template <typename Fn>
bool dispatchNumber(mlir::Type type, Fn fn) {
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return dispatchFloat(type, fn);
  if (integer.isUnsigned())
    return dispatchWidth<uint8_t, uint16_t, uint32_t, uint64_t>(
        integer.getWidth(), fn);
  return dispatchWidth<int8_t, int16_t, int32_t, int64_t>(integer.getWidth(),
                                                          fn);
}

/// The same with `bool` for booleans.
template <typename Fn>
bool dispatchElement(mlir::Type type, Fn fn) {
  return type.isInteger(1) ? fn(static_cast<bool *>(nullptr))
                           : dispatchNumber(type, fn);
}

/// The same with an unsigned type of the elements' size, for ops that only move
/// elements.
template <typename Fn>
bool dispatchSize(mlir::Type type, Fn fn) {
  unsigned width = type.getIntOrFloatBitWidth();
  return dispatchWidth<uint8_t, uint16_t, uint32_t, uint64_t>(
      width == 1 ? 8 : width, fn);
}

/// The type to which the argument of a dispatched function points.
template <typename Pointer>
using Pointee = std::remove_pointer_t<Pointer>;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

using Strides = llvm::SmallVector<int64_t>;
using OptionalAxes = std::optional<llvm::ArrayRef<int64_t>>;

/// The strides of `shape` in row-major order.
inline Strides getStrides(llvm::ArrayRef<int64_t> shape) {
  Strides strides(shape.size());
  // An empty tensor may have larger strides than there are numbers.
  uint64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
    strides[dim] = stride;
  return strides;
}

/// The strides at which to walk `x` along a shape of rank `rank` that ends with
/// the dimensions of `x`.
inline Strides getBroadcastStrides(const ConstantTensor &x, size_t rank) {
  Strides result(rank);
  if (x.isSplat())
    return result;
  Strides strides = getStrides(x.getShape());
  size_t offset = rank - strides.size();
  for (size_t dim = 0; dim < strides.size(); ++dim)
    if (x.getShape()[dim] != 1)
      result[offset + dim] = strides[dim];
  return result;
}

/// Reductions, matrix products and convolutions of more steps are not folded.
inline constexpr int64_t maxSteps = int64_t(1) << 30;

/// Whether `stepsEach` for each element of `shape` are few enough.
inline bool areWithinSteps(llvm::ArrayRef<int64_t> shape,
                           int64_t stepsEach = 1) {
  std::optional<int64_t> steps = stepsEach;
  for (int64_t size : shape)
    steps = steps ? llvm::checkedMul(*steps, size) : steps;
  return steps && *steps <= maxSteps;
}

/// Calls `fn(position, index)` for each element of `shape` in row-major order,
/// until it returns false; whether it never did.
template <typename Fn>
bool forEachPosition(llvm::ArrayRef<int64_t> shape, Fn fn) {
  llvm::SmallVector<int64_t> position(shape.size());
  for (int64_t index = 0, size = mlir::ShapedType::getNumElements(shape);
       index < size; ++index) {
    if (!fn(llvm::ArrayRef<int64_t>(position), index))
      return false;
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++position[dim] < shape[dim])
        break;
      position[dim] = 0;
    }
  }
  return true;
}

/// The place at `position` of a tensor that has `strides`.
inline int64_t dot(llvm::ArrayRef<int64_t> position,
                   llvm::ArrayRef<int64_t> strides) {
  int64_t place = 0;
  for (auto [at, stride] : llvm::zip_equal(position, strides))
    place += at * stride;
  return place;
}

/// Nested loops over a shape in row-major order with `N` operands.
template <size_t N>
struct LoopNest {
  using Offsets = std::array<int64_t, N>;

  /// Merges adjacent loops that are one loop for every operand.
  LoopNest(llvm::ArrayRef<int64_t> shape, std::array<Strides, N> allStrides) {
    // An empty tensor may have larger strides than there are numbers.
    if (llvm::is_contained(shape, 0)) {
      sizes.push_back(0);
      return;
    }
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (size == 1)
        continue;
      bool isSame = !sizes.empty();
      for (size_t operand = 0; operand < N && isSame; ++operand)
        isSame = strides[operand].back() == allStrides[operand][dim] * size;
      if (isSame)
        sizes.back() *= size;
      else
        sizes.push_back(size);
      for (size_t operand = 0; operand < N; ++operand) {
        strides[operand].resize(sizes.size());
        strides[operand].back() = allStrides[operand][dim];
      }
    }
  }

  /// Calls `fn(index, offsets, steps, count)` for each run of the innermost
  /// loop. A run covers `count` elements of the shape from `index` on, and
  /// `count` elements of each operand from its offset on, a step apart.
  template <typename Fn>
  void run(Fn fn) const {
    if (llvm::is_contained(sizes, 0))
      return;
    int64_t count = sizes.empty() ? 1 : sizes.back();
    Offsets offsets = {}, steps = {};
    for (size_t operand = 0; operand < N && !sizes.empty(); ++operand)
      steps[operand] = strides[operand].back();
    size_t outer = sizes.empty() ? 0 : sizes.size() - 1;
    llvm::SmallVector<int64_t> position(outer);
    for (int64_t index = 0;; index += count) {
      fn(index, offsets, steps, count);
      size_t dim = outer;
      for (; dim > 0; --dim) {
        bool wraps = ++position[dim - 1] == sizes[dim - 1];
        for (size_t operand = 0; operand < N; ++operand)
          offsets[operand] +=
              strides[operand][dim - 1] * (wraps ? 1 - sizes[dim - 1] : 1);
        if (!wraps)
          break;
        position[dim - 1] = 0;
      }
      if (dim == 0)
        return;
    }
  }

private:
  llvm::SmallVector<int64_t> sizes;
  std::array<Strides, N> strides;
};

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The evaluation of one op, which kinds of ops derive from. Methods return
/// whether `result` holds the value.
class OpEvaluation {
public:
  OpEvaluation(llvm::ArrayRef<const ConstantTensor *> operands,
               mlir::RankedTensorType type, int64_t maxBytes)
      : operands(operands), type(type), maxBytes(maxBytes) {}

  std::optional<ConstantTensor> result;
  /// Whether it takes more than `maxBytes`, or too many steps.
  bool isTooLarge = false;

protected:
  const ConstantTensor &x() const { return *operands[0]; }
  const ConstantTensor &y() const { return *operands[1]; }
  mlir::Type getElementType() const { return type.getElementType(); }
  bool isOfResultType(const ConstantTensor &tensor) const {
    return tensor.getType().getElementType() == getElementType();
  }

  bool allocate(bool isSplat = false) {
    result = ConstantTensor::allocate(type, isSplat, maxBytes);
    isTooLarge |= !result.has_value();
    return result.has_value();
  }
  /// Whether `stepsEach` for each element of `shape` are few enough.
  bool isWithin(llvm::ArrayRef<int64_t> shape, int64_t stepsEach = 1) {
    isTooLarge |= !areWithinSteps(shape, stepsEach);
    return !isTooLarge;
  }

  llvm::ArrayRef<const ConstantTensor *> operands;
  mlir::RankedTensorType type;
  int64_t maxBytes;
};

/// The value of `op` as `EvaluationT` finds it, which derives from
/// OpEvaluation; nothing if it does not evaluate such ops, or if the result has
/// no value.
template <typename EvaluationT>
std::optional<ConstantTensor>
evaluateAs(mlir::Operation *op, llvm::ArrayRef<const ConstantTensor *> operands,
           mlir::RankedTensorType type, int64_t maxBytes, bool &isTooLarge) {
  EvaluationT evaluation(operands, type, maxBytes);
  bool isEvaluated = evaluation.evaluate(op);
  isTooLarge |= evaluation.isTooLarge;
  return isEvaluated ? std::move(evaluation.result) : std::nullopt;
}

/// The elements of a tensor of integers of any type, or of booleans.
struct Integers {
  /// One element for all of a splat.
  llvm::SmallVector<int64_t> values;
  bool isSplat;

  int64_t operator[](int64_t index) const {
    return values[isSplat ? 0 : index];
  }
  llvm::SmallVector<int64_t> slice(int64_t start, int64_t count) const {
    return llvm::map_to_vector(llvm::seq(start, start + count),
                               [&](int64_t index) { return (*this)[index]; });
  }
};

/// Nothing if the tensor holds other elements, or integers that are too large.
inline std::optional<Integers> getIntegers(const ConstantTensor &tensor) {
  Integers integers{{}, tensor.isSplat()};
  bool areIntegers =
      dispatchElement(tensor.getType().getElementType(), [&](auto *type) {
        using T = Pointee<decltype(type)>;
        if constexpr (!std::is_integral_v<T>)
          return false;
        else
          return llvm::all_of(tensor.getValues<T>(), [&](T value) {
            integers.values.push_back(static_cast<int64_t>(value));
            return !std::is_same_v<T, uint64_t> || integers.values.back() >= 0;
          });
      });
  return areIntegers ? std::optional(std::move(integers)) : std::nullopt;
}

/// The integer in a tensor of one element.
inline std::optional<int64_t> getOneInteger(const ConstantTensor &tensor) {
  std::optional<Integers> integers = getIntegers(tensor);
  if (!integers || tensor.getType().getNumElements() != 1)
    return std::nullopt;
  return integers->values.front();
}

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTLOOPS_H
