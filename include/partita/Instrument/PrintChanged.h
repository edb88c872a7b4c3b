//===- PrintChanged.h - What passes change, as diffs ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_PRINTCHANGED_H
#define PARTITA_INSTRUMENT_PRINTCHANGED_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

namespace partita::instrument {

/// The lines that differ between two texts of IR as a unified diff without a
/// header, with `context` lines of the second around them; empty for equal
/// texts. A line in which only values have other names, because others before
/// them are gone, does not differ.
struct UnifiedDiff {
  UnifiedDiff(llvm::StringRef before, llvm::StringRef after, unsigned context);

  std::string text;
  unsigned numAdded = 0, numRemoved = 0;
};

/// Prints what each pass has changed as a unified diff of the IR, and of the
/// others a line, as LLVM's -print-changed=diff. A structural hash tells
/// whether something changed, so IR is printed only if it did; changed
/// locations are no change.
class PrintChanged : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "print-changed";

  enum class Color { Auto, Always, Never };

  struct Options : InstrumentOptions<Options> {
    ListOption<std::string> passes{
        *this, "passes",
        llvm::cl::desc("The passes to look at, by any of their names; all if "
                       "none is given")};
    Option<std::string> output{
        *this, "output",
        llvm::cl::desc("Where it is printed: a file, - for stdout; stderr by "
                       "default"),
        llvm::cl::init("")};
    Option<bool> print{*this, "print",
                       llvm::cl::desc("Whether to print it at all"),
                       llvm::cl::init(true)};
    Option<Color> color{
        *this, "color", llvm::cl::desc("When to colour the lines"),
        llvm::cl::init(Color::Auto),
        llvm::cl::values(
            clEnumValN(Color::Auto, "auto", "on a terminal (the default)"),
            clEnumValN(Color::Always, "always", "always"),
            clEnumValN(Color::Never, "never", "never"))};
    Option<unsigned> context{
        *this, "context",
        llvm::cl::desc("How many lines to show around a change"),
        llvm::cl::init(3)};
    Option<int> elide{*this, "elide",
                      llvm::cl::desc("Elide constants of more elements than "
                                     "this; -1 for none"),
                      llvm::cl::init(16)};
  };

  explicit PrintChanged(std::unique_ptr<Options> options);

  llvm::Error enterPassContext() override;
  llvm::Error exitPassContext() override;
  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const PassRecord> record) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

  /// What it has printed, or would have; without colours.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;
  /// Records with `step`, `pass`, `changed`, `added` and `removed` (lines) and
  /// `diff`.
  llvm::json::Value toJSON() const override;

private:
  struct Record {
    unsigned step;
    std::string pass;
    bool hasChanged;
    unsigned numAdded, numRemoved;
    std::string diff;
  };
  /// The module of a run as it was last looked at.
  struct State {
    std::optional<uint64_t> hash;
    std::string text;
  };

  static void render(const Record &record, llvm::raw_ostream &os);
  void update(State &state, mlir::Operation *module);

  std::unique_ptr<Options> options;
  PassFilter filter;
  InstrumentOutput output;
  RunStates<State> states;
  mutable std::mutex mutex;
  std::vector<Record> records;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_PRINTCHANGED_H
