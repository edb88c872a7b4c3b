//===- TextInstruments.h - Instruments of command lines ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_TEXTINSTRUMENTS_H
#define PARTITA_PASS_TEXTINSTRUMENTS_H

#include "partita/Pass/PassInstrument.h"

namespace partita::instrument {

/// Instruments that texts describe, for contexts that follow each other, such
/// as the contexts of a driver's pass managers. An instrument that writes a
/// file goes on where it was left, so that the file has all runs; others begin
/// anew.
class TextInstruments {
public:
  explicit TextInstruments(std::vector<std::string> texts);

  /// Makes what is to begin, and lets it enter the scope of a context; what has
  /// entered leaves again where one fails.
  llvm::Expected<std::vector<PassInstrumentRef>> enter();
  /// Lets all leave it, and report, up to the first that fails.
  llvm::Error leave();
  bool isEntered() const { return entered; }

private:
  struct Item {
    std::string text;
    PassInstrumentRef instrument;
  };
  std::vector<Item> items;
  bool entered = false;
};

} // namespace partita::instrument

#endif // PARTITA_PASS_TEXTINSTRUMENTS_H
