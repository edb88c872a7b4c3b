//===- EscapeText.cpp - Escapes text for terminals ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/EscapeText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace partita;
using llvm::StringRef;

/// The number of bytes at the start of `text` that are ASCII characters printed
/// as they are.
static size_t countPlain(StringRef text) {
  auto isOther = [](char c) { return uint8_t(c - 0x20) >= 0x7F - 0x20; };
  // Blocks have no branches, so that the compiler vectorizes them.
  constexpr size_t blockSize = 64;
  size_t size = 0;
  for (; size + blockSize <= text.size(); size += blockSize) {
    unsigned numOthers = 0;
    for (size_t index = 0; index < blockSize; ++index)
      numOthers += isOther(text[size + index]);
    if (numOthers != 0)
      break;
  }
  while (size < text.size() && !isOther(text[size]))
    ++size;
  return size;
}

/// Calls `escape` on each character that must be escaped. Each is one byte, or
/// two bytes identified by the second.
template <typename EscapeT>
static std::string replaceControls(StringRef text, StringRef kept,
                                   EscapeT escape) {
  size_t index = countPlain(text);
  bool isUTF8 = index == text.size() || llvm::json::isUTF8(text);
  std::string result;
  result.reserve(text.size());
  // Text in between is copied as a whole.
  size_t begin = 0;
  for (; index < text.size(); index += countPlain(text.drop_front(index))) {
    auto c = static_cast<unsigned char>(text[index]);
    bool isControl = (c < 0x20 && !kept.contains(text[index])) || c == 0x7F;
    // The control characters U+0080 to U+009F are C2 and a byte from 80 to 9F.
    bool isC1 = isUTF8 && c == 0xC2 && index + 1 < text.size() &&
                static_cast<unsigned char>(text[index + 1]) < 0xA0;
    size_t size = isC1 ? 2 : 1;
    if (isC1 || isControl || (!isUTF8 && c >= 0x80)) {
      result += text.slice(begin, index);
      escape(text.substr(index, size), result);
      begin = index + size;
    }
    index += size;
  }
  result += text.drop_front(begin);
  return result;
}

static void escapeBytes(StringRef bytes, std::string &result) {
  for (char byte : bytes)
    result += "\\" + llvm::toHex(StringRef(&byte, 1));
}

std::string partita::escapeName(StringRef name) {
  return replaceControls(name, "", escapeBytes);
}

std::string partita::escapeText(StringRef text) {
  return replaceControls(text, "\t\n", escapeBytes);
}

std::string partita::escapeJSON(StringRef text) {
  return replaceControls(
      text, "\t\n", [](StringRef bytes, std::string &result) {
        result += "\\u00" + llvm::toHex(bytes.take_back(), /*LowerCase=*/true);
      });
}
