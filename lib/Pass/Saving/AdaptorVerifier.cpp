//===- AdaptorVerifier.cpp - Verification after adaptors ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AdaptorVerifier.h"
#include "../HelperPass.h"
#include "../PassAccess.h"
#include "SavingPass.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace partita::transform {

void AdaptorWatch::begin(
    Operation *newRoot,
    llvm::MutableArrayRef<std::unique_ptr<mlir::Pass>> watched) {
  root = newRoot;
  adaptors = watched;
  ops.clear();
  forRoot = forOps = false;
}

void AdaptorWatch::note(Operation *op, bool hasRun, bool hasSameHead,
                        bool isForRoot) {
  // The head of an op further inside is part of no symbol table of the root.
  bool isInRoot = op->getParentOp() == root;
  while (op->getParentOp() != root)
    op = op->getParentOp();
  std::lock_guard<std::mutex> lock(mutex);
  for (std::unique_ptr<mlir::Pass> &adaptor : adaptors)
    if (auto &state = PassAccess::getStateSlot(*adaptor))
      state->preservedAnalyses.preserveAll();
  forOps |= !isForRoot;
  if (!hasRun)
    return;
  forRoot |= isForRoot;
  bool &isSame = ops.try_emplace(op, true).first->second;
  isSame &= hasSameHead || !isInRoot;
}

LogicalResult checkSilently(MLIRContext *context,
                            llvm::function_ref<LogicalResult()> check) {
  bool isSilent = true;
  ThreadDiagnosticHandler handler(context, [&](Diagnostic &) {
    isSilent = false;
    return success();
  });
  return success(succeeded(check()) && isSilent);
}

LogicalResult verifyAloud(Operation *op, RunFacts &run, bool isRecursive) {
  bool speaks = false;
  ThreadDiagnosticHandler handler(op->getContext(), [&](Diagnostic &) {
    speaks = true;
    return failure();
  });
  if (failed(verify(op, isRecursive)))
    return failure();
  if (speaks)
    run.verifierSpeaks = true;
  return success();
}

/// Verifies the uses of symbols in `op`, as its symbol table does.
static LogicalResult verifySymbolUses(Operation *op) {
  SymbolTableCollection tables;
  bool isValid = true;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (auto user = dyn_cast<SymbolUserOpInterface>(inner))
      isValid &= succeeded(user.verifySymbolUses(tables));
    // A symbol table inside has verified its contents. To ask for a trait is
    // slow, for all ops.
    bool isTable =
        inner->getNumRegions() != 0 && inner->hasTrait<OpTrait::SymbolTable>();
    return isTable ? WalkResult::skip() : WalkResult::advance();
  });
  return success(isValid);
}

namespace {
/// Comes before adaptors.
class BeginWatchPass : public HelperPass {
public:
  BeginWatchPass(std::shared_ptr<RunFacts> run, OpPassManager *pipeline)
      : run(std::move(run)), pipeline(pipeline) {}
  StringRef getName() const override { return "BeginAdaptors"; }
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<BeginWatchPass>(*this);
  }
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (!run->verifies)
      return;
    // MLIR may have merged adaptors since the pipeline was made.
    auto slots = getPassSlots(*pipeline);
    auto *next = llvm::find_if(
        slots, [&](const auto &slot) { return slot.get() == this; });
    auto *end = std::find_if_not(next + 1, slots.end(), [](const auto &slot) {
      return isAdaptor(*slot);
    });
    run->watch.begin(getOperation(), {next + 1, end});
  }

private:
  std::shared_ptr<RunFacts> run;
  OpPassManager *pipeline;
};

/// Comes after adaptors.
class EndWatchPass : public HelperPass {
public:
  EndWatchPass(std::shared_ptr<RunFacts> run, SavingOptions::Verify verify)
      : run(std::move(run)), verify(verify) {}
  StringRef getName() const override { return "EndAdaptors"; }
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<EndWatchPass>(*this);
  }
  void runOnOperation() override;

private:
  bool isSilentlyValid();

  std::shared_ptr<RunFacts> run;
  SavingOptions::Verify verify;
};
} // namespace

void EndWatchPass::runOnOperation() {
  markAllAnalysesPreserved();
  AdaptorWatch &watch = run->watch;
  if (!watch.isActive())
    return;
  watch.end();
  // Results that are known were made in another module, and MLIR verifies after
  // adaptors in any case.
  if (watch.getOps().empty() && run->known.size() == 0 &&
      !(run->verifierSpeaks && watch.isForOps()))
    return;
  // As MLIR does after an adaptor.
  getAnalysisMap(getAnalysisManager())
      .invalidate(mlir::detail::PreservedAnalyses());
  if (verify == SavingOptions::Verify::End ||
      !getOperation()->hasTrait<OpTrait::SymbolTable>() || isSilentlyValid())
    return;
  // What MLIR says after the passes of a plain run.
  run->known.swapBodies(getOperation());
  if (failed(verifyAloud(getOperation(), *run, watch.isForRoot())))
    signalPassFailure();
  run->known.swapBodies(getOperation());
}

/// Whether the verifier has nothing to say about the uses of symbols in ops on
/// which passes have run; the first time, about what passes have not run on.
bool EndWatchPass::isSilentlyValid() {
  Operation *root = getOperation();
  AdaptorWatch &watch = run->watch;
  const auto &ops = watch.getOps();
  bool hasSameSymbols =
      llvm::all_of(ops, [](const auto &entry) { return entry.second; });
  bool isFirst = watch.isFirst(root);
  SmallVector<Operation *> others;
  if (isFirst && watch.isForRoot())
    for (Region &region : root->getRegions())
      for (Operation &op : region.getOps())
        if (!ops.contains(&op))
          others.push_back(&op);
  auto check = [&]() -> LogicalResult {
    if (run->verifierSpeaks)
      return failure();
    if (isFirst || !hasSameSymbols)
      return success(
          succeeded(mlir::verify(root, /*verifyRecursively=*/false)) &&
          succeeded(
              failableParallelForEach(&getContext(), others, [](Operation *op) {
                return mlir::verify(op);
              })));
    return failableParallelForEach(&getContext(), ops, [](const auto &entry) {
      return verifySymbolUses(entry.first);
    });
  };
  return succeeded(checkSilently(&getContext(), check));
}

std::unique_ptr<OpPassManager>
watchAdaptors(std::unique_ptr<OpPassManager> pipeline,
              std::shared_ptr<RunFacts> run, SavingOptions::Verify verify) {
  auto watched = std::make_unique<OpPassManager>(
      pipeline->getOpAnchorName(), OpPassManager::Nesting::Explicit);
  bool isInside = false;
  for (std::unique_ptr<mlir::Pass> &pass : getPassSlots(*pipeline)) {
    if (isAdaptor(*pass) && !isInside)
      watched->addPass(std::make_unique<BeginWatchPass>(run, watched.get()));
    else if (!isAdaptor(*pass) && isInside)
      watched->addPass(std::make_unique<EndWatchPass>(run, verify));
    isInside = isAdaptor(*pass);
    watched->addPass(std::move(pass));
  }
  if (isInside)
    watched->addPass(std::make_unique<EndWatchPass>(run, verify));
  return watched;
}

} // namespace partita::transform
