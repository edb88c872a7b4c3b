//===- PassImpl.h - What a Pass holds ------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PASSIMPL_H
#define PARTITA_LIB_PASS_PASSIMPL_H

#include "partita/Pass/Pass.h"

#include <optional>

namespace partita::transform {

struct PassDeclaration;
struct Run;
class TakenPasses;

using PassErrorHandler =
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)>;

struct Pass::Impl {
  PassInfo info;
  std::string argument;
  std::string opName;
  /// Adds the pass to a manager that is anchored where it runs; unset for a
  /// Sequential.
  std::function<mlir::LogicalResult(mlir::OpPassManager &, PassErrorHandler)>
      build;
  std::vector<Pass> members;
  /// Whether its opt_level and name count where it is what is run, too: for a
  /// Sequential that a textual pipeline describes.
  bool isTextual = false;
  /// The anchors that a textual pipeline gives, the root's first.
  std::optional<std::vector<std::string>> anchors;
  /// Whether PassContext::current() is read on worker threads.
  bool readsPassContext = false;
  /// Whether the pass is code of the host on the whole module, which can run
  /// passes and change the instruments.
  bool isHostCallback = false;
  std::function<llvm::Expected<std::string>()> getVersion;
  /// A pass of a pass manager that was taken over, which runs itself where a
  /// copy need not. The pass manager keeps it; plans can live longer.
  const mlir::Pass *original = nullptr;
  std::weak_ptr<TakenPasses> taken;
};

/// Makes a registered Sequential a pass of MLIR, so that textual pipelines and
/// flags know it.
void registerSequentialWithMLIR(
    std::shared_ptr<const PassDeclaration> declaration);

/// The name that TVM's `tirx.X` and `s_tir.X` had before, `tir.X`; others stay.
std::string getOldSpelling(llvm::StringRef name);

/// An error with a message only.
llvm::Error makePassError(const llvm::Twine &message);

/// The pass that MLIR knows by one of its names: for a Sequential, the one that
/// finds its members when it runs.
llvm::Expected<Pass> getPassOfMLIR(llvm::StringRef name,
                                   llvm::StringRef options);

/// What stands for a Sequential in a textual pipeline.
inline constexpr llvm::StringLiteral sequentialArgument = "sequential";

/// The Sequential that the options of `sequential` describe, below `anchors`.
llvm::Expected<Pass>
parseSequentialOptions(llvm::StringRef options,
                       llvm::ArrayRef<std::string> anchors);

/// Runs the run's plan from inside a pass, by a pass manager of its own.
mlir::LogicalResult runInside(const Run &run);

/// The Sequential, below `anchors`, that a pass of MLIR's runs, if it is one
/// that does.
std::optional<llvm::Expected<Pass>>
getSequentialOf(const mlir::Pass &pass, llvm::ArrayRef<std::string> anchors);

/// Whether `pass` is one that runs a Sequential, and so calls instruments.
bool isSequentialPass(const mlir::Pass &pass);

/// MLIR's own pass that runs nested pipelines. Its class is not public.
mlir::TypeID getAdaptorID();
inline bool isAdaptor(const mlir::Pass &pass) {
  return pass.getTypeID() == getAdaptorID();
}

/// Whether MLIR runs an `any(...)` of these passes on `op`.
bool canRunOn(llvm::ArrayRef<const mlir::Pass *> passes, mlir::Operation *op);

/// The managers in an adaptor, for no other pass; none if it is not known how
/// the MLIR that is linked keeps them.
llvm::MutableArrayRef<mlir::OpPassManager> getNestedManagers(mlir::Pass &pass);

/// createSequential, where the passes that `taken` will have run themselves.
llvm::Expected<Pass> createSequential(const mlir::OpPassManager &pm,
                                      std::shared_ptr<TakenPasses> taken);

/// What a pass that runs a Sequential is called, and its level.
std::optional<PassInfo> getSequentialInfo(const mlir::Pass &pass);
Pass withInfo(const Pass &pass, PassInfo info);

/// The argument of a pass or, if it has none, what it calls itself.
std::string getPassArgument(const mlir::Pass &pass);

/// Warnings of the names in required_pass and disabled_pass that fit neither a
/// registered pass nor one in `present`.
std::vector<std::string>
describeUnknownNames(const PassContext &context,
                     llvm::ArrayRef<std::string> present);

/// A copy of `pass` with its options, as MLIR makes for its threads.
std::unique_ptr<mlir::Pass> clonePass(const mlir::Pass &pass);

/// "'a' -> 'b' -> 'a'": the cycle that `name` closes in `chain`.
std::string describeChain(llvm::ArrayRef<std::string> chain,
                          llvm::StringRef name);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PASSIMPL_H
