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

/// How a reproducer keeps an instrument.
enum class Replay { Keep, Drop, DropOptions };

/// An instrument that tools make from `NAME{options}`.
struct InstrumentDeclaration {
  std::string name;
  std::string summary;
  Replay replay;
  /// Makes the instrument from the text between the braces.
  std::function<llvm::Expected<PassInstrumentRef>(llvm::StringRef options)>
      create;
  /// The options, by name.
  std::vector<InstrumentOption> options;
  /// Prints the options as `--help` does, indented by `indent` columns.
  std::function<void(size_t indent)> printOptions;
};

void registerInstrument(InstrumentDeclaration declaration);

/// All instruments, by name.
std::vector<InstrumentDeclaration> listInstruments();

/// Makes an instrument from `NAME` or `NAME{options}`. Fails for an unknown
/// name, with the nearest ones.
llvm::Expected<PassInstrumentRef> createInstrument(llvm::StringRef text);

/// Reads options as MLIR's passes do, "output=FILE top=3", into the fields of a
/// struct. Errors in values are kept; LLVM would print them to stderr.
class InstrumentOptionParser : public mlir::detail::PassOptions {
public:
  /// Adds an option whose default is the value in `field`: a bool, an integer,
  /// a string, a vector of strings, or an enum with its llvm::cl::values.
  template <typename T, typename... ModsT>
  void add(T &field, llvm::StringRef name, llvm::StringRef description,
           ModsT &&...mods) {
    auto option = std::make_shared<Option<T>>(
        *this, name, llvm::cl::desc(description), llvm::cl::init(field),
        std::forward<ModsT>(mods)...);
    storeValues.push_back([option, &field] { field = option->getValue(); });
  }
  void add(std::vector<std::string> &field, llvm::StringRef name,
           llvm::StringRef description);

  /// Sets the fields from a text; the error says what `instrument` expected.
  llvm::Error parse(llvm::StringRef instrument, llvm::StringRef text);

  /// The options, by name.
  std::vector<InstrumentOption> list() const;

private:
  template <typename T>
  class Option : public PassOptions::Option<T> {
  public:
    template <typename... ArgsT>
    Option(InstrumentOptionParser &parser, llvm::StringRef name,
           ArgsT &&...args)
        : PassOptions::Option<T>(parser, name, std::forward<ArgsT>(args)...),
          owner(parser) {}

  private:
    bool handleOccurrence(unsigned position, llvm::StringRef name,
                          llvm::StringRef text) override {
      std::string kind = describeOtherKind(text);
      if (!kind.empty()) {
        owner.wrongValue = {name.str(), std::move(kind), text.str()};
        return true;
      }
      T value{};
      if (this->getParser().parse(*this, name, text, value))
        return true;
      this->setValue(value);
      this->setPosition(position);
      return false;
    }

    /// The values that the option takes, if `text` is none of them; else empty.
    std::string describeOtherKind(llvm::StringRef text) {
      if constexpr (std::is_same_v<T, bool>) {
        // LLVM also takes an empty text, which a flag without a value has.
        bool isBool =
            !text.data() || llvm::is_contained({"true", "TRUE", "True", "1",
                                                "false", "FALSE", "False", "0"},
                                               text);
        return isBool ? "" : "true or false";
      } else if constexpr (std::is_integral_v<T>) {
        T value;
        if (!text.getAsInteger(0, value))
          return "";
        return std::is_signed_v<T> ? "an integer" : "an integer of 0 or more";
      } else if constexpr (std::is_floating_point_v<T>) {
        T value;
        return text.getAsDouble(value) ? "a number" : "";
      } else if constexpr (std::is_enum_v<T>) {
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

    InstrumentOptionParser &owner;
  };

  /// A value whose kind differs from its option's.
  struct WrongValue {
    std::string option, kind, text;
  };
  std::optional<WrongValue> wrongValue;
  /// These closures own the options.
  std::vector<std::function<void()>> storeValues;
};

/// Registers the instrument that `create` makes from an OptionsT.
/// OptionsT::kName is its name, and `declare` adds its options. partita-tblgen
/// calls it.
template <typename OptionsT>
void registerInstrument(llvm::StringRef summary, Replay replay,
                        void (*declare)(InstrumentOptionParser &, OptionsT &),
                        PassInstrumentRef (*create)(OptionsT)) {
  OptionsT defaults;
  InstrumentOptionParser parser;
  declare(parser, defaults);
  registerInstrument(InstrumentDeclaration{
      OptionsT::kName.str(), summary.str(), replay,
      [=](llvm::StringRef text) -> llvm::Expected<PassInstrumentRef> {
        OptionsT options;
        InstrumentOptionParser parser;
        declare(parser, options);
        if (llvm::Error error = parser.parse(OptionsT::kName, text))
          return std::move(error);
        return create(std::move(options));
      },
      parser.list(),
      [=](size_t indent) {
        OptionsT defaults;
        InstrumentOptionParser parser;
        declare(parser, defaults);
        parser.printHelp(indent, 36);
      }});
}

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_INSTRUMENTREGISTRY_H
