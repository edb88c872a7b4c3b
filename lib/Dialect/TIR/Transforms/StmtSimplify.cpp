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
    if (!isExprRoot(op))
      return failure();
    Value value = op->getResult(0);
    IntegerFacts facts(op);
    AffineExpr expr = facts.simplify(facts.getExpr(value));
    if (!isa<arith::AddIOp, arith::SubIOp>(op))
      expr = moveNumberIntoQuotient(expr);
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

/// Turns `x + 4 - 1` into `x + 3`. Upstream's patterns do, but forget that the
/// sum does not overflow.
template <typename OpTy>
struct JoinNumbers : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Operation *inner = op.getLhs().getDefiningOp();
    if (!isIndexInteger(op.getType()) || !isExact(op) ||
        !isa_and_nonnull<arith::AddIOp, arith::SubIOp>(inner) ||
        !isExact(inner))
      return failure();
    std::optional<int64_t> first = getConstant(inner->getOperand(1)),
                           second = getConstant(op.getRhs());
    // Larger numbers are left to upstream's patterns.
    if (!first || !second || !llvm::isInt<30>(*first) ||
        !llvm::isInt<30>(*second))
      return failure();
    int64_t number = (isa<arith::AddIOp>(inner) ? *first : -*first) +
                     (std::is_same_v<OpTy, arith::AddIOp> ? *second : -*second);
    Value constant = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        rewriter.getIntegerAttr(op.getType(), std::abs(number)));
    auto nsw = arith::IntegerOverflowFlags::nsw;
    if (number == 0)
      rewriter.replaceOp(op, inner->getOperand(0));
    else if (number > 0)
      rewriter.replaceOpWithNewOp<arith::AddIOp>(op, inner->getOperand(0),
                                                 constant, nsw);
    else
      rewriter.replaceOpWithNewOp<arith::SubIOp>(op, inner->getOperand(0),
                                                 constant, nsw);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

namespace {
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
    SmallVector<Value> operands;
    auto getInner = [](Value value) { return value.getDefiningOp<OpTy>(); };
    if (!appendOperands(op, getInner, maxOperands, operands))
      return failure();
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

/// Turns `a && (b && c)` into `a && b && c`, as TVM writes it.
template <typename OpTy>
struct AssociateConnective : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isSignlessInteger(1) ||
        !op.getRhs().template getDefiningOp<OpTy>())
      return failure();
    // The root is computed as a whole.
    auto goesOn = [&](Operation *user) {
      return isa<OpTy>(user) && user->getOperand(1) == op.getResult();
    };
    if (llvm::all_of(op->getUsers(), goesOn))
      return failure();
    SmallVector<Value> operands;
    auto getInner = [](Value value) { return value.getDefiningOp<OpTy>(); };
    if (!appendOperands(op.getRhs(), getInner, maxOperands, operands))
      return failure();
    Value value = op.getLhs();
    for (Value operand : operands)
      value = OpTy::create(rewriter, op.getLoc(), value, operand);
    rewriter.replaceOp(op, value);
    return success();
  }

private:
  /// Larger conditions stay. One of others twice has exponentially many.
  static constexpr unsigned maxOperands = 32;
};

/// Turns `!(a && b)` into `!a || !b`, and `!(a || b)` into `!a && !b`. A
/// condition with other uses stays: its operands could be negated again and
/// again.
struct NegateOperands : OpRewritePattern<arith::XOrIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::XOrIOp op,
                                PatternRewriter &rewriter) const override {
    Operation *inner = op.getLhs().getDefiningOp();
    if (!op.getType().isSignlessInteger(1) ||
        !matchPattern(op.getRhs(), m_One()) ||
        !isa_and_nonnull<arith::AndIOp, arith::OrIOp>(inner) ||
        !inner->hasOneUse())
      return failure();
    Value operands[2];
    for (auto [negated, operand] :
         llvm::zip_equal(operands, inner->getOperands()))
      negated =
          arith::XOrIOp::create(rewriter, op.getLoc(), operand, op.getRhs());
    if (isa<arith::AndIOp>(inner))
      rewriter.replaceOpWithNewOp<arith::OrIOp>(op, operands);
    else
      rewriter.replaceOpWithNewOp<arith::AndIOp>(op, operands);
    return success();
  }
};

/// Replaces a condition from outside of a block where an enclosing branch
/// decides it.
struct EvaluateConditions : RewritePattern {
  explicit EvaluateConditions(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *condition = operand.get().getDefiningOp();
      if (!operand.get().getType().isSignlessInteger(1) || !condition ||
          condition->getBlock() == op->getBlock() ||
          condition->hasTrait<OpTrait::ConstantLike>() || op->hasAttr(keptName))
        continue;
      if (std::optional<bool> known =
              IntegerFacts(op).evaluate(operand.get())) {
        Value constant = arith::ConstantOp::create(
            rewriter, op->getLoc(), rewriter.getBoolAttr(*known));
        rewriter.modifyOpInPlace(op, [&] { operand.set(constant); });
        return success();
      }
    }
    return failure();
  }
};

/// Replaces a choice between two expressions that are the same.
struct SimplifySelect : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    if (!isIndexInteger(op.getType()))
      return failure();
    IntegerFacts facts(op);
    if (facts.getExpr(op.getTrueValue()) != facts.getExpr(op.getFalseValue()))
      return failure();
    rewriter.replaceOp(op, op.getTrueValue());
    return success();
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

/// Computes conversions of known numbers to conditions, and to the type that
/// the operand has, and what the same unsigned number twice gives.
struct SimplifyPrim : OpRewritePattern<PrimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PrimOp op,
                                PatternRewriter &rewriter) const override {
    ValueRange args = op.getArgs();
    if (op.getKind() == "Cast" && args[0].getType() == op.getType()) {
      rewriter.replaceOp(op, args[0]);
      return success();
    }
    std::optional<bool> known;
    if (op.getType().isSignlessInteger(1))
      known = getCondition(op);
    if (!known)
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getBoolAttr(*known));
    return success();
  }

private:
  static std::optional<bool> getCondition(PrimOp op) {
    ValueRange args = op.getArgs();
    if (op.getKind() == "Cast" && matchPattern(args[0], m_Constant()))
      return !matchPattern(args[0], m_Zero()) &&
             !matchPattern(args[0], m_AnyZeroFloat());
    if (op.getKind() != "NE" && op.getKind() != "EQ")
      return std::nullopt;
    bool isEqual = op.getKind() == "EQ";
    std::optional<int64_t> lhs = getConstant(args[0]),
                           rhs = getConstant(args[1]);
    if (lhs && rhs)
      return (*lhs == *rhs) == isEqual;
    if (args[0] == args[1] && isa<IntegerType>(args[0].getType()))
      return isEqual;
    return std::nullopt;
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

/// Uses the value that another load of the same place has given to the same
/// statement.
template <typename LoadTy>
struct ShareLoad : OpRewritePattern<LoadTy> {
  using OpRewritePattern<LoadTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(LoadTy op,
                                PatternRewriter &rewriter) const override {
    unsigned numOps = 0;
    for (Operation *other = op->getPrevNode();
         other && isExpression(other) && ++numOps != maxOps;
         other = other->getPrevNode())
      if (isa<LoadTy>(other) &&
          other->getResultTypes() == op->getResultTypes() &&
          stillHolds(other, op, op->getOperand(0),
                     op->getOperands().drop_front())) {
        rewriter.replaceOp(op, other);
        return success();
      }
    return failure();
  }

private:
  static constexpr unsigned maxOps = 64;
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
  populateComparisonPatterns(set, ownBenefit);
  set.add<JoinNumbers<arith::AddIOp>, JoinNumbers<arith::SubIOp>>(context,
                                                                  ownBenefit);
  populateExtremumPatterns(set);
  set.add<SimplifySum, NegateOperands, AssociateConnective<arith::AndIOp>,
          AssociateConnective<arith::OrIOp>, SimplifyConnective<arith::AndIOp>,
          SimplifyConnective<arith::OrIOp>, SimplifyLikely, SimplifyPrim,
          EvaluateConditions, SimplifySelect, InlineBind, TakeBranch,
          TakeOutStore<memref::StoreOp>, TakeOutStore<StoreOp>,
          ShareLoad<memref::LoadOp>, ShareLoad<LoadOp>>(context);
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
