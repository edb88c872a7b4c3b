//===- PartitaBisectMain.cpp - partita-bisect as a function ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Tools/PartitaBisectMain.h"
#include "Bisect/Numerics.h"
#include "Bisect/Reproduction.h"
#include "partita/Support/EscapeText.h"
#include "partita/Support/OutputFile.h"
#include "partita/Support/Processes.h"
#include "partita/Tools/CommandLine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <functional>
#include <map>

using namespace partita;
using namespace partita::bisect;
using llvm::StringRef;
namespace cl = llvm::cl;
namespace fs = llvm::sys::fs;

namespace {
struct BisectOptions {
  cl::OptionCategory category{"Bisect options"};
  cl::list<std::string> positional{
      cl::Positional, cl::desc("module.mlir -- <options of partita-opt>"),
      cl::cat(category)};
  cl::opt<End> wanted{
      "mode", cl::desc("The failure to look for, without --test:"),
      cl::values(
          clEnumValN(End::Success, "auto",
                     "The failure of the run of all steps"),
          clEnumValN(End::Error, "verify",
                     "The verifier, or a pass, fails with an error"),
          clEnumValN(End::Crash, "crash", "The process crashes"),
          clEnumValN(End::Hang, "hang", "The run exceeds the time limit")),
      cl::init(End::Success), cl::cat(category)};
  cl::opt<std::string> test{
      "test",
      cl::desc("A command that gets the module's file as its last argument. "
               "Its exit code says that the module is good (0), must be "
               "skipped (125), or is bad (1 to 124)"),
      cl::value_desc("command"), cl::cat(category)};
  cl::opt<std::string> numerics{
      "numerics",
      cl::desc("Look for the step that changes what the module computes. The "
               "options are the instrument's that has this name"),
      cl::value_desc("options"), cl::ValueOptional, cl::cat(category)};
  cl::opt<std::string> opt{
      "opt", cl::desc("The tool that runs the passes; partita-opt by default"),
      cl::value_desc("path"), cl::cat(category)};
  cl::list<std::string> optArgs{
      "opt-arg",
      cl::desc("An option of that tool for all its runs, also for the "
               "reproducer's, such as --allow-unregistered-dialect"),
      cl::value_desc("option"), cl::cat(category)};
  cl::opt<unsigned> jobs{
      "jobs",
      cl::desc("Make up to N runs at a time: some that the search may need "
               "next, too. The result is the same. The test must not share "
               "files between its runs"),
      cl::value_desc("N"), cl::init(1), cl::cat(category)};
  cl::opt<unsigned> timeLimit{"time-limit",
                              cl::desc("The time limit of a run, in seconds"),
                              cl::init(60), cl::cat(category)};
  cl::opt<std::string> directory{
      "reproducer-dir", cl::desc("Where the reproducer is written"),
      cl::value_desc("path"), cl::init("bisect-reproducer"), cl::cat(category)};
  cl::opt<bool> rewrites{"rewrites",
                         cl::desc("Look for the one rewrite in the pass"),
                         cl::init(true), cl::cat(category)};
  cl::opt<bool> reduce{"reduce",
                       cl::desc("Remove the ops from the reproducer that it "
                                "does not need to be bad"),
                       cl::cat(category)};
  /// The reducer sets it to ask whether a module is still bad.
  cl::opt<std::string> checkTail{
      "check-with", cl::desc("Judge a module with this file after it"),
      cl::Hidden, cl::cat(category)};
  /// The test of --numerics.
  cl::opt<std::string> numericsFiles{
      "check-numerics",
      cl::desc("Compare the outputs of a module with the files in a directory"),
      cl::Hidden, cl::cat(category)};
  cl::opt<std::string> checkError{
      "check-error", cl::desc("The error that the run must end with"),
      cl::Hidden, cl::cat(category)};
};

struct Step {
  int64_t number;
  std::string name, pipeline;
  bool isInRequiredPass;
};

/// The output of --print-plan-json.
struct PlanText {
  std::string passContext, pipeline;
  std::vector<Step> steps;
};

/// Runs of numbers of steps, or of rewrites, some of them before the search
/// asks for them.
class Trials {
public:
  using GetArgs = std::function<std::vector<std::string>(uint64_t)>;

  /// `getArgs` has the arguments of `tool` for a number.
  Trials(Tool &tool, GetArgs getArgs)
      : tool(tool), getArgs(std::move(getArgs)) {}

  /// Makes trials of `numbers` side by side, unless the first has been made.
  void prepare(llvm::ArrayRef<uint64_t> numbers);
  /// The trial of `number`, with its verdict.
  Trial take(uint64_t number);

private:
  Tool &tool;
  GetArgs getArgs;
  std::map<uint64_t, Trial> made;
};

class Bisection {
public:
  Bisection(const BisectOptions &options, Tool tool, std::string selfPath,
            std::string module, std::vector<std::string> args)
      : options(options), tool(tool), selfPath(std::move(selfPath)),
        module(std::move(module)), args(std::move(args)),
        reproduction(std::move(tool), this->args, options.directory,
                     this->module),
        steps(this->tool,
              [this](uint64_t count) { return getStepArgs(count); }),
        rewrites(reproduction.tool, [this](uint64_t limit) {
          std::vector<std::string> args = reproduction.getReplayArgs();
          args.push_back("--rewrite-limit=" + std::to_string(limit));
          return args;
        }) {}

  /// Returns main's exit code.
  int run();

private:
  PlanText readPlan(std::optional<uint64_t> numSteps = {});
  Verdict record(Trial trial);
  Verdict print(Trial trial, const llvm::Twine &what);
  std::vector<std::string> getStepArgs(uint64_t count) const;
  Verdict probeSteps(uint64_t count);
  Verdict probeRewrites(uint64_t limit);
  void prepareNumerics();
  void checkEnds();
  std::string getModuleBefore(uint64_t step);
  bool reproduce(Range found);
  bool endsWithTotal() const;
  std::optional<Range> findRewrites();
  void searchRewrites();

  const BisectOptions &options;
  Tool tool;
  std::string selfPath, module;
  std::vector<std::string> args;
  Reproduction reproduction;
  Trials steps, rewrites;
  PlanText plan;
  unsigned numRuns = 0;
  /// The last judged run, and the last bad one.
  Trial last, bad;
};
} // namespace

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static StringRef describe(Verdict verdict) {
  static constexpr llvm::StringLiteral names[] = {"good", "bad", "skipped"};
  return names[size_t(verdict)];
}

/// The plan of the tool's options, or of its first steps.
PlanText Bisection::readPlan(std::optional<uint64_t> numSteps) {
  std::vector<std::string> planArgs = {"--print-plan-json", "-o",
                                       getScratchPath("plan.json")};
  if (numSteps)
    planArgs.push_back("--plan-steps=" + std::to_string(*numSteps));
  llvm::append_range(planArgs, args);
  Outcome outcome = tool.run(std::move(planArgs));
  auto parsed = llvm::expectedToOptional(
      llvm::json::parse(readFile(getScratchPath("plan.json"))));
  const llvm::json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  const llvm::json::Array *array = object ? object->getArray("steps") : nullptr;
  if (outcome.end != End::Success || !array)
    fail("expected options from which '" + tool.path + "' can make a plan",
         outcome.errors);
  auto getText = [](const llvm::json::Object &from, StringRef key) {
    return from.getString(key).value_or("").str();
  };
  PlanText text;
  text.passContext = getText(*object, "pass_context");
  text.pipeline = getText(*object, "pipeline");
  for (const llvm::json::Value &value : *array)
    if (const llvm::json::Object *step = value.getAsObject())
      text.steps.push_back(
          {step->getInteger("number").value_or(0),
           escapeName(getText(*step, "name")), getText(*step, "pipeline"),
           step->getBoolean("in_required_pass").value_or(false)});
  return text;
}

static void removeModule(const Trial &trial) {
  [[maybe_unused]] std::error_code error = fs::remove(trial.module);
}

void Trials::prepare(llvm::ArrayRef<uint64_t> numbers) {
  if (numbers.empty() || made.count(numbers.front()))
    return;
  // The search has gone another way.
  for (auto &[number, trial] : made)
    removeModule(trial);
  made.clear();
  std::vector<std::vector<std::string>> commands;
  for (uint64_t number : numbers)
    commands.push_back(getArgs(number));
  for (auto [number, trial] :
       llvm::zip_equal(numbers, tool.tryAll(std::move(commands))))
    made.try_emplace(number, std::move(trial));
}

Trial Trials::take(uint64_t number) {
  prepare(number);
  Trial trial = std::move(made.extract(number).mapped());
  tool.judge(trial);
  return trial;
}

Verdict Bisection::record(Trial trial) {
  ++numRuns;
  removeModule(last);
  last = std::move(trial);
  if (last.verdict == Verdict::Bad)
    bad = last;
  return last.verdict;
}

Verdict Bisection::print(Trial trial, const llvm::Twine &what) {
  Verdict verdict = record(std::move(trial));
  llvm::outs() << "run " << numRuns << ": " << what << ": " << describe(verdict)
               << (last.isTestTimeout() ? ": the test took too long\n" : "\n");
  llvm::outs().flush();
  return verdict;
}

std::vector<std::string> Bisection::getStepArgs(uint64_t count) const {
  std::vector<std::string> toolArgs = {module};
  llvm::append_range(toolArgs, args);
  toolArgs.push_back("--instrument=bisect{limit=" + std::to_string(count) +
                     " print=false}");
  return toolArgs;
}

Verdict Bisection::probeSteps(uint64_t count) {
  Verdict verdict =
      print(steps.take(count), "steps up to " + llvm::Twine(count) + " of " +
                                   llvm::Twine(plan.steps.size()));
  // Keep the module of the last good run: it is the module before the culprit.
  if (verdict == Verdict::Good)
    check(fs::rename(last.module, getScratchPath("good.mlir")),
          "keep '" + last.module + "'");
  return verdict;
}

Verdict Bisection::probeRewrites(uint64_t limit) {
  return print(rewrites.take(limit),
               limit == UINT64_MAX ? "all rewrites"
                                   : "rewrites up to " + std::to_string(limit));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static bool isInRequiredPass(const Step &step) { return step.isInRequiredPass; }

/// Runs the module before the first step, as the tool reads it.
void Bisection::prepareNumerics() {
  std::string before = getScratchPath("before.mlir");
  Outcome outcome = reproduction.tool.run({module, "-o", before});
  if (outcome.end != End::Success)
    fail("expected a module that '" + tool.path + "' can read", outcome.errors);
  bisect::prepareNumerics(options.numerics, options.directory, before);
}

/// Judges the run of all steps, which decides the failure to look for, and the
/// run of no step.
void Bisection::checkEnds() {
  std::string wanted = tool.describe().str();
  if (options.jobs > 1)
    steps.prepare({plan.steps.size(), 0});
  Verdict all = probeSteps(plan.steps.size());
  if (all == Verdict::Good)
    fail("expected the run of all steps to " + wanted + ", but it is good");
  if (all == Verdict::Skip)
    fail("expected the run of all steps to " + tool.describe() + ", but it " +
             last.describe(),
         last.getErrors());
  if (probeSteps(0) != Verdict::Good)
    fail("expected a module that is good before the first step, but without "
         "any step it " +
             last.describe() +
             (llvm::any_of(plan.steps, isInRequiredPass)
                  ? "; the passes in required_pass always run"
                  : ""),
         last.getErrors());
}

/// The module after the first `count` steps. This is the last good run's
/// module, unless passes in required_pass ran after those steps in that run.
std::string Bisection::getModuleBefore(uint64_t count) {
  std::string good = getScratchPath("good.mlir");
  std::string prefix = getScratchPath("prefix.mlir");
  if (llvm::any_of(llvm::drop_begin(plan.steps, count), isInRequiredPass)) {
    std::string pipeline = readPlan(count).pipeline;
    // The input can be bytecode.
    Outcome outcome = reproduction.tool.run({module, "-o", prefix});
    if (outcome.end == End::Success) {
      check(writeText(prefix,
                      readFile(prefix) +
                          reproduction.makeTail(plan.passContext, pipeline)),
            "write '" + prefix + "'");
      outcome = reproduction.tool.run({prefix, "--run-reproducer", "-o", good});
    }
    if (outcome.end != End::Success)
      fail("expected to run only the steps before the bad one", outcome.errors);
  }
  return readFile(good);
}

/// Writes a reproducer of the found step, and runs it. If it is bad by itself,
/// reduces it on request; returns false if it is not bad.
bool Bisection::reproduce(Range found) {
  const Step &step = plan.steps[found.bad - 1];
  reproduction.tool.wanted = tool.wanted;
  std::string tail = reproduction.makeTail(plan.passContext, step.pipeline);
  reproduction.write(getModuleBefore(found.good), tail,
                     "Runs step " + std::to_string(step.number) + " of " +
                         std::to_string(plan.steps.size()) + ", '" + step.name +
                         "', which makes it " + tool.describe().str() + ".");
  reproduction.tool.expectedError = getError(bad.tool.errors).str();
  Verdict verdict =
      record(reproduction.tool.judge(reproduction.getReplayArgs()));
  llvm::raw_ostream &os = llvm::outs();
  std::string path = reproduction.getPath("reproducer.mlir");
  os << "reproducer: " << path << ", run by " << reproduction.getPath("run.sh")
     << ": " << describe(verdict) << "\n";
  os.flush();
  if (verdict != Verdict::Bad) {
    bool isOtherError =
        tool.wanted == End::Error && last.tool.end == End::Error;
    llvm::WithColor::warning(llvm::errs(), "partita-bisect")
        << "expected the reproducer to be bad in a process of its own, but it "
        << (verdict == Verdict::Good ? "is good"
            : isOtherError           ? "ends with another error"
                                     : last.describe())
        << ": the failure may depend on chance, on earlier steps, or on "
           "passes in required_pass\n"
        << (last.tool.end == End::Success ? "" : last.tool.errors);
    return false;
  }
  if (options.reduce) {
    reproduction.reduce(selfPath, tail);
    std::string reduced = reproduction.getPath("reduced.mlir");
    auto countLines = [](StringRef path) {
      return llvm::count(readFile(path), '\n');
    };
    os << "reduced: " << reduced << ", " << countLines(reduced) << " lines of "
       << countLines(path) << "\n";
    os.flush();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// The number of rewrites that a run tried, if it survived to report it.
static std::optional<uint64_t> readTotal(StringRef errors) {
  uint64_t count;
  if (StringRef(findLine(errors, "rewrites: "))
          .split("rewrites: ")
          .second.consumeInteger(10, count))
    return std::nullopt;
  return count;
}

/// Whether bad runs survive to report the number of rewrites.
bool Bisection::endsWithTotal() const {
  return tool.wanted != End::Crash && tool.wanted != End::Hang;
}

/// Gets the number of rewrites from a run that ends, or else doubles the limit.
std::optional<Range> Bisection::findRewrites() {
  auto probe = [&](uint64_t limit) { return probeRewrites(limit); };
  if (!endsWithTotal())
    return findBad(uint64_t(1) << 32, probe, {options.jobs, [&](auto limits) {
                                                rewrites.prepare(limits);
                                              }});
  if (probe(UINT64_MAX) != Verdict::Bad)
    return std::nullopt;
  return Range{0, readTotal(bad.tool.errors).value_or(0)};
}

void Bisection::searchRewrites() {
  unsigned before = numRuns;
  llvm::raw_ostream &os = llvm::outs();
  if (options.jobs > 1)
    rewrites.prepare({0, endsWithTotal() ? UINT64_MAX : 1});
  if (probeRewrites(0) == Verdict::Bad) {
    std::optional<uint64_t> total = readTotal(bad.tool.errors);
    os << (!total ? "no rewrite was found in the pass: it is bad before the "
                    "first, if it uses MLIR's pattern drivers\n"
           : *total == 0
               ? "no rewrite was found in the pass: it tries no pattern with "
                 "MLIR's drivers (folding is not counted)\n"
               : "no rewrite in the pass is to blame: it is bad without any\n");
    return;
  }
  std::optional<Range> range = findRewrites();
  if (!range || range->bad == 0) {
    os << "no rewrite was found in the pass: "
       << (range ? "without any, it is good or bad by chance\n"
                 : "it is not bad while rewrites are counted\n");
    return;
  }
  Range found =
      narrow(*range, [&](uint64_t limit) { return probeRewrites(limit); },
             {options.jobs, [&](auto limits) { rewrites.prepare(limits); }});
  if (found.isExact()) {
    // The run names the last allowed rewrite, unless there was no limit.
    std::string name = "rewrite " + std::to_string(found.bad) + ":";
    if (findLine(bad.tool.errors, name).empty())
      probeRewrites(found.bad);
    os << findLine(bad.tool.errors, "rewrite ") << "\n";
  } else {
    os << "the first bad rewrite is one of " << found.good + 1 << " to "
       << found.bad << ": rewrites in between could not be judged\n";
  }
  os << "found among " << range->bad << " rewrites in " << numRuns - before
     << " runs\n";
}

int Bisection::run() {
  plan = readPlan();
  size_t numSteps = plan.steps.size();
  if (numSteps == 0)
    fail("expected at least one step to run, but the plan has none");
  if (options.numerics.getNumOccurrences())
    prepareNumerics();
  checkEnds();
  Range found =
      narrow({0, numSteps}, [&](uint64_t count) { return probeSteps(count); },
             {options.jobs, [&](auto counts) { steps.prepare(counts); }});
  llvm::raw_ostream &os = llvm::outs();
  if (found.isExact()) {
    const Step &step = plan.steps[found.bad - 1];
    os << "step " << step.number << " of " << numSteps << ", '" << step.name
       << "', is the first to make it "
       << (bad.isTestTimeout() ? "take the test too long" : tool.describe())
       << "\n";
    bool isTold = tool.knowsFailure && bad.test;
    StringRef errors = isTold ? bad.test->errors : bad.tool.errors;
    if (std::string line = findLine(errors, "error: "); !line.empty())
      os << "  " << line << "\n";
  } else {
    os << "the first bad step is one of " << found.good + 1 << " to "
       << found.bad << " of " << numSteps
       << ": steps in between could not be judged\n";
  }
  os << "found in " << numRuns << " runs\n";
  os.flush();
  if (!found.isExact())
    return EXIT_FAILURE;
  if (reproduce(found) && options.rewrites)
    searchRewrites();
  return EXIT_SUCCESS;
}

int partita::partitaBisectMain(int argc, char **argv) {
  // If a standard descriptor is closed, the next file opened takes its number
  // and receives our output.
  [[maybe_unused]] std::error_code fixed =
      llvm::sys::Process::FixupStandardFileDescriptors();
  llvm::InitLLVM init(argc, argv);
  OutputFile::removeAtSignals();
  BisectOptions options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Finds the first step of a pipeline that makes it fail, and the rewrite "
      "in it\n\n  partita-bisect [options] module.mlir -- <options of "
      "partita-opt>\n");
  // Symbolizing a stack trace takes longer than the run that crashes.
#ifndef _WIN32
  setenv("LLVM_DISABLE_SYMBOLIZATION", "1", /*overwrite=*/0);
#endif
  if (options.positional.empty())
    fail("expected a module's file");
  std::string module = options.positional.front();
  std::vector<std::string> args(options.positional.begin() + 1,
                                options.positional.end());
  checkToolArgs(args);
  if (options.jobs < 1 || options.jobs > maxJobs)
    fail("expected --jobs to be 1 to " + llvm::Twine(maxJobs) + ", but found " +
         llvm::Twine(options.jobs));

  std::string self = getToolPath(argv[0]);
  std::string optPath = options.opt;
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(
      optPath.empty() ? "partita-opt" : optPath,
      optPath.empty() ? llvm::ArrayRef(llvm::sys::path::parent_path(self))
                      : llvm::ArrayRef<StringRef>());
  if (optPath.empty() && !program)
    program = llvm::sys::findProgramByName("partita-opt");
  if (!program)
    fail("expected a tool to run the passes, but found '" + optPath + "'");
  Tool tool{makeAbsolute(*program), options.optArgs, options.timeLimit,
            options.jobs,           options.wanted,  options.checkError};

  // The reducer takes any code other than 0 as a bad module.
  bool isReducer = !options.checkTail.empty();
  setUp(isReducer ? StringRef(options.directory) : "", isReducer ? 0 : 2);
  if (options.numericsFiles.getNumOccurrences())
    return checkNumerics(options.numericsFiles, module);
  if (options.test.getNumOccurrences())
    tool.setTest(options.test);
  if (options.numerics.getNumOccurrences()) {
    if (!tool.test.empty())
      fail("expected --test or --numerics, but found both");
    tool.setTest(getNumericsTest(self, options.directory));
    tool.knowsFailure = true;
  }
  if (std::error_code code = fs::access(module, fs::AccessMode::Exist))
    fail("expected a module's file, but found '" + module +
         "': " + code.message());
  if (isReducer) {
    std::string path = getScratchPath("reproducer.mlir");
    check(writeText(path, readFile(module) + readFile(options.checkTail)),
          "write '" + path + "'");
    return tool.judge({path, "--run-reproducer"}).verdict == Verdict::Bad;
  }
  if (!tool.test.empty())
    tool.watch(module);
  int code = Bisection(options, std::move(tool), self, module, args).run();
  llvm::outs().flush();
  check(llvm::outs().error(), "write to stdout");
  return code;
}
