//===- StmtSimplifyProducts.cpp - Products of variables -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "StmtSimplifyForm.h"
#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

/// Whether `value` is a product of two variables, which does not overflow.
static arith::MulIOp getSymbolicProduct(Value value) {
  auto product = value.getDefiningOp<arith::MulIOp>();
  bool isSymbolic = product && isIndexInteger(product.getType()) &&
                    !getConstant(product.getRhs()) && product.hasNoSignedWrap();
  return isSymbolic ? product : nullptr;
}

/// `x` where `value` is `x * factor` or `factor * x`; null otherwise.
static Value getOtherFactor(Value value, Value factor) {
  arith::MulIOp product = getSymbolicProduct(value);
  if (!product)
    return {};
  return product.getRhs() == factor   ? product.getLhs()
         : product.getLhs() == factor ? product.getRhs()
                                      : Value();
}

/// The number 1 of the type of `op`.
static Value createOne(OpBuilder &builder, Operation *op) {
  return arith::ConstantOp::create(
      builder, op->getLoc(),
      builder.getIntegerAttr(op->getResult(0).getType(), 1));
}

/// Products of more factors stay. A chain of squares has exponentially many.
static constexpr unsigned maxFactors = 32;

namespace {
/// Turns `x * (y * z)` into `x * y * z`.
struct AssociateProduct : OpRewritePattern<arith::MulIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulIOp op,
                                PatternRewriter &rewriter) const override {
    if (!getSymbolicProduct(op.getRhs()) || !getSymbolicProduct(op))
      return failure();
    // The root of a product is computed as a whole.
    auto goesOn = [&](Operation *user) {
      auto product = dyn_cast<arith::MulIOp>(user);
      return product && product.getRhs() == op && getSymbolicProduct(product);
    };
    SmallVector<Value> factors;
    if (llvm::all_of(op->getUsers(), goesOn) ||
        !appendOperands(op.getRhs(), getSymbolicProduct, maxFactors, factors))
      return failure();
    Value product = op.getLhs();
    for (Value factor : factors)
      product = arith::MulIOp::create(rewriter, op.getLoc(), product, factor,
                                      arith::IntegerOverflowFlags::nsw);
    rewriter.replaceOp(op, product);
    return success();
  }
};

} // namespace

/// Whether `op` is a sum or a difference that does not overflow.
static bool isSum(Operation *op) {
  return isa_and_present<arith::AddIOp, arith::SubIOp>(op) &&
         isIndexInteger(op->getResult(0).getType()) && isExact(op);
}

/// Whether `op` is the left side of the only sum that uses it.
static bool isLeftOfSum(Operation *op) {
  return isSum(op) && op->hasOneUse() && isSum(*op->user_begin()) &&
         op->user_begin()->getOperand(0) == op->getResult(0);
}

namespace {
/// A sum or a product that is computed as late as possible.
struct PartialSum {
  Value value;
  /// If not null, `value * factor` is meant.
  Value factor;

  /// Adds or subtracts the last operand of `op`, and takes out a factor if it
  /// can.
  void append(OpBuilder &builder, Operation *op);
  Value finish(OpBuilder &builder, Location loc);

private:
  /// `x` and `y` where `op` is `x * by + y * by`; null where it is none.
  std::tuple<Value, Value, Value> split(OpBuilder &builder, Operation *op);
};
} // namespace

std::tuple<Value, Value, Value> PartialSum::split(OpBuilder &builder,
                                                  Operation *op) {
  Value rhs = op->getOperand(1);
  arith::MulIOp right = getSymbolicProduct(rhs);
  Value x = value, by = factor;
  if (arith::MulIOp left = factor ? nullptr : getSymbolicProduct(value)) {
    x = left.getLhs();
    by = left.getRhs();
  }
  if (by && right && right.getRhs() == by)
    return {x, right.getLhs(), by};
  // The factor can be on the left side.
  if (by && !factor && x == rhs)
    std::swap(x, by);
  if (by && rhs == by)
    return {x, createOne(builder, op), by};
  if (Value rest = factor ? Value() : getOtherFactor(rhs, value))
    return {createOne(builder, op), rest, value};
  return {};
}

void PartialSum::append(OpBuilder &builder, Operation *op) {
  auto create = [&](Value lhs, Value rhs) {
    auto nsw = arith::IntegerOverflowFlags::nsw;
    return isa<arith::AddIOp>(op)
               ? arith::AddIOp::create(builder, op->getLoc(), lhs, rhs, nsw)
                     .getResult()
               : arith::SubIOp::create(builder, op->getLoc(), lhs, rhs, nsw)
                     .getResult();
  };
  if (auto [x, y, by] = split(builder, op); x) {
    value = create(x, y);
    factor = by;
    return;
  }
  value = create(finish(builder, op->getLoc()), op->getOperand(1));
}

Value PartialSum::finish(OpBuilder &builder, Location loc) {
  if (Value by = std::exchange(factor, nullptr))
    value = arith::MulIOp::create(builder, loc, value, by,
                                  arith::IntegerOverflowFlags::nsw);
  return value;
}

namespace {
/// Turns `x * z + y * z` into `(x + y) * z`, and `x * z + z` into `(x + 1) *
/// z`, unless `z` is a number; differences likewise. A sum of more terms is
/// turned as a whole. Its parts would be simplified again with each term.
template <typename OpTy>
struct TakeOutFactor : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isSum(op) || isLeftOfSum(op))
      return failure();
    SmallVector<Operation *> parts = {op};
    while (Operation *part = parts.back()->getOperand(0).getDefiningOp()) {
      if (!isLeftOfSum(part))
        break;
      parts.push_back(part);
    }
    auto hasFactor = [](Operation *part) {
      Value lhs = part->getOperand(0), rhs = part->getOperand(1);
      arith::MulIOp left = getSymbolicProduct(lhs),
                    right = getSymbolicProduct(rhs);
      return (left && right && left.getRhs() == right.getRhs()) ||
             getOtherFactor(lhs, rhs) || getOtherFactor(rhs, lhs);
    };
    if (llvm::none_of(parts, hasFactor))
      return failure();
    PartialSum sum{parts.back()->getOperand(0), nullptr};
    for (Operation *part : llvm::reverse(parts))
      sum.append(rewriter, part);
    rewriter.replaceOp(op, sum.finish(rewriter, op.getLoc()));
    return success();
  }
};

/// Turns `(x * z + y) // z` into `x + y // z`, and `x * z % z` into 0, unless
/// `z` is a number.
template <typename OpTy>
struct DivideProduct : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isMod = std::is_same_v<OpTy, PrimOp>;
    if constexpr (isMod)
      if (op.getKind() != "FloorMod")
        return failure();
    if (!isIndexInteger(op.getType()) || getConstant(op->getOperand(1)))
      return failure();
    Value dividend = op->getOperand(0), divisor = op->getOperand(1);
    if (dividend.getType() != op.getType())
      return failure();
    if (isMultiple(dividend, divisor)) {
      Type type = dividend.getType();
      Value result =
          isMod ? arith::ConstantOp::create(rewriter, op.getLoc(),
                                            rewriter.getIntegerAttr(type, 0))
                : createQuotient(rewriter, op, dividend);
      rewriter.replaceOp(op, result);
      return success();
    }
    auto sum = dividend.getDefiningOp<arith::AddIOp>();
    if (isMod || !sum || !sum.hasNoSignedWrap())
      return failure();
    Value parts[] = {sum.getLhs(), sum.getRhs()};
    bool isRight = !isMultiple(parts[0], divisor);
    if (!isMultiple(parts[isRight], divisor))
      return failure();
    parts[isRight] = createQuotient(rewriter, op, parts[isRight]);
    parts[!isRight] = arith::FloorDivSIOp::create(rewriter, op.getLoc(),
                                                  parts[!isRight], divisor);
    rewriter.replaceOpWithNewOp<arith::AddIOp>(
        op, parts[0], parts[1], arith::IntegerOverflowFlags::nsw);
    return success();
  }

private:
  static bool isMultiple(Value value, Value divisor) {
    return value == divisor || getOtherFactor(value, divisor);
  }
  /// A multiple by the divisor of `op`.
  static Value createQuotient(OpBuilder &builder, Operation *op,
                              Value multiple) {
    if (multiple == op->getOperand(1))
      return createOne(builder, op);
    return getOtherFactor(multiple, op->getOperand(1));
  }
};

/// Turns `x // z * z + x % z` into `x`, and `x // (y * z) * y + x % (y * z) //
/// z` into `x // z`: indices that fusing two loops of variable extents leaves.
struct JoinQuotients : OpRewritePattern<arith::AddIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSum(op))
      return failure();
    for (auto [product, rest] : {std::pair(op.getLhs(), op.getRhs()),
                                 std::pair(op.getRhs(), op.getLhs())})
      if (Value joined = join(rewriter, product, rest)) {
        rewriter.replaceOp(op, joined);
        return success();
      }
    return failure();
  }

private:
  static Value join(OpBuilder &builder, Value value, Value rest) {
    auto product = value.getDefiningOp<arith::MulIOp>();
    if (!product || !product.hasNoSignedWrap())
      return {};
    for (auto [multiple, factor] :
         {std::pair(product.getLhs(), product.getRhs()),
          std::pair(product.getRhs(), product.getLhs())})
      if (auto quotient = multiple.getDefiningOp<arith::FloorDivSIOp>())
        if (Value joined = join(builder, quotient, factor, rest))
          return joined;
    return {};
  }

  /// What `quotient * factor + rest` is; null if that is not known.
  static Value join(OpBuilder &builder, arith::FloorDivSIOp quotient,
                    Value factor, Value rest) {
    Value dividend = quotient.getLhs(), divisor = quotient.getRhs();
    auto isRemainder = [&](Value value) {
      auto mod = value.getDefiningOp<PrimOp>();
      return mod && mod.getKind() == "FloorMod" &&
             isSame(mod->getOperand(0), dividend) &&
             isSame(mod->getOperand(1), divisor);
    };
    if (isSame(divisor, factor) && isRemainder(rest))
      return dividend;
    auto inner = rest.getDefiningOp<arith::FloorDivSIOp>();
    if (!inner || !isRemainder(inner.getLhs()) ||
        !isProduct(divisor, factor, inner.getRhs()))
      return {};
    return arith::FloorDivSIOp::create(builder, rest.getLoc(), dividend,
                                       inner.getRhs());
  }

  static bool isProduct(Value value, Value x, Value y) {
    auto product = value.getDefiningOp<arith::MulIOp>();
    if (!product || !product.hasNoSignedWrap())
      return false;
    Value lhs = product.getLhs(), rhs = product.getRhs();
    return (isSame(lhs, x) && isSame(rhs, y)) ||
           (isSame(lhs, y) && isSame(rhs, x));
  }

  /// Whether both are one value, or small trees of equal ops.
  static bool isSame(Value a, Value b, unsigned depth = 4) {
    if (a == b)
      return true;
    Operation *op = a.getDefiningOp(), *other = b.getDefiningOp();
    return op && other && depth != 0 && op->getNumResults() == 1 &&
           isPure(op) &&
           OperationEquivalence::isEquivalentTo(
               op, other,
               [depth](Value x, Value y) {
                 return success(isSame(x, y, depth - 1));
               },
               /*markEquivalent=*/nullptr,
               OperationEquivalence::IgnoreLocations);
  }
};
} // namespace

void tir::populateProductPatterns(RewritePatternSet &set,
                                  PatternBenefit benefit) {
  set.add<AssociateProduct, JoinQuotients, TakeOutFactor<arith::AddIOp>,
          TakeOutFactor<arith::SubIOp>, DivideProduct<arith::FloorDivSIOp>,
          DivideProduct<PrimOp>>(set.getContext(), benefit);
}
