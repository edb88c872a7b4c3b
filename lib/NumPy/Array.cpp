//===- Array.cpp - Arrays of numbers --------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/NumPy/Array.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cstring>
#include <random>

using namespace partita;

uint64_t Array::getBits(size_t index) const {
  uint64_t bits = 0;
  size_t bytes = dtype.getBytes();
  std::memcpy(&bits, data.data() + index * bytes, bytes);
  return bits;
}

static std::string printList(llvm::ArrayRef<int64_t> numbers) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(numbers, os);
  os << "]";
  return text;
}

std::string Array::printType() const {
  return getName(dtype) + printList(shape);
}

std::string Array::printPlace(size_t index) const {
  llvm::SmallVector<int64_t> place(shape.size());
  for (size_t i = place.size(); i-- > 0; index /= shape[i])
    place[i] = index % shape[i];
  return printList(place);
}

static int64_t readSigned(DType dtype, uint64_t bits) {
  unsigned unused = 64 - dtype.bits;
  return int64_t(bits << unused) >> unused;
}

double partita::readNumber(DType dtype, uint64_t bits) {
  if (dtype.code == kIntCode)
    return double(readSigned(dtype, bits));
  return dtype.isFloat() ? readReal(dtype, bits) : double(bits);
}

void partita::printElement(DType dtype, uint64_t bits, llvm::raw_ostream &os) {
  if (dtype.code == kBoolCode) {
    os << (bits ? "True" : "False");
  } else if (dtype.code == kUIntCode) {
    os << bits;
  } else if (dtype.code == kIntCode) {
    os << readSigned(dtype, bits);
  } else {
    int digits = dtype.bits == 64 ? 15 : dtype.bits == 32 ? 6 : 3;
    os << llvm::format("%.*g", digits, readReal(dtype, bits));
  }
}

void partita::fillRandomly(DType dtype, uint64_t count, uint64_t seed,
                           char *data) {
  std::mt19937_64 engine(seed);
  for (; count; --count, data += dtype.getBytes()) {
    // The distributions of the standard library differ between libraries.
    uint64_t random = engine();
    uint64_t bits = dtype.code == kBoolCode ? random % 2 : random % 10;
    if (dtype.isFloat())
      bits = writeReal(dtype, double(random >> 11) * 0x1p-52 - 1);
    // Little endian, as the processors that the runtime knows are.
    std::memcpy(data, &bits, dtype.getBytes());
  }
}
