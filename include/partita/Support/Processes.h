//===- Processes.h - Programs that run side by side -------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_PROCESSES_H
#define PARTITA_SUPPORT_PROCESSES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

/// Finds a program, as a shell does.
std::optional<std::string> findProgram(llvm::StringRef name);

/// An absolute path, for processes in another directory.
std::string makeAbsolute(llvm::StringRef path);
/// The words of a command, as GNU's tools split them, with the absolute path of
/// its program; none if the system has no such program.
std::optional<std::vector<std::string>> splitCommand(llvm::StringRef text);

/// The most processes that run at a time.
constexpr unsigned maxJobs = 256;

/// A program with its arguments, and the files of its standard streams.
struct ProcessToRun {
  std::vector<std::string> command;
  /// An empty name is /dev/null; no name is the stream of this process.
  std::optional<std::string> input, output, errors;
};

/// How a process ended.
struct ProcessEnd {
  /// The exit code; -1 if the program could not be run, -2 if a signal or the
  /// time limit ended it.
  int code = 0;
  bool isTimeout = false;
  /// Whether an interrupt, or the poller of this thread, has ended it or kept
  /// it from starting.
  bool isInterrupted = false;
  /// Why it could not be run, or the signal's name.
  std::string message;
};

/// From now on, an interrupt (SIGINT, SIGTERM, SIGHUP) ends the processes that
/// runProcesses has started in place of this process. A second one ends this
/// process, too.
void endProcessesAtInterrupt();
bool isInterrupted();

/// Ends the group of a process: the process and all that it has started.
void endProcessGroup(llvm::sys::procid_t process, bool isForced);

/// Runs the processes in their order, at most `jobs` of them at a time, each
/// for at most `timeLimit` seconds (0: without limit). Each has a group of its
/// own. `tell` hears of each process when it starts and when it has ended.
/// Starts none after an interrupt.
std::vector<ProcessEnd> runProcesses(
    llvm::ArrayRef<ProcessToRun> processes, unsigned jobs,
    unsigned timeLimit = 0,
    llvm::function_ref<void(llvm::sys::procid_t, bool isRunning)> tell = {});

} // namespace partita

#endif // PARTITA_SUPPORT_PROCESSES_H
