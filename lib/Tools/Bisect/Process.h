//===- Process.h - Runs of the tool and of the user's test ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A failure here, or a SIGINT, ends partita-bisect, because it can't judge a
// run then. It leaves no processes and no temporary files behind.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_BISECT_PROCESS_H
#define PARTITA_LIB_TOOLS_BISECT_PROCESS_H

#include "Search.h"
#include "partita/Support/OutputFile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <system_error>
#include <vector>

namespace partita::bisect {

/// Prints the error, with `output` as its explanation, and exits.
[[noreturn]] void fail(const llvm::Twine &message, llvm::StringRef output = "");
/// Fails if there is an error: "expected to `what`".
void check(std::error_code error, const llvm::Twine &what);

/// Makes the directory for temporary files, or a new one if `path` is empty. It
/// is removed at exit. fail() exits with `failureCode`.
void setUp(llvm::StringRef path, int failureCode);
/// The path of a file in that directory.
std::string getScratchPath(llvm::StringRef name);

/// The contents of a file; empty if it cannot be read.
std::string readFile(llvm::StringRef path);
std::error_code writeText(llvm::StringRef path, const llvm::Twine &text,
                          bool isScript = false);

enum class End { Success, Error, Crash, Hang };

/// How a process ended, and what it wrote to stderr.
struct Outcome {
  End end = End::Success;
  int code = 0;
  std::string errors;
};

/// A run of the tool and, if it succeeded and there is a test, of the test.
struct Trial {
  Verdict verdict = Verdict::Skip;
  Outcome tool;
  std::optional<Outcome> test;
  /// The scratch file that the tool has written.
  std::string module;

  /// "crashes"
  llvm::StringRef describe() const;
  bool isTestTimeout() const { return test && test->end == End::Hang; }
  /// The stderr of the process that decided the verdict.
  llvm::StringRef getErrors() const {
    return test ? test->errors : tool.errors;
  }
};

/// The first line of `text` that contains `part`.
std::string findLine(llvm::StringRef text, llvm::StringRef part);
/// The first error in `text`, without its location. It ends before the first
/// name or number, because these may differ in another module.
llvm::StringRef getError(llvm::StringRef text);

/// The tool that runs passes, and how its runs are judged.
struct Tool {
  std::string path;
  /// The options for all runs.
  std::vector<std::string> options;
  unsigned timeLimit;
  /// How many processes run at a time.
  unsigned jobs;
  /// Without a test, the end to look for; Success means the end of the first
  /// run.
  End wanted;
  /// Runs that end with another error are skipped, unless this is empty.
  std::string expectedError;
  /// The user's test command, as given, and split into words.
  std::string testText = {};
  std::vector<std::string> test = {};
  /// Whether --numerics has made the test, which tells how outputs differ.
  bool knowsFailure = false;
  /// The file that all runs read, and its contents, if a test can change it.
  std::string module = {}, contents = {};

  void setTest(llvm::StringRef text);
  /// From now on, checkModule fails if the file `path` has changed.
  void watch(llvm::StringRef path);
  void checkModule() const;
  Outcome run(std::vector<std::string> args) const;
  /// Runs the tool with each of `commands`, which are its arguments but for -o,
  /// and then the test on copies of the modules, up to `jobs` at a time. The
  /// trials have no verdicts yet.
  std::vector<Trial>
  tryAll(std::vector<std::vector<std::string>> commands) const;
  /// Gives a trial its verdict. The first one decides what to look for.
  void judge(Trial &trial);
  /// Makes one trial and judges it.
  Trial judge(std::vector<std::string> args);
  /// The end to look for: "crash".
  llvm::StringRef describe() const;

private:
  std::vector<Outcome>
  runAll(std::vector<std::vector<std::string>> commands) const;
};

} // namespace partita::bisect

#endif // PARTITA_LIB_TOOLS_BISECT_PROCESS_H
