//===- ReducePass.cpp - Makes a module smaller ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Delta debugging over the operations of a module: leaves out halves, then
// quarters, down to single operations, until none can be left out. The
// reduction-tree of MLIR's reducer crashes on modules of a few functions
// (22.1.8).
//
//===----------------------------------------------------------------------===//

#include "ReducePass.h"
#include "Jobs.h"
#include "partita/Support/Processes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

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
  /// The module without the operations from `begin` to the next candidate's
  /// begin; null if nothing was left out, or if the rest is invalid.
  struct Candidate {
    size_t begin;
    OwningOpRef<ModuleOp> module;
  };

  Candidate leaveOutRange(size_t begin, size_t end);
  FailureOr<size_t> findInteresting(ArrayRef<Candidate> candidates);
  FailureOr<bool> leaveOutChunks(size_t chunk);

  Option<std::string> test{
      *this, "test",
      llvm::cl::desc("A script that gets the module's file, and exits with a "
                     "code other than 0 if the module is interesting")};
  Option<unsigned> jobs{*this, "jobs",
                        llvm::cl::desc("How many tests run at a time"),
                        llvm::cl::init(1)};
  std::unique_ptr<TemporaryDirectory> directory;
};
} // namespace

ReducePass::Candidate ReducePass::leaveOutRange(size_t begin, size_t end) {
  OwningOpRef<ModuleOp> smaller = getOperation().clone();
  SmallVector<Operation *> ops = collectOps(*smaller);
  bool hasChanged = false;
  // Backwards, so that users are erased before the values that they use, and
  // inner operations before outer ones.
  for (size_t index = end; index-- > begin;)
    hasChanged |= leaveOut(ops[index]);
  ScopedDiagnosticHandler silence(&getContext(), [](Diagnostic &) {});
  if (!hasChanged || failed(verify(*smaller)))
    return {begin, nullptr};
  return {begin, std::move(smaller)};
}

/// The index of the first candidate that the test finds interesting, or their
/// number if it finds none. The tests run side by side.
FailureOr<size_t> ReducePass::findInteresting(ArrayRef<Candidate> candidates) {
  std::vector<ProcessToRun> processes;
  SmallVector<size_t> indices;
  for (auto [index, candidate] : llvm::enumerate(candidates)) {
    if (!candidate.module)
      continue;
    std::string path = joinPath(directory->getPath(),
                                ("module-" + Twine(index) + ".mlir").str());
    llvm::Error error = writeFile(path, [&](raw_ostream &os) {
      os << candidate.module.get();
      return llvm::Error::success();
    });
    if (error)
      return emitError(getOperation().getLoc(),
                       llvm::toString(std::move(error)));
    processes.push_back({{test, path}, {}, {}, {}});
    indices.push_back(index);
  }
  std::vector<ProcessEnd> ends = runProcesses(processes, jobs);
  if (isInterrupted())
    return failure();
  for (auto [index, end] : llvm::zip_equal(indices, ends)) {
    if (end.code < 0)
      return emitError(getOperation().getLoc(),
                       "expected a test that runs to its end, but for '")
             << test << "': " << end.message;
    if (end.code != 0)
      return index;
  }
  return candidates.size();
}

/// Leaves out each chunk of so many operations that the module does not need to
/// be interesting. Returns whether there was one.
FailureOr<bool> ReducePass::leaveOutChunks(size_t chunk) {
  bool hasChanged = false;
  // Backwards: later operations have fewer users.
  size_t end = collectOps(getOperation()).size();
  while (end > 0) {
    // Candidates after an interesting one are made again, without its
    // operations, so that the result does not depend on the number of jobs.
    SmallVector<Candidate> candidates;
    for (size_t at = end; at > 0 && candidates.size() < jobs;) {
      candidates.push_back(leaveOutRange(at > chunk ? at - chunk : 0, at));
      at = candidates.back().begin;
    }
    FailureOr<size_t> first = findInteresting(candidates);
    if (failed(first))
      return failure();
    if (*first == candidates.size()) {
      end = candidates.back().begin;
      continue;
    }
    Candidate &candidate = candidates[*first];
    getOperation().getBodyRegion().takeBody(candidate.module->getBodyRegion());
    end = candidate.begin;
    hasChanged = true;
  }
  return hasChanged;
}

void ReducePass::runOnOperation() {
  Location loc = getOperation().getLoc();
  if (jobs < 1 || jobs > maxJobs) {
    emitError(loc, "expected jobs to be 1 to ")
        << maxJobs << ", but found " << jobs.getValue();
    return signalPassFailure();
  }
  std::optional<std::string> program = findProgram(test);
  if (!program) {
    emitError(loc, "expected a test that can be run, but found '")
        << test << "'";
    return signalPassFailure();
  }
  test = *program;
  directory = std::make_unique<TemporaryDirectory>();
  if (llvm::Error error = directory->check()) {
    emitError(loc, llvm::toString(std::move(error)));
    return signalPassFailure();
  }
  endProcessesAtInterrupt();
  llvm::scope_exit reset([] { llvm::sys::SetInterruptFunction(nullptr); });
  FailureOr<size_t> whole =
      findInteresting(Candidate{0, getOperation().clone()});
  if (failed(whole))
    return signalPassFailure();
  if (*whole != 0) {
    emitError(loc, "expected a module that the test finds interesting");
    return signalPassFailure();
  }
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    for (size_t chunk = collectOps(getOperation()).size(); chunk > 0;
         chunk /= 2) {
      FailureOr<bool> isSmaller = leaveOutChunks(chunk);
      if (failed(isSmaller))
        return signalPassFailure();
      hasChanged |= *isSmaller;
    }
  }
  directory.reset();
}

void partita::registerReducePass() {
  mlir::registerPass([] { return std::make_unique<ReducePass>(); });
}
