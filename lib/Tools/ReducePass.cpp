//===- ReducePass.cpp - Makes a module smaller ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Delta debugging over the operations of a module: leaves out halves, then
// quarters, down to single operations, until none can be left out. The test
// runs as in MLIR's reducer, whose reduction-tree itself crashes on modules of
// a few functions (22.1.8).
//
//===----------------------------------------------------------------------===//

#include "ReducePass.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Tester.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace partita;

/// A value of type `type` that can replace a result of `op`: one of its
/// operands, or an argument of a block around it.
static Value findStandIn(Operation *op, Type type) {
  for (Value operand : op->getOperands())
    if (operand.getType() == type && operand.getDefiningOp() != op)
      return operand;
  Operation *inner = op;
  while (Block *block = inner->getBlock()) {
    for (BlockArgument argument : block->getArguments())
      if (argument.getType() == type)
        return argument;
    inner = block->getParentOp();
    if (inner == nullptr || inner->hasTrait<OpTrait::IsIsolatedFromAbove>())
      break;
  }
  return {};
}

/// Erases `op` after replacing its results; false if nothing can replace them.
static bool leaveOut(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  SmallVector<Value> standIns;
  for (Value result : op->getResults()) {
    Value standIn =
        result.use_empty() ? result : findStandIn(op, result.getType());
    if (!standIn)
      return false;
    standIns.push_back(standIn);
  }
  for (auto [result, standIn] : llvm::zip_equal(op->getResults(), standIns))
    if (!result.use_empty())
      result.replaceAllUsesWith(standIn);
  op->erase();
  return true;
}

static SmallVector<Operation *> collectOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.getBody()->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { ops.push_back(op); });
  return ops;
}

namespace {
class ReducePass : public PassWrapper<ReducePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReducePass)

  ReducePass() = default;
  ReducePass(const ReducePass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "partita-reduce"; }
  StringRef getDescription() const override {
    return "Leave out operations as long as a test finds the module "
           "interesting";
  }

  void runOnOperation() override;

private:
  bool tryWithout(size_t begin, size_t end);

  Option<std::string> test{
      *this, "test",
      llvm::cl::desc("A script that gets the module's file, and exits with a "
                     "code other than 0 if the module is interesting")};
};
} // namespace

/// Leaves out the operations in [begin, end) if the rest is valid and
/// interesting.
bool ReducePass::tryWithout(size_t begin, size_t end) {
  ModuleOp module = getOperation();
  OwningOpRef<ModuleOp> smaller = module.clone();
  SmallVector<Operation *> ops = collectOps(*smaller);
  bool hasChanged = false;
  // Backwards, so that users are erased before the values that they use, and
  // inner operations before outer ones.
  for (size_t index = end; index-- > begin;)
    hasChanged |= leaveOut(ops[index]);
  ScopedDiagnosticHandler silence(&getContext(), [](Diagnostic &) {});
  if (!hasChanged || failed(verify(*smaller)))
    return false;
  if (Tester(test, {}).isInteresting(*smaller).first !=
      Tester::Interestingness::True)
    return false;
  module.getBodyRegion().takeBody(smaller->getBodyRegion());
  return true;
}

void ReducePass::runOnOperation() {
  // MLIR's tester ends the process if it can't run the test.
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(test);
  if (!program) {
    emitError(getOperation().getLoc(),
              "expected a test that can be run, but found '")
        << test << "'";
    return signalPassFailure();
  }
  test = *program;
  if (Tester(test, {}).isInteresting(getOperation()).first !=
      Tester::Interestingness::True) {
    emitError(getOperation().getLoc(),
              "expected a module that the test finds interesting");
    return signalPassFailure();
  }
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    for (size_t chunk = collectOps(getOperation()).size(); chunk > 0;
         chunk /= 2) {
      // Backwards: later operations have fewer users.
      size_t end = collectOps(getOperation()).size();
      while (end > 0) {
        size_t begin = end > chunk ? end - chunk : 0;
        hasChanged |= tryWithout(begin, end);
        end = begin;
      }
    }
  }
}

void partita::registerReducePass() {
  mlir::registerPass([] { return std::make_unique<ReducePass>(); });
}
