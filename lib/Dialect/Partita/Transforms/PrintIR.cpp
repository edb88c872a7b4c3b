//===- PrintIR.cpp - Print the op that the pass runs on -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Partita/Transforms/Passes.h"
#include "partita/Support/ElidedElements.h"
#include "partita/Support/EscapeText.h"

namespace partita {
#define GEN_PASS_DEF_PRINTIR
#include "partita/Dialect/Partita/Transforms/Passes.h.inc"
} // namespace partita

using namespace mlir;
using namespace partita;

namespace {
struct PrintIR : partita::impl::PrintIRBase<PrintIR> {
  using PrintIRBase::PrintIRBase;

  void runOnOperation() override {
    OpPrintingFlags flags;
    if (elide >= 0)
      flags.elideLargeElementsAttrs(elide).elideLargeResourceString(elide);
    // Otherwise MLIR numbers all values of the module, which other threads can
    // change meanwhile.
    if (getOperation()->getParentOp())
      flags.useLocalScope();
    std::string text;
    llvm::raw_string_ostream os(text);
    getOperation()->print(os, flags);
    ElidedElements().mark(text, getOperation(), flags);
    // One write, so that parallel passes do not mix their lines.
    llvm::errs() << "PrintIR(" + escapeName(header) + "):\n" + text + "\n";
    markAllAnalysesPreserved();
  }
};
} // namespace
