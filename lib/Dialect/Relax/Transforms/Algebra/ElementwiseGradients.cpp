//===- ElementwiseGradients.cpp - Gradients of elementwise ops ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradients.h"

using namespace mlir;
using namespace partita::relax;

/// Of ops whose results do not change with the operands, bit by bit.
template <typename OpT>
static LogicalResult getNoGradient(OpT op, GradientBuilder &,
                                   Partials &partials) {
  partials.resize(op->getNumOperands());
  return success();
}

/// Adds the gradient of operand `index` of a broadcasting op; none of a number.
template <typename Fn>
static void addFitted(GradientBuilder &b, Partials &partials, unsigned index,
                      Fn build) {
  Value like = b.operands[index];
  if (!TensorInfo::get(like.getType()))
    return partials.push_back(nullptr);
  addPartial(partials, [&b, build, like] { return b.fit(build(), like); });
}

static LogicalResult getAddGradient(AddOp, GradientBuilder &b,
                                    Partials &partials) {
  for (unsigned index : {0, 1})
    addFitted(b, partials, index, [&b] { return b.getGradient(); });
  return success();
}

static LogicalResult getSubtractGradient(SubtractOp, GradientBuilder &b,
                                         Partials &partials) {
  addFitted(b, partials, 0, [&b] { return b.getGradient(); });
  addFitted(b, partials, 1,
            [&b] { return b.make<NegativeOp>(b.getGradient()); });
  return success();
}

static LogicalResult getMultiplyGradient(MultiplyOp, GradientBuilder &b,
                                         Partials &partials) {
  for (unsigned index : {0, 1})
    addFitted(b, partials, index, [&b, index] {
      return b.make<MultiplyOp>(b.getGradient(), b.operands[1 - index]);
    });
  return success();
}

static LogicalResult getDivideGradient(DivideOp, GradientBuilder &b,
                                       Partials &partials) {
  Value negative = b.make<NegativeOp>(b.getGradient());
  Value product = b.make<MultiplyOp>(negative, b.getResult());
  addFitted(b, partials, 0,
            [&b] { return b.make<DivideOp>(b.getGradient(), b.operands[1]); });
  addFitted(b, partials, 1,
            [&b, product] { return b.make<DivideOp>(product, b.operands[1]); });
  return success();
}

static LogicalResult getPowerGradient(PowerOp, GradientBuilder &b,
                                      Partials &partials) {
  Value x = b.operands[0], y = b.operands[1];
  if (!TensorInfo::get(x.getType()) || !TensorInfo::get(y.getType()))
    return failure();
  Value scaled = b.make<MultiplyOp>(b.getGradient(), y);
  Value less = b.make<SubtractOp>(y, b.makeScalar(y, 1));
  Value power = b.make<PowerOp>(x, less);
  Value product = b.make<MultiplyOp>(b.getGradient(), b.getResult());
  Value log = b.make<LogOp>(x);
  addFitted(b, partials, 0,
            [&b, scaled, power] { return b.make<MultiplyOp>(scaled, power); });
  addFitted(b, partials, 1,
            [&b, product, log] { return b.make<MultiplyOp>(product, log); });
  return success();
}

/// Of the larger or the smaller one, which gets the gradient.
template <typename OpT>
static LogicalResult getExtremumGradient(OpT, GradientBuilder &b,
                                         Partials &partials) {
  constexpr bool isMax = std::is_same_v<OpT, MaximumOp>;
  Value x = b.operands[0], y = b.operands[1];
  if (!TensorInfo::get(x.getType()) || !TensorInfo::get(y.getType()))
    return failure();
  Value zero = b.makeScalar(x, 0);
  auto compareLess = [&] { return b.make<LessOp>(x, y); };
  auto compareRest = [&] { return b.make<GreaterEqualOp>(x, y); };
  Value first = isMax ? compareLess() : compareRest();
  Value second = isMax ? compareRest() : compareLess();
  for (unsigned index : {0, 1}) {
    Value isOther = index == 0 ? first : second;
    addFitted(b, partials, index, [&b, isOther, zero] {
      return b.make<WhereOp>(isOther, zero, b.getGradient());
    });
  }
  return success();
}

static LogicalResult getWhereGradient(WhereOp, GradientBuilder &b,
                                      Partials &partials) {
  partials.push_back(nullptr);
  Value condition = b.operands[0];
  addPartial(partials, [&b, condition] {
    return b.make<WhereOp>(condition, b.getGradient(),
                           b.makeScalar(b.operands[1], 0));
  });
  addPartial(partials, [&b, condition] {
    return b.make<WhereOp>(condition, b.makeScalar(b.operands[2], 0),
                           b.getGradient());
  });
  return success();
}

/// Of an op of one operand: `build` gets the builder, the operand, the result
/// and its gradient.
template <auto build, typename OpT>
static LogicalResult getUnaryGradient(OpT, GradientBuilder &b,
                                      Partials &partials) {
  addPartial(partials, [&b] {
    return build(b, b.operands[0], b.getResult(), b.getGradient());
  });
  return success();
}

template <auto build, typename... OpTs>
static void attachUnary(MLIRContext *context) {
  (attachGradient<getUnaryGradient<build, OpTs>, OpTs>(context), ...);
}

static Value buildAbs(GradientBuilder &b, Value x, Value, Value gradient) {
  Value isNegative = b.make<LessOp>(x, b.makeScalar(x, 0));
  Value minusOne = b.make<NegativeOp>(b.makeScalar(x, 1));
  Value sign = b.make<WhereOp>(isNegative, minusOne, b.makeScalar(x, 1));
  return b.make<MultiplyOp>(gradient, sign);
}

static Value buildCos(GradientBuilder &b, Value x, Value, Value gradient) {
  Value negative = b.make<NegativeOp>(gradient);
  return b.make<MultiplyOp>(negative, b.make<SinOp>(x));
}

static Value buildExp(GradientBuilder &b, Value, Value y, Value gradient) {
  return b.make<MultiplyOp>(gradient, y);
}

static Value buildLog(GradientBuilder &b, Value x, Value, Value gradient) {
  return b.make<DivideOp>(gradient, x);
}

static Value buildNegative(GradientBuilder &b, Value, Value, Value gradient) {
  return b.make<NegativeOp>(gradient);
}

static Value buildSigmoid(GradientBuilder &b, Value x, Value y,
                          Value gradient) {
  Value scaled = b.make<MultiplyOp>(gradient, y);
  return b.make<MultiplyOp>(scaled, b.make<SubtractOp>(b.makeScalar(x, 1), y));
}

static Value buildSin(GradientBuilder &b, Value x, Value, Value gradient) {
  return b.make<MultiplyOp>(gradient, b.make<CosOp>(x));
}

static Value buildSqrt(GradientBuilder &b, Value x, Value y, Value gradient) {
  Value half = b.make<MultiplyOp>(b.makeScalar(x, 0.5), gradient);
  return b.make<DivideOp>(half, y);
}

static Value buildTanh(GradientBuilder &b, Value x, Value y, Value gradient) {
  Value square = b.make<MultiplyOp>(y, y);
  return b.make<MultiplyOp>(gradient,
                            b.make<SubtractOp>(b.makeScalar(x, 1), square));
}

static Value buildRelu(GradientBuilder &b, Value x, Value, Value gradient) {
  Value zero = b.makeScalar(x, 0);
  return b.make<WhereOp>(b.make<LessOp>(x, zero), zero, gradient);
}

static Value buildSilu(GradientBuilder &b, Value x, Value y, Value gradient) {
  Value sigmoid = b.make<SigmoidOp>(x);
  Value rest = b.make<SubtractOp>(b.makeScalar(x, 1), sigmoid);
  Value sum = b.make<AddOp>(sigmoid, b.make<MultiplyOp>(y, rest));
  return b.make<MultiplyOp>(gradient, sum);
}

static Value buildAstype(GradientBuilder &b, Value x, Value, Value gradient) {
  return b.make<AstypeOp>(
      gradient, TypeAttr::get(TensorInfo::get(x.getType())->elementType));
}

void partita::relax::attachElementwiseGradients(MLIRContext *context) {
  attachGradient<getAddGradient, AddOp>(context);
  attachGradient<getSubtractGradient, SubtractOp>(context);
  attachGradient<getMultiplyGradient, MultiplyOp>(context);
  attachGradient<getDivideGradient, DivideOp>(context);
  attachGradient<getPowerGradient, PowerOp>(context);
  attachGradient<getExtremumGradient<MaximumOp>, MaximumOp>(context);
  attachGradient<getExtremumGradient<MinimumOp>, MinimumOp>(context);
  attachGradient<getWhereGradient, WhereOp>(context);
  attachGradient<getNoGradient<Operation *>, EqualOp, FullLikeOp, FullOp,
                 GreaterEqualOp, GreaterOp, LessEqualOp, LessOp, NotEqualOp,
                 OnesLikeOp, OnesOp, ZerosLikeOp, ZerosOp>(context);
  attachUnary<buildAbs, AbsOp>(context);
  attachUnary<buildAstype, AstypeOp>(context);
  attachUnary<buildCos, CosOp>(context);
  attachUnary<buildExp, ExpOp>(context);
  attachUnary<buildLog, LogOp>(context);
  attachUnary<buildNegative, NegativeOp>(context);
  attachUnary<buildRelu, ReluOp>(context);
  attachUnary<buildSigmoid, SigmoidOp>(context);
  attachUnary<buildSilu, SiluOp>(context);
  attachUnary<buildSin, SinOp>(context);
  attachUnary<buildSqrt, SqrtOp>(context);
  attachUnary<buildTanh, TanhOp>(context);
}
