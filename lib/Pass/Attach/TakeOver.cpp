//===- TakeOver.cpp - Pass managers that become Sequentials ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Pipeline/TakenPasses.h"
#include "../Run/Diagnostics.h"
#include "../Run/PlanPass.h"
#include "../Sequential/PipelinePasses.h"
#include "partita/Pass/AttachInstruments.h"

using namespace mlir;

namespace partita::transform {

namespace {
/// Keeps an object as long as a pass manager.
struct KeepInstrumentation : PassInstrumentation {
  explicit KeepInstrumentation(std::shared_ptr<void> kept)
      : kept(std::move(kept)) {}
  std::shared_ptr<void> kept;
};
} // namespace

LogicalResult takeOver(PassManager &pm, const PassContext &context,
                       const AddPlanOptions &options, bool runsAsNamed) {
  Location loc = UnknownLoc::get(pm.getContext());
  auto taken = std::make_shared<TakenPasses>();
  llvm::Expected<Pass> sequential = createSequential(pm, taken);
  if (!sequential)
    return emitError(loc, llvm::toString(sequential.takeError()));
  llvm::Expected<std::shared_ptr<const Plan>> plan =
      runsAsNamed ? getNamedPlan(*sequential, context)
                  : Plan::get(*sequential, context);
  if (!plan)
    return emitError(loc, llvm::toString(plan.takeError()));
  // Find errors while `pm` is unchanged.
  OpPassManager trial(pm.getOpAnchorName());
  PlanLowering lowering(trial, pm.getOpAnchorName());
  for (const Plan::Entry &entry : (*plan)->entries())
    if (entry.number != 0)
      if (llvm::Error error = lowering.add(entry))
        return emitError(loc, llvm::toString(std::move(error)));
  for (const std::string &warning : (*plan)->warnings())
    emitPassWarning(context, loc, warning);
  taken->take(pm);
  FailureOr<AddedPlan> added = addPlanTo(pm, *plan, context, options);
  if (failed(added))
    return failure();
  if (added->pass)
    added->pass->keep(taken);
  // Only if needed: MLIR calls an instrumentation around each pass on each
  // function.
  else if (taken->hasPasses())
    pm.addInstrumentation(std::make_unique<KeepInstrumentation>(taken));
  return success();
}

} // namespace partita::transform
