//===- Waste.cpp - What a run paid for nothing ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Support/OpHash.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;
using std::chrono::nanoseconds;

namespace {
/// Why the pass manager of a run was made anew, although the instrument has
/// seen a run of equal passes before.
enum class MadeAnew { No, OneRun, Sequential, Context, NotKept };

/// A pass in one place of a plan, with all steps that run it; or a run whose
/// pass manager was made anew.
struct WasteRecord {
  std::string pass;
  SmallVector<unsigned> steps;
  uint64_t runs = 0, unchanged = 0;
  /// All the time; the time of runs that changed nothing; the time of runs that
  /// partita.skip_unchanged leaves out; the time on a whole module that
  /// partita.nest_in_functions spreads over its functions; the time of MLIR's
  /// verifier after the pass; the time of the hashes that skip_unchanged needs;
  /// a share of the time that the pass manager takes around passes.
  nanoseconds time{0}, wasted{0}, skippable{0}, nestable{0}, verifying{0},
      hashing{0}, around{0};
  MadeAnew madeAnew = MadeAnew::No;
  /// The time in which passes were made anew and initialized.
  nanoseconds setUp{0};
};

/// A pass that runs on a thread.
struct OpenSpan {
  OpHash before;
  /// The hashes of the functions before a local pass on the module.
  llvm::DenseMap<Operation *, OpHash> inside;
  /// The share of the op that skip_unchanged would leave out.
  double known = 0;
  /// Whether the op is a module with several functions, and the pass local.
  bool isNestable = false;
  Clock::time_point begin;
};

/// What is known about a run.
struct WasteState {
  struct PassState {
    WasteRecord record;
    bool isLocal = false;
    /// Hashes of ops that the pass has left as they were.
    llvm::DenseSet<OpHash> facts;
    /// The number of ops that MLIR verified, with modules as a whole.
    uint64_t numVerified = 0, numVerifiedModules = 0;
  };

  Operation *module = nullptr;
  Clock::time_point begin;
  /// The time that the instrument itself took in the run.
  nanoseconds observing{0};
  OpHashes hashes;
  /// By the number of the first step that runs the pass.
  llvm::MapVector<unsigned, PassState> passes;
  /// For each entry of the plan, that number.
  std::vector<unsigned> firstSteps;
  /// The spans that have not ended, by their threads.
  llvm::DenseMap<uint64_t, SmallVector<OpenSpan, 1>> openSpans;
};

/// Finds by hashes which passes changed nothing.
class Waste : public Recording<WasteRecord, WasteState> {
public:
  explicit Waste(const WasteOptions &options)
      : Recording(options, Wants::Runs | Wants::Spans, options.json) {}

  llvm::Error beginRun(const transform::Run &run) override;

  void beginSpan(const PassSpan &span) override;
  void endSpan(const PassSpan &span) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const RunRecord> record) override;

private:
  void noteSetUp(const transform::Run &run, const PipelineSetUp &setUp);
  MadeAnew findReason(const transform::Run &run, const PipelineSetUp &setUp);

  void renderRecords(ArrayRef<Record> records,
                     llvm::raw_ostream &os) const override;
  llvm::json::Value recordToJSON(const Record &record) const override;

  std::mutex madeMutex;
  /// By the text of the passes, and the context: the plan of the last run for
  /// which a pass manager was made.
  llvm::StringMap<
      llvm::DenseMap<const MLIRContext *, std::weak_ptr<const transform::Plan>>>
      made;
};
} // namespace

llvm::Error Waste::beginRun(const transform::Run &run) {
  if (llvm::Error error = Recording::beginRun(run))
    return error;
  WasteState &state = *findState(&run);
  state.module = run.module;
  std::vector<unsigned> repeats =
      run.plan->findRepeats(run.module->getName().getStringRef());
  for (auto [entry, repeat] : llvm::zip_equal(run.plan->entries(), repeats)) {
    unsigned first = repeat ? repeat : entry.number;
    state.firstSteps.push_back(first);
    if (entry.number == 0)
      continue;
    WasteState::PassState &pass = state.passes[first];
    pass.record.pass = entry.pass.info().name;
    pass.record.steps.push_back(entry.number);
    pass.isLocal = transform::getPassTraits(entry.pass.argument()).isLocal;
  }
  state.begin = Clock::now();
  return llvm::Error::success();
}

static bool hasSeveralOps(Operation *op) {
  size_t numOps = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      numOps += block.empty() ? 0 : &block.front() == &block.back() ? 1 : 2;
  return numOps > 1;
}

void Waste::beginSpan(const PassSpan &span) {
  WasteState *found = findState(span.step.run);
  if (!found)
    return;
  WasteState &state = *found;
  WasteState::PassState &pass = state.passes[state.firstSteps[span.step.entry]];
  OpenSpan open;
  Clock::time_point beginHash = Clock::now();
  open.before = state.hashes.get(span.op);
  auto isKnown = [&](Operation *op, OpHash hash) {
    return pass.facts.contains(state.hashes.addSurroundings(hash, op));
  };
  open.known = isKnown(span.op, open.before);
  if (span.op == state.module && pass.isLocal) {
    open.isNestable = hasSeveralOps(span.op);
    size_t numKnown = 0;
    if (open.known == 0)
      for (Region &region : span.op->getRegions())
        for (Operation &op : region.getOps())
          numKnown += isKnown(&op, open.inside[&op] = state.hashes.get(&op));
    if (numKnown != 0)
      open.known = double(numKnown) / double(open.inside.size());
  }
  open.begin = Clock::now();
  state.observing += open.begin - beginHash;
  // skip_unchanged finds out the same.
  if (pass.record.steps.size() > 1)
    pass.record.hashing += open.begin - beginHash;
  state.openSpans[span.thread].push_back(std::move(open));
}

void Waste::endSpan(const PassSpan &span) {
  WasteState *found = findState(span.step.run);
  if (!found || found->openSpans[span.thread].empty())
    return;
  WasteState &state = *found;
  OpenSpan open = state.openSpans[span.thread].pop_back_val();
  if (span.isSkipped)
    return;
  llvm::scope_exit note([&] { state.observing += Clock::now() - span.end; });
  WasteState::PassState &pass = state.passes[state.firstSteps[span.step.entry]];
  nanoseconds time = std::max(span.end - open.begin, Clock::duration(0));
  state.hashes.forget(span.op);
  Clock::time_point beginHash = Clock::now();
  bool isUnchanged =
      !span.hasFailed && state.hashes.get(span.op) == open.before;
  WasteRecord &record = pass.record;
  // The hash of a skipped op is known.
  record.hashing += std::chrono::duration_cast<nanoseconds>(
      (1 - open.known) * (Clock::now() - beginHash));
  ++record.runs;
  record.unchanged += isUnchanged;
  record.time += time;
  if (isUnchanged)
    record.wasted += time;
  // On a module, skip_unchanged pays if most functions are known.
  if (record.steps.size() > 1 && open.known > 0.5)
    record.skippable += std::chrono::duration_cast<nanoseconds>(
        std::chrono::duration<double, std::nano>(time) * open.known);
  if (open.isNestable)
    record.nestable += time;
  pass.numVerified += span.isVerified && span.op != state.module;
  pass.numVerifiedModules += span.isVerified && span.op == state.module;
  if (isUnchanged)
    pass.facts.insert(state.hashes.addSurroundings(open.before, span.op));
  if (!span.hasFailed)
    for (Region &region : span.op->getRegions())
      for (Operation &op : region.getOps()) {
        auto before = open.inside.find(&op);
        if (before != open.inside.end() &&
            state.hashes.get(&op) == before->second)
          pass.facts.insert(state.hashes.addSurroundings(before->second, &op));
      }
}

/// Why the pass manager of `run`, which was made, is not one that was made
/// before.
MadeAnew Waste::findReason(const transform::Run &run,
                           const PipelineSetUp &setUp) {
  StringRef rootName = run.module->getName().getStringRef();
  llvm::Expected<std::string> text = run.plan->getPipeline(rootName);
  if (!text) {
    llvm::consumeError(text.takeError());
    return MadeAnew::No;
  }
  std::lock_guard<std::mutex> lock(madeMutex);
  auto &plans = made[*text];
  bool isFirst = plans.empty();
  auto [it, isNew] = plans.try_emplace(run.module->getContext());
  std::shared_ptr<const transform::Plan> last =
      std::exchange(it->second, run.plan).lock();
  if (isFirst)
    return MadeAnew::No;
  if (setUp.isForOneRun)
    return MadeAnew::OneRun;
  if (isNew)
    return MadeAnew::Context;
  return last && !(last->entries().front().pass ==
                   run.plan->entries().front().pass)
             ? MadeAnew::Sequential
             : MadeAnew::NotKept;
}

void Waste::noteSetUp(const transform::Run &run, const PipelineSetUp &setUp) {
  if (!setUp.isMade)
    return;
  WasteRecord record;
  record.madeAnew = findReason(run, setUp);
  if (record.madeAnew == MadeAnew::No)
    return;
  record.pass = run.plan->entries().front().pass.info().name;
  record.setUp = setUp.time;
  add(std::move(record));
}

/// How long MLIR's verifier takes for `module`.
static nanoseconds measureVerifier(Operation *module) {
  ThreadDiagnosticHandler handler(module->getContext(),
                                  [](Diagnostic &) { return success(); });
  Clock::time_point begin = Clock::now();
  (void)verify(module);
  return Clock::now() - begin;
}

llvm::Error Waste::endRun(const transform::Run &run,
                          std::shared_ptr<const RunRecord> record) {
  WasteState *found = findState(&run);
  if (!found)
    return llvm::Error::success();
  WasteState &state = *found;
  nanoseconds around = Clock::now() - state.begin - state.observing;
  bool verifies = llvm::any_of(state.passes, [](const auto &entry) {
    return entry.second.numVerified + entry.second.numVerifiedModules != 0;
  });
  nanoseconds verifier(0);
  if (verifies && !record->hasFailed())
    verifier = measureVerifier(run.module);
  uint64_t numOps = 0;
  for (Region &region : run.module->getRegions())
    for (Block &block : region)
      numOps += block.getOperations().size();
  around -= record->getSetUp().time;
  uint64_t numRuns = 0;
  for (auto &[first, pass] : state.passes) {
    pass.record.verifying =
        verifier * pass.numVerifiedModules +
        verifier * pass.numVerified / std::max<uint64_t>(numOps, 1);
    around -= pass.record.time + pass.record.verifying;
    numRuns += pass.record.runs;
  }
  // On several threads, the times add up to more than the run's.
  around = std::max(around, nanoseconds(0));
  for (auto &[first, pass] : state.passes) {
    if (pass.record.runs == 0)
      continue;
    pass.record.around = around * pass.record.runs / numRuns;
    add(std::move(pass.record));
  }
  noteSetUp(run, record->getSetUp());
  return Recording::endRun(run, std::move(record));
}

static double getMilliseconds(nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

/// In the order of the enum: the name in JSON, and what saves the time.
static constexpr std::pair<StringLiteral, StringLiteral> reasons[] = {
    {"", ""},
    {"one_run", "kept for one run, as in a PassManager of the caller or with "
                "configure, timing or restore: Pass::run without them saves "
                "it"},
    {"sequential",
     "made for another Sequential of the same passes: one that is "
     "kept and run again saves it"},
    {"context", "made for another MLIRContext: one for all modules saves it"},
    {"not_kept", "no longer kept, or in use on another thread: a context keeps "
                 "64 of them"},
};

namespace {
/// What is lost in all records.
struct Totals {
  nanoseconds all{0}, skippable{0}, nestable{0}, verifying{0}, hashing{0};
  /// By the reason.
  nanoseconds setUp[std::size(reasons)] = {};
  uint64_t numMade[std::size(reasons)] = {};

  explicit Totals(ArrayRef<WasteRecord> records) {
    for (const WasteRecord &record : records)
      add(record);
  }
  void add(const WasteRecord &record) {
    all += record.time + record.verifying + record.around + record.setUp;
    setUp[size_t(record.madeAnew)] += record.setUp;
    ++numMade[size_t(record.madeAnew)];
    // Skipped runs are not verified.
    double share = record.time.count() ? double(record.skippable.count()) /
                                             double(record.time.count())
                                       : 0;
    skippable +=
        record.skippable +
        std::chrono::duration_cast<nanoseconds>(
            share * std::chrono::duration<double, std::nano>(record.verifying));
    hashing += record.hashing;
    nestable += record.nestable;
    verifying += record.verifying;
  }
};
} // namespace

void Waste::renderRecords(ArrayRef<Record> records,
                          llvm::raw_ostream &os) const {
  if (records.empty())
    return;
  std::vector<const Record *> sorted;
  for (const Record &record : records)
    if (record.madeAnew == MadeAnew::No)
      sorted.push_back(&record);
  llvm::stable_sort(sorted, [](const Record *lhs, const Record *rhs) {
    return lhs->wasted > rhs->wasted;
  });
  os << "   time [ms]  unchanged [ms]     runs  unchanged  pass\n";
  for (const Record *record : sorted)
    os << llvm::formatv("{0,12:F2}  {1,14:F2} {2,8}   {3,8}  {4}\n",
                        getMilliseconds(record->time),
                        getMilliseconds(record->wasted), record->runs,
                        record->unchanged, escapeName(record->pass));
  Totals totals(records);
  auto advise = [&](nanoseconds time, const Twine &what) {
    if (time.count() > 0)
      os << llvm::formatv("{0:F2} of {1:F2} ms ({2:F0}%) went to ",
                          getMilliseconds(time), getMilliseconds(totals.all),
                          100. * time.count() / totals.all.count())
         << what << "\n";
  };
  advise(totals.skippable,
         llvm::formatv("passes on ops that they had left as they were: "
                       "partita.skip_unchanged (--skip-unchanged) saves it, "
                       "and hashes for {0:F2} ms",
                       getMilliseconds(totals.hashing))
             .str());
  advise(totals.nestable, "local passes on the module, on one thread: "
                          "partita.nest_in_functions (--nest-in-functions) "
                          "uses all");
  advise(totals.verifying,
         "the verifier, as measured at the end: "
         "partita.verify (--verify=changed) saves most of it");
  for (size_t reason = 1; reason < std::size(reasons); ++reason)
    advise(totals.setUp[reason],
           "making passes anew for " + Twine(totals.numMade[reason]) +
               (totals.numMade[reason] == 1 ? " run" : " runs") +
               ", since earlier ones were " + reasons[reason].second);
}

llvm::json::Value Waste::recordToJSON(const Record &record) const {
  llvm::json::Array steps;
  for (unsigned step : record.steps)
    steps.push_back(step);
  StringRef reason = reasons[size_t(record.madeAnew)].first;
  return llvm::json::Object{{"around", record.around.count()},
                            {"hashing", record.hashing.count()},
                            {"made_anew", reason.empty()
                                              ? llvm::json::Value(nullptr)
                                              : llvm::json::Value(reason)},
                            {"set_up", record.setUp.count()},
                            {"pass", toJSONString(record.pass)},
                            {"steps", std::move(steps)},
                            {"runs", record.runs},
                            {"unchanged", record.unchanged},
                            {"time", record.time.count()},
                            {"wasted", record.wasted.count()},
                            {"skippable", record.skippable.count()},
                            {"nestable", record.nestable.count()},
                            {"verifying", record.verifying.count()}};
}

PassInstrumentRef instrument::createWaste(WasteOptions options) {
  return std::make_shared<Waste>(std::move(options));
}
