//===- Checkpoint.h - Runs that go on after they were killed --*- C++ -*-===//
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

/// What a run must have in common with another to go on from its checkpoints.
struct CheckpointedRun {
  /// The passes that run, in order; the pipeline, which has their options, too.
  std::vector<std::string> passes;
  std::string pipeline;
  /// What tells each pass from others of its name; see Pass::version. Of one
  /// for which that can't be known, the reason.
  struct Version {
    std::string text;
    bool isKnown = true;
  };
  std::vector<Version> versions;
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
/// another module, or under another context, or if it can't be known that a
/// callback which has run is the same. For RunOptions::restore.
llvm::Expected<unsigned>
restoreCheckpoint(llvm::StringRef dir, mlir::Operation *module,
                  const transform::Plan &plan,
                  const transform::PassContext &context);

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_CHECKPOINT_H
