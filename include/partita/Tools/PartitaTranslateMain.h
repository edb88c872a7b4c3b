//===- PartitaTranslateMain.h - partita-translate -------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_PARTITATRANSLATEMAIN_H
#define PARTITA_TOOLS_PARTITATRANSLATEMAIN_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace partita {

/// mlir-translate with the translations from and to TVM's JSON, for several
/// files in one run. `registerTranslations` adds more translations. Returns
/// main's exit code.
int partitaTranslateMain(int argc, char **argv,
                         llvm::function_ref<void()> registerTranslations);

} // namespace partita

#endif // PARTITA_TOOLS_PARTITATRANSLATEMAIN_H
