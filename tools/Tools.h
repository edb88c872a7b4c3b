//===- Tools.h - The tools in libPartitaTools.so ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_H
#define PARTITA_TOOLS_H

// Each is the main function of a program. In the Python package they have fewer
// dialects, and the language server is left out.
extern "C" {
int partitaRunBisect(int argc, char **argv);
int partitaRunLspServer(int argc, char **argv);
int partitaRunOpt(int argc, char **argv);
int partitaRunTranslate(int argc, char **argv);
}

#endif // PARTITA_TOOLS_H
