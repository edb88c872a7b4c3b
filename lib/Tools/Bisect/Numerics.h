//===- Numerics.h - Outputs of modules as a test ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With --numerics, the test is partita-bisect itself: it runs a module as the
// instrument `numerics` does, and compares its outputs with those in a file.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_BISECT_NUMERICS_H
#define PARTITA_LIB_TOOLS_BISECT_NUMERICS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace partita::bisect {

/// The test command for the options of the instrument, with files in
/// `directory`.
std::string getNumericsTest(llvm::StringRef selfPath,
                            llvm::StringRef directory);
/// Writes these files: the options, the inputs, and the outputs of `module`.
/// Fails if the options are wrong, or the module cannot be run or has other
/// outputs in a second run.
void prepareNumerics(llvm::StringRef options, llvm::StringRef directory,
                     llvm::StringRef module);
/// The test. Returns its exit code.
int checkNumerics(llvm::StringRef directory, llvm::StringRef module);

} // namespace partita::bisect

#endif // PARTITA_LIB_TOOLS_BISECT_NUMERICS_H
