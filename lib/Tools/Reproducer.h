//===- Reproducer.h - PassContexts that travel with a module ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MLIR reproducer is a module with its pipeline in an external resource. In
// Partita's reproducers, the pipeline is the resolved plan, without steps that
// a should_run vetoed. Another resource, which mlir-opt ignores, has the
// PassContext as the attribute #partita.pass_context:
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
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

/// `text` as a string attribute.
std::string quote(llvm::StringRef text);

/// The fields of a PassContext, as texts from a command line.
struct PolicyTexts {
  int optLevel = 2;
  std::vector<std::string> requiredPass, disabledPass;
  /// KEY=ATTR
  std::vector<std::string> passConfig;
  std::vector<std::string> instruments;
  /// Whether to warn about config options that nothing reads.
  bool warns = true;

  /// As #partita.pass_context.
  std::string print() const;
};

/// The text that, after a module, makes it a reproducer under `contextText`,
/// which runs `pipeline` unless that is empty.
std::string makeReproducerTail(llvm::StringRef contextText,
                               llvm::StringRef pipeline = "",
                               bool verifies = true);

/// Whether the module in `buffer`, text with escapes or bytecode, can have the
/// string `name`.
bool hasString(llvm::StringRef buffer, llvm::StringRef name);

/// The PassContext of the reproducer in `input`, if it has one. Then `input`
/// becomes bytecode without it: MLIR would print it again.
llvm::Expected<std::optional<PolicyTexts>>
takeContext(std::unique_ptr<llvm::MemoryBuffer> &input,
            const mlir::DialectRegistry &registry,
            bool allowUnregisteredDialects);

/// The instruments with which a reproducer can run. Its plan is flat, so that
/// its numbers differ: instruments that choose steps by number are left out.
/// Instruments that write files are left out, too, because they would overwrite
/// files of the first run.
std::vector<std::string>
getReplayedInstruments(llvm::ArrayRef<std::string> instruments);

/// A plan that runs on a root called `rootName`.
struct PlannedRun {
  std::shared_ptr<const transform::Plan> plan;
  std::string rootName;
  /// The entries that a should_run has vetoed so far.
  std::vector<size_t> vetoed;

  /// The pipeline of the plan, without the vetoed entries; empty if there is no
  /// plan. MLIR would print the passes that stand in for others.
  std::string getPipeline() const;
};

/// Resets an MLIR flag that Partita handles itself.
void clearFlag(llvm::StringRef name);
/// The value of an MLIR flag of type `T`.
template <typename T>
T getFlag(llvm::StringRef name) {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name);
  return option ? T(*static_cast<llvm::cl::opt<T> *>(option)) : T();
}

/// Implements --mlir-pass-pipeline-crash-reproducer and
/// --mlir-generate-reproducer, with the PassContext in the file.
class Reproducer {
public:
  /// Uses the context of `texts`, if there is one. `generated` is the value of
  /// --mlir-generate-reproducer.
  Reproducer(std::optional<PolicyTexts> texts,
             std::shared_ptr<const PlannedRun> run, llvm::StringRef generated);

  /// Fails, as mlir-opt does, if a local reproducer can't be made because of
  /// threads.
  mlir::LogicalResult enable(mlir::PassManager &pm) const;

  /// The file name that MLIR must write the generated reproducer to.
  std::string getGeneratedName() const;
  /// Moves a reproducer that MLIR has generated to its place.
  llvm::Error complete() const;

private:
  std::shared_ptr<const PlannedRun> run;
  std::string fileName, tail;
  /// The file that --mlir-generate-reproducer names, and the one that MLIR
  /// writes.
  std::string target;
  std::unique_ptr<OutputFile> scratch;
  std::error_code openError;
  bool isLocal;
};

} // namespace partita

#endif // PARTITA_LIB_TOOLS_REPRODUCER_H
