//===- PassImpl.h - The implementation of Pass ---------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PASSIMPL_H
#define PARTITA_LIB_PASS_PASSIMPL_H

#include "partita/Pass/Pass.h"
#include "partita/Pass/PassRegistry.h"

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
  /// Adds the pass to a manager whose anchor the pass can run on; unset for a
  /// Sequential.
  std::function<mlir::LogicalResult(mlir::OpPassManager &, PassErrorHandler)>
      build;
  std::vector<Pass> members;
  /// Whether its opt_level and name count even if it is requested directly.
  /// True for a Sequential in a textual pipeline.
  bool isTextual = false;
  /// The anchors in a textual pipeline, the root's first.
  std::optional<std::vector<std::string>> anchors;
  /// Whether its argument and its options made it, and so say all that it does.
  bool isFromText = false;
  /// Whether PassContext::current() is read on worker threads.
  bool readsPassContext = false;
  /// Whether the pass is code of the host on the whole module, which can run
  /// passes and change the instruments.
  bool isHostCallback = false;
  std::function<llvm::Expected<std::string>()> getVersion;
  /// A pass of a pass manager that was taken over. It runs itself unless a copy
  /// must. The pass manager keeps it; plans can live longer.
  const mlir::Pass *original = nullptr;
  std::weak_ptr<TakenPasses> taken;
};

/// Registers a Sequential as a pass with MLIR, so that textual pipelines and
/// flags find it.
void registerSequentialWithMLIR(
    std::shared_ptr<const PassDeclaration> declaration);

/// The old name `tir.X` of TVM's `tirx.X` and `s_tir.X`; other names stay.
std::string getOldSpelling(llvm::StringRef name);

/// An error with a message only.
llvm::Error makePassError(const llvm::Twine &message);

/// The pass that MLIR knows by one of its names. A Sequential finds its members
/// when it runs.
llvm::Expected<Pass> getPassOfMLIR(llvm::StringRef name,
                                   llvm::StringRef options);

/// The argument of a Sequential in a textual pipeline.
inline constexpr llvm::StringLiteral sequentialArgument = "sequential";

/// The Sequential that the options of `sequential` describe, below `anchors`.
llvm::Expected<Pass>
parseSequentialOptions(llvm::StringRef options,
                       llvm::ArrayRef<std::string> anchors);

/// Gives `op` the attributes, the location and the regions of `source`, an op
/// of the same name, which loses its regions.
void replaceContents(mlir::Operation *op, mlir::Operation *source);

/// Runs the run's plan from inside a pass, by a pass manager of its own.
mlir::LogicalResult runInside(const Run &run);

/// The Sequential, below `anchors`, that an mlir::Pass runs; nothing if `pass`
/// runs none.
std::optional<llvm::Expected<Pass>>
getSequentialOf(const mlir::Pass &pass, llvm::ArrayRef<std::string> anchors);

/// Whether `pass` runs a Sequential, and so calls instruments itself.
bool isSequentialPass(const mlir::Pass &pass);

/// MLIR's own pass for nested pipelines, whose class is not public.
mlir::TypeID getAdaptorID();
inline bool isAdaptor(const mlir::Pass &pass) {
  return pass.getTypeID() == getAdaptorID();
}

/// Whether MLIR runs an `any(...)` of these passes on `op`.
bool canRunOn(llvm::ArrayRef<const mlir::Pass *> passes, mlir::Operation *op);

/// The nested managers of an adaptor. Empty for other passes, and if the linked
/// MLIR has another layout.
llvm::MutableArrayRef<mlir::OpPassManager> getNestedManagers(mlir::Pass &pass);

/// createSequential, where the passes in `taken` run themselves, not copies.
llvm::Expected<Pass> createSequential(const mlir::OpPassManager &pm,
                                      std::shared_ptr<TakenPasses> taken);

/// The name and the level of a pass that runs a Sequential.
std::optional<PassInfo> getSequentialInfo(const mlir::Pass &pass);
Pass withInfo(const Pass &pass, PassInfo info);

/// The traits of a pass that MLIR knows by its argument. A callback has none,
/// whatever its name is.
PassTraits getTraits(const mlir::Pass &pass);

/// The argument of a pass or, if it has none, its getName().
std::string getPassArgument(const mlir::Pass &pass);

/// A warning for each name in required_pass and disabled_pass that fits neither
/// a registered pass nor a pass in `present`.
std::vector<std::string>
describeUnknownNames(const PassContext &context,
                     llvm::ArrayRef<std::string> present);

/// A copy of `pass` with its options; MLIR makes such copies for its threads.
std::unique_ptr<mlir::Pass> clonePass(const mlir::Pass &pass);

/// "'a' -> 'b' -> 'a'": the cycle that `name` closes in `chain`.
std::string describeChain(llvm::ArrayRef<std::string> chain,
                          llvm::StringRef name);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PASSIMPL_H
