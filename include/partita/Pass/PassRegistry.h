//===- PassRegistry.h - Passes by name --------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PassInfo of passes, by all their names: TVM's ("FoldConstant"), the
// qualified ones ("relax.transform.FoldConstant", and as older documents have
// it, "relay._transform.FoldConstant") and MLIR's ("relax-fold-constant").
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_PASSREGISTRY_H
#define PARTITA_PASS_PASSREGISTRY_H

#include "partita/Pass/Pass.h"

namespace partita::transform {

/// What is registered of a pass; made by partita-tblgen from Passes.td.
struct PassDeclaration {
  PassInfo info;
  /// MLIR's argument; empty for a callback.
  std::string argument;
  /// TVM's global name ("relax.transform.FoldConstant"), or empty.
  std::string qualifiedName;
  std::string summary;
  /// The members of a Sequential, each a name or as a textual pipeline has it,
  /// "func.func(canonicalize{top-down=false})"; nothing for a pass.
  std::optional<std::vector<std::string>> members;
  /// Whether the pass reads PassContext::current() on MLIR's worker threads.
  bool readsPassContext = false;
  /// Makes a pass that is not registered with MLIR.
  std::function<std::unique_ptr<mlir::Pass>()> create;
};

void registerPass(PassDeclaration declaration);

/// Gives a pass that is registered with MLIR (canonicalize, an embedder's own)
/// a PassInfo.
void registerPassInfo(llvm::StringRef argument, PassInfo info,
                      bool readsPassContext = false);

/// The same for the passes that `create` makes, which need neither be
/// registered with MLIR nor have an argument: one without is named by what it
/// calls itself. PassInfo.required can name it.
void registerPassInfo(std::function<std::unique_ptr<mlir::Pass>()> create,
                      PassInfo info, bool readsPassContext = false);
template <typename PassT>
void registerPassInfo(PassInfo info, bool readsPassContext = false) {
  registerPassInfo([] { return std::make_unique<PassT>(); }, std::move(info),
                   readsPassContext);
}

/// Registers a pass object, such as one made from a callback, or a Sequential,
/// under its name, by which textual pipelines and flags have it, too.
void registerPass(const Pass &pass);

/// The declaration that `name` names, or null.
std::shared_ptr<const PassDeclaration> lookupPass(llvm::StringRef name);

/// Whether `name` names a pass, be it one of which there is only a PassInfo.
bool isRegisteredPass(llvm::StringRef name);

/// The name by which contexts compare: PassInfo.name of what `name` names, or
/// `name` itself.
std::string canonicalPassName(llvm::StringRef name);

/// All declarations, by name.
std::vector<std::shared_ptr<const PassDeclaration>> listPasses();

/// Makes `arguments`, registered with MLIR, known to suggestions and lists:
/// MLIR's registry cannot be enumerated.
void addKnownPassArguments(llvm::ArrayRef<llvm::StringRef> arguments);

/// " (did you mean 'a' or 'b'?)": the known names nearest to `name`, or what
/// `hint` says if none is near.
std::string suggestPassNames(llvm::StringRef name,
                             llvm::ArrayRef<std::string> more = {},
                             llvm::StringRef hint = "");

/// The candidates nearest to `name` by edit distance, three at most.
std::string suggestNames(llvm::StringRef name,
                         llvm::ArrayRef<std::string> candidates,
                         llvm::StringRef hint = "");

/// A pass that is known to be registered.
Pass getRegisteredPass(llvm::StringRef name);

/// Says that ops called `opName` live in ops called `parentName`, so that a
/// pass on them nests itself there from a root further out.
void registerPassAnchor(llvm::StringRef opName, llvm::StringRef parentName);

/// The anchors from below `rootName` down to `opName`; fails if there is no
/// way.
mlir::FailureOr<llvm::SmallVector<std::string>>
getAnchorPath(llvm::StringRef rootName, llvm::StringRef opName);

/// Counts registrations: plans that were made before one are stale.
uint64_t getPassRegistryGeneration();

} // namespace partita::transform

#endif // PARTITA_PASS_PASSREGISTRY_H
