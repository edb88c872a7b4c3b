//===- RelaxIndexMapComposer.cpp - Index maps one after the other ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita::relax;

/// Computes indices as sums of digits of the first indices.
class IndexMap::Composer {
public:
  explicit Composer(ArrayRef<Dim> shape) : shape(shape) {}

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
  static std::optional<std::pair<Sum, Sum>> divide(const Sum &sum,
                                                   int64_t divisor);

  ArrayRef<Dim> shape;
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
IndexMap::Composer::divide(const Sum &sum, int64_t divisor) {
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
    if (!term.count || *term.count > below) {
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
