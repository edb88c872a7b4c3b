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

/// Appends the factors of a product of variables, from left to right. Returns
/// whether they are few.
static bool appendFactors(Value value, SmallVectorImpl<Value> &factors) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value factor = worklist.pop_back_val();
    if (arith::MulIOp product = getSymbolicProduct(factor))
      worklist.append({product.getRhs(), product.getLhs()});
    else
      factors.push_back(factor);
    if (factors.size() + worklist.size() > maxFactors)
      return false;
  }
  return true;
}

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
        !appendFactors(op.getRhs(), factors))
      return failure();
    Value product = op.getLhs();
    for (Value factor : factors)
      product = arith::MulIOp::create(rewriter, op.getLoc(), product, factor,
                                      arith::IntegerOverflowFlags::nsw);
    rewriter.replaceOp(op, product);
    return success();
  }
};

/// Turns `x * z + y * z` into `(x + y) * z`, and `x * z + z` into `(x + 1) *
/// z`, unless `z` is a number; differences likewise.
template <typename OpTy>
struct TakeOutFactor : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isIndexInteger(op.getType()) || !op.hasNoSignedWrap())
      return failure();
    Value lhs = op.getLhs(), rhs = op.getRhs();
    arith::MulIOp left = getSymbolicProduct(lhs),
                  right = getSymbolicProduct(rhs);
    Value factor, x, y;
    if (left && right && left.getRhs() == right.getRhs()) {
      factor = left.getRhs();
      x = left.getLhs();
      y = right.getLhs();
    } else if (Value rest = getOtherFactor(lhs, rhs)) {
      factor = rhs;
      x = rest;
      y = createOne(rewriter, op);
    } else if (Value rest = getOtherFactor(rhs, lhs)) {
      factor = lhs;
      x = createOne(rewriter, op);
      y = rest;
    } else {
      return failure();
    }
    auto nsw = arith::IntegerOverflowFlags::nsw;
    Value sum = OpTy::create(rewriter, op.getLoc(), x, y, nsw);
    rewriter.replaceOpWithNewOp<arith::MulIOp>(op, sum, factor, nsw);
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
} // namespace

void tir::populateProductPatterns(RewritePatternSet &set,
                                  PatternBenefit benefit) {
  set.add<AssociateProduct, TakeOutFactor<arith::AddIOp>,
          TakeOutFactor<arith::SubIOp>, DivideProduct<arith::FloorDivSIOp>,
          DivideProduct<PrimOp>>(set.getContext(), benefit);
}
