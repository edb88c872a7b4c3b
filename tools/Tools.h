//===- Tools.h - The tools in libPartitaTools.so ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_H
#define PARTITA_TOOLS_H

#include <stddef.h>

// Most are the main function of a program. In the Python package they have
// fewer dialects, and the language server is left out.
extern "C" {
int partitaRunBisect(int argc, char **argv);
int partitaRunLspServer(int argc, char **argv);
int partitaRunOpt(int argc, char **argv);
int partitaRunTranslate(int argc, char **argv);

/// For partita-run: lowers a module, MLIR or TVM's JSON, after the default
/// pipeline of a level. `take` gets LLVM's bitcode, with `data`. Returns main's
/// exit code, after a diagnostic if that is no success.
int partitaRunLowering(const char *module, size_t size, const char *name,
                       unsigned optLevel,
                       void (*take)(const char *code, size_t size, void *data),
                       void *data);
}

#endif // PARTITA_TOOLS_H
