//===- RelaxDims.cpp - Arithmetic on dimensions ---------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic turns dimensions into MLIR's affine expressions. Their symbols are
// names, and terms that no affine expression can say, such as `max(n, 1)`.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace partita::relax;

/// A dimension nests no deeper; the parser recurses.
static constexpr unsigned maxNesting = 32;
/// Longer texts, which only arithmetic on its own results makes, are unknown.
static constexpr size_t maxLength = 512;

static bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.';
}

bool Dim::isIdentifier() const {
  return name && !name.empty() && !llvm::isDigit(name.getValue().front()) &&
         llvm::all_of(name.getValue(), isNameCharacter);
}

void partita::relax::forEachName(StringRef dim,
                                 function_ref<void(StringRef)> visit) {
  bool isDType = false;
  while (!dim.empty()) {
    StringRef word = dim.take_while(isNameCharacter);
    if (word.empty()) {
      isDType = dim.front() == ':';
      dim = dim.drop_front();
      continue;
    }
    dim = dim.drop_front(word.size());
    bool isFunction = dim.starts_with("(") || dim.starts_with(":");
    if (!isDType && !isFunction && !llvm::isDigit(word.front()))
      visit(word);
    isDType = false;
  }
}

namespace {
/// Turns dimensions into affine expressions, and back.
class DimExprs {
public:
  explicit DimExprs(MLIRContext *context) : context(context) {}

  /// Null if the dimension is unknown or its text is no expression.
  AffineExpr parse(Dim dim);
  AffineExpr simplify(AffineExpr expr) {
    return simplifyAffineExpr(expr, 0, names.size());
  }
  Dim getDim(AffineExpr expr);
  /// `max(a, b)`, `min(a, b)`, or another function of the two, which stays as
  /// it is; simplified if they are ordered whatever values the names have.
  AffineExpr getCall(StringRef function, AffineExpr a, AffineExpr b);
  AffineExpr getSymbol(StringRef name);
  /// `a op b`, of "+", "-", "*", "//" and "%". If numbers of it may leave 64
  /// bits, it is a name of its own, its text in brackets, and nothing else is
  /// known about it. Null if it is a division by no positive number, unless
  /// both are numbers.
  AffineExpr compute(StringRef op, AffineExpr a, AffineExpr b);
  /// Whether it follows from dimensions being at least 0 that `expr` is.
  bool isNonNegative(AffineExpr expr) const;

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  /// A sum, or a condition of numbers, which is 1 or 0; null if it has names.
  AffineExpr parseCondition(unsigned level = 0);
  AffineExpr parseSum();
  AffineExpr parseProduct();
  AffineExpr parseLeaf();
  AffineExpr parseNumber();
  /// The dtype behind a `:`, if there is one.
  StringRef parseDType();
  AffineExpr parseArguments(StringRef function, StringRef dtype);
  /// `a // b` or `a % b`, where what b divides stands outside: `(n + 2 * m) //
  /// 2` is `n // 2 + m`, as TVM has it.
  AffineExpr divide(AffineExpr a, AffineExpr b, bool isModulo);
  /// `a * b`, with the names of both in one order and one number after them.
  AffineExpr multiply(AffineExpr a, AffineExpr b);
  void print(AffineExpr expr, unsigned precedence, raw_ostream &os);
  void printSum(AffineExpr expr, raw_ostream &os);

  MLIRContext *context;
  SmallVector<std::string> names;
  StringRef rest;
  unsigned nesting = 0;
};
} // namespace

AffineExpr DimExprs::getSymbol(StringRef name) {
  auto *known = llvm::find(names, name);
  size_t index = known - names.begin();
  if (known == names.end())
    names.push_back(name.str());
  return getAffineSymbolExpr(index, context);
}

AffineExpr DimExprs::getCall(StringRef function, AffineExpr a, AffineExpr b) {
  bool isMax = function == "max";
  if (isMax || function == "min") {
    if (isNonNegative(simplify(compute("-", a, b))))
      return isMax ? a : b;
    if (isNonNegative(simplify(compute("-", b, a))))
      return isMax ? b : a;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << function << "(";
  print(a, 0, os);
  os << ", ";
  print(b, 0, os);
  os << ")";
  return getSymbol(text);
}

AffineExpr DimExprs::divide(AffineExpr a, AffineExpr b, bool isModulo) {
  auto number = dyn_cast<AffineConstantExpr>(b);
  AffineExpr outside = getAffineConstantExpr(0, context);
  if (number && number.getValue() > 0) {
    AffineExpr inside = outside;
    // The terms of a sum stand to the right of its other terms.
    for (a = simplify(a); a;) {
      bool isSum = a.getKind() == AffineExprKind::Add;
      AffineExpr term = isSum ? cast<AffineBinaryOpExpr>(a).getRHS() : a;
      if (term.isMultipleOf(number.getValue()))
        outside = term.floorDiv(b) + outside;
      else
        inside = term + inside;
      a = isSum ? cast<AffineBinaryOpExpr>(a).getLHS() : AffineExpr();
    }
    a = inside;
  }
  return isModulo ? a % b : a.floorDiv(b) + outside;
}

AffineExpr DimExprs::multiply(AffineExpr a, AffineExpr b) {
  SmallVector<AffineExpr> factors, rest = {b, a};
  int64_t number = 1;
  while (!rest.empty()) {
    AffineExpr factor = rest.pop_back_val();
    if (factor.getKind() == AffineExprKind::Mul) {
      auto product = cast<AffineBinaryOpExpr>(factor);
      rest.append({product.getRHS(), product.getLHS()});
    } else if (auto constant = dyn_cast<AffineConstantExpr>(factor)) {
      number *= constant.getValue();
    } else {
      factors.push_back(factor);
    }
  }
  llvm::stable_sort(factors, [](AffineExpr x, AffineExpr y) {
    auto position = [](AffineExpr factor) {
      auto symbol = dyn_cast<AffineSymbolExpr>(factor);
      return symbol ? symbol.getPosition()
                    : std::numeric_limits<unsigned>::max();
    };
    return position(x) < position(y);
  });
  AffineExpr product = getAffineConstantExpr(1, context);
  for (AffineExpr factor : factors)
    product = product * factor;
  return product * number;
}

bool DimExprs::isNonNegative(AffineExpr expr) const {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue() >= 0;
  // A name, or a term of names in which nothing is subtracted.
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return StringRef(names[symbol.getPosition()])
               .find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_ (),+*") == StringRef::npos;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  return isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS());
}

AffineExpr DimExprs::parse(Dim dim) {
  if (dim.isNumber())
    return getAffineConstantExpr(dim.getSize(), context);
  if (dim.isUnknown())
    return {};
  if (dim.isIdentifier())
    return getSymbol(dim.getName());
  rest = dim.getName().getValue();
  AffineExpr expr = parseSum();
  return expr && rest.ltrim().empty() ? simplify(expr) : AffineExpr();
}

/// The operators of conditions; the weakest come first. Longer operators come
/// before their prefixes.
static ArrayRef<StringLiteral> getConditionOperators(unsigned level) {
  static constexpr StringLiteral either[] = {"||"}, both[] = {"&&"},
                                 comparisons[] = {
                                     "==", "!=", "<=", ">=", "<", ">"};
  switch (level) {
  case 0:
    return either;
  case 1:
    return both;
  case 2:
    return comparisons;
  default:
    return {};
  }
}

static bool evaluateCondition(StringRef op, int64_t a, int64_t b) {
  return llvm::StringSwitch<bool>(op)
      .Case("||", a || b)
      .Case("&&", a && b)
      .Case("==", a == b)
      .Case("!=", a != b)
      .Case("<=", a <= b)
      .Case(">=", a >= b)
      .Case("<", a < b)
      .Default(a > b);
}

AffineExpr DimExprs::parseCondition(unsigned level) {
  ArrayRef<StringLiteral> operators = getConditionOperators(level);
  if (operators.empty())
    return parseSum();
  AffineExpr left = parseCondition(level + 1);
  while (left) {
    const StringLiteral *op =
        llvm::find_if(operators, [&](StringRef each) { return consume(each); });
    if (op == operators.end())
      return left;
    AffineExpr right = parseCondition(level + 1);
    if (!right)
      return {};
    auto a = dyn_cast<AffineConstantExpr>(simplify(left)),
         b = dyn_cast<AffineConstantExpr>(simplify(right));
    left = a && b ? getAffineConstantExpr(
                        evaluateCondition(*op, a.getValue(), b.getValue()),
                        context)
                  : AffineExpr();
  }
  return left;
}

AffineExpr DimExprs::parseSum() {
  AffineExpr left = parseProduct();
  while (left) {
    bool isSum = consume("+");
    if (!isSum && !consume("-"))
      return left;
    AffineExpr right = parseProduct();
    left = right ? compute(isSum ? "+" : "-", left, right) : AffineExpr();
  }
  return left;
}

/// The sum of the absolute values of the numbers in `expr`, with all products
/// written out. No number in a simpler form of `expr` is greater. Nothing if
/// the sum leaves 64 bits.
static std::optional<int64_t> getMagnitude(AffineExpr expr) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    int64_t value = number.getValue();
    return value < 0 ? llvm::checkedSub<int64_t>(0, value) : value;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 1;
  std::optional<int64_t> a = getMagnitude(binary.getLHS()),
                         b = getMagnitude(binary.getRHS());
  if (!a || !b)
    return std::nullopt;
  return expr.getKind() == AffineExprKind::Mul ? llvm::checkedMul(*a, *b)
                                               : llvm::checkedAdd(*a, *b);
}

/// The number `dividend` by `divisor`, which is not positive; null if
/// `dividend` is no number, or there is no quotient.
static AffineExpr divideNumber(AffineExpr dividend, int64_t divisor,
                               bool isModulo) {
  constexpr int64_t min = std::numeric_limits<int64_t>::min();
  auto number = dyn_cast<AffineConstantExpr>(dividend);
  if (!number || number.getValue() == min || divisor == 0 || divisor == min)
    return {};
  // Both round down.
  int64_t a = -number.getValue(), b = -divisor;
  return getAffineConstantExpr(isModulo ? -llvm::mod(a, b)
                                        : llvm::divideFloorSigned(a, b),
                               dividend.getContext());
}

AffineExpr DimExprs::compute(StringRef op, AffineExpr a, AffineExpr b) {
  bool isSum = op == "+" || op == "-", isProduct = op == "*";
  auto divisor = isSum || isProduct ? AffineConstantExpr()
                                    : dyn_cast<AffineConstantExpr>(b);
  if (divisor && divisor.getValue() <= 0)
    // Such divisors occur in computations of padding. An AffineExpr can't have
    // them.
    return divideNumber(a, divisor.getValue(), op == "%");
  std::optional<int64_t> x = getMagnitude(a), y = getMagnitude(b);
  if (!x || !y ||
      !(isProduct ? llvm::checkedMul(*x, *y) : llvm::checkedAdd(*x, *y))) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "(";
    print(a, isSum ? 1 : 2, os);
    os << " " << op << " ";
    print(b, isSum ? 2 : 3, os);
    os << ")";
    return getSymbol(text);
  }
  if (isSum)
    return op == "+" ? a + b : a - b;
  return isProduct ? multiply(a, b) : divide(a, b, op == "%");
}

AffineExpr DimExprs::parseProduct() {
  AffineExpr left = parseLeaf();
  while (left) {
    StringRef op = consume("//")  ? "//"
                   : consume("%") ? "%"
                   : consume("*") ? "*"
                                  : "";
    if (op.empty())
      return left;
    AffineExpr right = parseLeaf();
    left = right ? compute(op, left, right) : AffineExpr();
  }
  return left;
}

StringRef DimExprs::parseDType() {
  if (!rest.consume_front(":"))
    return {};
  StringRef dtype = rest.take_while(isNameCharacter);
  rest = rest.drop_front(dtype.size());
  return dtype;
}

/// Whether the integer type `dtype` has the value `value`.
static bool fitsDType(StringRef dtype, int64_t value) {
  unsigned width;
  if (dtype == "bool")
    return value == 0 || value == 1;
  if (dtype.consume_front("uint"))
    return !dtype.getAsInteger(10, width) && value >= 0 &&
           llvm::isUIntN(std::min(width, 64U), value);
  return dtype.consume_front("int") && !dtype.getAsInteger(10, width) &&
         llvm::isIntN(std::min(width, 64U), value);
}

AffineExpr DimExprs::parseNumber() {
  StringRef digits =
      rest.drop_front(rest.front() == '-').take_while(llvm::isDigit);
  StringRef number = rest.take_front(digits.end() - rest.begin());
  rest = rest.drop_front(number.size());
  bool hasDType = rest.starts_with(":");
  StringRef dtype = parseDType();
  int64_t value;
  if (number.getAsInteger(10, value) || (hasDType && !fitsDType(dtype, value)))
    return {};
  return getAffineConstantExpr(value, context);
}

AffineExpr DimExprs::parseArguments(StringRef function, StringRef dtype) {
  SmallVector<AffineExpr, 3> arguments;
  do {
    AffineExpr argument = parseCondition();
    if (!argument)
      return {};
    arguments.push_back(simplify(argument));
  } while (consume(","));
  if (!consume(")"))
    return {};
  if (dtype.empty() && arguments.size() == 2)
    return getCall(function, arguments[0], arguments[1]);
  // Calls with a dtype are computed for numbers only.
  auto number = dyn_cast<AffineConstantExpr>(arguments.front());
  if (!number)
    return {};
  if (function == "cast" && arguments.size() == 1)
    return fitsDType(dtype, number.getValue()) ? number : AffineExpr();
  bool isChoice = function == (dtype.empty() ? "select" : "prim.if_then_else");
  return isChoice && arguments.size() == 3
             ? arguments[number.getValue() != 0 ? 1 : 2]
             : AffineExpr();
}

AffineExpr DimExprs::parseLeaf() {
  if (nesting == maxNesting)
    return {};
  ++nesting;
  auto parseNested = [&]() -> AffineExpr {
    if (consume("(")) {
      AffineExpr inner = parseCondition();
      return consume(")") ? inner : AffineExpr();
    }
    if (consume("!")) {
      auto inner = dyn_cast_or_null<AffineConstantExpr>(parseLeaf());
      return inner ? getAffineConstantExpr(inner.getValue() == 0, context)
                   : AffineExpr();
    }
    rest = rest.ltrim();
    if (size_t isNegative = rest.starts_with("-");
        rest.size() > isNegative && llvm::isDigit(rest[isNegative]))
      return parseNumber();
    StringRef name = rest.take_while(isNameCharacter);
    rest = rest.drop_front(name.size());
    StringRef dtype = parseDType();
    if (!name.empty() && consume("("))
      return parseArguments(name, dtype);
    return name.empty() || !dtype.empty() ? AffineExpr() : getSymbol(name);
  };
  AffineExpr leaf = parseNested();
  --nesting;
  return leaf;
}

void DimExprs::print(AffineExpr expr, unsigned precedence, raw_ostream &os) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    os << number.getValue();
    return;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    os << names[symbol.getPosition()];
    return;
  }
  bool isSum = expr.getKind() == AffineExprKind::Add;
  unsigned own = isSum ? 1 : 2;
  os << (own < precedence ? "(" : "");
  if (isSum) {
    printSum(expr, os);
  } else {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    print(binary.getLHS(), own, os);
    os << (expr.getKind() == AffineExprKind::Mul   ? " * "
           : expr.getKind() == AffineExprKind::Mod ? " % "
                                                   : " // ");
    print(binary.getRHS(), own + 1, os);
  }
  os << (own < precedence ? ")" : "");
}

/// The term to subtract instead of adding `term`, which is a negative number,
/// or a product with one. Null for other terms.
static AffineExpr getSubtrahend(AffineExpr term) {
  auto product = term.getKind() == AffineExprKind::Mul
                     ? cast<AffineBinaryOpExpr>(term)
                     : AffineBinaryOpExpr(nullptr);
  auto number = dyn_cast<AffineConstantExpr>(product ? product.getRHS() : term);
  if (!number || number.getValue() >= 0 ||
      number.getValue() == std::numeric_limits<int64_t>::min())
    return {};
  AffineExpr positive =
      getAffineConstantExpr(-number.getValue(), term.getContext());
  return product ? product.getLHS() * positive : positive;
}

void DimExprs::printSum(AffineExpr expr, raw_ostream &os) {
  SmallVector<AffineExpr> terms;
  for (; expr.getKind() == AffineExprKind::Add;
       expr = cast<AffineBinaryOpExpr>(expr).getLHS())
    terms.push_back(cast<AffineBinaryOpExpr>(expr).getRHS());
  terms.push_back(expr);
  std::reverse(terms.begin(), terms.end());
  // `n - m`, where the terms are in the order of the names: `m * -1 + n`.
  if (auto *first = llvm::find_if_not(terms, getSubtrahend);
      first != terms.end())
    std::rotate(terms.begin(), first, first + 1);
  print(terms.front(), 1, os);
  for (AffineExpr term : llvm::drop_begin(terms)) {
    AffineExpr subtrahend = getSubtrahend(term);
    os << (subtrahend ? " - " : " + ");
    print(subtrahend ? subtrahend : term, 2, os);
  }
}

Dim DimExprs::getDim(AffineExpr expr) {
  expr = simplify(expr);
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue() < 0 ? Dim() : Dim(number.getValue());
  std::string text;
  llvm::raw_string_ostream os(text);
  print(expr, 0, os);
  // A function whose text is in brackets needs them inside other terms only.
  if (isa<AffineSymbolExpr>(expr) && StringRef(text).starts_with("("))
    text = text.substr(1, text.size() - 2);
  return text.size() <= maxLength ? Dim(StringAttr::get(context, text)) : Dim();
}

/// The result of `compute` on two known dimensions.
static Dim
combine(Dim a, Dim b,
        function_ref<AffineExpr(DimExprs &, AffineExpr, AffineExpr)> compute) {
  if (a.isUnknown() || b.isUnknown())
    return Dim();
  DimExprs exprs((a.isName() ? a : b).getName().getContext());
  AffineExpr x = exprs.parse(a), y = exprs.parse(b);
  AffineExpr made = x && y ? compute(exprs, x, y) : AffineExpr();
  return made ? exprs.getDim(made) : Dim();
}

static Dim combine(StringRef op, Dim a, Dim b) {
  return combine(a, b, [&](DimExprs &exprs, AffineExpr x, AffineExpr y) {
    return exprs.compute(op, x, y);
  });
}

static Dim combineCall(StringRef function, Dim a, Dim b) {
  return combine(a, b, [&](DimExprs &exprs, AffineExpr x, AffineExpr y) {
    return exprs.getCall(function, x, y);
  });
}

static Dim getChecked(std::optional<int64_t> value) {
  return value && *value >= 0 ? Dim(*value) : Dim();
}

static bool areNumbers(Dim a, Dim b) { return a.isNumber() && b.isNumber(); }

Dim partita::relax::operator+(Dim a, Dim b) {
  if (areNumbers(a, b))
    return getChecked(llvm::checkedAdd(a.getSize(), b.getSize()));
  return combine("+", a, b);
}

Dim partita::relax::operator-(Dim a, Dim b) {
  if (areNumbers(a, b))
    return getChecked(llvm::checkedSub(a.getSize(), b.getSize()));
  return combine("-", a, b);
}

Dim partita::relax::operator*(Dim a, Dim b) {
  if (a == Dim(0) || b == Dim(0))
    return 0;
  if (a == Dim(1) || b == Dim(1))
    return a == Dim(1) ? b : a;
  if (areNumbers(a, b))
    return getChecked(llvm::checkedMul(a.getSize(), b.getSize()));
  return combine("*", a, b);
}

Dim partita::relax::floorDiv(Dim a, Dim b) {
  if (b == Dim(1))
    return a;
  if (b == Dim(0))
    return Dim();
  if (areNumbers(a, b))
    return a.getSize() / b.getSize();
  return combine("//", a, b);
}

Dim partita::relax::ceilDiv(Dim a, Dim b) {
  if (b == Dim(1))
    return a;
  return floorDiv(a + (b - Dim(1)), b);
}

Dim partita::relax::max(Dim a, Dim b) {
  if (areNumbers(a, b))
    return std::max(a.getSize(), b.getSize());
  if (a == b)
    return a;
  // No dimension is negative.
  if (a == Dim(0) || b == Dim(0))
    return a == Dim(0) ? b : a;
  return combineCall("max", a, b);
}

Dim partita::relax::min(Dim a, Dim b) {
  if (areNumbers(a, b))
    return std::min(a.getSize(), b.getSize());
  if (a == b)
    return a;
  if (a == Dim(0) || b == Dim(0))
    return 0;
  return combineCall("min", a, b);
}

Dim partita::relax::multiply(ArrayRef<Dim> dims) {
  Dim product = 1;
  for (Dim dim : dims)
    product = product * dim;
  return product;
}

/// The difference of two dimensions, if it is a number. One of them is an
/// expression.
static std::optional<int64_t> getDifference(Dim a, Dim b) {
  DimExprs exprs((a.isName() ? a : b).getName().getContext());
  AffineExpr x = exprs.parse(a), y = exprs.parse(b);
  auto number = x && y ? dyn_cast<AffineConstantExpr>(
                             exprs.simplify(exprs.compute("-", x, y)))
                       : nullptr;
  return number ? std::optional(number.getValue()) : std::nullopt;
}

static bool isExpression(Dim dim) {
  return dim.isName() && !dim.isIdentifier();
}

bool partita::relax::areEqual(Dim a, Dim b) {
  if (a == b || !(isExpression(a) || isExpression(b)) || a.isUnknown() ||
      b.isUnknown())
    return a == b;
  return getDifference(a, b) == 0;
}

bool partita::relax::areCompatible(Dim a, Dim b) {
  if (a == b || a.isUnknown() || b.isUnknown())
    return true;
  return (isExpression(a) || isExpression(b)) &&
         getDifference(a, b).value_or(0) == 0;
}
