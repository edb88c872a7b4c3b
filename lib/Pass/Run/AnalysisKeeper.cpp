//===- AnalysisKeeper.cpp - Analyses between pipelines --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AnalysisKeeper.h"
#include "../PassAccess.h"

using namespace mlir;

namespace partita::transform {

AnalysisKeeper::AnalysisKeeper(Slot newSlot)
    : slot(std::move(newSlot)), adaptorID(getAdaptorID()) {
  *slot = this;
}

/// The depth of `op` below the root, if it is inside.
std::optional<size_t> AnalysisKeeper::getDepth(Operation *op) const {
  size_t depth = 0;
  for (Operation *top = root; op && op != top; op = op->getParentOp())
    ++depth;
  return op ? std::optional(depth) : std::nullopt;
}

/// Whether `pass` belongs to the step, or is a thread's copy of such a pass.
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

/// Makes `parent` the parent of the maps of the root's ops.
void AnalysisKeeper::setParent(Map *parent) {
  isParent = parent != rootMap;
  if (isParent)
    for (Region &region : rootMap->getOperation()->getRegions())
      for (Operation &op : region.getOps())
        if (op.hasTrait<OpTrait::IsIsolatedFromAbove>())
          if (std::unique_ptr<Map> &map = rootMap->childAnalyses[&op]; !map)
            map = std::make_unique<Map>(&op, parent);
  for (auto &[op, map] : rootMap->childAnalyses)
    map->parentOrInstrumentor = parent;
}

void AnalysisKeeper::begin(Map &map, OpPassManager &pipeline, Operation *op,
                           const Step &newStep, PassInstrumentor *newOwn) {
  rootMap = &map;
  step = newStep;
  own = newOwn;
  Operation *top = map.getOperation();
  last = op == top ? &*std::prev(pipeline.end()) : nullptr;
  bool needsStandIn = own && last && last->getTypeID() == adaptorID;
  if (isParent && !needsStandIn)
    setParent(rootMap);
  if (needsStandIn && !standIn)
    standIn.emplace(top, own);
  root = top;
}

void AnalysisKeeper::end() {
  root = nullptr;
  if (ofRoot)
    putBack(*rootMap, *ofRoot);
  ofRoot.reset();
  if (!rootMap->parentOrInstrumentor) {
    rootMap->parentOrInstrumentor = own;
    if (step.kept == 0)
      standIn->invalidate(mlir::detail::PreservedAnalyses());
    rootMap->analyses = std::move(standIn->analyses);
    isParent &= step.kept != 0;
  }
  for (auto it = kept.begin(), last = kept.end(); it != last;)
    if (auto entry = it++; entry->second.depth > step.kept)
      kept.erase(entry);
}

void AnalysisKeeper::clear() {
  if (isParent)
    setParent(rootMap);
  ofRoot.reset();
  kept.clear();
  standIn.reset();
  takenHash.reset();
  hasAnalyses = false;
}

void AnalysisKeeper::abandon() {
  root = nullptr;
  isParent = false;
  clear();
}

/// A hash of the contents of `op`, as analyses know them: addresses count, too.
static uint64_t hashContents(Operation *op) {
  llvm::hash_code hash(0);
  for (Region &region : op->getRegions())
    region.walk<WalkOrder::PreOrder>([&](Operation *inner) {
      hash = llvm::hash_combine(
          hash, inner, inner->getBlock(), inner->getName(),
          inner->getRawDictionaryAttrs(), inner->hashProperties(),
          llvm::hash_combine_range(inner->getOperands()),
          llvm::hash_combine_range(inner->getSuccessors()));
    });
  return hash;
}

void AnalysisKeeper::noteTaken() {
  // Passes decide themselves which analyses they preserve.
  if (hasAnalyses && !root)
    takenHash = hashContents(rootMap->getOperation());
}

void AnalysisKeeper::noteGivenBack(Operation *contents) {
  if (!hasAnalyses || root)
    return;
  if (takenHash == hashContents(contents)) {
    takenHash.reset();
    return;
  }
  clear();
  rootMap->analyses.clear();
  rootMap->childAnalyses.clear();
}

void AnalysisKeeper::runBeforePass(mlir::Pass *pass, Operation *op) {
  bool endsLater = pass->getTypeID() == adaptorID;
  if (!root || (!endsLater && !hasAnalyses))
    return;
  std::optional<size_t> depth = getDepth(op);
  if (!depth || *depth > step.depth)
    return;
  // Then MLIR neither invalidates nor verifies; both happen after a later step.
  if (endsLater && *depth < std::min(step.depth, step.kept))
    PassAccess::getState(*pass).preservedAnalyses.preserveAll();
  if (endsLater && pass == last && own) {
    if (!isParent)
      setParent(&*standIn);
    standIn->analyses = std::move(rootMap->analyses);
    rootMap->parentOrInstrumentor = static_cast<PassInstrumentor *>(nullptr);
    return;
  }
  auto it =
      kept.find(&getAnalysisMap(PassAccess::getState(*pass).analysisManager));
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
  if (*depth < step.depth ? pass->getTypeID() == adaptorID
                          : *depth == step.depth && isOfStep(*pass)) {
    Map &map = getAnalysisMap(PassAccess::getState(*pass).analysisManager);
    if (holdsAnalyses(map))
      kept.insert_or_assign(&map, take(map, *depth));
  }
}

void AnalysisKeeper::runAfterAnalysis(StringRef, TypeID, Operation *) {
  if (root)
    hasAnalyses = true;
}

} // namespace partita::transform
