//===- Movement.cpp - Lower ops that move elements ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Other dimensions of the same elements
//===----------------------------------------------------------------------===//

static LogicalResult legalizeReshape(Operation *op, KernelBuilder &kernel) {
  kernel.setName("reshape");
  Value result = op->getResult(0);
  Value x = op->getOperand(0);
  kernel.set(result, kernel.reshape(kernel.getTensor(x), kernel.getSizes(x),
                                    kernel.getSizes(result)));
  return success();
}

static LogicalResult legalizePermuteDims(PermuteDimsOp op,
                                         KernelBuilder &kernel) {
  kernel.setName("transpose");
  TensorView view = kernel.getView(op.getX()), moved = view;
  int64_t rank = view.getRank();
  for (int64_t dim : llvm::seq(rank))
    moved.dims[dim] =
        view.dims[op.getAxes() ? fromFront((*op.getAxes())[dim], rank)
                               : rank - 1 - dim];
  kernel.set(op.getResult(), moved);
  return success();
}

static LogicalResult legalizeExpandDims(ExpandDimsOp op,
                                        KernelBuilder &kernel) {
  TensorView view = kernel.getView(op.getX());
  int64_t rank = view.getRank() + op.getAxis().size();
  SmallVector<int64_t> dims(rank, 0);
  for (int64_t axis : op.getAxis())
    dims[fromFront(axis, rank)] = -1;
  auto *next = view.dims.begin();
  for (int64_t &dim : dims)
    if (dim >= 0)
      dim = *next++;
  kernel.set(op.getResult(), {view.tensor, dims});
  return success();
}

static LogicalResult legalizeSqueeze(SqueezeOp op, KernelBuilder &kernel) {
  TensorView view = kernel.getView(op.getX());
  SmallVector<Dim> from = getDims(op.getX());
  int64_t rank = from.size();
  SmallVector<int64_t> dims;
  for (auto [index, size] : llvm::enumerate(from)) {
    bool isNamed = !op.getAxis();
    for (int64_t axis : op.getAxis().value_or(ArrayRef<int64_t>()))
      isNamed |= fromFront(axis, rank) == int64_t(index);
    if (!isNamed || size != Dim(1))
      dims.push_back(view.dims[index]);
  }
  if (dims.size() != getDims(op.getResult()).size())
    return failure();
  kernel.set(op.getResult(), {view.tensor, dims});
  return success();
}

/// Broadcasts dimensions where only a run shows whether their size is 1.
static Value broadcastUnknown(BroadcastToOp op, KernelBuilder &kernel) {
  Value x = kernel.getTensor(op.getX());
  SmallVector<Value> extents =
      llvm::map_to_vector(kernel.getSizes(op.getX()), [&](OpFoldResult size) {
        return kernel.toValue(size);
      });
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  auto setIndices = [&](ScalarBuilder &s, ValueRange,
                        SmallVectorImpl<Value> &indices) {
    SmallVector<Value> loops = getLoops(s, sizes.size());
    llvm::append_range(indices,
                       ArrayRef<Value>(loops).take_back(extents.size()));
    for (auto [at, extent] : llvm::zip_equal(indices, extents))
      at = clampIndex(s, at, extent);
  };
  return kernel.gather(x, sizes, {}, setIndices);
}

static LogicalResult legalizeBroadcastTo(BroadcastToOp op,
                                         KernelBuilder &kernel) {
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  if (kernel.isNumber(op.getX())) {
    kernel.set(op.getResult(), kernel.fill(kernel.getNumber(op.getX()), sizes,
                                           getNumberType(op.getX())));
    return success();
  }
  SmallVector<Dim> from = getDims(op.getX()), to = getDims(op.getResult());
  auto fits = [](auto pair) {
    return std::get<0>(pair) == std::get<1>(pair) ||
           std::get<0>(pair) == Dim(1);
  };
  if (!llvm::all_of(llvm::zip(llvm::reverse(from), llvm::reverse(to)), fits)) {
    kernel.set(op.getResult(), broadcastUnknown(op, kernel));
    return success();
  }
  kernel.set(op.getResult(),
             kernel.move(kernel.broadcast(kernel.getView(op.getX()), sizes),
                         sizes, getNumberType(op.getX()),
                         [](ScalarBuilder &, ValueRange elements) {
                           return elements[0];
                         }));
  return success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static bool isEmpty(ArrayRef<OpFoldResult> sizes) {
  return llvm::any_of(
      sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); });
}

/// Puts `part` into `whole`. Upstream's op refuses to begin at the end, also
/// for what is empty.
static Value insertSlice(KernelBuilder &kernel, Value part, Value whole,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) {
  if (isEmpty(sizes))
    return whole;
  KernelBuilder::Sizes strides(sizes.size(), kernel.getIndexAttr(1));
  return tensor::InsertSliceOp::create(kernel, part, whole, offsets, sizes,
                                       strides);
}

static Value extractSlice(KernelBuilder &kernel, Value whole,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes,
                          ArrayRef<OpFoldResult> strides) {
  Type type = cast<RankedTensorType>(whole.getType()).getElementType();
  if (isEmpty(sizes))
    return tensor::EmptyOp::create(kernel, sizes, type);
  return tensor::ExtractSliceOp::create(kernel, whole, offsets, sizes, strides);
}

static LogicalResult legalizeConcat(ConcatOp op, KernelBuilder &kernel) {
  SmallVector<Value> tensors = kernel.getFields(op.getTensors());
  kernel.setName("concatenate");
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  int64_t rank = sizes.size(), axis = fromFront(op.getAxis().value_or(0), rank);
  Type type = getNumberType(op.getResult());
  Value out = tensor::EmptyOp::create(kernel, sizes, type);
  KernelBuilder::Sizes offsets(rank, kernel.getIndexAttr(0));
  for (Value tensor : tensors) {
    if (getNumberType(tensor) != type)
      return failure();
    KernelBuilder::Sizes part = kernel.getSizes(tensor);
    out = insertSlice(kernel, kernel.getTensor(tensor), out, offsets, part);
    offsets[axis] = kernel.add(offsets[axis], part[axis]);
  }
  kernel.set(op.getResult(), out);
  return success();
}

static LogicalResult legalizeStack(StackOp op, KernelBuilder &kernel) {
  SmallVector<Value> tensors = kernel.getFields(op.getTensors());
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  int64_t rank = sizes.size(), axis = fromFront(op.getAxis().value_or(0), rank);
  Type type = getNumberType(op.getResult());
  Value out = tensor::EmptyOp::create(kernel, sizes, type);
  KernelBuilder::Sizes offsets(rank, kernel.getIndexAttr(0)), part = sizes;
  part[axis] = kernel.getIndexAttr(1);
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    if (getNumberType(tensor) != type)
      return failure();
    offsets[axis] = kernel.getIndexAttr(index);
    out = insertSlice(kernel, kernel.getTensor(tensor), out, offsets, part);
  }
  kernel.set(op.getResult(), out);
  return success();
}

/// `index`, or the size of the dimension if that is smaller.
static OpFoldResult limitIndex(KernelBuilder &kernel, int64_t index,
                               OpFoldResult size) {
  index = std::max<int64_t>(index, 0);
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return kernel.getIndexAttr(std::min(index, *known));
  return Value(arith::MinSIOp::create(
      kernel, arith::ConstantIndexOp::create(kernel, index),
      kernel.toValue(size)));
}

static LogicalResult legalizeSplit(SplitOp op, KernelBuilder &kernel) {
  Value x = kernel.getTensor(op.getX());
  KernelBuilder::Sizes from = kernel.getSizes(op.getX());
  int64_t rank = from.size(), axis = fromFront(op.getAxis(), rank);
  auto places = dyn_cast<DenseI64ArrayAttr>(op.getIndicesOrSections());
  KernelBuilder::Sizes offsets(rank, kernel.getIndexAttr(0)),
      strides(rank, kernel.getIndexAttr(1));
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    KernelBuilder::Sizes part = kernel.getSizes(result);
    if (places && index != 0)
      offsets[axis] = limitIndex(kernel, places[index - 1], from[axis]);
    kernel.set(result, extractSlice(kernel, x, offsets, part, strides));
    offsets[axis] = kernel.add(offsets[axis], part[axis]);
  }
  return success();
}

/// Where a slice begins in a dimension of this size: counted from the end if it
/// is negative, and within the dimension.
static OpFoldResult getBegin(KernelBuilder &kernel, OpFoldResult begin,
                             OpFoldResult size, int64_t stride) {
  std::optional<int64_t> number = getConstantIntValue(begin),
                         known = getConstantIntValue(size);
  bool isBackward = stride < 0;
  if (number && known) {
    int64_t from = *number < 0 ? *number + *known : *number;
    return kernel.getIndexAttr(
        std::clamp<int64_t>(from, isBackward ? -1 : 0, *known - isBackward));
  }
  ScalarBuilder s(kernel.getLoc(), kernel, kernel.getIndexType());
  auto constant = [&](int64_t value) { return s.index(value); };
  auto less = arith::CmpIPredicate::slt;
  Value from = kernel.toValue(begin), extent = kernel.toValue(size);
  Value isNegative = arith::CmpIOp::create(kernel, less, from, constant(0));
  from = s.select(isNegative, s.add(from, extent), from);
  Value most = isBackward ? s.subtract(extent, constant(1)) : extent;
  from = arith::MaxSIOp::create(kernel, from, constant(isBackward ? -1 : 0));
  return Value(arith::MinSIOp::create(kernel, from, most));
}

static LogicalResult legalizeStridedSlice(StridedSliceOp op,
                                          KernelBuilder &kernel) {
  auto axes = op.getAxes().getDefiningOp<TupleOp>(),
       begins = op.getBegin().getDefiningOp<TupleOp>();
  auto steps =
      op.getStrides() ? op.getStrides().getDefiningOp<TupleOp>() : TupleOp();
  if (!axes || !begins || (op.getStrides() && !steps) ||
      axes.getFields().size() != begins.getFields().size())
    return failure();
  KernelBuilder::Sizes from = kernel.getSizes(op.getX()),
                       sizes = kernel.getSizes(op.getResult());
  int64_t rank = from.size();
  KernelBuilder::Sizes offsets(rank, kernel.getIndexAttr(0)),
      strides(rank, kernel.getIndexAttr(1));
  bool isForward = true;
  for (auto [index, axis, begin] :
       llvm::enumerate(axes.getFields(), begins.getFields())) {
    std::optional<int64_t> dim = getConstantIntValue(kernel.getIndex(axis));
    OpFoldResult step = kernel.getIndexAttr(1);
    if (steps)
      step = kernel.getIndex(steps.getFields()[index]);
    std::optional<int64_t> stride = getConstantIntValue(step);
    if (!dim || stride == 0)
      return failure();
    dim = fromFront(*dim, rank);
    isForward &= stride && *stride > 0;
    strides[*dim] = step;
    // As in TVM's type, a stride with a name is a positive number.
    offsets[*dim] = getBegin(kernel, kernel.getIndex(begin), from[*dim],
                             stride.value_or(1));
  }
  Value x = kernel.getTensor(op.getX());
  if (isForward) {
    kernel.set(op.getResult(),
               extractSlice(kernel, x, offsets, sizes, strides));
    return success();
  }
  SmallVector<Value> starts, distances, extents;
  for (int64_t dim : llvm::seq(rank)) {
    extents.push_back(kernel.toValue(from[dim]));
    starts.push_back(kernel.toValue(offsets[dim]));
    distances.push_back(kernel.toValue(strides[dim]));
  }
  auto setIndices = [&](ScalarBuilder &s, ValueRange,
                        SmallVectorImpl<Value> &indices) {
    for (int64_t dim : llvm::seq(rank)) {
      Value at = arith::MulIOp::create(s, linalg::IndexOp::create(s, dim),
                                       distances[dim]);
      at = arith::AddIOp::create(s, starts[dim], at);
      bool isKnown = getConstantIntValue(strides[dim]).has_value();
      indices.push_back(isKnown ? at : clampIndex(s, at, extents[dim]));
    }
  };
  kernel.set(op.getResult(), kernel.gather(x, sizes, {}, setIndices));
  return success();
}

//===----------------------------------------------------------------------===//
// Repetition and order
//===----------------------------------------------------------------------===//

static LogicalResult legalizeTile(TileOp op, KernelBuilder &kernel) {
  Value x = kernel.getTensor(op.getData());
  KernelBuilder::Sizes from = kernel.getSizes(op.getData()),
                       sizes = kernel.getSizes(op.getResult());
  SmallVector<Value> extents = llvm::map_to_vector(
      from, [&](OpFoldResult size) { return kernel.toValue(size); });
  int64_t offset = sizes.size() - from.size();
  auto setIndices = [&](ScalarBuilder &s, ValueRange,
                        SmallVectorImpl<Value> &indices) {
    for (auto [dim, extent] : llvm::enumerate(extents))
      indices.push_back(arith::RemUIOp::create(
          s, linalg::IndexOp::create(s, offset + dim), extent));
  };
  kernel.set(op.getResult(), kernel.gather(x, sizes, {}, setIndices));
  return success();
}

static LogicalResult legalizeRepeat(RepeatOp op, KernelBuilder &kernel) {
  Value x = kernel.getTensor(op.getData());
  int64_t rank = getDims(op.getData()).size();
  if (!op.getAxis() && rank != 1) {
    OpFoldResult count = kernel.getIndexAttr(1);
    for (OpFoldResult size : kernel.getSizes(op.getData())) {
      std::optional<int64_t> a = getConstantIntValue(count),
                             b = getConstantIntValue(size);
      if (a && b)
        count = kernel.getIndexAttr(*a * *b);
      else
        count = Value(arith::MulIOp::create(kernel, kernel.toValue(count),
                                            kernel.toValue(size)));
    }
    x = kernel.reshape(x, kernel.getSizes(op.getData()), count);
    rank = 1;
  }
  int64_t axis = fromFront(op.getAxis().value_or(0), rank);
  Value repeats = arith::ConstantIndexOp::create(kernel, op.getRepeats());
  auto setIndices = [&](ScalarBuilder &s, ValueRange,
                        SmallVectorImpl<Value> &indices) {
    for (int64_t dim : llvm::seq(rank))
      indices.push_back(linalg::IndexOp::create(s, dim));
    indices[axis] = arith::DivUIOp::create(s, indices[axis], repeats);
  };
  kernel.set(op.getResult(),
             kernel.gather(x, kernel.getSizes(op.getResult()), {}, setIndices));
  return success();
}

static LogicalResult legalizeFlip(FlipOp op, KernelBuilder &kernel) {
  Value x = kernel.getTensor(op.getData());
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  int64_t rank = sizes.size(), axis = fromFront(op.getAxis(), rank);
  Value last = kernel.toValue(kernel.add(sizes[axis], kernel.getIndexAttr(-1)));
  auto setIndices = [&](ScalarBuilder &s, ValueRange,
                        SmallVectorImpl<Value> &indices) {
    for (int64_t dim : llvm::seq(rank))
      indices.push_back(linalg::IndexOp::create(s, dim));
    indices[axis] = arith::SubIOp::create(s, last, indices[axis]);
  };
  kernel.set(op.getResult(), kernel.gather(x, sizes, {}, setIndices));
  return success();
}

static LogicalResult legalizeReverseSequence(ReverseSequenceOp op,
                                             KernelBuilder &kernel) {
  Value x = kernel.getTensor(op.getData());
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  int64_t rank = sizes.size(), axis = fromFront(op.getSeqAxis(), rank),
          batch = fromFront(op.getBatchAxis(), rank);
  KernelBuilder::Input lengths{
      kernel.getTensor(op.getSeqLengths()),
      AffineMap::get(rank, 0, kernel.getAffineDimExpr(batch))};
  Value size = kernel.toValue(sizes[axis]);
  auto setIndices = [&](ScalarBuilder &s, ValueRange elements,
                        SmallVectorImpl<Value> &indices) {
    for (int64_t dim : llvm::seq(rank))
      indices.push_back(linalg::IndexOp::create(s, dim));
    Value at = indices[axis], length = s.toIndex(s.load(elements[0]));
    length = arith::MinSIOp::create(s, length, size);
    Value mirrored = arith::SubIOp::create(
        s, arith::SubIOp::create(s, length, s.index(1)), at);
    Value isInside =
        arith::CmpIOp::create(s, arith::CmpIPredicate::slt, at, length);
    indices[axis] = s.select(isInside, mirrored, at);
  };
  kernel.set(op.getResult(), kernel.gather(x, sizes, lengths, setIndices));
  return success();
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// The element that padding repeats, for position `at` of a dimension of size
/// `size`. TVM reads outside for mirrors of more than the dimension, and for
/// dimensions of size 0; here no index leads there.
static Value getPadded(ScalarBuilder &s, StringRef mode, Value at, Value size) {
  Value zero = s.index(0);
  size = arith::MaxSIOp::create(s, size, s.index(1));
  Value last = arith::SubIOp::create(s, size, s.index(1));
  if (mode == "replicate")
    return arith::MaxSIOp::create(s, arith::MinSIOp::create(s, at, last), zero);
  if (mode == "circular") {
    Value rest = arith::RemSIOp::create(s, at, size);
    Value isNegative =
        arith::CmpIOp::create(s, arith::CmpIPredicate::slt, rest, zero);
    return s.select(isNegative, arith::AddIOp::create(s, rest, size), rest);
  }
  // Mirrored at the first and the last element.
  Value before = math::AbsIOp::create(s, at);
  Value after =
      arith::SubIOp::create(s, arith::AddIOp::create(s, last, last), before);
  Value isAfter =
      arith::CmpIOp::create(s, arith::CmpIPredicate::sgt, before, last);
  return s.select(isAfter, arith::MaxSIOp::create(s, after, zero), before);
}

/// `x` without what negative widths take away at the ends of its dimensions.
static Value cut(KernelBuilder &kernel, Value x, KernelBuilder::Sizes sizes,
                 ArrayRef<int64_t> widths) {
  KernelBuilder::Sizes offsets, strides(sizes.size(), kernel.getIndexAttr(1));
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    int64_t before = std::min<int64_t>(widths[2 * dim], 0),
            after = std::min<int64_t>(widths[2 * dim + 1], 0);
    offsets.push_back(kernel.getIndexAttr(-before));
    size = kernel.add(size, kernel.getIndexAttr(before + after));
  }
  return extractSlice(kernel, x, offsets, sizes, strides);
}

static LogicalResult legalizePad(PadOp op, KernelBuilder &kernel) {
  StringRef mode = op.getPadMode();
  Type type = getNumberType(op.getResult());
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult()), before, after;
  for (auto [index, width] : llvm::enumerate(op.getPadWidth()))
    (index % 2 ? after : before).push_back(kernel.getIndexAttr(width));
  int64_t rank = sizes.size();
  if (before.size() != sizes.size() || after.size() != sizes.size())
    return failure();
  Value x = kernel.getTensor(op.getData());
  bool cuts =
      llvm::any_of(op.getPadWidth(), [](int64_t width) { return width < 0; });
  if (cuts && mode == "constant") {
    x = cut(kernel, x, kernel.getSizes(op.getData()), op.getPadWidth());
    for (OpFoldResult &width : llvm::concat<OpFoldResult>(before, after))
      if (*getConstantIntValue(width) < 0)
        width = kernel.getIndexAttr(0);
  }
  if (mode == "constant") {
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    ScalarBuilder scalars = kernel.getScalars(type);
    Value value = scalars.number(op.getPadValue().convertToDouble());
    // Upstream refuses a slice without elements at the end of a dimension.
    if (llvm::is_contained(cast<ShapedType>(x.getType()).getShape(), 0)) {
      kernel.set(op.getResult(), kernel.fill(value, sizes, type));
      return success();
    }
    kernel.set(op.getResult(),
               tensor::PadOp::create(kernel, RankedTensorType::get(shape, type),
                                     x, before, after, scalars.store(value))
                   .getResult());
    return success();
  }
  if (mode != "reflect" && mode != "replicate" && mode != "circular")
    return failure();
  kernel.setName((mode + "_pad").str());
  SmallVector<Value> extents = llvm::map_to_vector(
      kernel.getSizes(op.getData()),
      [&](OpFoldResult size) { return kernel.toValue(size); });
  auto setIndices = [&](ScalarBuilder &s, ValueRange,
                        SmallVectorImpl<Value> &indices) {
    for (int64_t dim : llvm::seq(rank)) {
      Value at = linalg::IndexOp::create(s, dim);
      at = arith::SubIOp::create(s, at, s.index(op.getPadWidth()[2 * dim]));
      indices.push_back(getPadded(s, mode, at, extents[dim]));
    }
  };
  kernel.set(op.getResult(), kernel.gather(x, sizes, {}, setIndices));
  return success();
}

/// Builds an index of a map. Indices are not negative.
static Value createIndex(ScalarBuilder &s, AffineExpr expr, ValueRange from) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return s.index(number.getValue());
  if (auto index = dyn_cast<AffineDimExpr>(expr))
    return from[index.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value a = createIndex(s, binary.getLHS(), from),
        b = createIndex(s, binary.getRHS(), from);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(s, a, b);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(s, a, b);
  case AffineExprKind::FloorDiv:
    return arith::DivUIOp::create(s, a, b);
  default:
    return arith::RemUIOp::create(s, a, b);
  }
}

/// Each element of the result reads where the map's inverse says. An index
/// beyond the operand's size is padding.
static LogicalResult legalizeLayoutTransform(LayoutTransformOp op,
                                             KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  SmallVector<Dim> dims = getDims(op.getX()), moved = getDims(op.getResult());
  AffineMap map = getIndexMap(op.getIndexMap());
  AffineMap inverse = map ? invertIndexMap(map, dims) : AffineMap();
  if (!inverse || inverse.getNumDims() != moved.size())
    return failure();
  ScalarBuilder scalars = kernel.getScalars(type);
  Value padding = scalars.integer(0);
  if (Attribute attr = op.getPadValueAttr()) {
    auto number = dyn_cast<TypedAttr>(attr);
    if (!isa<IntegerAttr, FloatAttr>(attr) || number.getType() != type)
      return failure();
    padding = scalars.constant(attr);
  }
  padding = scalars.store(padding);
  Value x = kernel.getTensor(op.getX());
  SmallVector<Value> extents =
      llvm::map_to_vector(kernel.getSizes(op.getX()), [&](OpFoldResult size) {
        return kernel.toValue(size);
      });
  SmallVector<Dim> covered = mapShape(inverse, moved);
  auto read = [&](ScalarBuilder &s, ValueRange) -> Value {
    SmallVector<Value> loops =
        llvm::map_to_vector(llvm::seq(moved.size()), [&](size_t dim) -> Value {
          return linalg::IndexOp::create(s, dim);
        });
    SmallVector<Value> from =
        llvm::map_to_vector(inverse.getResults(), [&](AffineExpr expr) {
          return createIndex(s, expr, loops);
        });
    Value isInside;
    for (size_t dim : llvm::seq(dims.size())) {
      if (areEqual(covered[dim], dims[dim]))
        continue;
      Value fits = arith::CmpIOp::create(s, arith::CmpIPredicate::slt,
                                         from[dim], extents[dim]);
      isInside = isInside ? arith::AndIOp::create(s, isInside, fits).getResult()
                          : fits;
      from[dim] = s.select(fits, from[dim], s.index(0));
    }
    Value element = tensor::ExtractOp::create(s, x, from);
    return isInside ? s.select(isInside, element, padding) : element;
  };
  kernel.set(op.getResult(),
             kernel.move({}, kernel.getSizes(op.getResult()), type, read));
  return success();
}

void partita::relax::attachMovement(MLIRContext *context) {
  attach<&legalizeReshape, FlattenOp, ReshapeOp>(context);
  attach<&legalizePermuteDims, PermuteDimsOp>(context);
  attach<&legalizeExpandDims, ExpandDimsOp>(context);
  attach<&legalizeSqueeze, SqueezeOp>(context);
  attach<&legalizeBroadcastTo, BroadcastToOp>(context);
  attach<&legalizeConcat, ConcatOp>(context);
  attach<&legalizeStack, StackOp>(context);
  attach<&legalizeSplit, SplitOp>(context);
  attach<&legalizeStridedSlice, StridedSliceOp>(context);
  attach<&legalizeTile, TileOp>(context);
  attach<&legalizeRepeat, RepeatOp>(context);
  attach<&legalizeFlip, FlipOp>(context);
  attach<&legalizeReverseSequence, ReverseSequenceOp>(context);
  attach<&legalizePad, PadOp>(context);
  attach<&legalizeLayoutTransform, LayoutTransformOp>(context);
}
