//===- Json.cpp - JSON text that is read where it stands ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace partita::tvmjson;

static bool isJsonSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// What TVM writes for numbers that JSON lacks.
static std::optional<double> getSpecial(StringRef token) {
  if (token == "NaN")
    return std::numeric_limits<double>::quiet_NaN();
  if (token == "Infinity" || token == "-Infinity")
    return (token.front() == '-' ? -1 : 1) *
           std::numeric_limits<double>::infinity();
  return std::nullopt;
}

/// Whether `c` can be in a number.
static bool isOfNumber(char c) {
  return llvm::isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' ||
         c == 'E';
}

//===----------------------------------------------------------------------===//
// checkJson
//===----------------------------------------------------------------------===//

namespace {
/// Walks over JSON text, as llvm::json's parser does, and makes nothing of it.
class Checker {
public:
  Checker(StringRef text, unsigned maxDepth)
      : begin(text.begin()), at(text.begin()), end(text.end()),
        maxDepth(maxDepth) {}

  llvm::Error run();

private:
  char peek() const { return at == end ? 0 : *at; }
  char next() { return at == end ? 0 : *at++; }
  void skipSpace() {
    while (at != end && isJsonSpace(*at))
      ++at;
  }

  /// Each returns false after an error.
  bool value();
  bool word(StringRef rest, const char *message);
  bool string();
  bool number();
  bool array();
  bool object();
  bool enter();
  bool error(const Twine &message);

  const char *begin, *at, *end;
  unsigned maxDepth, depth = 0;
  std::string message;
};
} // namespace

bool Checker::error(const Twine &text) {
  StringRef before(begin, at - begin);
  size_t line = before.count('\n') + 1;
  size_t column = before.size() - (before.rfind('\n') + 1);
  message = ("expected JSON: [" + Twine(line) + ":" + Twine(column) +
             ", byte=" + Twine(before.size()) + "]: " + text)
                .str();
  return false;
}

bool Checker::word(StringRef rest, const char *message) {
  for (char c : rest)
    if (next() != c)
      return error(message);
  return true;
}

bool Checker::string() {
  for (char c = next(); c != '"'; c = next()) {
    if (at == end)
      return error("Unterminated string");
    if ((c & 0x1f) == c)
      return error("Control character in string");
    if (c != '\\')
      continue;
    c = next();
    if (c == 'u') {
      char digits[] = {next(), next(), next(), next()};
      if (!llvm::all_of(digits, llvm::isHexDigit))
        return error("Invalid \\u escape sequence");
    } else if (!c || !StringRef("\"\\/bfnrt").contains(c)) {
      return error("Invalid escape sequence");
    }
  }
  return true;
}

bool Checker::number() {
  const char *start = at - 1;
  bool isPlain = llvm::isDigit(*start);
  for (; isOfNumber(peek()); ++at)
    isPlain &= llvm::isDigit(*at);
  StringRef token(start, at - start);
  if (isPlain && token.size() < 19)
    return true;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(token);
  if (parsed)
    return true;
  llvm::consumeError(parsed.takeError());
  return error("Invalid JSON value (number?)");
}

bool Checker::enter() {
  if (++depth <= maxDepth)
    return true;
  message = ("expected JSON nested at most " + Twine(maxDepth) +
             " deep, found more at byte " + Twine(at - 1 - begin))
                .str();
  return false;
}

bool Checker::array() {
  if (!enter())
    return false;
  skipSpace();
  if (peek() == ']')
    ++at;
  else
    while (true) {
      if (!value())
        return false;
      skipSpace();
      char c = next();
      if (c == ']')
        break;
      if (c != ',')
        return error("Expected , or ] after array element");
    }
  --depth;
  return true;
}

bool Checker::object() {
  if (!enter())
    return false;
  skipSpace();
  if (peek() == '}')
    ++at;
  else
    while (true) {
      skipSpace();
      if (next() != '"')
        return error("Expected object key");
      if (!string())
        return false;
      skipSpace();
      if (next() != ':')
        return error("Expected : after object key");
      if (!value())
        return false;
      skipSpace();
      char c = next();
      if (c == '}')
        break;
      if (c != ',')
        return error("Expected , or } after object property");
    }
  --depth;
  return true;
}

bool Checker::value() {
  skipSpace();
  if (at == end)
    return error("Unexpected EOF");
  switch (char c = next()) {
  case 'n':
    return word("ull", "Invalid JSON value (null?)");
  case 't':
    return word("rue", "Invalid JSON value (true?)");
  case 'f':
    return word("alse", "Invalid JSON value (false?)");
  case '"':
    return string();
  case '[':
    return array();
  case '{':
    return object();
  case 'N':
    return word("aN", "Invalid JSON value (NaN?)");
  case 'I':
    return word("nfinity", "Invalid JSON value (Infinity?)");
  default:
    if (c == '-' && peek() == 'I')
      return word("Infinity", "Invalid JSON value (-Infinity?)");
    return isOfNumber(c) ? number() : error("Invalid JSON value");
  }
}

llvm::Error Checker::run() {
  size_t invalid = 0;
  if (!llvm::json::isUTF8(StringRef(begin, end - begin), &invalid)) {
    at = begin + invalid;
    error("Invalid UTF-8 sequence");
  } else if (value()) {
    skipSpace();
    if (at != end)
      error("Text after end of document");
  }
  if (message.empty())
    return llvm::Error::success();
  return llvm::createStringError(message);
}

llvm::Error partita::tvmjson::checkJson(StringRef text, unsigned maxDepth) {
  return Checker(text, maxDepth).run();
}

//===----------------------------------------------------------------------===//
// JsonValue
//===----------------------------------------------------------------------===//

static const char *skipSpace(const char *at) {
  while (isJsonSpace(*at))
    ++at;
  return at;
}

/// The end of the string that begins at `at`. Most of a file are strings, of
/// constants, and strchr looks at many bytes at once.
static const char *skipString(const char *at) {
  for (const char *start = ++at;; ++at) {
    at = std::strchr(at, '"');
    const char *escape = at;
    while (escape != start && escape[-1] == '\\')
      --escape;
    if ((at - escape) % 2 == 0)
      return at + 1;
  }
}

/// The end of the value that begins at `at`. Text ends with a value or a
/// bracket, so that only a number or a word alone could run to its end: TVM's
/// tables are objects.
static const char *skipValue(const char *at) {
  if (*at == '"')
    return skipString(at);
  if (*at != '[' && *at != '{') {
    while (llvm::isAlnum(*at) || isOfNumber(*at))
      ++at;
    return at;
  }
  unsigned depth = 0;
  do {
    if (*at == '"') {
      at = skipString(at);
      continue;
    }
    if (*at == '[' || *at == '{')
      ++depth;
    else if (*at == ']' || *at == '}')
      --depth;
    ++at;
  } while (depth);
  return at;
}

StringRef JsonValue::getToken() const {
  return text ? StringRef(text, skipValue(text) - text) : StringRef();
}

std::optional<bool> JsonValue::getBoolean() const {
  if (text && (*text == 't' || *text == 'f'))
    return *text == 't';
  return std::nullopt;
}

/// A number that is not made of a few digits alone, or another value.
static llvm::json::Value parseSmall(StringRef token) {
  return llvm::cantFail(llvm::json::parse(token));
}

/// Up to 18 digits and nothing else.
static std::optional<uint64_t> getDigits(StringRef token) {
  uint64_t value = 0;
  if (token.size() > 18 || token.empty())
    return std::nullopt;
  for (char c : token) {
    if (!llvm::isDigit(c))
      return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<int64_t> JsonValue::getInteger() const {
  if (!text || !isOfNumber(*text))
    return std::nullopt;
  StringRef token = getToken();
  if (std::optional<uint64_t> digits = getDigits(token))
    return *digits;
  if (getSpecial(token))
    return std::nullopt;
  return parseSmall(token).getAsInteger();
}

std::optional<uint64_t> JsonValue::getUnsigned() const {
  if (!text || !isOfNumber(*text))
    return std::nullopt;
  StringRef token = getToken();
  if (std::optional<uint64_t> digits = getDigits(token))
    return digits;
  if (getSpecial(token))
    return std::nullopt;
  return parseSmall(token).getAsUINT64();
}

std::optional<double> JsonValue::getNumber() const {
  if (std::optional<double> special = getSpecial(getToken()))
    return special;
  if (!text || !isOfNumber(*text))
    return std::nullopt;
  return parseSmall(getToken()).getAsNumber();
}

std::optional<StringRef> JsonValue::getString(llvm::StringSaver &saver) const {
  if (!text || *text != '"')
    return std::nullopt;
  StringRef token = getToken();
  StringRef contents = token.drop_front().drop_back();
  if (!contents.contains('\\'))
    return contents;
  if (contents.contains("\\u"))
    return saver.save(*parseSmall(token).getAsString());
  // TVM writes constants with many a "\/" in them.
  std::string result;
  result.reserve(contents.size());
  while (!contents.empty()) {
    size_t size = contents.find('\\');
    result += contents.take_front(size);
    contents = contents.drop_front(std::min(size, contents.size()));
    if (contents.empty())
      break;
    size_t escape = StringRef("bfnrt").find(contents[1]);
    result += escape == StringRef::npos ? contents[1] : "\b\f\n\r\t"[escape];
    contents = contents.drop_front(2);
  }
  return saver.save(result);
}

bool JsonValue::forEachElement(function_ref<bool(JsonValue)> fn) const {
  const char *at = skipSpace(text + 1);
  while (*at != ']') {
    if (!fn(JsonValue(at)))
      return false;
    at = skipSpace(skipValue(at));
    if (*at == ',')
      at = skipSpace(at + 1);
  }
  return true;
}

bool JsonValue::forEachField(
    function_ref<bool(JsonValue key, JsonValue value)> fn) const {
  const char *at = skipSpace(text + 1);
  while (*at != '}') {
    JsonValue key(at);
    at = skipSpace(skipSpace(skipString(at)) + 1);
    if (!fn(key, JsonValue(at)))
      return false;
    at = skipSpace(skipValue(at));
    if (*at == ',')
      at = skipSpace(at + 1);
  }
  return true;
}

std::string partita::tvmjson::quote(StringRef text) {
  constexpr size_t limit = 40;
  std::string result;
  llvm::raw_string_ostream os(result);
  os << "'";
  printEscapedString(text.take_front(limit), os);
  os << (text.size() > limit ? "...'" : "'");
  return result;
}

std::string JsonValue::describe() const {
  if (!text)
    return "nothing";
  if (isArray())
    return "an array";
  if (isObject())
    return "an object";
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  if (std::optional<StringRef> string = getString(saver))
    return "string " + quote(*string);
  if (!isOfNumber(*text) || getSpecial(getToken()))
    return getToken().str();
  std::string result;
  llvm::raw_string_ostream(result) << "number " << parseSmall(getToken());
  return result;
}

std::string partita::tvmjson::toJsonString(StringRef text) {
  if (llvm::all_of(text, [](char c) {
        return llvm::isPrint(c) && c != '"' && c != '\\';
      }))
    return ("\"" + text + "\"").str();
  std::string result;
  llvm::raw_string_ostream(result)
      << llvm::json::Value(llvm::json::fixUTF8(text));
  return result;
}
