//===- ExpandFloat8.cpp - Compute with 8-bit floats as with float ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/APFloat.h"

namespace partita::conversion {
#define GEN_PASS_DEF_EXPANDFLOAT8
#include "partita/Conversion/Passes.h.inc"
} // namespace partita::conversion

using namespace mlir;
using namespace partita;
using llvm::APFloat;

namespace {
/// An 8-bit float: a sign, an exponent with a bias, and a mantissa.
struct Format {
  /// Fails for types that are neither such a float nor a vector of these.
  /// f8E8M0FNU has no sign.
  static FailureOr<Format> get(Type type);

  bool hasInfinity = false;
  /// NaN is minus zero, which the format does not have.
  bool isUnsignedZero = false;
  /// The bits of the largest number, of NaN, and of infinity if there is one.
  unsigned largest = 0, nan = 0, infinity = 0;
  unsigned mantissaBits = 0;
  /// 2 to the power of this is the least number that is not subnormal.
  int minExponent = 0;
};

/// Builds code on 32-bit integers and floats, or on vectors of these.
class Code {
public:
  Code(OpBuilder &builder, Location loc, Type like)
      : builder(loc, builder), like(like), i32(cloneWith(builder.getI32Type())),
        f32(cloneWith(builder.getF32Type())) {}

  Value extend(Value value, const Format &format, Type to);
  Value truncate(Value value, const Format &format, Type to);

private:
  Type cloneWith(Type element) const {
    if (auto shaped = dyn_cast<ShapedType>(like))
      return shaped.clone(element);
    return element;
  }
  Value constant(uint32_t bits) {
    return get(builder.getI32IntegerAttr(static_cast<int32_t>(bits)), i32);
  }
  /// 2 to the power of `exponent`.
  Value power(int exponent) {
    return get(builder.getF32FloatAttr(std::ldexp(1.0F, exponent)), f32);
  }
  Value get(TypedAttr value, Type type) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(shaped, Attribute(value));
    return arith::ConstantOp::create(builder, value);
  }
  template <typename Op>
  Value make(Value lhs, Value rhs) {
    return Op::create(builder, lhs, rhs);
  }
  Value isAbove(Value lhs, uint32_t rhs) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ugt, lhs,
                                 constant(rhs));
  }
  Value isEqual(Value lhs, uint32_t rhs) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, lhs,
                                 constant(rhs));
  }
  Value select(Value condition, Value lhs, Value rhs) {
    return arith::SelectOp::create(builder, condition, lhs, rhs);
  }
  Value cast(Value value, Type type) {
    return arith::BitcastOp::create(builder, type, value);
  }

  ImplicitLocOpBuilder builder;
  Type like, i32, f32;
};
} // namespace

FailureOr<Format> Format::get(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!element || element.getWidth() != 8 || isa<TensorType>(type))
    return failure();
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  if (!APFloat::semanticsHasSignedRepr(semantics))
    return failure();
  auto getBits = [](const APFloat &number) {
    return unsigned(number.bitcastToAPInt().getZExtValue());
  };
  Format format;
  format.hasInfinity = APFloat::semanticsHasInf(semantics);
  format.largest = getBits(APFloat::getLargest(semantics));
  format.nan = getBits(APFloat::getNaN(semantics));
  format.isUnsignedZero = format.nan == 0x80;
  if (format.hasInfinity)
    format.infinity = getBits(APFloat::getInf(semantics));
  format.mantissaBits = element.getFPMantissaWidth() - 1;
  format.minExponent = APFloat::semanticsMinExponent(semantics);
  return format;
}

Value Code::extend(Value value, const Format &format, Type to) {
  Value bits = arith::ExtUIOp::create(
      builder, i32, cast(value, cloneWith(builder.getI8Type())));
  Value magnitude = make<arith::AndIOp>(bits, constant(0x7f));
  Value sign = make<arith::ShLIOp>(make<arith::AndIOp>(bits, constant(0x80)),
                                   constant(24));
  // At float's places, the number lacks the difference of the biases. A product
  // by a power of 2 is exact, also of subnormal numbers.
  Value shifted =
      make<arith::ShLIOp>(magnitude, constant(23 - format.mantissaBits));
  Value number =
      make<arith::MulFOp>(cast(shifted, f32), power(format.minExponent + 126));
  Value result = cast(number, i32);
  constexpr uint32_t infinity = 0x7f800000, nan = 0x7fc00000;
  if (format.hasInfinity)
    result = select(isAbove(magnitude, format.infinity - 1),
                    make<arith::OrIOp>(shifted, constant(infinity)), result);
  else
    result =
        select(isEqual(format.isUnsignedZero ? bits : magnitude, format.nan),
               constant(nan), result);
  result = cast(make<arith::OrIOp>(result, sign), f32);
  unsigned width = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  if (width < 32)
    return arith::TruncFOp::create(builder, to, result);
  return width == 32 ? result : arith::ExtFOp::create(builder, to, result);
}

Value Code::truncate(Value value, const Format &format, Type to) {
  // A float64 is rounded twice, as in ml_dtypes.
  unsigned width =
      getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  if (width < 32)
    value = arith::ExtFOp::create(builder, f32, value);
  else if (width > 32)
    value = arith::TruncFOp::create(builder, f32, value);
  Value bits = cast(value, i32);
  unsigned dropped = 23 - format.mantissaBits;
  Value magnitude = make<arith::AndIOp>(bits, constant(0x7fffffff));
  Value sign = make<arith::AndIOp>(make<arith::ShRUIOp>(bits, constant(24)),
                                   constant(0x80));
  // Rounds to the nearest, and to even between two.
  Value isOdd = make<arith::AndIOp>(
      make<arith::ShRUIOp>(magnitude, constant(dropped)), constant(1));
  Value rounded = make<arith::AddIOp>(
      make<arith::AddIOp>(magnitude, constant((1U << (dropped - 1)) - 1)),
      isOdd);
  Value code = make<arith::SubIOp>(
      make<arith::ShRUIOp>(rounded, constant(dropped)),
      constant((format.minExponent + 126) << format.mantissaBits));
  // A sum with a large number rounds to the step of subnormal numbers.
  int exponent = format.minExponent + int(dropped);
  Value sum = make<arith::AddFOp>(cast(magnitude, f32), power(exponent));
  Value subnormal =
      make<arith::SubIOp>(cast(sum, i32), constant((exponent + 127) << 23));
  uint32_t leastNormal = (format.minExponent + 127) << 23;
  code = select(isAbove(magnitude, leastNormal - 1), code, subnormal);

  Value isTooLarge = isAbove(code, format.largest);
  unsigned overflow = format.hasInfinity ? format.infinity : format.nan;
  code = select(isTooLarge, constant(overflow), code);
  Value isNaN = isAbove(magnitude, 0x7f800000);
  code = select(isNaN, constant(format.nan), code);
  Value withSign = make<arith::OrIOp>(code, sign);
  // Zero, and NaN, have no sign.
  if (format.isUnsignedZero)
    withSign = select(isEqual(code, 0), code, withSign);
  Value byte = arith::TruncIOp::create(builder, cloneWith(builder.getI8Type()),
                                       withSign);
  return cast(byte, to);
}

namespace {
struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<Format> format = Format::get(op.getIn().getType());
    if (failed(format))
      return failure();
    Code code(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, code.extend(op.getIn(), *format, op.getType()));
    return success();
  }
};

struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<Format> format = Format::get(op.getType());
    if (failed(format) ||
        op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
            arith::RoundingMode::to_nearest_even)
      return failure();
    Code code(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, code.truncate(op.getIn(), *format, op.getType()));
    return success();
  }
};

struct ExpandFloat8 : conversion::impl::ExpandFloat8Base<ExpandFloat8> {
  void runOnOperation() override;
};
} // namespace

/// The types of the values in `root` that have a Format.
static SetVector<Type> findTypes(Operation *root) {
  SetVector<Type> found;
  root->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
          element && succeeded(Format::get(element)))
        found.insert(element);
  });
  return found;
}

void ExpandFloat8::runOnOperation() {
  Operation *root = getOperation();
  SetVector<Type> types = findTypes(root);
  if (types.empty())
    return markAllAnalysesPreserved();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(
      converter, types.getArrayRef(), Float32Type::get(&getContext()));
  RewritePatternSet emulation(&getContext());
  arith::populateEmulateUnsupportedFloatsPatterns(emulation, converter);
  ConversionTarget target(getContext());
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  target.addDynamicallyLegalDialect<math::MathDialect>(
      [&](Operation *op) { return converter.isLegal(op); });
  if (failed(applyPartialConversion(root, target, std::move(emulation))))
    return signalPassFailure();

  RewritePatternSet casts(&getContext());
  casts.add<ExpandExtF, ExpandTruncF>(&getContext());
  walkAndApplyPatterns(root, std::move(casts));
}
