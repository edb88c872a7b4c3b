//===- Checkpoint.h - Runs that resume after a kill -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_CHECKPOINT_H
#define PARTITA_INSTRUMENT_CHECKPOINT_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace partita::transform {
class PassContext;
class Plan;
} // namespace partita::transform

namespace partita::instrument {

/// A run resumes from the checkpoints of another run only if all of this is
/// equal.
struct CheckpointedRun {
  /// The passes that run, in order, and the pipeline with their options.
  std::vector<std::string> passes;
  std::string pipeline;
  /// Distinguishes a pass from others with its name; see Pass::version. Holds
  /// the reason if the version can't be known.
  struct Version {
    std::string text;
    bool isKnown = true;
  };
  std::vector<Version> versions;
  /// The parts of the PassContext that passes can read.
  std::string context;
  /// A hash of the input module, without its locations.
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

/// The last checkpoint in a directory; nothing if there is no checkpoint or no
/// directory. Fails, and says what differs, if the checkpoint belongs to
/// another run than `getRun` describes. `getRun` is called only if there is a
/// checkpoint.
llvm::Expected<std::optional<CheckpointFile>>
findCheckpoint(llvm::StringRef dir,
               llvm::function_ref<llvm::Expected<CheckpointedRun>()> getRun);

/// Replaces `module` by the last checkpoint in `dir`, and returns the number of
/// steps of `plan` that the checkpoint has behind it. Returns 0, and leaves the
/// module as it is, if there is no checkpoint. Fails if the checkpoints belong
/// to a run of other passes, on another module, or under another context.
/// Fails, too, if a callback has run whose version can't be known. For
/// RunOptions::restore.
llvm::Expected<unsigned>
restoreCheckpoint(llvm::StringRef dir, mlir::Operation *module,
                  const transform::Plan &plan,
                  const transform::PassContext &context);

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_CHECKPOINT_H
