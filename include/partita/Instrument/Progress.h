//===- Progress.h - A progress bar for long pipelines ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_PROGRESS_H
#define PARTITA_INSTRUMENT_PROGRESS_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

#include "mlir/IR/Diagnostics.h"

namespace partita::instrument {

/// Shows on stderr which pass of how many is running, for how long the run has,
/// and how long it will yet if passes go on to take what they took on average.
/// The line is gone when the run ends, and makes way for diagnostics and what
/// instruments write.
///
/// Where stderr is no terminal it does nothing, and costs nothing. Where it is
/// one, passes run one by one. Of runs at the same time the first is shown; of
/// one inside another, the outer.
class Progress : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "progress";

  struct Options : InstrumentOptions<Options> {
    Option<unsigned> interval{
        *this, "interval",
        llvm::cl::desc("The least time between two updates, in milliseconds"),
        llvm::cl::init(100)};
  };

  explicit Progress(std::unique_ptr<Options> options);

  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const PassRecord> record) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;

private:
  void draw(unsigned step, llvm::StringRef pass, Clock::time_point now);

  std::unique_ptr<Options> options;
  OutermostRun followed;
  std::mutex mutex;
  unsigned numSteps = 0;
  Clock::time_point begin, lastDrawn;
  mlir::DiagnosticEngine::HandlerID handler = 0;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_PROGRESS_H
