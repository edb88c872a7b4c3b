//===- TrustedSizes.cpp - Check sizes that types don't show to fit --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::relax;

/// Casts dimension `dim` of an operand to `size`, unless it is known to be
/// that, or known to be something else.
static void setSize(Operation *op, unsigned operand, int64_t dim, Dim size) {
  Value value = op->getOperand(operand);
  std::optional<TensorInfo> info = TensorInfo::get(value.getType());
  if (!info || dim < 0 || dim >= info->getRank() || info->shape)
    return;
  Dim known = info->dims[dim];
  if (known == size || known.isUnknown() || size.isUnknown() ||
      (known.isNumber() && size.isNumber()))
    return;
  info->dims[dim] = size;
  OpBuilder builder(op);
  op->setOperand(operand,
                 MatchCastOp::create(builder, withoutName(op->getLoc()),
                                     info->getType(op->getContext()), value));
}

static Dim getSize(Operation *op, unsigned operand, int64_t dim) {
  std::optional<TensorInfo> info =
      TensorInfo::get(op->getOperand(operand).getType());
  return info && dim >= 0 && dim < info->getRank() ? info->dims[dim] : Dim();
}

static int64_t getRank(Operation *op, unsigned operand) {
  std::optional<TensorInfo> info =
      TensorInfo::get(op->getOperand(operand).getType());
  return info ? info->getRank() : 0;
}

/// Two dimensions have one size. A number stays what it is.
static void setEqual(Operation *op, unsigned a, int64_t dimA, unsigned b,
                     int64_t dimB) {
  Dim size = getSize(op, a, dimA);
  if (size.isNumber())
    setSize(op, b, dimB, size);
  else
    setSize(op, a, dimA, getSize(op, b, dimB));
}

static void setAtLeast(Operation *op, unsigned operand, int64_t dim, Dim size) {
  Dim known = getSize(op, operand, dim);
  if (!known.isUnknown() && !size.isUnknown())
    setSize(op, operand, dim, max(known, size));
}

/// `size`, where it is a multiple of `factor`.
static Dim getMultiple(Dim size, Dim factor) {
  return size.isNumber() ? size : floorDiv(size, factor) * factor;
}

/// The channels of the data are the weight's, which has parts of them in
/// groups.
template <bool isTransposed, typename OpT>
static void checkConv(OpT op) {
  int64_t channel = findDim(op.getDataLayout(), 'C'),
          input = findDim(op.getKernelLayout(), 'I');
  Dim groups(int64_t(op.getGroups())), have = getSize(op, 0, channel),
                                       need = getSize(op, 1, input);
  if (have.isUnknown() || need.isUnknown())
    return;
  if (isTransposed) {
    Dim channels = getMultiple(have.isNumber() ? have : need, groups);
    setSize(op, 0, channel, channels);
    setSize(op, 1, input, channels);
    return;
  }
  int64_t output = findDim(op.getKernelLayout(), 'O');
  setSize(op, 1, output, getMultiple(getSize(op, 1, output), groups));
  if (have.isNumber())
    setSize(op, 1, input, floorDiv(have, groups));
  else
    setSize(op, 0, channel, need * groups);
}

/// Operands from the second on have the sizes of the first in `axes`.
static void checkParameters(Operation *op, ArrayRef<int64_t> axes) {
  std::optional<TensorInfo> info = TensorInfo::get(op->getOperand(0).getType());
  if (!info || !info->isRanked)
    return;
  for (unsigned operand : llvm::seq(1u, op->getNumOperands()))
    for (auto [dim, axis] : llvm::enumerate(axes))
      setSize(op, operand, dim,
              getSize(op, 0, fromFront(axis, info->getRank())));
}

static void check(MatmulOp product) {
  int64_t rank = getRank(product, 1);
  setEqual(product, 0, getRank(product, 0) - 1, 1, std::max(rank - 2, 0l));
}

/// Dimensions with one letter have one size.
static void check(EinsumOp product) {
  SmallVector<StringRef> terms;
  product.getSubscripts().split("->").first.split(terms, ',');
  if (terms.size() != product.getOperands().size())
    return;
  llvm::DenseMap<char, std::pair<unsigned, int64_t>> places;
  for (auto [operand, term] : llvm::enumerate(terms)) {
    int64_t dim = 0;
    for (auto [index, letter] : llvm::enumerate(term)) {
      // An ellipsis stands for what the letters leave.
      if (letter == '.')
        dim = getRank(product, operand) -
              llvm::count_if(term.drop_front(index), llvm::isAlpha);
      if (!llvm::isAlpha(letter))
        continue;
      auto [place, isNew] = places.try_emplace(letter, operand, dim);
      auto [other, otherDim] = place->second;
      if (!isNew && getSize(product, operand, dim) != Dim(1) &&
          getSize(product, other, otherDim) != Dim(1))
        setEqual(product, other, otherDim, operand, dim);
      ++dim;
    }
  }
}

static void check(GatherElementsOp gather) {
  int64_t rank = getRank(gather, 0), axis = fromFront(gather.getAxis(), rank);
  for (int64_t dim : llvm::seq(rank))
    if (dim != axis)
      setAtLeast(gather, 0, dim, getSize(gather, 1, dim));
}

static void check(ScatterElementsOp scatter) {
  int64_t rank = getRank(scatter, 0), axis = fromFront(scatter.getAxis(), rank);
  for (int64_t dim : llvm::seq(rank)) {
    setEqual(scatter, 1, dim, 2, dim);
    if (dim != axis)
      setAtLeast(scatter, 0, dim, getSize(scatter, 1, dim));
  }
}

static void check(ScatterNDOp scatter) {
  int64_t outer = getRank(scatter, 1) - 1;
  Dim count = getSize(scatter, 1, outer);
  if (!count.isNumber())
    return;
  for (int64_t dim : llvm::seq(outer))
    setEqual(scatter, 1, dim, 2, dim);
  for (int64_t dim : llvm::seq(count.getSize(), getRank(scatter, 0)))
    setEqual(scatter, 0, dim, 2, outer + dim - count.getSize());
}

/// There is a value for each place, which the indices are broadcast to.
static void check(IndexPutOp put) {
  auto indices = dyn_cast<TupleType>(put.getIndices().getType());
  int64_t rank = getRank(put, 2);
  for (Type type : indices ? indices.getTypes() : TypeRange())
    if (std::optional<TensorInfo> index = TensorInfo::get(type))
      for (auto [dim, size] : llvm::enumerate(index->dims))
        if (size != Dim(1))
          setSize(put, 2, rank - index->getRank() + dim, size);
}

static void check(TakeBackwardOp take) {
  int64_t axis = fromFront(take.getAxis().value_or(0), getRank(take, 1)),
          more = getRank(take, 2);
  for (int64_t dim : llvm::seq(axis))
    setEqual(take, 0, dim, 1, dim);
  for (int64_t dim : llvm::seq(more))
    setEqual(take, 0, axis + dim, 2, dim);
  for (int64_t dim : llvm::seq(axis + 1, getRank(take, 1)))
    setEqual(take, 0, dim + more - 1, 1, dim);
}

/// Predictions, operand `first`, have a target each, and a class for each
/// weight. The predictions stay what they are: they say the type of a gradient.
static void checkLoss(Operation *loss, unsigned first) {
  int64_t rank = getRank(loss, first);
  for (int64_t dim : llvm::seq(rank))
    if (dim != 1)
      setSize(loss, first + 1, dim - (dim > 1), getSize(loss, first, dim));
  if (loss->getNumOperands() > first + 2)
    setSize(loss, first + 2, 0, getSize(loss, first, rank > 1));
}

/// As `checkLoss`, and each target may have a gradient.
static void check(NLLLossBackwardOp loss) {
  checkLoss(loss, 1);
  for (int64_t dim : llvm::seq(getRank(loss, 0)))
    setSize(loss, 0, dim, getSize(loss, 1, dim + (dim > 0)));
}

static void check(TopKOp top) {
  if (top.getK() > 0)
    setAtLeast(top, 0, fromFront(top.getAxis(), getRank(top, 0)),
               Dim(top.getK()));
}

/// The sizes of the data in some dimensions.
static void checkIndices(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<GatherElementsOp, IndexPutOp, ScatterElementsOp, ScatterNDOp,
            TakeBackwardOp>([](auto indexing) { check(indexing); })
      .Case([](GatherNDOp gather) {
        for (int64_t dim : llvm::seq(int64_t(gather.getBatchDims())))
          setEqual(gather, 0, dim, 1, dim);
      })
      .Case([](GridSampleOp sample) { setEqual(sample, 0, 0, 1, 0); })
      .Case([](ReverseSequenceOp op) {
        setEqual(op, 0, fromFront(op.getBatchAxis(), getRank(op, 0)), 1, 0);
      })
      .Case([](SliceScatterOp scatter) {
        int64_t rank = getRank(scatter, 0);
        for (int64_t dim : llvm::seq(rank))
          if (dim != fromFront(scatter.getAxis(), rank))
            setEqual(scatter, 0, dim, 1, dim);
      });
}

/// Casts operands whose types don't show that they have the sizes which `op`
/// needs.
static void castOperands(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<Conv1DOp, Conv2DOp, Conv3DOp>(
          [](auto conv) { checkConv</*isTransposed=*/false>(conv); })
      .Case<Conv1DTransposeOp, Conv2DTransposeOp, Conv3DTransposeOp>(
          [](auto conv) { checkConv</*isTransposed=*/true>(conv); })
      .Case([](BatchNormOp norm) { checkParameters(norm, norm.getAxis()); })
      .Case<GroupNormOp, InstanceNormOp>(
          [](auto norm) { checkParameters(norm, norm.getChannelAxis()); })
      .Case<LayerNormOp, RMSNormOp>(
          [](auto norm) { checkParameters(norm, norm.getAxes()); })
      .Case(
          [](CrossEntropyWithLogitsOp loss) { checkParameters(loss, {0, 1}); })
      .Case<AttentionOp, AttentionBiasOp>(
          [](auto attention) { setEqual(attention, 1, 1, 2, 1); })
      .Case<EinsumOp, MatmulOp, NLLLossBackwardOp, TopKOp>(
          [](auto op) { check(op); })
      .Case([](NLLLossOp loss) { checkLoss(loss, 0); })
      .Case([](SqueezeOp squeeze) {
        int64_t rank = TensorInfo::get(squeeze.getX().getType())->getRank();
        for (int64_t axis : squeeze.getAxis().value_or(ArrayRef<int64_t>()))
          setSize(squeeze, 0, fromFront(axis, rank), Dim(1));
      })
      .Default(checkIndices);
}

bool partita::relax::replaceWithCheckedSizes(Operation *op,
                                             function_ref<bool()> replace) {
  SmallVector<Value> operands(op->getOperands());
  castOperands(op);
  SmallVector<Value> casts(op->getOperands());
  if (replace())
    return true;
  op->setOperands(operands);
  for (auto [cast, operand] : llvm::zip_equal(casts, operands))
    while (cast != operand) {
      auto last = cast.getDefiningOp<MatchCastOp>();
      cast = last->getOperand(0);
      last.erase();
    }
  return false;
}
