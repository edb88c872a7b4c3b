//===- Execution.cpp - How a run is done ----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "../PassInstrumentImpl.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace partita::transform {

using instrument::Wants;

/// Whether `module` holds a function that passes must leave alone.
static bool hasSkippedFunction(Operation *module) {
  // Most ops of a module share a name, so the last answer is kept.
  std::optional<OperationName> known;
  bool isFunction = false, isModule = false;
  for (Region &region : module->getRegions())
    for (Operation &op : region.getOps()) {
      if (known != op.getName()) {
        known = op.getName();
        isFunction = isa<FunctionOpInterface>(op);
        isModule = !isFunction && op.hasTrait<OpTrait::SymbolTable>();
      }
      if (isFunction ? skipsOptimization(&op)
                     : isModule && hasSkippedFunction(&op))
        return true;
    }
  return false;
}

bool skipsFunctions(const Plan &plan, Operation *module) {
  return plan.leavesFunctionsAlone() && hasSkippedFunction(module);
}

Execution::Execution(std::shared_ptr<const Plan> newPlan,
                     const PassContext &context, StringRef rootName,
                     bool verifies, bool maySkipFunctions)
    : plan(std::move(newPlan)), rootName(rootName), verifies(verifies),
      needsPlanPass(context.saving().isOn() ||
                    (maySkipFunctions && plan->leavesFunctionsAlone()) ||
                    plan->runsHostCallback() ||
                    anyWants(context, Wants::Module | Wants::Runs)),
      needsTracker(plan->readsPassContext() ||
                   anyWants(context, Wants::Records | Wants::Spans)),
      saving(context.saving()) {}

} // namespace partita::transform
