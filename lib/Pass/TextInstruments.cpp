//===- TextInstruments.cpp - Instruments of command lines -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/TextInstruments.h"
#include "PassInstrumentImpl.h"

using namespace partita::instrument;

TextInstruments::TextInstruments(std::vector<std::string> texts) {
  for (std::string &text : texts)
    items.push_back({std::move(text), nullptr});
}

/// Whether the instrument writes files, which another one would begin anew. The
/// report writes one by default.
static bool writesFiles(llvm::StringRef text) {
  return text.contains("output=") || text.contains("dir=") ||
         text.split('{').first.trim() == "report";
}

llvm::Expected<std::vector<PassInstrumentRef>> TextInstruments::enter() {
  std::vector<PassInstrumentRef> instruments;
  for (Item &item : items) {
    if (!item.instrument || !writesFiles(item.text)) {
      llvm::Expected<PassInstrumentRef> made = makeInstrument(item.text);
      bool isMade = bool(made);
      llvm::Error error =
          isMade ? (*made)->enterPassContext() : made.takeError();
      if (error) {
        if (isMade)
          error = llvm::createStringError(transform::describeFailure(
              **made, "to enter the pass context", std::move(error)));
        while (!instruments.empty()) {
          if (llvm::Error second = instruments.back()->abandonPassContext())
            error = llvm::joinErrors(std::move(error), std::move(second));
          instruments.pop_back();
        }
        return std::move(error);
      }
      item.instrument = std::move(*made);
    }
    instruments.push_back(item.instrument);
  }
  return instruments;
}

llvm::Error TextInstruments::leave(const transform::PassContext &context) {
  for (const Item &item : items)
    if (llvm::Error error = context.hasRun()
                                ? item.instrument->exitPassContext()
                                : item.instrument->abandonPassContext())
      return llvm::createStringError(transform::describeFailure(
          *item.instrument, "to exit the pass context", std::move(error)));
  return llvm::Error::success();
}
