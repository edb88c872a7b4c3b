//===- RelaxFolds.cpp - Folders and canonicalization ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A fold has to be right for every value: for floats that includes -0.0,
// infinities and NaN. Constants are folded by the pass FoldConstant, not here,
// since that makes large tensors.
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace partita::relax;

/// Whether code that frees `value`, or a field of it, can leave it without its
/// contents.
static bool isFreed(Value value) {
  SmallVector<Value> waiting = {value};
  // A field can be in a tuple again and again.
  llvm::SmallPtrSet<Operation *, 4> tuples;
  while (!waiting.empty()) {
    Value one = waiting.pop_back_val();
    if (matchPattern(one, m_Constant()))
      continue;
    if (auto tuple = one.getDefiningOp<TupleOp>();
        tuple && tuples.insert(tuple).second)
      llvm::append_range(waiting, tuple.getFields());
    for (OpOperand &use : one.getUses()) {
      Operation *user = use.getOwner();
      if (isa<KillObjectOp, KillStorageOp, KillTensorOp>(user))
        return true;
      if (isa<OutputOp>(user))
        waiting.push_back(
            user->getParentOp()->getResult(use.getOperandNumber()));
    }
  }
  return false;
}

/// Whether a call can change `value`, which it takes by itself or in a tuple.
static bool isWritten(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<CallInplacePackedOp, CallTIRInplaceOp>(user) ||
           (isa<TupleOp>(user) &&
            llvm::any_of(user->getUsers(), llvm::IsaPred<CallTIRInplaceOp>));
  });
}

/// `value` if it can stand for `result`, which may be freed if that is all that
/// uses `value`.
static OpFoldResult foldTo(Value result, Value value) {
  bool fits = value.getType() == result.getType() && !isFreed(value) &&
              !isWritten(result) && (value.hasOneUse() || !isFreed(result));
  return fits ? OpFoldResult(value) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// The left operand of `op`, if all elements of its right one, the constant
/// `rhs`, match `real` or `integer`. Booleans are left alone.
template <typename OpT, typename RealT, typename IntegerT>
static OpFoldResult foldNeutral(OpT op, Attribute rhs, RealT real,
                                IntegerT integer) {
  if (getElementTypeOrSelf(op.getType()).isInteger(1) ||
      !(matchPattern(rhs, real) || matchPattern(rhs, integer)))
    return {};
  return foldTo(op.getResult(), op.getLhs());
}

OpFoldResult NegativeOp::fold(FoldAdaptor) {
  if (auto inner = getX().getDefiningOp<NegativeOp>())
    return foldTo(getResult(), inner.getX());
  return {};
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  if (getX().getDefiningOp<ReluOp>())
    return foldTo(getResult(), getX());
  return {};
}

OpFoldResult AstypeOp::fold(FoldAdaptor) { return foldTo(getResult(), getX()); }

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // 0.0 + -0.0 is 0.0: only -0.0 is neutral.
  return foldNeutral(*this, adaptor.getRhs(), m_NegZeroFloat(), m_Zero());
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  return foldNeutral(*this, adaptor.getRhs(), m_PosZeroFloat(), m_Zero());
}

OpFoldResult MultiplyOp::fold(FoldAdaptor adaptor) {
  return foldNeutral(*this, adaptor.getRhs(), m_OneFloat(), m_One());
}

OpFoldResult DivideOp::fold(FoldAdaptor adaptor) {
  return foldNeutral(*this, adaptor.getRhs(), m_OneFloat(), m_One());
}

OpFoldResult PowerOp::fold(FoldAdaptor adaptor) {
  return foldNeutral(*this, adaptor.getRhs(), m_OneFloat(), m_One());
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

/// `axes` of a tensor of rank `rank` with no negative one.
static SmallVector<int64_t> wrapAxes(ArrayRef<int64_t> axes, int64_t rank) {
  return llvm::map_to_vector(
      axes, [&](int64_t axis) { return axis < 0 ? axis + rank : axis; });
}

SmallVector<int64_t> PermuteDimsOp::getPermutation() {
  OptionalAxes axes = getAxes();
  std::optional<TensorInfo> x = TensorInfo::get(getX().getType());
  int64_t rank = x->isRanked ? x->getRank() : axes ? axes->size() : 0;
  if (axes)
    return wrapAxes(*axes, rank);
  return llvm::to_vector(llvm::reverse(llvm::seq(rank)));
}

/// The op whose result `op` permutes again, if they can be one.
static PermuteDimsOp getInner(PermuteDimsOp op) {
  auto inner = op.getX().getDefiningOp<PermuteDimsOp>();
  bool isOne = inner && TensorInfo::get(inner.getX().getType())->isRanked &&
               !isFreed(inner.getX());
  return isOne ? inner : PermuteDimsOp();
}

OpFoldResult PermuteDimsOp::fold(FoldAdaptor) {
  // For a tensor of unknown rank not even the axes may be known.
  if (!TensorInfo::get(getX().getType())->isRanked)
    return {};
  SmallVector<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return foldTo(getResult(), getX());
  PermuteDimsOp inner = getInner(*this);
  if (!inner)
    return {};
  SmallVector<int64_t> innerPermutation = inner.getPermutation();
  for (int64_t &axis : permutation)
    axis = innerPermutation[axis];
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    if (OpFoldResult same = foldTo(getResult(), inner.getX()))
      return same;
  // MLIR's sccp folds to try, and then puts back the operands and the
  // attributes that there were; it doesn't remove others.
  if (!getAxes())
    return {};
  getXMutable().assign(inner.getX());
  setAxes(permutation);
  return getResult();
}

LogicalResult PermuteDimsOp::canonicalize(PermuteDimsOp op,
                                          PatternRewriter &rewriter) {
  // With axes it folds.
  if (op.getAxes() || !TensorInfo::get(op.getX().getType())->isRanked ||
      !getInner(op))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.setAxes(op.getPermutation()); });
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  // Equal types say that the shapes are equal if no dimension is unknown.
  std::optional<TensorInfo> type = TensorInfo::get(getType());
  if (type->isRanked &&
      llvm::none_of(type->dims, [](Dim dim) { return dim.isUnknown(); }))
    if (OpFoldResult same = foldTo(getResult(), getX()))
      return same;
  auto inner = getX().getDefiningOp<ReshapeOp>();
  if (!inner || isFreed(inner.getX()))
    return {};
  getXMutable().assign(inner.getX());
  return getResult();
}

/// Whether `squeeze` removes the dimensions that `expand` inserts.
static bool areInverse(SqueezeOp squeeze, ExpandDimsOp expand) {
  std::optional<TensorInfo> whole = TensorInfo::get(squeeze.getX().getType());
  std::optional<TensorInfo> expanded = TensorInfo::get(expand.getType());
  if (!squeeze.getAxis() || !whole->isRanked || !expanded->isRanked)
    return false;
  SmallVector<int64_t> removed = wrapAxes(*squeeze.getAxis(), whole->getRank());
  SmallVector<int64_t> inserted =
      wrapAxes(expand.getAxis(), expanded->getRank());
  llvm::sort(removed);
  llvm::sort(inserted);
  return removed == inserted;
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor) {
  if (getAxis().empty())
    return foldTo(getResult(), getX());
  auto squeeze = getX().getDefiningOp<SqueezeOp>();
  if (squeeze && areInverse(squeeze, *this))
    return foldTo(getResult(), squeeze.getX());
  return {};
}

OpFoldResult SqueezeOp::fold(FoldAdaptor) {
  if (OpFoldResult same = foldTo(getResult(), getX()))
    return same;
  auto expand = getX().getDefiningOp<ExpandDimsOp>();
  if (expand && areInverse(*this, expand))
    return foldTo(getResult(), expand.getX());
  return {};
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getTensors().size() == 1)
    return foldTo(getResult(), getTensors().front());
  return {};
}

//===----------------------------------------------------------------------===//
// Values that are not computed
//===----------------------------------------------------------------------===//

OpFoldResult AliasOp::fold(FoldAdaptor) {
  return foldTo(getResult(), getValue());
}

OpFoldResult PrimValueOp::fold(FoldAdaptor) { return getValue(); }

/// A dimension that turns out to be a number.
OpFoldResult DimOp::fold(FoldAdaptor) {
  Dim dim = getDim();
  auto type = dyn_cast<IntegerType>(getType());
  if (!type || !dim.isNumber() || !llvm::isIntN(type.getWidth(), dim.getSize()))
    return {};
  return IntegerAttr::get(type, dim.getSize());
}

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
  return tuple ? foldTo(getResult(), tuple) : OpFoldResult();
}

OpFoldResult TupleGetItemOp::fold(FoldAdaptor) {
  auto tuple = getTupleValue().getDefiningOp<TupleOp>();
  if (!tuple)
    return {};
  return foldTo(getResult(), tuple.getFields()[getIndex()]);
}

OpFoldResult MatchCastOp::fold(FoldAdaptor) {
  // Types refer to it.
  if ((*this)->hasAttr(FuncOp::getDimAttrName()))
    return {};
  return foldTo(getResult(), getValue());
}

//===----------------------------------------------------------------------===//
// DataflowOp
//===----------------------------------------------------------------------===//

namespace {
/// Dissolves a nested block into the block around it: all their ops are pure.
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

/// Lets only values that a block computes leave it, once, and if they are used.
/// Upstream's patterns for region branches look at all outputs for each one.
struct SimplifyOutputs : OpRewritePattern<DataflowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DataflowOp op,
                                PatternRewriter &rewriter) const override {
    Operation *output = op.getBody()->getTerminator();
    SmallVector<OpResult> kept;
    SmallVector<Value> values;
    DenseMap<Value, OpResult> outputOf;
    for (auto [result, value] :
         llvm::zip(op->getOpResults(), output->getOperands())) {
      if (result.use_empty())
        continue;
      if (!op.getBodyRegion().isAncestor(value.getParentRegion())) {
        rewriter.replaceAllUsesWith(result, value);
      } else if (auto [it, isNew] = outputOf.try_emplace(value, result);
                 !isNew) {
        rewriter.replaceAllUsesWith(result, it->second);
      } else {
        kept.push_back(result);
        values.push_back(value);
      }
    }
    if (kept.size() == op->getNumResults())
      return rewriter.notifyMatchFailure(op, "needs all of its outputs");
    rewriter.modifyOpInPlace(output, [&] { output->setOperands(values); });
    auto smaller = DataflowOp::create(rewriter, op.getLoc(), TypeRange(values));
    smaller->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.eraseBlock(smaller.getBody());
    rewriter.inlineRegionBefore(op.getBodyRegion(), smaller.getBodyRegion(),
                                smaller.getBodyRegion().end());
    for (auto [result, replacement] : llvm::zip(kept, smaller.getResults()))
      rewriter.replaceAllUsesWith(result, replacement);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void DataflowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<FlattenNestedDataflow, SimplifyOutputs>(context);
}
