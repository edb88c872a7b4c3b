//===- RewriteLimit.cpp - Stops after some applications of patterns -------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteLimit.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/Rewrite/PatternApplicator.h"

using namespace mlir;
using namespace partita;

/// The name of the pattern in an action, which only prints it.
static std::string getPatternName(const ApplyPatternAction &action) {
  std::string text;
  llvm::raw_string_ostream os(text);
  action.print(os);
  return StringRef(text).split("pattern: ").second.str();
}

static Operation *getOp(const tracing::Action &action) {
  for (const IRUnit &unit : action.getContextIRUnits())
    if (auto *op = dyn_cast<Operation *>(unit))
      return op;
  return nullptr;
}

LogicalResult RewriteLimit::attach(MLIRContext &context) {
  context.disableMultithreading();
  if (context.hasActionHandler())
    return emitError(UnknownLoc::get(&context),
                     "expected --rewrite-limit without an option that logs, "
                     "counts or debugs MLIR's actions, but found one");
  context.registerActionHandler(
      [this](llvm::function_ref<void()> apply, const tracing::Action &action) {
        execute(apply, action);
      });
  return success();
}

void RewriteLimit::execute(llvm::function_ref<void()> apply,
                           const tracing::Action &action) {
  if (!isa<ApplyPatternAction>(action))
    return apply();
  uint64_t number = ++numTried;
  if (number > limit)
    return;
  if (number == limit) {
    std::string name = getPatternName(cast<ApplyPatternAction>(action));
    llvm::errs() << "rewrite " << number << ": "
                 << (name.empty() ? "a pattern without a name"
                                  : "pattern '" + name + "'");
    if (Operation *op = getOp(action))
      llvm::errs() << " on '" << op->getName() << "' at " << op->getLoc();
    llvm::errs() << "\n";
  }
  apply();
}

void RewriteLimit::printTotal(llvm::raw_ostream &os) const {
  os << "rewrites: " << numTried << " tried\n";
}
