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
  /// Skip passes that `context` does not enable, or that a should_run is
  /// against. This takes the MLIRContext's action handler for the life of the
  /// pass manager: it is an error if the context has one (--log-actions-to), or
  /// if another attached pass manager holds it. A run under a handler that took
  /// its place fails before the first pass.
  bool applyPolicy = false;
};

/// Calls the instruments of `context` around the passes of a pass manager that
/// somebody else builds, once per pass and module; then run `pm` as ever.
/// Passes can be added before and after. The caller enters and leaves the scope
/// of `context`. Fails after a diagnostic.
///
/// What a Sequential does and this cannot, because MLIR runs the pipeline as it
/// was built; each is a diagnostic where somebody asks for it:
/// - PassInfo.required adds nothing. A warning if a required pass does not come
///   before its owner.
/// - Passes on functions run merged, function by function. Their callbacks come
///   together, in the order of the passes, before the first and after the last
///   of them, where no thread works on the module. A warning, if an instrument
///   looks at the module; what it says of such a pass has PassStep's mark.
/// - A should_run that says no is a warning without AttachOptions::applyPolicy.
///   opt_level and disabled_pass are not looked at then.
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
/// A pass that does nothing is added to the end of `pm`: it makes the run fail
/// where the last callback did, and is when instruments get their record of the
/// run. One is added to the front where a run can fail before it begins. In a
/// printed pipeline they read `partita.end(...)` and `partita.begin(...)`,
/// which every mlir-opt takes, and ignores.
mlir::LogicalResult attachInstruments(mlir::PassManager &pm,
                                      const PassContext &context,
                                      AttachOptions options = {});

/// A plan in which all members of `pass` run, as they stand, and nothing that
/// they require: what is named where nobody asks for an opt_level or a list.
/// Sequentials among them are under `context`, as if they were run by
/// themselves.
llvm::Expected<std::shared_ptr<const Plan>>
getNamedPlan(const Pass &pass, const PassContext &context);

/// Makes the passes that somebody has put into `pm` a Sequential, whose plan
/// under `context` takes their place: passes are required, skipped, vetoed and
/// observed one by one, as nothing else is possible for attachInstruments. With
/// `runsAsNamed`, the plan is getNamedPlan's.
///
/// What runs are the passes that were in `pm`, for which it keeps them. Copies
/// run where MLIR makes some for its threads, or a pass is in two pipelines: in
/// a later run with other instruments, or on some functions only. A
/// `sequential{...}` is kept, and its members run.
///
/// The caller enters and leaves the scope of `context`. Fails after a
/// diagnostic, with `pm` as it was.
mlir::LogicalResult takeOver(mlir::PassManager &pm, const PassContext &context,
                             const AddPlanOptions &options = {},
                             bool runsAsNamed = false);

} // namespace partita::transform

#endif // PARTITA_PASS_ATTACHINSTRUMENTS_H
