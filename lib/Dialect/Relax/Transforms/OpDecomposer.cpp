//===- OpDecomposer.cpp - Ops as simpler ops ------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpDecomposer.h"
#include "Utils.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/Dialect/Traits.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace partita::relax;

/// Expands `vector`, which has an element for each index of dimension `axis` of
/// a tensor of rank `rank`, to that rank.
static Value expand(OpBuilder &builder, Location loc, Value vector,
                    int64_t axis, int64_t rank) {
  SmallVector<int64_t> others = llvm::to_vector(llvm::seq(rank));
  others.erase(others.begin() + axis);
  return ExpandDimsOp::create(builder, loc, vector, others);
}

Value partita::relax::normalize(OpBuilder &builder, BatchNormOp norm,
                                Value mean, Value variance) {
  // A tuple has the name in this case.
  Location loc =
      hasFieldVariables(norm) ? withoutName(norm.getLoc()) : norm.getLoc();
  auto type = cast<RankedTensorType>(norm.getResult().getType());
  int64_t axis = fromFront(norm.getAxis(), type.getRank());
  auto expanded = [&](Value vector) {
    return expand(builder, loc, vector, axis, type.getRank());
  };
  Value result =
      SubtractOp::create(builder, loc, type, norm.getData(), expanded(mean));
  Value expandedVariance = expanded(variance);
  Value epsilon = createScalar(builder, loc, type.getElementType(),
                               norm.getEpsilon().convertToDouble());
  Value shifted = AddOp::create(builder, loc, expandedVariance, epsilon);
  Value deviation = SqrtOp::create(builder, loc, shifted);
  result = DivideOp::create(builder, loc, type, result, deviation);
  if (norm.getScale())
    result = MultiplyOp::create(builder, loc, type, result,
                                expanded(norm.getGamma()));
  if (norm.getCenter())
    result =
        AddOp::create(builder, loc, type, result, expanded(norm.getBeta()));
  return result;
}

bool partita::relax::hasFieldVariables(BatchNormOp norm) {
  return llvm::any_of(norm->getUsers(), llvm::IsaPred<AliasOp>);
}

void partita::relax::replaceFields(OpBuilder &builder, BatchNormOp norm,
                                   ValueRange values) {
  if (hasFieldVariables(norm)) {
    Value tuple = TupleOp::create(builder, norm.getLoc(), values);
    for (OpResult result : norm->getResults())
      for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
        if (!isa<AliasOp>(user))
          continue;
        builder.setInsertionPoint(user);
        auto item = TupleGetItemOp::create(builder, user->getLoc(), tuple,
                                           result.getResultNumber());
        item->setDiscardableAttrs(user->getDiscardableAttrDictionary());
        user->replaceAllUsesWith(item);
        user->erase();
      }
  }
  norm.replaceAllUsesWith(values);
  norm.erase();
}

namespace {
class Decomposer {
public:
  Decomposer(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  SmallVector<Value> decompose(Operation *op);

private:
  static bool isMissing(Value value) { return !value; }
  template <typename T>
  static bool isMissing(const T &) {
    return false;
  }
  /// Makes no op if an operand could not be made.
  template <typename Op, typename... Args>
  Value make(const Args &...args) {
    if ((isMissing(args) || ...))
      return nullptr;
    return Op::create(builder, loc, args...).getResult();
  }
  /// Nothing if operands do not fit.
  template <typename Op>
  Value makeBinary(Value a, Value b) {
    SmallVector<int64_t> shape;
    bool fit =
        a && b && getElementTypeOrSelf(a) == getElementTypeOrSelf(b) &&
        OpTrait::util::getBroadcastedShape(getRankedType(a).getShape(),
                                           getRankedType(b).getShape(), shape);
    return fit ? make<Op>(a, b) : nullptr;
  }
  Value add(Value a, Value b) { return makeBinary<AddOp>(a, b); }
  Value subtract(Value a, Value b) { return makeBinary<SubtractOp>(a, b); }
  Value multiply(Value a, Value b) { return makeBinary<MultiplyOp>(a, b); }
  Value divide(Value a, Value b) { return makeBinary<DivideOp>(a, b); }
  Value exp(Value x) { return make<ExpOp>(x); }

  /// `number` in the float type of `x`.
  Value scalar(Value x, double number) {
    return x ? createScalar(builder, loc, getElementTypeOrSelf(x), number)
             : nullptr;
  }
  Value limit(Value x, double least, double most) {
    return make<MaximumOp>(make<MinimumOp>(x, scalar(x, most)),
                           scalar(x, least));
  }
  Value select(Value x, Value threshold, Value above, Value other) {
    return make<WhereOp>(make<GreaterOp>(x, threshold), above, other);
  }
  Value cast(Value x, Type elementType) {
    bool isSame = x && getElementTypeOrSelf(x) == elementType;
    return isSame ? x : make<AstypeOp>(x, elementType);
  }
  Value makeShape(ArrayRef<Dim> dims) {
    return make<ShapeOp>(ShapeAttr::get(builder.getContext(), dims));
  }
  Value makeNumber(Dim dim) {
    return dim.isNumber()
               ? make<PrimValueOp>(builder.getI64IntegerAttr(dim.getSize()))
               : make<DimOp>(builder.getI64Type(),
                             ShapeAttr::get(builder.getContext(), dim));
  }
  Value reshape(Value x, ArrayRef<Dim> dims) {
    return make<ReshapeOp>(x, makeShape(dims));
  }
  /// A vector along dimension `axis` of `x`, or one number for all of it.
  Value along(Value vector, int64_t axis, Value x) {
    int64_t rank = getRankedType(x).getRank();
    axis = fromFront(axis, rank);
    if (!getRankedType(vector).hasStaticShape())
      return expand(builder, loc, vector, axis, rank);
    bool isNumber = getRankedType(vector).getNumElements() == 1;
    return createAlong(builder, loc, vector, axis, isNumber ? 0 : rank);
  }

  /// Casts floats of fewer than 32 bits to float32, in which statistics are
  /// computed.
  Value widen(Value x) {
    unsigned width = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
    return width < 32 ? cast(x, builder.getF32Type()) : x;
  }
  struct Moments {
    Value deviation, mean, variance;
  };
  Moments getMoments(Value x, DenseI64ArrayAttr axes, bool keepdims = true);
  Value normalize(Value x, ArrayRef<int64_t> axes, double epsilon);
  /// `expand` makes a parameter fit `x`.
  template <typename Op, typename Fn>
  Value scaleAndShift(Op norm, Value x, Fn expand);
  Value softmax(Value x, int64_t axis, bool isLog);
  Value sum(Value x) { return make<SumOp>(x, DenseI64ArrayAttr(), false); }
  /// The classes of a loss, the dimension of the predictions for them, which
  /// targets are not ignored, and their weights, which are 0 if they are.
  struct Targets {
    int64_t axis;
    Value classes, isCounted, weights;
  };
  Value leak(Value x, Value slope) {
    return select(x, scalar(x, 0), x, multiply(x, slope));
  }
  Value collapse(Value x, ArrayRef<Dim> dims);
  Value convertOperands(Operation *op);

  Value decompose(LayerNormOp norm);
  Value decompose(RMSNormOp norm);
  Value decompose(GroupNormOp norm);
  SmallVector<Value> decompose(BatchNormOp norm);
  SmallVector<Value> decompose(MeshgridOp op);
  Value decompose(QuantizeOp op);
  Value decompose(DequantizeOp op);
  Value decompose(PixelShuffleOp op);
  Value decompose(GeluTanhOp op);
  Value decompose(SeluOp op);
  Value decompose(SoftplusOp op);
  Value attend(Operation *op, Attribute scale, StringAttr causalMask);
  template <typename Op>
  Targets getTargets(Op op);
  Value decompose(NLLLossOp op);
  Value decompose(NLLLossBackwardOp op);

  OpBuilder &builder;
  Location loc;
};
} // namespace

Decomposer::Moments Decomposer::getMoments(Value x, DenseI64ArrayAttr axes,
                                           bool keepdims) {
  Value mean = make<MeanOp>(x, axes, /*keepdims=*/true);
  // As in TVM, squares of integers have 64 bits.
  Type type = x ? getElementTypeOrSelf(x) : Type();
  if (isa_and_present<IntegerType>(type) && type.getIntOrFloatBitWidth() < 64) {
    x = cast(x, builder.getI64Type());
    mean = cast(mean, builder.getI64Type());
  }
  Value deviation = subtract(x, mean);
  return {deviation, mean,
          make<MeanOp>(multiply(deviation, deviation), axes, keepdims)};
}

/// (x - mean) / sqrt(variance + epsilon).
Value Decomposer::normalize(Value x, ArrayRef<int64_t> axes, double epsilon) {
  Moments moments = getMoments(widen(x), builder.getDenseI64ArrayAttr(axes));
  Value shifted = add(moments.variance, scalar(moments.variance, epsilon));
  return cast(multiply(moments.deviation, make<RsqrtOp>(shifted)),
              getElementTypeOrSelf(x));
}

template <typename Op, typename Fn>
Value Decomposer::scaleAndShift(Op norm, Value x, Fn expand) {
  if (norm.getScale())
    x = multiply(x, expand(norm.getGamma()));
  return norm.getCenter() ? add(x, expand(norm.getBeta())) : x;
}

/// The dimensions of a tensor of rank `rank` that are none of `axes`.
static SmallVector<int64_t> getOtherAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> others;
  for (int64_t axis : llvm::seq(rank))
    if (!llvm::is_contained(axes, axis) &&
        !llvm::is_contained(axes, axis - rank))
      others.push_back(axis);
  return others;
}

/// Whether `parameter` has the sizes of `axes` in the order that `data` has.
/// It is read in this order, although its type has the order of `axes`.
static bool hasOrderOf(Value data, ArrayRef<int64_t> axes, Value parameter) {
  SmallVector<Dim> shape = getDims(getRankedType(data));
  SmallVector<int64_t> order = llvm::map_to_vector(
      axes, [&](int64_t axis) { return fromFront(axis, shape.size()); });
  if (llvm::is_sorted(order))
    return true;
  llvm::sort(order);
  SmallVector<Dim> sizes = getDims(getRankedType(parameter));
  return llvm::all_of_zip(sizes, order, [&](const Dim &size, int64_t axis) {
    return size == shape[axis];
  });
}

Value Decomposer::decompose(LayerNormOp norm) {
  if (!hasOrderOf(norm.getData(), norm.getAxes(), norm.getGamma()))
    return nullptr;
  SmallVector<int64_t> others =
      getOtherAxes(norm.getAxes(), getRankedType(norm.getData()).getRank());
  Value x = normalize(norm.getData(), norm.getAxes(),
                      norm.getEpsilon().convertToDouble());
  return scaleAndShift(norm, x, [&](Value parameter) {
    return make<ExpandDimsOp>(parameter, others);
  });
}

/// x / sqrt(mean of squares + epsilon) * weight.
Value Decomposer::decompose(RMSNormOp norm) {
  if (!hasOrderOf(norm.getData(), norm.getAxes(), norm.getWeight()))
    return nullptr;
  Value x = widen(norm.getData());
  Value mean = make<MeanOp>(multiply(x, x), norm.getAxesAttr(),
                            /*keepdims=*/true);
  Value shifted = add(mean, scalar(mean, norm.getEpsilon().convertToDouble()));
  SmallVector<int64_t> others =
      getOtherAxes(norm.getAxes(), getRankedType(x).getRank());
  Value weight = make<ExpandDimsOp>(widen(norm.getWeight()), others);
  x = multiply(multiply(make<RsqrtOp>(shifted), x), weight);
  return cast(x, getElementTypeOrSelf(norm.getData()));
}

/// Each group of channels has its own statistics: groups become a dimension.
Value Decomposer::decompose(GroupNormOp norm) {
  SmallVector<Dim> shape = getDims(getRankedType(norm.getData()));
  int64_t rank = shape.size();
  int64_t channels = fromFront(norm.getChannelAxis(), rank);
  SmallVector<int64_t> axes = {channels + 1};
  for (int64_t axis : norm.getAxes()) {
    int64_t dim = fromFront(axis, rank);
    axes.push_back(dim + (dim > channels));
  }
  SmallVector<Dim> grouped = shape;
  grouped[channels] = floorDiv(grouped[channels], Dim(norm.getNumGroups()));
  grouped.insert(grouped.begin() + channels, Dim(norm.getNumGroups()));
  Value x = normalize(reshape(norm.getData(), grouped), axes,
                      norm.getEpsilon().convertToDouble());
  return scaleAndShift(norm, reshape(x, shape), [&](Value parameter) {
    return along(parameter, channels, norm.getData());
  });
}

SmallVector<Value> Decomposer::decompose(BatchNormOp norm) {
  Value mean = norm.getMovingMean(), variance = norm.getMovingVar();
  if (norm.getTraining()) {
    DenseI64ArrayAttr axes = builder.getDenseI64ArrayAttr(
        getOtherAxes(norm.getAxis(), getRankedType(norm.getData()).getRank()));
    Moments moments = getMoments(norm.getData(), axes);
    mean = make<SqueezeOp>(moments.mean, axes);
    variance = make<SqueezeOp>(moments.variance, axes);
  }
  Value x = partita::relax::normalize(builder, norm, mean, variance);
  if (!norm.getTraining())
    return {x, multiply(mean, scalar(mean, 1)),
            multiply(variance, scalar(variance, 1))};
  double momentum = norm.getMomentum().convertToDouble();
  auto update = [&](Value moving, Value found) {
    return add(multiply(scalar(found, 1 - momentum), moving),
               multiply(scalar(found, momentum), found));
  };
  return {x, update(norm.getMovingMean(), mean),
          update(norm.getMovingVar(), variance)};
}

Value Decomposer::softmax(Value x, int64_t axis, bool isLog) {
  DenseI64ArrayAttr axes = builder.getDenseI64ArrayAttr(axis);
  x = subtract(x, make<MaxOp>(x, axes, /*keepdims=*/true));
  Value power = exp(x);
  Value sum = make<SumOp>(power, axes, /*keepdims=*/true);
  return isLog ? subtract(x, make<LogOp>(sum)) : divide(power, sum);
}

/// round(data / scale) + zero_point, within the integer type of the result.
Value Decomposer::decompose(QuantizeOp op) {
  Value x = op.getData();
  Type from = getElementTypeOrSelf(x);
  auto to = dyn_cast<IntegerType>(op.getOutDtype());
  if (!isa<FloatType>(from) || !to || to.getWidth() > 32)
    return nullptr;
  auto expand = [&](Value parameter) {
    return cast(along(parameter, op.getAxis(), x), from);
  };
  bool isUnsigned = to.isUnsigned();
  x = add(make<RoundOp>(divide(x, expand(op.getScale()))),
          expand(op.getZeroPoint()));
  double least = isUnsigned ? 0 : -std::ldexp(1.0, to.getWidth() - 1);
  double most = std::ldexp(1.0, to.getWidth() - !isUnsigned) - 1;
  // Floats of 16 bits don't have the limits of integers of 16 bits.
  x = widen(x);
  // A NaN, which has no integer, becomes the largest as in TVM.
  Value largest = scalar(x, most);
  x = make<WhereOp>(make<LessOp>(x, largest), x, largest);
  return cast(make<MaximumOp>(x, scalar(x, least)), to);
}

/// (data - zero_point) * scale, within the float type of the result.
Value Decomposer::decompose(DequantizeOp op) {
  Value x = op.getData();
  Type type = isa<FloatType>(getElementTypeOrSelf(x))
                  ? Type(builder.getF32Type())
                  : builder.getI32Type();
  auto expand = [&](Value parameter, Type type) {
    return cast(along(parameter, op.getAxis(), op.getData()), type);
  };
  x = subtract(cast(x, type), expand(op.getZeroPoint(), type));
  x = multiply(cast(x, builder.getF32Type()),
               expand(op.getScale(), builder.getF32Type()));
  if (op.getOutDtype().isF32())
    return x;
  if (!op.getOutDtype().isF16())
    return nullptr;
  return cast(limit(x, -65504, 65504), op.getOutDtype());
}

Value Decomposer::decompose(PixelShuffleOp op) {
  SmallVector<Dim> shape = getDims(getRankedType(op.getData()));
  int64_t factor = op.getUpscaleFactor(), rank = shape.size();
  // .., C, H, W to .., C / factor^2, factor, factor, H, W.
  SmallVector<Dim> split(llvm::drop_end(shape, 3));
  SmallVector<int64_t> order;
  llvm::append_range(order, llvm::seq(rank - 3));
  int64_t channels = rank - 3;
  split.append({floorDiv(shape[channels], Dim(factor * factor)), Dim(factor),
                Dim(factor), shape[channels + 1], shape[channels + 2]});
  order.append(
      {channels, channels + 3, channels + 1, channels + 4, channels + 2});
  Value moved = make<PermuteDimsOp>(reshape(op.getData(), split),
                                    builder.getDenseI64ArrayAttr(order));
  return reshape(moved, getDims(getRankedType(op.getResult())));
}

Value Decomposer::decompose(GeluTanhOp op) {
  Value x = op.getX();
  Value factor =
      add(scalar(x, 1), multiply(multiply(scalar(x, 0.044715), x), x));
  Value inner = multiply(
      multiply(scalar(x, std::sqrt(2 / llvm::numbers::pi)), x), factor);
  return multiply(multiply(scalar(x, 0.5), x),
                  add(scalar(x, 1), make<TanhOp>(inner)));
}

Value Decomposer::decompose(SeluOp op) {
  Value x = op.getX(), zero = scalar(x, 0);
  Value negative = multiply(scalar(x, 1.6732632423543772848170429916717),
                            subtract(exp(x), scalar(x, 1)));
  return multiply(
      scalar(x, 1.0507009873554804934193349852946),
      add(make<MaximumOp>(x, zero), make<MinimumOp>(zero, negative)));
}

Value Decomposer::decompose(SoftplusOp op) {
  Value x = op.getData();
  Value beta = scalar(x, op.getBeta().convertToDouble());
  Value scaled = multiply(beta, x);
  Value soft = multiply(divide(scalar(x, 1), beta),
                        make<LogOp>(add(scalar(x, 1), exp(scaled))));
  return select(scaled, scalar(x, op.getThreshold().convertToDouble()), x,
                soft);
}

/// Sums `x` to the shape `shape`: over elements that broadcasting `shape` to
/// the shape of `x` would repeat.
Value Decomposer::collapse(Value x, ArrayRef<Dim> dims) {
  SmallVector<Dim> from = getDims(getRankedType(x));
  SmallVector<int64_t> axes;
  for (auto [axis, size] : llvm::enumerate(from)) {
    size_t fromEnd = from.size() - axis;
    if (fromEnd > dims.size() || dims[dims.size() - fromEnd] != size)
      axes.push_back(axis);
  }
  if (!axes.empty())
    x = make<SumOp>(x, builder.getDenseI64ArrayAttr(axes));
  bool fits = partita::relax::multiply(getDims(getRankedType(x))) ==
              partita::relax::multiply(dims);
  return fits ? reshape(x, dims) : nullptr;
}

/// Not if the first two dimensions are swapped and differ, which TVM's types do
/// not say.
SmallVector<Value> Decomposer::decompose(MeshgridOp op) {
  bool areVectors =
      llvm::all_of(op.getTensors().getTypes(), llvm::IsaPred<RankedTensorType>);
  if (!areVectors)
    return {};
  SmallVector<Dim> dims = getDims(getRankedType(op.getResult(0)));
  bool isSwapped = op.getIndexing() == StringRef("xy") && dims.size() > 1;
  if (isSwapped && dims[0] != dims[1])
    return {};
  SmallVector<Value> grids;
  for (auto [axis, vector] : llvm::enumerate(op.getTensors()))
    grids.push_back(make<BroadcastToOp>(
        along(vector, isSwapped && axis < 2 ? 1 - axis : axis, op.getResult(0)),
        makeShape(dims)));
  return grids;
}

/// `op` on operands of the element type of its result.
Value Decomposer::convertOperands(Operation *op) {
  Value result = op->getResult(0);
  Type elementType = getElementTypeOrSelf(result);
  if (llvm::all_of(op->getOperandTypes(), [&](Type type) {
        return getElementTypeOrSelf(type) == elementType;
      }))
    return nullptr;
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) {
        return cast(operand, elementType);
      });
  Operation *converted = builder.clone(*op);
  converted->setOperands(operands);
  return converted->getResult(0);
}

/// The softmax of query * key * scale + bias, times value, for each head. With
/// a causal mask a query sees only the keys up to its own.
Value Decomposer::attend(Operation *op, Attribute scale,
                         StringAttr causalMask) {
  SmallVector<Dim> query = getDims(getRankedType(op->getOperand(0))),
                   key = getDims(getRankedType(op->getOperand(1))),
                   value = getDims(getRankedType(op->getOperand(2)));
  Dim length = query[1], keyLength = key[1], size = query[3];
  bool isBottomRight = causalMask && causalMask == "BottomRight";
  auto factor = dyn_cast_or_null<FloatAttr>(scale);
  if (!isFloatTensor(op->getOperand(0).getType()) ||
      !areEqual(query[2], key[2]) || !areEqual(query[2], value[2]) ||
      (scale ? !factor : !size.isNumber()) ||
      (causalMask && !isBottomRight && causalMask != "TopLeft"))
    return nullptr;
  auto permute = [&](Value x, ArrayRef<int64_t> axes) {
    return make<PermuteDimsOp>(x, builder.getDenseI64ArrayAttr(axes));
  };
  // (batch, length, head, size) to (batch, head, length, size).
  const int64_t headsFirst[] = {0, 2, 1, 3};
  Value x =
      make<MatmulOp>(permute(op->getOperand(0), headsFirst),
                     permute(op->getOperand(1), {0, 2, 3, 1}), TypeAttr());
  x = scale ? multiply(x, scalar(x, factor.getValueAsDouble()))
            : divide(x, scalar(x, std::sqrt(double(size.getSize()))));
  if (op->getNumOperands() == 4)
    x = add(x, op->getOperand(3));
  if (!causalMask) {
    x = softmax(x, -1, /*isLog=*/false);
  } else {
    // No Dim is a negative number.
    Dim offset = isBottomRight ? max(length, keyLength) - min(length, keyLength)
                               : Dim(0);
    Value diagonal = makeNumber(offset);
    auto last = builder.getDenseI64ArrayAttr({-1});
    x = make<TrilOp>(x, diagonal);
    x = make<TrilOp>(exp(subtract(x, make<MaxOp>(x, last, true))), diagonal);
    x = divide(x, make<SumOp>(x, last, true));
  }
  return permute(
      make<MatmulOp>(x, permute(op->getOperand(2), headsFirst), TypeAttr()),
      headsFirst);
}

template <typename Op>
Decomposer::Targets Decomposer::getTargets(Op op) {
  Value targets = op.getTargets();
  auto integer = [&](int64_t number) {
    Type type = getElementTypeOrSelf(targets);
    return make<ConstantOp>(DenseElementsAttr::get(
        RankedTensorType::get({}, type),
        Attribute(builder.getIntegerAttr(type, number))));
  };
  Value isCounted = make<NotEqualOp>(targets, integer(op.getIgnoreIndex()));
  Value classes = make<WhereOp>(isCounted, targets, integer(0));
  Value predictions = op.getPredictions();
  Value weights = op.getWeights() ? make<TakeOp>(op.getWeights(), classes,
                                                 builder.getI64IntegerAttr(0))
                                  : scalar(predictions, 1);
  return {getRankedType(predictions).getRank() > 1, classes, isCounted,
          make<WhereOp>(isCounted, weights, scalar(predictions, 0))};
}

Value Decomposer::decompose(NLLLossOp op) {
  auto [axis, classes, isCounted, weights] = getTargets(op);
  auto dim = builder.getDenseI64ArrayAttr({axis});
  Value picked = make<SqueezeOp>(
      make<GatherElementsOp>(op.getPredictions(),
                             make<ExpandDimsOp>(classes, dim), axis),
      dim);
  // A weight of 0 alone would make an infinite prediction NaN.
  Value loss =
      make<WhereOp>(isCounted, make<NegativeOp>(multiply(picked, weights)),
                    scalar(picked, 0));
  if (op.getReduction() == "none")
    return loss;
  return op.getReduction() == "mean" ? divide(sum(loss), sum(weights))
                                     : sum(loss);
}

Value Decomposer::decompose(NLLLossBackwardOp op) {
  auto [axis, classes, isCounted, weights] = getTargets(op);
  Value gradient = op.getOutputGrad();
  if (op.getReduction() == "mean")
    gradient = divide(gradient, sum(weights));
  gradient =
      make<WhereOp>(isCounted, make<NegativeOp>(multiply(gradient, weights)),
                    scalar(gradient, 0));
  SmallVector<Dim> shape = getDims(getRankedType(op.getPredictions()));
  Value numbers = make<ArangeOp>(
      makeNumber(Dim(0)), makeNumber(shape[axis]), makeNumber(Dim(1)),
      TypeAttr::get(getElementTypeOrSelf(op.getTargets())));
  auto dim = builder.getDenseI64ArrayAttr({axis});
  Value isTarget =
      make<EqualOp>(make<ExpandDimsOp>(classes, dim),
                    expand(builder, loc, numbers, axis, shape.size()));
  // A product would make the other classes NaN where the gradient is infinite.
  return make<WhereOp>(isTarget, make<ExpandDimsOp>(gradient, dim),
                       scalar(gradient, 0));
}

SmallVector<Value> Decomposer::decompose(Operation *op) {
  using Values = SmallVector<Value>;
  auto oneOf = [&](auto op) { return Values{decompose(op)}; };
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case<DequantizeOp, GeluTanhOp, GroupNormOp, LayerNormOp, PixelShuffleOp,
            QuantizeOp, RMSNormOp, SeluOp, SoftplusOp>(oneOf)
      .Case<BatchNormOp, MeshgridOp>([&](auto op) { return decompose(op); })
      .Case([&](InstanceNormOp norm) {
        if (!isFloatTensor(norm.getData().getType()))
          return Values();
        Value x = normalize(norm.getData(), norm.getAxes(),
                            norm.getEpsilon().convertToDouble());
        return Values{scaleAndShift(norm, x, [&](Value parameter) {
          return along(parameter, norm.getChannelAxis(), x);
        })};
      })
      .Case<SoftmaxOp, LogSoftmaxOp>([&](auto op) {
        return Values{softmax(op.getData(), op.getAxis(),
                              std::is_same_v<decltype(op), LogSoftmaxOp>)};
      })
      .Case<StdOp, VarianceOp>([&](auto op) {
        Type type = getElementTypeOrSelf(op.getX());
        bool isFloat = isa<FloatType>(type);
        Value result =
            getMoments(op.getX(), op.getAxisAttr(), op.getKeepdims()).variance;
        if (std::is_same_v<decltype(op), StdOp>)
          result = make<SqrtOp>(isFloat ? result
                                        : cast(result, builder.getF32Type()));
        return Values{cast(result, type)};
      })
      .Case([&](LeakyReluOp op) {
        Value x = op.getData();
        return Values{leak(x, scalar(x, op.getAlpha().convertToDouble()))};
      })
      .Case([&](PReluOp op) {
        return Values{leak(op.getData(),
                           along(op.getAlpha(), op.getAxis(), op.getData()))};
      })
      .Case([&](OuterOp op) {
        return Values{multiply(make<ExpandDimsOp>(op.getX1(), 1),
                               make<ExpandDimsOp>(op.getX2(), 0))};
      })
      .Case([&](EwiseFMAOp op) {
        return Values{add(multiply(op.getX1(), op.getX2()), op.getX3())};
      })
      .Case<FullOp, FullLikeOp>([&](auto op) {
        RankedTensorType type = getRankedType(op.getResult());
        return Values{
            make<BroadcastToOp>(cast(op.getFillValue(), type.getElementType()),
                                makeShape(getDims(type)))};
      })
      .Case<CollapseSumToOp, CollapseSumLikeOp>([&](auto op) {
        return Values{
            collapse(op.getData(), getDims(getRankedType(op.getResult())))};
      })
      .Case<Conv1DOp, Conv2DOp, Conv3DOp, Conv1DTransposeOp, Conv2DTransposeOp,
            Conv3DTransposeOp, MatmulOp>(
          [&](auto op) { return Values{convertOperands(op)}; })
      .Case([&](DropoutOp op) {
        return Values{
            reshape(op.getData(), getDims(getRankedType(op.getData()))),
            make<OnesLikeOp>(op.getData(), TypeAttr())};
      })
      .Case<AttentionOp, AttentionBiasOp>([&](auto op) {
        return op.getWindowSize() ? Values()
                                  : Values{attend(op, op.getScaleAttr(),
                                                  op.getCausalMaskAttr())};
      })
      .Case([&](CrossEntropyWithLogitsOp op) {
        SmallVector<Dim> dims = getDims(getRankedType(op.getPredictions()));
        if (!isFloatTensor(op.getPredictions().getType()))
          return Values();
        Value products = multiply(op.getPredictions(), op.getLabels());
        if (dims.size() > 1 && !dims[0].isNumber()) {
          SmallVector<int64_t> axes =
              llvm::to_vector(llvm::seq<int64_t>(1, dims.size()));
          Value sums = make<SumOp>(products, builder.getDenseI64ArrayAttr(axes),
                                   /*keepdims=*/false);
          return Values{
              make<NegativeOp>(make<MeanOp>(sums, DenseI64ArrayAttr(), false))};
        }
        Value loss = make<NegativeOp>(sum(products));
        return Values{dims.size() > 1
                          ? divide(loss, scalar(loss, dims[0].getSize()))
                          : loss};
      })
      .Case<NLLLossOp, NLLLossBackwardOp>([&](auto op) {
        Type type = getElementTypeOrSelf(op.getPredictions());
        bool fits =
            isa<FloatType>(type) &&
            (!op.getWeights() || getElementTypeOrSelf(op.getWeights()) == type);
        return fits ? Values{decompose(op)} : Values();
      })
      .Case([&](BatchFlattenOp op) {
        return Values{
            reshape(op.getData(), getDims(getRankedType(op.getResult())))};
      })
      .Default(Values());
}

SmallVector<Value> partita::relax::decompose(OpBuilder &builder,
                                             Operation *op) {
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return isa<ShapeType>(type) ||
           (tensor && tensor.getElementType().isIntOrFloat() &&
            llvm::none_of(getDims(tensor),
                          [](Dim dim) { return dim.isUnknown(); }));
  };
  if (!llvm::all_of(op->getOperandTypes(), isKnown) ||
      !llvm::all_of(op->getResultTypes(), isKnown))
    return {};
  SmallVector<Value> values = Decomposer(builder, op->getLoc()).decompose(op);
  return llvm::is_contained(values, nullptr) ? SmallVector<Value>() : values;
}
