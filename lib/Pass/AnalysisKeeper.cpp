//===- AnalysisKeeper.cpp - Analyses between pipelines --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AnalysisKeeper.h"
#include "PassImpl.h"

using namespace mlir;

namespace partita::transform {

namespace {
/// What MLIR lets only passes see.
struct PassAccess : mlir::Pass {
  static mlir::detail::PassExecutionState &getState(mlir::Pass &pass) {
    return (pass.*(&PassAccess::getPassState))();
  }
};
} // namespace

mlir::detail::NestedAnalysisMap &AnalysisKeeper::getMap(AnalysisManager am) {
  // Its one member, which nothing shows.
  static_assert(std::is_standard_layout_v<AnalysisManager> &&
                sizeof(AnalysisManager) == sizeof(Map *));
  return **reinterpret_cast<Map **>(&am);
}

static Block *getBody(Operation *op) {
  if (op->getNumRegions() == 0 || op->getRegion(0).empty())
    return nullptr;
  return &op->getRegion(0).front();
}

/// How deep `op` is below the root, if it is in it.
std::optional<size_t> AnalysisKeeper::getDepth(Operation *op) const {
  size_t depth = 0;
  for (Operation *top = root; op != top; ++depth)
    if (!(op = op->getParentOp()))
      return std::nullopt;
  return depth;
}

/// Whether `pass` is a pass of the step, or a thread's copy of one.
bool AnalysisKeeper::isOfStep(const mlir::Pass &pass) const {
  return llvm::any_of(step.passes, [&](const auto &tracked) {
    return tracked.first->getTypeID() == pass.getTypeID();
  });
}

AnalysisKeeper::Kept AnalysisKeeper::take(Map &map, size_t depth) {
  return {std::move(map.analyses), std::move(map.childAnalyses), depth};
}

void AnalysisKeeper::putBack(Map &map, Kept &kept) {
  map.analyses = std::move(kept.analyses);
  map.childAnalyses = std::move(kept.children);
}

void AnalysisKeeper::begin(Map &map, OpPassManager &pipeline, Operation *op,
                           const Step &newStep) {
  rootMap = &map;
  step = newStep;
  Operation *top = map.getOperation();
  if (body != getBody(top)) {
    clear();
    map.analyses.clear();
    map.childAnalyses.clear();
  }
  last = op == top ? &*std::prev(pipeline.end()) : nullptr;
  root = top;
}

void AnalysisKeeper::end() {
  body = getBody(root);
  root = nullptr;
  if (ofRoot)
    putBack(*rootMap, *ofRoot);
  ofRoot.reset();
  for (auto it = kept.begin(), last = kept.end(); it != last;)
    if (auto entry = it++; entry->second.depth > step.kept)
      kept.erase(entry);
}

void AnalysisKeeper::clear() {
  ofRoot.reset();
  kept.clear();
  hasAnalyses = false;
}

void AnalysisKeeper::runBeforePass(mlir::Pass *pass, Operation *op) {
  if (!root)
    return;
  bool endsLater = isAdaptor(*pass);
  if (!endsLater && !hasAnalyses)
    return;
  std::optional<size_t> depth = getDepth(op);
  if (!depth || *depth > step.depth)
    return;
  // MLIR neither invalidates then, nor verifies what it verifies later.
  if (endsLater && *depth < std::min(step.depth, step.kept))
    PassAccess::getState(*pass).preservedAnalyses.preserveAll();
  auto it = kept.find(&getMap(PassAccess::getState(*pass).analysisManager));
  if (it == kept.end())
    return;
  putBack(*it->first, it->second);
  kept.erase(it);
}

void AnalysisKeeper::runAfterPass(mlir::Pass *pass, Operation *op) {
  if (!root)
    return;
  if (pass == last) {
    ofRoot = take(*rootMap, 0);
    return;
  }
  if (!hasAnalyses || step.kept == 0)
    return;
  std::optional<size_t> depth = getDepth(op);
  if (!depth || *depth == 0 || *depth > step.kept)
    return;
  if (*depth < step.depth ? isAdaptor(*pass)
                          : *depth == step.depth && isOfStep(*pass)) {
    Map &map = getMap(PassAccess::getState(*pass).analysisManager);
    kept.insert_or_assign(&map, take(map, *depth));
  }
}

void AnalysisKeeper::runAfterAnalysis(StringRef, TypeID, Operation *) {
  if (root)
    hasAnalyses = true;
}

} // namespace partita::transform
