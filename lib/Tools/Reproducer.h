//===- Reproducer.h - PassContexts that travel with a module ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reproducer of MLIR is a module with the pipeline in an external resource.
// Partita's holds the resolved plan there, without steps that a should_run
// vetoed, and the PassContext, as the attribute #partita.pass_context, in a
// resource of its own, which mlir-opt ignores:
//
//   {-# external_resources: { partita_reproducer: {
//         pass_context: "#partita.pass_context<opt_level = 3>" } } #-}
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_REPRODUCER_H
#define PARTITA_LIB_TOOLS_REPRODUCER_H

#include "partita/Pass/Plan.h"
#include "partita/Support/OutputFile.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

/// The fields of a PassContext as a command line gives them.
struct PolicyTexts {
  int optLevel = 2;
  std::vector<std::string> requiredPass, disabledPass;
  /// KEY=ATTR
  std::vector<std::string> passConfig;
  std::vector<std::string> instruments;

  /// As #partita.pass_context.
  std::string print() const;
};

/// The text that, after a module, makes it a reproducer under `contextText`,
/// and of `pipeline` if that is given.
std::string makeReproducerTail(llvm::StringRef contextText,
                               llvm::StringRef pipeline = "",
                               bool verifies = true);

/// Whether `name` can be a string of the module in `buffer`, which is text with
/// escapes, or bytecode.
bool hasString(llvm::StringRef buffer, llvm::StringRef name);

/// The PassContext of the reproducer in `buffer`, if it has one.
llvm::Expected<std::optional<PolicyTexts>>
readReproducer(llvm::StringRef buffer, const mlir::DialectRegistry &registry,
               bool allowUnregisteredDialects);

/// `input` without that, which MLIR would print again; spaces are in its place.
/// What is bytecode keeps it.
std::unique_ptr<llvm::MemoryBuffer>
removeContext(std::unique_ptr<llvm::MemoryBuffer> input);

/// The instruments with which a reproducer can run. Its plan is flat and has
/// numbers of its own, so that instruments that choose steps by number are left
/// out; so are those that write files, which would overwrite the first run's.
std::vector<std::string>
getReplayedInstruments(llvm::ArrayRef<std::string> instruments);

/// A plan that runs on a root called `rootName`.
struct PlannedRun {
  std::shared_ptr<const transform::Plan> plan;
  std::string rootName;
  /// The entries that a should_run has vetoed so far.
  std::vector<size_t> vetoed;

  /// The pipeline without the vetoed entries; empty if there are none.
  std::string getPipeline() const;
};

/// Resets a flag of MLIR's that Partita handles in its place.
void clearFlag(llvm::StringRef name);

/// --mlir-pass-pipeline-crash-reproducer and --mlir-generate-reproducer with
/// the PassContext in the file.
class Reproducer {
public:
  /// Under the context of `texts`, if there is one; `generated` is the flag of
  /// --mlir-generate-reproducer.
  Reproducer(std::optional<PolicyTexts> texts,
             std::shared_ptr<const PlannedRun> run, llvm::StringRef generated);

  /// Fails as mlir-opt does where threads keep a local reproducer from being
  /// made.
  mlir::LogicalResult enable(mlir::PassManager &pm) const;

  /// The name by which MLIR is to generate the reproducer.
  std::string getGeneratedName() const;
  /// Puts what MLIR has generated, if anything, in its place.
  llvm::Error complete() const;

private:
  std::shared_ptr<const PlannedRun> run;
  std::string fileName, tail;
  /// What --mlir-generate-reproducer names, and what MLIR writes.
  std::string target;
  std::unique_ptr<OutputFile> scratch;
  bool isLocal;
};

} // namespace partita

#endif // PARTITA_LIB_TOOLS_REPRODUCER_H
