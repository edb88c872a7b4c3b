//===- Bisect.h - Runs some of the steps of a plan --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_BISECT_H
#define PARTITA_INSTRUMENT_BISECT_H

#include "partita/Instrument/InstrumentRegistry.h"

namespace partita::instrument {

/// Runs the first steps of a plan only, or those that are listed, and says on
/// stderr which step runs and which does not, as LLVM's opt-bisect does. Steps
/// have the numbers that `--explain` prints: what is skipped for another reason
/// does not change them, and a Sequential has none. What a pass runs on the
/// module that it got belongs to that pass. Passes in the context's
/// required_pass run in any case: no instrument is asked about them.
class Bisect : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "bisect";
  struct Options : InstrumentOptions<Options> {
    Option<int> limit{*this, "limit",
                      llvm::cl::desc("Run the first N steps; -1 for all"),
                      llvm::cl::init(-1)};
    ListOption<std::string> steps{
        *this, "steps",
        llvm::cl::desc("Run these steps only: numbers and ranges, as 1-5,8")};
    ListOption<std::string> disable{
        *this, "disable",
        llvm::cl::desc("Do not run these: numbers of steps, names of passes")};
    Option<bool> print{*this, "print",
                       llvm::cl::desc("Say what runs, and what does not"),
                       llvm::cl::init(true)};
  };

  explicit Bisect(std::unique_ptr<Options> options);

  llvm::Error enterPassContext() override;
  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const PassRecord> record) override;
  llvm::Expected<bool> shouldRun(const transform::PassStep &step) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;

  /// The lines that it prints; for each, the number of the step, the pass, and
  /// whether it runs.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;
  llvm::json::Value toJSON() const override;

private:
  /// The number of the step that a callback is about; none for a Sequential,
  /// and for what a pass runs.
  std::optional<unsigned> getNumber(const transform::PassStep &step);
  bool isSelected(unsigned number) const;
  /// Says whether a pass runs; without a number, if that is 0.
  void note(bool runs, unsigned number, const transform::PassStep &step);

  std::unique_ptr<Options> options;
  std::vector<std::pair<unsigned, unsigned>> ranges;
  std::vector<unsigned> disabledSteps;
  std::vector<std::string> disabledPasses;
  /// What is wrong with the options, if anything is.
  std::string optionsError;

  struct Record {
    unsigned number;
    std::string pass;
    bool runs;
    std::string text;
  };

  mutable std::mutex mutex;
  llvm::DenseSet<const transform::Run *> openRuns;
  std::vector<Record> records;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_BISECT_H
