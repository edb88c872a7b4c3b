//===- AttachInstruments.cpp - Instruments on a foreign PassManager -------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/AttachInstruments.h"
#include "../PassAccess.h"
#include "../PassInstrumentImpl.h"
#include "../Run/Diagnostics.h"
#include "../Tracking/InstrumentCalls.h"
#include "../Tracking/PassTracker.h"
#include "ForeignPlan.h"
#include "SkipPolicy.h"
#include "partita/Pass/PassRegistry.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace partita::transform {

using instrument::Clock;
using instrument::PassInstrumentRef;

namespace {
/// Tracks the runs of a foreign pass manager. The passes on the root run one
/// after another on one thread. Each is either a pass, or MLIR's adaptor that
/// runs nested pipelines on the root's ops in parallel. Nobody works on the
/// module before and after such a pass, so the instruments are called there:
/// for the pass, or for all passes in the adaptor. The position in a thread's
/// pipeline tells which pass it is in.
class ForeignTracker : public PassTracker {
public:
  ForeignTracker(PassManager &pm, const PassContext &context,
                 AttachOptions options)
      : pm(pm), context(context), applyPolicy(options.applyPolicy) {
    if (applyPolicy)
      policy.emplace(pm.getContext());
  }

  ~ForeignTracker() override { (void)finish(); }

  void runBeforePipeline(std::optional<OperationName> name,
                         const PipelineParentInfo &parent) override;
  void runBeforePass(mlir::Pass *pass, Operation *op) override;
  void runAfterPass(mlir::Pass *pass, Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, Operation *op) override;

private:
  using Element = ForeignPipeline::Element;

  /// The state of an entry during a run.
  struct State {
    /// Whether run_before_pass was called, and run_after_pass must follow.
    bool isOpen = false;
    /// Whether the pass has run, or runs before the passes that follow.
    bool hasRun = false;
    bool isSkipped = false;
  };

  void begin(Operation *module);
  void moveEndPass();
  bool isEnd(const mlir::Pass *pass) const;
  LogicalResult checkPolicy();
  LogicalResult finish();
  void beginTopLevel(mlir::Pass *pass, Operation *op);
  void beginGroup();
  void endGroup();
  LogicalResult callBefore(size_t entry);
  PassStep getStep(size_t entry) const;

  void warn(const Twine &message);
  void warnOfVeto(const PassInfo &info, const PassInstruments &against);
  void warnOfMissingPasses(const PassInfo &info);
  void warnOfMerging();

  PassManager &pm;
  PassContext context;
  bool applyPolicy;
  std::optional<SkipPolicy> policy;
  std::unique_ptr<ForeignPlan> foreign;

  /// The run, between its first pass and its last.
  std::optional<Run> own;
  RunMeter ownMeter;
  CrashGuard guard;
  Clock::time_point start;
  bool hasFailed = false;
  PassInstruments begun;
  /// Indexed by entry.
  std::vector<State> states;
  /// The pass that runs at the top level, and its element.
  const mlir::Pass *topLevel = nullptr;
  const Element *group = nullptr;
  /// The adaptors that run now, on all threads.
  llvm::DenseMap<const mlir::Pass *, const Element *> adaptors;

  /// Warnings already emitted.
  llvm::StringSet<> vetoing, lacking, unknown;
  bool hasWarnedOfMerging = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Refuses instruments that only a Sequential can have.
static LogicalResult checkInstruments(const PassContext &context,
                                      Location loc) {
  std::shared_ptr<const PassInstruments> list = context.instruments();
  for (const PassInstrumentRef &instrument : *list)
    if (instrument->wants(instrument::Wants::Pipelines))
      return emitError(loc, "expected instruments that can be attached to a "
                            "pass manager, but found '")
             << instrument->getName()
             << "', which needs the pipeline of each step; run a Sequential, "
                "or make one from the pass manager with takeOver";
  return success();
}

void ForeignTracker::begin(Operation *module) {
  moveEndPass();
  if (!foreign || !foreign->isOf(pm))
    foreign = std::make_unique<ForeignPlan>(pm, context, applyPolicy);
  own.emplace(Run{module, foreign->getPlan(), context, getInnermostStep()});
  guard = CrashGuard([this] {
    guard.forget();
    hasFailed = true;
    (void)finish();
    abandonRun();
  });
  ownMeter = RunMeter(*own);
  beginRun(*own, ownMeter);
  states.assign(own->plan->entries().size(), {});
  start = own->getClock().now();
  for (const std::string &warning : own->plan->warnings())
    if (unknown.insert(warning).second)
      warn(warning);
  hasFailed = failed(checkPolicy()) ||
              failed(checkInstruments(context, module->getLoc())) ||
              failed(callBeginRun(*own, begun));
}

/// Moves the pass that ends a run behind passes that were added after it. MLIR
/// iterates over the passes by position, and is before the end pass now.
void ForeignTracker::moveEndPass() {
  MutableArrayRef<std::unique_ptr<mlir::Pass>> passes = getPassSlots(pm);
  auto *end = llvm::find_if(passes, [&](const auto &pass) {
    auto *marker = dyn_cast<MarkerPass>(pass.get());
    return marker && marker->getOwner() == this &&
           marker->getKind() == MarkerPass::Kind::End;
  });
  if (end != passes.end())
    std::rotate(end, std::next(end), passes.end());
}

/// Whether only passes that end runs come after `pass`.
bool ForeignTracker::isEnd(const mlir::Pass *pass) const {
  for (mlir::Pass &last : llvm::reverse(pm)) {
    if (&last == pass)
      return true;
    if (!isa<MarkerPass>(last))
      return false;
  }
  return false;
}

LogicalResult ForeignTracker::checkPolicy() {
  if (!policy || policy->isInPlace())
    return success();
  return emitError(run->module->getLoc(),
                   "expected the MLIRContext to keep the action handler that "
                   "instruments need to skip passes, but another was "
                   "registered after they were attached; register it before, "
                   "attach without the policy, or run a Sequential");
}

LogicalResult ForeignTracker::finish() {
  guard.reset();
  if (!own)
    return success();
  endRun();
  LogicalResult result = success();
  if (ownMeter.isRecording() || !begun.empty())
    result = callEndRun(
        *own,
        ownMeter.takeRecord(*own, hasFailed, own->getClock().now() - start),
        /*isFilled=*/ownMeter.isRecording(), std::exchange(begun, {}));
  ownMeter = RunMeter();
  own.reset();
  adaptors.clear();
  topLevel = nullptr;
  hasFailed = false;
  return result;
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

/// Calls the instruments before the pass at the top level or, if that is an
/// adaptor, before the passes in it.
void ForeignTracker::beginGroup() {
  warnOfMerging();
  auto [begin, end] = ForeignPlan::getEntries(*group);
  for (size_t entry = begin; entry < end && !hasFailed; ++entry)
    hasFailed = !foreign->callsInstruments(entry) && failed(callBefore(entry));
}

LogicalResult ForeignTracker::callBefore(size_t entry) {
  PassStep step = getStep(entry);
  State &state = states[entry];
  if (!step.getEntry().runs()) {
    state.isSkipped = true;
    return success();
  }
  PassInstruments against;
  FailureOr<bool> shouldRun = callShouldRun(step, against);
  if (failed(shouldRun))
    return failure();
  if (!*shouldRun && applyPolicy) {
    state.isSkipped = true;
    ownMeter.addVeto(entry, against);
    return success();
  }
  warnOfVeto(step.info(), against);
  warnOfMissingPasses(step.info());
  if (failed(callRunBeforePass(step)))
    return failure();
  state.isOpen = state.hasRun = true;
  return success();
}

PassStep ForeignTracker::getStep(size_t entry) const {
  PassStep step{run, entry};
  if (auto [begin, end] = ForeignPlan::getEntries(*group); end - begin > 1) {
    step.mergedBegin = begin;
    step.mergedEnd = end;
  }
  return step;
}

void ForeignTracker::endGroup() {
  auto [begin, end] = ForeignPlan::getEntries(*group);
  for (size_t entry = begin; entry < end && !hasFailed; ++entry)
    if (std::exchange(states[entry].isOpen, false))
      hasFailed = failed(callRunAfterPass(getStep(entry)));
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void ForeignTracker::runBeforePipeline(std::optional<OperationName> name,
                                       const PipelineParentInfo &parent) {
  auto adaptor = adaptors.find(parent.parentPass);
  if (adaptor == adaptors.end())
    return PassTracker::runBeforePipeline(name, parent);
  StringRef anchor =
      name ? name->getStringRef() : OpPassManager::getAnyOpAnchorName();
  auto pipeline =
      llvm::find_if(adaptor->second->pipelines,
                    [&](const auto &inner) { return inner.anchor == anchor; });
  PipelineFrame &frame = pushPipelineFrame({run, adaptor->second->entry}, this,
                                           /*isForeign=*/false);
  frame.next = 0;
  if (pipeline != adaptor->second->pipelines.end())
    frame.pipeline = &*pipeline;
}

void ForeignTracker::beginTopLevel(mlir::Pass *pass, Operation *op) {
  // The end of the previous run was not seen.
  if (pass == &*pm.begin())
    (void)finish();
  auto *marker = dyn_cast<MarkerPass>(pass);
  bool isOwnMarker = marker && marker->getOwner() == this;
  // Markers of another attachment start no run.
  if (!own && (!marker || isOwnMarker))
    begin(op);
  topLevel = pass;
  group = own ? foreign->find(pass) : nullptr;
  if (isOwnMarker && marker->getKind() == MarkerPass::Kind::End &&
      isEnd(pass)) {
    // The last chance to fail.
    bool hadFailed = hasFailed || failed(checkPolicy());
    hasFailed = failed(finish()) || hadFailed;
  } else if (group && !hasFailed) {
    beginGroup();
  }
  if (hasFailed)
    signalPassFailure(pass);
}

void ForeignTracker::runBeforePass(mlir::Pass *pass, Operation *op) {
  const Element *element = nullptr;
  auto *around = llvm::dyn_cast_if_present<PipelineFrame>(getOwnFrame());
  if (!topLevel) {
    beginTopLevel(pass, op);
    element = own ? group : nullptr;
  } else if (around && around->pipeline &&
             around->next < around->pipeline->elements.size()) {
    element = &around->pipeline->elements[around->next++];
  }
  if (!element)
    return PassTracker::runBeforePass(pass, op);
  if (hasFailed)
    signalPassFailure(pass);
  if (!element->pipelines.empty()) {
    adaptors[pass] = element;
    return;
  }
  bool isSkipped = states[element->entry].isSkipped && !hasFailed;
  bool isMeasured = !isSkipped && !foreign->callsInstruments(element->entry);
  pushPass(pass, op, {element->entry, /*readsPassContext=*/true}, isMeasured)
      .isSkipped = isSkipped;
}

void ForeignTracker::runAfterPass(mlir::Pass *pass, Operation *op) {
  PassTracker::runAfterPass(pass, op);
  if (pass != topLevel) {
    adaptors.erase(pass);
    return;
  }
  if (group && own)
    endGroup();
  topLevel = nullptr;
  if (pass == &*std::prev(pm.end()))
    (void)finish();
}

void ForeignTracker::runAfterPassFailed(mlir::Pass *pass, Operation *op) {
  PassTracker::runAfterPassFailed(pass, op);
  if (pass != topLevel) {
    adaptors.erase(pass);
    return;
  }
  topLevel = nullptr;
  hasFailed = true;
  (void)finish();
}

//===----------------------------------------------------------------------===//
// Differences from a Sequential
//===----------------------------------------------------------------------===//

void ForeignTracker::warn(const Twine &message) {
  emitPassWarning(context, run->module->getLoc(), message);
}

void ForeignTracker::warnOfVeto(const PassInfo &info,
                                const PassInstruments &against) {
  for (const instrument::PassInstrumentRef &instrument : against)
    if (vetoing.insert(instrument->getName()).second)
      warn("instrument '" + instrument->getName() + "' vetoed '" + info.name +
           "', but a veto has no effect without the policy; attach with the "
           "policy, or run a Sequential");
}

void ForeignTracker::warnOfMissingPasses(const PassInfo &info) {
  for (const std::string &name : info.required) {
    std::string canonical = canonicalPassName(name);
    bool hasRun = llvm::any_of(llvm::enumerate(states), [&](auto state) {
      return state.value().hasRun &&
             canonicalPassName(PassStep{run, state.index()}.info().name) ==
                 canonical;
    });
    if (!hasRun && lacking.insert(info.name).second)
      warn(
          "expected '" + name + "', which '" + info.name +
          "' requires, to run before it, but it does not, and an existing pass "
          "manager cannot add it; add it yourself, or run a Sequential");
  }
}

void ForeignTracker::warnOfMerging() {
  auto [begin, end] = ForeignPlan::getEntries(*group);
  if (end - begin < 2 || hasWarnedOfMerging ||
      !anyWants(context, instrument::Wants::Module))
    return;
  hasWarnedOfMerging = true;
  warn("expected instruments that look at the module to see it between "
       "passes, but " +
       Twine(end - begin) + " passes, from '" +
       PassStep{run, begin}.info().name +
       "', are merged and run op by op; instruments see the module before the "
       "first and after the last of them, and mark these passes; run a "
       "Sequential to see each pass");
}

//===----------------------------------------------------------------------===//
// attachInstruments
//===----------------------------------------------------------------------===//

LogicalResult attachInstruments(PassManager &pm, const PassContext &context,
                                AttachOptions options) {
  MLIRContext *mlirContext = pm.getContext();
  Location loc = UnknownLoc::get(mlirContext);
  if (failed(checkInstruments(context, loc)))
    return failure();
  if (options.applyPolicy && SkipPolicy::isTaken(mlirContext))
    return emitError(
        loc, "expected an MLIRContext without an action handler, "
             "because instruments skip passes with their own, but found "
             "one (such as --log-actions-to's); attach without the "
             "policy, or run a Sequential");
  // The text of the markers: a pass that runs on no op.
  std::string text = "cse";
  bool hasBegin = pm.empty() || options.applyPolicy;
  if (!pm.empty())
    text = (pm.getOpAnchorName() + "(" + printPass(*pm.begin()) + ")").str();
  auto tracker = std::make_unique<ForeignTracker>(pm, context, options);
  auto addMarker = [&](MarkerPass::Kind kind) {
    pm.addPass(std::make_unique<MarkerPass>(tracker.get(), kind, text));
  };
  if (hasBegin) {
    addMarker(MarkerPass::Kind::Begin);
    MutableArrayRef<std::unique_ptr<mlir::Pass>> passes = getPassSlots(pm);
    std::rotate(passes.begin(), std::prev(passes.end()), passes.end());
  }
  addMarker(MarkerPass::Kind::End);
  pm.addInstrumentation(std::move(tracker));
  return success();
}

} // namespace partita::transform
