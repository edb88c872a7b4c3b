//===- PartitaBisectMain.h - partita-bisect as a function -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_PARTITABISECTMAIN_H
#define PARTITA_TOOLS_PARTITABISECTMAIN_H

namespace partita {

/// Finds the first step of a pipeline whose running makes it fail, in a number
/// of runs that is logarithmic in that of the steps, then the one rewrite in
/// it, and writes a reproducer. What fails is a test of the user's, as in
/// `git bisect run`, or the run itself: it crashes, hangs or ends with an
/// error. The runs are child processes of partita-opt, or of another tool that
/// is made of partitaOptMain. Returns main's exit code.
int partitaBisectMain(int argc, char **argv);

} // namespace partita

#endif // PARTITA_TOOLS_PARTITABISECTMAIN_H
