//===- PassTiming.h - How long each pass took -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_PASSTIMING_H
#define PARTITA_INSTRUMENT_PASSTIMING_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

namespace partita::instrument {

/// Times passes, as TVM's PassTimingInstrument: a line a pass, nested by a tab
/// a level, `NAME: TOTALus [SELFus] (PERCENT OF ALL; PERCENT OF PARENT)`. It
/// looks at no module, so passes run as they do without it; a pass that MLIR
/// ran on many functions has the sum of their times.
///
/// After the lines of passes there is one for each that ran although it is
/// disabled, because another requires it, and that a should_run skipped.
class PassTimingInstrument : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "timing";

  enum class Format { Tree, List, JSON };
  enum class Sort { Time, Self, CPU, Runs, Name };

  struct Options : InstrumentOptions<Options> {
    Option<std::string> output{
        *this, "output",
        llvm::cl::desc("Where the report goes when the scope is left: a file, "
                       "- for stdout; stderr by default"),
        llvm::cl::init("")};
    Option<bool> print{*this, "print",
                       llvm::cl::desc("Whether to print it at all"),
                       llvm::cl::init(true)};
    Option<Format> format{
        *this, "format", llvm::cl::desc("What is printed"),
        llvm::cl::init(Format::Tree),
        llvm::cl::values(
            clEnumValN(Format::Tree, "tree", "TVM's report (the default)"),
            clEnumValN(Format::List, "list",
                       "a table with a line for each name of a pass"),
            clEnumValN(Format::JSON, "json", "JSON"))};
    Option<Sort> sort{
        *this, "sort", llvm::cl::desc("The order of the list"),
        llvm::cl::init(Sort::Time),
        llvm::cl::values(
            clEnumValN(Sort::Time, "time", "the most time first (the default)"),
            clEnumValN(Sort::Self, "self",
                       "the most time outside of passes in it first"),
            clEnumValN(Sort::CPU, "cpu", "the most processor time first"),
            clEnumValN(Sort::Runs, "runs", "the most runs first"),
            clEnumValN(Sort::Name, "name", "by name"))};
    Option<bool> cpu{*this, "cpu",
                     llvm::cl::desc("Measure processor time, too: two system "
                                    "calls for each pass and function"),
                     llvm::cl::init(false)};
  };

  /// Prints nothing by itself: `render` is for that.
  PassTimingInstrument();
  explicit PassTimingInstrument(std::unique_ptr<Options> options);

  llvm::Error enterPassContext() override;
  llvm::Error exitPassContext() override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const PassRecord> record) override;

  /// The report of the runs since the scope was entered; empty after it was
  /// left. A run that has not ended is not in it.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;
  /// The same, also after the scope was left. A record has the `pass`, `begin`
  /// (since the first began), `time`, `self`, `wall` and `cpu` in nanoseconds
  /// (cpu is null if it was not measured), `runs` (operations that it ran on),
  /// `reason`, `disabled`, `vetoed_by`, `failed` and the `passes` in it.
  llvm::json::Value toJSON() const override;

private:
  std::unique_ptr<Options> options;
  InstrumentOutput output;
  mutable std::mutex mutex;
  std::vector<std::shared_ptr<const PassRecord>> records;
  bool hasLeft = false;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_PASSTIMING_H
