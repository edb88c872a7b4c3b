//===- IndexingEvaluator.cpp - Evaluate ops that find places --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that look up elements, or put them somewhere, by index, in no regular
// order. An index outside of a tensor has no value.
//
//===----------------------------------------------------------------------===//

#include "ConstantArithmetic.h"
#include "ConstantKernels.h"
#include "ConstantLoops.h"
#include "Utils.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::relax;

namespace {
/// Where an element is, if it is anywhere.
using Place = std::optional<int64_t>;

class Indexing : public OpEvaluation {
public:
  using OpEvaluation::OpEvaluation;

  bool evaluate(Operation *op);

private:
  /// Fills the result with the elements of `source` at the places that `find`
  /// gives for each position; false if it gives none. `isPadding` stands for
  /// the one element of `padding`.
  static constexpr int64_t isPadding = -1;
  bool gather(const ConstantTensor &source,
              llvm::function_ref<Place(ArrayRef<int64_t>)> find,
              const ConstantTensor *padding = nullptr);
  /// Fills it with the elements of x, and changes for each position of
  /// `updates` the element at the place that `find` gives.
  bool scatter(const ConstantTensor &updates, StringRef reduction,
               llvm::function_ref<Place(ArrayRef<int64_t>, int64_t)> find);

  bool pad(PadOp op);
  bool gatherElements(int64_t axis);
  bool gatherND(int64_t batchDims);
  bool scatterElements(int64_t axis, StringRef reduction);
  bool scatterND(StringRef reduction);
  bool scatterSlice(int64_t axis);
  bool reverseSequence(int64_t axis, int64_t batchAxis);
  bool makeOneHot(int64_t axis);
  /// Ones on a diagonal.
  bool makeEye();
  /// Where along `axis`, or in all, the first greatest element is, or the
  /// smallest.
  bool findExtreme(std::optional<int64_t> axis, bool isGreatest);
};
} // namespace

bool Indexing::gather(const ConstantTensor &source,
                      llvm::function_ref<Place(ArrayRef<int64_t>)> find,
                      const ConstantTensor *padding) {
  if (!isOfResultType(source) || (padding && !isOfResultType(*padding)) ||
      !allocate())
    return false;
  return dispatchSize(getElementType(), [&](auto *elementType) {
    using T = Pointee<decltype(elementType)>;
    ArrayRef<T> in = source.getValues<T>();
    MutableArrayRef<T> out = result->getMutableValues<T>();
    return forEachPosition(type.getShape(),
                           [&](ArrayRef<int64_t> position, int64_t index) {
                             Place place = find(position);
                             if (!place)
                               return false;
                             if (*place == isPadding)
                               out[index] = padding->getValues<T>().front();
                             else
                               out[index] = in[source.isSplat() ? 0 : *place];
                             return true;
                           });
  });
}

/// Combines an element with an update; nothing if TVM has no such reduction.
template <typename T>
static std::optional<T> combine(T element, T update, StringRef reduction) {
  using C = ComputeType<T>;
  C a = C(element), b = C(update);
  if (reduction == "update")
    return update;
  if (reduction == "add")
    return T(WrappingType<C>(a) + WrappingType<C>(b));
  if (reduction == "mul")
    return T(WrappingType<C>(a) * WrappingType<C>(b));
  if (reduction == "max")
    return T(larger(a, b));
  if (reduction == "min")
    return T(smaller(a, b));
  return std::nullopt;
}

bool Indexing::scatter(
    const ConstantTensor &updates, StringRef reduction,
    llvm::function_ref<Place(ArrayRef<int64_t>, int64_t)> find) {
  if (!isWithin(updates.getShape()) || !isOfResultType(x()) ||
      !isOfResultType(updates) || !allocate())
    return false;
  return dispatchNumber(getElementType(), [&](auto *elementType) {
    using T = Pointee<decltype(elementType)>;
    ArrayRef<T> in = x().getValues<T>(), from = updates.getValues<T>();
    MutableArrayRef<T> out = result->getMutableValues<T>();
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = in[x().isSplat() ? 0 : i];
    return forEachPosition(updates.getShape(), [&](ArrayRef<int64_t> position,
                                                   int64_t index) {
      Place place = find(position, index);
      if (!place)
        return false;
      std::optional<T> value =
          combine(out[*place], from[updates.isSplat() ? 0 : index], reduction);
      if (value)
        out[*place] = *value;
      return value.has_value();
    });
  });
}

/// `index` in a dimension of `size`, from the end if it is negative.
static Place findPlace(int64_t index, int64_t size) {
  if (index < 0)
    index += size;
  if (index < 0 || index >= size)
    return std::nullopt;
  return index;
}

/// `number` as a tensor of one element; nothing if the type can't hold it.
static std::optional<ConstantTensor> makeNumber(Type elementType,
                                                double number) {
  auto type = RankedTensorType::get({}, elementType);
  std::optional<ConstantTensor> tensor =
      ConstantTensor::allocate(type, /*isSplat=*/true, sizeof(int64_t));
  bool isHeld =
      tensor && dispatchElement(elementType, [&](auto *numberType) {
        using T = Pointee<decltype(numberType)>;
        return convertTo(number, tensor->getMutableValues<T>().front());
      });
  return isHeld ? std::move(tensor) : std::nullopt;
}

bool Indexing::pad(PadOp op) {
  ArrayRef<int64_t> widths = op.getPadWidth(), shape = x().getShape();
  Strides strides = getStrides(shape);
  std::optional<ConstantTensor> padding =
      makeNumber(getElementType(), op.getPadValue().convertToDouble());
  if (!padding || widths.size() != 2 * shape.size())
    return false;
  StringRef mode = op.getPadMode();
  // Where in a dimension of `size` the element `at` places behind its start is.
  auto find = [&](int64_t at, int64_t size) {
    if (at >= 0 && at < size)
      return at;
    if (mode == "reflect")
      return at < 0 ? -at : 2 * size - 2 - at;
    if (mode == "replicate")
      return at < 0 ? 0 : size - 1;
    return mode == "circular" && size ? (at % size + size) % size : isPadding;
  };
  return gather(
      x(),
      [&](ArrayRef<int64_t> position) {
        Place place = 0;
        for (auto [dim, at] : llvm::enumerate(position)) {
          int64_t inside = find(at - widths[2 * dim], shape[dim]);
          if (inside == isPadding && mode == "constant")
            return std::optional(isPadding);
          if (inside < 0 || inside >= shape[dim])
            return Place();
          *place += inside * strides[dim];
        }
        return place;
      },
      &*padding);
}

bool Indexing::gatherElements(int64_t axis) {
  std::optional<Integers> indices = getIntegers(*operands[1]);
  ArrayRef<int64_t> shape = x().getShape();
  if (!indices || operands[1]->getShape().size() != shape.size())
    return false;
  axis = fromFront(axis, shape.size());
  Strides strides = getStrides(shape);
  Strides indexStrides = getStrides(type.getShape());
  return gather(x(), [&](ArrayRef<int64_t> position) {
    Place place = 0;
    for (auto [dim, at] : llvm::enumerate(position)) {
      Place inside = findPlace(static_cast<int64_t>(dim) == axis
                                   ? (*indices)[dot(position, indexStrides)]
                                   : at,
                               shape[dim]);
      place = place && inside ? std::optional(*place + *inside * strides[dim])
                              : std::nullopt;
    }
    return place;
  });
}

/// The place of a slice at `index`, which has numbers for the dimensions from
/// `first` on.
static Place findSlice(ArrayRef<int64_t> index, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> strides, size_t first = 0) {
  int64_t place = 0;
  for (auto [dim, at] : llvm::enumerate(index)) {
    Place inside = findPlace(at, shape[first + dim]);
    if (!inside)
      return std::nullopt;
    place += *inside * strides[first + dim];
  }
  return place;
}

bool Indexing::gatherND(int64_t batchDims) {
  std::optional<Integers> indices = getIntegers(*operands[1]);
  ArrayRef<int64_t> shape = x().getShape(),
                    indexShape = operands[1]->getShape();
  if (!indices || indexShape.empty() || batchDims < 0 ||
      batchDims + indexShape.back() > static_cast<int64_t>(shape.size()) ||
      static_cast<size_t>(batchDims) >= indexShape.size())
    return false;
  size_t length = indexShape.back(), outer = indexShape.size() - 1;
  Strides strides = getStrides(shape);
  Strides indexStrides = getStrides(indexShape.drop_back());
  size_t kept = shape.size() - batchDims - length;
  if (type.getShape().size() != outer + kept)
    return false;
  return gather(x(), [&](ArrayRef<int64_t> position) {
    int64_t start = dot(position.take_front(outer), indexStrides) * length;
    Place place =
        findSlice(indices->slice(start, length), shape, strides, batchDims);
    if (place)
      *place +=
          dot(position.take_front(batchDims),
              ArrayRef(strides).take_front(batchDims)) +
          dot(position.take_back(kept), ArrayRef(strides).take_back(kept));
    return place;
  });
}

bool Indexing::scatterElements(int64_t axis, StringRef reduction) {
  std::optional<Integers> indices = getIntegers(*operands[1]);
  ArrayRef<int64_t> shape = x().getShape(),
                    updateShape = operands[2]->getShape();
  axis = fromFront(axis, shape.size());
  if (!indices || operands[1]->getShape() != updateShape ||
      updateShape.size() != shape.size())
    return false;
  Strides strides = getStrides(shape);
  return scatter(*operands[2], reduction,
                 [&](ArrayRef<int64_t> position, int64_t index) {
                   SmallVector<int64_t> at(position);
                   at[axis] = (*indices)[index];
                   return findSlice(at, shape, strides);
                 });
}

bool Indexing::scatterND(StringRef reduction) {
  std::optional<Integers> indices = getIntegers(*operands[1]);
  ArrayRef<int64_t> shape = x().getShape(),
                    indexShape = operands[1]->getShape();
  if (!indices || indexShape.empty())
    return false;
  size_t length = indexShape.back(), outer = indexShape.size() - 1;
  if (length > shape.size() ||
      operands[2]->getShape().size() != outer + shape.size() - length)
    return false;
  Strides strides = getStrides(shape);
  Strides indexStrides = getStrides(indexShape.drop_back());
  return scatter(*operands[2], reduction,
                 [&](ArrayRef<int64_t> position, int64_t) -> Place {
                   int64_t start =
                       dot(position.take_front(outer), indexStrides) * length;
                   SmallVector<int64_t> at;
                   llvm::append_range(at, indices->slice(start, length));
                   llvm::append_range(at, position.drop_front(outer));
                   return findSlice(at, shape, strides);
                 });
}

/// The operands are the input, the slice and its start, end and step.
bool Indexing::scatterSlice(int64_t axis) {
  std::optional<int64_t> start = getOneInteger(*operands[2]),
                         step = getOneInteger(*operands[4]);
  ArrayRef<int64_t> shape = x().getShape();
  if (!start || !step || operands[1]->getShape().size() != shape.size())
    return false;
  axis = fromFront(axis, shape.size());
  Strides strides = getStrides(shape);
  return scatter(*operands[1], "update",
                 [&](ArrayRef<int64_t> position, int64_t) {
                   SmallVector<int64_t> at(position);
                   at[axis] = *start + at[axis] * *step;
                   return findSlice(at, shape, strides);
                 });
}

bool Indexing::reverseSequence(int64_t axis, int64_t batchAxis) {
  std::optional<Integers> lengths = getIntegers(*operands[1]);
  ArrayRef<int64_t> shape = x().getShape();
  axis = fromFront(axis, shape.size());
  batchAxis = fromFront(batchAxis, shape.size());
  if (!lengths || operands[1]->getType().getNumElements() != shape[batchAxis])
    return false;
  Strides strides = getStrides(shape);
  return gather(x(), [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> at(position);
    int64_t length = std::min((*lengths)[at[batchAxis]], shape[axis]);
    if (length > 1 && at[axis] < length)
      at[axis] = length - 1 - at[axis];
    return std::optional(dot(at, strides));
  });
}

/// The operands are the indices and the two values.
bool Indexing::makeOneHot(int64_t axis) {
  std::optional<Integers> indices = getIntegers(x());
  if (!indices)
    return false;
  axis = fromFront(axis, type.getRank());
  Strides strides = getStrides(x().getShape());
  strides.insert(strides.begin() + axis, 0);
  return gather(
      *operands[1],
      [&](ArrayRef<int64_t> position) {
        bool isOn = (*indices)[dot(position, strides)] == position[axis];
        return std::optional(isOn ? 0 : isPadding);
      },
      operands[2]);
}

bool Indexing::makeEye() {
  std::optional<int64_t> diagonal = getOneInteger(*operands.back());
  std::optional<ConstantTensor> one = makeNumber(getElementType(), 1),
                                zero = makeNumber(getElementType(), 0);
  if (!diagonal || !one || type.getRank() != 2)
    return false;
  return gather(
      *one,
      [&](ArrayRef<int64_t> position) {
        bool isOn = *diagonal == position[1] - position[0];
        return std::optional(isOn ? 0 : isPadding);
      },
      &*zero);
}

bool Indexing::findExtreme(std::optional<int64_t> axis, bool isGreatest) {
  ArrayRef<int64_t> shape = x().getShape();
  size_t dim = axis ? fromFront(*axis, shape.size()) : 0;
  if (x().getBytes().empty() || (axis && shape.empty()) ||
      !getElementType().isInteger(64) || !allocate())
    return false;
  // Lines of `size` elements that are `inner` apart, as many side by side.
  int64_t total = ShapedType::getNumElements(shape);
  int64_t inner =
      axis ? ShapedType::getNumElements(shape.drop_front(dim + 1)) : 1;
  int64_t size = axis ? shape[dim] : total;
  MutableArrayRef<int64_t> out = result->getMutableValues<int64_t>();
  return dispatchNumber(x().getType().getElementType(), [&](auto *elementType) {
    using T = Pointee<decltype(elementType)>;
    ArrayRef<T> in = x().getValues<T>();
    for (int64_t line = 0, count = out.size(); line < count; ++line) {
      int64_t start = line / inner * inner * size + line % inner;
      out[line] = 0;
      for (int64_t i = 1; i < size && !x().isSplat(); ++i) {
        ComputeType<T> value = in[start + i * inner],
                       best = in[start + out[line] * inner];
        // NaN wins, and the first NaN keeps the place.
        bool isBetter = isGreatest ? value > best : value < best;
        if (isBetter || (value != value && best == best))
          out[line] = i;
      }
    }
    return true;
  });
}

bool Indexing::evaluate(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](PadOp padOp) { return pad(padOp); })
      .Case([&](GatherElementsOp gatherOp) {
        return gatherElements(gatherOp.getAxis());
      })
      .Case([&](GatherNDOp gatherOp) {
        return gatherND(gatherOp.getBatchDims());
      })
      .Case([&](ScatterElementsOp scatterOp) {
        return scatterElements(scatterOp.getAxis(), scatterOp.getReduction());
      })
      .Case([&](ScatterNDOp scatterOp) {
        return scatterND(scatterOp.getReduction());
      })
      .Case([&](SliceScatterOp scatterOp) {
        return scatterSlice(scatterOp.getAxis());
      })
      .Case([&](ReverseSequenceOp reverseOp) {
        return reverseSequence(reverseOp.getSeqAxis(),
                               reverseOp.getBatchAxis());
      })
      .Case([&](OneHotOp oneHotOp) { return makeOneHot(oneHotOp.getAxis()); })
      .Case<EyeOp, EyeLikeOp>([&](auto) { return makeEye(); })
      .Case([&](ArgmaxOp argmaxOp) {
        return findExtreme(argmaxOp.getAxis(), /*isGreatest=*/true);
      })
      .Case([&](ArgminOp argminOp) {
        return findExtreme(argminOp.getAxis(), /*isGreatest=*/false);
      })
      .Default(false);
}

std::optional<ConstantTensor> partita::relax::evaluateIndexing(
    Operation *op, ArrayRef<const ConstantTensor *> operands,
    RankedTensorType type, int64_t maxBytes, bool &isTooLarge) {
  return evaluateAs<Indexing>(op, operands, type, maxBytes, isTooLarge);
}
