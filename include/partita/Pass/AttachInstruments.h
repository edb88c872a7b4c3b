//===- AttachInstruments.h - Instruments on a foreign PassManager -*- C++ -*-=//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_ATTACHINSTRUMENTS_H
#define PARTITA_PASS_ATTACHINSTRUMENTS_H

#include "partita/Pass/Plan.h"

namespace partita::transform {

struct AttachOptions {
  /// Skip passes that `context` does not enable, or that a should_run vetoes.
  /// This takes the MLIRContext's action handler for the life of the pass
  /// manager; several pass managers share it. It is an error if the context has
  /// another handler (--log-actions-to). If another handler replaces it, the
  /// run fails before the first pass.
  bool applyPolicy = false;
};

/// Calls the instruments of `context` around the passes of an existing pass
/// manager, once per pass and module. Run `pm` as usual afterwards. Passes can
/// be added before and after the call. The caller enters and leaves the scope
/// of `context`. Fails after a diagnostic.
///
/// MLIR runs the pipeline as it was built, so this differs from a Sequential.
/// Each difference is a diagnostic where it matters:
/// - PassInfo.required adds nothing. Warns if a required pass does not come
///   before its owner.
/// - Passes on functions run merged, function by function. All callbacks before
///   them come before the first, and all callbacks after them come after the
///   last, where no thread works on the module. Warns if an instrument looks at
///   the module; PassStep marks such passes.
/// - A veto of a should_run is a warning without AttachOptions::applyPolicy.
///   opt_level and disabled_pass have no effect then.
/// - A callback that fails ends the run, but MLIR stops only at the next pass:
///   that one runs before the failure takes effect.
/// - An instrument that wants the pipelines of steps, such as a checkpoint, is
///   an error here.
/// Warnings go to the diagnostic handlers of the MLIRContext or, if it has
/// none, to stderr; `context` keeps them, too.
///
/// Passes that a pass runs belong to that pass. `sequential{...}` calls the
/// instruments of the current PassContext itself.
///
/// A pass that does nothing is added to the end of `pm`. There the run fails if
/// the last callback did, and instruments get their record of the run. Another
/// is added to the front if a run can fail before it begins. Printed pipelines
/// show them as `partita.end(...)` and `partita.begin(...)`, which every
/// mlir-opt accepts and ignores.
mlir::LogicalResult attachInstruments(mlir::PassManager &pm,
                                      const PassContext &context,
                                      AttachOptions options = {});

/// Replaces the passes in `pm` by a Sequential of them: passes are required,
/// skipped, vetoed and observed one by one, which attachInstruments cannot do.
/// With `runsAsNamed`, the plan is getNamedPlan's.
///
/// The passes in `pm` themselves run; `pm` keeps them. Copies run where MLIR
/// makes copies for its threads, and where a pass is in two pipelines: in a
/// later run with other instruments, or on some functions only. A
/// `sequential{...}` is kept, and its members run.
///
/// The caller enters and leaves the scope of `context`. Fails after a
/// diagnostic, with `pm` as it was.
mlir::LogicalResult takeOver(mlir::PassManager &pm, const PassContext &context,
                             const AddPlanOptions &options = {},
                             bool runsAsNamed = false);

} // namespace partita::transform

#endif // PARTITA_PASS_ATTACHINSTRUMENTS_H
