//===- AdaptorVerifier.cpp - Verification after adaptors ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AdaptorVerifier.h"
#include "../HelperPass.h"
#include "../PassAccess.h"
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
}

void AdaptorWatch::note(Operation *op, bool hasRun, bool hasSameHead) {
  // The head of an op further inside is part of no symbol table of the root.
  bool isInRoot = op->getParentOp() == root;
  while (op->getParentOp() != root)
    op = op->getParentOp();
  std::lock_guard<std::mutex> lock(mutex);
  for (std::unique_ptr<mlir::Pass> &adaptor : adaptors)
    if (auto &state = PassAccess::getStateSlot(*adaptor))
      state->preservedAnalyses.preserveAll();
  if (!hasRun)
    return;
  bool &isSame = ops.try_emplace(op, true).first->second;
  isSame &= hasSameHead || !isInRoot;
}

LogicalResult checkSilently(MLIRContext *context,
                            llvm::function_ref<LogicalResult()> check) {
  ThreadDiagnosticHandler handler(context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Error);
  });
  return check();
}

/// Verifies the uses of symbols in `op`, as its symbol table does.
static LogicalResult verifySymbolUses(Operation *op) {
  SymbolTableCollection tables;
  bool isValid = true;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (auto user = dyn_cast<SymbolUserOpInterface>(inner))
      isValid &= succeeded(user.verifySymbolUses(tables));
    // A symbol table inside has verified its contents.
    return inner->hasTrait<OpTrait::SymbolTable>() ? WalkResult::skip()
                                                   : WalkResult::advance();
  });
  return success(isValid);
}

namespace {
/// Comes before adaptors.
class BeginWatchPass : public HelperPass {
public:
  BeginWatchPass(std::shared_ptr<AdaptorWatch> watch, OpPassManager *pipeline)
      : watch(std::move(watch)), pipeline(pipeline) {}
  StringRef getName() const override { return "BeginAdaptors"; }
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<BeginWatchPass>(*this);
  }
  void runOnOperation() override {
    markAllAnalysesPreserved();
    // MLIR may have merged adaptors since the pipeline was made.
    auto slots = getPassSlots(*pipeline);
    auto *next = llvm::find_if(
        slots, [&](const auto &slot) { return slot.get() == this; });
    auto *end = std::find_if_not(next + 1, slots.end(), [](const auto &slot) {
      return isAdaptor(*slot);
    });
    watch->begin(getOperation(), {next + 1, end});
  }

private:
  std::shared_ptr<AdaptorWatch> watch;
  OpPassManager *pipeline;
};

/// Comes after adaptors.
class EndWatchPass : public HelperPass {
public:
  EndWatchPass(std::shared_ptr<AdaptorWatch> watch, bool verifies)
      : watch(std::move(watch)), verifies(verifies) {}
  StringRef getName() const override { return "EndAdaptors"; }
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<EndWatchPass>(*this);
  }
  void runOnOperation() override {
    Operation *root = getOperation();
    watch->end();
    markAllAnalysesPreserved();
    const auto &ops = watch->getOps();
    if (ops.empty())
      return;
    // As MLIR does after an adaptor.
    getAnalysisMap(getAnalysisManager())
        .invalidate(mlir::detail::PreservedAnalyses());
    if (!verifies || !root->hasTrait<OpTrait::SymbolTable>())
      return;
    bool hasSameSymbols =
        llvm::all_of(ops, [](const auto &entry) { return entry.second; });
    auto check = [&] {
      return failableParallelForEach(&getContext(), ops, [](const auto &entry) {
        return verifySymbolUses(entry.first);
      });
    };
    if (hasSameSymbols && succeeded(checkSilently(&getContext(), check)))
      return;
    // The errors are MLIR's.
    if (failed(verify(root, /*verifyRecursively=*/false)))
      signalPassFailure();
  }

private:
  std::shared_ptr<AdaptorWatch> watch;
  bool verifies;
};
} // namespace

std::unique_ptr<OpPassManager>
watchAdaptors(std::unique_ptr<OpPassManager> pipeline,
              std::shared_ptr<AdaptorWatch> watch,
              SavingOptions::Verify verify) {
  auto watched = std::make_unique<OpPassManager>(
      pipeline->getOpAnchorName(), OpPassManager::Nesting::Explicit);
  bool verifies = verify != SavingOptions::Verify::End;
  bool isInside = false;
  for (std::unique_ptr<mlir::Pass> &pass : getPassSlots(*pipeline)) {
    if (isAdaptor(*pass) && !isInside)
      watched->addPass(std::make_unique<BeginWatchPass>(watch, watched.get()));
    else if (!isAdaptor(*pass) && isInside)
      watched->addPass(std::make_unique<EndWatchPass>(watch, verifies));
    isInside = isAdaptor(*pass);
    watched->addPass(std::move(pass));
  }
  if (isInside)
    watched->addPass(std::make_unique<EndWatchPass>(watch, verifies));
  return watched;
}

} // namespace partita::transform
