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
// known by the adaptor's text, as nothing else in MLIR's API shows them.
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/AttachInstruments.h"
#include "PassImpl.h"
#include "PlanExecutor.h"
#include "partita/Pass/PassRegistry.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace partita::transform {

using Clock = std::chrono::steady_clock;

/// Whether `pass` is MLIR's own that runs nested pipelines. Its class is not
/// public.
static bool isAdaptor(const mlir::Pass &pass) {
  static const TypeID adaptor = [] {
    OpPassManager pm;
    pm.nestAny();
    return pm.begin()->getTypeID();
  }();
  return pass.getTypeID() == adaptor;
}

/// Whether `pass` calls instruments itself.
static bool callsInstruments(const mlir::Pass &pass) {
  return isa<PlanPass>(pass) || pass.getArgument() == "sequential";
}

static std::string printPass(mlir::Pass &pass) {
  std::string text;
  llvm::raw_string_ostream os(text);
  pass.printAsTextualPipeline(os);
  return text;
}

/// The passes of a textual pipeline, whatever they are nested in.
static void flattenPipeline(StringRef text,
                            SmallVectorImpl<StringRef> &passes) {
  for (StringRef element : splitPipeline(text)) {
    size_t bracket = element.find_first_of("({");
    bool isNested = bracket != StringRef::npos && element[bracket] == '(' &&
                    !element.starts_with(unnamedPassPrefix);
    if (isNested)
      flattenPipeline(element.drop_front(bracket + 1).rsplit(')').first,
                      passes);
    else
      passes.push_back(element);
  }
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
// ActivePasses
//===----------------------------------------------------------------------===//

/// A pass that runs on a thread now.
struct ActivePass {
  mlir::Pass *pass;
  /// Its index in the passes of the run, if instruments know it.
  std::optional<size_t> index;
  /// Whether a pass runs it, rather than the pipeline.
  bool isDynamic = false;
  /// Whether the policy says to skip it.
  bool isSkipped = false;
  Clock::time_point start = Clock::now();
  /// Makes the context current on the thread.
  std::unique_ptr<PassContextSnapshot> snapshot;
};

/// The passes that run now, by thread. Locked, because MLIR's action handler is
/// called outside of the lock that its instrumentations are called in.
class ActivePasses {
public:
  void push(ActivePass active) {
    std::lock_guard<std::mutex> lock(mutex);
    threads[llvm::get_threadid()].push_back(std::move(active));
    ++count;
  }

  ActivePass pop() {
    std::lock_guard<std::mutex> lock(mutex);
    --count;
    return threads[llvm::get_threadid()].pop_back_val();
  }

  bool empty() const {
    std::lock_guard<std::mutex> lock(mutex);
    return count == 0;
  }

  /// The innermost pass of this thread, and whether it runs others itself.
  std::optional<bool> isInnermostDynamic() const {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = threads.find(llvm::get_threadid());
    if (it == threads.end() || it->second.empty())
      return std::nullopt;
    const ActivePass &innermost = it->second.back();
    return innermost.isDynamic || !isAdaptor(*innermost.pass);
  }

  bool isSkipped(const mlir::Pass &pass) const {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = threads.find(llvm::get_threadid());
    return it != threads.end() && !it->second.empty() &&
           it->second.back().pass == &pass && it->second.back().isSkipped;
  }

private:
  mutable std::mutex mutex;
  size_t count = 0;
  llvm::DenseMap<uint64_t, SmallVector<ActivePass, 2>> threads;
};

//===----------------------------------------------------------------------===//
// ForeignInstrumentation
//===----------------------------------------------------------------------===//

/// A pass of the manager in a run.
struct PipelinePass {
  PassInfo info;
  /// As a pipeline prints it.
  std::string text;
  /// Null until it runs on an op.
  const mlir::Pass *pass = nullptr;
  /// Whether run_before_pass was called, so that run_after_pass is to be.
  bool isOpen = false;
  /// Whether the pass has run, or is to run before those that follow.
  bool hasRun = false;
  bool isSkipped = false;
  std::chrono::nanoseconds time{0};
  uint64_t numRuns = 0;
};

class ForeignInstrumentation : public PassInstrumentation {
public:
  ForeignInstrumentation(MLIRContext *mlirContext, const PassContext &context,
                         AttachOptions options)
      : mlirContext(mlirContext), context(context), options(options) {
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
    endRun();
    if (options.applyPolicy)
      mlirContext->registerActionHandler(nullptr);
  }

  void runBeforePipeline(std::optional<OperationName>,
                         const PipelineParentInfo &parent) override {
    pipelineParents[llvm::get_threadid()] = parent.parentPass;
  }
  void runBeforePass(mlir::Pass *pass, Operation *op) override;
  void runAfterPass(mlir::Pass *pass, Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, Operation *op) override;

private:
  void beginTopLevel(const mlir::Pass *pass, Operation *op);
  void endRun();
  void beginGroup(mlir::Pass &pass);
  void endGroup();
  LogicalResult callBefore(PipelinePass &pass);
  bool isDynamic() const;
  std::optional<size_t> findInGroup(mlir::Pass &pass);
  void stopTiming(const ActivePass &active);

  void warnOfVeto(const PassInfo &info, const PassInstruments &against);
  void warnOfMissingPasses(const PassInfo &info);
  void warnOfMerging();

  MLIRContext *mlirContext;
  PassContext context;
  AttachOptions options;

  std::shared_ptr<ActivePasses> active = std::make_shared<ActivePasses>();
  /// The pass that has started the last pipeline of each thread.
  llvm::DenseMap<uint64_t, mlir::Pass *> pipelineParents;
  /// Adaptors in pipelines that a pass runs.
  llvm::DenseSet<const mlir::Pass *> dynamicAdaptors;

  /// The root op of the run; null between runs.
  Operation *module = nullptr;
  const mlir::Pass *firstPass = nullptr;
  Clock::time_point start;
  bool hasFailed = false;
  std::vector<PipelinePass> passes;
  /// Those of the top-level pass that runs are the last, from here.
  size_t groupBegin = 0;
  llvm::DenseMap<const mlir::Pass *, size_t> indices;

  /// What was warned of before.
  llvm::StringSet<> vetoing, lacking;
  bool hasWarnedOfMerging = false;
};
} // namespace

void ForeignInstrumentation::beginTopLevel(const mlir::Pass *pass,
                                           Operation *op) {
  // EndPass ends runs, unless passes were added after it.
  if (pass == firstPass)
    endRun();
  if (!module) {
    firstPass = pass;
    start = Clock::now();
  }
  module = op;
}

void ForeignInstrumentation::endRun() {
  if (module && wantsRecords(context)) {
    instrument::PassRecord record;
    record.info.name = "PassManager";
    record.time = Clock::now() - start;
    record.numRuns = 1;
    for (const PipelinePass &pass : passes)
      if (pass.numRuns != 0)
        record.children.push_back({pass.info, pass.time, pass.numRuns, {}});
    deliverRecord(context, std::move(record));
  }
  module = nullptr;
  hasFailed = false;
  passes.clear();
  indices.clear();
  pipelineParents.clear();
  dynamicAdaptors.clear();
}

/// Calls the instruments before the passes that `pass`, at the top level, is or
/// holds.
void ForeignInstrumentation::beginGroup(mlir::Pass &pass) {
  groupBegin = passes.size();
  if (isAdaptor(pass)) {
    std::string text = printPass(pass);
    SmallVector<StringRef> members;
    flattenPipeline(text, members);
    for (StringRef member : members) {
      StringRef name = getName(member);
      if (name != "sequential")
        passes.push_back({getPassInfo(name), member.str()});
    }
    warnOfMerging();
  } else if (!callsInstruments(pass)) {
    std::string text = printPass(pass);
    passes.push_back({getPassInfo(getName(text)), text});
    passes.back().pass = &pass;
    indices[&pass] = groupBegin;
  }
  for (size_t index = groupBegin; index < passes.size(); ++index)
    if (failed(callBefore(passes[index]))) {
      hasFailed = true;
      return;
    }
}

LogicalResult ForeignInstrumentation::callBefore(PipelinePass &pass) {
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
  for (PipelinePass &pass : llvm::drop_begin(passes, groupBegin))
    if (std::exchange(pass.isOpen, false) && !hasFailed)
      hasFailed = failed(context.instrumentAfterPass(module, pass.info));
}

/// Whether the pass that this thread is about to run belongs to another.
bool ForeignInstrumentation::isDynamic() const {
  if (std::optional<bool> dynamic = active->isInnermostDynamic())
    return *dynamic;
  // The first one on a worker thread.
  const mlir::Pass *parent = pipelineParents.lookup(llvm::get_threadid());
  return parent && (!isAdaptor(*parent) || dynamicAdaptors.contains(parent));
}

/// The place of a pass in a nested pipeline. Threads run copies of it. Of those
/// with the same text, the one that comes first is met first.
std::optional<size_t> ForeignInstrumentation::findInGroup(mlir::Pass &pass) {
  const mlir::Pass *original = pass.getThreadingSiblingOrThis();
  auto it = indices.find(original);
  if (it != indices.end())
    return it->second;
  std::string text = printPass(pass);
  for (size_t index = groupBegin; index < passes.size(); ++index)
    if (!passes[index].pass && passes[index].text == text) {
      passes[index].pass = original;
      indices[original] = index;
      return index;
    }
  return std::nullopt;
}

void ForeignInstrumentation::runBeforePass(mlir::Pass *pass, Operation *op) {
  ActivePass now;
  now.pass = pass;
  if (active->empty()) {
    beginTopLevel(pass, op);
    bool isEnd = isa<EndPass>(pass);
    if (!isEnd && !hasFailed)
      beginGroup(*pass);
    if (!isEnd && !isAdaptor(*pass) && groupBegin < passes.size())
      now.index = groupBegin;
  } else if (isDynamic()) {
    now.isDynamic = true;
    if (isAdaptor(*pass))
      dynamicAdaptors.insert(pass);
  } else if (!isAdaptor(*pass) && !callsInstruments(*pass)) {
    now.index = findInGroup(*pass);
  }
  if (now.index && passes[*now.index].isSkipped && !hasFailed) {
    now.isSkipped = true;
    // Nothing has changed, so nothing is to be verified and computed anew.
    PassAccess::preserveAnalyses(*pass);
  }
  if (hasFailed)
    signalPassFailure(pass);
  if (!isAdaptor(*pass))
    now.snapshot = std::make_unique<PassContextSnapshot>(context);
  now.start = Clock::now();
  active->push(std::move(now));
}

void ForeignInstrumentation::stopTiming(const ActivePass &ended) {
  if (!ended.index || ended.isSkipped)
    return;
  PipelinePass &pass = passes[*ended.index];
  pass.time += Clock::now() - ended.start;
  ++pass.numRuns;
}

void ForeignInstrumentation::runAfterPass(mlir::Pass *pass, Operation *) {
  stopTiming(active->pop());
  if (!active->empty())
    return;
  auto *end = dyn_cast<EndPass>(pass);
  if (!end)
    endGroup();
  else if (end->getOwner() == this)
    endRun();
}

void ForeignInstrumentation::runAfterPassFailed(mlir::Pass *, Operation *) {
  stopTiming(active->pop());
  if (active->empty())
    endRun();
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
      std::make_unique<ForeignInstrumentation>(mlirContext, context, options);
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
