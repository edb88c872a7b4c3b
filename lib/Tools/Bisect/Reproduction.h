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

/// Fails if one of the tool's `args` keeps it from running passes on one module
/// as text, or is set by the search itself.
void checkToolArgs(llvm::ArrayRef<std::string> args);

/// A directory with a reproducer, which is the module before a step, to be run
/// with that step alone, and a script that runs it.
class Reproduction {
public:
  /// `tool` gets those of `args` that say how modules are read, verified and
  /// printed. Makes the directory; fails if a file there is to replace
  /// `module`.
  Reproduction(Tool tool, llvm::ArrayRef<std::string> args,
               llvm::StringRef directory, llvm::StringRef module);

  /// What makes of a module a reproducer that runs `pipeline`.
  std::string makeTail(llvm::StringRef passContext,
                       llvm::StringRef pipeline) const {
    return makeReproducerTail(passContext, pipeline, verifiesEach);
  }
  /// Writes the files; `title` says in the script what it is.
  void write(llvm::StringRef before, llvm::StringRef tail,
             llvm::StringRef title) const;
  /// Runs the reproducer, with `args` too.
  Trial replay(std::vector<std::string> args = {});
  /// Leaves out of the reproducer what it is bad without, in a file of its own;
  /// `selfPath` is partita-bisect, which the tool asks about each smaller one.
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
