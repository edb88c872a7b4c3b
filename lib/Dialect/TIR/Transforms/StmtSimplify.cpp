//===- StmtSimplify.cpp - Simplify what prim_funcs compute ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "LinearBuilder.h"
#include "LinearSum.h"
#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace partita::tir {
#define GEN_PASS_DEF_STMTSIMPLIFY
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct StmtSimplify : tir::impl::StmtSimplifyBase<StmtSimplify> {
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  static void addPatterns(RewritePatternSet &set);

  FrozenRewritePatternSet patterns;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sums, quotients and remainders
//===----------------------------------------------------------------------===//

/// Turns `a + 1 <= b` into `a < b`: `number` is on the left side.
static arith::CmpIPredicate includeOne(arith::CmpIPredicate predicate,
                                       int64_t &number) {
  using arith::CmpIPredicate;
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

/// Upstream's patterns have the number of ops that they match.
static constexpr unsigned ownBenefit = 100;

namespace {
/// Computes an affine expression with fewer ops. It goes before upstream's
/// patterns, which forget that sums do not overflow.
struct SimplifySum : RewritePattern {
  explicit SimplifySum(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), ownBenefit, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isLinear(op) || !isIndexInteger(op->getResult(0).getType()))
      return failure();
    // The root of an expression is simplified as a whole.
    if (llvm::all_of(op->getUsers(), isLinear))
      return failure();
    Value value = op->getResult(0);
    IntegerFacts facts(op);
    AffineExpr expr = facts.simplify(facts.getExpr(value));
    ArrayRef<Value> leaves = facts.getLeaves();
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && leaves[dim.getPosition()] == value)
      return failure();
    unsigned numOps = countExprOps(op->getLoc(), value.getType(), expr, leaves);
    unsigned oldOps = countOps(value, leaves, maxTreeOps);
    if (numOps > oldOps || (numOps == oldOps && !hasInnerSum(value, leaves)))
      return failure();
    rewriter.replaceOp(op, createExpr(rewriter, op->getLoc(), value.getType(),
                                      expr, leaves, value));
    return success();
  }
};

/// Decides a comparison, or computes it with fewer ops.
struct SimplifyCompare : OpRewritePattern<arith::CmpIOp> {
  explicit SimplifyCompare(MLIRContext *context)
      : OpRewritePattern(context, ownBenefit) {}

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
    // The sums of both sides without what they have in common.
    LinearSum difference(facts.simplify(
        add(facts.getExpr(op.getLhs()), facts.getExpr(op.getRhs()), -1)));
    LinearSum lhs, rhs;
    for (auto [term, factor] : difference.terms)
      if (factor > 0)
        lhs.addTerm(term, factor);
      else
        rhs.addTerm(term, -factor);
    int64_t number = difference.number;
    arith::CmpIPredicate predicate = includeOne(op.getPredicate(), number);
    (number > 0 && !lhs.terms.empty() ? lhs.number : rhs.number) +=
        number > 0 && !lhs.terms.empty() ? number : -number;
    ArrayRef<Value> leaves = facts.getLeaves();
    AffineExpr a = lhs.getExpr(op.getContext()),
               b = rhs.getExpr(op.getContext());
    auto count = [&](AffineExpr expr) {
      return countExprOps(op.getLoc(), type, expr, leaves);
    };
    if (count(a) + count(b) >= countOps(op.getLhs(), leaves, maxTreeOps) +
                                   countOps(op.getRhs(), leaves, maxTreeOps))
      return failure();
    Value roots[] = {op.getLhs(), op.getRhs()};
    Value left = createExpr(rewriter, op.getLoc(), type, a, leaves, roots);
    Value right = createExpr(rewriter, op.getLoc(), type, b, leaves, roots);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, left, right);
    return success();
  }
};

/// Replaces a minimum or a maximum by the operand that it always is.
template <typename OpTy, arith::CmpIPredicate takesLhs>
struct SimplifyExtremum : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isIndexInteger(op.getType()))
      return failure();
    IntegerFacts facts(op);
    AffineExpr lhs = facts.getExpr(op.getLhs()),
               rhs = facts.getExpr(op.getRhs());
    if (facts.compare(takesLhs, lhs, rhs) == true)
      rewriter.replaceOp(op, op.getLhs());
    else if (facts.compare(takesLhs, rhs, lhs) == true)
      rewriter.replaceOp(op, op.getRhs());
    else
      return failure();
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Drops an operand of `a && b && ...` or `a || b || ...` that the others
/// decide.
template <typename OpTy>
struct SimplifyConnective : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isSignlessInteger(1) ||
        llvm::all_of(op->getUsers(), llvm::IsaPred<OpTy>))
      return failure();
    SmallVector<Value> operands = {op.getLhs(), op.getRhs()};
    for (unsigned i = 0; i != operands.size();) {
      auto inner = operands[i].template getDefiningOp<OpTy>();
      if (!inner) {
        ++i;
        continue;
      }
      operands[i] = inner.getLhs();
      operands.insert(operands.begin() + i + 1, inner.getRhs());
      if (operands.size() > maxOperands)
        return failure();
    }
    for (unsigned i = 0; i != operands.size(); ++i)
      if (std::optional<bool> known = evaluate(op, operands, i)) {
        if (*known == open)
          operands.erase(operands.begin() + i);
        replace(op, operands, *known, rewriter);
        return success();
      }
    return failure();
  }

private:
  /// An operand with this value lets the others decide.
  static constexpr bool open = std::is_same_v<OpTy, arith::AndIOp>;
  static constexpr unsigned maxOperands = 16;

  static std::optional<bool> evaluate(OpTy op, ArrayRef<Value> operands,
                                      unsigned number) {
    IntegerFacts facts(op);
    for (auto [i, operand] : llvm::enumerate(operands))
      if (i != number)
        facts.assume(operand, open);
    return facts.evaluate(operands[number]);
  }

  static void replace(OpTy op, ArrayRef<Value> operands, bool known,
                      PatternRewriter &rewriter) {
    if (known != open) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, rewriter.getBoolAttr(!open));
      return;
    }
    Value value = operands.front();
    for (Value operand : operands.drop_front())
      value = OpTy::create(rewriter, op.getLoc(), value, operand);
    rewriter.replaceOp(op, value);
  }
};

/// Turns `a || (b && c)` into `(a || b) && (a || c)`.
struct DistributeOr : OpRewritePattern<arith::OrIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::OrIOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isSignlessInteger(1))
      return failure();
    for (auto [a, other] : {std::pair(op.getLhs(), op.getRhs()),
                            std::pair(op.getRhs(), op.getLhs())}) {
      auto both = other.getDefiningOp<arith::AndIOp>();
      if (!both)
        continue;
      Value lhs = arith::OrIOp::create(rewriter, op.getLoc(), a, both.getLhs());
      Value rhs = arith::OrIOp::create(rewriter, op.getLoc(), a, both.getRhs());
      rewriter.replaceOpWithNewOp<arith::AndIOp>(op, lhs, rhs);
      return success();
    }
    return failure();
  }
};

/// Says no more that a condition is likely if it is known.
struct SimplifyLikely : OpRewritePattern<CallIntrinOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CallIntrinOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLikely(op) || op->getNumResults() != 1)
      return failure();
    Value condition = op.getArgs()[0];
    auto inner = condition.getDefiningOp<CallIntrinOp>();
    if (!matchPattern(condition, m_Constant()) && !(inner && isLikely(inner)))
      return failure();
    rewriter.replaceOp(op, condition);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Uses a number in place of its name.
struct InlineNumber : OpRewritePattern<BindOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BindOp op,
                                PatternRewriter &rewriter) const override {
    if (!matchPattern(op.getValue(), m_Constant()))
      return failure();
    rewriter.replaceOp(op, op.getValue());
    return success();
  }
};
} // namespace

/// A variable with one value is this value, except as an object of attributes.
static void replaceVariables(Operation *func) {
  func->walk([](Operation *op) {
    if (!isa<scf::ForOp, ForOp, AttrOp, BlockOp>(op))
      return;
    for (BlockArgument argument : op->getRegion(0).front().getArguments())
      if (Value only = getOnlyValue(argument);
          only && only.getType() == argument.getType())
        argument.replaceUsesWithIf(only, [](OpOperand &use) {
          return !isa<AttrNodeOp>(use.getOwner());
        });
  });
}

/// Turns `a > b` into `b < a`, as TVM does. The patterns of arith move numbers
/// to the right side.
static void orderComparisons(Operation *func) {
  using arith::CmpFPredicate;
  using arith::CmpIPredicate;
  auto swap = [](auto op, auto predicate) {
    Value lhs = op.getLhs();
    op.getLhsMutable().assign(op.getRhs());
    op.getRhsMutable().assign(lhs);
    op.setPredicate(predicate);
  };
  func->walk([&](Operation *op) {
    if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
      switch (cmp.getPredicate()) {
      case CmpIPredicate::sgt:
        return swap(cmp, CmpIPredicate::slt);
      case CmpIPredicate::sge:
        return swap(cmp, CmpIPredicate::sle);
      case CmpIPredicate::ugt:
        return swap(cmp, CmpIPredicate::ult);
      case CmpIPredicate::uge:
        return swap(cmp, CmpIPredicate::ule);
      default:
        return;
      }
    }
    if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
      if (cmp.getPredicate() == CmpFPredicate::OGT)
        swap(cmp, CmpFPredicate::OLT);
      else if (cmp.getPredicate() == CmpFPredicate::OGE)
        swap(cmp, CmpFPredicate::OLE);
    }
  });
}

LogicalResult StmtSimplify::initialize(MLIRContext *context) {
  RewritePatternSet set(context);
  addPatterns(set);
  patterns = std::move(set);
  return success();
}

void StmtSimplify::addPatterns(RewritePatternSet &set) {
  MLIRContext *context = set.getContext();
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getDialectNamespace() ==
        arith::ArithDialect::getDialectNamespace())
      name.getCanonicalizationPatterns(set, context);
  scf::IfOp::getCanonicalizationPatterns(set, context);
  set.add<SimplifySum, SimplifyCompare,
          SimplifyExtremum<arith::MinSIOp, arith::CmpIPredicate::sle>,
          SimplifyExtremum<arith::MaxSIOp, arith::CmpIPredicate::sge>,
          SimplifyConnective<arith::AndIOp>, SimplifyConnective<arith::OrIOp>,
          SimplifyLikely, InlineNumber, EraseUselessStore<memref::StoreOp>,
          EraseUselessStore<StoreOp>>(context);
}

void StmtSimplify::runOnOperation() {
  auto config = tir::transform::StmtSimplifyConfig::get(
      partita::transform::PassContext::current());
  replaceVariables(getOperation());
  // Facts come from outside: outer ops first.
  GreedyRewriteConfig driver;
  driver.setUseTopDownTraversal(true).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  if (config.convertBooleanToAndOfOrs) {
    RewritePatternSet set(&getContext());
    addPatterns(set);
    set.add<DistributeOr>(&getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(set), driver);
  } else {
    (void)applyPatternsGreedily(getOperation(), patterns, driver);
  }
  orderComparisons(getOperation());
}
