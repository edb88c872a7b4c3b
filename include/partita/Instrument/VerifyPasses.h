//===- VerifyPasses.h - Which pass broke the module -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_VERIFYPASSES_H
#define PARTITA_INSTRUMENT_VERIFYPASSES_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/OwningOpRef.h"

namespace partita::instrument {

/// Runs the verifier after each pass that changed something, whether or not the
/// pass manager does. The error names the pass, and the file that it saves the
/// module before the pass to. Where the pass manager verifies and is first to
/// find out, it adds this to its error.
class VerifyPasses : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "verify";

  struct Options : InstrumentOptions<Options> {
    Option<std::string> saveDir{
        *this, "save-dir",
        llvm::cl::desc("Where the module before the pass goes, as "
                       "before-STEP-PASS.mlir; a new file in the system's "
                       "directory for temporary ones by default"),
        llvm::cl::init("")};
  };

  explicit VerifyPasses(std::unique_ptr<Options> options);

  llvm::Error enterPassContext() override;
  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const PassRecord> record) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

  /// A line for each pass.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;
  /// Records with `step`, `pass`, `valid`, and if it is not, the `error` and
  /// the file with the module `before`, both null else.
  llvm::json::Value toJSON() const override;

private:
  struct Record {
    unsigned step;
    std::string pass;
    std::optional<std::string> error, before;
  };
  /// A run's module as it last was valid, and the pass that it is in.
  struct State {
    std::optional<uint64_t> hash;
    mlir::OwningOpRef<mlir::Operation *> copy;
    std::optional<std::pair<unsigned, std::string>> open;
  };

  llvm::Error check(mlir::Operation *module, State &state);
  llvm::Expected<std::string> save(State &state) const;

  std::unique_ptr<Options> options;
  RunStates<State> states;
  mutable std::mutex mutex;
  std::vector<Record> records;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_VERIFYPASSES_H
