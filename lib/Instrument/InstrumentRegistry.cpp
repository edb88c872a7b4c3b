//===- InstrumentRegistry.cpp - Instruments by name -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace partita;
using namespace partita::instrument;

namespace partita::instrument {
#include "partita/Instrument/Instruments.cpp.inc"
} // namespace partita::instrument

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

void instrument::registerInstrument(InstrumentDeclaration declaration) {
  setInstrumentFactory(createInstrument);
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
  Registry &registry = getRegistry();
  std::unique_lock<std::mutex> lock(registry.mutex);
  // An instrument that is declared already stays.
  if (auto found = registry.instruments.find(name.str());
      found != registry.instruments.end()) {
    lock.unlock();
    return found->second.create(rest);
  }
  auto keys = llvm::make_first_range(registry.instruments);
  std::vector<std::string> names(keys.begin(), keys.end());
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "expected a registered instrument, but found '" + name + "'" +
          transform::suggestNames(
              name, names,
              names.empty() ? "; none is registered; call "
                              "instrument::registerAllInstruments"
                            : "; there are " + llvm::join(names, ", ")));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

void InstrumentOptionParser::add(std::vector<std::string> &field,
                                 llvm::StringRef name,
                                 llvm::StringRef description) {
  auto option = std::make_shared<ListOption<std::string>>(
      *this, name, llvm::cl::desc(description));
  storeValues.push_back([option, &field] { field = (**option).vec(); });
}

llvm::Error InstrumentOptionParser::parse(llvm::StringRef instrument,
                                          llvm::StringRef text) {
  std::string message;
  llvm::raw_string_ostream os(message);
  if (succeeded(parseFromString(text, os))) {
    for (const std::function<void()> &storeValue : storeValues)
      storeValue();
    return llvm::Error::success();
  }
  auto fail = [](const llvm::Twine &error) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
  };
  if (wrongValue)
    return fail("expected option '" + wrongValue->option + "' of instrument '" +
                instrument + "' to be " + wrongValue->kind + ", but found '" +
                wrongValue->text + "'");
  if (message.empty())
    return fail("expected a value for each option of instrument '" +
                instrument + "', but found '" + text + "'");
  llvm::StringRef reason = llvm::StringRef(message).trim();
  llvm::StringRef unknown = reason.split("no such option ").second;
  std::vector<std::string> names;
  for (const InstrumentOption &option : list())
    names.push_back(option.name);
  return fail(
      "expected options that instrument '" + instrument + "' has, but found '" +
      text + "': " + reason +
      (unknown.empty()
           ? ""
           : transform::suggestNames(
                 unknown, names, "; there are " + llvm::join(names, ", "))));
}

std::vector<InstrumentOption> InstrumentOptionParser::list() const {
  std::vector<InstrumentOption> options;
  for (const auto &option : OptionsMap)
    options.push_back(
        {option.second->ArgStr.str(), option.second->HelpStr.str()});
  llvm::sort(options, [](const auto &lhs, const auto &rhs) {
    return lhs.name < rhs.name;
  });
  return options;
}
