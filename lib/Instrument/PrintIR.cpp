//===- PrintIR.cpp - The module before and after passes ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/PrintIR.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

PrintIRInstrument::PrintIRInstrument(llvm::StringRef name,
                                     std::unique_ptr<PrintIROptions> options)
    : PassInstrument(name), options(std::move(options)) {
  for (const std::string &pass : this->options->passes)
    names.push_back(transform::canonicalPassName(pass));
}

LogicalResult PrintIRInstrument::print(llvm::StringRef when, Operation *module,
                                       const transform::PassInfo &info) {
  if (!names.empty() &&
      !llvm::is_contained(names, transform::canonicalPassName(info.name)))
    return success();
  OpPrintingFlags flags;
  if (options->elide >= 0)
    flags.elideLargeElementsAttrs(options->elide)
        .elideLargeResourceString(options->elide);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// IR " << when << " " << info.name << "\n";
  module->print(os, flags);
  os << "\n\n";
  // One write, so that runs on several threads do not mix their lines.
  llvm::errs() << text;
  return success();
}
