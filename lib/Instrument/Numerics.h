//===- Numerics.h - Which pass changed the numbers --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_INSTRUMENT_NUMERICS_H
#define PARTITA_LIB_INSTRUMENT_NUMERICS_H

#include "NumericsProcess.h"
#include "Recording.h"

#include "mlir/IR/OwningOpRef.h"

namespace partita::instrument {

struct NumericsRecord {
  unsigned step;
  std::string pass, status, message;
  std::optional<std::string> before, after, inputs;
  std::optional<Difference> difference;
};

/// A module after a pass that changed it.
struct NumericsSeen {
  unsigned step;
  std::string pass;
  /// Null if the module could not be run.
  mlir::OwningOpRef<mlir::Operation *> module;
  bool isRefused = false;
};

/// What is known of a run, unless it is inside another.
struct NumericsState {
  NumericsState() = default;
  NumericsState(NumericsState &&) = delete;
  ~NumericsState();

  /// The files of the process; empty without one.
  std::string directory;
  std::optional<NumericsProcess> process;
  /// The dtypes of the tensors that the first module returns.
  std::vector<DType> outputTypes;
  /// The last module that was seen.
  std::optional<uint64_t> hash;
  /// The first outputs, and the last module with the same.
  std::optional<NumericsOutcome> reference;
  mlir::OwningOpRef<mlir::Operation *> good;
  /// The modules after it.
  std::vector<NumericsSeen> since;
  unsigned numSteps = 0, numRefused = 0;
  /// Why a module could not be run.
  std::string message;
  /// Whether nothing more is compared.
  bool isDone = false;
  /// Whether a runner wants the run of the passes to end.
  bool isFatal = false;
};

/// Runs the module after passes, and compares its outputs with those before the
/// first pass. It runs copies of the module, and keeps copies.
class Numerics : public Recording<NumericsRecord, NumericsState> {
public:
  /// Without `runner`, a process runs modules.
  Numerics(NumericsOptions options, NumericsRunner runner);

  const NumericsOptions &getOptions() const { return options; }

  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const RunRecord> record) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

private:
  void renderRecords(mlir::ArrayRef<Record> records,
                     llvm::raw_ostream &os) const override;
  llvm::json::Value recordToJSON(const Record &record) const override;

  const transform::Run *getOutermost(const transform::Run *run);
  NumericsState *findStateOf(const transform::PassStep &step);
  llvm::Error setUp(NumericsState &state);
  NumericsOutcome run(mlir::Operation *module, NumericsState &state);
  NumericsOutcome runCallback(mlir::Operation *module);
  NumericsOutcome runProcess(mlir::Operation *module, NumericsState &state);
  llvm::Error check(NumericsState &state, Record record);
  std::optional<NumericsDifference>
  compare(const NumericsState &state, const NumericsOutcome &outcome) const;
  bool isStable(NumericsState &state);
  size_t narrow(NumericsState &state, NumericsDifference &difference);
  llvm::Error blame(NumericsState &state, Record record,
                    NumericsDifference difference);
  llvm::Error save(NumericsState &state, mlir::Operation *after,
                   Record &record);
  llvm::Error finish(const NumericsState &state);

  NumericsOptions options;
  PassFilter filter;
  NumericsRunner callback;
};

/// The options in `numerics{options}`.
llvm::Expected<NumericsOptions> parseNumericsOptions(llvm::StringRef text);

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_NUMERICS_H
