//===- DigitSum.cpp - Indices as sums of digits of iterators --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DigitSum.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace partita::relax;

std::optional<Factor> Factor::multiply(const Factor &other) const {
  std::optional<int64_t> product = llvm::checkedMul(number, other.number);
  if (!product)
    return std::nullopt;
  Factor result(*product);
  result.symbols = symbols;
  result.symbols.append(other.symbols);
  llvm::sort(result.symbols);
  return result;
}

std::optional<Factor> Factor::divide(const Factor &other) const {
  if (other.number == 0 || number % other.number != 0)
    return std::nullopt;
  Factor result(number / other.number);
  result.symbols = symbols;
  for (const void *symbol : other.symbols) {
    auto *found = llvm::find(result.symbols, symbol);
    if (found == result.symbols.end())
      return std::nullopt;
    result.symbols.erase(found);
  }
  return result;
}

bool Factor::isAtMost(const Factor &other) const {
  if (isNumber() && other.isNumber())
    return number <= other.number;
  return other.divide(*this).has_value();
}

DigitSum DigitSum::getIterator(unsigned iterator, const Factor &extent) {
  DigitSum sum;
  if (!extent.isOne())
    sum.digits.push_back({iterator, 1, extent, 1});
  return sum;
}

bool DigitSum::multiply(const Factor &factor) {
  for (Digit &digit : digits) {
    std::optional<Factor> place = digit.place.multiply(factor);
    if (!place)
      return false;
    digit.place = *place;
  }
  return true;
}

std::optional<std::pair<DigitSum::Digit, DigitSum::Digit>>
DigitSum::split(const Digit &digit, const Factor &extent) {
  std::optional<Factor> rest = digit.extent.divide(extent),
                        lower = digit.lower.multiply(extent),
                        place = digit.place.multiply(extent);
  if (!rest || !lower || !place)
    return std::nullopt;
  return std::pair(Digit{digit.iterator, digit.lower, extent, digit.place},
                   Digit{digit.iterator, *lower, *rest, *place});
}

bool DigitSum::isBelow(Factor limit) const {
  // The digit of the highest place is below the limit if all of its values
  // are, and the others must be below its place.
  SmallVector<const Digit *> rest =
      llvm::map_to_vector(digits, [](const Digit &digit) { return &digit; });
  while (!rest.empty()) {
    auto *highest = llvm::find_if(rest, [&](const Digit *digit) {
      std::optional<Factor> end = digit->place.multiply(digit->extent);
      return end && end->isAtMost(limit) &&
             llvm::all_of(rest, [&](const Digit *other) {
               return other == digit || other->place.isAtMost(digit->place);
             });
    });
    if (highest == rest.end())
      return false;
    limit = (*highest)->place;
    rest.erase(highest);
  }
  return true;
}

std::optional<std::pair<DigitSum, DigitSum>>
DigitSum::divide(const Factor &divisor) const {
  DigitSum quotient, remainder;
  for (const Digit &digit : digits) {
    if (std::optional<Factor> place = digit.place.divide(divisor)) {
      quotient.digits.push_back(digit);
      quotient.digits.back().place = *place;
      continue;
    }
    std::optional<Factor> below = divisor.divide(digit.place);
    if (!below || digit.extent.isAtMost(*below)) {
      remainder.digits.push_back(digit);
      continue;
    }
    auto parts = split(digit, *below);
    if (!parts)
      return std::nullopt;
    remainder.digits.push_back(parts->first);
    quotient.digits.push_back(parts->second);
    quotient.digits.back().place = 1;
  }
  if (!remainder.isBelow(divisor))
    return std::nullopt;
  return std::pair(quotient, remainder);
}

std::optional<Factor> DigitSum::getEnd() const {
  for (const Digit &digit : digits)
    if (std::optional<Factor> end = digit.place.multiply(digit.extent);
        end && isBelow(*end))
      return end;
  return std::nullopt;
}

std::optional<DigitSum> DigitSum::getDigit(const Digit &digit) const {
  auto high = divide(digit.lower);
  auto low = high ? high->first.divide(digit.extent) : std::nullopt;
  return low && low->second.multiply(digit.place) ? std::optional(low->second)
                                                  : std::nullopt;
}

bool DigitSum::join(SmallVectorImpl<Digit> &digits) {
  for (auto *digit = digits.begin(); digit != digits.end();) {
    std::optional<Factor> lower = digit->lower.multiply(digit->extent),
                          place = digit->place.multiply(digit->extent);
    if (!lower || !place)
      return false;
    auto *next = llvm::find_if(digits, [&](const Digit &each) {
      return each.lower == *lower && each.place == *place;
    });
    if (next == digits.end()) {
      ++digit;
      continue;
    }
    std::optional<Factor> extent = digit->extent.multiply(next->extent);
    if (!extent)
      return false;
    digit->extent = *extent;
    digits.erase(next);
    digit = digits.begin();
  }
  return true;
}

std::optional<DigitSum> DigitSum::expand(unsigned iterator,
                                         const DigitSum &sum) const {
  DigitSum result;
  SmallVector<Digit, 0> ofIterator;
  for (const Digit &digit : digits)
    (digit.iterator == iterator ? ofIterator : result.digits).push_back(digit);
  if (!join(ofIterator))
    return std::nullopt;
  for (const Digit &digit : ofIterator) {
    if (std::optional<DigitSum> expanded = sum.getDigit(digit))
      result.add(*expanded);
    else
      result.digits.push_back(digit);
  }
  return result;
}

bool DigitSum::equals(const DigitSum &other) const {
  SmallVector<Digit, 0> ours = digits, theirs = other.digits;
  while (!ours.empty()) {
    Digit digit = ours.pop_back_val();
    auto *match = llvm::find_if(theirs, [&](const Digit &each) {
      return each.iterator == digit.iterator && each.lower == digit.lower &&
             each.place == digit.place;
    });
    if (match == theirs.end())
      return false;
    Digit matched = *match;
    theirs.erase(match);
    if (matched.extent == digit.extent)
      continue;
    // What the larger one has more must be in the other sum, too.
    bool isOurs = matched.extent.isAtMost(digit.extent);
    auto parts =
        isOurs ? split(digit, matched.extent) : split(matched, digit.extent);
    if (!parts)
      return false;
    (isOurs ? ours : theirs).push_back(parts->second);
  }
  return theirs.empty();
}
