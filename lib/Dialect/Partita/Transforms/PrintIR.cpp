//===- PrintIR.cpp - Print the op that the pass is on ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Partita/Transforms/Passes.h"
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
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "PrintIR(" << escapeName(header) << "):\n";
    getOperation()->print(os, flags);
    os << "\n";
    // One write, so that what runs in parallel does not mix its lines.
    llvm::errs() << text;
    markAllAnalysesPreserved();
  }
};
} // namespace
