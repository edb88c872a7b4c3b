//===- DimLowering.cpp - Compute dimensions that are expressions ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/DimLowering.h"

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
              function_ref<Value(StringRef)> getName)
      : builder(builder), rest(text), getName(getName) {}

  Value lower() {
    Value value = lowerSum();
    return rest.ltrim().empty() ? value : Value();
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  Value lowerSum();
  Value lowerProduct();
  Value lowerLeaf();
  Value lowerCall(StringRef function);

  ImplicitLocOpBuilder &builder;
  StringRef rest;
  function_ref<Value(StringRef)> getName;
  unsigned nesting = 0;
};
} // namespace

Value DimLowering::lowerSum() {
  Value sum = lowerProduct();
  while (sum) {
    bool isPlus = consume("+");
    if (!isPlus && !consume("-"))
      break;
    Value term = lowerProduct();
    if (!term)
      return {};
    sum = isPlus ? builder.createOrFold<arith::AddIOp>(sum, term)
                 : builder.createOrFold<arith::SubIOp>(sum, term);
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
    if (isTimes) {
      product = builder.createOrFold<arith::MulIOp>(product, factor);
      continue;
    }
    Value quotient = builder.createOrFold<arith::FloorDivSIOp>(product, factor);
    product = isQuotient
                  ? quotient
                  : builder.createOrFold<arith::SubIOp>(
                        product,
                        builder.createOrFold<arith::MulIOp>(quotient, factor));
  }
  return product;
}

Value DimLowering::lowerCall(StringRef function) {
  Value a = lowerSum();
  if (!a || !consume(","))
    return {};
  Value b = lowerSum();
  if (!b || !consume(")"))
    return {};
  if (function == "max")
    return builder.createOrFold<arith::MaxSIOp>(a, b);
  if (function == "min")
    return builder.createOrFold<arith::MinSIOp>(a, b);
  return {};
}

Value DimLowering::lowerLeaf() {
  if (nesting == maxNesting)
    return {};
  ++nesting;
  auto lowerNested = [&]() -> Value {
    if (consume("(")) {
      Value inner = lowerSum();
      return consume(")") ? inner : Value();
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
    if (rest.starts_with(":"))
      return {};
    if (!word.getAsInteger(10, number))
      return arith::ConstantIntOp::create(builder,
                                          isNegative ? -number : number, 64);
    if (isNegative)
      return {};
    return consume("(") ? lowerCall(word) : getName(word);
  };
  Value leaf = lowerNested();
  --nesting;
  return leaf;
}

Value partita::lowerDim(ImplicitLocOpBuilder &builder, relax::Dim dim,
                        function_ref<Value(StringRef)> getName) {
  if (dim.isNumber())
    return arith::ConstantIntOp::create(builder, dim.getSize(), 64);
  if (dim.isUnknown())
    return {};
  // A name may look like anything, such as `n.1`.
  if (Value value = getName(dim.getName()))
    return value;
  return DimLowering(builder, dim.getName(), getName).lower();
}
