//===- RelaxFolds.cpp - Folders and canonicalization ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Only what is right for every value: for floats that includes -0.0, infinities
// and NaN. Constants are folded by the pass FoldConstant, not here, since that
// makes large tensors.
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

using namespace mlir;
using namespace partita::relax;

/// `value` if it can stand for a result of `type`.
static OpFoldResult foldTo(Value value, Type type) {
  return value.getType() == type ? OpFoldResult(value) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// Whether all elements of `constant` are the float `real`, its sign included,
/// or the integer `integer`.
static bool isSplatOf(Attribute constant, double real, int64_t integer) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(constant);
  if (!splat)
    return false;
  Type element = splat.getElementType();
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat expected(real);
    bool losesInfo;
    expected.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
    return !losesInfo &&
           splat.getSplatValue<APFloat>().bitwiseIsEqual(expected);
  }
  if (!element.isInteger() || element.isInteger(1))
    return false;
  return splat.getSplatValue<APInt>() ==
         APInt(element.getIntOrFloatBitWidth(), integer, /*isSigned=*/true);
}

OpFoldResult NegativeOp::fold(FoldAdaptor) {
  if (auto inner = getX().getDefiningOp<NegativeOp>())
    return inner.getX();
  return {};
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  if (getX().getDefiningOp<ReluOp>())
    return getX();
  return {};
}

OpFoldResult AstypeOp::fold(FoldAdaptor) { return foldTo(getX(), getType()); }

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // 0.0 + -0.0 is 0.0: only -0.0 is neutral.
  if (isSplatOf(adaptor.getRhs(), -0.0, 0))
    return foldTo(getLhs(), getType());
  return {};
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 0.0, 0))
    return foldTo(getLhs(), getType());
  return {};
}

OpFoldResult MultiplyOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1.0, 1))
    return foldTo(getLhs(), getType());
  return {};
}

OpFoldResult DivideOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1.0, 1))
    return foldTo(getLhs(), getType());
  return {};
}

OpFoldResult PowerOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1.0, 1))
    return foldTo(getLhs(), getType());
  return {};
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

SmallVector<int64_t> PermuteDimsOp::getPermutation() {
  int64_t rank = getX().getType().getRank();
  SmallVector<int64_t> result;
  if (OptionalAxes axes = getAxes()) {
    for (int64_t axis : *axes)
      result.push_back(axis < 0 ? axis + rank : axis);
    return result;
  }
  for (int64_t axis = rank - 1; axis >= 0; --axis)
    result.push_back(axis);
  return result;
}

OpFoldResult PermuteDimsOp::fold(FoldAdaptor) {
  SmallVector<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return foldTo(getX(), getType());
  auto inner = getX().getDefiningOp<PermuteDimsOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> innerPermutation = inner.getPermutation();
  for (int64_t &axis : permutation)
    axis = innerPermutation[axis];
  getXMutable().assign(inner.getX());
  setAxes(permutation);
  return getResult();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  // Equal types say that the shapes are equal if no dimension is unknown.
  if (llvm::none_of(getDims(getType()),
                    [](Dim dim) { return dim.isUnknown(); }))
    if (OpFoldResult same = foldTo(getX(), getType()))
      return same;
  auto inner = getX().getDefiningOp<ReshapeOp>();
  if (!inner)
    return {};
  getXMutable().assign(inner.getX());
  return getResult();
}

/// `axes` of a tensor of rank `rank`, in order and with no negative one.
static SmallVector<int64_t> sortAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes)
    result.push_back(axis < 0 ? axis + rank : axis);
  llvm::sort(result);
  return result;
}

/// Whether `squeeze` removes the dimensions that `expand` inserts.
static bool areInverse(SqueezeOp squeeze, ExpandDimsOp expand) {
  return squeeze.getAxis() &&
         sortAxes(*squeeze.getAxis(), squeeze.getX().getType().getRank()) ==
             sortAxes(expand.getAxis(), expand.getType().getRank());
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor) {
  if (getAxis().empty())
    return foldTo(getX(), getType());
  auto squeeze = getX().getDefiningOp<SqueezeOp>();
  if (squeeze && areInverse(squeeze, *this))
    return foldTo(squeeze.getX(), getType());
  return {};
}

OpFoldResult SqueezeOp::fold(FoldAdaptor) {
  if (getX().getType().getRank() == getType().getRank())
    return foldTo(getX(), getType());
  auto expand = getX().getDefiningOp<ExpandDimsOp>();
  if (expand && areInverse(*this, expand))
    return foldTo(expand.getX(), getType());
  return {};
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getTensors().size() == 1)
    return foldTo(getTensors().front(), getType());
  return {};
}

//===----------------------------------------------------------------------===//
// Values that are not computed
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// A tuple of all the fields of another one, in order, is that one.
OpFoldResult TupleOp::fold(FoldAdaptor) {
  Value tuple;
  for (auto [index, field] : llvm::enumerate(getFields())) {
    auto item = field.getDefiningOp<TupleGetItemOp>();
    if (!item || item.getIndex() != index ||
        (tuple && tuple != item.getTupleValue()))
      return {};
    tuple = item.getTupleValue();
  }
  return tuple ? foldTo(tuple, getType()) : OpFoldResult();
}

OpFoldResult TupleGetItemOp::fold(FoldAdaptor) {
  if (auto tuple = getTupleValue().getDefiningOp<TupleOp>())
    return foldTo(tuple.getFields()[getIndex()], getType());
  return {};
}

OpFoldResult MatchCastOp::fold(FoldAdaptor) {
  return foldTo(getValue(), getType());
}

//===----------------------------------------------------------------------===//
// DataflowOp
//===----------------------------------------------------------------------===//

namespace {
/// A block in a block is the same as its ops: all of them are pure.
struct FlattenNestedDataflow : OpRewritePattern<DataflowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DataflowOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<DataflowOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "not in another relax.dataflow");
    Operation *output = op.getBody()->getTerminator();
    SmallVector<Value> outputs(output->getOperands());
    rewriter.eraseOp(output);
    rewriter.inlineBlockBefore(op.getBody(), op);
    rewriter.replaceOp(op, outputs);
    return success();
  }
};
} // namespace

void DataflowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<FlattenNestedDataflow>(context);
  populateRegionBranchOpInterfaceCanonicalizationPatterns(patterns,
                                                          getOperationName());
}
