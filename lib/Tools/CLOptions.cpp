//===- CLOptions.cpp - A PassContext from a command line ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Tools/CLOptions.h"
#include "PolicyOptions.h"
#include "partita/Pass/AttachInstruments.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace partita;

static llvm::ManagedStatic<ContextOptions> clOptions;

namespace {
/// Leaves the scope of a context when the pass manager that has it goes.
class ScopeInstrumentation : public PassInstrumentation {
public:
  explicit ScopeInstrumentation(transform::PassContextScope scope)
      : scope(std::move(scope)) {}
  ~ScopeInstrumentation() override {
    if (llvm::Error error = scope.exit())
      llvm::WithColor::error(llvm::errs())
          << llvm::toString(std::move(error)) << "\n";
  }

private:
  transform::PassContextScope scope;
};
} // namespace

void partita::registerPartitaCLOptions() { (void)*clOptions; }

/// Prints the plan of what is in `pm`, and runs nothing.
static llvm::Error explain(PassManager &pm,
                           const transform::PassContext &context) {
  llvm::Expected<transform::Pass> sequential = transform::createSequential(pm);
  if (!sequential)
    return sequential.takeError();
  auto plan = transform::Plan::get(*sequential, context);
  if (!plan)
    return plan.takeError();
  for (const std::string &warning : (*plan)->warnings())
    llvm::WithColor::warning(llvm::errs()) << warning << "\n";
  (*plan)->print(llvm::outs());
  pm.clear();
  return llvm::Error::success();
}

LogicalResult partita::applyPartitaCLOptions(PassManager &pm) {
  if (!clOptions.isConstructed() ||
      (!clOptions->hasContext() && !clOptions->explain))
    return success();
  auto fail = [&](llvm::Error error) {
    return emitError(UnknownLoc::get(pm.getContext()),
                     llvm::toString(std::move(error)));
  };
  llvm::Expected<transform::PassContext> context =
      createContext(clOptions->getTexts());
  if (!context)
    return fail(context.takeError());
  if (clOptions->explain) {
    llvm::Error error = explain(pm, *context);
    return error ? fail(std::move(error)) : success();
  }
  llvm::Expected<transform::PassContextScope> scope =
      transform::PassContextScope::enter(*context);
  if (!scope)
    return fail(scope.takeError());
  if (failed(transform::takeOver(pm, *context)))
    return failure();
  pm.addInstrumentation(
      std::make_unique<ScopeInstrumentation>(std::move(*scope)));
  return success();
}
