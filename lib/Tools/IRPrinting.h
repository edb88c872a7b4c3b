//===- IRPrinting.h - MLIR's printing of IR around passes -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_IRPRINTING_H
#define PARTITA_LIB_TOOLS_IRPRINTING_H

#include "PolicyOptions.h"

#include <string>

namespace mlir {
class PassManager;
} // namespace mlir

namespace partita {

/// Takes --mlir-print-ir-before-all, --mlir-print-ir-after-all and
/// --mlir-print-ir-after-failure over from MLIR, which would also print around
/// the passes that run a plan.
class IRPrinting {
public:
  /// `texts` without the ways to save work that flags of MLIR's would show, or
  /// whose results they would change. `showsHelpers` says that they show the
  /// passes that save work, which `enable` hides.
  static PolicyTexts saveLess(PolicyTexts texts, bool showsHelpers);

  IRPrinting();

  /// Makes the directory of --mlir-print-ir-tree-dir: where MLIR can't, it goes
  /// on without the files.
  static llvm::Error makeDirectory();

  /// Prints around the passes that run in `pm`.
  void enable(mlir::PassManager &pm) const;

private:
  bool beforeAll, afterAll, afterFailure;
  bool atModuleScope, afterChange;
  std::string directory;
};

} // namespace partita

#endif // PARTITA_LIB_TOOLS_IRPRINTING_H
