//===- AttachInstruments.cpp - Instruments on a foreign PassManager -------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR calls its instrumentation per pass and op, from the thread that runs the
// pass, one call at a time. The root's passes come one after the other on one
// thread. One of them is either a pass, or MLIR's adaptor that runs nested
// pipelines on the ops in the root, in parallel. Nobody works on the module
// before and after such a top-level pass, so that is where instruments are
// called: for the pass, or for all passes in the adaptor's pipelines. Those are
// known by the adaptor's text, as nothing else in MLIR's API shows them. Which
// of them runs is counted out: threads run copies of passes, and copies of
// copies, that cannot be told from those in the pipelines that passes run.
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/AttachInstruments.h"
#include "PassImpl.h"
#include "PlanExecutor.h"
#include "partita/Pass/PassRegistry.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace partita::transform {

using instrument::Clock;
using instrument::PassInstrumentRef;

/// Whether `pass` calls instruments itself.
static bool callsInstruments(const mlir::Pass &pass) {
  if (isa<PlanPass>(pass) || pass.getArgument() == sequentialArgument)
    return true;
  std::shared_ptr<const PassDeclaration> declared =
      lookupPass(pass.getArgument());
  return declared && declared->members;
}

static std::string printPass(mlir::Pass &pass) {
  std::string text;
  llvm::raw_string_ostream os(text);
  pass.printAsTextualPipeline(os);
  return text;
}

/// The name of a pass in a textual pipeline: its argument, or if it has none,
/// what it calls itself.
static StringRef getName(StringRef element) {
  if (element.consume_front(unnamedPassPrefix))
    return element.drop_back();
  return element.take_until([](char c) { return c == '{'; });
}

static PassInfo getPassInfo(StringRef name) {
  std::shared_ptr<const PassDeclaration> declared = lookupPass(name);
  return declared ? declared->info : PassInfo{name.str(), 0, {}};
}

//===----------------------------------------------------------------------===//
// ForeignPlanBuilder
//===----------------------------------------------------------------------===//

/// Makes a plan of what somebody else has put into a pass manager, which runs
/// as it is, but for what the policy skips.
class ForeignPlanBuilder {
public:
  static std::shared_ptr<const Plan>
  build(ArrayRef<PassInfo> infos, const PassContext &context, bool applyPolicy);

private:
  static Plan::Reason getReason(const PassInfo &info,
                                const PassContext &context);
};

Plan::Reason ForeignPlanBuilder::getReason(const PassInfo &info,
                                           const PassContext &context) {
  if (context.passDisabledByName(info))
    return Plan::Reason::SkippedByName;
  if (context.passRequiredByName(info))
    return Plan::Reason::RequiredPass;
  return context.passEnabled(info) ? Plan::Reason::OptLevel
                                   : Plan::Reason::SkippedByLevel;
}

std::shared_ptr<const Plan>
ForeignPlanBuilder::build(ArrayRef<PassInfo> infos, const PassContext &context,
                          bool applyPolicy) {
  std::shared_ptr<Plan> plan(new Plan);
  plan->optLevel = context.optLevel();
  auto root = std::make_shared<Pass::Impl>();
  root->info.name = "PassManager";
  plan->list.resize(infos.size() + 1);
  for (auto [info, entry] :
       llvm::zip_equal(infos, llvm::drop_begin(plan->list))) {
    auto impl = std::make_shared<Pass::Impl>();
    impl->info = info;
    impl->build = [](OpPassManager &, PassErrorHandler emitError) {
      return emitError("a pass of somebody else's pass manager is its own");
    };
    entry.pass = Pass(impl);
    entry.depth = 1;
    entry.end = &entry - plan->list.data() + 1;
    if (applyPolicy)
      entry.reason = getReason(info, context);
    entry.inRequiredPass = context.passRequiredByName(info);
    root->members.push_back(entry.pass);
  }
  plan->list.front().pass = Pass(root);
  plan->list.front().end = plan->list.size();
  plan->setNumbers();
  return plan;
}

//===----------------------------------------------------------------------===//
// EndPass
//===----------------------------------------------------------------------===//

namespace {
/// The last pass of a manager: one to fail when a callback after the last but
/// one has failed.
class EndPass : public PassWrapper<EndPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EndPass)

  EndPass(const void *owner, std::string text)
      : owner(owner), text(std::move(text)) {}

  StringRef getName() const override { return "EndOfInstruments"; }
  /// A pipeline on ops that do not exist.
  StringRef getArgument() const override { return text; }
  void runOnOperation() override { markAllAnalysesPreserved(); }

  /// What it ends the runs of: a manager can be attached to twice.
  const void *getOwner() const { return owner; }

private:
  const void *owner;
  std::string text;
};

/// Reaches a protected member of every pass.
struct PassAccess : mlir::Pass {
  static void preserveAnalyses(mlir::Pass &pass) {
    (pass.*(&PassAccess::markAllAnalysesPreserved))();
  }
};

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// A pass of the manager in a run.
struct PipelinePass {
  PassInfo info;
  /// Whether it calls the instruments, and nobody for it.
  bool callsInstruments = false;
  /// Whether run_before_pass was called, so that run_after_pass is to be.
  bool isOpen = false;
  /// Whether the pass has run, or is to run before those that follow.
  bool hasRun = false;
  bool isSkipped = false;
};

/// A pipeline in an adaptor. Its elements are passes and adaptors.
struct Pipeline {
  struct Element {
    /// The index of a pass in the run.
    size_t pass = 0;
    /// The pipelines of an adaptor; empty for a pass.
    std::vector<Pipeline> pipelines;
  };
  std::string anchor;
  std::vector<Element> elements;
};

/// Where a thread is in a pipeline.
struct Cursor {
  /// Null for one that a pass runs.
  const Pipeline *pipeline;
  size_t next = 0;
};

/// A pass that runs on a thread now.
struct ActivePass {
  mlir::Pass *pass;
  /// What it is, if it is of the manager.
  const Pipeline::Element *element = nullptr;
  bool isSkipped = false;
  /// If it is measured.
  std::unique_ptr<OpenSpan> span;
  /// Makes the context current on the thread.
  std::unique_ptr<PassContextSnapshot> snapshot;
};

struct ThreadState {
  SmallVector<ActivePass, 2> passes;
  /// A pipeline for each pass that runs, and the one in the innermost. MLIR
  /// does not say when one ends in failure.
  SmallVector<Cursor, 2> cursors;
};

/// What runs now. Locked, because MLIR's action handler is called outside of
/// the lock that its instrumentations are called in.
class ActivePasses {
public:
  void beginPipeline(Cursor cursor) {
    std::lock_guard<std::mutex> lock(mutex);
    ThreadState &thread = threads[llvm::get_threadid()];
    thread.cursors.resize(thread.passes.size(), {nullptr});
    thread.cursors.push_back(cursor);
  }

  /// The element that this thread comes to in its pipeline; null if that is not
  /// of the manager.
  const Pipeline::Element *takeNext() {
    std::lock_guard<std::mutex> lock(mutex);
    ThreadState &thread = threads[llvm::get_threadid()];
    if (thread.cursors.size() <= thread.passes.size())
      return nullptr;
    Cursor &cursor = thread.cursors[thread.passes.size()];
    if (!cursor.pipeline || cursor.next == cursor.pipeline->elements.size())
      return nullptr;
    return &cursor.pipeline->elements[cursor.next++];
  }

  void push(ActivePass active) {
    std::lock_guard<std::mutex> lock(mutex);
    threads[llvm::get_threadid()].passes.push_back(std::move(active));
    ++count;
  }

  ActivePass pop() {
    std::lock_guard<std::mutex> lock(mutex);
    --count;
    return threads[llvm::get_threadid()].passes.pop_back_val();
  }

  bool empty() const {
    std::lock_guard<std::mutex> lock(mutex);
    return count == 0;
  }

  bool isSkipped(const mlir::Pass &pass) const {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = threads.find(llvm::get_threadid());
    return it != threads.end() && !it->second.passes.empty() &&
           it->second.passes.back().pass == &pass &&
           it->second.passes.back().isSkipped;
  }

  /// What an adaptor that runs, on whatever thread, is; null if a pass runs it.
  const Pipeline::Element *findAdaptor(const mlir::Pass *adaptor) const {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto &[id, thread] : threads)
      for (const ActivePass &active : thread.passes)
        if (active.pass == adaptor)
          return active.element;
    return nullptr;
  }

  /// Forgets the threads of a run.
  void clear() {
    std::lock_guard<std::mutex> lock(mutex);
    threads.clear();
  }

private:
  mutable std::mutex mutex;
  size_t count = 0;
  llvm::DenseMap<uint64_t, ThreadState> threads;
};

//===----------------------------------------------------------------------===//
// ForeignInstrumentation
//===----------------------------------------------------------------------===//

class ForeignInstrumentation : public PassInstrumentation {
public:
  ForeignInstrumentation(PassManager &pm, const PassContext &context,
                         AttachOptions options)
      : pm(pm), mlirContext(pm.getContext()), context(context),
        options(options), knowsEnd(!pm.empty()) {
    if (options.applyPolicy)
      mlirContext->registerActionHandler(
          [active = active](llvm::function_ref<void()> execute,
                            const tracing::Action &action) {
            auto *pass = dyn_cast<PassExecutionAction>(&action);
            if (!pass || !active->isSkipped(pass->getPass()))
              execute();
          });
  }

  ~ForeignInstrumentation() override {
    (void)endRun();
    if (options.applyPolicy)
      mlirContext->registerActionHandler(nullptr);
  }

  void runBeforePipeline(std::optional<OperationName> name,
                         const PipelineParentInfo &parent) override;
  void runBeforePass(mlir::Pass *pass, Operation *op) override;
  void runAfterPass(mlir::Pass *pass, Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, Operation *op) override;

private:
  void beginTopLevel(const mlir::Pass *pass, Operation *op);
  void beginRun();
  LogicalResult endRun();
  void beginGroup(mlir::Pass &pass);
  void endGroup();
  LogicalResult callBefore(size_t index);
  std::vector<Pipeline> parsePipelines(StringRef text);
  PipelinePass *getPass(const ActivePass &active);
  void stopTiming(ActivePass &active, bool hasFailed);

  void warnOfVeto(const PassInfo &info, const PassInstruments &against);
  void warnOfMissingPasses(const PassInfo &info);
  void warnOfMerging();

  PassManager &pm;
  MLIRContext *mlirContext;
  PassContext context;
  AttachOptions options;
  /// Whether there is an EndPass. Without it, a run ends unseen.
  bool knowsEnd;

  std::shared_ptr<ActivePasses> active = std::make_shared<ActivePasses>();
  /// The root op of the run; null between runs.
  Operation *module = nullptr;
  Clock::time_point start;
  bool hasFailed = false;
  std::vector<PipelinePass> passes;
  /// What the manager holds, if somebody asks: entry i + 1 is pass i.
  std::shared_ptr<const Plan> plan;
  RunMeter meter;
  PassInstruments begun;
  /// The top-level pass that runs, and where its passes begin.
  Pipeline::Element topLevel;
  size_t groupBegin = 0;

  /// What was warned of before.
  llvm::StringSet<> vetoing, lacking;
  bool hasWarnedOfMerging = false;
};
} // namespace

void ForeignInstrumentation::beginTopLevel(const mlir::Pass *pass,
                                           Operation *op) {
  // EndPass ends runs, unless passes were added after it.
  if (pass == &*pm.begin())
    (void)endRun();
  // That of another's instruments is not of a run.
  if (module || isa<EndPass>(pass))
    return;
  module = op;
  start = Clock::now();
  beginRun();
}

/// The passes of `pm` in the order in which they run.
static std::vector<PassInfo> listPasses(PassManager &pm) {
  std::vector<PassInfo> infos;
  auto addElements = [&](auto &self, StringRef text) -> void {
    for (StringRef element : splitPipeline(text)) {
      size_t bracket = element.find_first_of("({");
      if (bracket != StringRef::npos && element[bracket] == '(' &&
          !element.starts_with(unnamedPassPrefix))
        self(self, element.drop_front(bracket + 1).drop_back());
      else
        infos.push_back(getPassInfo(getName(element)));
    }
  };
  for (mlir::Pass &pass : pm)
    if (isAdaptor(pass))
      addElements(addElements, printPass(pass));
    else if (!isa<EndPass>(pass))
      infos.push_back(getPassInfo(getName(printPass(pass))));
  return infos;
}

void ForeignInstrumentation::beginRun() {
  bool wantsRuns = knowsEnd && llvm::any_of(*context.instruments(),
                                            [](const auto &instrument) {
                                              return instrument->wantsRuns();
                                            });
  if (!wantsRuns && !wantsMeasures(context))
    return;
  if (!plan)
    plan =
        ForeignPlanBuilder::build(listPasses(pm), context, options.applyPolicy);
  meter = RunMeter(plan, context);
  if (!wantsRuns)
    return;
  hasFailed = failed(context.instrumentBeginRun(module, *plan, begun));
}

LogicalResult ForeignInstrumentation::endRun() {
  LogicalResult result = success();
  if (module && meter.isRecording()) {
    instrument::PassRecord record = meter.takeRecord(Clock::now() - start);
    record.hasFailed |= hasFailed;
    deliverRecord(context, std::move(record));
  }
  if (module && !begun.empty())
    result = PassContext::instrumentEndRun(module, *plan, hasFailed,
                                           std::exchange(begun, {}));
  meter = RunMeter();
  module = nullptr;
  hasFailed = false;
  passes.clear();
  active->clear();
  return result;
}

/// The pipelines of an adaptor; their passes become those of the run.
std::vector<Pipeline> ForeignInstrumentation::parsePipelines(StringRef text) {
  std::vector<Pipeline> pipelines;
  for (StringRef part : splitPipeline(text)) {
    auto [anchor, rest] = part.split('(');
    Pipeline &pipeline = pipelines.emplace_back();
    pipeline.anchor = anchor.str();
    for (StringRef member : splitPipeline(rest.drop_back())) {
      Pipeline::Element &element = pipeline.elements.emplace_back();
      size_t bracket = member.find_first_of("({");
      if (bracket != StringRef::npos && member[bracket] == '(' &&
          !member.starts_with(unnamedPassPrefix)) {
        element.pipelines = parsePipelines(member);
        continue;
      }
      element.pass = passes.size();
      StringRef name = getName(member);
      passes.push_back({getPassInfo(name), name == sequentialArgument});
    }
  }
  return pipelines;
}

/// Calls the instruments before the passes that `pass`, at the top level, is or
/// holds.
void ForeignInstrumentation::beginGroup(mlir::Pass &pass) {
  groupBegin = passes.size();
  topLevel = {groupBegin, {}};
  std::string text = printPass(pass);
  if (isAdaptor(pass)) {
    topLevel.pipelines = parsePipelines(text);
    warnOfMerging();
  } else {
    passes.push_back({getPassInfo(getName(text)), callsInstruments(pass)});
  }
  for (size_t index = groupBegin; index < passes.size(); ++index)
    if (!passes[index].callsInstruments && failed(callBefore(index))) {
      hasFailed = true;
      return;
    }
}

LogicalResult ForeignInstrumentation::callBefore(size_t index) {
  PipelinePass &pass = passes[index];
  std::optional<CurrentStep> current;
  if (plan)
    current.emplace(PlanStep{plan.get(), index + 1});
  if (options.applyPolicy && !context.passEnabled(pass.info)) {
    pass.isSkipped = true;
    return success();
  }
  PassInstruments against;
  FailureOr<bool> shouldRun =
      context.instrumentShouldRun(module, pass.info, &against);
  if (failed(shouldRun))
    return failure();
  if (!*shouldRun && options.applyPolicy) {
    pass.isSkipped = true;
    if (meter.isRecording())
      for (const PassInstrumentRef &instrument : against)
        meter.getTime(index + 1).vetoedBy.push_back(
            instrument->getName().str());
    return success();
  }
  warnOfVeto(pass.info, against);
  warnOfMissingPasses(pass.info);
  if (failed(context.instrumentRunBeforePass(module, pass.info)))
    return failure();
  pass.isOpen = pass.hasRun = true;
  return success();
}

void ForeignInstrumentation::endGroup() {
  for (size_t index = groupBegin; index < passes.size(); ++index) {
    PipelinePass &pass = passes[index];
    if (!std::exchange(pass.isOpen, false) || hasFailed)
      continue;
    std::optional<CurrentStep> current;
    if (plan)
      current.emplace(PlanStep{plan.get(), index + 1});
    hasFailed = failed(context.instrumentAfterPass(module, pass.info));
  }
}

void ForeignInstrumentation::runBeforePipeline(
    std::optional<OperationName> name, const PipelineParentInfo &parent) {
  Cursor cursor{nullptr};
  if (const Pipeline::Element *adaptor = active->findAdaptor(parent.parentPass))
    for (const Pipeline &pipeline : adaptor->pipelines)
      if (pipeline.anchor ==
          (name ? name->getStringRef() : OpPassManager::getAnyOpAnchorName()))
        cursor.pipeline = &pipeline;
  active->beginPipeline(cursor);
}

void ForeignInstrumentation::runBeforePass(mlir::Pass *pass, Operation *op) {
  ActivePass now;
  now.pass = pass;
  if (!active->empty()) {
    now.element = active->takeNext();
  } else {
    beginTopLevel(pass, op);
    auto *end = dyn_cast<EndPass>(pass);
    if (end && end->getOwner() == this) {
      // The last chance to fail.
      bool hadFailed = hasFailed;
      hasFailed = failed(endRun()) || hadFailed;
    } else if (!end && !hasFailed) {
      beginGroup(*pass);
      now.element = &topLevel;
    }
  }
  if (PipelinePass *known = getPass(now);
      known && known->isSkipped && !hasFailed) {
    now.isSkipped = true;
    // Nothing has changed, so nothing is to be verified and computed anew.
    PassAccess::preserveAnalyses(*pass);
  }
  if (hasFailed)
    signalPassFailure(pass);
  if (!isAdaptor(*pass))
    now.snapshot = std::make_unique<PassContextSnapshot>(context);
  if (PipelinePass *known = getPass(now);
      known && meter.isActive() && !now.isSkipped) {
    now.span = std::make_unique<OpenSpan>(*plan, now.element->pass + 1, op);
    meter.begin(*now.span);
  }
  active->push(std::move(now));
}

/// The pass of the manager that `active` is, if it is one.
PipelinePass *ForeignInstrumentation::getPass(const ActivePass &active) {
  if (!active.element || isAdaptor(*active.pass))
    return nullptr;
  PipelinePass &pass = passes[active.element->pass];
  return pass.callsInstruments ? nullptr : &pass;
}

void ForeignInstrumentation::stopTiming(ActivePass &ended, bool hasFailed) {
  if (ended.span)
    meter.end(*ended.span, hasFailed);
}

void ForeignInstrumentation::runAfterPass(mlir::Pass *pass, Operation *) {
  ActivePass ended = active->pop();
  stopTiming(ended, /*hasFailed=*/false);
  if (active->empty() && !isa<EndPass>(pass))
    endGroup();
}

void ForeignInstrumentation::runAfterPassFailed(mlir::Pass *, Operation *) {
  ActivePass ended = active->pop();
  stopTiming(ended, /*hasFailed=*/true);
  if (!active->empty())
    return;
  hasFailed = true;
  (void)endRun();
}

//===----------------------------------------------------------------------===//
// What it cannot do
//===----------------------------------------------------------------------===//

void ForeignInstrumentation::warnOfVeto(const PassInfo &info,
                                        const PassInstruments &against) {
  for (const instrument::PassInstrumentRef &instrument : against)
    if (vetoing.insert(instrument->getName()).second)
      emitWarning(module->getLoc(),
                  "expected no should_run to be against a pass, as "
                  "instruments were attached without the policy, but "
                  "that of instrument '")
          << instrument->getName() << "' is against '" << info.name
          << "', which runs; attach with the policy, or run a Sequential";
}

void ForeignInstrumentation::warnOfMissingPasses(const PassInfo &info) {
  for (const std::string &name : info.required) {
    std::string canonical = canonicalPassName(name);
    bool hasRun = llvm::any_of(passes, [&](const PipelinePass &pass) {
      return pass.hasRun && canonicalPassName(pass.info.name) == canonical;
    });
    if (!hasRun && lacking.insert(info.name).second)
      emitWarning(module->getLoc(), "expected '")
          << name << "', which '" << info.name
          << "' requires, to run before it, but it does not, and nothing can "
             "be put into a pass manager that is built; add it, or run a "
             "Sequential";
  }
}

void ForeignInstrumentation::warnOfMerging() {
  size_t count = passes.size() - groupBegin;
  if (count < 2 || hasWarnedOfMerging || !hasObserver(context))
    return;
  hasWarnedOfMerging = true;
  emitWarning(module->getLoc(),
              "expected instruments that look at the module to see it "
              "between passes, but ")
      << count << " passes, from '" << passes[groupBegin].info.name
      << "', are merged and run op by op; instruments see the module before "
         "and after them all; run a Sequential to see more";
}

//===----------------------------------------------------------------------===//
// attachInstruments
//===----------------------------------------------------------------------===//

LogicalResult attachInstruments(PassManager &pm, const PassContext &context,
                                AttachOptions options) {
  MLIRContext *mlirContext = pm.getContext();
  if (options.applyPolicy && mlirContext->hasActionHandler())
    return emitError(UnknownLoc::get(mlirContext),
                     "expected an MLIRContext without an action handler, which "
                     "instruments need to skip passes, but it has one (such as "
                     "--log-actions-to's); attach without the policy, or run a "
                     "Sequential");
  auto instrumentation =
      std::make_unique<ForeignInstrumentation>(pm, context, options);
  if (!pm.empty()) {
    std::string root = pm.getOpAnchorName().str();
    pm.addPass(std::make_unique<EndPass>(instrumentation.get(),
                                         "partita.end(" + root + "(" +
                                             printPass(*pm.begin()) + "))"));
  }
  pm.addInstrumentation(std::move(instrumentation));
  return success();
}

} // namespace partita::transform
