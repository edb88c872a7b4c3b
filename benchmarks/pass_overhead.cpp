//===- pass_overhead.cpp - Partita's cost over mlir::PassManager ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the same function passes on the same module through mlir::PassManager
// and through a Sequential, in turns, and prints the median time of a run.
// docs/benchmarks.md explains the modes and the figures; run.py runs the whole
// matrix, and counts instructions under callgrind.
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/Pass.h"
#include "partita/Support/StructuralEquality.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"

#include <atomic>
#include <ctime>

using namespace mlir;
using partita::instrument::PassInstrumentRef;
using partita::transform::PassContext;
using partita::transform::PassContextScope;
using partita::transform::PassStep;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
enum class Kind { Noop, Touch, Work };
struct Mode {
  llvm::StringLiteral name;
  /// The registered instrument that watches, without its output.
  llvm::StringLiteral instrument = "";
};
} // namespace

static constexpr Mode allModes[] = {
    {"raw"},
    {"raw-barrier"},
    {"raw-timing"},
    {"partita"},
    {"partita-timing", "timing{print=false}"},
    {"partita-observe"},
    {"partita-hash"},
    {"partita-memory", "memory{output=/dev/null}"},
    {"partita-trace", "trace{output=/dev/null}"},
    {"partita-progress", "progress"},
    {"partita-op-statistics", "op-statistics{output=/dev/null}"},
    {"partita-print-changed", "print-changed{output=/dev/null}"},
    {"partita-report", "report{output=/dev/null}"}};

static cl::opt<unsigned> numFunctions("functions",
                                      cl::desc("Functions in the module"),
                                      cl::init(100));
static cl::opt<unsigned> numPasses("passes", cl::desc("Passes in a run"),
                                   cl::init(1000));
static cl::opt<bool> multithreading("multithreading",
                                    cl::desc("Run functions in parallel"),
                                    cl::init(false));
static cl::opt<bool> verifyPasses("verify", cl::desc("Verify after each pass"),
                                  cl::init(false));
static cl::opt<Kind> kind(
    "kind", cl::desc("What the passes do"), cl::init(Kind::Noop),
    cl::values(
        clEnumValN(Kind::Noop, "noop", "Nothing, and preserve all analyses"),
        clEnumValN(Kind::Touch, "touch", "Nothing, and preserve no analysis"),
        clEnumValN(Kind::Work, "work", "cse and canonicalize, in turns")));
static cl::list<std::string>
    modes("mode", cl::CommaSeparated,
          cl::desc("raw, raw-barrier, raw-timing, partita, partita-timing, "
                   "partita-observe, partita-hash, partita-memory, "
                   "partita-trace, partita-progress, partita-op-statistics, "
                   "partita-print-changed, partita-report, or all of them, in "
                   "turns"));
static cl::opt<double> seconds("seconds", cl::desc("How long to measure"),
                               cl::init(2));
static cl::opt<bool>
    cpuTime("cpu-time",
            cl::desc("Measure processor time, of all threads together, which "
                     "other programs disturb less than wall-clock time"),
            cl::init(false));
static cl::opt<unsigned>
    runs("runs", cl::desc("Runs per mode, in place of a time"), cl::init(0));

//===----------------------------------------------------------------------===//
// The passes
//===----------------------------------------------------------------------===//

namespace {
struct NoopPass : PassWrapper<NoopPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NoopPass)
  StringRef getArgument() const override { return "noop"; }
  void runOnOperation() override { markAllAnalysesPreserved(); }
};

struct TouchPass : PassWrapper<TouchPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TouchPass)
  StringRef getArgument() const override { return "touch"; }
  void runOnOperation() override {}
};

/// A pass that keeps MLIR from running the passes around it function by
/// function.
struct BarrierPass : PassWrapper<BarrierPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BarrierPass)
  void runOnOperation() override { markAllAnalysesPreserved(); }
};

/// Answers all five callbacks.
struct CountingInstrument : partita::instrument::PassInstrument {
  CountingInstrument() : PassInstrument("counting") {}

  llvm::Error enterPassContext() override { return count(); }
  llvm::Error exitPassContext() override { return count(); }
  llvm::Expected<bool> shouldRun(const PassStep &) override {
    ++calls;
    return true;
  }
  llvm::Error runBeforePass(const PassStep &) override { return count(); }
  llvm::Error runAfterPass(const PassStep &) override { return count(); }

  llvm::Error count() {
    ++calls;
    return llvm::Error::success();
  }
  std::atomic<uint64_t> calls{0};
};

/// Hashes the module after each pass: the lowest cost of finding out whether a
/// pass changed something.
struct HashingInstrument : partita::instrument::PassInstrument {
  HashingInstrument() : PassInstrument("hashing") {}

  llvm::Error runAfterPass(const PassStep &step) override {
    hashes += partita::hashStructure(step.module());
    return llvm::Error::success();
  }

  std::atomic<uint64_t> hashes{0};
};
} // namespace

/// A module of functions with five ops each, in which cse and canonicalize have
/// something to look at and nothing to do.
static OwningOpRef<ModuleOp> createModule(MLIRContext *context) {
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToEnd(module->getBody());
  Type i32 = builder.getI32Type();
  auto type = builder.getFunctionType({i32, i32}, i32);
  for (unsigned index = 0; index < numFunctions; ++index) {
    auto func =
        func::FuncOp::create(builder, loc, "f" + std::to_string(index), type);
    Block *entry = func.addEntryBlock();
    OpBuilder body = OpBuilder::atBlockEnd(entry);
    Value a = entry->getArgument(0), b = entry->getArgument(1);
    Value sum = arith::AddIOp::create(body, loc, a, b);
    Value product = arith::MulIOp::create(body, loc, sum, a);
    Value bits = arith::XOrIOp::create(body, loc, product, sum);
    Value result = arith::MaxSIOp::create(body, loc, bits, product);
    func::ReturnOp::create(body, loc, result);
  }
  return module;
}

static std::unique_ptr<mlir::Pass> createBenchmarkPass(unsigned index) {
  switch (kind) {
  case Kind::Noop:
    return std::make_unique<NoopPass>();
  case Kind::Touch:
    return std::make_unique<TouchPass>();
  case Kind::Work:
    return index % 2 == 0 ? createCSEPass() : createCanonicalizerPass();
  }
  llvm_unreachable("unknown kind");
}

/// A Sequential with the passes of `createBenchmarkPass`. Passes on any op are
/// nested in the function's anchor; the others are put there by themselves.
static partita::transform::Pass createSequential() {
  if (kind == Kind::Work) {
    std::string text;
    for (unsigned index = 0; index < numPasses; ++index)
      text += (index == 0 ? "" : ",") +
              createBenchmarkPass(index)->getArgument().str();
    return llvm::cantFail(partita::transform::parseSequential(
        "builtin.module(func.func(" + text + "))"));
  }
  partita::transform::Pass pass =
      partita::transform::createPass(createBenchmarkPass(0)->getArgument(),
                                     [] { return createBenchmarkPass(0); });
  return partita::transform::Sequential(
      std::vector<partita::transform::Pass>(numPasses, pass));
}

//===----------------------------------------------------------------------===//
// Measured subjects, ready to run
//===----------------------------------------------------------------------===//

namespace {
class Subject {
public:
  virtual ~Subject() = default;
  virtual LogicalResult run(Operation *module) = 0;
};

class RawSubject : public Subject {
public:
  RawSubject(MLIRContext *context, const Mode &mode)
      : pm(context, ModuleOp::getOperationName()) {
    pm.enableVerifier(verifyPasses);
    if (mode.name == "raw-timing") {
      timing.setEnabled(true);
      scope = timing.getRootScope();
      pm.enableTiming(scope);
    }
    for (unsigned index = 0; index < numPasses; ++index) {
      if (mode.name == "raw-barrier" && index > 0)
        pm.addPass(std::make_unique<BarrierPass>());
      pm.nest<func::FuncOp>().addPass(createBenchmarkPass(index));
    }
  }
  // The report is not part of the measurement.
  ~RawSubject() override {
    scope.stop();
    timing.setEnabled(false);
  }

  LogicalResult run(Operation *module) override { return pm.run(module); }

private:
  DefaultTimingManager timing;
  TimingScope scope;
  PassManager pm;
};

/// The instrument of a mode; null if it has none.
PassInstrumentRef createInstrument(const Mode &mode) {
  if (mode.name == "partita-observe")
    return std::make_shared<CountingInstrument>();
  if (mode.name == "partita-hash")
    return std::make_shared<HashingInstrument>();
  if (mode.instrument.empty())
    return nullptr;
  return llvm::cantFail(partita::instrument::createInstrument(mode.instrument));
}

class PartitaSubject : public Subject {
public:
  explicit PartitaSubject(const Mode &mode) : sequential(createSequential()) {
    options.verify = verifyPasses;
    partita::transform::PassContextOptions contextOptions;
    if (PassInstrumentRef instrument = createInstrument(mode))
      contextOptions.instruments = {std::move(instrument)};
    context = llvm::cantFail(PassContext::create(std::move(contextOptions)));
  }

  /// `with PassContext(...): sequential(module)`
  LogicalResult run(Operation *module) override {
    llvm::Expected<PassContextScope> scope = PassContextScope::enter(context);
    if (!scope)
      return module->emitError(llvm::toString(scope.takeError()));
    if (failed(sequential.run(module, PassContext::current(), options)))
      return failure();
    if (llvm::Error error = scope->exit())
      return module->emitError(llvm::toString(std::move(error)));
    return success();
  }

private:
  partita::transform::Pass sequential;
  PassContext context;
  partita::transform::RunOptions options;
};
} // namespace

static std::unique_ptr<Subject> createSubject(MLIRContext *context,
                                              const Mode &mode) {
  if (mode.name.starts_with("raw"))
    return std::make_unique<RawSubject>(context, mode);
  return std::make_unique<PartitaSubject>(mode);
}

/// One measured run. Under callgrind, `--toggle-collect=measuredRun` counts
/// only the instructions of these.
extern "C" LLVM_ATTRIBUTE_NOINLINE bool measuredRun(Subject &subject,
                                                    Operation *module) {
  return succeeded(subject.run(module));
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// The time of a system clock, in seconds.
static double read(clockid_t id) {
  timespec time;
  clock_gettime(id, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static double median(std::vector<double> values) {
  llvm::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

/// The median of the ratios between the times of `mode` and `base` in each
/// round.
static double medianRatio(ArrayRef<double> mode, ArrayRef<double> base) {
  std::vector<double> ratios;
  for (auto [ours, theirs] : llvm::zip_equal(mode, base))
    ratios.push_back(ours / theirs);
  return median(std::move(ratios));
}

static bool parseModes(SmallVectorImpl<const Mode *> &selected) {
  if (modes.empty())
    modes.push_back("all");
  for (const std::string &name : modes) {
    if (name == "all") {
      llvm::append_range(selected, llvm::make_pointer_range(allModes));
      continue;
    }
    const Mode *found = llvm::find_if(
        allModes, [&](const Mode &mode) { return mode.name == name; });
    if (found == std::end(allModes)) {
      llvm::errs() << "expected a mode that --help lists, but found '" << name
                   << "'\n";
      return false;
    }
    selected.push_back(found);
  }
  return true;
}

/// Prints a line for each mode: its name, microseconds per run, microseconds
/// per pass, and the ratio to every other selected mode.
static void printTable(ArrayRef<const Mode *> selected,
                       ArrayRef<std::vector<double>> times) {
  llvm::outs() << llvm::left_justify("mode", 18) << "   us a run  us a pass";
  for (const Mode *mode : selected)
    llvm::outs() << "  /" << mode->name;
  llvm::outs() << "\n";
  for (size_t index = 0; index < selected.size(); ++index) {
    double time = median(times[index]) * 1e6;
    llvm::outs() << llvm::left_justify(selected[index]->name, 18)
                 << llvm::format("%11.1f %10.4f", time, time / numPasses);
    for (size_t base = 0; base < selected.size(); ++base)
      llvm::outs() << llvm::format(
          "  %*.3f", static_cast<int>(selected[base]->name.size()) + 1,
          medianRatio(times[index], times[base]));
    llvm::outs() << "\n";
  }
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(
      argc, argv, "Measures what Partita costs over mlir::PassManager\n");
  SmallVector<const Mode *> selected;
  if (!parseModes(selected))
    return 1;
  if (numPasses == 0) {
    llvm::errs() << "expected at least one pass\n";
    return 1;
  }

  partita::instrument::registerAllInstruments();
  registerCSEPass();
  registerCanonicalizerPass();
  MLIRContext context(multithreading ? MLIRContext::Threading::ENABLED
                                     : MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = createModule(&context);
  std::vector<std::unique_ptr<Subject>> subjects;
  for (const Mode *mode : selected)
    subjects.push_back(createSubject(&context, *mode));
  // With several subjects, the first run of one can load dialects, after which
  // MLIR initializes the passes of the others again.
  for (unsigned round = 0; round < (subjects.size() == 1 ? 1 : 2); ++round)
    for (const auto &subject : subjects)
      if (failed(subject->run(*module)))
        return 1;

  clockid_t clock = cpuTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  std::vector<std::vector<double>> times(subjects.size());
  double end = read(CLOCK_MONOTONIC) + seconds;
  for (unsigned round = 0;
       runs > 0 ? round < runs : round < 5 || read(CLOCK_MONOTONIC) < end;
       ++round)
    // Each mode has each place in turn.
    for (size_t place = 0; place < subjects.size(); ++place) {
      size_t index = (round + place) % subjects.size();
      double start = read(clock);
      if (!measuredRun(*subjects[index], *module))
        return 1;
      times[index].push_back(read(clock) - start);
    }

  llvm::outs() << numFunctions << " functions, " << numPasses << " passes, "
               << times.front().size() << " runs, threads "
               << (multithreading ? "on" : "off") << ", verifier "
               << (verifyPasses ? "on" : "off") << ", "
               << (cpuTime ? "processor" : "wall-clock") << " time\n";
  printTable(selected, times);
  return 0;
}
