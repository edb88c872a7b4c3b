//===- Processes.cpp - Programs that run side by side ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread starts and awaits all processes. LLVM's time limits use the one
// alarm of the process, so that this file has a clock of its own.
//
//===----------------------------------------------------------------------===//

#include "partita/Support/Processes.h"
#include "partita/Support/ThreadPool.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/StringSaver.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

using namespace partita;
using llvm::StringRef;
using llvm::sys::ProcessInfo;
using llvm::sys::procid_t;
using Clock = std::chrono::steady_clock;

std::string partita::makeAbsolute(StringRef path) {
  llvm::SmallString<128> absolute(path);
  if (llvm::sys::fs::make_absolute(absolute))
    return path.str();
  llvm::sys::path::remove_dots(absolute);
  return absolute.str().str();
}

std::optional<std::string> partita::findProgram(StringRef name) {
  // LLVM asserts that there is a name.
  if (name.empty())
    return std::nullopt;
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(name);
  return program ? std::optional(*program) : std::nullopt;
}

std::optional<std::vector<std::string>> partita::splitCommand(StringRef text) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> words;
  llvm::cl::TokenizeGNUCommandLine(text, saver, words);
  if (words.empty())
    return std::nullopt;
  std::optional<std::string> program = findProgram(words.front());
  if (!program)
    return std::nullopt;
  std::vector<std::string> command(words.begin(), words.end());
  command.front() = makeAbsolute(*program);
  return command;
}

/// The running processes; the signal handler and runProcesses share them.
static std::array<std::atomic<procid_t>, maxJobs> running{};
static std::atomic<bool> hasInterrupt{false};

void partita::endProcessGroup(procid_t process, bool isForced) {
#ifndef _WIN32
  int signal = isForced ? SIGKILL : SIGTERM;
  // A process that starts has no group yet.
  if (process != ProcessInfo::InvalidPid && kill(-process, signal) != 0)
    kill(process, signal);
#endif
}

void partita::endProcessesAtInterrupt() {
  llvm::sys::SetInterruptFunction([] {
    hasInterrupt = true;
    for (std::atomic<procid_t> &process : running)
      endProcessGroup(process, /*isForced=*/false);
  });
}

bool partita::isInterrupted() { return hasInterrupt; }

namespace {
/// A place for a running process.
struct Slot {
  ProcessInfo info;
  size_t index = 0;
  Clock::time_point start;

  bool isFree() const { return info.Pid == ProcessInfo::InvalidPid; }
};
} // namespace

/// Starts a process; fills `end` if that fails.
static ProcessInfo start(const ProcessToRun &process, ProcessEnd &end) {
  std::vector<StringRef> words(process.command.begin(), process.command.end());
  std::optional<StringRef> redirects[] = {process.input, process.output,
                                          process.errors};
  bool hasFailed = false;
  ProcessInfo info = llvm::sys::ExecuteNoWait(
      words.front(), words, std::nullopt, redirects, /*MemoryLimit=*/0,
      &end.message, &hasFailed, /*AffinityMask=*/nullptr,
      /*DetachProcess=*/true);
  if (!hasFailed)
    return info;
  end.code = -1;
  return ProcessInfo();
}

/// Whether the process in `slot` has ended, by itself or because of the time
/// limit or `isStopped`; fills `end` then.
static bool hasEnded(const Slot &slot, unsigned timeLimit, bool isStopped,
                     ProcessEnd &end) {
  ProcessInfo ended =
      llvm::sys::Wait(slot.info, /*SecondsToWait=*/0, &end.message,
                      /*ProcStat=*/nullptr, /*Polling=*/true);
  if (ended.Pid == ProcessInfo::InvalidPid) {
    bool isLate = timeLimit != 0 &&
                  Clock::now() - slot.start >= std::chrono::seconds(timeLimit);
    if (!isLate && !isStopped)
      return false;
    endProcessGroup(slot.info.Pid, /*isForced=*/true);
    ended = llvm::sys::Wait(slot.info, std::nullopt, &end.message);
    // It may have ended by itself just now.
    end.isTimeout = ended.ReturnCode == -2 && !isStopped;
  }
  end.isInterrupted =
      ended.ReturnCode == -2 && (isStopped || hasInterrupt) && !end.isTimeout;
  end.code = ended.ReturnCode;
  return true;
}

/// Sends the signal again to processes that have missed it: they ran in no
/// program yet, but in a copy of this process with its signal handler, or they
/// were not in `running` yet.
static void endAgain(llvm::ArrayRef<Slot> slots,
                     std::optional<Clock::time_point> &signalTime) {
  if (!signalTime)
    signalTime = Clock::now();
  if (Clock::now() - *signalTime < std::chrono::milliseconds(500))
    return;
  for (const Slot &slot : slots)
    endProcessGroup(slot.info.Pid, /*isForced=*/false);
  signalTime = Clock::now();
}

std::vector<ProcessEnd>
partita::runProcesses(llvm::ArrayRef<ProcessToRun> processes, unsigned jobs,
                      unsigned timeLimit,
                      llvm::function_ref<void(procid_t, bool isRunning)> tell) {
  std::vector<ProcessEnd> ends(processes.size());
  std::vector<Slot> slots(
      std::clamp<size_t>(processes.size(), 1, std::min(jobs, maxJobs)));
  size_t next = 0;
  std::optional<Clock::time_point> signalTime;
  Clock::time_point lastPoll = Clock::now();
  bool isStopped = false;
  for (bool isDone = false; !isDone;) {
    isDone = true;
    if (hasInterrupt)
      endAgain(slots, signalTime);
    for (auto [place, slot] : llvm::enumerate(slots)) {
      if (!slot.isFree() &&
          hasEnded(slot, timeLimit, isStopped, ends[slot.index])) {
        running[place] = ProcessInfo::InvalidPid;
        if (tell)
          tell(slot.info.Pid, /*isRunning=*/false);
        slot = Slot();
      }
      if (slot.isFree() && next < processes.size() && !hasInterrupt &&
          !isStopped) {
        slot.index = next++;
        slot.info = start(processes[slot.index], ends[slot.index]);
        slot.start = Clock::now();
        running[place] = slot.info.Pid;
        if (tell && !slot.isFree())
          tell(slot.info.Pid, /*isRunning=*/true);
      }
      isDone &= slot.isFree() &&
                (next == processes.size() || hasInterrupt || isStopped);
    }
    if (isDone)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    WaitPoller *poller = WaitPoller::get();
    if (poller && Clock::now() - lastPoll > std::chrono::milliseconds(20)) {
      isStopped |= poller->poll();
      lastPoll = Clock::now();
    }
  }
  for (; next < processes.size(); ++next)
    ends[next].isInterrupted = true;
  return ends;
}
