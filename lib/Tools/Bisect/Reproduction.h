//===- Reproduction.h - Reproducers of a step -------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_BISECT_REPRODUCTION_H
#define PARTITA_LIB_TOOLS_BISECT_REPRODUCTION_H

#include "../Reproducer.h"
#include "Process.h"

namespace partita::bisect {

/// Fails if one of `args` keeps the tool from running passes on one module as
/// text, or is an option that the search itself sets.
void checkToolArgs(llvm::ArrayRef<std::string> args);

/// A directory with a reproducer and a script that runs it. The reproducer
/// holds the module before a step, and runs only that step.
class Reproduction {
public:
  /// Makes the directory; fails if a file in it would overwrite `module`.
  /// `tool` gets the options in `args` that say how to read, verify and print
  /// modules.
  Reproduction(Tool tool, llvm::ArrayRef<std::string> args,
               llvm::StringRef directory, llvm::StringRef module);

  /// The text that, after a module, makes it a reproducer that runs `pipeline`.
  std::string makeTail(llvm::StringRef passContext,
                       llvm::StringRef pipeline) const {
    return makeReproducerTail(passContext, pipeline, verifiesEach);
  }
  /// Writes the files; `title` is a comment in the script.
  void write(llvm::StringRef before, llvm::StringRef tail,
             llvm::StringRef title) const;
  /// The arguments with which the tool runs the reproducer.
  std::vector<std::string> getReplayArgs() const {
    return {getPath("reproducer.mlir"), "--run-reproducer"};
  }
  /// Writes a smaller reproducer that is still bad to another file. The tool
  /// calls partita-bisect, at `selfPath`, to judge each candidate.
  void reduce(llvm::StringRef selfPath, llvm::StringRef tail) const;

  std::string getPath(llvm::StringRef name) const {
    return joinPath(directory, name);
  }

  Tool tool;

private:
  std::string directory;
  bool verifiesEach = true;
};

} // namespace partita::bisect

#endif // PARTITA_LIB_TOOLS_BISECT_REPRODUCTION_H
