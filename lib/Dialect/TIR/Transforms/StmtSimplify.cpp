//===- StmtSimplify.cpp - Simplify what prim_funcs compute ----------------===//
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
    // The root of an expression is simplified as a whole. A product of two
    // variables has two expressions in it.
    auto goesOn = [](Operation *user) {
      return isLinear(user) && (isa<arith::AddIOp, arith::SubIOp>(user) ||
                                getConstant(user->getOperand(1)));
    };
    if (llvm::all_of(op->getUsers(), goesOn))
      return failure();
    Value value = op->getResult(0);
    IntegerFacts facts(op);
    AffineExpr expr = facts.simplify(facts.getExpr(value));
    ArrayRef<Value> leaves = facts.getLeaves();
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && leaves[dim.getPosition()] == value)
      return failure();
    if (!isSimpler(expr, value, leaves))
      return failure();
    rewriter.replaceOp(op, createExpr(rewriter, op->getLoc(), value.getType(),
                                      expr, leaves, value));
    return success();
  }
};
} // namespace

/// The sums of both sides of a comparison, without what they have in common.
/// The result is the comparison of these sums.
static arith::CmpIPredicate separate(arith::CmpIPredicate predicate,
                                     ArrayRef<AffineExpr> sides,
                                     AffineExpr difference, LinearSum &lhs,
                                     LinearSum &rhs) {
  LinearSum sum(difference);
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

namespace {
struct CompareForm {
  arith::CmpIPredicate predicate;
  Value lhs, rhs;
};
} // namespace

/// Turns `a <= b` into `a == b` where `a >= b`, and into `a < b` where
/// `a != b`. Turns `a != b` into a strict comparison where one side is not
/// greater.
static std::optional<CompareForm> tighten(arith::CmpIOp op,
                                          IntegerFacts &facts) {
  using arith::CmpIPredicate;
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
    if (std::optional<CompareForm> tight = tighten(op, facts)) {
      auto [predicate, lhs, rhs] = *tight;
      rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, lhs, rhs);
      return success();
    }
    AffineExpr sides[] = {facts.getExpr(op.getLhs()),
                          facts.getExpr(op.getRhs())};
    LinearSum lhs, rhs;
    arith::CmpIPredicate predicate =
        separate(op.getPredicate(), sides,
                 facts.simplify(add(sides[0], sides[1], -1)), lhs, rhs);
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

/// Computes the comparison of a number with 0 that makes it a condition, and a
/// conversion to the type that its operand has.
struct SimplifyPrim : OpRewritePattern<PrimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PrimOp op,
                                PatternRewriter &rewriter) const override {
    ValueRange args = op.getArgs();
    if (op.getKind() == "Cast" && args[0].getType() == op.getType()) {
      rewriter.replaceOp(op, args[0]);
      return success();
    }
    if (op.getKind() != "NE" || !op.getType().isSignlessInteger(1))
      return failure();
    std::optional<int64_t> lhs = getConstant(args[0]),
                           rhs = getConstant(args[1]);
    if (!lhs || !rhs)
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getBoolAttr(*lhs != *rhs));
    return success();
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
} // namespace

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Erases `op`. As in TVM, `evaluate(0)` takes the place of the only statement
/// of a loop or a branch.
static void eraseStatement(PatternRewriter &rewriter, Operation *op) {
  Block *block = op->getBlock();
  bool isOnly =
      llvm::none_of(block->without_terminator(), [&](Operation &other) {
        return &other != op && !isExpression(&other);
      });
  if (isOnly && !isa<PrimFuncOp>(block->getParentOp()))
    EvaluateOp::create(
        rewriter, op->getLoc(),
        arith::ConstantOp::create(rewriter, op->getLoc(),
                                  rewriter.getI32IntegerAttr(0)));
  rewriter.eraseOp(op);
}

namespace {
/// Replaces an scf.if whose condition is known by its branch.
struct TakeBranch : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> condition = getConstant(op.getCondition());
    if (!condition)
      return failure();
    Block *branch = *condition ? op.thenBlock() : op.elseBlock();
    if (!branch ||
        (op.getNumResults() == 0 && llvm::hasSingleElement(*branch))) {
      eraseStatement(rewriter, op);
      return success();
    }
    Operation *yield = branch->getTerminator();
    rewriter.inlineBlockBefore(branch, op);
    rewriter.replaceOp(op, yield->getOperands());
    rewriter.eraseOp(yield);
    return success();
  }
};

/// Erases a store of the number that its place holds already.
template <typename StoreTy>
struct TakeOutStore : OpRewritePattern<StoreTy> {
  using OpRewritePattern<StoreTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(StoreTy op,
                                PatternRewriter &rewriter) const override {
    if (!storesLoaded(op))
      return failure();
    eraseStatement(rewriter, op);
    return success();
  }
};

/// Uses an expression in place of its name, unless it reads memory.
struct InlineBind : OpRewritePattern<BindOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BindOp op,
                                PatternRewriter &rewriter) const override {
    auto isUse = [](OpOperand &use) {
      return !use.getOwner()->hasAttr(keptName);
    };
    if (!op.getType().isIntOrIndexOrFloat() ||
        llvm::none_of(op->getUses(), isUse) || !isPureTree(op.getValue()))
      return failure();
    rewriter.replaceUsesWithIf(op, op.getValue(), isUse);
    return success();
  }

private:
  static bool isPureTree(Value value) {
    SetVector<Operation *> worklist;
    if (Operation *op = value.getDefiningOp())
      worklist.insert(op);
    for (unsigned i = 0; i != worklist.size(); ++i) {
      Operation *op = worklist[i];
      if (isa<BindOp>(op))
        continue;
      if (i == maxTreeOps || !isPure(op) || op->getNumRegions() != 0)
        return false;
      for (Value operand : op->getOperands())
        if (Operation *inner = operand.getDefiningOp())
          worklist.insert(inner);
    }
    return true;
  }
};
} // namespace

/// A variable with one value is this value, except as an object of attributes.
/// Returns whether there is such a use.
static bool replaceVariables(Operation *func) {
  bool hasChanged = false;
  func->walk([&](Operation *op) {
    if (!isa<scf::ForOp, ForOp, AttrOp>(op))
      return;
    for (BlockArgument argument : op->getRegion(0).front().getArguments())
      if (Value only = getOnlyValue(argument);
          only && only.getType() == argument.getType())
        argument.replaceUsesWithIf(only, [&](OpOperand &use) {
          bool isReplaced = !isa<AttrNodeOp>(use.getOwner());
          hasChanged |= isReplaced;
          return isReplaced;
        });
  });
  return hasChanged;
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
  populateProductPatterns(set, ownBenefit);
  set.add<SimplifySum, SimplifyCompare,
          SimplifyExtremum<arith::MinSIOp, arith::CmpIPredicate::sle>,
          SimplifyExtremum<arith::MaxSIOp, arith::CmpIPredicate::sge>,
          SimplifyConnective<arith::AndIOp>, SimplifyConnective<arith::OrIOp>,
          SimplifyLikely, SimplifyPrim, InlineBind, TakeBranch,
          TakeOutStore<memref::StoreOp>, TakeOutStore<StoreOp>>(context);
}

void StmtSimplify::runOnOperation() {
  auto config = tir::transform::StmtSimplifyConfig::get(
      partita::transform::PassContext::current());
  // Facts come from outside: outer ops first.
  GreedyRewriteConfig driver;
  driver.setUseTopDownTraversal(true).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  FrozenRewritePatternSet distributing;
  if (config.convertBooleanToAndOfOrs) {
    RewritePatternSet set(&getContext());
    addPatterns(set);
    set.add<DistributeOr>(&getContext());
    distributing = std::move(set);
  }
  replaceVariables(getOperation());
  // The bounds of a loop can become numbers.
  do {
    noteForm(getOperation());
    (void)applyPatternsGreedily(
        getOperation(),
        config.convertBooleanToAndOfOrs ? distributing : patterns, driver);
    restoreForm(getOperation());
  } while (replaceVariables(getOperation()));
}
