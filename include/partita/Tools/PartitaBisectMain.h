//===- PartitaBisectMain.h - partita-bisect as a function -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_PARTITABISECTMAIN_H
#define PARTITA_TOOLS_PARTITABISECTMAIN_H

namespace partita {

/// Finds the first step that makes a pipeline fail, in a logarithmic number of
/// runs, then the one rewrite in that step, and writes a reproducer. A run
/// fails if the user's test fails, as in `git bisect run`. Without a test, it
/// fails if it crashes, hangs or ends with an error. The runs are child
/// processes that execute partita-opt, or another tool that calls
/// partitaOptMain. Returns main's exit code.
int partitaBisectMain(int argc, char **argv);

} // namespace partita

#endif // PARTITA_TOOLS_PARTITABISECTMAIN_H
