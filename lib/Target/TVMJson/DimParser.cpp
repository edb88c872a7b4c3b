//===- DimParser.cpp - Dimensions that are expressions --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimParser.h"

#include "PrimOperators.h"
#include "TVMNodes.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita::tvmjson;

/// With the name or number inside of the brackets.
static constexpr unsigned maxNesting = maxDimBrackets + 1;

static bool isWordChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.';
}

static SmallVector<int64_t> getIndices(ArrayRef<DimNode> nodes) {
  return llvm::map_to_vector(nodes, [](DimNode node) { return node.index; });
}

namespace {
/// The inverse of TypeImporter::getExpression. Each function returns failure at
/// what it does not know.
class Parser {
public:
  Parser(StringRef text, NodeWriter &writer,
         function_ref<DimNode(StringRef)> getVar)
      : rest(text), writer(writer), getVar(getVar) {}

  FailureOr<DimNode> parse() {
    FailureOr<DimNode> node = parseExpr(/*precedence=*/1);
    if (!rest.ltrim().empty())
      return failure();
    return node;
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  StringRef takeWord() {
    StringRef word = rest.take_while(isWordChar);
    rest = rest.drop_front(word.size());
    return word;
  }
  DimNode addPrim(StringRef kind, StringRef dtype, ArrayRef<DimNode> args) {
    return {*PrimNode::add(writer, kind, writer.getPrimType(dtype),
                           getIndices(args)),
            dtype};
  }
  /// The operator that comes next, if it binds as close.
  const PrimOperator *consumeOperator(unsigned precedence);
  FailureOr<DimNode> parseExpr(unsigned precedence);
  FailureOr<DimNode> parseLeaf();
  FailureOr<DimNode> parseNumber();
  /// Parses arguments up to the closing parenthesis; the opening one is read.
  LogicalResult parseArgs(SmallVectorImpl<DimNode> &args);
  FailureOr<DimNode> addCall(StringRef name, StringRef dtype,
                             ArrayRef<DimNode> args);

  StringRef rest;
  NodeWriter &writer;
  function_ref<DimNode(StringRef)> getVar;
  unsigned nesting = 0;
};
} // namespace

const PrimOperator *Parser::consumeOperator(unsigned precedence) {
  for (const PrimOperator &op : getPrimOperators())
    if (op.precedence != 0 && rest.ltrim().starts_with(op.text)) {
      if (op.precedence < precedence)
        return nullptr;
      consume(op.text);
      return &op;
    }
  return nullptr;
}

FailureOr<DimNode> Parser::parseExpr(unsigned precedence) {
  FailureOr<DimNode> left = parseLeaf();
  while (succeeded(left)) {
    const PrimOperator *op = consumeOperator(precedence);
    if (!op)
      return left;
    FailureOr<DimNode> right = parseExpr(op->precedence + 1);
    if (failed(right))
      return failure();
    left = addPrim(op->kind, op->isBoolean() ? "bool" : left->dtype,
                   {*left, *right});
  }
  return left;
}

FailureOr<DimNode> Parser::parseNumber() {
  auto takeDigits = [](StringRef text, size_t from) {
    while (from < text.size() && llvm::isDigit(text[from]))
      ++from;
    return from;
  };
  size_t end = takeDigits(rest, rest.starts_with("-"));
  bool isInteger = true;
  if (rest.substr(end).starts_with(".")) {
    isInteger = false;
    end = takeDigits(rest, end + 1);
  }
  if (rest.substr(end).starts_with("e")) {
    size_t sign = end + 1;
    isInteger = false;
    end = takeDigits(rest, sign + (rest.substr(sign).starts_with("-") ||
                                   rest.substr(sign).starts_with("+")));
  }
  StringRef number = rest.take_front(end);
  rest = rest.drop_front(end);
  StringRef dtype = rest.consume_front(":") ? takeWord() : StringRef("int64");
  int64_t integer;
  double value;
  if (isInteger && !number.getAsInteger(10, integer))
    return DimNode{writer.getIntImm(dtype, integer), dtype};
  if (isInteger || number.getAsDouble(value))
    return failure();
  return DimNode{*FloatImmNode::add(writer, {writer.getPrimType(dtype), value}),
                 dtype};
}

LogicalResult Parser::parseArgs(SmallVectorImpl<DimNode> &args) {
  if (consume(")"))
    return success();
  do {
    FailureOr<DimNode> arg = parseExpr(/*precedence=*/1);
    if (failed(arg))
      return failure();
    args.push_back(*arg);
  } while (consume(","));
  return success(consume(")"));
}

FailureOr<DimNode> Parser::addCall(StringRef name, StringRef dtype,
                                   ArrayRef<DimNode> args) {
  if (dtype.empty()) {
    for (const PrimOperator &op : getPrimOperators())
      // A condition stands in front of the two values. A cast needs a dtype.
      if (op.precedence == 0 && op.text == name && args.size() > 1 &&
          args.size() == tir::getPrimFields(op.kind).size())
        return addPrim(op.kind, args[args.size() - 2].dtype, args);
    return failure();
  }
  if (name == "cast" && args.size() != 1)
    return failure();
  if (name == "cast")
    return addPrim("Cast", dtype, args);
  return DimNode{
      *CallNode::add(writer,
                     {writer.getPrimType(dtype), writer.add("ir.Op", name),
                      writer.getArray(getIndices(args)), writer.getNone(),
                      writer.getArray({})}),
      dtype};
}

FailureOr<DimNode> Parser::parseLeaf() {
  if (++nesting > maxNesting)
    return failure();
  llvm::scope_exit leave([&] { --nesting; });
  if (consume("(")) {
    FailureOr<DimNode> inner = parseExpr(/*precedence=*/1);
    if (!consume(")"))
      return failure();
    return inner;
  }
  if (consume("!")) {
    FailureOr<DimNode> inner = parseLeaf();
    return failed(inner) ? inner : addPrim("Not", "bool", *inner);
  }
  rest = rest.ltrim();
  if (llvm::isDigit(rest.empty() ? '\0' : rest.front()) ||
      (rest.size() > 1 && rest.front() == '-' && llvm::isDigit(rest[1])))
    return parseNumber();
  StringRef name = takeWord();
  if (name.empty())
    return failure();
  StringRef dtype = rest.consume_front(":") ? takeWord() : StringRef();
  if (!consume("(")) {
    if (!dtype.empty())
      return failure();
    return getVar(name);
  }
  SmallVector<DimNode> args;
  if (failed(parseArgs(args)))
    return failure();
  return addCall(name, dtype, args);
}

bool partita::tvmjson::isTooDeep(StringRef text) {
  int nesting = 1, deepest = 1;
  for (char c : text)
    deepest = std::max(deepest, nesting += (c == '(') - (c == ')'));
  return deepest > static_cast<int>(maxNesting);
}

FailureOr<DimNode>
partita::tvmjson::parseDim(StringRef text, NodeWriter &writer,
                           function_ref<DimNode(StringRef)> getVar) {
  return Parser(text, writer, getVar).parse();
}
