//===- StmtSimplify.cpp - Simplify what prim_funcs compute ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
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

/// Ops whose trees are larger are left alone.
static constexpr unsigned maxTreeOps = 256;

/// Whether `op` computes an affine expression of its operands.
static bool isLinear(Operation *op) {
  auto prim = dyn_cast<PrimOp>(op);
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp,
             arith::DivSIOp, arith::RemSIOp>(op) ||
         (prim && prim.getKind() == "FloorMod");
}

/// Whether a tree that computes an affine expression goes on behind `op`.
static bool isInTree(Operation *op) {
  return isLinear(op) || isa<arith::ExtSIOp, arith::IndexCastOp>(op);
}

/// The number of ops of the tree that computes `value`, without the ops that
/// compute `leaves`; `limit` if there are more.
static unsigned countOps(Value value, ArrayRef<Value> leaves, unsigned limit) {
  SmallVector<Value> worklist = {value};
  unsigned count = 0;
  while (!worklist.empty() && count < limit) {
    Value inner = worklist.pop_back_val();
    Operation *op = inner.getDefiningOp();
    if (!op || getConstant(inner) || llvm::is_contained(leaves, inner))
      continue;
    ++count;
    if (isInTree(op))
      llvm::append_range(worklist, op->getOperands());
  }
  return count;
}

/// Whether the tree that computes `value` adds a sum to something, which TVM
/// writes without parentheses.
static bool hasInnerSum(Value value, ArrayRef<Value> leaves) {
  auto getSum = [&](Value value) -> Operation * {
    Operation *op = value.getDefiningOp();
    bool isSum = isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op);
    return isSum && !llvm::is_contained(leaves, value) ? op : nullptr;
  };
  for (Operation *op = getSum(value); op; op = getSum(op->getOperand(0)))
    if (getSum(op->getOperand(1)))
      return true;
  return false;
}

/// Where the trees that compute `roots` have each leaf for the first time.
static SmallVector<unsigned> findPlaces(ArrayRef<Value> roots,
                                        ArrayRef<Value> leaves) {
  SmallVector<unsigned> places(leaves.size(), leaves.size());
  SmallVector<Value> worklist(llvm::reverse(roots));
  unsigned numPlaces = 0, numOps = 0;
  while (!worklist.empty() && numOps < maxTreeOps) {
    Value inner = worklist.pop_back_val();
    if (const auto *leaf = llvm::find(leaves, inner); leaf != leaves.end()) {
      unsigned &place = places[leaf - leaves.begin()];
      if (place == leaves.size())
        place = numPlaces++;
    } else if (Operation *op = inner.getDefiningOp()) {
      ++numOps;
      if (isInTree(op))
        llvm::append_range(worklist, llvm::reverse(op->getOperands()));
    }
  }
  return places;
}

namespace {
/// Makes ops from expressions, or only counts them.
class LinearBuilder {
public:
  LinearBuilder(OpBuilder *builder, Location loc, Type type,
                ArrayRef<Value> leaves, ArrayRef<unsigned> places)
      : builder(builder), loc(loc), type(type), leaves(leaves), places(places) {
  }

  Value create(AffineExpr expr);
  unsigned numOps = 0;

private:
  template <typename OpTy>
  Value createBinary(Value lhs, Value rhs);
  Value createNumber(int64_t number);
  Value createLeaf(Value leaf);
  Value createTerm(AffineExpr term, int64_t factor);
  unsigned getPlace(AffineExpr term) const;

  /// Null if ops are only counted; then values are null, too.
  OpBuilder *builder;
  Location loc;
  Type type;
  ArrayRef<Value> leaves;
  /// The order of the terms of sums.
  ArrayRef<unsigned> places;
};
} // namespace

template <typename OpTy>
Value LinearBuilder::createBinary(Value lhs, Value rhs) {
  ++numOps;
  if (!builder)
    return nullptr;
  if constexpr (std::is_same_v<OpTy, arith::FloorDivSIOp>)
    return OpTy::create(*builder, loc, lhs, rhs);
  else if constexpr (std::is_same_v<OpTy, PrimOp>)
    return OpTy::create(*builder, loc, type, "FloorMod", ValueRange{lhs, rhs});
  else
    return OpTy::create(*builder, loc, lhs, rhs,
                        arith::IntegerOverflowFlags::nsw);
}

Value LinearBuilder::createNumber(int64_t number) {
  return builder ? arith::ConstantOp::create(
                       *builder, loc, builder->getIntegerAttr(type, number))
                       .getResult()
                 : Value();
}

Value LinearBuilder::createLeaf(Value leaf) {
  Type from = leaf.getType();
  if (from == type)
    return leaf;
  ++numOps;
  if (!builder)
    return nullptr;
  if (from.isIndex() || type.isIndex())
    return arith::IndexCastOp::create(*builder, loc, type, leaf);
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(*builder, loc, type, leaf);
  return arith::ExtSIOp::create(*builder, loc, type, leaf);
}

Value LinearBuilder::createTerm(AffineExpr term, int64_t factor) {
  Value value;
  if (auto dim = dyn_cast<AffineDimExpr>(term)) {
    value = createLeaf(leaves[dim.getPosition()]);
  } else {
    auto binary = cast<AffineBinaryOpExpr>(term);
    Value lhs = create(binary.getLHS());
    Value rhs =
        createNumber(cast<AffineConstantExpr>(binary.getRHS()).getValue());
    value = term.getKind() == AffineExprKind::Mod
                ? createBinary<PrimOp>(lhs, rhs)
                : createBinary<arith::FloorDivSIOp>(lhs, rhs);
  }
  return factor == 1 ? value
                     : createBinary<arith::MulIOp>(value, createNumber(factor));
}

unsigned LinearBuilder::getPlace(AffineExpr term) const {
  unsigned place = leaves.size();
  term.walk([&](AffineExpr inner) {
    if (auto dim = dyn_cast<AffineDimExpr>(inner))
      place = std::min(place, places[dim.getPosition()]);
  });
  return place;
}

Value LinearBuilder::create(AffineExpr expr) {
  LinearSum sum(expr);
  if (builder)
    sum.sort([&](AffineExpr term) { return getPlace(term); });
  // What is added comes first, so that no zero has to be there.
  bool isEmpty = true;
  Value value;
  auto append = [&](AffineExpr term, int64_t factor) {
    Value other = createTerm(term, std::abs(factor));
    if (isEmpty)
      value = factor > 0 ? other
                         : createBinary<arith::SubIOp>(createNumber(0), other);
    else
      value = factor > 0 ? createBinary<arith::AddIOp>(value, other)
                         : createBinary<arith::SubIOp>(value, other);
    isEmpty = false;
  };
  for (auto [term, factor] : sum.terms)
    if (factor > 0)
      append(term, factor);
  int64_t number = sum.number;
  if (isEmpty && number != 0 && !sum.terms.empty()) {
    value = createNumber(std::exchange(number, 0));
    isEmpty = false;
  }
  for (auto [term, factor] : sum.terms)
    if (factor < 0)
      append(term, factor);
  if (isEmpty)
    return createNumber(number);
  if (number == 0)
    return value;
  return number > 0 ? createBinary<arith::AddIOp>(value, createNumber(number))
                    : createBinary<arith::SubIOp>(value, createNumber(-number));
}

/// Terms are in the order in which `roots` have them.
static Value createExpr(OpBuilder &builder, Location loc, Type type,
                        AffineExpr expr, ArrayRef<Value> leaves,
                        ArrayRef<Value> roots) {
  return LinearBuilder(&builder, loc, type, leaves, findPlaces(roots, leaves))
      .create(expr);
}

static unsigned countExprOps(Location loc, Type type, AffineExpr expr,
                             ArrayRef<Value> leaves) {
  LinearBuilder counter(nullptr, loc, type, leaves, /*places=*/{});
  counter.create(expr);
  return counter.numOps;
}

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
