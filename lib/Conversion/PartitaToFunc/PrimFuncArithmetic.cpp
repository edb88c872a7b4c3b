//===- PrimFuncArithmetic.cpp - Lower arithmetic of a tir.prim_func -------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrimFuncArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

/// `element`, or a vector of as many as `type` has.
static Type getSameShape(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.clone(getElementTypeOrSelf(element))
                : getElementTypeOrSelf(element);
}

static Type getSignless(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer ? getSameShape(type, IntegerType::get(type.getContext(),
                                                       integer.getWidth()))
                 : type;
}

Value PrimFuncArithmetic::toSignless(Value value) {
  return toType(value, getSignless(value.getType()));
}

Value PrimFuncArithmetic::toType(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(builder, type, value).getResult(0);
}

Value PrimFuncArithmetic::toIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(builder, builder.getIndexType(),
                                    toSignless(value));
}

Value PrimFuncArithmetic::getLane(Value value, int64_t lane) {
  return isa<VectorType>(value.getType())
             ? vector::ExtractOp::create(builder, value, lane).getResult()
             : value;
}

/// The number, or a vector of it.
Value PrimFuncArithmetic::makeNumber(Type type, double number) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr value = isa<FloatType>(element)
                        ? TypedAttr(builder.getFloatAttr(element, number))
                        : builder.getIntegerAttr(element, int64_t(number));
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(builder, value);
}

Value PrimFuncArithmetic::lowerInteger(StringRef kind, Value a, Value b,
                                       bool isUnsigned) {
  using Predicate = arith::CmpIPredicate;
  auto predicate = llvm::StringSwitch<std::optional<Predicate>>(kind)
                       .Case("EQ", Predicate::eq)
                       .Case("NE", Predicate::ne)
                       .Case("LT", isUnsigned ? Predicate::ult : Predicate::slt)
                       .Case("LE", isUnsigned ? Predicate::ule : Predicate::sle)
                       .Case("GT", isUnsigned ? Predicate::ugt : Predicate::sgt)
                       .Case("GE", isUnsigned ? Predicate::uge : Predicate::sge)
                       .Default(std::nullopt);
  if (predicate)
    return arith::CmpIOp::create(builder, *predicate, a, b);
  if (kind == "FloorMod" && !isUnsigned) {
    // The remainder has the sign of the divisor.
    Value remainder = arith::RemSIOp::create(builder, a, b);
    Value zero =
        arith::ConstantOp::create(builder, builder.getZeroAttr(a.getType()));
    Value isZero =
        arith::CmpIOp::create(builder, Predicate::eq, remainder, zero);
    Value differs = arith::CmpIOp::create(
        builder, Predicate::slt, arith::XOrIOp::create(builder, remainder, b),
        zero);
    Value sum = arith::AddIOp::create(builder, remainder, b);
    Value same = arith::SelectOp::create(builder, differs, sum, remainder);
    return arith::SelectOp::create(builder, isZero, zero, same);
  }
  StringRef name =
      llvm::StringSwitch<StringRef>(kind)
          .Case("Add", "arith.addi")
          .Case("Sub", "arith.subi")
          .Case("Mul", "arith.muli")
          .Case("Div", isUnsigned ? "arith.divui" : "arith.divsi")
          .Case("FloorDiv", isUnsigned ? "arith.divui" : "arith.floordivsi")
          .Cases({"Mod", "FloorMod"},
                 isUnsigned ? "arith.remui" : "arith.remsi")
          .Case("Max", isUnsigned ? "arith.maxui" : "arith.maxsi")
          .Case("Min", isUnsigned ? "arith.minui" : "arith.minsi")
          .Cases({"And", "BitwiseAnd"}, "arith.andi")
          .Cases({"Or", "BitwiseOr"}, "arith.ori")
          .Case("BitwiseXor", "arith.xori")
          .Case("LShift", "arith.shli")
          .Case("RShift", isUnsigned ? "arith.shrui" : "arith.shrsi")
          .Default("");
  if (name.empty())
    return {};
  return builder
      .create(builder.getLoc(), builder.getStringAttr(name), ValueRange{a, b},
              a.getType())
      ->getResult(0);
}

Value PrimFuncArithmetic::lowerFloat(StringRef kind, Value a, Value b) {
  using Predicate = arith::CmpFPredicate;
  auto predicate = llvm::StringSwitch<std::optional<Predicate>>(kind)
                       .Case("EQ", Predicate::OEQ)
                       .Case("NE", Predicate::UNE)
                       .Case("LT", Predicate::OLT)
                       .Case("LE", Predicate::OLE)
                       .Cases({"GT", "Max"}, Predicate::OGT)
                       .Case("GE", Predicate::OGE)
                       .Case("Min", Predicate::OLT)
                       .Default(std::nullopt);
  if (predicate) {
    Value compared = arith::CmpFOp::create(builder, *predicate, a, b);
    // As TVM's code has it, also for NaN.
    if (kind == "Max" || kind == "Min")
      return arith::SelectOp::create(builder, compared, a, b);
    return compared;
  }
  if (kind == "Add")
    return arith::AddFOp::create(builder, a, b);
  if (kind == "Sub")
    return arith::SubFOp::create(builder, a, b);
  if (kind == "Mul")
    return arith::MulFOp::create(builder, a, b);
  if (kind == "Div")
    return arith::DivFOp::create(builder, a, b);
  return {};
}

static unsigned getWidth(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

Value PrimFuncArithmetic::lowerCast(Value value, Type from, Type to) {
  Value number = toSignless(value);
  Type type = getSignless(to), source = getElementTypeOrSelf(from),
       target = getElementTypeOrSelf(to);
  bool isFromUnsigned = source.isUnsignedInteger() || source.isInteger(1);
  if (!target.isIntOrFloat() || !source.isIntOrFloat())
    return {};
  if (isa<FloatType>(source) && isa<FloatType>(target)) {
    if (source == target)
      return number;
    if (getWidth(source) > getWidth(target))
      return arith::TruncFOp::create(builder, type, number);
    if (getWidth(source) < getWidth(target))
      return arith::ExtFOp::create(builder, type, number);
    // As wide, and with other exponents.
    Type wide = getSameShape(type, builder.getF32Type());
    if (getWidth(source) >= getWidth(wide))
      return {};
    return arith::TruncFOp::create(
        builder, type, arith::ExtFOp::create(builder, wide, number));
  }
  if (target.isInteger(1) && !source.isInteger(1)) {
    Value zero = makeNumber(number.getType(), 0);
    if (isa<FloatType>(source))
      return arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, number,
                                   zero);
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, number,
                                 zero);
  }
  if (isa<FloatType>(source)) {
    if (target.isUnsignedInteger())
      return arith::FPToUIOp::create(builder, type, number);
    return arith::FPToSIOp::create(builder, type, number);
  }
  if (isa<FloatType>(target)) {
    if (isFromUnsigned)
      return arith::UIToFPOp::create(builder, type, number);
    return arith::SIToFPOp::create(builder, type, number);
  }
  if (getWidth(source) > getWidth(target))
    return arith::TruncIOp::create(builder, type, number);
  if (getWidth(source) == getWidth(target))
    return number;
  if (isFromUnsigned)
    return arith::ExtUIOp::create(builder, type, number);
  return arith::ExtSIOp::create(builder, type, number);
}

/// Base, base plus stride, and so on.
Value PrimFuncArithmetic::lowerRamp(PrimOp op) {
  auto type = dyn_cast<VectorType>(getSignless(op.getType()));
  OperandRange args = op.getArgs();
  if (!type || args.size() != 3 || args[1].getType() != args[0].getType() ||
      getElementTypeOrSelf(op.getType()) != args[0].getType())
    return {};
  auto counts = llvm::map_to_vector(
      llvm::seq(type.getNumElements()), [&](int64_t lane) -> Attribute {
        return builder.getIntegerAttr(type.getElementType(), lane);
      });
  Value lanes =
      arith::ConstantOp::create(builder, DenseElementsAttr::get(type, counts));
  auto spread = [&](Value value) {
    return vector::BroadcastOp::create(builder, type, toSignless(value));
  };
  Value steps = arith::MulIOp::create(builder, spread(args[1]), lanes);
  return arith::AddIOp::create(builder, spread(args[0]), steps);
}

Value PrimFuncArithmetic::lower(tir::ConstantOp op) {
  Type type = getSignless(op.getType());
  TypedAttr value;
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    value = builder.getFloatAttr(type, number.getValueAsDouble());
  else if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    value = builder.getIntegerAttr(type, integer.getValue());
  return value ? arith::ConstantOp::create(builder, value) : Value();
}

/// Whether values of these types can be computed together.
static bool haveOneShape(TypeRange types) {
  return llvm::all_of(types, [&](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return getElementTypeOrSelf(type).isIntOrIndexOrFloat() &&
           !(vector && vector.isScalable()) &&
           getSameShape(type, types[0]) == types[0];
  });
}

Value PrimFuncArithmetic::lower(PrimOp op) {
  OperandRange args = op.getArgs();
  StringRef kind = op.getKind();
  Type result = op.getType();
  auto vector = dyn_cast<VectorType>(result);
  if (args.empty() || (vector && vector.isScalable()))
    return {};
  Type type = args[0].getType(), element = getElementTypeOrSelf(type);
  if (!element.isIntOrIndexOrFloat())
    return {};
  if (kind == "Ramp")
    return lowerRamp(op);
  if (kind == "Broadcast" && vector && type == vector.getElementType())
    return vector::BroadcastOp::create(builder, getSignless(vector),
                                       toSignless(args[0]));
  if (kind == "Cast" && haveOneShape({type, result}))
    return lowerCast(args.front(), type, result);
  if (kind == "Not" && element.isInteger(1))
    return arith::XOrIOp::create(builder, args.front(), makeNumber(type, 1));
  if (kind == "BitwiseNot" && isa<IntegerType>(element)) {
    Value bits = toSignless(args.front());
    return arith::XOrIOp::create(builder, bits, makeNumber(bits.getType(), -1));
  }
  if (kind == "Select" && args.size() == 3 && element.isInteger(1) &&
      args[1].getType() == args[2].getType() &&
      (type == element || haveOneShape({type, result})))
    return arith::SelectOp::create(builder, args[0], toSignless(args[1]),
                                   toSignless(args[2]));
  if (args.size() != 2 || args[1].getType() != type ||
      !haveOneShape({type, result}))
    return {};
  if (isa<FloatType>(element))
    return lowerFloat(kind, args[0], args[1]);
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  return lowerInteger(kind, toSignless(args[0]), toSignless(args[1]),
                      isUnsigned);
}

Value PrimFuncArithmetic::lower(ShuffleOp op) {
  SmallVector<Value> lanes, picked;
  for (Value each : op.getVectors()) {
    auto vector = dyn_cast<VectorType>(each.getType());
    if (vector && (vector.isScalable() || vector.getRank() != 1))
      return {};
    for (int64_t lane : llvm::seq(vector ? vector.getNumElements() : 1))
      lanes.push_back(getLane(toSignless(each), lane));
  }
  for (Value each : op.getIndices()) {
    std::optional<int64_t> index = getConstantIntValue(each);
    if (!index || *index < 0 || *index >= int64_t(lanes.size()))
      return {};
    picked.push_back(lanes[*index]);
  }
  auto type = dyn_cast<VectorType>(getSignless(op.getType()));
  if (!type)
    return picked.size() == 1 ? picked.front() : Value();
  if (type.getNumElements() != int64_t(picked.size()))
    return {};
  return vector::FromElementsOp::create(builder, type, picked);
}

/// The set bits of an integer, or the zeros before the first one.
Value PrimFuncArithmetic::countBits(CallIntrinOp op) {
  Value x = toSignless(op.getArgs().front());
  Value count = op.getIntrinsic() == "tirx.popcount"
                    ? math::CtPopOp::create(builder, x).getResult()
                    : math::CountLeadingZerosOp::create(builder, x);
  return lowerCast(count, count.getType(), op.getResult().getType());
}

/// Calls a function of C's library. As in TVM, bfloat16 is computed as float.
Value PrimFuncArithmetic::callLibrary(CallIntrinOp op) {
  StringRef name = op.getIntrinsic();
  Type type = op.getResult().getType();
  if (!llvm::is_contained({"tirx.hypot", "tirx.ldexp", "tirx.nextafter"},
                          name) ||
      op.getArgs().size() != 2 || op.getArgs()[0].getType() != type ||
      !(type.isBF16() || type.isF32() || type.isF64()))
    return {};
  Type number = type.isBF16() ? builder.getF32Type() : type;
  Value a = lowerCast(op.getArgs()[0], type, number), b = op.getArgs()[1];
  if (b.getType() == type)
    b = lowerCast(b, type, number);
  Type second = name == "tirx.ldexp" ? builder.getI32Type() : number;
  if (b.getType() != second)
    return {};
  std::string symbol = name.rsplit('.').second.str();
  if (number.isF32())
    symbol += 'f';
  func::FuncOp callee = module.getFunction(
      op.getLoc(), symbol, builder.getFunctionType({number, second}, number));
  Value result =
      func::CallOp::create(builder, callee, ValueRange{a, b}).getResult(0);
  return lowerCast(result, number, type);
}

/// x * y * 2^(s - q), or with the shifts of each axis, rounded. As in TVM, the
/// product has 64 bits, unless y means 0.5 and only shifts remain.
Value PrimFuncArithmetic::multiplyShift(CallIntrinOp op) {
  bool isPerAxis = op.getIntrinsic() == "tirx.q_multiply_shift_per_axis";
  OperandRange args = op.getArgs();
  Type type = args.front().getType();
  Type wide = getSameShape(type, builder.getI64Type());
  if (args.size() != (isPerAxis ? 7 : 4) ||
      !getElementTypeOrSelf(type).isInteger(32) ||
      op.getResult().getType() != type ||
      (isPerAxis &&
       args[5].getType() != getSameShape(type, builder.getI1Type())) ||
      !llvm::all_equal(args.take_front(isPerAxis ? 5 : 4).getTypes()))
    return {};
  Value x = args[0], y = args[1], zero = makeNumber(type, 0);
  Value left, right, fraction;
  if (isPerAxis) {
    left = arith::SelectOp::create(builder, args[5], args[2], zero);
    right = args[3];
    fraction = args[4];
  } else {
    std::optional<int64_t> factor = getConstantIntValue(y),
                           shift = getConstantIntValue(args[3]);
    if (factor == 1 << 30 && shift && *shift > -31 && *shift < 33) {
      if (*shift >= 1)
        return arith::ShLIOp::create(builder, x, makeNumber(type, *shift - 1));
      Value half = makeNumber(type, double(1 << -*shift));
      return arith::ShRSIOp::create(builder,
                                    arith::AddIOp::create(builder, x, half),
                                    makeNumber(type, 1 - *shift));
    }
    left = arith::MaxSIOp::create(builder, args[3], zero);
    right = arith::MaxSIOp::create(
        builder, arith::SubIOp::create(builder, zero, args[3]), zero);
    fraction = args[2];
  }
  auto widen = [&](Value value) {
    return arith::ExtSIOp::create(builder, wide, value).getResult();
  };
  Value product = arith::MulIOp::create(
      builder, arith::ShLIOp::create(builder, widen(x), widen(left)), widen(y));
  Value shift = arith::AddIOp::create(builder, widen(right), widen(fraction));
  Value one = makeNumber(wide, 1);
  Value half = arith::ShLIOp::create(
      builder, one, arith::SubIOp::create(builder, shift, one));
  Value sum = arith::AddIOp::create(builder, product, half);
  return arith::TruncIOp::create(builder, type,
                                 arith::ShRSIOp::create(builder, sum, shift));
}

Value PrimFuncArithmetic::lower(CallIntrinOp op) {
  if (op.getArgs().empty() || !op.getResult())
    return {};
  Value x = op.getArgs().front();
  StringRef name = op.getIntrinsic();
  // What TVM's compiler may take for granted.
  if (llvm::is_contained({"prim.likely", "tirx.assume", "tirx.likely",
                          "tirx.ignore_loop_partition"},
                         name))
    return x;
  Type type = op.getResult().getType();
  if (!haveOneShape({x.getType(), type}))
    return {};
  Type from = getElementTypeOrSelf(x), to = getElementTypeOrSelf(type);
  if (name == "tirx.reinterpret" && from.isIntOrFloat() && to.isIntOrFloat() &&
      getWidth(from) == getWidth(to))
    return arith::BitcastOp::create(builder, getSignless(type), toSignless(x));
  if ((name == "tirx.popcount" || name == "prim.clz") &&
      isa<IntegerType>(from) && isa<IntegerType>(to))
    return countBits(op);
  if (name.starts_with("tirx.q_multiply_shift"))
    return multiplyShift(op);
  if (!isa<FloatType>(from))
    return {};
  if (name == "tirx.sigmoid") {
    Value one = makeNumber(x.getType(), 1);
    Value exp = math::ExpOp::create(builder, arith::NegFOp::create(builder, x));
    return arith::DivFOp::create(builder, one,
                                 arith::AddFOp::create(builder, one, exp));
  }
  // As TVM computes it.
  if (name == "tirx.exp10")
    return math::ExpOp::create(
        builder, arith::MulFOp::create(builder, x,
                                       makeNumber(type, llvm::numbers::ln10)));
  if (name == "tirx.isnan")
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, x, x);
  if (name == "tirx.isfinite")
    return math::IsFiniteOp::create(builder, x);
  if (name == "tirx.isinf")
    return arith::CmpFOp::create(
        builder, arith::CmpFPredicate::OEQ, math::AbsFOp::create(builder, x),
        makeNumber(x.getType(), std::numeric_limits<double>::infinity()));
  // TVM rounds halves to even numbers.
  if (name == "tirx.round")
    return math::RoundEvenOp::create(builder, x);
  return callLibrary(op);
}
