//===- InstrumentRegistry.h - Instruments by name -------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_INSTRUMENTREGISTRY_H
#define PARTITA_INSTRUMENT_INSTRUMENTREGISTRY_H

#include "partita/Pass/Run.h"

#include "mlir/Pass/PassOptions.h"
#include "llvm/Support/Error.h"

#include <mutex>

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

/// An option with what it is to be, and what it was given.
struct WrongValue {
  std::string option, kind, text;
};
/// Keeps what a parser, which has no place for it, has found on this thread.
void keepWrongValue(WrongValue value);
std::optional<WrongValue> takeWrongValue();

/// The options of an instrument: MLIR's, which keep what is wrong with a value
/// where LLVM would print it to stderr.
template <typename T>
class InstrumentOptions : public mlir::PassPipelineOptions<T> {
public:
  template <typename DataT>
  class Option : public mlir::detail::PassOptions::Option<DataT> {
    using Base = mlir::detail::PassOptions::Option<DataT>;

  public:
    template <typename... Args>
    Option(InstrumentOptions &options, llvm::StringRef name, Args &&...args)
        : Base(options, name, std::forward<Args>(args)...) {}
    using Base::operator=;

  private:
    bool handleOccurrence(unsigned position, llvm::StringRef name,
                          llvm::StringRef text) override {
      std::string kind = describeOtherKind(text);
      if (!kind.empty()) {
        keepWrongValue({name.str(), std::move(kind), text.str()});
        return true;
      }
      DataT value{};
      if (this->getParser().parse(*this, name, text, value))
        return true;
      // The callback is what tells MLIR that there is a value.
      *this = value;
      this->setPosition(position);
      return false;
    }

    /// What the option holds, if `text` is none; else empty.
    std::string describeOtherKind(llvm::StringRef text) {
      if constexpr (std::is_same_v<DataT, bool>) {
        // LLVM takes a text that is empty, too, which a flag alone is.
        bool isBool =
            !text.data() || llvm::is_contained({"true", "TRUE", "True", "1",
                                                "false", "FALSE", "False", "0"},
                                               text);
        return isBool ? "" : "true or false";
      } else if constexpr (std::is_integral_v<DataT>) {
        DataT value;
        if (!text.getAsInteger(0, value))
          return "";
        return std::is_signed_v<DataT> ? "an integer"
                                       : "an integer of 0 or more";
      } else if constexpr (std::is_enum_v<DataT>) {
        auto &parser = this->getParser();
        unsigned end = parser.getNumOptions();
        if (parser.findOption(text) != end)
          return "";
        std::string names;
        for (unsigned i = 0; i < end; ++i)
          names += (i == 0         ? ""
                    : i + 1 == end ? " or "
                                   : ", ") +
                   parser.getOption(i).str();
        return names;
      } else {
        return "";
      }
    }
  };

private:
  friend T;
  InstrumentOptions() = default;
};

/// Parses options as MLIR's passes do: "output=FILE top=3".
template <typename OptionsT>
llvm::Expected<std::unique_ptr<OptionsT>> parseOptions(llvm::StringRef name,
                                                       llvm::StringRef text) {
  auto options = std::make_unique<OptionsT>();
  std::string message;
  llvm::raw_string_ostream os(message);
  if (succeeded(options->parseFromString(text, os)))
    return options;
  auto fail = [](const llvm::Twine &error) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
  };
  if (std::optional<WrongValue> wrong = takeWrongValue())
    return fail("expected option '" + wrong->option + "' of instrument '" +
                name + "' to be " + wrong->kind + ", but found '" +
                wrong->text + "'");
  if (message.empty())
    return fail("expected a value for each option of instrument '" + name +
                "', but found '" + text + "'");
  return fail("expected options that instrument '" + name +
              "' has, but found '" + text +
              "': " + llvm::StringRef(message).trim());
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
