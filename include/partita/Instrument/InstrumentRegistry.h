//===- InstrumentRegistry.h - Instruments by name -------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_INSTRUMENTREGISTRY_H
#define PARTITA_INSTRUMENT_INSTRUMENTREGISTRY_H

#include "partita/Pass/PassInstrument.h"

#include "mlir/Pass/PassOptions.h"
#include "llvm/Support/Error.h"

namespace partita::instrument {

/// An option of an instrument, as `NAME{name=value}`.
struct InstrumentOption {
  std::string name;
  std::string description;
};

/// An instrument that tools make from `NAME{options}`.
struct InstrumentDeclaration {
  std::string name;
  std::string summary;
  /// Makes it from the text between the braces.
  std::function<llvm::Expected<PassInstrumentRef>(llvm::StringRef options)>
      create;
  /// The options, by name.
  std::vector<InstrumentOption> options;
  /// Prints the options, as `--help` does, `indent` columns in.
  std::function<void(size_t indent)> printOptions;
};

void registerInstrument(InstrumentDeclaration declaration);

/// All, by name.
std::vector<InstrumentDeclaration> listInstruments();

/// The instrument that `NAME` or `NAME{options}` stands for. An unknown name is
/// an error with the nearest ones.
llvm::Expected<PassInstrumentRef> createInstrument(llvm::StringRef text);

/// Parses options as MLIR's passes do: "output=FILE top=3".
template <typename OptionsT>
llvm::Expected<std::unique_ptr<OptionsT>> parseOptions(llvm::StringRef name,
                                                       llvm::StringRef text) {
  auto options = std::make_unique<OptionsT>();
  std::string message;
  llvm::raw_string_ostream os(message);
  if (succeeded(options->parseFromString(text, os)))
    return options;
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "expected options that instrument '" + name +
                                     "' has, but found '" + text + "'" +
                                     (message.empty() ? "" : ": ") +
                                     llvm::StringRef(message).trim());
}

/// The options of a PassPipelineOptions, by name.
template <typename OptionsT>
std::vector<InstrumentOption> listOptions() {
  // MLIR has no other access to them, and derives them from two classes.
  // NOLINTNEXTLINE(misc-multiple-inheritance)
  struct Lister : OptionsT {
    std::vector<InstrumentOption> list() const {
      std::vector<InstrumentOption> options;
      for (const auto &option : this->OptionsMap)
        options.push_back(
            {option.second->ArgStr.str(), option.second->HelpStr.str()});
      llvm::sort(options, [](const auto &lhs, const auto &rhs) {
        return lhs.name < rhs.name;
      });
      return options;
    }
  };
  return Lister().list();
}

/// Registers InstrumentT, which is made from a
/// `std::unique_ptr<InstrumentT::Options>` and names itself
/// `InstrumentT::kName`.
template <typename InstrumentT>
void registerInstrument(llvm::StringRef summary) {
  using Options = typename InstrumentT::Options;
  registerInstrument(InstrumentDeclaration{
      InstrumentT::kName.str(), summary.str(),
      [](llvm::StringRef text) -> llvm::Expected<PassInstrumentRef> {
        auto options = parseOptions<Options>(InstrumentT::kName, text);
        if (!options)
          return options.takeError();
        return std::make_shared<InstrumentT>(std::move(*options));
      },
      listOptions<Options>(),
      [](size_t indent) { Options().printHelp(indent, 36); }});
}

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_INSTRUMENTREGISTRY_H
