//===- Jobs.h - Inputs that several processes work on -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --jobs=N starts the tool again for some sections of the inputs at a time, and
// joins what these processes write. A section is an input, or with
// --split-input-file a part of it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_JOBS_H
#define PARTITA_LIB_TOOLS_JOBS_H

#include "partita/Support/OutputFile.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace partita {
struct PolicyOptions;

/// A directory for temporary files, which is removed in the end.
class TemporaryDirectory {
public:
  TemporaryDirectory();
  ~TemporaryDirectory() { clear(); }
  TemporaryDirectory(const TemporaryDirectory &) = delete;

  /// The error if it could not be made.
  llvm::Error check() const;
  void clear() const;
  const std::string &getPath() const { return path; }

private:
  std::error_code code;
  std::string path;
};

/// The inputs of a process, and the sections of them that it works on.
class Sections {
public:
  /// Opens the inputs.
  static llvm::Expected<Sections> open(llvm::ArrayRef<std::string> inputs);
  /// Reads which sections of `inputs` runJobs has chosen for this process. A
  /// file for `output`, which is no stdout, becomes the file that runJobs
  /// reads.
  static llvm::Expected<Sections> read(llvm::StringRef job,
                                       llvm::ArrayRef<std::string> inputs,
                                       std::string &output);

  /// Splits the inputs at `marker`, unless that is empty.
  void split(llvm::StringRef marker);

  size_t size() const { return sections.size(); }
  /// The input as a buffer if there is at most one section, and the marker at
  /// which MLIR must split it to find the section alone.
  std::pair<std::unique_ptr<llvm::MemoryBuffer>, std::string> getOnly() const;
  /// Whether an input can have the string `name`.
  bool hasString(llvm::StringRef name) const;

  /// Calls `run` with each section, in order, as getOnly gives it. Puts
  /// `separator` between the results. Returns whether all runs succeeded.
  bool runEach(llvm::function_ref<bool(std::unique_ptr<llvm::MemoryBuffer>,
                                       std::string marker)>
                   run,
               llvm::StringRef separator, llvm::raw_ostream &os) const;

private:
  friend class Jobs;

  struct Input {
    /// The name in locations, and the file to read it from.
    std::string name, path;
    std::unique_ptr<llvm::MemoryBuffer> buffer;

    llvm::StringRef getText() const { return buffer->getBuffer(); }
  };
  /// The place of a section in its input, in bytes.
  struct Section {
    size_t input, begin, end;
  };

  llvm::Error add(llvm::StringRef name, llvm::StringRef path);
  std::pair<std::unique_ptr<llvm::MemoryBuffer>, std::string>
  get(const Section &section) const;
  /// Describes the section for an error: "section 2 of 'in.mlir', at line 5".
  std::string describe(size_t index) const;

  std::vector<Input> inputs;
  std::vector<Section> sections;
};

/// Fails if the command line has an option that several processes can't share.
llvm::Error checkJobs(const PolicyOptions &options, size_t numSections);

/// Runs `tool` with the arguments `args`, in up to `jobs` processes at a time,
/// and joins their results in `os`, which is a file or stdout. Returns whether
/// all succeeded; false after an interrupt.
llvm::Expected<bool> runJobs(const Sections &sections, const std::string &tool,
                             llvm::ArrayRef<const char *> args, unsigned jobs,
                             llvm::StringRef separator, bool hasOutputFile,
                             llvm::raw_ostream &os);

} // namespace partita

#endif // PARTITA_LIB_TOOLS_JOBS_H
