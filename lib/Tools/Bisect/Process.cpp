//===- Process.cpp - Runs of the tool and of the user's test --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "partita/Support/Processes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <set>
#ifndef _WIN32
#include <fcntl.h>
#include <unistd.h>
#endif

using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace partita::bisect {

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

namespace {
struct Scratch {
  // Files that cannot be removed are left to the system.
  ~Scratch() {
    [[maybe_unused]] std::error_code error;
    if (!directory.empty())
      error = fs::remove_directories(directory);
  }

  std::string directory;
};
} // namespace

static Scratch scratch;
static int failureCode = 2;

void fail(const llvm::Twine &message, StringRef output) {
  llvm::outs().flush();
  llvm::outs().clear_error();
  output = output.trim();
  llvm::WithColor::error(llvm::errs(), "partita-bisect")
      << message << (output.empty() ? "" : ":\n") << output << "\n";
  // A shell reports 130 for a process that SIGINT has ended.
  std::exit(isInterrupted() ? 130 : failureCode);
}

void check(std::error_code error, const llvm::Twine &what) {
  if (error)
    fail("expected to " + what + ": " + error.message());
}

static constexpr llvm::StringLiteral scratchPrefix = "partita-bisect";
static constexpr llvm::StringLiteral createDirectoryText =
    "create a directory for temporary files";

/// The pipe through which the guard learns which processes run.
static int guardPipe = -1;

#ifndef _WIN32
/// Makes the scratch directory and writes its path to `output`. Reads from
/// `input` the ids of processes that have started, and negative ones of
/// processes that have ended, until the other end closes. Then ends those that
/// run, and removes the directory.
[[noreturn]] static void runGuard(int input, int output) {
  setsid();
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
    std::signal(signal, SIG_IGN);
  // The guard writes nothing that a reader should wait for.
  if (int null = open("/dev/null", O_RDWR); null >= 0)
    for (int stream : {0, 1, 2})
      dup2(null, stream);
  llvm::SmallString<128> directory;
  if (fs::createUniqueDirectory(scratchPrefix, directory))
    _exit(1);
  [[maybe_unused]] ssize_t size =
      write(output, directory.data(), directory.size());
  close(output);
  std::set<llvm::sys::procid_t> processes;
  llvm::sys::procid_t next;
  while ((size = read(input, &next, sizeof(next))) != 0) {
    if (size == sizeof(next) && next > 0)
      processes.insert(next);
    else if (size == sizeof(next))
      processes.erase(-next);
  }
  for (llvm::sys::procid_t process : processes)
    endProcessGroup(process, /*isForced=*/false);
  auto isRunning = [](llvm::sys::procid_t process) {
    return kill(-process, 0) == 0;
  };
  for (unsigned round = 0; round < 100 && llvm::any_of(processes, isRunning);
       ++round) {
    if (round == 50)
      for (llvm::sys::procid_t process : processes)
        endProcessGroup(process, /*isForced=*/true);
    usleep(20000);
  }
  // A process that has just started, and is unknown here, may still write.
  for (unsigned round = 0; round < 500 && fs::exists(directory); ++round) {
    if (round != 0)
      usleep(20000);
    [[maybe_unused]] std::error_code error = fs::remove_directories(directory);
  }
  _exit(0);
}
#endif

/// Starts a process that makes the scratch directory. It cleans up if SIGKILL
/// ends this process, at any moment. Returns the directory, or an empty string
/// if the process can't be started.
static std::string startGuard() {
  std::string directory;
#ifndef _WIN32
  int toGuard[2], fromGuard[2];
  if (pipe(toGuard) != 0 || pipe(fromGuard) != 0)
    return directory;
  for (int end : {toGuard[0], toGuard[1], fromGuard[0], fromGuard[1]})
    fcntl(end, F_SETFD, FD_CLOEXEC);
  pid_t guard = fork();
  if (guard == 0) {
    close(toGuard[1]);
    close(fromGuard[0]);
    runGuard(toGuard[0], fromGuard[1]);
  }
  close(toGuard[0]);
  close(fromGuard[1]);
  char buffer[256];
  for (ssize_t size;
       (size = read(fromGuard[0], buffer, sizeof(buffer))) != 0;) {
    if (size > 0)
      directory.append(buffer, size);
    else if (errno != EINTR)
      break;
  }
  close(fromGuard[0]);
  if (directory.empty())
    close(toGuard[1]);
  else
    guardPipe = toGuard[1];
#endif
  return directory;
}

static void tellGuard(llvm::sys::procid_t process, bool isRunning) {
#ifndef _WIN32
  llvm::sys::procid_t text = isRunning ? process : -process;
  if (guardPipe >= 0) [[maybe_unused]]
    ssize_t size = write(guardPipe, &text, sizeof(text));
#endif
}

void setUp(StringRef path, int code) {
  failureCode = code;
  endProcessesAtInterrupt();
  if (!path.empty()) {
    check(fs::create_directories(path), createDirectoryText);
    scratch.directory = path.str();
    return;
  }
  scratch.directory = startGuard();
  if (scratch.directory.empty()) {
    llvm::SmallString<128> directory;
    check(fs::createUniqueDirectory(scratchPrefix, directory),
          createDirectoryText);
    scratch.directory = directory.str().str();
  }
#ifndef _WIN32
  // The tool's temporary files go into the directory, too.
  setenv("TMPDIR", scratch.directory.c_str(), /*overwrite=*/1);
#endif
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::string getScratchPath(StringRef name) {
  return joinPath(scratch.directory, name);
}

std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::error_code writeText(StringRef path, const llvm::Twine &text,
                          bool isScript) {
  std::error_code code;
  std::unique_ptr<OutputFile> file = OutputFile::open(path, code, isScript);
  if (!file)
    return code;
  file->os() << text;
  return file->commit();
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string findLine(StringRef text, StringRef part) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (line.contains(part))
      return line.trim().str();
    text = rest;
  }
  return "";
}

StringRef getError(StringRef text) {
  StringRef line = text.split("error: ").second.split('\n').first;
  return line.take_front(line.find_first_of("%'\"0123456789")).trim();
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// The path of a new file in the scratch directory.
static std::string makeScratchPath(StringRef stem, StringRef extension) {
  static unsigned number = 0;
  return getScratchPath((stem + "-" + llvm::Twine(++number) + extension).str());
}

/// Runs `commands` side by side, each for at most `timeLimit` seconds (0:
/// without limit). `what` names a command in errors.
static std::vector<Outcome>
runCommands(StringRef what, llvm::ArrayRef<std::vector<std::string>> commands,
            unsigned jobs, unsigned timeLimit) {
  std::vector<ProcessToRun> processes;
  for (const std::vector<std::string> &command : commands)
    processes.push_back({command, /*input=*/"", /*output=*/"",
                         makeScratchPath("errors", ".txt")});
  std::vector<ProcessEnd> ends =
      runProcesses(processes, jobs, timeLimit, tellGuard);
  if (isInterrupted())
    fail("interrupted");
  std::vector<Outcome> outcomes;
  for (auto [process, end] : llvm::zip_equal(processes, ends)) {
    if (end.code == -1)
      fail("expected " + what + " that can be run, but '" +
           process.command.front() + "' could not be");
    outcomes.push_back({end.isTimeout    ? End::Hang
                        : end.code == -2 ? End::Crash
                        : end.code == 0  ? End::Success
                                         : End::Error,
                        end.code, readFile(*process.errors)});
    [[maybe_unused]] std::error_code error = fs::remove(*process.errors);
  }
  return outcomes;
}

void Tool::setTest(StringRef text) {
  auto words = splitCommand(text);
  if (!words)
    fail("expected a test command that can be run, but found '" + text + "'");
  wanted = End::Success;
  testText = text.str();
  test = std::move(*words);
}

/// Puts `args` into a response file if there are too many for the system.
static std::vector<std::string> shorten(std::vector<std::string> args) {
  constexpr size_t maxSize = 100000;
  size_t size = 0;
  for (const std::string &arg : args)
    size += arg.size();
  if (size <= maxSize)
    return args;
  std::string text;
  for (const std::string &arg : args) {
    text += '"';
    for (char c : arg)
      text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    text += "\"\n";
  }
  std::string path = makeScratchPath("arguments", ".txt");
  check(writeText(path, text), "write '" + path + "'");
  return {"@" + path};
}

std::vector<Outcome>
Tool::runAll(std::vector<std::vector<std::string>> commands) const {
  for (std::vector<std::string> &args : commands) {
    args = shorten(std::move(args));
    args.insert(args.begin(), options.begin(), options.end());
    args.insert(args.begin(), path);
  }
  return runCommands("a tool", commands, jobs, timeLimit);
}

Outcome Tool::run(std::vector<std::string> args) const {
  return runAll({std::move(args)}).front();
}

void Tool::watch(StringRef path) {
  module = path.str();
  contents = readFile(path);
}

void Tool::checkModule() const {
  if (!module.empty() && readFile(module) != contents)
    fail(
        "expected a module that stays as it is, because each run reads it, but "
        "after a run of the test '" +
        testText + "', '" + module +
        (fs::exists(module) ? "' has changed" : "' is missing"));
}

std::vector<Trial>
Tool::tryAll(std::vector<std::vector<std::string>> commands) const {
  std::vector<Trial> trials(commands.size());
  for (auto [trial, args] : llvm::zip_equal(trials, commands)) {
    trial.module = makeScratchPath("candidate", ".mlir");
    args.insert(args.end(), {"-o", trial.module});
  }
  for (auto [trial, outcome] :
       llvm::zip_equal(trials, runAll(std::move(commands))))
    trial.tool = std::move(outcome);
  if (test.empty())
    return trials;

  // Each copy of a module has a new name, because a test, or a process that it
  // has started and that outlives it, can change the file.
  std::vector<std::vector<std::string>> tests;
  std::vector<Trial *> tested;
  for (Trial &trial : trials) {
    if (trial.tool.end != End::Success)
      continue;
    tested.push_back(&trial);
    tests.push_back(test);
    tests.back().push_back(makeScratchPath("module", ".mlir"));
    check(fs::copy_file(trial.module, tests.back().back()),
          "copy '" + trial.module + "'");
  }
  for (auto [trial, command, outcome] :
       llvm::zip_equal(tested, tests,
                       runCommands("a test command", tests, jobs, timeLimit))) {
    trial->test = std::move(outcome);
    [[maybe_unused]] std::error_code error = fs::remove(command.back());
  }
  return trials;
}

void Tool::judge(Trial &trial) {
  End end = trial.tool.end;
  if (wanted == End::Success && test.empty())
    wanted = end == End::Success ? End::Error : end;
  if (trial.test)
    if (End end = trial.test->end; end == End::Crash || trial.test->code > 127)
      fail("expected a test command that exits with a code below 128, but '" +
           test.front() + "' " +
           (end == End::Crash
                ? "was ended by a signal"
                : "exited with " + std::to_string(trial.test->code)));
  if (end != End::Success) {
    bool isOtherError = end == End::Error && !expectedError.empty() &&
                        getError(trial.tool.errors) != expectedError;
    if (end == wanted && !isOtherError)
      trial.verdict = Verdict::Bad;
  } else if (test.empty()) {
    trial.verdict = Verdict::Good;
  } else {
    int code = trial.test->code;
    trial.verdict = code == 0     ? Verdict::Good
                    : code == 125 ? Verdict::Skip
                                  : Verdict::Bad;
  }
  checkModule();
}

Trial Tool::judge(std::vector<std::string> args) {
  Trial trial = std::move(tryAll({std::move(args)}).front());
  judge(trial);
  return trial;
}

StringRef Tool::describe() const {
  static constexpr llvm::StringLiteral ends[] = {"fail", "end with an error",
                                                 "crash", "hang"};
  if (!test.empty())
    return knowsFailure ? "change the outputs" : "fail the test";
  return ends[size_t(wanted)];
}

StringRef Trial::describe() const {
  static constexpr llvm::StringLiteral ends[] = {
      "ends well", "ends with an error", "crashes", "hangs"};
  if (!test)
    return ends[size_t(tool.end)];
  return verdict == Verdict::Skip ? "is skipped by the test"
         : isTestTimeout()        ? "takes the test too long"
                                  : "fails the test";
}

} // namespace partita::bisect
