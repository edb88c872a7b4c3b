//===- PassTiming.h - How long each pass took -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_PASSTIMING_H
#define PARTITA_INSTRUMENT_PASSTIMING_H

#include "partita/Instrument/InstrumentRegistry.h"

namespace partita::instrument {

/// Times passes, as TVM's PassTimingInstrument: a line a pass, nested by a tab
/// a level, `NAME: TOTALus [SELFus] (PERCENT OF ALL; PERCENT OF PARENT)`. It
/// looks at no module, so passes run as they do without it; a pass that MLIR
/// ran on many functions has the sum of their times.
class PassTimingInstrument : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "timing";
  struct Options : mlir::PassPipelineOptions<Options> {
    Option<std::string> output{
        *this, "output",
        llvm::cl::desc("Where the report goes when the scope is left: a file, "
                       "- for stdout; stderr by default"),
        llvm::cl::init("")};
    Option<bool> print{*this, "print",
                       llvm::cl::desc("Whether to print it at all"),
                       llvm::cl::init(true)};
  };

  /// Prints nothing by itself: `render` is for that.
  PassTimingInstrument();
  explicit PassTimingInstrument(std::unique_ptr<Options> options);

  bool observesModule() const override { return false; }
  bool wantsRecords() const override { return true; }
  mlir::LogicalResult enterPassContext() override;
  mlir::LogicalResult exitPassContext() override;
  void recordRun(PassRecord record) override;

  /// The report of the runs since the scope was entered; empty after it was
  /// left. A run that has not ended is not in it.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;

private:
  std::unique_ptr<Options> options;
  mutable std::mutex mutex;
  std::vector<PassRecord> records;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_PASSTIMING_H
