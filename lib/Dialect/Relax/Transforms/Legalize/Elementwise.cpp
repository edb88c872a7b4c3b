//===- Elementwise.cpp - Lower ops on each element ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace partita::relax;

namespace {
/// The dtypes of operands.
enum class Operands { Floats, Numbers, Booleans, Integers, All };

/// How an op of ScalarFunctions.def is computed.
template <typename OpT>
struct Function;

#define FUNCTION(OpT, operands, ops)                                           \
  template <>                                                                  \
  struct Function<OpT> {                                                       \
    static constexpr Operands kind = Operands::operands;                       \
    static Value build(ScalarBuilder &s, Value a [[maybe_unused]],             \
                       Value b [[maybe_unused]]) {                             \
      return ops;                                                              \
    }                                                                          \
  };
#define UNARY(OpT, kind, value, ops) FUNCTION(OpT, Floats, ops)
#define BINARY(OpT, kind, value, ops) FUNCTION(OpT, Floats, ops)
#define ROUNDING(OpT, kind, value, ops) FUNCTION(OpT, All, ops)
#define COMPARISON(OpT, kind, value, ops) FUNCTION(OpT, All, ops)
#define CHECK(OpT, kind, value, ops) FUNCTION(OpT, Numbers, ops)
#define REAL(OpT, fn, ops) FUNCTION(OpT, Floats, ops)
#define NUMERIC(OpT, fn, ops) FUNCTION(OpT, Numbers, ops)
#define LOGICAL(OpT, fn, ops) FUNCTION(OpT, Booleans, ops)
#define BITWISE(OpT, fn, ops) FUNCTION(OpT, Integers, ops)
#include "../ScalarFunctions.def"
#undef FUNCTION
} // namespace

static bool isOfKind(Type type, Operands kind) {
  bool isBool = type.isInteger(1);
  switch (kind) {
  case Operands::Floats:
    return isa<FloatType>(type);
  case Operands::Numbers:
    return type.isIntOrFloat() && !isBool;
  case Operands::Booleans:
    return isBool;
  case Operands::Integers:
    return isa<IntegerType>(type);
  case Operands::All:
    return type.isIntOrFloat();
  }
  llvm_unreachable("unknown kind of operands");
}

/// The type in which TVM computes with numbers of two types: a float if one is,
/// or the wider one, or of two integers the one without a sign.
static Type getCommonType(Type a, Type b) {
  if (a == b || !a.isIntOrFloat() || !b.isIntOrFloat())
    return a;
  if (isa<FloatType>(a) != isa<FloatType>(b))
    return isa<FloatType>(a) ? a : b;
  unsigned width = a.getIntOrFloatBitWidth(),
           otherWidth = b.getIntOrFloatBitWidth();
  if (width == otherWidth)
    return a.isUnsignedInteger() ? a : b;
  return width < otherWidth ? b : a;
}

template <typename OpT>
static LogicalResult legalizeFunction(Operation *op, KernelBuilder &kernel) {
  // A number that is computed from numbers is no tensor.
  if (!TensorInfo::get(op->getResult(0).getType()))
    return failure();
  SmallVector<Type> types = llvm::map_to_vector(
      op->getOperands(), [](Value operand) { return getNumberType(operand); });
  Type type = getCommonType(types.front(), types.back());
  // TVM's types of results of other functions are not the ones it computes.
  bool isMixed = types.front() != types.back();
  // TVM's logical_xor of integers compares their bits.
  bool isXor = isa<LogicalXorOp>(op) && isa<IntegerType>(type);
  if ((!isOfKind(type, Function<OpT>::kind) && !isXor) ||
      (isMixed && Function<OpT>::kind != Operands::All))
    return failure();
  // TVM avoids the names of functions in libc.
  StringRef mnemonic = op->getName().stripDialect();
  if (op->getNumOperands() == 1 && !mnemonic.contains('.') && !isa<ErfOp>(op))
    kernel.setName(("tir_" + mnemonic).str());
  kernel.mapElements(op->getResult(0), op->getOperands(),
                     [&](ScalarBuilder &scalars, ValueRange numbers) {
                       auto convert = [&](Value number, Type from) {
                         return ScalarBuilder(scalars.getLoc(), scalars, from)
                             .convert(number, type);
                       };
                       ScalarBuilder of(scalars.getLoc(), scalars, type);
                       Value a = convert(numbers.front(), types.front());
                       Value b = numbers.size() == 1
                                     ? a
                                     : convert(numbers.back(), types.back());
                       return Function<OpT>::build(of, a, b);
                     });
  return success();
}

static LogicalResult legalizeAstype(AstypeOp op, KernelBuilder &kernel) {
  kernel.setName("cast");
  kernel.mapElements(op.getResult(), op.getX(),
                     [&](ScalarBuilder &scalars, ValueRange numbers) {
                       return scalars.convert(numbers[0], op.getDtype());
                     });
  return success();
}

static LogicalResult legalizeClip(ClipOp op, KernelBuilder &kernel) {
  Type type = getNumberType(op.getX());
  if (!isOfKind(type, Operands::Numbers))
    return failure();
  kernel.setName("tir_clip");
  auto limit = [&](Value number, ScalarBuilder &scalars, Value limit) {
    return ScalarBuilder(scalars.getLoc(), scalars, number.getType())
        .convert(limit, type);
  };
  kernel.mapElements(op.getResult(), op->getOperands(),
                     [&](ScalarBuilder &scalars, ValueRange numbers) {
                       Value most = limit(op.getMax(), scalars, numbers[2]);
                       Value least = limit(op.getMin(), scalars, numbers[1]);
                       return scalars.maximum(scalars.minimum(numbers[0], most),
                                              least);
                     });
  return success();
}

static LogicalResult legalizeWhere(WhereOp op, KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  if (getNumberType(op.getX1()) != type || getNumberType(op.getX2()) != type)
    return failure();
  kernel.mapElements(op.getResult(), op->getOperands(),
                     [&](ScalarBuilder &scalars, ValueRange numbers) {
                       Value condition =
                           scalars.convert(numbers[0], scalars.getI1Type());
                       return scalars.select(condition, numbers[1], numbers[2]);
                     });
  return success();
}

void partita::relax::attachElementwise(MLIRContext *context) {
#define FUNCTION(OpT) attach<&legalizeFunction<OpT>, OpT>(context);
#define UNARY(OpT, kind, value, ops) FUNCTION(OpT)
#define BINARY(OpT, kind, value, ops) FUNCTION(OpT)
#define ROUNDING(OpT, kind, value, ops) FUNCTION(OpT)
#define COMPARISON(OpT, kind, value, ops) FUNCTION(OpT)
#define CHECK(OpT, kind, value, ops) FUNCTION(OpT)
#define REAL(OpT, fn, ops) FUNCTION(OpT)
#define NUMERIC(OpT, fn, ops) FUNCTION(OpT)
#define LOGICAL(OpT, fn, ops) FUNCTION(OpT)
#define BITWISE(OpT, fn, ops) FUNCTION(OpT)
#include "../ScalarFunctions.def"
#undef FUNCTION
  attach<&legalizeAstype, AstypeOp>(context);
  attach<&legalizeClip, ClipOp>(context);
  attach<&legalizeWhere, WhereOp>(context);
}
