//===- PlanExecutor.cpp - Runs a plan inside a pass -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanExecutor.h"
#include "PassImpl.h"
#include "PlanLowering.h"
#include "StepStatistics.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Threading.h"

#include <ctime>
#include <deque>

using namespace mlir;

namespace partita::transform {

using instrument::Clock;
using instrument::PassInstrumentRef;

const PassContext &getNoContext() {
  // Never freed: cached pipelines can outlive statics.
  static const auto &none = *new PassContext;
  return none;
}

bool hasObserver(const PassContext &context) {
  return llvm::any_of(*context.instruments(), [](const auto &instrument) {
    return instrument->observesModule();
  });
}

bool wantsMeasures(const PassContext &context) {
  return llvm::any_of(*context.instruments(), [](const auto &instrument) {
    return instrument->wantsRecords() || instrument->wantsSpans();
  });
}

static bool wantsRuns(const PassContext &context) {
  return llvm::any_of(*context.instruments(), [](const auto &instrument) {
    return instrument->wantsRuns();
  });
}

static thread_local std::optional<PlanStep> innermostStep;

std::optional<PlanStep> currentStep() { return innermostStep; }

CurrentStep::CurrentStep(PlanStep step)
    : outer(std::exchange(innermostStep, step)) {}
CurrentStep::~CurrentStep() { innermostStep = outer; }

/// Calls `visit` on the functions of `module` and of modules in it, until it
/// returns true.
static bool anyFunction(Operation *module,
                        llvm::function_ref<bool(Operation *)> visit) {
  for (Region &region : module->getRegions())
    for (Operation &op : region.getOps()) {
      if (isa<FunctionOpInterface>(op)) {
        if (visit(&op))
          return true;
      } else if (op.hasTrait<OpTrait::SymbolTable>() &&
                 anyFunction(&op, visit)) {
        return true;
      }
    }
  return false;
}

bool hasSkippedFunction(Operation *module) {
  return anyFunction(module, skipsOptimization);
}

//===----------------------------------------------------------------------===//
// RunMeter
//===----------------------------------------------------------------------===//

/// What this thread has had of a processor; 0 if the platform does not tell.
static std::chrono::nanoseconds getCPUTime() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
    return std::chrono::seconds(now.tv_sec) +
           std::chrono::nanoseconds(now.tv_nsec);
#endif
  return std::chrono::nanoseconds(0);
}

static bool knowsCPUTime() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  return true;
#else
  return false;
#endif
}

Measures::Measures(const PassContext &context) {
  std::shared_ptr<const PassInstruments> instruments = context.instruments();
  for (const PassInstrumentRef &instrument : *instruments) {
    if (instrument->wantsRecords()) {
      records.push_back(instrument);
      cpuTime |= instrument->wantsCPUTime();
    }
    if (instrument->wantsSpans())
      spans.push_back(instrument);
  }
  cpuTime &= knowsCPUTime();
}

RunMeter::RunMeter(std::shared_ptr<const Plan> plan, const PassContext &context)
    : plan(std::move(plan)), measures(context) {
  if (measures.any())
    times.resize(this->plan->entries().size());
}

/// The innermost pass that is recorded on this thread.
static thread_local OpenSpan *innermostSpan = nullptr;

void RunMeter::beginNested(OpenSpan &open) {
  if (!isRecording())
    return;
  open.measures = &measures;
  open.outer = std::exchange(innermostSpan, &open);
}

void RunMeter::endNested(OpenSpan &open) {
  if (!isRecording())
    return;
  innermostSpan = open.outer;
  if (!open.nested)
    return;
  for (instrument::PassRecord &record : *open.nested)
    times[open.span.entry].nested.push_back(std::move(record));
}

void RunMeter::begin(OpenSpan &open) {
  beginNested(open);
  if (!measures.spans.empty()) {
    // Asking is a system call.
    static thread_local const uint64_t thread = llvm::get_threadid();
    open.span.thread = thread;
  }
  if (measures.cpuTime)
    open.cpuBegin = getCPUTime();
  open.span.begin = Clock::now();
  EntryTime &time = times[open.span.entry];
  if (time.numRuns == 0 && time.numOpen == 0)
    time.begin = open.span.begin;
  if (time.numOpen++ == 0)
    time.openSince = open.span.begin;
  for (const PassInstrumentRef &instrument : measures.spans)
    instrument->beginSpan(open.span);
}

void RunMeter::end(OpenSpan &open, bool hasFailed) {
  open.span.end = Clock::now();
  open.span.hasFailed = hasFailed;
  EntryTime &time = times[open.span.entry];
  time.end = open.span.end;
  time.time += open.span.end - open.span.begin;
  if (measures.cpuTime)
    time.cpuTime += getCPUTime() - open.cpuBegin;
  if (--time.numOpen == 0)
    time.wallTime += open.span.end - time.openSince;
  ++time.numRuns;
  time.hasFailed |= hasFailed;
  endNested(open);
  for (const PassInstrumentRef &instrument : measures.spans)
    instrument->endSpan(open.span);
}

bool RunMeter::hasRun() const {
  return llvm::any_of(times,
                      [](const EntryTime &time) { return time.numRuns != 0; });
}

/// Makes `record` that of the pass of an entry; of a Sequential, without its
/// members.
void RunMeter::fillRecord(size_t index, instrument::PassRecord &record) {
  const Plan::Entry &entry = plan->entries()[index];
  EntryTime &time = times[index];
  record.plan = plan;
  record.entry = index;
  record.isDisabled = entry.disabledByName && entry.runs();
  // Almost all have neither, and moving nothing takes time, too.
  if (!time.vetoedBy.empty())
    record.vetoedBy = std::move(time.vetoedBy);
  if (!time.nested.empty())
    record.children = std::move(time.nested);
  record.hasFailed = time.hasFailed;
  record.numRuns = time.numRuns;
  record.begin = time.begin;
  record.end = time.end;
  record.time = time.time;
  record.wallTime = time.wallTime;
  if (measures.cpuTime)
    record.cpuTime = time.cpuTime;
}

/// Adds the records of the members of the Sequential at `index`.
void RunMeter::addMembers(size_t index, instrument::PassRecord &record) {
  ArrayRef<Plan::Entry> entries = plan->entries();
  record.children.reserve(entries[index].pass.passes().size());
  for (size_t child = index + 1; child < entries[index].end;
       child = entries[child].end) {
    const EntryTime &time = times[child];
    bool isSequential = entries[child].pass.isSequential();
    if (time.numRuns == 0 && time.vetoedBy.empty() && !isSequential)
      continue;
    instrument::PassRecord &inner = record.children.emplace_back();
    fillRecord(child, inner);
    if (isSequential)
      addMembers(child, inner);
    if (inner.numRuns == 0) {
      // Those that were vetoed stay.
      if (inner.vetoedBy.empty() && inner.children.empty())
        record.children.pop_back();
      continue;
    }
    record.begin =
        record.numRuns == 0 ? inner.begin : std::min(record.begin, inner.begin);
    record.end = std::max(record.end, inner.end);
    record.time += inner.time;
    if (inner.cpuTime)
      record.cpuTime = *record.cpuTime + *inner.cpuTime;
    record.hasFailed |= inner.hasFailed;
    record.numRuns = 1;
  }
  record.wallTime = record.end - record.begin;
}

instrument::PassRecord RunMeter::takeRecord(std::chrono::nanoseconds total) {
  instrument::PassRecord record;
  fillRecord(0, record);
  if (plan->entries().front().pass.isSequential())
    addMembers(0, record);
  record.time = std::max(record.time, total);
  record.wallTime = std::max(record.wallTime, total);
  if (record.vetoedBy.empty())
    record.numRuns = std::max<uint64_t>(record.numRuns, 1);
  return record;
}

//===----------------------------------------------------------------------===//
// RunInstrumentation
//===----------------------------------------------------------------------===//

bool isAdaptor(const mlir::Pass &pass) {
  static const TypeID adaptor = [] {
    OpPassManager pm;
    pm.nestAny();
    return pm.begin()->getTypeID();
  }();
  return pass.getTypeID() == adaptor;
}

namespace {
/// A pipeline that this thread is in. One that a pass has started is not of the
/// plan, and neither is what is in that: the inliner, for one, runs copies of
/// passes that are gone.
struct OpenPipeline {
  const RunInstrumentation *owner;
  bool isForeign;
  /// Of the pass that has started a foreign one, and if that is measured, by
  /// whom, and what stands for it on this thread.
  size_t entry;
  RunMeter *meter;
  std::unique_ptr<OpenSpan> open;
};

/// A pass that this thread is in.
struct OpenPass {
  OpenPass(const mlir::Pass *pass, const Plan &plan, size_t entry,
           Operation *op)
      : pass(pass), open(plan, entry, op) {}

  const mlir::Pass *pass;
  OpenSpan open;
  /// Makes the context current for a pass that reads it.
  std::unique_ptr<PassContextSnapshot> snapshot;
};
} // namespace

/// The passes of RunInstrumentations that this thread is in. MLIR ends them in
/// reverse, so no table of threads is needed: asking for the thread's id is a
/// system call.
static thread_local std::deque<OpenPass> openPasses;

/// Foreign pipelines, and those inside of them.
static thread_local SmallVector<OpenPipeline, 2> openPipelines;

void RunInstrumentation::beginRun(const PassContext &runContext,
                                  RunMeter *runMeter) {
  context = runContext;
  meter = runMeter && runMeter->isActive() ? runMeter : nullptr;
}

/// The pass that a plan has added, of which `pass` is a copy for a thread, or a
/// copy of a copy where functions are nested deeper.
static const mlir::Pass *getOriginal(const mlir::Pass *pass) {
  while (const mlir::Pass *sibling = pass->getThreadingSibling())
    pass = sibling;
  return pass;
}

void RunInstrumentation::runBeforePipeline(std::optional<OperationName>,
                                           const PipelineParentInfo &parent) {
  mlir::Pass *pass = parent.parentPass;
  OpenPipeline pipeline{this, /*isForeign=*/true, /*entry=*/0,
                        /*meter=*/nullptr, /*open=*/nullptr};
  if (auto it = foreignPasses.find(pass); it != foreignPasses.end()) {
    pipeline.entry = it->second;
    pipeline.meter = meter;
  } else if (isAdaptor(*pass) || isa<PlanPass>(pass)) {
    pipeline.isForeign = false;
  } else if (auto step = steps.find(getOriginal(pass)); step != steps.end()) {
    pipeline.entry = step->second.entry;
    pipeline.meter = meter;
  }
  if (!pipeline.isForeign && openPipelines.empty())
    return;
  if (pipeline.meter) {
    pipeline.open = std::make_unique<OpenSpan>(*plan, pipeline.entry, nullptr);
    pipeline.meter->beginNested(*pipeline.open);
  }
  openPipelines.push_back(std::move(pipeline));
}

void RunInstrumentation::endPipeline() {
  if (openPipelines.empty() || openPipelines.back().owner != this)
    return;
  OpenPipeline pipeline = openPipelines.pop_back_val();
  if (pipeline.meter)
    pipeline.meter->endNested(*pipeline.open);
}

void RunInstrumentation::runAfterPipeline(std::optional<OperationName>,
                                          const PipelineParentInfo &) {
  endPipeline();
}

void RunInstrumentation::runBeforePass(mlir::Pass *pass, Operation *op) {
  if (!openPipelines.empty() && openPipelines.back().owner == this &&
      openPipelines.back().isForeign) {
    foreignPasses[pass] = openPipelines.back().entry;
    return;
  }
  auto it = steps.find(getOriginal(pass));
  if (it == steps.end())
    return;
  OpenPass &open = openPasses.emplace_back(pass, *plan, it->second.entry, op);
  if (it->second.readsPassContext)
    open.snapshot =
        std::make_unique<PassContextSnapshot>(context, op->getContext());
  if (meter)
    meter->begin(open.open);
}

void RunInstrumentation::endPass(mlir::Pass *pass, bool hasFailed) {
  if (!foreignPasses.empty())
    foreignPasses.erase(pass);
  if (openPasses.empty() || openPasses.back().pass != pass)
    return;
  if (meter)
    meter->end(openPasses.back().open, hasFailed);
  openPasses.pop_back();
}

void RunInstrumentation::runAfterPass(mlir::Pass *pass, Operation *) {
  endPass(pass, /*hasFailed=*/false);
}

void RunInstrumentation::runAfterPassFailed(mlir::Pass *pass, Operation *) {
  endPass(pass, /*hasFailed=*/true);
  // MLIR does not call runAfterPipeline then.
  endPipeline();
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

void deliverRecord(const PassContext &context, instrument::PassRecord record) {
  std::shared_ptr<const PassInstruments> instruments = context.instruments();
  auto getsIt = [](const PassInstrumentRef &instrument) {
    for (OpenSpan *open = innermostSpan; open; open = open->outer)
      if (llvm::is_contained(open->measures->records, instrument))
        return true;
    return false;
  };
  // Copies take long; the last gets the record itself.
  instrument::PassInstrument *last = nullptr;
  for (const PassInstrumentRef &instrument : *instruments) {
    if (!instrument->wantsRecords() || getsIt(instrument))
      continue;
    if (last)
      last->recordRun(record);
    last = instrument.get();
  }
  if (innermostSpan) {
    auto &nested = innermostSpan->nested;
    if (!nested)
      nested = std::make_unique<std::vector<instrument::PassRecord>>();
    nested->push_back(record);
  }
  if (last)
    last->recordRun(std::move(record));
}

void PlanInstrumentation::begin(const PassContext &newContext) {
  finish();
  context = newContext;
  meter = RunMeter(plan, context);
  beginRun(context, &meter);
}

void PlanInstrumentation::finish() {
  // Passes that ran merged have no time in common but their sum.
  if (meter.isRecording() && meter.hasRun())
    deliverRecord(context, meter.takeRecord());
  meter = RunMeter();
  context = getNoContext();
  endRun();
}

//===----------------------------------------------------------------------===//
// PlanExecutor
//===----------------------------------------------------------------------===//

llvm::Expected<PlanExecutor::Segment> PlanExecutor::lower(size_t begin,
                                                          size_t end) {
  Segment segment;
  segment.pipeline = std::make_unique<OpPassManager>(
      rootName, OpPassManager::Nesting::Explicit);
  PlanLowering lowering(*segment.pipeline, rootName);
  for (size_t index = begin; index < end; ++index) {
    const Plan::Entry &entry = plan->entries()[index];
    if (!entry.runs() || entry.pass.isSequential())
      continue;
    if (llvm::Error error = lowering.add(entry))
      return std::move(error);
    for (const mlir::Pass *pass : lowering.getAdded())
      segment.passes.push_back(
          {pass, {index, entry.pass.getImpl().readsPassContext}});
  }
  if (instrumentation)
    for (auto [pass, step] : segment.passes)
      instrumentation->addPass(pass, step);
  return segment;
}

llvm::Error PlanExecutor::prepare() {
  llvm::Expected<Segment> segment = lower(0, plan->entries().size());
  if (!segment)
    return segment.takeError();
  merged = std::move(*segment);
  llvm::raw_string_ostream os(pipelineText);
  merged.pipeline->printAsTextualPipeline(os);
  // "root(passes)" -> "passes".
  pipelineText = pipelineText.substr(rootName.size() + 1,
                                     pipelineText.size() - rootName.size() - 2);
  // An empty text is no pipeline inside another; an empty Sequential is.
  if (pipelineText.empty())
    pipelineText = "sequential";
  return llvm::Error::success();
}

void PlanExecutor::setInstrumentation(RunInstrumentation *newInstrumentation) {
  instrumentation = newInstrumentation;
  for (auto [pass, step] : merged.passes)
    instrumentation->addPass(pass, step);
}

llvm::Expected<PlanExecutor::Segment *> PlanExecutor::getSegment(size_t begin,
                                                                 size_t end) {
  if (begin == 0 && end == plan->entries().size())
    return &merged;
  auto [it, inserted] = segments.try_emplace({begin, end});
  if (inserted) {
    llvm::Expected<Segment> segment = lower(begin, end);
    if (!segment)
      return segment.takeError();
    it->second = std::move(*segment);
  }
  return &it->second;
}

llvm::Expected<PlanExecutor::Step *> PlanExecutor::getStep(size_t index) {
  if (steps.empty())
    steps.resize(plan->entries().size());
  Step &step = steps[index];
  if (step.segment.pipeline)
    return &step;
  llvm::Expected<SmallVector<std::string>> path =
      PlanLowering::getPath(plan->entries()[index], rootName);
  if (!path)
    return path.takeError();
  llvm::Expected<Segment> segment = lower(index, index + 1);
  if (!segment)
    return segment.takeError();
  step.path = std::move(*path);
  step.segment = std::move(*segment);
  return &step;
}

llvm::Expected<OpPassManager *> PlanExecutor::getSingle(size_t index) {
  Step &step = steps[index];
  if (step.single)
    return step.single.get();
  const Pass::Impl &impl = plan->entries()[index].pass.getImpl();
  auto single = std::make_unique<OpPassManager>(
      step.path.back(), OpPassManager::Nesting::Explicit);
  std::string message;
  if (failed(impl.build(*single, [&](const Twine &text) {
        message = text.str();
        return failure();
      })))
    return makePassError("expected pass '" + impl.info.name +
                         "' to be made, but: " + message);
  if (instrumentation)
    for (const mlir::Pass &pass : single->getPasses())
      instrumentation->addPass(&pass, {index, impl.readsPassContext});
  step.single = std::move(single);
  return step.single.get();
}

//===----------------------------------------------------------------------===//
// PlanRun
//===----------------------------------------------------------------------===//

/// One run of an executor.
class PlanRun {
public:
  PlanRun(PlanExecutor &executor, Operation *module, const PassContext &context,
          PlanExecutor::PipelineRunner runPipeline, TimingScope *timing)
      : executor(executor), entries(executor.plan->entries()), module(module),
        context(context), runPipeline(runPipeline), timing(timing),
        meter(executor.plan, context), skipping(hasSkippedFunction(module)) {
    if (executor.instrumentation)
      executor.instrumentation->beginRun(context, &meter);
  }

  LogicalResult run() {
    // The thread of a crash reproducer's run is not the caller's.
    PassContextSnapshot snapshot(context, module->getContext());
    Clock::time_point start = Clock::now();
    LogicalResult result = beginInstruments();
    if (succeeded(result)) {
      result = runEntries();
      if (meter.isRecording()) {
        instrument::PassRecord record = meter.takeRecord(Clock::now() - start);
        record.hasFailed |= failed(result);
        deliverRecord(context, std::move(record));
      }
    }
    if (failed(PassContext::instrumentEndRun(
            module, *executor.plan, /*hasFailed=*/failed(result), begun)))
      result = failure();
    if (executor.instrumentation)
      executor.instrumentation->endRun();
    return result;
  }

private:
  LogicalResult runEntries();
  size_t findSegmentEnd(size_t begin) const;
  LogicalResult runMerged(size_t begin, size_t end);
  LogicalResult runStep(size_t index);
  LogicalResult runSegment(size_t begin, size_t end);
  LogicalResult runPassOfStep(size_t index);
  LogicalResult runOn(size_t index, ArrayRef<Operation *> ops);
  SmallVector<Operation *> collectOps(const PlanExecutor::Step &step);
  std::optional<SmallVector<Operation *, 1>>
  findOnlyOp(const PlanExecutor::Step &step);

  FailureOr<bool> callBefore(size_t index);
  LogicalResult callAfter(size_t index);

  /// Tells the instruments of the run that do not know of it.
  LogicalResult beginInstruments() {
    uint64_t version = context.instrumentsVersion();
    if (version == begunVersion)
      return success();
    begunVersion = version;
    return context.instrumentBeginRun(module, *executor.plan, begun);
  }

  /// A timer for an entry in the innermost open one: MLIR's own would put the
  /// pipelines that a pass runs beside that pass, and count them twice.
  TimingScope startTimer(const Plan::Entry &entry) {
    if (!timing)
      return TimingScope();
    TimingScope &parent = openTimers.empty() ? *timing : openTimers.back();
    return parent.nest(&entry, [&] { return entry.pass.info().name; });
  }

  /// Whether passes must run one by one.
  bool isStepwise() {
    return skipping || isObserved() ||
           (meter.isActive() && !executor.instrumentation) || timing;
  }

  /// hasObserver, looked up again when the instruments have changed.
  bool isObserved() {
    uint64_t version = context.instrumentsVersion();
    if (version != observedVersion) {
      observed = hasObserver(context);
      observedVersion = version;
    }
    return observed;
  }

  PlanExecutor &executor;
  ArrayRef<Plan::Entry> entries;
  Operation *module;
  PassContext context;
  PlanExecutor::PipelineRunner runPipeline;
  TimingScope *timing;
  RunMeter meter;
  PassInstruments begun;
  std::optional<uint64_t> begunVersion, observedVersion;
  bool observed = false;
  /// Whether a function is to be left alone: looked up at the start, and after
  /// the host's callbacks.
  bool skipping;
  /// The Sequentials that are being run, and their timers.
  SmallVector<size_t> open;
  std::vector<TimingScope> openTimers;
};

LogicalResult PlanRun::callAfter(size_t index) {
  if (failed(beginInstruments()))
    return failure();
  CurrentStep current({executor.plan.get(), index});
  return context.instrumentAfterPass(module, entries[index].pass.info());
}

FailureOr<bool> PlanRun::callBefore(size_t index) {
  if (failed(beginInstruments()))
    return failure();
  CurrentStep current({executor.plan.get(), index});
  const PassInfo &info = entries[index].pass.info();
  PassInstruments against;
  FailureOr<bool> shouldRun =
      context.instrumentShouldRun(module, info, &against);
  if (succeeded(shouldRun) && *shouldRun &&
      failed(context.instrumentRunBeforePass(module, info)))
    return failure();
  if (executor.vetoed && succeeded(shouldRun) && !*shouldRun)
    executor.vetoed->push_back(index);
  if (meter.isRecording())
    for (const PassInstrumentRef &instrument : against)
      meter.getTime(index).vetoedBy.push_back(instrument->getName().str());
  return shouldRun;
}

LogicalResult PlanRun::runEntries() {
  size_t index = 0;
  while (true) {
    while (!open.empty() && entries[open.back()].end == index) {
      if (failed(callAfter(open.back())))
        return failure();
      open.pop_back();
      if (timing)
        openTimers.pop_back();
    }
    if (index == entries.size())
      return success();

    const Plan::Entry &entry = entries[index];
    if (!entry.runs()) {
      index = entry.end;
    } else if (!isStepwise()) {
      size_t end = findSegmentEnd(index);
      if (failed(runMerged(index, end)))
        return failure();
      index = end;
    } else {
      FailureOr<bool> go = callBefore(index);
      if (failed(go))
        return failure();
      if (!*go) {
        index = entry.end;
      } else if (entry.pass.isSequential()) {
        if (timing)
          openTimers.push_back(startTimer(entry));
        open.push_back(index++);
      } else {
        if (failed(runStep(index)) || failed(callAfter(index)))
          return failure();
        index = entry.end;
      }
    }
  }
}

/// What runs merged from `begin` on: up to the end, or to code of the host,
/// which can change the instruments and runs by itself.
size_t PlanRun::findSegmentEnd(size_t begin) const {
  bool hasPass = false;
  size_t end = begin;
  while (end < entries.size()) {
    const Plan::Entry &entry = entries[end];
    if (!entry.runs()) {
      end = entry.end;
      continue;
    }
    bool isCallback = entry.pass.getImpl().isHostCallback;
    if (isCallback && hasPass)
      return end;
    ++end;
    if (isCallback)
      return end;
    hasPass |= !entry.pass.isSequential();
  }
  return end;
}

LogicalResult PlanRun::runMerged(size_t begin, size_t end) {
  const Plan::Entry &last = entries[end - 1];
  bool isCallback = last.runs() && last.pass.getImpl().isHostCallback;
  std::optional<PassFrame> frame;
  if (isCallback)
    frame.emplace(last.pass.info().name);
  if (failed(runSegment(begin, end)))
    return failure();
  // Whatever is still open gets the callbacks that remain, should there be
  // instruments now.
  llvm::erase_if(open, [&](size_t index) { return entries[index].end < end; });
  for (size_t index = begin; index < end; ++index)
    if (entries[index].runs() && entries[index].pass.isSequential() &&
        entries[index].end >= end)
      open.push_back(index);
  if (!isCallback)
    return success();
  skipping = hasSkippedFunction(module);
  return isObserved() ? callAfter(end - 1) : success();
}

LogicalResult PlanRun::runSegment(size_t begin, size_t end) {
  llvm::Expected<PlanExecutor::Segment *> segment =
      executor.getSegment(begin, end);
  if (!segment)
    return emitError(module->getLoc(), llvm::toString(segment.takeError()));
  if ((*segment)->pipeline->empty())
    return success();
  return runPipeline(*(*segment)->pipeline, module, /*hasChanged=*/nullptr);
}

LogicalResult PlanRun::runStep(size_t index) {
  const Plan::Entry &entry = entries[index];
  PassFrame frame(entry.pass.info().name);
  TimingScope timer = startTimer(entry);
  // Whoever owns an executor without one runs on one thread.
  bool isMeteredHere = meter.isActive() && !executor.instrumentation;
  OpenSpan open(*executor.plan, index, module);
  if (isMeteredHere)
    meter.begin(open);
  LogicalResult result = runPassOfStep(index);
  if (isMeteredHere)
    meter.end(open, failed(result));
  if (entry.pass.getImpl().isHostCallback)
    skipping = hasSkippedFunction(module);
  return result;
}

LogicalResult PlanRun::runPassOfStep(size_t index) {
  llvm::Expected<PlanExecutor::Step *> found = executor.getStep(index);
  if (!found)
    return emitError(module->getLoc(), llvm::toString(found.takeError()));
  PlanExecutor::Step &step = **found;
  if (step.segment.pipeline->empty())
    return success();
  if (!step.path.empty()) {
    if (skipping)
      return runOn(index, collectOps(step));
    if (executor.verifier)
      if (std::optional<SmallVector<Operation *, 1>> op = findOnlyOp(step))
        return runOn(index, *op);
  }
  return runPipeline(*step.segment.pipeline, module, /*hasChanged=*/nullptr);
}

/// Runs the pass of a step on `ops`, which are where it runs.
LogicalResult PlanRun::runOn(size_t index, ArrayRef<Operation *> ops) {
  llvm::Expected<OpPassManager *> single = executor.getSingle(index);
  if (!single)
    return emitError(module->getLoc(), llvm::toString(single.takeError()));
  bool verifies = executor.verifier.value_or(false);
  bool hasChanged = false;
  for (Operation *op : ops)
    if (failed(runPipeline(**single, op, verifies ? &hasChanged : nullptr)))
      return failure();
  // As after MLIR's adaptor: what is in the ops was verified with them.
  return hasChanged ? verify(module, /*verifyRecursively=*/false) : success();
}

/// Where the pass of a step runs in a module in which functions are to be left
/// alone.
SmallVector<Operation *> PlanRun::collectOps(const PlanExecutor::Step &step) {
  SmallVector<Operation *> ops = {module};
  for (const std::string &anchor : step.path) {
    SmallVector<Operation *> inner;
    for (Operation *op : ops)
      for (Region &region : op->getRegions())
        for (Operation &child : region.getOps())
          if ((anchor == OpPassManager::getAnyOpAnchorName() ||
               child.getName().getStringRef() == anchor) &&
              child.hasTrait<OpTrait::IsIsolatedFromAbove>() &&
              !(isa<FunctionOpInterface>(child) && skipsOptimization(&child)))
            inner.push_back(&child);
    ops = std::move(inner);
  }
  return ops;
}

/// The op that the pass of a step runs on, or none, if there are not more.
std::optional<SmallVector<Operation *, 1>>
PlanRun::findOnlyOp(const PlanExecutor::Step &step) {
  if (step.path.size() != 1 ||
      step.path.front() == OpPassManager::getAnyOpAnchorName())
    return std::nullopt;
  SmallVector<Operation *, 1> ops;
  for (Region &region : module->getRegions())
    for (Operation &op : region.getOps()) {
      if (op.getName().getStringRef() != step.path.front())
        continue;
      if (!ops.empty())
        return std::nullopt;
      ops.push_back(&op);
    }
  return ops;
}

LogicalResult PlanExecutor::run(Operation *module, const PassContext &context,
                                PipelineRunner runPipeline,
                                TimingScope *timing) {
  return PlanRun(*this, module, context, runPipeline, timing).run();
}

//===----------------------------------------------------------------------===//
// PlanPass
//===----------------------------------------------------------------------===//

namespace {
/// An analysis that is there to be invalidated: MLIR does not tell otherwise
/// whether a pass has changed something.
struct ChangeWatch {
  explicit ChangeWatch(Operation *) {}

  bool isInvalidated(const AnalysisManager::PreservedAnalyses &) {
    *hasChanged = true;
    return true;
  }

  bool *hasChanged = nullptr;
};
} // namespace

StringRef PlanPass::getName() const {
  return executor->getPlan().entries().front().pass.info().name;
}

void PlanPass::runOnOperation() {
  // MLIR does so after each pipeline on the root, but not after one on an op in
  // it.
  getAnalysisManager().clear();
  if (failed(executor->run(
          getOperation(), context,
          [&](OpPassManager &pipeline, Operation *op, bool *hasChanged) {
            if (hasChanged != nullptr)
              getChildAnalysis<ChangeWatch>(op).hasChanged = hasChanged;
            return runPipeline(pipeline, op);
          },
          timing)))
    signalPassFailure();
  // The inner runs have invalidated and verified what they changed.
  markAllAnalysesPreserved();
}

bool runsStepByStep(const Plan &plan, const PassContext &context,
                    bool maySkipFunctions) {
  return maySkipFunctions || hasObserver(context) || wantsRuns(context) ||
         plan.runsHostCallback();
}

FailureOr<AddedPlan> addPlanTo(PassManager &pm,
                               std::shared_ptr<const Plan> plan,
                               const PassContext &context,
                               bool maySkipFunctions, TimingScope *timing,
                               bool isObserved) {
  std::string rootName = pm.getOpAnchorName().str();
  auto fail = [&](llvm::Error error) -> LogicalResult {
    return emitError(UnknownLoc::get(pm.getContext()),
                     llvm::toString(std::move(error)));
  };
  bool isInstrumented =
      wantsMeasures(context) ||
      llvm::any_of(plan->entries(), [](const Plan::Entry &entry) {
        return entry.runs() && entry.pass.getImpl().readsPassContext;
      });
  AddedPlan added;
  if (!runsStepByStep(*plan, context, maySkipFunctions)) {
    if (timing)
      pm.enableTiming(*timing);
    std::unique_ptr<PlanInstrumentation> instrumentation;
    if (isInstrumented)
      instrumentation = std::make_unique<PlanInstrumentation>(plan, context);
    PlanLowering lowering(pm, rootName);
    for (auto [index, entry] : llvm::enumerate(plan->entries())) {
      if (!entry.runs() || entry.pass.isSequential())
        continue;
      if (llvm::Error error = lowering.add(entry))
        return fail(std::move(error));
      if (isInstrumented)
        for (const mlir::Pass *pass : lowering.getAdded())
          instrumentation->addPass(
              pass, {index, entry.pass.getImpl().readsPassContext});
    }
    if (isInstrumented) {
      added.instrumentation = instrumentation.get();
      pm.addInstrumentation(std::move(instrumentation));
    }
    return added;
  }

  auto executor = std::make_shared<PlanExecutor>(plan, rootName);
  if (llvm::Error error = executor->prepare())
    return fail(std::move(error));
  if (isInstrumented) {
    auto instrumentation = std::make_unique<RunInstrumentation>(plan);
    executor->setInstrumentation(instrumentation.get());
    pm.addInstrumentation(std::move(instrumentation));
  }
  auto pass = std::make_unique<PlanPass>(std::move(executor), context);
  added.pass = pass.get();
  pass->setTiming(timing);
  if (isObserved)
    pm.addInstrumentation(std::make_unique<StepStatistics>(*pass));
  pm.addPass(std::move(pass));
  return added;
}

LogicalResult addPlan(PassManager &pm, std::shared_ptr<const Plan> plan,
                      const PassContext &context, bool maySkipFunctions,
                      TimingScope *timing, bool verify,
                      std::vector<size_t> *vetoed) {
  FailureOr<AddedPlan> added =
      addPlanTo(pm, std::move(plan), context, maySkipFunctions, timing,
                /*isObserved=*/true);
  if (failed(added))
    return failure();
  if (added->pass) {
    added->pass->setVerifier(verify);
    added->pass->setVetoed(vetoed);
  }
  return success();
}

} // namespace partita::transform
