//===- Checkpoint.h - Runs that go on after they were killed --*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_CHECKPOINT_H
#define PARTITA_INSTRUMENT_CHECKPOINT_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

#include "mlir/Support/LLVM.h"

namespace partita::transform {
class PassContext;
} // namespace partita::transform

namespace partita::instrument {

/// What a run must have in common with another to go on from its checkpoints.
struct CheckpointedRun {
  /// The passes that run, in order; the pipeline, which has their options, too.
  std::vector<std::string> passes;
  std::string pipeline;
  /// What passes can read of the PassContext.
  std::string context;
  /// A hash of the module that the run begins with; locations do not count.
  std::string input;

  static llvm::Expected<CheckpointedRun>
  get(const transform::Plan &plan, const transform::PassContext &context,
      mlir::Operation *module);
};

/// The module after a pass.
struct CheckpointFile {
  /// The pass's number in the plan.
  unsigned step = 0;
  std::string path;
};

/// The last checkpoint in a directory; nothing if there is none, or no
/// directory. Fails, and says what differs, if it is of another run than the
/// one that `getRun` gives, which is called only if there is a checkpoint.
llvm::Expected<std::optional<CheckpointFile>>
findCheckpoint(llvm::StringRef dir,
               llvm::function_ref<llvm::Expected<CheckpointedRun>()> getRun);

/// Puts the last checkpoint in `dir` in the place of `module`, and returns how
/// many steps of `plan` it has behind it; 0 if there is none, which leaves the
/// module as it is. Fails if the checkpoints are of a run of other passes, on
/// another module, or under another context. For RunOptions::restore.
llvm::Expected<unsigned>
restoreCheckpoint(llvm::StringRef dir, mlir::Operation *module,
                  const transform::Plan &plan,
                  const transform::PassContext &context);

/// Writes the module after each pass as bytecode, and what the run is, so that
/// `partita-opt --resume-from` and RunOptions::restore can go on with it:
/// `checkpoint.json`, and `checkpoint-STEP.mlirbc` with a hash beside it. A
/// file is there whole or not at all, so that the process can be killed at any
/// time.
///
/// Once a should_run has skipped a step, no more are written: a run that goes
/// on could have other instruments.
///
/// A run that does not resume begins with deleting the checkpoints of an
/// earlier one. Of runs at the same time the first is kept; of one inside
/// another, the outer.
class Checkpoint : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "checkpoint";

  struct Options : InstrumentOptions<Options> {
    Option<std::string> dir{
        *this, "dir",
        llvm::cl::desc("The directory to write to; made if it is not there"),
        llvm::cl::init("")};
    Option<unsigned> keep{
        *this, "keep",
        llvm::cl::desc("How many checkpoints to keep, the last ones; 0 for "
                       "all"),
        llvm::cl::init(1)};
  };

  explicit Checkpoint(std::unique_ptr<Options> options);

  llvm::Error enterPassContext() override;
  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const PassRecord> record) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

  /// The files, a line each, those that are not kept any more, too.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;
  /// Records with `step`, `pass` and `file`.
  llvm::json::Value toJSON() const override;

private:
  struct Record {
    unsigned step;
    std::string pass, file;
  };

  llvm::Error start(const transform::Run &run);
  llvm::Error save(const transform::PassStep &step);

  std::unique_ptr<Options> options;
  OutermostRun followed;
  /// The last step that has run without one before it being skipped.
  unsigned lastStep = 0;
  mutable std::mutex mutex;
  std::vector<Record> records;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_CHECKPOINT_H
