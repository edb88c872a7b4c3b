//===- SizeComparison.cpp - Compare sums of products of sizes -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum is positive where all names are at least some numbers if it is when
// written in what the names have more than these numbers: no term subtracts,
// and one has no names. If each term has a name at most once, the sum is least
// where the name is least or greatest.
//
//===----------------------------------------------------------------------===//

#include "SizeComparison.h"

using namespace mlir;
using namespace partita::relax;
using llvm::DynamicAPInt;

void SizeSum::addTerm(Terms &terms, Names names, DynamicAPInt number) {
  auto [it, isNew] = terms.try_emplace(std::move(names), number);
  if (!isNew)
    it->second += number;
  if (it->second == 0)
    terms.erase(it);
}

void SizeSum::addTimes(ArrayRef<Dim> product, int64_t factor) {
  DynamicAPInt number(factor);
  Names names;
  for (Dim dim : product)
    if (dim.isNumber())
      number *= dim.getSize();
    else
      names.push_back(
          numbers.try_emplace(dim.getName(), numbers.size()).first->second);
  llvm::sort(names);
  addTerm(terms, std::move(names), number);
}

SizeSum::Terms SizeSum::replace(const Terms &terms, unsigned name,
                                int64_t number) {
  Terms result;
  for (const auto &[names, factor] : terms) {
    DynamicAPInt product = factor;
    Names rest;
    for (unsigned each : names)
      if (each == name)
        product *= number;
      else
        rest.push_back(each);
    addTerm(result, std::move(rest), product);
  }
  return result;
}

SizeSum::Terms SizeSum::shift(const Terms &terms, unsigned name,
                              int64_t number) {
  Terms result;
  for (const auto &[names, factor] : terms) {
    Names rest;
    for (unsigned each : names)
      if (each != name)
        rest.push_back(each);
    // (name + number) to the power of `degree`, by binomial coefficients.
    unsigned degree = names.size() - rest.size();
    DynamicAPInt product = factor;
    for (unsigned taken = 0; taken <= degree; ++taken) {
      Names all = rest;
      all.append(degree - taken, name);
      llvm::sort(all);
      addTerm(result, std::move(all), product);
      product = product * int64_t(degree - taken) * number / (taken + 1);
    }
  }
  return result;
}

bool SizeSum::isLinear() const {
  return llvm::all_of(terms, [](const auto &term) {
    return std::adjacent_find(term.first.begin(), term.first.end()) ==
           term.first.end();
  });
}

bool SizeSum::isPositive(const llvm::StringMap<SizeLimits> &limits) const {
  // More names would take too long.
  constexpr unsigned maxNames = 12, maxBounded = 4;
  if (numbers.size() > maxNames)
    return false;
  std::vector<Terms> cases = {terms};
  bool usesEnds = isLinear();
  unsigned numBounded = 0;
  for (auto [name, number] : numbers) {
    SizeLimits known = limits.lookup(name.getValue());
    std::vector<Terms> next;
    bool hasEnd = usesEnds && known.end && *known.end > known.first &&
                  ++numBounded <= maxBounded;
    for (const Terms &each : cases) {
      if (!hasEnd) {
        next.push_back(shift(each, number, known.first));
        continue;
      }
      next.push_back(replace(each, number, known.first));
      next.push_back(replace(each, number, *known.end - 1));
    }
    cases = std::move(next);
  }
  return llvm::all_of(cases, [](const Terms &each) {
    auto constant = each.find({});
    return constant != each.end() && constant->second > 0 &&
           llvm::all_of(each,
                        [](const auto &term) { return term.second >= 0; });
  });
}
