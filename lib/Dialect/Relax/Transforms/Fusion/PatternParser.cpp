//===- PatternParser.cpp - The text of patterns ---------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record of FuseOpsByPattern describes the text.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/Transforms/DataflowPattern.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace partita::relax;

namespace {
/// Reads patterns by recursive descent.
class PatternParser {
public:
  using EmitError = function_ref<InFlightDiagnostic()>;

  PatternParser(StringRef text, MLIRContext *context, EmitError emitError)
      : text(text), rest(text), context(context), emitError(emitError) {}

  /// Reads a pattern that goes to the end of the text.
  FailureOr<DFPattern> parseWhole();
  FailureOr<std::vector<NamedPattern>> parseNamed();

private:
  InFlightDiagnostic expect(const Twine &what);
  void skipSpace() { rest = rest.ltrim(); }
  /// Counts a part of the pattern that is read.
  LogicalResult count();
  bool consume(StringRef token);
  LogicalResult require(StringRef token);
  StringRef takeWhile(function_ref<bool(char)> accepts);
  /// The text up to the bracket that closes what is open.
  FailureOr<StringRef> takeBracketed(char close);

  FailureOr<DFPattern> parseOr();
  FailureOr<DFPattern> parseAnd();
  FailureOr<DFPattern> parseUnary();
  FailureOr<DFPattern> parsePostfix();
  FailureOr<DFPattern> parsePrimary();
  FailureOr<DFPattern> parseLabel();
  FailureOr<DFPattern> parseNumber();
  FailureOr<DFPattern> parseArguments(DFPattern callee);
  FailureOr<DFPattern> parseIndex(DFPattern tuple);
  FailureOr<DFPattern> parseConstraint(DFPattern pattern);
  FailureOr<StringRef> parseBracketed(StringRef open, char close);
  FailureOr<std::string> parseName();
  FailureOr<SmallVector<Dim>> parseDims();
  FailureOr<Type> parseBracketedType();
  FailureOr<SmallVector<DFPattern>> parseFields(bool *takesMore = nullptr);

  StringRef text, rest;
  MLIRContext *context;
  EmitError emitError;
  unsigned numParts = 0;
  llvm::StringMap<DFPattern> labels;
};
} // namespace

InFlightDiagnostic PatternParser::expect(const Twine &what) {
  InFlightDiagnostic error = emitError();
  error << "expected " << what;
  skipSpace();
  if (rest.empty())
    error << ", but the patterns '" << text << "' end there";
  else
    error << ", but found '" << rest << "'";
  return error;
}

LogicalResult PatternParser::count() {
  if (++numParts <= DFPattern::maxParts)
    return success();
  return emitError() << "expected at most " << DFPattern::maxParts
                     << " parts of a pattern, but found more";
}

bool PatternParser::consume(StringRef token) {
  skipSpace();
  return rest.consume_front(token);
}

LogicalResult PatternParser::require(StringRef token) {
  if (consume(token))
    return success();
  return expect("'" + token + "' in a pattern");
}

StringRef PatternParser::takeWhile(function_ref<bool(char)> accepts) {
  skipSpace();
  StringRef taken = rest.take_while(accepts);
  rest = rest.drop_front(taken.size());
  return taken;
}

FailureOr<StringRef> PatternParser::takeBracketed(char close) {
  unsigned numOpen = 0;
  bool isQuoted = false;
  for (auto [index, c] : llvm::enumerate(rest)) {
    isQuoted ^= c == '"';
    if (isQuoted)
      continue;
    if (c == close && numOpen == 0) {
      StringRef taken = rest.take_front(index);
      rest = rest.drop_front(index + 1);
      return taken.trim();
    }
    if (StringRef("([{<").contains(c))
      ++numOpen;
    // `->` in a type closes nothing.
    else if (StringRef(")]}>").contains(c) &&
             !(c == '>' && index && rest[index - 1] == '-') && numOpen)
      --numOpen;
  }
  return expect("'" + Twine(close) + "' in a pattern");
}

FailureOr<StringRef> PatternParser::parseBracketed(StringRef open, char close) {
  if (failed(require(open)))
    return failure();
  return takeBracketed(close);
}

FailureOr<std::string> PatternParser::parseName() {
  if (!consume("<"))
    return std::string();
  FailureOr<StringRef> name = takeBracketed('>');
  if (failed(name))
    return failure();
  return name->str();
}

FailureOr<SmallVector<Dim>> PatternParser::parseDims() {
  FailureOr<StringRef> list = parseBracketed("(", ')');
  if (failed(list))
    return failure();
  SmallVector<Dim> dims;
  while (!list->empty()) {
    unsigned numOpen = 0;
    size_t end = 0;
    for (; end < list->size() && ((*list)[end] != ',' || numOpen); ++end)
      numOpen += ((*list)[end] == '(') - ((*list)[end] == ')');
    StringRef dim = list->take_front(end).trim();
    *list = list->drop_front(std::min(end + 1, list->size())).ltrim();
    int64_t size = 0;
    if (!dim.getAsInteger(10, size) && size >= 0)
      dims.push_back(size);
    else if (!dim.empty() && (llvm::isAlpha(dim[0]) || dim[0] == '_' ||
                              dim[0] == '(' || llvm::isDigit(dim[0])))
      dims.push_back(StringAttr::get(context, dim));
    else
      return emitError() << "expected sizes in a pattern, but found '" << dim
                         << "'";
  }
  return dims;
}

FailureOr<Type> PatternParser::parseBracketedType() {
  FailureOr<StringRef> text = parseBracketed("<", '>');
  if (failed(text))
    return failure();
  if (Type type = parseType(*text, context))
    return type;
  return emitError() << "expected a type in a pattern, but found '" << *text
                     << "'";
}

FailureOr<SmallVector<DFPattern>> PatternParser::parseFields(bool *takesMore) {
  SmallVector<DFPattern> fields;
  if (failed(require("(")))
    return failure();
  if (consume(")"))
    return fields;
  do {
    if (takesMore && consume("...")) {
      *takesMore = true;
      break;
    }
    FailureOr<DFPattern> field = parseOr();
    if (failed(field))
      return failure();
    fields.push_back(*field);
  } while (consume(","));
  if (failed(require(")")))
    return failure();
  return fields;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

FailureOr<DFPattern> PatternParser::parseOr() {
  FailureOr<DFPattern> left = parseAnd();
  while (succeeded(left) && consume("|")) {
    if (failed(count()))
      return failure();
    FailureOr<DFPattern> right = parseAnd();
    if (failed(right))
      return failure();
    left = *left | *right;
  }
  return left;
}

FailureOr<DFPattern> PatternParser::parseAnd() {
  FailureOr<DFPattern> left = parseUnary();
  while (succeeded(left) && consume("&")) {
    if (failed(count()))
      return failure();
    FailureOr<DFPattern> right = parseUnary();
    if (failed(right))
      return failure();
    left = *left & *right;
  }
  return left;
}

FailureOr<DFPattern> PatternParser::parseUnary() {
  unsigned numNots = 0;
  while (consume("~"))
    ++numNots;
  FailureOr<DFPattern> pattern = parsePostfix();
  // Two of them are not the pattern: nothing in it is matched.
  for (unsigned i = 0; succeeded(pattern) && i < numNots; ++i) {
    if (failed(count()))
      return failure();
    pattern = ~*pattern;
  }
  return pattern;
}

FailureOr<DFPattern> PatternParser::parsePostfix() {
  FailureOr<DFPattern> pattern = parsePrimary();
  while (succeeded(pattern)) {
    skipSpace();
    if (!rest.starts_with("(") && !rest.starts_with("[") &&
        (!rest.starts_with(".") || rest.starts_with("...")))
      break;
    if (failed(count()))
      return failure();
    if (rest.starts_with("("))
      pattern = parseArguments(*pattern);
    else
      pattern = consume("[") ? parseIndex(*pattern) : parseConstraint(*pattern);
  }
  return pattern;
}

FailureOr<DFPattern> PatternParser::parseArguments(DFPattern callee) {
  bool takesMore = false;
  FailureOr<SmallVector<DFPattern>> args = parseFields(&takesMore);
  if (failed(args))
    return failure();
  return DFPattern::call(std::move(callee), *args, takesMore);
}

FailureOr<DFPattern> PatternParser::parseIndex(DFPattern tuple) {
  std::optional<int64_t> index;
  if (!consume("?")) {
    uint32_t number = 0;
    if (takeWhile(llvm::isDigit).getAsInteger(10, number))
      return expect("the number of a field, or '?', in a pattern");
    index = number;
  }
  if (failed(require("]")))
    return failure();
  return DFPattern::tupleGetItem(std::move(tuple), index);
}

FailureOr<DFPattern> PatternParser::parseConstraint(DFPattern pattern) {
  if (consume(".dtype")) {
    FailureOr<Type> type = parseBracketedType();
    return succeeded(type) ? pattern.hasDType(*type) : FailureOr<DFPattern>();
  }
  if (consume(".shape")) {
    FailureOr<SmallVector<Dim>> dims = parseDims();
    return succeeded(dims) ? pattern.hasShape(*dims) : FailureOr<DFPattern>();
  }
  if (consume(".type")) {
    FailureOr<Type> type = parseBracketedType();
    return succeeded(type) ? pattern.hasType(*type) : FailureOr<DFPattern>();
  }
  if (!consume(".attrs"))
    return expect(".dtype, .shape, .type or .attrs in a pattern");
  FailureOr<StringRef> list = parseBracketed("{", '}');
  if (failed(list))
    return failure();
  auto attrs = dyn_cast_or_null<DictionaryAttr>(
      parseAttribute(("{" + *list + "}").str(), context));
  if (!attrs)
    return emitError() << "expected attributes in a pattern, but found '"
                       << *list << "'";
  return pattern.hasAttrs(attrs);
}

FailureOr<DFPattern> PatternParser::parseLabel() {
  StringRef label =
      takeWhile([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (label.empty())
    return expect("a label after '$' in a pattern");
  auto known = labels.find(label);
  if (!consume("=")) {
    if (known != labels.end())
      return known->second;
    return emitError() << "expected '$" << label
                       << "' in a pattern to be given before, as in '$" << label
                       << " = *'";
  }
  if (known != labels.end())
    return emitError() << "expected one pattern for '$" << label
                       << "', but found another one";
  FailureOr<DFPattern> pattern = parsePostfix();
  if (succeeded(pattern) && !labels.try_emplace(label, *pattern).second)
    return emitError() << "expected one pattern for '$" << label
                       << "', but found another one";
  return pattern;
}

FailureOr<DFPattern> PatternParser::parseNumber() {
  FailureOr<StringRef> text = parseBracketed("<", '>');
  if (failed(text))
    return failure();
  if (auto value = dyn_cast_or_null<TypedAttr>(parseAttribute(*text, context)))
    return DFPattern::number(value);
  return emitError() << "expected a number in a pattern, but found '" << *text
                     << "'";
}

FailureOr<DFPattern> PatternParser::parsePrimary() {
  if (failed(count()))
    return failure();
  if (consume("*"))
    return DFPattern::wildcard();
  if (consume("$"))
    return parseLabel();
  if (consume("(")) {
    FailureOr<DFPattern> pattern = parseOr();
    if (failed(pattern) || failed(require(")")))
      return failure();
    return pattern;
  }
  skipSpace();
  StringRef before = rest;
  StringRef word = takeWhile(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  // The dot before a constraint is no part of the word.
  if (size_t dot = word.find('.'); llvm::is_contained(
          {"const", "var", "dfv", "gv", "extern"}, word.take_front(dot))) {
    word = word.take_front(dot);
    rest = before.drop_front(word.size());
  }
  using Maker = DFPattern (*)(StringRef);
  if (auto maker = llvm::StringSwitch<Maker>(word)
                       .Case("var", DFPattern::var)
                       .Case("dfv", DFPattern::dataflowVar)
                       .Case("gv", DFPattern::globalVar)
                       .Case("extern", DFPattern::externFunc)
                       .Default(nullptr)) {
    FailureOr<std::string> name = parseName();
    return succeeded(name) ? maker(*name) : FailureOr<DFPattern>();
  }
  if (word == "const")
    return DFPattern::constant();
  if (word == "number")
    return parseNumber();
  if (word == "shape") {
    FailureOr<SmallVector<Dim>> dims = parseDims();
    return succeeded(dims) ? DFPattern::shapeValue(*dims)
                           : FailureOr<DFPattern>();
  }
  if (word == "tuple" || word == "unordered") {
    FailureOr<SmallVector<DFPattern>> fields = parseFields();
    if (failed(fields))
      return failure();
    if (word == "tuple")
      return DFPattern::tuple(*fields);
    if (fields->size() <= DFPattern::maxUnordered)
      return DFPattern::unorderedTuple(*fields);
    return emitError() << "expected at most " << DFPattern::maxUnordered
                       << " fields of an unordered tuple, but found "
                       << fields->size();
  }
  if (word.contains('.') && !word.starts_with(".") && !word.ends_with("."))
    return DFPattern::op(word);
  rest = before;
  return expect("a pattern");
}

FailureOr<DFPattern> PatternParser::parseWhole() {
  FailureOr<DFPattern> pattern = parseOr();
  skipSpace();
  if (succeeded(pattern) && !rest.empty())
    return expect("the end of the pattern");
  return pattern;
}

FailureOr<std::vector<NamedPattern>> PatternParser::parseNamed() {
  std::vector<NamedPattern> patterns;
  do {
    skipSpace();
    if (rest.empty())
      break;
    StringRef name =
        takeWhile([](char c) { return c != ':' && c != ';'; }).trim();
    if (name.empty() || !consume(":"))
      return expect("the name of a pattern, and ':'");
    labels.clear();
    numParts = 0;
    FailureOr<DFPattern> pattern = parseOr();
    if (failed(pattern))
      return failure();
    patterns.push_back({name.str(), *pattern});
  } while (consume(";"));
  if (!rest.empty())
    return expect("';' between patterns");
  return patterns;
}

FailureOr<DFPattern>
DFPattern::parse(StringRef text, MLIRContext *context,
                 function_ref<InFlightDiagnostic()> emitError) {
  return PatternParser(text, context, emitError).parseWhole();
}

FailureOr<std::vector<NamedPattern>>
partita::relax::parsePatterns(StringRef text, MLIRContext *context,
                              function_ref<InFlightDiagnostic()> emitError) {
  return PatternParser(text, context, emitError).parseNamed();
}
