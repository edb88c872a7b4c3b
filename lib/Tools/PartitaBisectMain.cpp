//===- PartitaBisectMain.cpp - partita-bisect as a function ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Tools/PartitaBisectMain.h"
#include "Reproducer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

using namespace partita;
using llvm::StringRef;
namespace cl = llvm::cl;
namespace fs = llvm::sys::fs;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
/// What is looked for.
enum class Mode {
  Auto, // what the run of all steps does
  Test, // the user's test says that the module is bad
  Error,
  Crash,
  Hang,
};

struct BisectOptions {
  cl::OptionCategory category{"partita-bisect options"};
  cl::list<std::string> positional{
      cl::Positional, cl::desc("module.mlir -- <options of partita-opt>"),
      cl::cat(category)};
  cl::opt<Mode> mode{
      "mode", cl::desc("What is looked for, without --test:"),
      cl::values(
          clEnumValN(Mode::Auto, "auto", "What the run of all steps does"),
          clEnumValN(Mode::Error, "verify",
                     "The verifier, or a pass, fails with an error"),
          clEnumValN(Mode::Crash, "crash", "The process crashes"),
          clEnumValN(Mode::Hang, "hang", "It is not done within the limit")),
      cl::init(Mode::Auto), cl::cat(category)};
  cl::opt<std::string> test{
      "test",
      cl::desc("A command that gets the module's file as its last argument, "
               "and says that it is good (exit code 0), not to be judged "
               "(125), or bad (1 to 124)"),
      cl::value_desc("command"), cl::cat(category)};
  cl::opt<std::string> opt{
      "opt", cl::desc("The tool that runs the passes; partita-opt by default"),
      cl::value_desc("path"), cl::cat(category)};
  cl::list<std::string> optArgs{
      "opt-arg",
      cl::desc("An option of that tool for all its runs, the replay of the "
               "reproducer too, as --allow-unregistered-dialect"),
      cl::value_desc("option"), cl::cat(category)};
  cl::opt<unsigned> timeLimit{"time-limit",
                              cl::desc("Seconds that a run may take"),
                              cl::init(60), cl::cat(category)};
  cl::opt<std::string> directory{
      "reproducer-dir", cl::desc("Where the reproducer is written"),
      cl::value_desc("path"), cl::init("bisect-reproducer"), cl::cat(category)};
  cl::opt<bool> rewrites{"rewrites",
                         cl::desc("Look for the one rewrite in the pass"),
                         cl::init(true), cl::cat(category)};
  cl::opt<bool> reduce{"reduce",
                       cl::desc("Leave out of the reproducer what it is bad "
                                "without"),
                       cl::cat(category)};
  /// How the reducer asks whether a module is bad still.
  cl::opt<std::string> checkTail{
      "check-with", cl::desc("Judge a module with this file behind it"),
      cl::Hidden, cl::cat(category)};
  cl::opt<std::string> checkError{
      "check-error", cl::desc("The error that is to be had with it"),
      cl::Hidden, cl::cat(category)};
};

/// How a run of the tool ended.
enum class End { Success, Error, Crash, Hang, NotStarted };

enum class Verdict { Good, Bad, Skip };

struct Step {
  int64_t number;
  std::string name, pipeline;
  bool isInRequiredPass;
};
} // namespace

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "partita-bisect") << message << "\n";
  return 2;
}

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

static std::error_code writeFile(StringRef path,
                                 llvm::ArrayRef<StringRef> parts) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return error;
  for (StringRef part : parts)
    os << part;
  os.close();
  error = os.error();
  os.clear_error();
  return error;
}

/// Removes a file of our own; that there is none is as good.
static void removeFile(StringRef path) {
  [[maybe_unused]] std::error_code error = fs::remove(path);
}

/// Writes a script that can be run.
static std::error_code writeScript(StringRef path, StringRef text) {
  if (std::error_code error = writeFile(path, {text}))
    return error;
  return fs::setPermissions(path, fs::all_read | fs::owner_write | fs::all_exe);
}

static size_t countLines(StringRef path) {
  return StringRef(readFile(path)).count('\n');
}

/// As an argument in a shell's command.
static std::string quoteForShell(StringRef text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The first line of `text` that contains `part`.
static std::string findLine(StringRef text, StringRef part) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (line.contains(part))
      return line.trim().str();
    text = rest;
  }
  return "";
}

/// What an error says, without its location, and up to the first name or
/// number: those are not the same in another module.
static StringRef getError(StringRef line) {
  StringRef text = line.split("error: ").second;
  return text.take_front(text.find_first_of("%'\"0123456789")).trim();
}

static StringRef describe(Mode mode) {
  switch (mode) {
  case Mode::Auto:
    return "fail";
  case Mode::Test:
    return "fail the test";
  case Mode::Error:
    return "end with an error";
  case Mode::Crash:
    return "crash";
  case Mode::Hang:
    return "hang";
  }
  llvm_unreachable("unknown mode");
}

//===----------------------------------------------------------------------===//
// Options of the tool
//===----------------------------------------------------------------------===//

/// "--name=value" -> "name"; empty for what is no option.
static StringRef getOptionName(StringRef arg) {
  return arg.starts_with("-") ? arg.ltrim('-').split('=').first : "";
}

/// Whether with an option of that name, nothing runs.
static bool runsNothing(StringRef name) {
  return llvm::is_contained(
      {"explain", "print-plan-graph", "print-plan-json", "list-passes",
       "list-pass-configs", "list-instruments", "show-dialects", "help", "h",
       "help-hidden", "help-list", "help-list-hidden", "version"},
      name);
}

/// Whether a search has no use for an option of that name: it is for another
/// module than one, for another reproducer, or it is set by the search.
static bool isForOtherRuns(StringRef name) {
  return llvm::is_contained({"split-input-file", "verify-diagnostics",
                             "run-reproducer",
                             "mlir-pass-pipeline-crash-reproducer",
                             "mlir-pass-pipeline-local-reproducer",
                             "mlir-generate-reproducer", "rewrite-limit", "o"},
                            name);
}

/// Those of `args` that say how modules are read, verified and printed, which
/// the runs of the reproducer are to have, too.
static std::vector<std::string>
getReplayArgs(llvm::ArrayRef<std::string> args) {
  std::vector<std::string> replayed;
  for (size_t index = 0; index < args.size(); ++index) {
    StringRef name = getOptionName(args[index]);
    if (!name.starts_with("mlir-") &&
        !llvm::is_contained({"allow-unregistered-dialect", "irdl-file",
                             "load-dialect-plugin", "load-pass-plugin",
                             "no-implicit-module", "verify-each"},
                            name))
      continue;
    replayed.push_back(args[index]);
    // Behind an option, what is none is its value.
    if (!StringRef(args[index]).contains('=') && index + 1 < args.size() &&
        getOptionName(args[index + 1]).empty())
      replayed.push_back(args[++index]);
  }
  return replayed;
}

/// Whether the verifier runs after each pass.
static bool verifiesEach(llvm::ArrayRef<std::string> args) {
  bool verifies = true;
  for (StringRef arg : args)
    if (getOptionName(arg) == "verify-each")
      verifies = !llvm::is_contained({"0", "false", "FALSE", "False"},
                                     arg.split('=').second);
  return verifies;
}

//===----------------------------------------------------------------------===//
// Bisection
//===----------------------------------------------------------------------===//

namespace {
class Bisection {
public:
  Bisection(BisectOptions &options, std::string selfPath, std::string optPath,
            std::string module, std::vector<std::string> args)
      : options(options), selfPath(std::move(selfPath)),
        optPath(std::move(optPath)), module(std::move(module)),
        args(std::move(args)), replayArgs(getReplayArgs(this->args)),
        mode(options.mode) {
    if (options.test.getNumOccurrences())
      mode = Mode::Test;
  }
  ~Bisection() {
    if (scratch.empty())
      return;
    // What cannot be removed there is left to the system.
    [[maybe_unused]] std::error_code error = fs::remove_directories(scratch);
  }

  /// Returns main's exit code.
  int run();
  /// Whether a module is bad, as the exit code that mlir-reduce's tests have: 1
  /// if it is.
  int check();

private:
  /// What is left of a range of which the first is good, and the last bad.
  struct Found {
    uint64_t good, bad;
    bool isExact() const { return bad == good + 1; }
  };
  using Probe = llvm::function_ref<Verdict(uint64_t)>;

  bool readTest();
  bool readPlan();
  End runOpt(llvm::ArrayRef<std::string> optArgs);
  End runReplay(llvm::ArrayRef<std::string> optArgs) {
    std::vector<std::string> all = replayArgs;
    llvm::append_range(all, optArgs);
    return runOpt(all);
  }
  Verdict judge(End end);
  Verdict runTest();
  Verdict probeSteps(uint64_t count);
  Verdict probeRewrites(uint64_t limit);
  std::optional<Found> search(Found range, Probe probe);
  bool runPrefix(uint64_t count);
  std::error_code writeReproducer(const Step &step);
  void searchRewrites();
  bool reduce();
  std::optional<Found> findBadLimit();

  /// A file of the reproducer, and one that is gone at the end.
  std::string resultPath(StringRef name) const {
    return join(options.directory, name);
  }
  std::string scratchPath(StringRef name) const { return join(scratch, name); }
  static std::string join(StringRef directory, StringRef name) {
    llvm::SmallString<128> result(directory);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  /// How the last run went, for messages.
  StringRef describeLast() const;
  int failRun(const llvm::Twine &message) {
    bool isTest = mode == Mode::Test && lastEnd == End::Success;
    StringRef text = StringRef(isTest ? testErrors : optErrors).trim();
    return fail(message + (text.empty() ? "" : ":\n" + text));
  }

  BisectOptions &options;
  std::string selfPath, optPath, module;
  /// The directory for what is not a result.
  std::string scratch;
  std::vector<std::string> args;
  /// Those for all runs of a reproducer.
  std::vector<std::string> replayArgs;
  Mode mode;
  /// The error of which there may be no other, once it is known.
  std::string expectedError;
  /// What makes of the module before the culprit a reproducer.
  std::string tail;
  std::vector<std::string> testCommand;
  std::string passContext;
  std::vector<Step> steps;
  unsigned numRuns = 0;
  /// Set once something is wrong with which no run can be judged.
  std::string fatal;
  /// How the last run of the tool ended, and what it said there, and in the
  /// last that was bad.
  End lastEnd = End::Success;
  bool isSkippedByTest = false, isTestTimeout = false, isBadTimeout = false;
  std::string optErrors, testErrors, badErrors;
};
} // namespace

/// For runs in another directory.
static std::string makeAbsolute(StringRef path) {
  llvm::SmallString<128> absolute(path);
  if (fs::make_absolute(absolute))
    return path.str();
  llvm::sys::path::remove_dots(absolute);
  return absolute.str().str();
}

static std::string getDirectory() {
  llvm::SmallString<128> directory;
  return fs::current_path(directory) ? "." : directory.str().str();
}

bool Bisection::readTest() {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> words;
  cl::TokenizeGNUCommandLine(options.test, saver, words);
  testCommand.assign(words.begin(), words.end());
  if (testCommand.empty())
    return false;
  auto program = llvm::sys::findProgramByName(testCommand.front());
  if (!program)
    return false;
  testCommand.front() = makeAbsolute(*program);
  return true;
}

/// The process that is waited for, and whether it was not to be waited for any
/// longer: set by a signal.
static std::atomic<llvm::sys::procid_t> runningProcess{
    llvm::sys::ProcessInfo::InvalidPid};
static std::atomic<bool> isInterrupted{false};

/// Ends a process and what it has started: it leads a group of its own.
static void endGroup(llvm::sys::procid_t process, bool isForced) {
#ifndef _WIN32
  if (process != llvm::sys::ProcessInfo::InvalidPid)
    kill(-process, isForced ? SIGKILL : SIGTERM);
#endif
}

/// Has whoever waits for a process come back, and clean up. The second signal
/// ends this process.
static void interrupt() {
  isInterrupted = true;
  endGroup(runningProcess, /*isForced=*/false);
}

/// Runs a program, its output in files, which are new, or nowhere; -2 if it
/// crashed or took too long, -1 if it could not be run.
static int execute(llvm::ArrayRef<std::string> command, StringRef outPath,
                   StringRef errPath, unsigned timeLimit, bool &isTimeout) {
  isTimeout = false;
  if (isInterrupted)
    return -2;
  // What an earlier run wrote would stand behind what this one does.
  for (StringRef path : {outPath, errPath})
    if (!path.empty())
      removeFile(path);
  std::vector<StringRef> words(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {StringRef(), outPath, errPath};
  std::string message;
  bool hasFailed = false;
  llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(
      words.front(), words, std::nullopt, redirects, /*MemoryLimit=*/0,
      &message, &hasFailed, /*AffinityMask=*/nullptr, /*DetachProcess=*/true);
  if (hasFailed)
    return -1;
  runningProcess = process.Pid;
  if (isInterrupted)
    endGroup(process.Pid, /*isForced=*/false);
  std::optional<unsigned> limit;
  if (timeLimit != 0)
    limit = timeLimit;
  llvm::sys::ProcessInfo ended = llvm::sys::Wait(process, limit, &message);
  runningProcess = llvm::sys::ProcessInfo::InvalidPid;
  isTimeout = ended.ReturnCode == -2 && !isInterrupted &&
              StringRef(message).contains("timed out");
  // To one that is interrupted, a second signal would be one too many.
  if (isTimeout)
    endGroup(process.Pid, /*isForced=*/true);
  return ended.ReturnCode;
}

End Bisection::runOpt(llvm::ArrayRef<std::string> optArgs) {
  std::vector<std::string> command = {optPath};
  llvm::append_range(command, options.optArgs);
  llvm::append_range(command, optArgs);
  bool isTimeout;
  int code = execute(command, scratchPath("stdout.txt"),
                     scratchPath("stderr.txt"), options.timeLimit, isTimeout);
  optErrors = readFile(scratchPath("stderr.txt"));
  if (isInterrupted)
    fatal = "interrupted";
  lastEnd = code == -1   ? End::NotStarted
            : code == -2 ? (isTimeout ? End::Hang : End::Crash)
            : code == 0  ? End::Success
                         : End::Error;
  if (lastEnd == End::NotStarted)
    fatal =
        "expected a tool that can be run, but '" + optPath + "' could not be";
  return lastEnd;
}

Verdict Bisection::runTest() {
  std::vector<std::string> command = testCommand;
  command.push_back(scratchPath("candidate.mlir"));
  int code = execute(command, "", scratchPath("test.txt"), options.timeLimit,
                     isTestTimeout);
  testErrors = readFile(scratchPath("test.txt"));
  if (isInterrupted)
    fatal = "interrupted";
  else if (code == -1)
    fatal = "expected a test command that can be run, but '" +
            testCommand.front() + "' could not be";
  else if (code > 127)
    fatal = "expected a test command that exits with a code below 128, but '" +
            testCommand.front() + "' exited with " + std::to_string(code);
  else if (code == -2 && !isTestTimeout)
    fatal = "expected a test command that exits with a code below 128, but '" +
            testCommand.front() + "' was ended by a signal";
  isSkippedByTest = code == 125;
  if (isSkippedByTest || !fatal.empty())
    return Verdict::Skip;
  return code == 0 ? Verdict::Good : Verdict::Bad;
}

/// Whether a run, whose module is the candidate, is one of those looked for.
Verdict Bisection::judge(End end) {
  ++numRuns;
  isTestTimeout = false;
  Verdict verdict = Verdict::Skip;
  if (end == End::Success)
    verdict = mode == Mode::Test ? runTest() : Verdict::Good;
  else if ((mode == Mode::Error && end == End::Error) ||
           (mode == Mode::Crash && end == End::Crash) ||
           (mode == Mode::Hang && end == End::Hang))
    verdict = Verdict::Bad;
  if (mode == Mode::Error && !expectedError.empty() &&
      getError(findLine(optErrors, "error: ")) != expectedError &&
      verdict == Verdict::Bad)
    verdict = Verdict::Skip;
  if (verdict == Verdict::Bad) {
    badErrors = optErrors;
    isBadTimeout = isTestTimeout;
  }
  return verdict;
}

static StringRef describe(Verdict verdict) {
  switch (verdict) {
  case Verdict::Good:
    return "good";
  case Verdict::Bad:
    return "bad";
  case Verdict::Skip:
    return "skipped";
  }
  llvm_unreachable("unknown verdict");
}

Verdict Bisection::probeSteps(uint64_t count) {
  std::vector<std::string> optArgs = {module};
  llvm::append_range(optArgs, args);
  optArgs.push_back(
      ("--instrument=bisect{limit=" + llvm::Twine(count) + " print=false}")
          .str());
  llvm::append_range(
      optArgs, std::vector<std::string>{"-o", scratchPath("candidate.mlir")});
  End end = runOpt(optArgs);
  if (mode == Mode::Auto)
    mode = end == End::Crash  ? Mode::Crash
           : end == End::Hang ? Mode::Hang
                              : Mode::Error;
  Verdict verdict = judge(end);
  // The module before the culprit is that of the last good run.
  if (verdict == Verdict::Good)
    if (std::error_code error =
            fs::rename(scratchPath("candidate.mlir"), scratchPath("good.mlir")))
      fatal = "expected to keep '" + scratchPath("candidate.mlir") +
              "': " + error.message();
  llvm::outs() << "run " << numRuns << ": steps up to " << count << " of "
               << steps.size() << ": " << describe(verdict)
               << (isTestTimeout ? ": the test took too long\n" : "\n");
  llvm::outs().flush();
  return verdict;
}

Verdict Bisection::probeRewrites(uint64_t limit) {
  End end = runReplay({resultPath("reproducer.mlir"), "--run-reproducer",
                       ("--rewrite-limit=" + llvm::Twine(limit)).str(), "-o",
                       scratchPath("candidate.mlir")});
  Verdict verdict = judge(end);
  llvm::outs() << "run " << numRuns << ": ";
  if (limit == UINT64_MAX)
    llvm::outs() << "all rewrites: ";
  else
    llvm::outs() << "rewrites up to " << limit << ": ";
  llvm::outs() << describe(verdict)
               << (isTestTimeout ? ": the test took too long\n" : "\n");
  llvm::outs().flush();
  return verdict;
}

/// Halves `range` until nothing is left that can be judged; nothing if a run
/// was not possible.
std::optional<Bisection::Found> Bisection::search(Found range, Probe probe) {
  while (range.bad - range.good > 1) {
    uint64_t middle = range.good + (range.bad - range.good) / 2;
    // The nearest to the middle that can be judged.
    std::optional<Verdict> verdict;
    uint64_t at = middle;
    for (uint64_t distance = 0; !verdict; ++distance) {
      bool isInside = false;
      for (uint64_t candidate : {middle - distance, middle + distance}) {
        if (candidate <= range.good || candidate >= range.bad || verdict)
          continue;
        isInside = true;
        Verdict found = probe(candidate);
        if (!fatal.empty())
          return std::nullopt;
        if (found != Verdict::Skip) {
          verdict = found;
          at = candidate;
        }
        if (distance == 0)
          break;
      }
      if (!isInside)
        break;
    }
    if (!verdict)
      break;
    (*verdict == Verdict::Bad ? range.bad : range.good) = at;
  }
  return range;
}

bool Bisection::readPlan() {
  std::vector<std::string> optArgs = {"--print-plan-json"};
  llvm::append_range(optArgs, args);
  if (runOpt(optArgs) != End::Success)
    return false;
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse(readFile(scratchPath("stdout.txt")));
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  const llvm::json::Object *object = parsed->getAsObject();
  const llvm::json::Array *array =
      object != nullptr ? object->getArray("steps") : nullptr;
  if (array == nullptr)
    return false;
  passContext = object->getString("pass_context").value_or("").str();
  for (const llvm::json::Value &value : *array)
    if (const llvm::json::Object *step = value.getAsObject())
      steps.push_back({step->getInteger("number").value_or(0),
                       step->getString("name").value_or("").str(),
                       step->getString("pipeline").value_or("").str(),
                       step->getBoolean("in_required_pass").value_or(false)});
  return true;
}

/// Puts what the first `count` steps make of the module in the place of the
/// last good one, if passes in required_pass ran behind them there.
bool Bisection::runPrefix(uint64_t count) {
  if (llvm::none_of(llvm::drop_begin(steps, count),
                    [](const Step &step) { return step.isInRequiredPass; }))
    return true;
  // "builtin.module(pass)" -> "pass".
  std::vector<std::string> passes;
  StringRef root = "builtin.module";
  for (const Step &step : llvm::ArrayRef(steps).take_front(count))
    passes.push_back(
        StringRef(step.pipeline).drop_front(root.size() + 1).drop_back().str());
  if (passes.empty())
    passes.emplace_back("sequential");
  std::string pipeline = (root + "(" + llvm::join(passes, ",") + ")").str();
  std::string prefix = scratchPath("prefix.mlir");
  // The input can be bytecode.
  return runReplay({module, "-o", prefix}) == End::Success &&
         !writeFile(prefix, {readFile(prefix),
                             makeReproducerTail(passContext, pipeline,
                                                verifiesEach(args))}) &&
         runReplay({prefix, "--run-reproducer", "-o",
                    scratchPath("good.mlir")}) == End::Success;
}

/// Writes the module before `step`, to be run with that step alone, and a
/// script that does so.
std::error_code Bisection::writeReproducer(const Step &step) {
  std::string script = "#!/bin/sh\n# Runs step " + std::to_string(step.number) +
                       " of " + std::to_string(steps.size()) + ", '" +
                       step.name + "', which makes it " + describe(mode).str() +
                       ".\ndirectory=$(cd \"$(dirname \"$0\")\" && pwd)\n"
                       "# Where the names of files are from.\ncd " +
                       quoteForShell(getDirectory()) + "\n" +
                       quoteForShell(optPath);
  for (llvm::ArrayRef<std::string> list :
       {llvm::ArrayRef<std::string>(options.optArgs),
        llvm::ArrayRef(replayArgs)})
    for (const std::string &arg : list)
      script += " " + quoteForShell(arg);
  script += " \"$directory/reproducer.mlir\" --run-reproducer -o "
            "\"$directory/after.mlir\"";
  if (mode == Mode::Test) {
    script += " &&\n ";
    for (const std::string &word : testCommand)
      script += " " + quoteForShell(word);
    script += " \"$directory/after.mlir\"";
  }
  script += "\n";
  std::string before = readFile(scratchPath("good.mlir"));
  tail = makeReproducerTail(passContext, step.pipeline, verifiesEach(args));
  if (std::error_code error =
          writeFile(resultPath("reproducer.mlir"), {before, tail}))
    return error;
  return writeScript(resultPath("run.sh"), script);
}

/// How many rewrites the last run tried, if it lived to say so.
static std::optional<uint64_t> readTotal(StringRef errors) {
  uint64_t count;
  if (StringRef(findLine(errors, "rewrites: "))
          .split("rewrites: ")
          .second.consumeInteger(10, count))
    return std::nullopt;
  return count;
}

/// Numbers of rewrites with which it is good, and bad. A run that ends says how
/// many there are; else, they are doubled.
std::optional<Bisection::Found> Bisection::findBadLimit() {
  if (mode == Mode::Test || mode == Mode::Error) {
    if (probeRewrites(UINT64_MAX) != Verdict::Bad)
      return std::nullopt;
    return Found{0, readTotal(badErrors).value_or(0)};
  }
  constexpr uint64_t most = uint64_t(1) << 32;
  for (uint64_t limit = 1; limit < most; limit *= 2)
    if (probeRewrites(limit) == Verdict::Bad)
      return Found{limit / 2, limit};
  return std::nullopt;
}

void Bisection::searchRewrites() {
  unsigned before = numRuns;
  llvm::raw_ostream &os = llvm::outs();
  if (probeRewrites(0) == Verdict::Bad) {
    std::optional<uint64_t> total = readTotal(badErrors);
    if (!total)
      os << "no rewrite was found in it: it is bad before the first, if it "
            "uses MLIR's pattern drivers\n";
    else if (*total == 0)
      os << "no rewrite was found in it: it tries no pattern by MLIR's drivers "
            "(folding is not counted)\n";
    else
      os << "no rewrite in it is to blame: it is bad without any\n";
    return;
  }
  if (!fatal.empty())
    return;
  std::optional<Found> range = findBadLimit();
  if (!fatal.empty())
    return;
  if (!range) {
    os << "no rewrite was found in it: with them counted, it is not bad\n";
    return;
  }
  if (range->bad == 0) {
    os << "no rewrite was found in it: it is good and bad without any, by "
          "chance\n";
    return;
  }
  std::string line;
  auto probe = [&](uint64_t limit) {
    Verdict verdict = probeRewrites(limit);
    if (verdict == Verdict::Bad)
      line = findLine(badErrors, "rewrite ");
    return verdict;
  };
  line = findLine(badErrors, "rewrite ");
  std::optional<Found> found = search(*range, probe);
  if (!found)
    return;
  // The last that is let through names itself.
  if (found->isExact() && !StringRef(line).starts_with(
                              "rewrite " + std::to_string(found->bad) + ":"))
    probe(found->bad);
  if (found->isExact())
    os << line << "\n";
  else
    os << "the first bad rewrite is one of " << found->good + 1 << " to "
       << found->bad << ": those between could not be judged\n";
  os << "found among " << range->bad << " rewrites in " << numRuns - before
     << " runs\n";
}

static StringRef describe(End end) {
  switch (end) {
  case End::Success:
    return "ends well";
  case End::Error:
    return "ends with an error";
  case End::Crash:
    return "crashes";
  case End::Hang:
    return "hangs";
  case End::NotStarted:
    return "does not start";
  }
  llvm_unreachable("unknown end");
}

StringRef Bisection::describeLast() const {
  if (mode == Mode::Test && lastEnd == End::Success)
    return isSkippedByTest ? "is skipped by the test"
           : isTestTimeout ? "takes the test too long"
                           : "fails the test";
  return ::describe(lastEnd);
}

int Bisection::check() {
  // In the scratch directory of the one who asks.
  scratch = options.directory;
  if ((mode == Mode::Test && !readTest()) || fs::create_directories(scratch) ||
      writeFile(scratchPath("good.mlir"),
                {readFile(module), readFile(options.checkTail)}))
    return 0;
  // What is left must not fail for another reason.
  expectedError = options.checkError;
  Verdict verdict =
      judge(runReplay({scratchPath("good.mlir"), "--run-reproducer", "-o",
                       scratchPath("candidate.mlir")}));
  return verdict == Verdict::Bad;
}

/// Writes a reproducer with fewer operations; false if it cannot.
bool Bisection::reduce() {
  std::string script = "#!/bin/sh\nexec " + quoteForShell(selfPath);
  auto addOption = [&](StringRef name, StringRef value) {
    script += " " + quoteForShell(("--" + name + "=" + value).str());
  };
  addOption("opt", optPath);
  for (const std::string &arg : options.optArgs)
    addOption("opt-arg", arg);
  for (const std::string &arg : replayArgs)
    addOption("opt-arg", arg);
  addOption("time-limit", std::to_string(options.timeLimit));
  addOption("reproducer-dir", scratchPath("check"));
  addOption("check-with", scratchPath("tail.txt"));
  if (mode == Mode::Test)
    addOption("test", options.test);
  else
    addOption("mode", mode == Mode::Error   ? "verify"
                      : mode == Mode::Crash ? "crash"
                                            : "hang");
  addOption("check-error", expectedError);
  script += " \"$1\"\n";
  if (writeScript(scratchPath("check.sh"), script) ||
      writeFile(scratchPath("tail.txt"), {tail}))
    return false;
  std::vector<std::string> command = {optPath};
  llvm::append_range(command, options.optArgs);
  llvm::append_range(command, replayArgs);
  llvm::append_range(
      command,
      std::vector<std::string>{
          resultPath("reproducer.mlir"), "-o", resultPath("reduced.mlir"),
          "--pass-pipeline=builtin.module(partita-reduce{test=\"" +
              scratchPath("check.sh") + "\"})"});
  bool isTimeout;
  int code = execute(command, scratchPath("stdout.txt"),
                     scratchPath("stderr.txt"), /*timeLimit=*/0, isTimeout);
  optErrors = readFile(scratchPath("stderr.txt"));
  if (isInterrupted)
    fatal = "interrupted";
  return code == 0;
}

int Bisection::run() {
  if (mode == Mode::Test && !readTest())
    return fail("expected a test command that can be run, but found '" +
                options.test + "'");
  if (!fs::exists(module))
    return fail("expected a module's file, but found '" + module + "'");
  for (StringRef name :
       {"reproducer.mlir", "run.sh", "after.mlir", "reduced.mlir"})
    if (fs::equivalent(module, resultPath(name)))
      return fail("expected a module that is not overwritten, but '" + module +
                  "' is a file of the reproducer; name another "
                  "--reproducer-dir");
  if (std::error_code error = fs::create_directories(options.directory))
    return fail("expected to create '" + options.directory +
                "': " + error.message());
  if (!fs::is_directory(options.directory))
    return fail("expected a directory for the reproducer, but found '" +
                options.directory + "'");
  llvm::SmallString<128> directory;
  if (std::error_code error =
          fs::createUniqueDirectory("partita-bisect", directory))
    return fail("expected to create a directory for temporary files: " +
                error.message());
  scratch = directory.str().str();
  bool hasPlan = readPlan();
  if (!fatal.empty())
    return fail(fatal);
  if (!hasPlan)
    return failRun("expected options of which '" + optPath + "' makes a plan");
  if (steps.empty())
    return fail("expected at least one step to run, but the plan has none");

  // The run of all steps says what is looked for.
  bool isAuto = mode == Mode::Auto;
  Verdict all = probeSteps(steps.size());
  if (!fatal.empty())
    return fail(fatal);
  if (all == Verdict::Good)
    return fail("expected the run of all steps to " +
                describe(isAuto ? Mode::Auto : mode) + ", but it is good");
  if (all == Verdict::Skip)
    return failRun("expected the run of all steps to " + describe(mode) +
                   ", but it " + describeLast());
  Verdict none = probeSteps(0);
  if (!fatal.empty())
    return fail(fatal);
  if (none != Verdict::Good)
    return failRun(
        "expected a module that is good before the first step, but "
        "without any it " +
        describeLast() +
        (llvm::any_of(steps,
                      [](const Step &step) { return step.isInRequiredPass; })
             ? "; the passes in required_pass run in any case"
             : ""));
  std::optional<Found> found = search(
      {0, steps.size()}, [&](uint64_t count) { return probeSteps(count); });
  if (!found)
    return fail(fatal);

  llvm::raw_ostream &os = llvm::outs();
  if (!found->isExact()) {
    os << "the first bad step is one of " << found->good + 1 << " to "
       << found->bad << " of " << steps.size()
       << ": those between could not be judged\n"
       << "found in " << numRuns << " runs\n";
    return 1;
  }
  const Step &step = steps[found->bad - 1];
  os << "step " << step.number << " of " << steps.size() << ", '" << step.name
     << "', is the first to make it "
     << (isBadTimeout ? "take the test too long" : describe(mode)) << "\n";
  if (std::string line = findLine(badErrors, "error: "); !line.empty())
    os << "  " << line << "\n";
  os << "found in " << numRuns << " runs\n";
  os.flush();
  if (!runPrefix(found->good))
    return failRun("expected to run the steps before it without those behind");
  if (std::error_code error = writeReproducer(step))
    return fail("expected to write the reproducer into '" + options.directory +
                "': " + error.message());
  expectedError = getError(findLine(badErrors, "error: "));
  Verdict replayed =
      judge(runReplay({resultPath("reproducer.mlir"), "--run-reproducer", "-o",
                       scratchPath("candidate.mlir")}));
  if (!fatal.empty())
    return fail(fatal);
  os << "reproducer: " << resultPath("reproducer.mlir") << ", run by "
     << resultPath("run.sh") << ": " << describe(replayed) << "\n";
  if (replayed != Verdict::Bad) {
    os.flush();
    llvm::raw_ostream &warning =
        llvm::WithColor::warning(llvm::errs(), "partita-bisect")
        << "expected the reproducer to be bad in a process of its own, but it ";
    if (replayed == Verdict::Good)
      warning << "is good";
    else if (mode == Mode::Error && lastEnd == End::Error)
      warning << "ends with another error";
    else
      warning << describeLast();
    warning << ": what fails may be left to chance, to what ran before, or to "
               "passes in required_pass\n"
            << (lastEnd == End::Success ? "" : optErrors);
    return EXIT_SUCCESS;
  }
  os.flush();
  if (options.reduce) {
    bool isReduced = reduce();
    if (!fatal.empty())
      return fail(fatal);
    if (!isReduced)
      return failRun("expected to reduce the reproducer");
    os << "reduced: " << resultPath("reduced.mlir") << ", "
       << countLines(resultPath("reduced.mlir")) << " lines of "
       << countLines(resultPath("reproducer.mlir")) << "\n";
    os.flush();
  }
  if (options.rewrites)
    searchRewrites();
  if (!fatal.empty())
    return fail(fatal);
  return EXIT_SUCCESS;
}

int partita::partitaBisectMain(int argc, char **argv) {
  // A closed one would be the next file that is opened, and get what is said.
  [[maybe_unused]] std::error_code fixed =
      llvm::sys::Process::FixupStandardFileDescriptors();
  llvm::InitLLVM init(argc, argv);
  BisectOptions options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Finds the first step of a pipeline that makes it fail, and the rewrite "
      "in it\n\n  partita-bisect [options] module.mlir -- <options of "
      "partita-opt>\n");
  if (options.positional.empty())
    return fail("expected a module's file");
  std::string module = options.positional.front();
  std::vector<std::string> args(options.positional.begin() + 1,
                                options.positional.end());

  for (StringRef arg : args) {
    StringRef name = getOptionName(arg);
    if (name == "emit-bytecode")
      return fail("expected a run that writes text, which a reproducer is made "
                  "of, but found '" +
                  arg + "'");
    if (runsNothing(name))
      return fail("expected options with which passes run, but found '" + arg +
                  "'");
    if (isForOtherRuns(name))
      return fail("expected options of one run, of which a reproducer is made, "
                  "but found '" +
                  arg + "'; what all runs are to have goes to --opt-arg");
  }

  // The address is of something in this executable.
  std::string self = fs::getMainExecutable(
      argv[0], reinterpret_cast<void *>(&partita::partitaBisectMain));
  std::string optPath = options.opt;
  if (optPath.empty()) {
    StringRef beside = llvm::sys::path::parent_path(self);
    if (auto found = llvm::sys::findProgramByName("partita-opt", {beside}))
      optPath = *found;
  }
  llvm::ErrorOr<std::string> program =
      llvm::sys::findProgramByName(optPath.empty() ? "partita-opt" : optPath);
  if (!program)
    return fail("expected a tool to run the passes, but found '" + optPath +
                "'");
  // Traces of crashes cost more than the crash.
#ifndef _WIN32
  setenv("LLVM_DISABLE_SYMBOLIZATION", "1", /*overwrite=*/0);
#endif
  llvm::sys::SetInterruptFunction(interrupt);
  Bisection bisection(options, self, makeAbsolute(*program), module, args);
  int code = options.checkTail.empty() ? bisection.run() : bisection.check();
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error();
    return fail("expected to write to stdout: " + error.message());
  }
  // As a shell tells it of a process that ended by SIGINT.
  return isInterrupted ? 130 : code;
}
