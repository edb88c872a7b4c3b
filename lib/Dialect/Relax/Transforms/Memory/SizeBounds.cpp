//===- SizeBounds.cpp - Bounds of symbolic sizes --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bound is computed along the text of a dimension, and not along its
// simplified form: the sizes of storage then have the form that TVM gives them.
//
//===----------------------------------------------------------------------===//

#include "SizeBounds.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Expressions as TVM writes them
//===----------------------------------------------------------------------===//

/// How strongly the operators outside of brackets bind: 1 for sums, 2 for
/// products, 3 if there are none.
static unsigned getPrecedence(StringRef text) {
  unsigned precedence = 3, depth = 0;
  for (auto [index, c] : llvm::enumerate(text)) {
    depth += c == '(';
    depth -= c == ')' && depth > 0;
    if (depth > 0 || index == 0)
      continue;
    if (c == '+' || c == '-')
      return 1;
    if (c == '*' || c == '/' || c == '%')
      precedence = 2;
  }
  return precedence;
}

static void printOperand(llvm::raw_ostream &os, Dim dim, unsigned precedence) {
  if (dim.isNumber()) {
    os << dim.getSize();
    return;
  }
  StringRef text = dim.getName().getValue();
  bool isNested = getPrecedence(text) < precedence;
  os << (isNested ? "(" : "") << text << (isNested ? ")" : "");
}

/// A number, or an unknown dimension where it leaves 64 bits.
static Dim toDim(std::optional<int64_t> number) {
  return number ? Dim(*number) : Dim();
}

static Dim computeNumber(StringRef op, int64_t a, int64_t b) {
  if (op == "+")
    return toDim(llvm::checkedAdd(a, b));
  if (op == "-")
    return toDim(llvm::checkedSub(a, b));
  if (op == "*")
    return toDim(llvm::checkedMul(a, b));
  return b > 0 ? Dim(llvm::divideFloorSigned(a, b)) : Dim();
}

Dim partita::relax::writeOut(StringRef op, Dim a, Dim b, MLIRContext *context) {
  if (a.isUnknown() || b.isUnknown())
    return Dim();
  if (a.isNumber() && b.isNumber())
    return computeNumber(op, a.getSize(), b.getSize());
  Dim neutral = op == "*" || op == "//" ? 1 : 0;
  if (b == neutral)
    return a;
  if (a == neutral && (op == "*" || op == "+"))
    return b;
  if (op == "*" && (a == Dim(0) || b == Dim(0)))
    return 0;
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned precedence = op == "+" || op == "-" ? 1 : 2;
  printOperand(os, a, precedence);
  os << " " << op << " ";
  printOperand(os, b, precedence + 1);
  // A chain of products of sizes stays short; anything else is no size.
  constexpr size_t maxLength = 4096;
  return text.size() > maxLength ? Dim() : Dim(StringAttr::get(context, text));
}

Dim partita::relax::writeOutProduct(Dim first, ArrayRef<Dim> dims,
                                    MLIRContext *context) {
  for (Dim dim : dims)
    first = writeOut("*", first, dim, context);
  bool isNegative = first.isNumber() && first.getSize() < 0;
  return isNegative ? Dim() : first;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// The values that an expression can have.
struct Interval {
  /// Numbers that bound it.
  std::optional<int64_t> low, high;
  /// Expressions that bound it, unknown where there are none.
  Dim least, most;

  bool isSingle() const { return !least.isUnknown() && least == most; }
};

class BoundParser {
public:
  BoundParser(const SizeBounds &bounds, StringAttr text)
      : bounds(bounds), context(text.getContext()), rest(text.getValue()) {}

  std::optional<Interval> parse() {
    std::optional<Interval> range = parseSum();
    return rest.ltrim().empty() ? range : std::nullopt;
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  std::optional<Interval> parseSum();
  std::optional<Interval> parseProduct();
  std::optional<Interval> parseLeaf();
  std::optional<Interval> parseCall(StringRef function);
  Interval add(const Interval &a, const Interval &b) const;
  Interval subtract(const Interval &a, const Interval &b) const;
  Interval multiply(Interval a, Interval b) const;
  Interval divide(const Interval &a, const Interval &b) const;
  Interval modulo(const Interval &a, const Interval &b) const;
  Dim write(StringRef op, Dim a, Dim b) const {
    return writeOut(op, a, b, context);
  }

  const SizeBounds &bounds;
  MLIRContext *context;
  StringRef rest;
  unsigned nesting = 0;
};
} // namespace

/// `compute` of two numbers, if both are known and the result fits in 64 bits.
template <typename Fn>
static std::optional<int64_t> combine(std::optional<int64_t> a,
                                      std::optional<int64_t> b, Fn compute) {
  return a && b ? compute(*a, *b) : std::optional<int64_t>();
}

Interval BoundParser::add(const Interval &a, const Interval &b) const {
  auto sum = [](int64_t x, int64_t y) { return llvm::checkedAdd(x, y); };
  return {combine(a.low, b.low, sum), combine(a.high, b.high, sum),
          write("+", a.least, b.least), write("+", a.most, b.most)};
}

Interval BoundParser::subtract(const Interval &a, const Interval &b) const {
  auto difference = [](int64_t x, int64_t y) { return llvm::checkedSub(x, y); };
  return {combine(a.low, b.high, difference),
          combine(a.high, b.low, difference), write("-", a.least, b.most),
          write("-", a.most, b.least)};
}

Interval BoundParser::multiply(Interval a, Interval b) const {
  auto product = [](int64_t x, int64_t y) { return llvm::checkedMul(x, y); };
  Interval result;
  if (a.low >= 0 && b.low >= 0) {
    result.low = combine(a.low, b.low, product);
    result.high = combine(a.high, b.high, product);
  }
  if (a.isSingle() && b.isSingle()) {
    result.least = result.most = write("*", a.most, b.most);
    return result;
  }
  if (a.isSingle())
    std::swap(a, b);
  if (b.isSingle() && b.low >= 0) {
    result.least = write("*", a.least, b.least);
    result.most = write("*", a.most, b.most);
  }
  return result;
}

Interval BoundParser::divide(const Interval &a, const Interval &b) const {
  Interval result;
  if (b.low != b.high || b.low.value_or(0) <= 0)
    return result;
  auto quotient = [](int64_t x, int64_t y) {
    return std::optional(llvm::divideFloorSigned(x, y));
  };
  return {combine(a.low, b.low, quotient), combine(a.high, b.high, quotient),
          write("//", a.least, b.most), write("//", a.most, b.most)};
}

Interval BoundParser::modulo(const Interval &a, const Interval &b) const {
  if (b.low.value_or(0) <= 0)
    return {};
  std::optional<int64_t> high;
  if (b.high)
    high = *b.high - 1;
  if (a.low >= 0 && a.high && (!high || *a.high < *high))
    high = a.high;
  return {0, high, 0, high ? Dim(*high) : Dim()};
}

std::optional<Interval> BoundParser::parseSum() {
  std::optional<Interval> left = parseProduct();
  while (left) {
    bool isSum = consume("+");
    if (!isSum && !consume("-"))
      return left;
    std::optional<Interval> right = parseProduct();
    if (!right)
      return std::nullopt;
    left = isSum ? add(*left, *right) : subtract(*left, *right);
  }
  return left;
}

std::optional<Interval> BoundParser::parseProduct() {
  std::optional<Interval> left = parseLeaf();
  while (left) {
    bool isQuotient = consume("//"), isModulo = !isQuotient && consume("%");
    if (!isQuotient && !isModulo && !consume("*"))
      return left;
    std::optional<Interval> right = parseLeaf();
    if (!right)
      return std::nullopt;
    left = isQuotient ? divide(*left, *right)
           : isModulo ? modulo(*left, *right)
                      : multiply(*left, *right);
  }
  return left;
}

std::optional<Interval> BoundParser::parseCall(StringRef function) {
  bool isMax = function == "max";
  if (!isMax && function != "min")
    return std::nullopt;
  std::optional<Interval> a = parseSum();
  if (!a || !consume(","))
    return std::nullopt;
  std::optional<Interval> b = parseSum();
  if (!b || !consume(")"))
    return std::nullopt;
  // A maximum is at least what one of the two is at least.
  auto pick = [](std::optional<int64_t> x, std::optional<int64_t> y, bool isMax,
                 bool needsBoth) -> std::optional<int64_t> {
    if (x && y)
      return isMax ? std::max(*x, *y) : std::min(*x, *y);
    return needsBoth ? std::nullopt : x ? x : y;
  };
  return Interval{pick(a->low, b->low, isMax, !isMax),
                  pick(a->high, b->high, isMax, isMax), Dim(), Dim()};
}

std::optional<Interval> BoundParser::parseLeaf() {
  // The parser recurses.
  constexpr unsigned maxNesting = 32;
  if (nesting == maxNesting)
    return std::nullopt;
  ++nesting;
  auto parseNested = [&]() -> std::optional<Interval> {
    if (consume("(")) {
      std::optional<Interval> inner = parseSum();
      return consume(")") ? inner : std::nullopt;
    }
    rest = rest.ltrim();
    StringRef word = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    if (word.empty())
      return std::nullopt;
    rest = rest.drop_front(word.size());
    int64_t number;
    if (llvm::isDigit(word.front()))
      return word.getAsInteger(10, number)
                 ? std::nullopt
                 : std::optional(Interval{number, number, number, number});
    if (consume("("))
      return parseCall(word);
    SizeBounds::Limits limits = bounds.lookup(word);
    Dim name(StringAttr::get(context, word));
    return limits.high ? Interval{limits.low, limits.high, toDim(limits.low),
                                  toDim(limits.high)}
                       : Interval{limits.low, limits.high, name, name};
  };
  std::optional<Interval> leaf = parseNested();
  --nesting;
  return leaf;
}

Dim SizeBounds::getUpperBound(Dim dim) const {
  if (!dim.isName())
    return dim;
  std::optional<Interval> range = BoundParser(*this, dim.getName()).parse();
  if (!range)
    return dim;
  Dim most = range->high ? Dim(*range->high) : range->most;
  // A size that can never be one is left as it is.
  bool isNegative = most.isNumber() && most.getSize() < 0;
  return most.isUnknown() || isNegative ? dim : most;
}

FailureOr<SizeBounds> SizeBounds::get(FuncOp func) {
  DenseSet<StringAttr> names;
  for (Type type : func.getFunctionType().getInputs())
    names.insert_range(getNames(type));
  for (Type type : func.getFunctionType().getResults())
    names.insert_range(getNames(type));
  names.insert_range(func.getParameterNames());
  SizeBounds bounds;
  auto read = [&](StringRef attribute, auto set) -> LogicalResult {
    Attribute all = func->getAttr(attribute);
    if (!all)
      return success();
    if (auto values = dyn_cast<DictionaryAttr>(all);
        values && llvm::all_of(values, [](NamedAttribute entry) {
          auto number = dyn_cast<IntegerAttr>(entry.getValue());
          return number && number.getValue().isSignedIntN(64);
        })) {
      for (NamedAttribute entry : values)
        if (names.contains(entry.getName()))
          set(bounds.limits[entry.getName()],
              cast<IntegerAttr>(entry.getValue()).getValue().getSExtValue());
      return success();
    }
    return func.emitOpError("expected '")
           << attribute << "' to be a dictionary of integers, found " << all;
  };
  if (failed(read("tir_var_lower_bound",
                  [](Limits &limits, int64_t value) { limits.low = value; })) ||
      failed(read("tir_var_upper_bound", [](Limits &limits, int64_t value) {
        if (!limits.low)
          limits.low = 0;
        if (value >= *limits.low)
          limits.high = value;
      })))
    return failure();
  if (Attribute all = func->getAttr("tir_non_negative_var")) {
    auto list = dyn_cast<ArrayAttr>(all);
    if (!list || !llvm::all_of(list, llvm::IsaPred<StringAttr>))
      return func.emitOpError("expected 'tir_non_negative_var' to be a list of "
                              "names, found ")
             << all;
    for (auto name : list.getAsRange<StringAttr>())
      if (Limits &known = bounds.limits[name];
          names.contains(name) && known.low.value_or(-1) < 0)
        known.low = 0;
  }
  return bounds;
}
