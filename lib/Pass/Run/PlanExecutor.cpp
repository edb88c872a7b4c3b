//===- PlanExecutor.cpp - The pipelines of a plan -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanExecutor.h"
#include "../PassAccess.h"
#include "../PassImpl.h"
#include "../PassInstrumentImpl.h"
#include "../Pipeline/TakenPasses.h"
#include "../PlanRunnerPass.h"
#include "partita/Pass/PassRegistry.h"

using namespace mlir;

namespace partita::transform {

PlanExecutor::PlanExecutor(const Execution &execution) : execution(execution) {
  savings.options = execution.saving;
  if (savings.options.isOn())
    savings.facts = std::make_shared<RunFacts>();
  if (!savings.options.passCache.empty())
    cache = std::make_shared<PassCache>(savings.options);
  setVerifies(execution.verifies);
}

llvm::Expected<PlanSegment> PlanExecutor::lower(size_t begin, size_t end,
                                                bool runs, CacheTexts *texts) {
  PlanSegment segment;
  segment.pipeline = std::make_unique<OpPassManager>(
      execution.rootName, OpPassManager::Nesting::Explicit);
  bool saves = runs && savesWork();
  PlanLowering lowering(*segment.pipeline, execution.rootName, runs,
                        saves ? &savings : nullptr);
  bool isWhole = begin == 0 && end == execution.plan->entries().size();
  for (size_t index = begin; index < end; ++index) {
    const Plan::Entry &entry = execution.plan->entries()[index];
    if (!entry.runs() || entry.pass.isSequential())
      continue;
    size_t before = segment.pipeline->size();
    if (llvm::Error error = lowering.add(entry))
      return std::move(error);
    if (texts) {
      std::optional<std::string> text;
      if (lowering.isByFunction())
        text = transform::describeForCache(*execution.plan, index,
                                           execution.rootName);
      // The entry's pass can be in the last adaptor.
      size_t size = segment.pipeline->size();
      texts->resize(size, "");
      for (std::optional<std::string> &slot :
           MutableArrayRef(*texts).drop_front(std::min(before, size - 1)))
        slot = slot && text ? std::optional(*slot + *text) : std::nullopt;
    }
    for (const mlir::Pass *pass : lowering.getAdded())
      segment.passes.push_back(
          {pass, {index, entry.pass.getImpl().readsPassContext}});
    if (isWhole && lowering.isInAny())
      members[index] = lowering.getMembers();
  }
  if (tracker)
    for (auto [pass, tracked] : segment.passes)
      tracker->addPass(pass, tracked);
  return segment;
}

/// Makes the pipeline of entries that run merged. Results of passes that look
/// at one function at a time are taken from the cache, if there is one.
llvm::Expected<PlanSegment> PlanExecutor::lowerMerged(size_t begin,
                                                      size_t end) {
  CacheTexts texts;
  llvm::Expected<PlanSegment> segment =
      lower(begin, end, /*runs=*/true, cache ? &texts : nullptr);
  if (segment && cache)
    addCache(*segment, texts);
  // With a cache, MLIR would verify functions whose results are known.
  if (segment && savesWork())
    segment->pipeline = watchAdaptors(std::move(segment->pipeline),
                                      savings.facts, savings.options.verify);
  return segment;
}

/// Puts passes that use the cache around those with `texts`.
void PlanExecutor::addCache(PlanSegment &segment, const CacheTexts &texts) {
  auto passes = getPassSlots(*segment.pipeline);
  auto pipeline = std::make_unique<OpPassManager>(
      execution.rootName, OpPassManager::Nesting::Explicit);
  for (size_t index = 0; index < passes.size();) {
    size_t end = index;
    std::string text;
    while (end < passes.size() && texts[end])
      text += *texts[end++];
    if (end == index) {
      pipeline->addPass(std::move(passes[index++]));
      continue;
    }
    isByFunction |= end - index == passes.size();
    auto [lookUp, keep] = makeCachePasses(cache, savings.facts, text);
    pipeline->addPass(std::move(lookUp));
    while (index < end)
      pipeline->addPass(std::move(passes[index++]));
    pipeline->addPass(std::move(keep));
  }
  segment.pipeline = std::move(pipeline);
}

/// Whether a pass in `pm` may not be left out.
static bool hasEffects(OpPassManager &pm) {
  return llvm::any_of(getPassSlots(pm), [](auto &pass) {
    if (isa<PlanRunnerPass>(*pass) || getTraits(*pass).alwaysRuns)
      return true;
    return llvm::any_of(getNestedManagers(*pass), hasEffects);
  });
}

std::optional<std::string>
PlanExecutor::describeForCache(const PassContext &context) {
  if (!execution.plan->runsHostCallback())
    if (auto segment = getSegment(0, execution.plan->entries().size());
        !segment)
      llvm::consumeError(segment.takeError());
  if (isByFunction || hasEffects(*merged.pipeline))
    return std::nullopt;
  return transform::describeForCache(*execution.plan, context,
                                     execution.rootName);
}

llvm::Error PlanExecutor::prepare() {
  llvm::Expected<PlanSegment> segment =
      lower(0, execution.plan->entries().size(), /*runs=*/false);
  if (!segment)
    return segment.takeError();
  merged = std::move(*segment);
  if (savings.options.skipUnchanged)
    for (auto [entry, first] :
         llvm::zip_equal(execution.plan->entries(),
                         execution.plan->findRepeats(execution.rootName)))
      if (first != 0)
        savings.firstSteps[entry.number] = first;
  savings.options.skipUnchanged = !savings.firstSteps.empty();
  bool verifiesRoot =
      llvm::any_of(getPassSlots(*merged.pipeline), [](const auto &pass) {
        return getNestedManagers(*pass).empty();
      });
  if (savings.options.isVerifyImplied && !savings.options.skipUnchanged &&
      !verifiesRoot)
    savings.options.verify = SavingOptions::Verify::Each;
  hasCopies =
      savesWork() ||
      llvm::any_of(execution.plan->entries(), [](const Plan::Entry &entry) {
        return entry.runs() && entry.pass.getImpl().original;
      });
  return llvm::Error::success();
}

/// MLIR's check of a pipeline before its passes run.
static LogicalResult checkAnchors(OpPassManager &pm, MLIRContext *context) {
  for (std::unique_ptr<mlir::Pass> &pass : getPassSlots(pm))
    for (OpPassManager &nested : getNestedManagers(*pass))
      if (failed(checkAnchors(nested, context)))
        return failure();
  std::optional<StringRef> name = pm.getOpName();
  auto registered =
      name ? RegisteredOperationName::lookup(*name, context) : std::nullopt;
  if (registered)
    for (std::unique_ptr<mlir::Pass> &pass : getPassSlots(pm))
      if (!PassAccess::canRunOn(*pass, *registered))
        return emitError(UnknownLoc::get(context))
               << "unable to schedule pass '" << pass->getName()
               << "' on a PassManager intended to run on '" << *name << "'!";
  return success();
}

LogicalResult PlanExecutor::checkAnchors(MLIRContext *context) const {
  return transform::checkAnchors(*merged.pipeline, context);
}

StringRef PlanExecutor::getPipelineText() {
  if (!pipelineText.empty())
    return pipelineText;
  pipelineText = printManager(*merged.pipeline);
  // "root(passes)" -> "passes".
  pipelineText =
      pipelineText.substr(execution.rootName.size() + 1,
                          pipelineText.size() - execution.rootName.size() - 2);
  // An empty text is no valid nested pipeline; an empty Sequential is.
  if (pipelineText.empty())
    pipelineText = "sequential";
  return pipelineText;
}

void PlanExecutor::setTracker(PassTracker *newTracker) {
  tracker = newTracker;
  if (!tracker)
    return;
  auto add = [&](const PlanSegment &segment) {
    for (auto [pass, tracked] : segment.passes)
      tracker->addPass(pass, tracked);
  };
  add(merged);
  for (auto &[range, segment] : segments)
    add(segment);
  // The pipelines of steps are made anew: not all of their passes are kept.
  steps.clear();
}

llvm::Expected<PlanSegment *> PlanExecutor::getSegment(size_t begin,
                                                       size_t end) {
  if (begin == 0 && end == execution.plan->entries().size()) {
    if (std::exchange(hasCopies, false)) {
      // Passes that save work are no part of it.
      getPipelineText();
      llvm::Expected<PlanSegment> segment = lowerMerged(begin, end);
      if (!segment)
        return segment.takeError();
      merged = std::move(*segment);
      if (tracker) {
        tracker->clearPasses();
        setTracker(tracker);
      }
    }
    return &merged;
  }
  auto [it, inserted] = segments.try_emplace({begin, end});
  if (inserted) {
    llvm::Expected<PlanSegment> segment = lowerMerged(begin, end);
    if (!segment)
      return segment.takeError();
    it->second = std::move(*segment);
  }
  return &it->second;
}

llvm::Expected<PlanStep *> PlanExecutor::getStep(size_t index) {
  if (steps.empty())
    steps.resize(execution.plan->entries().size());
  PlanStep &step = steps[index];
  if (step.segment.pipeline)
    return &step;
  const Plan::Entry &entry = execution.plan->entries()[index];
  llvm::Expected<SmallVector<std::string>> path =
      getPath(entry.pass, entry.place, execution.rootName);
  if (!path)
    return path.takeError();
  llvm::Expected<PlanSegment> segment = lower(index, index + 1, /*runs=*/true);
  if (!segment)
    return segment.takeError();
  step.path = std::move(*path);
  step.members = members.lookup(index);
  step.members.resize(step.path.size());
  for (auto [level, inAny] : llvm::enumerate(step.members))
    step.sharesAny |=
        inAny && inAny->size() > (level + 1 == step.path.size() ? 1 : 0);
  step.segment = std::move(*segment);
  return &step;
}

llvm::Expected<OpPassManager *> PlanExecutor::getSingle(size_t index) {
  PlanStep &step = steps[index];
  if (step.single)
    return step.single.get();
  const Pass::Impl &impl = execution.plan->entries()[index].pass.getImpl();
  auto single = std::make_unique<OpPassManager>(
      getAnchorName(step.path.back()), OpPassManager::Nesting::Explicit);
  const mlir::Pass *copy =
      impl.original ? movePass(impl.original, *step.segment.pipeline, *single)
                    : nullptr;
  if (copy && tracker)
    tracker->addPass(copy, {index, impl.readsPassContext});
  std::string message;
  if (!copy && failed(impl.build(*single, [&](const Twine &text) {
        message = text.str();
        return failure();
      })))
    return makePassError("expected pass '" + impl.info.name +
                         "' to be made, but: " + message);
  if (tracker)
    for (const mlir::Pass &pass : single->getPasses())
      tracker->addPass(&pass, {index, impl.readsPassContext});
  step.single = std::move(single);
  return step.single.get();
}

} // namespace partita::transform
