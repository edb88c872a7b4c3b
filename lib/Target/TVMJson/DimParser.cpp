//===- DimParser.cpp - Dimensions that are expressions --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimParser.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita::tvmjson;

/// Expressions nest; a parser recurses on that.
static constexpr unsigned maxNesting = 32;

namespace {
/// The inverse of TypeImporter::getExpression. Each function returns failure at
/// what it does not know.
class Parser {
public:
  Parser(StringRef text, NodeWriter &writer,
         function_ref<int64_t(StringRef)> getVar)
      : rest(text), writer(writer), getVar(getVar) {}

  FailureOr<int64_t> parse() {
    FailureOr<int64_t> node = parseSum();
    if (!rest.ltrim().empty())
      return failure();
    return node;
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  int64_t addBinary(StringRef type, int64_t a, int64_t b) {
    int64_t dtype = writer.getPrimType("int64");
    return writer.addSpanned(type, {{"ty", dtype}, {"a", a}, {"b", b}});
  }
  FailureOr<int64_t> parseSum();
  FailureOr<int64_t> parseProduct();
  FailureOr<int64_t> parseLeaf();

  StringRef rest;
  NodeWriter &writer;
  function_ref<int64_t(StringRef)> getVar;
  unsigned nesting = 0;
};
} // namespace

FailureOr<int64_t> Parser::parseSum() {
  FailureOr<int64_t> left = parseProduct();
  while (succeeded(left)) {
    StringRef type = consume("+") ? "prim.Add" : consume("-") ? "prim.Sub" : "";
    if (type.empty())
      return left;
    FailureOr<int64_t> right = parseProduct();
    left = succeeded(right) ? FailureOr(addBinary(type, *left, *right)) : right;
  }
  return left;
}

FailureOr<int64_t> Parser::parseProduct() {
  FailureOr<int64_t> left = parseLeaf();
  while (succeeded(left)) {
    StringRef type = consume("*")    ? "prim.Mul"
                     : consume("//") ? "prim.FloorDiv"
                     : consume("%")  ? "prim.FloorMod"
                                     : "";
    if (type.empty())
      return left;
    FailureOr<int64_t> right = parseLeaf();
    left = succeeded(right) ? FailureOr(addBinary(type, *left, *right)) : right;
  }
  return left;
}

FailureOr<int64_t> Parser::parseLeaf() {
  if (++nesting > maxNesting)
    return failure();
  auto leave = llvm::make_scope_exit([&] { --nesting; });
  if (consume("(")) {
    FailureOr<int64_t> inner = parseSum();
    if (!consume(")"))
      return failure();
    return inner;
  }
  rest = rest.ltrim();
  StringRef number = rest.take_while([](char c) { return llvm::isDigit(c); });
  bool isNegative = number.empty() && rest.size() > 1 && rest[0] == '-' &&
                    llvm::isDigit(rest[1]);
  if (isNegative)
    number = rest.take_front(
        1 + rest.drop_front()
                .take_while([](char c) { return llvm::isDigit(c); })
                .size());
  if (!number.empty()) {
    int64_t value;
    if (number.getAsInteger(10, value))
      return failure();
    rest = rest.drop_front(number.size());
    return writer.getIntImm("int64", value);
  }
  StringRef name = rest.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  if (name.empty())
    return failure();
  rest = rest.drop_front(name.size());
  if ((name == "max" || name == "min") && consume("(")) {
    FailureOr<int64_t> a = parseSum();
    if (failed(a) || !consume(","))
      return failure();
    FailureOr<int64_t> b = parseSum();
    if (failed(b) || !consume(")"))
      return failure();
    return addBinary(name == "max" ? "prim.Max" : "prim.Min", *a, *b);
  }
  return getVar(name);
}

FailureOr<int64_t>
partita::tvmjson::parseDim(StringRef text, NodeWriter &writer,
                           function_ref<int64_t(StringRef)> getVar) {
  return Parser(text, writer, getVar).parse();
}
