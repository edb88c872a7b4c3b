//===- StmtSimplifyComparisons.cpp - Comparisons of integers --------------===//
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
using arith::CmpIPredicate;

/// Turns `a + 1 <= b` into `a < b`: `number` is on the left side.
static CmpIPredicate includeOne(CmpIPredicate predicate, int64_t &number) {
  CmpIPredicate strict = predicate;
  if (number == 1 && predicate == CmpIPredicate::sle)
    strict = CmpIPredicate::slt;
  else if (number == 1 && predicate == CmpIPredicate::sgt)
    strict = CmpIPredicate::sge;
  else if (number == -1 && predicate == CmpIPredicate::slt)
    strict = CmpIPredicate::sle;
  else if (number == -1 && predicate == CmpIPredicate::sge)
    strict = CmpIPredicate::sgt;
  else
    return predicate;
  number = 0;
  return strict;
}

/// The sums of both sides of a comparison, without what they have in common.
/// The result is the comparison of these sums.
static CmpIPredicate separate(CmpIPredicate predicate,
                              ArrayRef<AffineExpr> sides, const LinearSum &sum,
                              LinearSum &lhs, LinearSum &rhs) {
  // As in TVM, a number on one side stays alone.
  auto isSide = [&](unsigned number, int sign) {
    return isa<AffineConstantExpr>(sides[1 - number]) &&
           llvm::any_of(sum.terms, [&](const auto &entry) {
             return entry.second * sign > 0;
           });
  };
  bool isLeft = isSide(0, 1), isRight = isSide(1, -1);
  for (auto [term, factor] : sum.terms)
    if (isLeft || (factor > 0 && !isRight))
      lhs.addTerm(term, factor);
    else
      rhs.addTerm(term, -factor);
  int64_t number = sum.number;
  if (!lhs.terms.empty() && !rhs.terms.empty())
    predicate = includeOne(predicate, number);
  bool isOnLeft = lhs.terms.empty() || (number > 0 && !rhs.terms.empty());
  (isOnLeft ? lhs.number : rhs.number) += isOnLeft ? number : -number;
  return predicate;
}

/// Divides the comparison `sum predicate 0` by a factor that all terms have. As
/// in TVM, a number that is no multiple of it is only rounded beside one term.
static void divideByFactor(CmpIPredicate predicate, LinearSum &sum) {
  int64_t divisor = 0;
  for (auto [term, factor] : sum.terms)
    divisor = std::gcd(divisor, factor);
  bool isOrder =
      predicate != CmpIPredicate::eq && predicate != CmpIPredicate::ne;
  if (divisor <= 1 ||
      ((sum.terms.size() > 1 || !isOrder) && sum.number % divisor != 0))
    return;
  for (auto &[term, factor] : sum.terms)
    factor /= divisor;
  bool isRoundedDown =
      predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sge;
  sum.number = isRoundedDown ? llvm::divideFloorSigned(sum.number, divisor)
                             : llvm::divideCeilSigned(sum.number, divisor);
}

/// Turns the inequality `x floordiv c < n` into `x < n * c`, if the number has
/// at most `width` bits. Returns whether it has.
static bool takeDividend(CmpIPredicate predicate, LinearSum &sum,
                         unsigned width) {
  if (sum.terms.size() != 1)
    return false;
  auto [term, factor] = sum.terms.front();
  auto quotient = dyn_cast<AffineBinaryOpExpr>(term);
  if (term.getKind() != AffineExprKind::FloorDiv || std::abs(factor) != 1)
    return false;
  int64_t divisor = cast<AffineConstantExpr>(quotient.getRHS()).getValue();
  // The last dividend with a quotient, where this is not excluded below.
  bool isLast =
      factor == 1
          ? predicate == CmpIPredicate::sle || predicate == CmpIPredicate::sgt
          : predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sge;
  int64_t bound = 0;
  if (llvm::MulOverflow(-factor * sum.number, divisor, bound) ||
      llvm::AddOverflow(bound, isLast ? divisor - 1 : 0, bound) ||
      !llvm::isIntN(width, bound) ||
      !isSmall(getAffineConstantExpr(bound, term.getContext())))
    return false;
  sum = LinearSum();
  sum.add(quotient.getLHS(), factor);
  sum.number -= factor * bound;
  return true;
}

/// Turns the inequality `x * 4 + y < 8` into `x < 2` where `y` is from 0 to 3.
static void dropRemainder(CmpIPredicate predicate, LinearSum &sum,
                          IntegerFacts &facts, MLIRContext *context) {
  SmallVector<int64_t> factors;
  for (auto [term, factor] : sum.terms)
    factors.push_back(std::abs(factor));
  // A larger factor leaves fewer terms.
  llvm::sort(factors, std::greater());
  int64_t strict =
      predicate == CmpIPredicate::sle || predicate == CmpIPredicate::sgt;
  for (int64_t factor : factors) {
    if (factor <= 1)
      return;
    auto [quotient, rest] = sum.split(factor);
    if (rest.terms.empty())
      continue;
    rest.number -= strict;
    auto number = dyn_cast<AffineConstantExpr>(
        facts.simplify(rest.getExpr(context).floorDiv(factor)));
    if (!number)
      continue;
    sum = std::move(quotient);
    sum.number += number.getValue() + strict;
    return;
  }
}

/// Brings the comparison `sum predicate 0` into a form with smaller numbers and
/// without a quotient that is alone. As in TVM, an equation is only divided if
/// one side is 0.
static void simplifyComparison(CmpIPredicate predicate, bool hasZero,
                               LinearSum &sum, IntegerFacts &facts, Type type) {
  if (predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne) {
    if (hasZero)
      divideByFactor(predicate, sum);
    return;
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  do {
    dropRemainder(predicate, sum, facts, type.getContext());
    divideByFactor(predicate, sum);
  } while (takeDividend(predicate, sum, width));
}

namespace {
struct CompareForm {
  CmpIPredicate predicate;
  Value lhs, rhs;
};
} // namespace

/// Turns `a <= b` into `a == b` where `a >= b`, and into `a < b` where
/// `a != b`. Turns `a != b` into a strict comparison where one side is not
/// greater.
static std::optional<CompareForm> tighten(arith::CmpIOp op,
                                          IntegerFacts &facts) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  switch (op.getPredicate()) {
  case CmpIPredicate::sge:
    std::swap(lhs, rhs);
    [[fallthrough]];
  case CmpIPredicate::sle: {
    AffineExpr a = facts.getExpr(lhs), b = facts.getExpr(rhs);
    if (facts.isNonNegative(facts.simplify(add(a, b, -1))))
      return CompareForm{CmpIPredicate::eq, lhs, rhs};
    if (facts.isKnownUnequal(a, b))
      return CompareForm{CmpIPredicate::slt, lhs, rhs};
    return std::nullopt;
  }
  case CmpIPredicate::ne: {
    AffineExpr a = facts.getExpr(lhs), b = facts.getExpr(rhs);
    if (facts.isNonNegative(facts.simplify(add(b, a, -1))))
      return CompareForm{CmpIPredicate::slt, lhs, rhs};
    if (facts.isNonNegative(facts.simplify(add(a, b, -1))))
      return CompareForm{CmpIPredicate::slt, rhs, lhs};
    return std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

namespace {
/// Decides a comparison, or computes it with fewer ops.
struct SimplifyCompare : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getLhs().getType();
    if (!isIndexInteger(type))
      return failure();
    IntegerFacts facts(op);
    if (std::optional<bool> known = facts.evaluate(op)) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, rewriter.getBoolAttr(*known));
      return success();
    }
    if (succeeded(rebuild(op, facts, rewriter)))
      return success();
    // After a quotient that is alone is gone, which can have few values.
    std::optional<CompareForm> tight = tighten(op, facts);
    if (!tight)
      return failure();
    auto [predicate, lhs, rhs] = *tight;
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, lhs, rhs);
    return success();
  }

private:
  /// Computes the comparison with fewer ops.
  static LogicalResult rebuild(arith::CmpIOp op, IntegerFacts &facts,
                               PatternRewriter &rewriter) {
    Type type = op.getLhs().getType();
    AffineExpr sides[] = {facts.getExpr(op.getLhs()),
                          facts.getExpr(op.getRhs())};
    LinearSum sum(facts.simplify(add(sides[0], sides[1], -1))), lhs, rhs;
    bool hasZero =
        llvm::is_contained(sides, getAffineConstantExpr(0, op.getContext()));
    simplifyComparison(op.getPredicate(), hasZero, sum, facts, type);
    CmpIPredicate predicate = separate(op.getPredicate(), sides, sum, lhs, rhs);
    ArrayRef<Value> leaves = facts.getLeaves();
    AffineExpr a = lhs.getExpr(op.getContext()),
               b = rhs.getExpr(op.getContext());
    auto count = [&](AffineExpr expr) {
      return countExprOps(op.getLoc(), type, expr, leaves);
    };
    unsigned numOps = count(a) + count(b),
             numOldOps = countOps(op.getLhs(), leaves, maxTreeOps) +
                         countOps(op.getRhs(), leaves, maxTreeOps);
    // TVM adds a number on one side rather than subtract it on the other one.
    bool isMoved = lhs.terms.size() == 1 && rhs.terms.size() == 1 &&
                   llvm::any_of(sides, [](AffineExpr side) {
                     return LinearSum(side).number < 0;
                   });
    if (numOps > numOldOps || (numOps == numOldOps && !isMoved) ||
        !hasSmallNumbers(a, type) || !hasSmallNumbers(b, type))
      return failure();
    Value roots[] = {op.getLhs(), op.getRhs()};
    Value left = createExpr(rewriter, op.getLoc(), type, a, leaves, roots);
    Value right = createExpr(rewriter, op.getLoc(), type, b, leaves, roots);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, left, right);
    return success();
  }
};

/// Compares with one operand of a minimum or a maximum where the other one does
/// not matter: turns `min(x, 11) < 10` into `x < 10`.
struct CompareOperand : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isIndexInteger(op.getLhs().getType()) || !isOrder(op.getPredicate()))
      return failure();
    for (OpOperand &side : op->getOpOperands()) {
      Operation *extremum = side.get().getDefiningOp();
      if (!isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(extremum))
        continue;
      for (unsigned i : {0, 1})
        if (isNeutral(op, side.getOperandNumber(), extremum, 1 - i)) {
          rewriter.modifyOpInPlace(op,
                                   [&] { side.set(extremum->getOperand(i)); });
          return success();
        }
    }
    return failure();
  }

private:
  static bool isOrder(CmpIPredicate predicate) {
    return llvm::is_contained({CmpIPredicate::slt, CmpIPredicate::sle,
                               CmpIPredicate::sgt, CmpIPredicate::sge},
                              predicate);
  }

  /// Whether the comparison with operand `number` of `extremum`, which is on
  /// the side `side`, lets the comparison with the other operand decide.
  static bool isNeutral(arith::CmpIOp op, unsigned side, Operation *extremum,
                        unsigned number) {
    CmpIPredicate predicate = op.getPredicate();
    bool isUpper = (predicate == CmpIPredicate::slt ||
                    predicate == CmpIPredicate::sle) == (side == 0);
    // A minimum is below a bound if one operand is.
    bool isOr = isa<arith::MinSIOp>(extremum) == isUpper;
    IntegerFacts facts(op);
    AffineExpr sides[] = {facts.getExpr(op.getLhs()),
                          facts.getExpr(op.getRhs())};
    sides[side] = facts.getExpr(extremum->getOperand(number));
    return facts.compare(predicate, sides[0], sides[1]) == !isOr;
  }
};
} // namespace

void tir::populateComparisonPatterns(RewritePatternSet &set,
                                     PatternBenefit benefit) {
  set.add<SimplifyCompare>(set.getContext(), benefit);
  set.add<CompareOperand>(set.getContext());
}
