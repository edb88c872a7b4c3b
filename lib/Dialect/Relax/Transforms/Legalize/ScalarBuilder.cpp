//===- ScalarBuilder.cpp - Arithmetic on numbers of a dtype ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/Transforms/KernelBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita::relax;

Type ScalarBuilder::getComputeType(Type elementType) {
  if (auto type = dyn_cast<FloatType>(elementType))
    return type.getWidth() < 32 ? Float32Type::get(type.getContext())
                                : elementType;
  if (elementType.isUnsignedInteger())
    return IntegerType::get(elementType.getContext(),
                            elementType.getIntOrFloatBitWidth());
  return elementType;
}

Value ScalarBuilder::load(Value element) {
  if (element.getType() == type)
    return element;
  if (isFloat())
    return arith::ExtFOp::create(*this, type, element);
  return UnrealizedConversionCastOp::create(*this, type, element).getResult(0);
}

Value ScalarBuilder::store(Value number) {
  if (elementType == type)
    return number;
  if (isFloat())
    return arith::TruncFOp::create(*this, elementType, number);
  return UnrealizedConversionCastOp::create(*this, elementType, number)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value ScalarBuilder::number(double value) {
  if (isFloat())
    return arith::ConstantOp::create(*this, FloatAttr::get(type, value));
  return integer(int64_t(value));
}

Value ScalarBuilder::integer(int64_t value) {
  if (isFloat())
    return number(double(value));
  APInt bits = APInt(64, value, /*isSigned=*/true)
                   .sextOrTrunc(type.getIntOrFloatBitWidth());
  return arith::ConstantOp::create(*this, IntegerAttr::get(type, bits));
}

Value ScalarBuilder::constant(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat bits = number.getValue();
    bool isRounded;
    bits.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &isRounded);
    return arith::ConstantOp::create(*this, FloatAttr::get(type, bits));
  }
  return arith::ConstantOp::create(
      *this, IntegerAttr::get(type, cast<IntegerAttr>(value).getValue()));
}

Value ScalarBuilder::least() {
  if (auto floatType = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(
        *this,
        FloatAttr::get(floatType, APFloat::getInf(floatType.getFloatSemantics(),
                                                  /*Negative=*/true)));
  unsigned width = type.getIntOrFloatBitWidth();
  return arith::ConstantOp::create(
      *this,
      IntegerAttr::get(type, isUnsigned() ? APInt::getMinValue(width)
                                          : APInt::getSignedMinValue(width)));
}

Value ScalarBuilder::most() {
  if (auto floatType = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(
        *this, FloatAttr::get(floatType,
                              APFloat::getInf(floatType.getFloatSemantics())));
  unsigned width = type.getIntOrFloatBitWidth();
  return arith::ConstantOp::create(
      *this,
      IntegerAttr::get(type, isUnsigned() ? APInt::getMaxValue(width)
                                          : APInt::getSignedMaxValue(width)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ScalarBuilder::add(Value a, Value b) {
  if (isFloat())
    return arith::AddFOp::create(*this, a, b);
  return arith::AddIOp::create(*this, a, b);
}

Value ScalarBuilder::subtract(Value a, Value b) {
  if (isFloat())
    return arith::SubFOp::create(*this, a, b);
  return arith::SubIOp::create(*this, a, b);
}

Value ScalarBuilder::multiply(Value a, Value b) {
  if (isFloat())
    return arith::MulFOp::create(*this, a, b);
  // TVM does not multiply them.
  if (isBool())
    return bitAnd(a, b);
  return arith::MulIOp::create(*this, a, b);
}

Value ScalarBuilder::makeDivisor(Value b) {
  Value cannot = isZero(b);
  // The least integer divided by -1 is not one of the type.
  if (!isUnsigned())
    cannot = arith::OrIOp::create(*this, cannot, equal(b, integer(-1)));
  return select(cannot, integer(1), b);
}

Value ScalarBuilder::divide(Value a, Value b) {
  if (isFloat())
    return arith::DivFOp::create(*this, a, b);
  Value divisor = makeDivisor(b), quotient;
  if (isUnsigned())
    quotient = arith::DivUIOp::create(*this, a, divisor);
  else
    quotient = select(equal(b, integer(-1)), negate(a),
                      arith::DivSIOp::create(*this, a, divisor));
  return select(isZero(b), integer(0), quotient);
}

Value ScalarBuilder::modulo(Value a, Value b) {
  if (isFloat())
    return arith::RemFOp::create(*this, a, b);
  Value divisor = makeDivisor(b);
  if (isUnsigned())
    return arith::RemUIOp::create(*this, a, divisor);
  return arith::RemSIOp::create(*this, a, divisor);
}

Value ScalarBuilder::average(Value a, Value b) {
  Value sum = add(a, b);
  return divide(sum, integer(2));
}

Value ScalarBuilder::floorDivide(Value a, Value b) {
  Value quotient = divide(a, b);
  if (isFloat())
    return math::FloorOp::create(*this, quotient);
  if (isUnsigned())
    return quotient;
  Value rest = modulo(a, b);
  Value isRounded = arith::AndIOp::create(
      *this, notEqual(rest, integer(0)),
      less(arith::XOrIOp::create(*this, rest, b), integer(0)));
  return select(isRounded, subtract(quotient, integer(1)), quotient);
}

Value ScalarBuilder::floorModulo(Value a, Value b) {
  if (isFloat())
    return subtract(a, multiply(floorDivide(a, b), b));
  Value rest = modulo(a, b);
  if (isUnsigned())
    return rest;
  Value isRounded = arith::AndIOp::create(
      *this, notEqual(rest, integer(0)),
      less(arith::XOrIOp::create(*this, rest, b), integer(0)));
  return select(isRounded, add(rest, b), rest);
}

Value ScalarBuilder::maximum(Value a, Value b) {
  if (isFloat())
    return arith::MaximumFOp::create(*this, a, b);
  if (isUnsigned())
    return arith::MaxUIOp::create(*this, a, b);
  return arith::MaxSIOp::create(*this, a, b);
}

Value ScalarBuilder::minimum(Value a, Value b) {
  if (isFloat())
    return arith::MinimumFOp::create(*this, a, b);
  if (isUnsigned())
    return arith::MinUIOp::create(*this, a, b);
  return arith::MinSIOp::create(*this, a, b);
}

Value ScalarBuilder::negate(Value a) {
  if (isFloat())
    return arith::NegFOp::create(*this, a);
  return arith::SubIOp::create(*this, integer(0), a);
}

Value ScalarBuilder::absolute(Value a) {
  if (isFloat())
    return math::AbsFOp::create(*this, a);
  return isUnsigned() ? a : Value(math::AbsIOp::create(*this, a));
}

Value ScalarBuilder::sign(Value a) {
  Value zero = integer(0), one = integer(1);
  Value positive = select(greater(a, zero), one, zero);
  return isUnsigned() ? positive : select(less(a, zero), integer(-1), positive);
}

Value ScalarBuilder::sigmoid(Value a) {
  Value one = number(1);
  return divide(one, add(one, math::ExpOp::create(*this, negate(a))));
}

Value ScalarBuilder::gelu(Value a) {
  Value erf =
      math::ErfOp::create(*this, multiply(a, number(llvm::numbers::inv_sqrt2)));
  return multiply(multiply(a, number(0.5)), add(number(1), erf));
}

Value ScalarBuilder::logAddExp(Value a, Value b) {
  Value larger = maximum(a, b);
  Value distance = absolute(subtract(a, b));
  Value sum =
      add(larger, math::Log1pOp::create(
                      *this, math::ExpOp::create(*this, negate(distance))));
  return select(isInfinite(larger), larger, sum);
}

Value ScalarBuilder::shiftLeft(Value a, Value b) {
  return arith::ShLIOp::create(*this, a, b);
}

Value ScalarBuilder::shiftRight(Value a, Value b) {
  if (isUnsigned())
    return arith::ShRUIOp::create(*this, a, b);
  return arith::ShRSIOp::create(*this, a, b);
}

Value ScalarBuilder::bitAnd(Value a, Value b) {
  return arith::AndIOp::create(*this, a, b);
}

Value ScalarBuilder::bitOr(Value a, Value b) {
  return arith::OrIOp::create(*this, a, b);
}

Value ScalarBuilder::bitXor(Value a, Value b) {
  return arith::XOrIOp::create(*this, a, b);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

Value ScalarBuilder::equal(Value a, Value b) {
  if (isFloat())
    return arith::CmpFOp::create(*this, arith::CmpFPredicate::OEQ, a, b);
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, a, b);
}

Value ScalarBuilder::notEqual(Value a, Value b) {
  if (isFloat())
    return arith::CmpFOp::create(*this, arith::CmpFPredicate::UNE, a, b);
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::ne, a, b);
}

Value ScalarBuilder::less(Value a, Value b) {
  if (isFloat())
    return arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, a, b);
  return arith::CmpIOp::create(*this,
                               isUnsigned() ? arith::CmpIPredicate::ult
                                            : arith::CmpIPredicate::slt,
                               a, b);
}

Value ScalarBuilder::lessEqual(Value a, Value b) {
  if (isFloat())
    return arith::CmpFOp::create(*this, arith::CmpFPredicate::OLE, a, b);
  return arith::CmpIOp::create(*this,
                               isUnsigned() ? arith::CmpIPredicate::ule
                                            : arith::CmpIPredicate::sle,
                               a, b);
}

Value ScalarBuilder::isFinite(Value a) {
  return isFloat() ? less(absolute(a), most()) : equal(a, a);
}

Value ScalarBuilder::isInfinite(Value a) {
  return isFloat() ? equal(absolute(a), most()) : notEqual(a, a);
}

Value ScalarBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(*this, condition, a, b);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// A double as a float, rounded to odd where it lies between two floats: so
/// that a float of 16 bits which it is rounded to is rounded once.
static Value narrowToOdd(ScalarBuilder &s, Value number) {
  Value nearest = arith::TruncFOp::create(s, s.getF32Type(), number);
  Value back = arith::ExtFOp::create(s, number.getType(), nearest);
  auto asInteger = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::ExtUIOp::create(s, s.getI32Type(),
                                  arith::CmpFOp::create(s, predicate, a, b));
  };
  Value isInexact = asInteger(arith::CmpFPredicate::ONE, back, number);
  Value farthest = math::AbsFOp::create(s, back);
  Value isAway = asInteger(arith::CmpFPredicate::OGT, farthest,
                           math::AbsFOp::create(s, number));
  Value bits = arith::BitcastOp::create(s, s.getI32Type(), nearest);
  bits = arith::SubIOp::create(s, bits, isAway);
  bits = arith::OrIOp::create(s, bits, isInexact);
  return arith::BitcastOp::create(s, s.getF32Type(), bits);
}

Value ScalarBuilder::convert(Value number, Type toElementType) {
  ScalarBuilder to(getLoc(), *this, toElementType);
  if (to.isBool())
    return isBool() ? number : notEqual(number, integer(0));
  if (type == to.type)
    return number;
  unsigned width = type.getIntOrFloatBitWidth(),
           toWidth = to.type.getIntOrFloatBitWidth();
  if (isFloat() && to.isFloat()) {
    if (width < toWidth)
      return arith::ExtFOp::create(*this, to.type, number);
    if (to.type != toElementType)
      return narrowToOdd(*this, number);
    return arith::TruncFOp::create(*this, to.type, number);
  }
  if (isFloat()) {
    if (to.isUnsigned())
      return arith::FPToUIOp::create(*this, to.type, number);
    return arith::FPToSIOp::create(*this, to.type, number);
  }
  if (to.isFloat()) {
    if (isUnsigned())
      return arith::UIToFPOp::create(*this, to.type, number);
    return arith::SIToFPOp::create(*this, to.type, number);
  }
  if (width > toWidth)
    return arith::TruncIOp::create(*this, to.type, number);
  if (isUnsigned())
    return arith::ExtUIOp::create(*this, to.type, number);
  return arith::ExtSIOp::create(*this, to.type, number);
}

Value ScalarBuilder::fromIndex(Value index) {
  Value number = arith::IndexCastOp::create(*this, getI64Type(), index);
  return ScalarBuilder(getLoc(), *this, getI64Type())
      .convert(number, elementType);
}

Value ScalarBuilder::toIndex(Value number) {
  Value integer = convert(number, getI64Type());
  return arith::IndexCastOp::create(*this, getIndexType(), integer);
}

Value ScalarBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}
