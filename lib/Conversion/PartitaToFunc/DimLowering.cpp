//===- DimLowering.cpp - Compute dimensions that are expressions ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/DimLowering.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita;

/// An expression nests no deeper; the parser recurses.
static constexpr unsigned maxNesting = 32;

namespace {
/// Parses an expression and builds its ops. Each function returns null at what
/// it does not know.
class DimLowering {
public:
  DimLowering(ImplicitLocOpBuilder &builder, StringRef text,
              function_ref<Value(StringRef)> getName, bool inPrimFunc)
      : builder(builder), rest(text), getName(getName), inPrimFunc(inPrimFunc),
        overflow(inPrimFunc ? arith::IntegerOverflowFlags::nsw
                            : arith::IntegerOverflowFlags::none) {}

  Value lower() {
    Value value = lowerExpr();
    return rest.ltrim().empty() ? value : Value();
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  Value lowerExpr();
  Value lowerSum();
  Value lowerProduct();
  Value lowerRemainder(Value a, Value b);
  Value lowerLeaf();
  Value lowerCall(StringRef function);

  ImplicitLocOpBuilder &builder;
  StringRef rest;
  function_ref<Value(StringRef)> getName;
  bool inPrimFunc;
  arith::IntegerOverflowFlags overflow;
  unsigned nesting = 0;
};
} // namespace

/// A sum, or a comparison of two.
Value DimLowering::lowerExpr() {
  using arith::CmpIPredicate;
  constexpr std::pair<StringLiteral, CmpIPredicate> comparisons[] = {
      {"==", CmpIPredicate::eq},  {"!=", CmpIPredicate::ne},
      {"<=", CmpIPredicate::sle}, {">=", CmpIPredicate::sge},
      {"<", CmpIPredicate::slt},  {">", CmpIPredicate::sgt}};
  Value sum = lowerSum();
  for (auto [token, predicate] : comparisons) {
    if (!sum || !consume(token))
      continue;
    Value other = lowerSum();
    return other ? builder.createOrFold<arith::CmpIOp>(predicate, sum, other)
                 : Value();
  }
  return sum;
}

Value DimLowering::lowerSum() {
  Value sum = lowerProduct();
  while (sum) {
    bool isPlus = consume("+");
    if (!isPlus && !consume("-"))
      break;
    Value term = lowerProduct();
    if (!term)
      return {};
    sum = isPlus ? builder.createOrFold<arith::AddIOp>(sum, term, overflow)
                 : builder.createOrFold<arith::SubIOp>(sum, term, overflow);
  }
  return sum;
}

Value DimLowering::lowerProduct() {
  Value product = lowerLeaf();
  while (product) {
    bool isTimes = consume("*"), isQuotient = !isTimes && consume("//");
    if (!isTimes && !isQuotient && !consume("%"))
      break;
    Value factor = lowerLeaf();
    if (!factor)
      return {};
    product =
        isTimes ? builder.createOrFold<arith::MulIOp>(product, factor, overflow)
        : isQuotient
            ? builder.createOrFold<arith::FloorDivSIOp>(product, factor)
            : lowerRemainder(product, factor);
  }
  return product;
}

Value DimLowering::lowerRemainder(Value a, Value b) {
  if (inPrimFunc)
    return tir::PrimOp::create(builder, a.getType(), "FloorMod",
                               ValueRange{a, b});
  Value quotient = builder.createOrFold<arith::FloorDivSIOp>(a, b);
  return builder.createOrFold<arith::SubIOp>(
      a, builder.createOrFold<arith::MulIOp>(quotient, b));
}

Value DimLowering::lowerCall(StringRef function) {
  SmallVector<Value> args;
  do {
    args.push_back(lowerExpr());
    if (!args.back())
      return {};
  } while (consume(","));
  if (!consume(")"))
    return {};
  auto areSizes = [](ValueRange values) {
    return llvm::all_of(
        values, [](Value value) { return value.getType().isInteger(64); });
  };
  if (args.size() == 3 && function == "prim.if_then_else" &&
      args[0].getType().isInteger(1) && areSizes(ValueRange(args).drop_front()))
    return builder.createOrFold<arith::SelectOp>(args[0], args[1], args[2]);
  if (args.size() != 2 || !areSizes(args))
    return {};
  if (function == "max")
    return builder.createOrFold<arith::MaxSIOp>(args[0], args[1]);
  if (function == "min")
    return builder.createOrFold<arith::MinSIOp>(args[0], args[1]);
  return {};
}

Value DimLowering::lowerLeaf() {
  if (nesting == maxNesting)
    return {};
  ++nesting;
  auto lowerNested = [&]() -> Value {
    if (consume("(")) {
      Value inner = lowerExpr();
      bool isSum = inner && inner.getType().isInteger(64);
      return consume(")") && isSum ? inner : Value();
    }
    rest = rest.ltrim();
    bool isNegative = rest.starts_with("-");
    StringRef word = rest.drop_front(isNegative).take_while([](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '.';
    });
    int64_t number;
    if (word.empty())
      return {};
    rest = rest.drop_front(word.size() + isNegative);
    // A number of another dtype has a `:`, and so has a function.
    if (word == "prim.if_then_else" && rest.consume_front(":int64("))
      return isNegative ? Value() : lowerCall(word);
    if (rest.starts_with(":"))
      return {};
    if (!word.getAsInteger(10, number))
      return arith::ConstantIntOp::create(builder,
                                          isNegative ? -number : number, 64);
    if (isNegative)
      return {};
    if (consume("("))
      return lowerCall(word);
    Value size = getName(word);
    return size && size.getType().isInteger(64) ? size : Value();
  };
  Value leaf = lowerNested();
  --nesting;
  return leaf;
}

Value partita::lowerDim(ImplicitLocOpBuilder &builder, relax::Dim dim,
                        function_ref<Value(StringRef)> getName,
                        bool inPrimFunc) {
  if (dim.isNumber())
    return arith::ConstantIntOp::create(builder, dim.getSize(), 64);
  if (dim.isUnknown())
    return {};
  // A name may look like anything, such as `n.1`.
  if (Value value = getName(dim.getName()))
    return value;
  return DimLowering(builder, dim.getName(), getName, inPrimFunc).lower();
}
