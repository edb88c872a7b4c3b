//===- Process.cpp - Runs of the tool and of the user's test --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
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
/// The running process; the signal handler and runProcess share it.
static std::atomic<llvm::sys::procid_t> runningProcess{
    llvm::sys::ProcessInfo::InvalidPid};
static std::atomic<bool> isInterrupted{false};

void fail(const llvm::Twine &message, StringRef output) {
  llvm::outs().flush();
  llvm::outs().clear_error();
  output = output.trim();
  llvm::WithColor::error(llvm::errs(), "partita-bisect")
      << message << (output.empty() ? "" : ":\n") << output << "\n";
  // A shell reports 130 for a process that SIGINT has ended.
  std::exit(isInterrupted ? 130 : failureCode);
}

void check(std::error_code error, const llvm::Twine &what) {
  if (error)
    fail("expected to " + what + ": " + error.message());
}

static constexpr llvm::StringLiteral scratchPrefix = "partita-bisect";
static constexpr llvm::StringLiteral createDirectoryText =
    "create a directory for temporary files";

/// The pipe through which the guard learns which process runs.
static int guardPipe = -1;

/// Ends the group of a process: the process and all that it has started.
static void endGroup(llvm::sys::procid_t process, bool isForced) {
#ifndef _WIN32
  if (process != llvm::sys::ProcessInfo::InvalidPid)
    kill(-process, isForced ? SIGKILL : SIGTERM);
#endif
}

#ifndef _WIN32
/// Makes the scratch directory and writes its path to `output`. Reads the
/// running processes from `input` until the other end closes. Then ends the
/// last of them, and removes the directory.
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
  llvm::sys::procid_t process = llvm::sys::ProcessInfo::InvalidPid, next;
  while ((size = read(input, &next, sizeof(next))) != 0)
    if (size == sizeof(next))
      process = next;
  endGroup(process, /*isForced=*/false);
  for (unsigned round = 0; process != llvm::sys::ProcessInfo::InvalidPid &&
                           round < 100 && kill(-process, 0) == 0;
       ++round) {
    if (round == 50)
      endGroup(process, /*isForced=*/true);
    usleep(20000);
  }
  [[maybe_unused]] std::error_code error = fs::remove_directories(directory);
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

static void setRunningProcess(llvm::sys::procid_t process) {
  runningProcess = process;
#ifndef _WIN32
  if (guardPipe >= 0) [[maybe_unused]]
    ssize_t size = write(guardPipe, &process, sizeof(process));
#endif
}

void setUp(StringRef path, int code) {
  failureCode = code;
  // A second signal ends this process.
  llvm::sys::SetInterruptFunction([] {
    isInterrupted = true;
    endGroup(runningProcess, /*isForced=*/false);
  });
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

std::string makeAbsolute(StringRef path) {
  llvm::SmallString<128> absolute(path);
  if (fs::make_absolute(absolute))
    return path.str();
  llvm::sys::path::remove_dots(absolute);
  return absolute.str().str();
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

/// Runs `command` for at most `timeLimit` seconds (0: without limit), with its
/// stderr in the scratch file `errName`. `what` names the command in errors.
static Outcome runProcess(StringRef what, llvm::ArrayRef<std::string> command,
                          StringRef errName, unsigned timeLimit) {
  std::string errPath = getScratchPath(errName);
  // Programs overwrite the old contents, but may keep their rest.
  [[maybe_unused]] std::error_code error = fs::remove(errPath);
  if (isInterrupted)
    fail("interrupted");
  std::vector<StringRef> words(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(), errPath};
  std::string message;
  bool hasFailed = false;
  llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(
      words.front(), words, std::nullopt, redirects, /*MemoryLimit=*/0,
      &message, &hasFailed, /*AffinityMask=*/nullptr, /*DetachProcess=*/true);
  setRunningProcess(process.Pid);
  // The signal may have come before the process id was stored.
  if (isInterrupted)
    endGroup(process.Pid, /*isForced=*/false);
  // LLVM's codes: -1 if it could not be run, -2 if a signal ended it.
  int code = -1;
  if (!hasFailed)
    code = llvm::sys::Wait(process,
                           timeLimit ? std::optional(timeLimit) : std::nullopt,
                           &message)
               .ReturnCode;
  setRunningProcess(llvm::sys::ProcessInfo::InvalidPid);
  if (isInterrupted)
    fail("interrupted");
  if (code == -1)
    fail("expected " + what + " that can be run, but '" + words.front() +
         "' could not be");
  bool isTimeout = code == -2 && StringRef(message).contains("timed out");
  if (isTimeout)
    endGroup(process.Pid, /*isForced=*/true);
  End end = isTimeout    ? End::Hang
            : code == -2 ? End::Crash
            : code == 0  ? End::Success
                         : End::Error;
  return {end, code, readFile(errPath)};
}

void Tool::setTest(StringRef text) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> words;
  llvm::cl::TokenizeGNUCommandLine(text, saver, words);
  auto program =
      words.empty()
          ? llvm::ErrorOr<std::string>(std::errc::no_such_file_or_directory)
          : llvm::sys::findProgramByName(words.front());
  if (!program)
    fail("expected a test command that can be run, but found '" + text + "'");
  wanted = End::Success;
  testText = text.str();
  test.assign(words.begin(), words.end());
  test.front() = makeAbsolute(*program);
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
  std::string path = getScratchPath("arguments.txt");
  check(writeText(path, text), "write '" + path + "'");
  return {"@" + path};
}

Outcome Tool::run(std::vector<std::string> args) const {
  args = shorten(std::move(args));
  args.insert(args.begin(), options.begin(), options.end());
  args.insert(args.begin(), path);
  return runProcess("a tool", args, "tool.txt", timeLimit);
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

/// Runs the user's test with a copy of the module's file as its last argument.
/// Each copy has a new name, because a test, or a process that it has started
/// and that outlives it, can change the file.
static Outcome runTest(const Tool &tool, StringRef module) {
  static unsigned numTests = 0;
  std::string copy =
      getScratchPath(("module-" + llvm::Twine(++numTests) + ".mlir").str());
  check(fs::copy_file(module, copy), "copy '" + module + "'");
  std::vector<std::string> command = tool.test;
  command.push_back(copy);
  Outcome outcome =
      runProcess("a test command", command, "test.txt", tool.timeLimit);
  if (outcome.end == End::Crash || outcome.code > 127)
    fail("expected a test command that exits with a code below 128, but '" +
         command.front() + "' " +
         (outcome.end == End::Crash
              ? "was ended by a signal"
              : "exited with " + std::to_string(outcome.code)));
  [[maybe_unused]] std::error_code error = fs::remove(copy);
  return outcome;
}

Trial Tool::judge(std::vector<std::string> args) {
  std::string candidate = getScratchPath("candidate.mlir");
  args.insert(args.end(), {"-o", candidate});
  Trial trial;
  trial.tool = run(std::move(args));
  End end = trial.tool.end;
  if (wanted == End::Success && test.empty())
    wanted = end == End::Success ? End::Error : end;
  if (end != End::Success) {
    bool isOtherError = end == End::Error && !expectedError.empty() &&
                        getError(trial.tool.errors) != expectedError;
    if (end == wanted && !isOtherError)
      trial.verdict = Verdict::Bad;
  } else if (test.empty()) {
    trial.verdict = Verdict::Good;
  } else {
    trial.test = runTest(*this, candidate);
    int code = trial.test->code;
    trial.verdict = code == 0     ? Verdict::Good
                    : code == 125 ? Verdict::Skip
                                  : Verdict::Bad;
  }
  checkModule();
  return trial;
}

StringRef Tool::describe() const {
  static constexpr llvm::StringLiteral ends[] = {"fail", "end with an error",
                                                 "crash", "hang"};
  if (!test.empty())
    return "fail the test";
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
