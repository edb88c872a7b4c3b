//===- StmtSimplifyExtrema.cpp - Minima and maxima of integers ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "LinearBuilder.h"
#include "LinearSum.h"
#include "StmtSimplifyForm.h"
#include "Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace partita;
using namespace partita::tir;

/// Sums with more minima and maxima are left alone.
static constexpr unsigned maxExtrema = 8;

namespace {
/// What a pattern knows about arith.minsi and arith.maxsi: the other one, and
/// the predicate that holds for the operand which it takes.
template <typename OpTy>
struct ExtremumTraits;
template <>
struct ExtremumTraits<arith::MinSIOp> {
  using Opposite = arith::MaxSIOp;
  static constexpr arith::CmpIPredicate takes = arith::CmpIPredicate::sle;
};
template <>
struct ExtremumTraits<arith::MaxSIOp> {
  using Opposite = arith::MinSIOp;
  static constexpr arith::CmpIPredicate takes = arith::CmpIPredicate::sge;
};

/// Drops operands that others decide: turns `max(x, 3)` into `x` where `x >= 3`
/// and `max(max(x, 1), 10)` into `max(x, 10)`.
template <typename OpTy>
struct DropOperand : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isIndexInteger(op.getType()))
      return failure();
    IntegerFacts facts(op);
    auto isTaken = [&](Value value, Value other) {
      return facts.compare(ExtremumTraits<OpTy>::takes, facts.getExpr(value),
                           facts.getExpr(other)) == true;
    };
    for (unsigned i : {0, 1})
      if (isTaken(op->getOperand(i), op->getOperand(1 - i))) {
        rewriter.replaceOp(op, op->getOperand(i));
        return success();
      }
    for (unsigned i : {0, 1}) {
      auto inner = op->getOperand(i).template getDefiningOp<OpTy>();
      if (!inner)
        continue;
      for (unsigned j : {0, 1})
        if (isTaken(op->getOperand(1 - i), inner->getOperand(j))) {
          rewriter.modifyOpInPlace(
              op, [&] { op->setOperand(i, inner->getOperand(1 - j)); });
          return success();
        }
    }
    return failure();
  }
};

/// Turns `max(min(x, y), min(x, z))` into `min(max(y, z), x)`.
template <typename OpTy>
struct JoinExtrema : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    using Opposite = typename ExtremumTraits<OpTy>::Opposite;
    auto lhs = op.getLhs().template getDefiningOp<Opposite>(),
         rhs = op.getRhs().template getDefiningOp<Opposite>();
    if (!isIndexInteger(op.getType()) || !lhs || !rhs)
      return failure();
    for (unsigned i : {0, 1})
      for (unsigned j : {0, 1})
        if (lhs->getOperand(i) == rhs->getOperand(j)) {
          Value others =
              OpTy::create(rewriter, op.getLoc(), lhs->getOperand(1 - i),
                           rhs->getOperand(1 - j));
          rewriter.replaceOpWithNewOp<Opposite>(op, others, lhs->getOperand(i));
          return success();
        }
    return failure();
  }
};
} // namespace

/// The terms that both sums have, and the number that both have.
static LinearSum getCommonPart(const LinearSum &a, const LinearSum &b) {
  LinearSum common;
  for (auto [term, factor] : a.terms)
    if (factor != 0 && b.terms.lookup(term) == factor)
      common.addTerm(term, factor);
  if (a.number == b.number)
    common.number = a.number;
  return common;
}

/// The number that divides all of `a` and `b`: negative where all their terms
/// and numbers are.
static int64_t getCommonFactor(const LinearSum &a, const LinearSum &b) {
  int64_t divisor = std::gcd(a.number, b.number);
  bool isNegative = a.number <= 0 && b.number <= 0;
  for (const LinearSum *sum : {&a, &b})
    for (auto [term, factor] : sum->terms) {
      divisor = std::gcd(divisor, factor);
      isNegative &= factor <= 0;
    }
  return isNegative ? -divisor : divisor;
}

static LinearSum divide(const LinearSum &sum, int64_t divisor) {
  LinearSum result;
  for (auto [term, factor] : sum.terms)
    if (factor != 0)
      result.addTerm(term, factor / divisor);
  result.number = sum.number / divisor;
  return result;
}

/// The divisor of a sum that is one quotient; 0 for other sums.
static int64_t getDivisor(const LinearSum &sum) {
  if (sum.terms.size() != 1 || sum.number != 0 ||
      sum.terms.front().second != 1 ||
      sum.terms.front().first.getKind() != AffineExprKind::FloorDiv)
    return 0;
  auto quotient = cast<AffineBinaryOpExpr>(sum.terms.front().first);
  return cast<AffineConstantExpr>(quotient.getRHS()).getValue();
}

static bool canCreate(ArrayRef<AffineExpr> exprs, Type type) {
  return llvm::all_of(
      exprs, [&](AffineExpr expr) { return hasSmallNumbers(expr, type); });
}

/// Makes a minimum or a maximum of two expressions.
static Value createExtremum(OpBuilder &builder, Operation *op, bool isMin,
                            AffineExpr a, AffineExpr b, ArrayRef<Value> leaves,
                            ArrayRef<Value> roots) {
  Type type = op->getResult(0).getType();
  Value lhs = createExpr(builder, op->getLoc(), type, a, leaves, roots),
        rhs = createExpr(builder, op->getLoc(), type, b, leaves, roots);
  if (isMin)
    return arith::MinSIOp::create(builder, op->getLoc(), lhs, rhs);
  return arith::MaxSIOp::create(builder, op->getLoc(), lhs, rhs);
}

namespace {
/// Takes out what both operands have: turns `max(x + y, x + z)` into `max(y, z)
/// + x`, `max(x * 3, 9)` into `max(x, 3) * 3`, and `max(x // 4, y // 4)` into
/// `max(x, y) // 4`.
template <typename OpTy>
struct TakeOutCommon : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isIndexInteger(op.getType()))
      return failure();
    MLIRContext *context = op.getContext();
    IntegerFacts facts(op);
    LinearSum a(facts.simplify(facts.getExpr(op.getLhs()))),
        b(facts.simplify(facts.getExpr(op.getRhs()))), common;
    int64_t factor = 1, divisor = getDivisor(a);
    if (divisor == 0 || divisor != getDivisor(b)) {
      divisor = 1;
      common = getCommonPart(a, b);
      AffineExpr part = common.getExpr(context);
      a.add(part, -1);
      b.add(part, -1);
      factor = getCommonFactor(a, b);
      if (factor == 0)
        return failure();
      a = ::divide(a, factor);
      b = ::divide(b, factor);
    } else {
      a = LinearSum(cast<AffineBinaryOpExpr>(a.terms.front().first).getLHS());
      b = LinearSum(cast<AffineBinaryOpExpr>(b.terms.front().first).getLHS());
    }
    // The result in place of the extremum, a leaf behind the others.
    SmallVector<Value> leaves(facts.getLeaves());
    AffineExpr leaf = getAffineDimExpr(leaves.size(), context);
    leaves.push_back(op);
    AffineExpr result =
        add(common.getExpr(context),
            divisor == 1 ? leaf : leaf.floorDiv(divisor), factor);
    AffineExpr lhs = a.getExpr(context), rhs = b.getExpr(context);
    auto count = [&](AffineExpr expr) {
      return countExprOps(op.getLoc(), op.getType(), expr, leaves);
    };
    auto countOld = [&](Value value) {
      return countOps(value, facts.getLeaves(), maxTreeOps);
    };
    unsigned numOps = count(lhs) + count(rhs) + count(result),
             numOldOps = countOld(op.getLhs()) + countOld(op.getRhs());
    bool isProduct =
        common.terms.empty() && common.number == 0 && std::abs(factor) != 1;
    if (numOps > numOldOps || (numOps == numOldOps && !isProduct) ||
        !canCreate({lhs, rhs, result}, op.getType()))
      return failure();
    leaves.back() = createExtremum(
        rewriter, op, std::is_same_v<OpTy, arith::MinSIOp> == (factor > 0), lhs,
        rhs, facts.getLeaves(), {op.getLhs(), op.getRhs()});
    rewriter.replaceOp(
        op, createExpr(rewriter, op.getLoc(), op.getType(), result, leaves,
                       {leaves.back(), op.getLhs(), op.getRhs()}));
    return success();
  }
};

/// Moves what cancels in an operand into a minimum or a maximum: turns
/// `min(x, y - z) + z` into `min(x + z, y)`.
template <typename OpTy>
struct MoveIntoExtremum : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// Whether a sum has a minimum or a maximum as a term or as a part of it.
static bool hasExtremum(Operation *op) {
  SmallVector<Operation *> worklist = {op};
  for (unsigned i = 0; i != worklist.size() && i != maxTreeOps; ++i)
    for (Value operand : worklist[i]->getOperands()) {
      Operation *inner = operand.getDefiningOp();
      if (isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(inner))
        return true;
      if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(inner))
        worklist.push_back(inner);
    }
  return false;
}

static bool isEqual(AffineExpr a, AffineExpr b) {
  return add(a, b, -1) == getAffineConstantExpr(0, a.getContext());
}

namespace {
/// A minimum or a maximum that is a term of a sum.
struct ExtremumTerm {
  AffineExpr leaf;
  bool isMin;
  int64_t factor;
  AffineExpr operands[2];
};
} // namespace

/// The terms of `sum` that are extrema.
static SmallVector<ExtremumTerm> getExtrema(const LinearSum &sum,
                                            IntegerFacts &facts) {
  SmallVector<ExtremumTerm> terms;
  for (auto [term, factor] : sum.terms) {
    auto dim = dyn_cast<AffineDimExpr>(term);
    Operation *op =
        dim ? facts.getLeaves()[dim.getPosition()].getDefiningOp() : nullptr;
    if (factor != 0 && isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(op))
      terms.push_back({term,
                       isa<arith::MinSIOp>(op),
                       factor,
                       {facts.getExpr(op->getOperand(0)),
                        facts.getExpr(op->getOperand(1))}});
  }
  return terms;
}

/// The sum of two extrema without them; null if they do not cancel.
static AffineExpr cancel(const ExtremumTerm &a, const ExtremumTerm &b) {
  for (unsigned i : {0, 1}) {
    AffineExpr first = b.operands[i], second = b.operands[1 - i];
    // The minimum and the maximum of two numbers are the numbers.
    if (a.isMin != b.isMin && a.factor == b.factor &&
        isEqual(a.operands[0], first) && isEqual(a.operands[1], second))
      return multiply(add(first, second, 1), a.factor);
    AffineExpr difference = add(a.operands[0], first, -1);
    if (a.isMin == b.isMin && a.factor == -b.factor &&
        isEqual(difference, add(a.operands[1], second, -1)))
      return multiply(difference, a.factor);
  }
  return {};
}

/// The terms of `rest`, and its number, that are not in a sum with `operand`
/// times `factor`.
static LinearSum getCancelled(const LinearSum &rest, AffineExpr operand,
                              int64_t factor) {
  LinearSum other, cancelled;
  other.add(operand, factor);
  for (auto [term, times] : rest.terms)
    if (times != 0 && other.terms.lookup(term) == -times)
      cancelled.addTerm(term, times);
  if (rest.number == -other.number)
    cancelled.number = rest.number;
  return cancelled;
}

template <typename OpTy>
LogicalResult
MoveIntoExtremum<OpTy>::matchAndRewrite(OpTy op,
                                        PatternRewriter &rewriter) const {
  if (!isIndexInteger(op.getType()) || !isExact(op) || !isExprRoot(op) ||
      !hasExtremum(op))
    return failure();
  MLIRContext *context = op.getContext();
  IntegerFacts facts(op);
  LinearSum sum(facts.simplify(facts.getExpr(op)));
  SmallVector<ExtremumTerm> extrema = getExtrema(sum, facts);
  if (extrema.size() > maxExtrema)
    return failure();
  auto create = [&](AffineExpr expr, ArrayRef<Value> leaves) {
    return createExpr(rewriter, op.getLoc(), op.getType(), expr, leaves, {op});
  };
  for (auto [i, a] : llvm::enumerate(extrema))
    for (const ExtremumTerm &b : llvm::drop_begin(extrema, i + 1))
      if (AffineExpr result = cancel(a, b)) {
        sum.terms[a.leaf] = sum.terms[b.leaf] = 0;
        sum.add(result, 1);
        if (!canCreate({sum.getExpr(context)}, op.getType()))
          return failure();
        rewriter.replaceOp(op, create(sum.getExpr(context), facts.getLeaves()));
        return success();
      }
  for (const ExtremumTerm &extremum : extrema) {
    if (std::abs(extremum.factor) != 1)
      continue;
    LinearSum rest = sum;
    rest.terms[extremum.leaf] = 0;
    LinearSum moved = getCancelled(rest, extremum.operands[0], extremum.factor);
    if (moved.terms.empty() && moved.number == 0)
      moved = getCancelled(rest, extremum.operands[1], extremum.factor);
    if (moved.terms.empty() && moved.number == 0)
      continue;
    AffineExpr part = moved.getExpr(context);
    rest.add(part, -1);
    AffineExpr a = facts.simplify(
                   add(part, extremum.operands[0], extremum.factor)),
               b = facts.simplify(
                   add(part, extremum.operands[1], extremum.factor));
    SmallVector<Value> leaves(facts.getLeaves());
    AffineExpr leaf = getAffineDimExpr(leaves.size(), context);
    Value old = leaves[cast<AffineDimExpr>(extremum.leaf).getPosition()];
    leaves.push_back(old);
    AffineExpr result = add(leaf, rest.getExpr(context), 1);
    auto count = [&](AffineExpr expr) {
      return countExprOps(op.getLoc(), op.getType(), expr, leaves);
    };
    unsigned numOldOps = countOps(op, facts.getLeaves(), maxTreeOps);
    for (Value operand : old.getDefiningOp()->getOperands())
      numOldOps += countOps(operand, facts.getLeaves(), maxTreeOps);
    if (old.getType() != op.getType() ||
        count(a) + count(b) + count(result) > numOldOps ||
        !canCreate({a, b, result}, op.getType()))
      continue;
    leaves.back() =
        createExtremum(rewriter, op, extremum.isMin == (extremum.factor > 0), a,
                       b, facts.getLeaves(),
                       {op, old.getDefiningOp()->getOperand(0),
                        old.getDefiningOp()->getOperand(1)});
    rewriter.replaceOp(op, create(result, leaves));
    return success();
  }
  return failure();
}

void tir::populateExtremumPatterns(RewritePatternSet &set) {
  set.add<DropOperand<arith::MinSIOp>, DropOperand<arith::MaxSIOp>,
          JoinExtrema<arith::MinSIOp>, JoinExtrema<arith::MaxSIOp>,
          TakeOutCommon<arith::MinSIOp>, TakeOutCommon<arith::MaxSIOp>,
          MoveIntoExtremum<arith::AddIOp>, MoveIntoExtremum<arith::SubIOp>>(
      set.getContext());
}
