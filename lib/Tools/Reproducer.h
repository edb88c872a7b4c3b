//===- Reproducer.h - PassContexts that travel with a module ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reproducer of MLIR is a module with the pipeline in an external resource.
// Partita's holds the resolved plan there, without what a should_run was
// against, and the PassContext, as the attribute #partita.pass_context, in a
// resource of its own, which mlir-opt passes over:
//
//   {-# external_resources: { partita_reproducer: {
//         pass_context: "#partita.pass_context<opt_level = 3>" } } #-}
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_REPRODUCER_H
#define PARTITA_LIB_TOOLS_REPRODUCER_H

#include "partita/Pass/Plan.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

/// The fields of a PassContext as they stand on a command line.
struct PolicyTexts {
  int optLevel = 2;
  std::vector<std::string> requiredPass, disabledPass;
  /// KEY=ATTR
  std::vector<std::string> passConfig;
  std::vector<std::string> instruments;

  /// As #partita.pass_context.
  std::string print() const;
};

/// What follows a module to make it a reproducer under `contextText`. With a
/// pipeline, it says what is to run, too.
std::string makeReproducerTail(llvm::StringRef contextText,
                               llvm::StringRef pipeline = "",
                               bool verifies = true);

/// The PassContext of the reproducer in `buffer`, if it has one.
llvm::Expected<std::optional<PolicyTexts>>
readReproducer(llvm::StringRef buffer, const mlir::DialectRegistry &registry,
               bool allowUnregisteredDialects);

/// Those of `instruments` that the run of a reproducer can have. Its plan is
/// flat, and has numbers of its own: what chooses steps by theirs is left out,
/// and so is what writes files, which would take the place of the first run's.
std::vector<std::string>
getReplayedInstruments(llvm::ArrayRef<std::string> instruments);

/// A plan that runs on a root called `rootName`.
struct PlannedRun {
  std::shared_ptr<const transform::Plan> plan;
  std::string rootName;
  /// The entries that a should_run was against, so far.
  std::vector<size_t> vetoed;

  /// The pipeline without those entries; empty if there are none.
  std::string getPipeline() const;
};

/// Keeps MLIR from doing what a flag of its own says, which is done here.
void clearFlag(llvm::StringRef name);

/// --mlir-pass-pipeline-crash-reproducer and --mlir-generate-reproducer with
/// the PassContext in the file.
class Reproducer {
public:
  Reproducer(PolicyTexts texts, std::shared_ptr<const PlannedRun> run);

  void enable(mlir::PassManager &pm) const;

  /// Completes the file that MLIR has written by itself, if there is one.
  llvm::Error complete(llvm::StringRef generated) const;

private:
  std::shared_ptr<const PlannedRun> run;
  std::string fileName, tail;
  bool isLocal;
};

} // namespace partita

#endif // PARTITA_LIB_TOOLS_REPRODUCER_H
