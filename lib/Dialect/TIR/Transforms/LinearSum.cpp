//===- LinearSum.cpp - Sums of affine expressions -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearSum.h"

#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace mlir;
using namespace partita;
using namespace partita::tir;

static constexpr int64_t maxNumber = int64_t(1) << 44;
static constexpr unsigned maxSize = 256;

void LinearSum::addTerm(AffineExpr term, int64_t factor) {
  auto [entry, isNew] = terms.try_emplace(term, factor);
  if (!isNew)
    entry->second += factor;
}

void LinearSum::add(AffineExpr expr, int64_t factor) {
  SmallVector<std::pair<AffineExpr, int64_t>> worklist = {{expr, factor}};
  while (!worklist.empty()) {
    auto [inner, times] = worklist.pop_back_val();
    auto binary = dyn_cast<AffineBinaryOpExpr>(inner);
    if (auto constant = dyn_cast<AffineConstantExpr>(inner)) {
      number += constant.getValue() * times;
    } else if (inner.getKind() == AffineExprKind::Add) {
      worklist.emplace_back(binary.getRHS(), times);
      worklist.emplace_back(binary.getLHS(), times);
    } else if (inner.getKind() == AffineExprKind::Mul) {
      int64_t by = cast<AffineConstantExpr>(binary.getRHS()).getValue();
      worklist.emplace_back(binary.getLHS(), times * by);
    } else {
      addTerm(inner, times);
    }
  }
}

void LinearSum::sort() {
  // Dimensions have the order in which the program uses them.
  auto getPlace = [](AffineExpr term) -> int64_t {
    auto dim = dyn_cast<AffineDimExpr>(term);
    return dim ? dim.getPosition() : std::numeric_limits<int64_t>::max();
  };
  sort([&](AffineExpr a, AffineExpr b) { return getPlace(a) < getPlace(b); });
}

void LinearSum::sort(
    llvm::function_ref<bool(AffineExpr, AffineExpr)> isBefore) {
  auto sorted = llvm::to_vector(terms);
  llvm::stable_sort(sorted, [&](const auto &a, const auto &b) {
    return isBefore(a.first, b.first);
  });
  terms.clear();
  for (auto [term, factor] : sorted)
    addTerm(term, factor);
}

/// Whether `divisor` divides `a - b`, whatever the dimensions are.
static bool isCongruent(AffineExpr a, AffineExpr b, int64_t divisor) {
  LinearSum difference(a);
  difference.add(b, -1);
  // `x mod c * d` is `x * d`, but for multiples of `c * d`.
  SmallVector<std::pair<AffineExpr, int64_t>> worklist;
  auto takeRemainders = [&] {
    for (auto &[term, factor] : difference.terms)
      if (term.getKind() == AffineExprKind::Mod && factor % divisor != 0) {
        auto mod = cast<AffineBinaryOpExpr>(term);
        int64_t modulus =
            cast<AffineConstantExpr>(mod.getRHS()).getValue() % divisor;
        if (isSmall(term, factor % divisor) &&
            modulus * (factor % divisor) % divisor == 0)
          worklist.emplace_back(mod.getLHS(), std::exchange(factor, 0));
      }
    return !worklist.empty();
  };
  while (takeRemainders())
    for (auto [expr, factor] : std::exchange(worklist, {}))
      difference.add(expr, factor % divisor);
  return difference.number % divisor == 0 &&
         llvm::all_of(difference.terms, [&](const auto &entry) {
           return entry.second % divisor == 0;
         });
}

bool LinearSum::joinQuotient(AffineExpr term, int64_t factor) {
  auto mod = cast<AffineBinaryOpExpr>(term);
  int64_t divisor = cast<AffineConstantExpr>(mod.getRHS()).getValue();
  for (auto [other, times] : terms) {
    auto quotient = dyn_cast<AffineBinaryOpExpr>(other);
    if (other.getKind() != AffineExprKind::FloorDiv ||
        times != factor * divisor || quotient.getRHS() != mod.getRHS() ||
        !isCongruent(mod.getLHS(), quotient.getLHS(), divisor))
      continue;
    terms[other] = 0;
    terms[term] = 0;
    add(quotient.getLHS(), factor);
    return true;
  }
  return false;
}

bool LinearSum::takeRemainder(AffineExpr term, int64_t factor) {
  auto quotient = cast<AffineBinaryOpExpr>(term);
  int64_t divisor = cast<AffineConstantExpr>(quotient.getRHS()).getValue();
  if (factor % divisor != 0)
    return false;
  LinearSum dividend(quotient.getLHS()), result = *this;
  int64_t times = factor / divisor;
  auto cancels = [&](const auto &entry) {
    auto [part, by] = entry;
    return by != 0 && terms.lookup(part) == -times * by;
  };
  if (llvm::none_of(dividend.terms, cancels))
    return false;
  result.terms[term] = 0;
  result.add(quotient.getLHS(), times);
  result.add(quotient.getLHS() % divisor, -times);
  auto isUsed = [](const auto &entry) { return entry.second != 0; };
  if (llvm::count_if(result.terms, isUsed) > llvm::count_if(terms, isUsed))
    return false;
  *this = std::move(result);
  return true;
}

void LinearSum::joinQuotients() {
  auto joinOne = [&] {
    return llvm::any_of(llvm::to_vector(terms), [&](const auto &entry) {
      auto [term, factor] = entry;
      return term.getKind() == AffineExprKind::Mod && factor != 0 &&
             joinQuotient(term, factor);
    });
  };
  auto takeOne = [&] {
    return llvm::any_of(llvm::to_vector(terms), [&](const auto &entry) {
      auto [term, factor] = entry;
      return term.getKind() == AffineExprKind::FloorDiv && factor != 0 &&
             takeRemainder(term, factor);
    });
  };
  while (joinOne() || takeOne())
    ;
}

std::pair<LinearSum, LinearSum> LinearSum::split(int64_t factor) const {
  std::pair<LinearSum, LinearSum> parts;
  for (auto [term, times] : terms)
    if (times % factor == 0)
      parts.first.addTerm(term, times / factor);
    else
      parts.second.addTerm(term, times);
  parts.first.number = llvm::divideFloorSigned(number, factor);
  parts.second.number = number - parts.first.number * factor;
  return parts;
}

AffineExpr LinearSum::getExpr(MLIRContext *context) const {
  AffineExpr expr;
  for (auto [term, factor] : terms) {
    if (factor == 0)
      continue;
    AffineExpr product = term * factor;
    expr = expr ? expr + product : product;
  }
  AffineExpr constant = getAffineConstantExpr(number, context);
  if (!expr)
    return constant;
  return number == 0 ? expr : expr + constant;
}

AffineExpr tir::add(AffineExpr a, AffineExpr b, int64_t factor) {
  LinearSum sum(a);
  sum.add(b, factor);
  return sum.getExpr(a.getContext());
}

AffineExpr tir::multiply(AffineExpr expr, int64_t factor) {
  LinearSum sum;
  sum.add(expr, factor);
  return sum.getExpr(expr.getContext());
}

AffineExpr tir::moveNumberIntoQuotient(AffineExpr expr) {
  LinearSum sum(expr);
  for (auto [term, factor] : sum.terms) {
    if (term.getKind() != AffineExprKind::FloorDiv || sum.number == 0 ||
        factor == 0 || sum.number % factor != 0)
      continue;
    auto quotient = cast<AffineBinaryOpExpr>(term);
    LinearSum dividend(quotient.getLHS());
    int64_t divisor = cast<AffineConstantExpr>(quotient.getRHS()).getValue();
    AffineExpr number =
        getAffineConstantExpr(sum.number / factor, expr.getContext());
    if (dividend.number == 0 || !isSmall(number, divisor))
      continue;
    dividend.add(number, divisor);
    sum.number = 0;
    AffineExpr moved = dividend.getExpr(expr.getContext()).floorDiv(divisor);
    int64_t times = std::exchange(sum.terms[term], 0);
    sum.addTerm(moved, times);
    return sum.getExpr(expr.getContext());
  }
  return expr;
}

bool tir::isSmall(AffineExpr expr, int64_t factor) {
  bool small = true;
  unsigned numTerms = 0;
  expr.walk([&](AffineExpr inner) {
    ++numTerms;
    int64_t product = factor;
    if (auto constant = dyn_cast<AffineConstantExpr>(inner))
      small &= !llvm::MulOverflow(constant.getValue(), factor, product);
    small &= product >= -maxNumber && product <= maxNumber;
  });
  return small && numTerms <= maxSize;
}
