//===- Listings.h - Lists and plans as text ---------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_LISTINGS_H
#define PARTITA_LIB_TOOLS_LISTINGS_H

#include "PolicyOptions.h"
#include "partita/Pass/Plan.h"

namespace partita {

/// The arguments of all passes and pipelines that MLIR knows.
std::vector<llvm::StringRef> getMLIRPassArguments();

/// Prints the lists for --list-passes, --list-pass-configs and
/// --list-instruments; `arguments` name MLIR's passes.
void printLists(const PolicyOptions &options, bool listsPasses,
                llvm::ArrayRef<llvm::StringRef> arguments,
                llvm::raw_ostream &os);

/// Prints `plan`, made under `passContext`, which `texts` describe, in the form
/// for --explain, --print-plan-graph or --print-plan-json.
llvm::Error printPlan(const PolicyOptions &options, const PolicyTexts &texts,
                      const transform::PassContext &passContext,
                      const transform::Plan &plan, llvm::StringRef rootName,
                      llvm::raw_ostream &os);

} // namespace partita

#endif // PARTITA_LIB_TOOLS_LISTINGS_H
