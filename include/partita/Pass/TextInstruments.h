//===- TextInstruments.h - Instruments of command lines ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_TEXTINSTRUMENTS_H
#define PARTITA_PASS_TEXTINSTRUMENTS_H

#include "partita/Pass/PassContext.h"

namespace partita::instrument {

/// Instruments given as texts, for successive contexts, such as the contexts of
/// a driver's pass managers. An instrument that writes files continues them, so
/// that they have all runs; other instruments begin anew.
class TextInstruments {
public:
  explicit TextInstruments(std::vector<std::string> texts);

  /// Makes the instruments that begin anew, and enters the scope of a context.
  /// If one fails, the instruments that had entered leave again.
  llvm::Expected<std::vector<PassInstrumentRef>> enter();
  /// Leaves the scope of `context`, which has the instruments. If anything has
  /// run under it, they report, up to the first that fails.
  llvm::Error leave(const transform::PassContext &context);

private:
  struct Item {
    std::string text;
    PassInstrumentRef instrument;
  };
  std::vector<Item> items;
};

} // namespace partita::instrument

#endif // PARTITA_PASS_TEXTINSTRUMENTS_H
