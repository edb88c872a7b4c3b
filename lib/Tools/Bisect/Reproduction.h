//===- Reproduction.h - A step to be run again ------------------*- C++ -*-===//
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

/// A directory with a reproducer, which holds the module before a step and runs
/// that step alone, and a script that runs the reproducer.
class Reproduction {
public:
  /// `tool` gets those of `args` that say how to read, verify and print
  /// modules. Makes the directory; fails if a file in it would overwrite
  /// `module`.
  Reproduction(Tool tool, llvm::ArrayRef<std::string> args,
               llvm::StringRef directory, llvm::StringRef module);

  /// The text that makes a module before it a reproducer that runs `pipeline`.
  std::string makeTail(llvm::StringRef passContext,
                       llvm::StringRef pipeline) const {
    return makeReproducerTail(passContext, pipeline, verifiesEach);
  }
  /// Writes the files; the script has the comment `title`.
  void write(llvm::StringRef before, llvm::StringRef tail,
             llvm::StringRef title) const;
  /// Runs the reproducer with additional `args`.
  Trial replay(std::vector<std::string> args = {});
  /// Writes a smaller reproducer that is still bad to a file of its own. The
  /// tool calls partita-bisect, at `selfPath`, to judge each candidate.
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
