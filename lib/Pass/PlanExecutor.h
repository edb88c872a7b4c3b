//===- PlanExecutor.h - Runs a plan inside a pass -------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PLANEXECUTOR_H
#define PARTITA_LIB_PASS_PLANEXECUTOR_H

#include "partita/Pass/Plan.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/DenseMap.h"

namespace partita::transform {

/// A context that stands for none, in what is kept between runs: instruments
/// do not outlive their contexts.
const PassContext &getNoContext();

/// What instruments that measure ask for.
struct Measures {
  Measures() = default;
  explicit Measures(const PassContext &context);

  bool any() const { return !records.empty() || !spans.empty(); }

  bool cpuTime = false;
  /// The instruments that want records, and those that want spans.
  PassInstruments records, spans;
};

/// A pass that a thread is in. It stays where it is as long as it is measured.
struct OpenSpan {
  OpenSpan(const Plan &plan, size_t entry, mlir::Operation *op)
      : span{&plan, entry, op, /*thread=*/0, {}, {}} {}
  OpenSpan(const OpenSpan &) = delete;

  instrument::PassSpan span;
  std::chrono::nanoseconds cpuBegin{0};

  /// Who records it, the one that its thread is in around it, and the records
  /// of runs that it has started; null for none, which is quickest.
  const Measures *measures = nullptr;
  OpenSpan *outer = nullptr;
  std::unique_ptr<std::vector<instrument::PassRecord>> nested;
};

/// What a run spent in an entry of its plan.
struct EntryTime {
  instrument::Clock::time_point begin, end;
  std::chrono::nanoseconds time{0}, wallTime{0}, cpuTime{0};
  uint64_t numRuns = 0;
  bool hasFailed = false;
  std::vector<std::string> vetoedBy;
  /// Of runs that the pass started.
  std::vector<instrument::PassRecord> nested;

  /// How many threads are in it, and since when one is.
  unsigned numOpen = 0;
  instrument::Clock::time_point openSince;
};

/// Adds up what the passes of a run spend, and tells instruments of spans. Its
/// caller holds a lock.
class RunMeter {
public:
  RunMeter() = default;
  RunMeter(std::shared_ptr<const Plan> plan, const PassContext &context);

  bool isActive() const { return measures.any(); }
  bool isRecording() const { return !measures.records.empty(); }

  void begin(OpenSpan &open);
  void end(OpenSpan &open, bool hasFailed);
  /// Between the two, records of runs on this thread are those of a pass.
  void beginNested(OpenSpan &open);
  void endNested(OpenSpan &open);

  EntryTime &getTime(size_t entry) { return times[entry]; }

  /// Whether a pass has run.
  bool hasRun() const;
  /// A record for each pass that ran or was vetoed, as the plan nests them;
  /// takes what runs inside them left. `total` is what the run took.
  instrument::PassRecord takeRecord(std::chrono::nanoseconds total = {});

private:
  void addMembers(size_t index, instrument::PassRecord &record);
  void fillRecord(size_t index, instrument::PassRecord &record);

  std::shared_ptr<const Plan> plan;
  Measures measures;
  std::vector<EntryTime> times;
};

/// Whether `pass` is MLIR's own that runs nested pipelines. Its class is not
/// public.
bool isAdaptor(const mlir::Pass &pass);

/// Sees the passes of merged pipelines through MLIR's instrumentation: measures
/// them for instruments, and makes the run's context current on worker threads
/// for the passes that read it. MLIR calls it under a lock.
class RunInstrumentation : public mlir::PassInstrumentation {
public:
  /// What a pass of MLIR stands for.
  struct Step {
    size_t entry;
    bool readsPassContext;
  };

  explicit RunInstrumentation(std::shared_ptr<const Plan> plan)
      : plan(std::move(plan)) {}

  void addPass(const mlir::Pass *pass, Step step) { steps[pass] = step; }

  /// What the next run is for.
  void beginRun(const PassContext &runContext, RunMeter *runMeter);
  /// Lets go of the run's context.
  void endRun() { beginRun(getNoContext(), nullptr); }

  void runBeforePipeline(std::optional<mlir::OperationName> name,
                         const PipelineParentInfo &parent) override;
  void runAfterPipeline(std::optional<mlir::OperationName> name,
                        const PipelineParentInfo &parent) override;
  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

protected:
  std::shared_ptr<const Plan> plan;

private:
  void endPass(mlir::Pass *pass, bool hasFailed);
  void endPipeline();

  llvm::DenseMap<const mlir::Pass *, Step> steps;
  /// What is running in pipelines that are not of the plan, and the entry of
  /// the pass that has started it.
  llvm::DenseMap<const mlir::Pass *, size_t> foreignPasses;
  PassContext context = getNoContext();
  RunMeter *meter = nullptr;
};

/// Hands a record to the pass that the run was started from on this thread, and
/// to the instruments that ask for it and do not get it from there.
void deliverRecord(const PassContext &context, instrument::PassRecord record);

/// A RunInstrumentation of a pass manager that holds the passes of a plan
/// themselves. What they took is handed over when the next run begins, or at
/// the end of the pass manager: it does not know when it is done.
class PlanInstrumentation : public RunInstrumentation {
public:
  PlanInstrumentation(std::shared_ptr<const Plan> plan,
                      const PassContext &context)
      : RunInstrumentation(std::move(plan)) {
    begin(context);
  }
  ~PlanInstrumentation() override { finish(); }

  void begin(const PassContext &newContext);
  void finish();

private:
  PassContext context;
  RunMeter meter;
};

/// Runs a plan on a module, from inside a pass. Passes run merged as long as no
/// instrument looks at the module between them, else one by one with the
/// callbacks around each.
class PlanExecutor {
public:
  /// Runs a pipeline on an op, and sets the flag, if one is given, when a pass
  /// of it did not preserve all analyses.
  using PipelineRunner = llvm::function_ref<mlir::LogicalResult(
      mlir::OpPassManager &, mlir::Operation *, bool *hasChanged)>;

  PlanExecutor(std::shared_ptr<const Plan> plan, llvm::StringRef rootName)
      : plan(std::move(plan)), rootName(rootName) {}

  /// Makes the pipeline of everything that can run. Must succeed before what
  /// follows is called.
  llvm::Error prepare();

  void getDependentDialects(mlir::DialectRegistry &registry) const {
    merged.pipeline->getDependentDialects(registry);
  }

  /// The textual pipeline of what can run, without the root's anchor.
  llvm::StringRef getPipeline() const { return pipelineText; }
  const Plan &getPlan() const { return *plan; }

  /// Sees the passes; set by whoever owns the PassManager.
  void setInstrumentation(RunInstrumentation *newInstrumentation);

  /// Says whether the PassManager verifies, which MLIR does not tell. Known, a
  /// pass for which there is one op runs on that op directly: MLIR's adaptor
  /// costs more than many a pass.
  void setVerifier(bool newVerifier) { verifier = newVerifier; }
  /// Has each run add the entries to it that a should_run was against.
  void setVetoed(std::vector<size_t> *newVetoed) { vetoed = newVetoed; }

  /// Times Sequentials and steps in `timing`, if it is one.
  mlir::LogicalResult run(mlir::Operation *module, const PassContext &context,
                          PipelineRunner runPipeline,
                          mlir::TimingScope *timing = nullptr);

private:
  friend class PlanRun;

  struct Segment {
    std::unique_ptr<mlir::OpPassManager> pipeline;
    std::vector<std::pair<const mlir::Pass *, RunInstrumentation::Step>> passes;
  };

  /// An entry that runs by itself.
  struct Step {
    Segment segment;
    /// The anchors below the root of the ops that it runs on.
    llvm::SmallVector<std::string> path;
    /// Its pass on one of those, if it has been asked for.
    std::unique_ptr<mlir::OpPassManager> single;
  };

  /// The pipeline of the passes in [begin, end).
  llvm::Expected<Segment> lower(size_t begin, size_t end);
  llvm::Expected<Segment *> getSegment(size_t begin, size_t end);
  llvm::Expected<Step *> getStep(size_t index);
  llvm::Expected<mlir::OpPassManager *> getSingle(size_t index);

  std::shared_ptr<const Plan> plan;
  std::string rootName;
  std::string pipelineText;
  Segment merged;
  llvm::DenseMap<std::pair<size_t, size_t>, Segment> segments;
  /// By entry; made when they are first run.
  std::vector<Step> steps;
  RunInstrumentation *instrumentation = nullptr;
  std::optional<bool> verifier;
  std::vector<size_t> *vetoed = nullptr;
};

/// Makes an entry of a plan what a callback is about.
class CurrentStep {
public:
  explicit CurrentStep(PlanStep step);
  ~CurrentStep();
  CurrentStep(const CurrentStep &) = delete;
  CurrentStep &operator=(const CurrentStep &) = delete;

private:
  std::optional<PlanStep> outer;
};

/// Whether an instrument of `context` looks at the module between passes.
bool hasObserver(const PassContext &context);
/// Whether an instrument of `context` measures passes.
bool wantsMeasures(const PassContext &context);
/// Whether `module` holds a function that passes must leave alone.
bool hasSkippedFunction(mlir::Operation *module);

/// A pass that runs a plan.
class PlanPass : public mlir::PassWrapper<PlanPass, mlir::OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanPass)

  PlanPass(std::shared_ptr<PlanExecutor> executor, const PassContext &context)
      : executor(std::move(executor)), context(context) {}

  void setContext(const PassContext &newContext) { context = newContext; }
  void setTiming(mlir::TimingScope *newTiming) { timing = newTiming; }
  void setVerifier(bool verifier) { executor->setVerifier(verifier); }
  void setVetoed(std::vector<size_t> *vetoed) { executor->setVetoed(vetoed); }

  llvm::StringRef getName() const override;
  /// What runs, so that `--dump-pass-pipeline` and crash reproducers show
  /// passes that mlir-opt can run without Partita.
  llvm::StringRef getArgument() const override {
    return executor->getPipeline();
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    executor->getDependentDialects(registry);
  }
  void runOnOperation() override;

private:
  std::shared_ptr<PlanExecutor> executor;
  PassContext context;
  mlir::TimingScope *timing = nullptr;
};

/// What addPlan has added to a pass manager.
struct AddedPlan {
  /// The pass that runs the plan, or null if its passes were added bare.
  PlanPass *pass = nullptr;
  /// Set if the passes were added bare and somebody wants to see them.
  PlanInstrumentation *instrumentation = nullptr;
};

/// addPlan, which says what it added. `isObserved` tells that somebody may ask
/// `pm` for the statistics of passes.
mlir::FailureOr<AddedPlan>
addPlanTo(mlir::PassManager &pm, std::shared_ptr<const Plan> plan,
          const PassContext &context, bool maySkipFunctions,
          mlir::TimingScope *timing, bool isObserved);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PLANEXECUTOR_H
