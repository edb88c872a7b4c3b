//===- Compare.cpp - Where arrays differ ----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/NumPy/Compare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <limits>

using namespace partita;

/// The bits of the element at `index`, counted in C's order.
static uint64_t getBitsInOrder(const Array &array, size_t index) {
  if (!array.isFortran)
    return array.getBits(index);
  size_t offset = 0, total = array.getNumElements();
  for (int64_t size : llvm::reverse(array.shape)) {
    total /= size;
    offset += index % size * total;
    index /= size;
  }
  return array.getBits(offset);
}

/// By how much the difference of two elements exceeds what is allowed; 0 if it
/// does not. It is infinite where a number stands for NaN or infinity.
static double getExcess(DType dtype, uint64_t expected, uint64_t found,
                        const Tolerance &tolerance) {
  if (expected == found)
    return 0;
  double left = readNumber(dtype, expected), right = readNumber(dtype, found);
  // Large integers can be the same as floats.
  double difference = std::fabs(left - right);
  if (!dtype.isFloat())
    difference = std::max(difference, 1.0);
  else if (left == right || (std::isnan(left) && std::isnan(right)))
    return 0;
  if (!std::isfinite(difference))
    return std::numeric_limits<double>::infinity();
  if (dtype.code == kBoolCode)
    return difference;
  double usual = !dtype.isFloat()   ? 0
                 : dtype.bits == 8  ? 0.25
                 : dtype.bits == 16 ? 1e-2
                 : dtype.bits == 32 ? 1e-4
                                    : 1e-9;
  double allowed = tolerance.absolute.value_or(usual) +
                   tolerance.relative.value_or(usual) * std::fabs(left);
  return std::max(difference - allowed, 0.0);
}

static std::string printOne(DType dtype, uint64_t bits, bool isExact) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isExact && dtype.isFloat())
    os << llvm::format("%.17g", readReal(dtype, bits));
  else
    printElement(dtype, bits, os);
  return text;
}

/// The worst element that differs, if there is one.
static std::optional<Difference> findWorst(const Array &expected,
                                           const Array &found,
                                           const Tolerance &tolerance) {
  Difference difference;
  difference.numElements = expected.getNumElements();
  double worst = 0;
  size_t worstIndex = 0;
  for (size_t index = 0; index < difference.numElements; ++index) {
    double excess = getExcess(expected.dtype, getBitsInOrder(expected, index),
                              getBitsInOrder(found, index), tolerance);
    if (excess == 0)
      continue;
    ++difference.numDifferent;
    if (excess > worst) {
      worst = excess;
      worstIndex = index;
    }
  }
  if (difference.numDifferent == 0)
    return std::nullopt;
  difference.place = expected.printPlace(worstIndex);
  for (bool isExact : {false, true}) {
    difference.expected =
        printOne(expected.dtype, getBitsInOrder(expected, worstIndex), isExact);
    difference.found =
        printOne(found.dtype, getBitsInOrder(found, worstIndex), isExact);
    if (difference.expected != difference.found)
      break;
  }
  return difference;
}

std::optional<Difference>
partita::findDifference(llvm::ArrayRef<Array> expected,
                        llvm::ArrayRef<Array> found,
                        const Tolerance &tolerance) {
  Difference difference;
  if (expected.size() != found.size()) {
    difference.expected = std::to_string(expected.size());
    difference.found = std::to_string(found.size()) + " outputs";
    return difference;
  }
  for (auto [index, left, right] : llvm::enumerate(expected, found)) {
    if (left.dtype != right.dtype || left.shape != right.shape) {
      difference.output = index;
      difference.expected = left.printType();
      difference.found = right.printType();
      return difference;
    }
    if (std::optional<Difference> worst = findWorst(left, right, tolerance)) {
      worst->output = index;
      return worst;
    }
  }
  return std::nullopt;
}

std::string Difference::print() const {
  std::string text = found + (place.empty() ? "" : " at " + place) +
                     (output ? " of output " + std::to_string(*output) : "") +
                     " in place of " + expected;
  if (numDifferent != 0)
    text += " (" + std::to_string(numDifferent) + " of " +
            std::to_string(numElements) + " elements differ)";
  return text;
}
