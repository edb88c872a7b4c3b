//===- InstrumentRegistry.cpp - Instruments by name -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace partita;
using namespace partita::instrument;

namespace {
struct Registry {
  std::mutex mutex;
  std::map<std::string, InstrumentDeclaration> instruments;
};
} // namespace

static Registry &getRegistry() {
  static Registry registry;
  return registry;
}

static thread_local std::optional<WrongValue> wrongValue;

void instrument::keepWrongValue(WrongValue value) {
  wrongValue = std::move(value);
}

std::optional<WrongValue> instrument::takeWrongValue() {
  return std::exchange(wrongValue, std::nullopt);
}

void instrument::registerInstrument(InstrumentDeclaration declaration) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.instruments.try_emplace(declaration.name, declaration);
}

std::vector<InstrumentDeclaration> instrument::listInstruments() {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  std::vector<InstrumentDeclaration> list;
  for (const auto &[name, declaration] : registry.instruments)
    list.push_back(declaration);
  return list;
}

llvm::Expected<PassInstrumentRef>
instrument::createInstrument(llvm::StringRef text) {
  auto [name, rest] = text.split('{');
  name = name.trim();
  bool hasOptions = name.size() != text.trim().size();
  rest = rest.rtrim();
  if (hasOptions && !rest.consume_back("}"))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "expected an instrument as NAME{options}, "
                                   "but found '" +
                                       text + "'");
  std::vector<std::string> names;
  for (const InstrumentDeclaration &declaration : listInstruments()) {
    if (declaration.name == name)
      return declaration.create(rest);
    names.push_back(declaration.name);
  }
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "expected a registered instrument, but found '" + name + "'" +
          transform::suggestNames(name, names,
                                  "; there are " + llvm::join(names, ", ")));
}
