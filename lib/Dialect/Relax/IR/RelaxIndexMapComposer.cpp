//===- RelaxIndexMapComposer.cpp - Index maps one after the other ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace partita::relax;

/// Computes indices as sums of digits of the first indices.
class IndexMap::Composer {
public:
  /// With `keepsParts`, a division makes two digits even if one is always 0.
  explicit Composer(ArrayRef<Dim> shape, bool keepsParts = false)
      : shape(shape), keepsParts(keepsParts) {}

  /// `factor * ((index / lower) % count)`. The last digit of an index has no
  /// limit other than the dimension's.
  struct Term {
    int64_t factor;
    size_t index;
    int64_t lower = 1;
    std::optional<int64_t> count;
  };
  struct Sum {
    SmallVector<Term, 4> terms;
    int64_t constant = 0;
  };

  Sum getIndex(size_t index) const {
    Sum sum;
    if (shape[index] != Dim(1))
      sum.terms.push_back({1, index, 1, getCount(index, 1)});
    return sum;
  }
  /// What `map` makes of indices; nothing if it is no sum of digits.
  std::optional<SmallVector<Sum>> apply(const IndexMap &map,
                                        ArrayRef<Sum> from) const;
  /// Joins digits that are next to each other.
  static void join(Sum &sum);
  /// Whether all elements have the value of one index.
  bool isIndex(Sum sum, size_t index) const;

private:
  /// How many values a number has that is `lower` times smaller than an index.
  std::optional<int64_t> getCount(size_t index, int64_t lower) const {
    return shape[index].isNumber() ? std::optional<int64_t>(llvm::divideCeil(
                                         shape[index].getSize(), lower))
                                   : std::nullopt;
  }
  std::optional<Sum> compute(Kind kind, const Sum &a, const Sum &b) const;
  /// The quotient and the remainder.
  std::optional<std::pair<Sum, Sum>> divide(const Sum &sum,
                                            int64_t divisor) const;

  ArrayRef<Dim> shape;
  bool keepsParts;
};

void IndexMap::Composer::join(Sum &sum) {
  llvm::sort(sum.terms, [](const Term &a, const Term &b) {
    return std::tie(a.index, a.lower) < std::tie(b.index, b.lower);
  });
  SmallVector<Term, 4> joined;
  for (const Term &term : sum.terms) {
    if (!joined.empty()) {
      Term &last = joined.back();
      int64_t next, factor;
      if (last.index == term.index && last.count &&
          !llvm::MulOverflow(last.lower, *last.count, next) &&
          !llvm::MulOverflow(last.factor, *last.count, factor) &&
          next == term.lower && factor == term.factor) {
        int64_t count;
        if (term.count && !llvm::MulOverflow(*last.count, *term.count, count))
          last.count = count;
        else
          last.count = std::nullopt;
        continue;
      }
    }
    joined.push_back(term);
  }
  sum.terms = joined;
}

std::optional<std::pair<IndexMap::Composer::Sum, IndexMap::Composer::Sum>>
IndexMap::Composer::divide(const Sum &sum, int64_t divisor) const {
  if (divisor < 1 || sum.constant != 0)
    return std::nullopt;
  Sum quotient, rest;
  int64_t greatest = 0;
  for (Term term : sum.terms) {
    if (term.factor % divisor == 0) {
      term.factor /= divisor;
      quotient.terms.push_back(term);
      continue;
    }
    if (term.factor < 1)
      return std::nullopt;
    // The digits of the term below the divisor, and the ones above.
    int64_t below = divisor / term.factor;
    if (!term.count || *term.count > below ||
        (keepsParts && *term.count == below)) {
      int64_t lower;
      if (divisor % term.factor != 0 || (term.count && *term.count % below) ||
          llvm::MulOverflow(term.lower, below, lower))
        return std::nullopt;
      quotient.terms.push_back(
          {1, term.index, lower,
           term.count ? std::optional<int64_t>(*term.count / below)
                      : std::nullopt});
      term.count = below;
    }
    int64_t part;
    if (llvm::MulOverflow(term.factor, *term.count - 1, part) ||
        llvm::AddOverflow(greatest, part, greatest))
      return std::nullopt;
    rest.terms.push_back(term);
  }
  if (greatest >= divisor)
    return std::nullopt;
  return std::pair(quotient, rest);
}

std::optional<IndexMap::Composer::Sum>
IndexMap::Composer::compute(Kind kind, const Sum &a, const Sum &b) const {
  Sum result = a;
  if (kind == Kind::Add) {
    result.terms.append(b.terms);
    if (llvm::AddOverflow(a.constant, b.constant, result.constant))
      return std::nullopt;
    join(result);
    return result;
  }
  if (kind == Kind::Mul && !b.terms.empty())
    return a.terms.empty() ? compute(kind, b, a) : std::nullopt;
  if (!b.terms.empty())
    return std::nullopt;
  if (kind == Kind::Mul) {
    for (Term &term : result.terms)
      if (llvm::MulOverflow(term.factor, b.constant, term.factor))
        return std::nullopt;
    if (llvm::MulOverflow(a.constant, b.constant, result.constant))
      return std::nullopt;
    return result;
  }
  if (kind != Kind::FloorDiv && kind != Kind::FloorMod)
    return std::nullopt;
  auto parts = divide(a, b.constant);
  if (!parts)
    return std::nullopt;
  return kind == Kind::FloorDiv ? parts->first : parts->second;
}

std::optional<SmallVector<IndexMap::Composer::Sum>>
IndexMap::Composer::apply(const IndexMap &map, ArrayRef<Sum> from) const {
  // An expression of more terms than this is no change of a layout.
  constexpr size_t maxTerms = 64;
  SmallVector<Sum> values;
  for (const Expr &expr : map.exprs) {
    std::optional<Sum> value;
    if (expr.kind == Kind::Initial)
      value = from[expr.value];
    else if (expr.kind == Kind::Number)
      value = Sum{{}, expr.value};
    else if (expr.kind != Kind::Unknown)
      value = compute(expr.kind, values[expr.a], values[expr.b]);
    if (!value || value->terms.size() > maxTerms)
      return std::nullopt;
    values.push_back(std::move(*value));
  }
  return llvm::map_to_vector(map.finalIndices,
                             [&](size_t expr) { return values[expr]; });
}

bool IndexMap::Composer::isIndex(Sum sum, size_t index) const {
  join(sum);
  if (sum.constant != 0)
    return false;
  if (shape[index] == Dim(1))
    return sum.terms.empty();
  if (sum.terms.size() != 1)
    return false;
  const Term &term = sum.terms.front();
  return term.index == index && term.factor == 1 && term.lower == 1 &&
         (!term.count ||
          (shape[index].isNumber() && *term.count >= shape[index].getSize()));
}

bool IndexMap::undoes(const IndexMap &first, ArrayRef<Dim> shape) const {
  if (shape.size() != first.getNumInitial() || shape.size() != getNumFinal() ||
      getNumInitial() != first.getNumFinal())
    return false;
  // An empty tensor has no elements.
  if (llvm::is_contained(shape, Dim(0)))
    return true;
  Composer composer(shape);
  SmallVector<Composer::Sum> indices;
  for (size_t index = 0; index < shape.size(); ++index)
    indices.push_back(composer.getIndex(index));
  std::optional<SmallVector<Composer::Sum>> moved =
      composer.apply(first, indices);
  if (moved)
    moved = composer.apply(*this, *moved);
  return moved && llvm::all_of(llvm::enumerate(*moved), [&](auto sum) {
           return composer.isIndex(sum.value(), sum.index());
         });
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

SmallVector<int64_t> IndexMap::getSplits() const {
  SmallVector<int64_t> splits(numInitial, 1);
  for (const Expr &expr : exprs) {
    std::optional<Digit> digit = getDigit(expr);
    if (!digit || expr.kind == Kind::Initial)
      continue;
    int64_t part = expr.kind == Kind::FloorMod ? *digit->upper : digit->lower;
    int64_t &split = splits[digit->index];
    if (llvm::MulOverflow(split, part / std::gcd(split, part), split))
      return {};
  }
  return splits;
}

/// Finds the inverse of a map: each new index is a sum of digits of old ones,
/// and has to have the one value for each combination of these.
class IndexMap::Inverter {
public:
  Inverter(const IndexMap &map, ArrayRef<Dim> shape)
      : shape(shape), places(map.numInitial),
        inverse(map.getNumFinal(), map.numBits) {}

  /// Finds the digits in the new index `index`, which is `sum`.
  bool take(Composer::Sum sum, size_t index);
  /// Adds the old index `index`, which is made of its digits.
  bool addIndex(size_t index);
  IndexMap finish() { return std::move(inverse); }

private:
  /// The digit `(index / lower) % count` of an old index.
  struct Place {
    int64_t lower;
    std::optional<int64_t> count;
    /// Its value in the inverse; nothing if that is 0.
    std::optional<size_t> expr;
  };
  size_t addBinary(Kind kind, size_t expr, int64_t number) {
    size_t right = inverse.addNumber(number);
    return inverse.addBinary(kind, expr, right);
  }

  ArrayRef<Dim> shape;
  SmallVector<SmallVector<Place>> places;
  IndexMap inverse;
};

bool IndexMap::Inverter::take(Composer::Sum sum, size_t index) {
  // A digit without a limit comes last.
  llvm::sort(sum.terms, [](const auto &a, const auto &b) {
    return std::tuple(a.factor, !a.count, a.count) <
           std::tuple(b.factor, !b.count, b.count);
  });
  if (sum.constant != 0)
    return false;
  int64_t size = 1;
  for (const Composer::Term &term : sum.terms) {
    bool isLast = &term == &sum.terms.back();
    if (term.factor != size ||
        (!isLast &&
         (!term.count || llvm::MulOverflow(size, *term.count, size))))
      return false;
    std::optional<size_t> expr;
    if (isLast || term.count != 1) {
      expr = index;
      if (!isLast)
        expr = addBinary(Kind::FloorMod, *expr, size);
      if (term.factor != 1)
        expr = addBinary(Kind::FloorDiv, *expr, term.factor);
    }
    places[term.index].push_back({term.lower, term.count, expr});
  }
  return true;
}

bool IndexMap::Inverter::addIndex(size_t index) {
  SmallVector<Place> &digits = places[index];
  llvm::sort(digits, [](const Place &a, const Place &b) {
    return std::pair(a.lower, a.count) < std::pair(b.lower, b.count);
  });
  // The number of values that the digits have up to each of them.
  std::optional<int64_t> size = 1;
  for (const Place &digit : digits) {
    if (size != digit.lower)
      return false;
    int64_t next;
    if (!digit.count)
      size = std::nullopt;
    else if (llvm::MulOverflow(*size, *digit.count, next))
      return false;
    else
      size = next;
  }
  if (size && !(shape[index].isNumber() && *size >= shape[index].getSize()))
    return false;
  std::optional<size_t> sum;
  for (const Place &digit : llvm::reverse(digits)) {
    if (!digit.expr)
      continue;
    size_t term = *digit.expr;
    if (digit.lower != 1)
      term = addBinary(Kind::Mul, term, digit.lower);
    sum = sum ? inverse.addBinary(Kind::Add, *sum, term) : term;
  }
  inverse.addFinal(sum ? *sum : inverse.addNumber(0));
  return true;
}

std::optional<IndexMap> IndexMap::invert(ArrayRef<Dim> shape) const {
  SmallVector<int64_t> splits = getSplits();
  if (shape.size() != numInitial || splits.size() != numInitial)
    return std::nullopt;
  SmallVector<Composer::Sum> indices;
  for (auto [index, dim, split] : llvm::enumerate(shape, splits)) {
    std::optional<int64_t> count;
    if (dim.isNumber()) {
      int64_t padded;
      if (llvm::MulOverflow(static_cast<int64_t>(llvm::divideCeil(
                                std::max<int64_t>(dim.getSize(), 1), split)),
                            split, padded))
        return std::nullopt;
      count = padded;
    }
    indices.push_back({{{1, index, 1, count}}});
  }
  std::optional<SmallVector<Composer::Sum>> moved =
      Composer(shape, /*keepsParts=*/true).apply(*this, indices);
  if (!moved)
    return std::nullopt;
  Inverter inverter(*this, shape);
  for (auto [index, sum] : llvm::enumerate(*moved))
    if (!inverter.take(sum, index))
      return std::nullopt;
  for (size_t index = 0; index < numInitial; ++index)
    if (!inverter.addIndex(index))
      return std::nullopt;
  return inverter.finish();
}
