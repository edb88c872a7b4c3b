//===- ScalarLowering.cpp - Numbers with TVM's operators ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarLowering.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita;

/// Remainders that are not negative.
static Value createMod(ImplicitLocOpBuilder &builder, Value a, Value b) {
  return tir::PrimOp::create(builder, a.getType(), "FloorMod",
                             ValueRange{a, b});
}

/// Computes an affine expression with TVM's operators, which round as affine
/// maps do. `operands` are the dimensions, and the symbols from `numDims` on.
static Value lower(ImplicitLocOpBuilder &builder, AffineExpr expr,
                   unsigned numDims, ValueRange operands) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value a = lower(builder, binary.getLHS(), numDims, operands),
        b = lower(builder, binary.getRHS(), numDims, operands);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return builder.createOrFold<arith::AddIOp>(a, b);
  case AffineExprKind::Mul:
    return builder.createOrFold<arith::MulIOp>(a, b);
  case AffineExprKind::FloorDiv:
    return builder.createOrFold<arith::FloorDivSIOp>(a, b);
  case AffineExprKind::CeilDiv:
    return builder.createOrFold<arith::CeilDivSIOp>(a, b);
  default:
    return createMod(builder, a, b);
  }
}

static Value lower(ImplicitLocOpBuilder &builder,
                   affine::AffineLinearizeIndexOp op) {
  SmallVector<OpFoldResult> basis = op.getMixedBasis();
  ValueRange indices = op.getMultiIndex();
  // The first index may have no bound.
  size_t unbound = indices.size() - basis.size();
  Value linear = arith::ConstantIndexOp::create(builder, 0);
  for (auto [number, index] : llvm::enumerate(indices)) {
    if (number > 0) {
      Value size = getValueOrCreateConstantIndexOp(builder, builder.getLoc(),
                                                   basis[number - unbound]);
      linear = builder.createOrFold<arith::MulIOp>(linear, size);
    }
    linear = builder.createOrFold<arith::AddIOp>(linear, index);
  }
  return linear;
}

static SmallVector<Value> lower(ImplicitLocOpBuilder &builder,
                                affine::AffineDelinearizeIndexOp op) {
  SmallVector<OpFoldResult> basis = op.getMixedBasis();
  SmallVector<Value> indices(op.getNumResults());
  size_t unbound = indices.size() - basis.size();
  Value linear = op.getLinearIndex();
  for (size_t number = indices.size(); number-- > 1;) {
    Value size = getValueOrCreateConstantIndexOp(builder, builder.getLoc(),
                                                 basis[number - unbound]);
    if (isConstantIntValue(basis[number - unbound], 1)) {
      indices[number] = arith::ConstantIndexOp::create(builder, 0);
      continue;
    }
    indices[number] = createMod(builder, linear, size);
    linear = arith::FloorDivSIOp::create(builder, linear, size);
  }
  indices.front() = linear;
  return indices;
}

static Value createIsNaN(ImplicitLocOpBuilder &builder, Value x) {
  return tir::CallIntrinOp::create(builder, builder.getI1Type(),
                                   /*is_pure=*/true, "tirx.isnan", x,
                                   /*node_attrs=*/{})
      .getResult();
}

/// Comparisons that TVM lacks, and tests for NaN, which TVM's simplifier would
/// decide as if there were none: for it, x == x holds, and so does
/// !(a < b) == (a >= b).
static Value lower(ImplicitLocOpBuilder &builder, arith::CmpFOp op) {
  using Predicate = arith::CmpFPredicate;
  Value a = op.getLhs(), b = op.getRhs();
  auto compare = [&](Predicate predicate) -> Value {
    return arith::CmpFOp::create(builder, predicate, a, b);
  };
  auto either = [&](Value x, Value y) -> Value {
    return arith::OrIOp::create(builder, x, y);
  };
  auto negate = [&](Value x) -> Value {
    return arith::XOrIOp::create(builder, x,
                                 arith::ConstantIntOp::create(builder, 1, 1));
  };
  auto isUnordered = [&] {
    return a == b ? createIsNaN(builder, a)
                  : either(createIsNaN(builder, a), createIsNaN(builder, b));
  };
  switch (op.getPredicate()) {
  case Predicate::UNO:
    return isUnordered();
  case Predicate::ORD:
    return negate(isUnordered());
  case Predicate::UNE:
    return a == b ? isUnordered() : Value();
  case Predicate::OEQ:
    return a == b ? negate(isUnordered()) : Value();
  case Predicate::ONE:
    return either(compare(Predicate::OLT), compare(Predicate::OGT));
  case Predicate::UEQ:
    return either(isUnordered(), compare(Predicate::OEQ));
  case Predicate::ULT:
    return either(isUnordered(), compare(Predicate::OLT));
  case Predicate::ULE:
    return either(isUnordered(), compare(Predicate::OLE));
  case Predicate::UGT:
    return either(isUnordered(), compare(Predicate::OGT));
  case Predicate::UGE:
    return either(isUnordered(), compare(Predicate::OGE));
  default:
    return {};
  }
}

/// `x > c ? x : c` and `x < c ? x : c`, which use x once as TVM's operators.
/// TVM 0.27 names what is used twice, and fails if this is a product of a
/// loop's variable and a variable.
static Value lower(ImplicitLocOpBuilder &builder, arith::SelectOp op) {
  auto compare = op.getCondition().getDefiningOp<arith::CmpFOp>();
  Value x = op.getTrueValue(), c = op.getFalseValue();
  if (!compare || !matchPattern(c, m_Constant()))
    return {};
  auto compares = [&](Value lhs, Value rhs, arith::CmpFPredicate predicate) {
    return compare.getLhs() == lhs && compare.getRhs() == rhs &&
           compare.getPredicate() == predicate;
  };
  using Predicate = arith::CmpFPredicate;
  if (compares(x, c, Predicate::OGT) || compares(c, x, Predicate::OLT))
    return tir::PrimOp::create(builder, op.getType(), "Max", {x, c});
  if (compares(x, c, Predicate::OLT) || compares(c, x, Predicate::OGT))
    return tir::PrimOp::create(builder, op.getType(), "Min", {x, c});
  return {};
}

/// The value of an op that TVM lacks; null for other ops.
static Value lower(ImplicitLocOpBuilder &builder, Operation *op) {
  auto createPrim = [&](StringRef kind) -> Value {
    return tir::PrimOp::create(builder, op->getResult(0).getType(), kind,
                               op->getOperands());
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](affine::AffineApplyOp op) {
        AffineMap map = op.getAffineMap();
        return lower(builder, map.getResult(0), map.getNumDims(),
                     op.getMapOperands());
      })
      .Case(
          [&](affine::AffineLinearizeIndexOp op) { return lower(builder, op); })
      .Case([&](arith::CmpFOp op) { return lower(builder, op); })
      // Indices are not negative.
      .Case([&](arith::DivUIOp op) -> Value {
        if (!op.getType().isIndex())
          return {};
        return arith::FloorDivSIOp::create(builder, op.getLhs(), op.getRhs());
      })
      .Case([&](arith::RemUIOp op) {
        return op.getType().isIndex()
                   ? createMod(builder, op.getLhs(), op.getRhs())
                   : Value();
      })
      .Case([&](arith::SelectOp op) { return lower(builder, op); })
      .Case<arith::MaximumFOp>([&](auto) { return createPrim("Max"); })
      .Case<arith::MinimumFOp>([&](auto) { return createPrim("Min"); })
      .Case([&](arith::NegFOp op) {
        // As TVM writes it: 0 - x has another sign for 0.
        Value minusOne = arith::ConstantOp::create(
            builder, builder.getFloatAttr(op.getType(), -1));
        return arith::MulFOp::create(builder, op.getOperand(), minusOne);
      })
      .Case([&](math::AbsIOp op) {
        Value zero = arith::ConstantOp::create(
            builder, builder.getZeroAttr(op.getType()));
        Value isNegative = arith::CmpIOp::create(
            builder, arith::CmpIPredicate::slt, op.getOperand(), zero);
        Value negative = arith::SubIOp::create(builder, zero, op.getOperand());
        return arith::SelectOp::create(builder, isNegative, negative,
                                       op.getOperand());
      })
      .Case([&](arith::BitcastOp op) {
        return tir::CallIntrinOp::create(builder, op.getType(),
                                         /*is_pure=*/true, "tirx.reinterpret",
                                         op.getOperand(), /*node_attrs=*/{})
            .getResult();
      })
      .Case([&](UnrealizedConversionCastOp op) -> Value {
        // An integer with or without a sign.
        if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
            !isa<IntegerType>(op.getOperand(0).getType()) ||
            !isa<IntegerType>(op.getType(0)))
          return {};
        APInt number;
        if (op.getType(0).isUnsignedInteger() &&
            matchPattern(op.getOperand(0), m_ConstantInt(&number)))
          return tir::ConstantOp::create(
              builder, op.getType(0),
              builder.getIntegerAttr(op.getType(0), number));
        return createPrim("Cast");
      })
      .Default(Value());
}

void partita::lowerScalars(tir::PrimFuncOp func) {
  func.walk([](Operation *op) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    if (auto split = dyn_cast<affine::AffineDelinearizeIndexOp>(op)) {
      op->replaceAllUsesWith(lower(builder, split));
      op->erase();
    } else if (Value value = lower(builder, op)) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  });
}
