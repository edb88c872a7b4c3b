//===- Inflate.cpp - Compressed data of zip files -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's wheels are built without zlib, and LLVM's interface to zlib lacks raw
// DEFLATE, which zip files have.
//
//===----------------------------------------------------------------------===//

#include "Inflate.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace partita;

namespace {
constexpr unsigned kMaxBits = 15;

/// A canonical Huffman code.
class Code {
public:
  /// From the length of each symbol's code, 0 for no code. False if the lengths
  /// make no code.
  bool set(llvm::ArrayRef<uint8_t> lengths);

  /// How many codes have each length, and the symbols in the order of their
  /// codes.
  uint16_t counts[kMaxBits + 1];
  uint16_t symbols[288];
};

class Inflater {
public:
  Inflater(llvm::StringRef data, uint64_t size) : data(data), limit(size) {}

  /// False if the data are damaged.
  bool run();
  std::string output;

private:
  bool readBits(unsigned count, unsigned &bits);
  bool readSymbol(const Code &code, unsigned &symbol);
  bool copyStored();
  bool setFixedCodes();
  bool readCodes();
  bool expandBlock();
  bool repeat(unsigned symbol);

  llvm::StringRef data;
  uint64_t limit;
  size_t position = 0;
  unsigned buffer = 0, numBuffered = 0;
  Code literals, distances;
};
} // namespace

bool Code::set(llvm::ArrayRef<uint8_t> lengths) {
  llvm::fill(counts, 0);
  for (uint8_t length : lengths)
    ++counts[length];
  // How many codes of each length are left. One code alone may be incomplete.
  int left = 1;
  unsigned numCodes = lengths.size() - counts[0];
  for (unsigned length = 1; length <= kMaxBits; ++length) {
    left = 2 * left - counts[length];
    if (left < 0)
      return false;
  }
  if (left > 0 && numCodes > 1)
    return false;
  uint16_t offsets[kMaxBits + 1] = {};
  for (unsigned length = 1; length < kMaxBits; ++length)
    offsets[length + 1] = offsets[length] + counts[length];
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol)
    if (lengths[symbol])
      symbols[offsets[lengths[symbol]]++] = symbol;
  return true;
}

bool Inflater::readBits(unsigned count, unsigned &bits) {
  while (numBuffered < count) {
    if (position == data.size())
      return false;
    buffer |= unsigned(uint8_t(data[position++])) << numBuffered;
    numBuffered += 8;
  }
  bits = buffer & ((1u << count) - 1);
  buffer >>= count;
  numBuffered -= count;
  return true;
}

bool Inflater::readSymbol(const Code &code, unsigned &symbol) {
  int value = 0, first = 0, index = 0;
  for (unsigned length = 1; length <= kMaxBits; ++length) {
    unsigned bit;
    if (!readBits(1, bit))
      return false;
    value |= bit;
    int count = code.counts[length];
    if (value - count < first) {
      symbol = code.symbols[index + (value - first)];
      return true;
    }
    index += count;
    first = (first + count) << 1;
    value <<= 1;
  }
  return false;
}

bool Inflater::copyStored() {
  // The rest of a byte is skipped.
  buffer = numBuffered = 0;
  unsigned size, complement;
  if (!readBits(16, size) || !readBits(16, complement) ||
      size != (complement ^ 0xffff) || data.size() - position < size ||
      limit - output.size() < size)
    return false;
  output += data.substr(position, size);
  position += size;
  return true;
}

bool Inflater::setFixedCodes() {
  uint8_t lengths[288];
  for (unsigned symbol = 0; symbol < 288; ++symbol)
    lengths[symbol] = symbol < 144   ? 8
                      : symbol < 256 ? 9
                      : symbol < 280 ? 7
                                     : 8;
  uint8_t others[32];
  llvm::fill(others, 5);
  return literals.set(lengths) && distances.set(others);
}

bool Inflater::readCodes() {
  static constexpr uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
  unsigned numLiterals, numDistances, numLengths;
  if (!readBits(5, numLiterals) || !readBits(5, numDistances) ||
      !readBits(4, numLengths))
    return false;
  numLiterals += 257;
  numDistances += 1;
  uint8_t lengths[288 + 32] = {};
  for (unsigned i = 0; i < numLengths + 4; ++i) {
    unsigned length;
    if (!readBits(3, length))
      return false;
    lengths[order[i]] = length;
  }
  Code code;
  if (!code.set(llvm::ArrayRef(lengths, 19)))
    return false;
  unsigned total = numLiterals + numDistances, next = 0;
  while (next < total) {
    unsigned symbol, count = 1;
    uint8_t length = 0;
    if (!readSymbol(code, symbol))
      return false;
    if (symbol < 16) {
      length = symbol;
    } else {
      static constexpr uint8_t bits[] = {2, 3, 7}, least[] = {3, 3, 11};
      if (symbol == 16 && next == 0)
        return false;
      if (symbol == 16)
        length = lengths[next - 1];
      if (!readBits(bits[symbol - 16], count))
        return false;
      count += least[symbol - 16];
    }
    if (count > total - next)
      return false;
    std::fill_n(lengths + next, count, length);
    next += count;
  }
  // Without the end of the block there is none.
  return numLiterals <= 286 && lengths[256] &&
         literals.set(llvm::ArrayRef(lengths, numLiterals)) &&
         distances.set(llvm::ArrayRef(lengths + numLiterals, numDistances));
}

/// Appends bytes that were written before: `symbol` stands for their number.
bool Inflater::repeat(unsigned symbol) {
  static constexpr uint16_t lengths[] = {
      3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
      31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static constexpr uint8_t lengthBits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                           1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                           4, 4, 4, 4, 5, 5, 5, 5, 0};
  symbol -= 257;
  unsigned extra, slot;
  if (symbol >= std::size(lengths) || !readBits(lengthBits[symbol], extra) ||
      !readSymbol(distances, slot) || slot >= 30)
    return false;
  unsigned length = lengths[symbol] + extra;
  unsigned numBits = slot < 4 ? 0 : slot / 2 - 1;
  if (!readBits(numBits, extra))
    return false;
  size_t distance = 1 + (slot < 4 ? slot : ((2 + slot % 2) << numBits)) + extra;
  if (distance > output.size() || limit - output.size() < length)
    return false;
  // The bytes can overlap.
  for (; length; --length)
    output.push_back(output[output.size() - distance]);
  return true;
}

bool Inflater::expandBlock() {
  while (true) {
    unsigned symbol;
    if (!readSymbol(literals, symbol))
      return false;
    if (symbol == 256)
      return true;
    if (symbol < 256) {
      if (output.size() == limit)
        return false;
      output.push_back(char(symbol));
    } else if (!repeat(symbol)) {
      return false;
    }
  }
}

bool Inflater::run() {
  unsigned isLast = 0;
  while (!isLast) {
    unsigned kind;
    if (!readBits(1, isLast) || !readBits(2, kind) || kind == 3)
      return false;
    bool isGood = kind == 0 ? copyStored()
                            : (kind == 1 ? setFixedCodes() : readCodes()) &&
                                  expandBlock();
    if (!isGood)
      return false;
  }
  return output.size() == limit;
}

std::optional<std::string> partita::inflate(llvm::StringRef data,
                                            uint64_t size) {
  Inflater inflater(data, size);
  if (!inflater.run())
    return std::nullopt;
  return std::move(inflater.output);
}
