//===- PassRegistry.h - Passes by name --------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PassInfo of passes, by all their names: TVM's ("FoldConstant"), the
// qualified name ("relax.transform.FoldConstant" or, as in older documents,
// "relay._transform.FoldConstant") and MLIR's ("relax-fold-constant").
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_PASSREGISTRY_H
#define PARTITA_PASS_PASSREGISTRY_H

#include "partita/Pass/Pass.h"

namespace partita::transform {

/// The registered facts about a pass; partita-tblgen makes them from Passes.td.
struct PassDeclaration {
  PassInfo info;
  /// MLIR's argument; empty for a callback.
  std::string argument;
  /// TVM's global name ("relax.transform.FoldConstant"), or empty.
  std::string qualifiedName;
  std::string summary;
  /// The members of a Sequential, each a name or text as in a pipeline,
  /// "func.func(canonicalize{top-down=false})"; nothing for a pass.
  std::optional<std::vector<std::string>> members;
  /// Whether the pass reads PassContext::current() on MLIR's worker threads.
  bool readsPassContext = false;
  /// Makes the pass, if it is not registered with MLIR.
  std::function<std::unique_ptr<mlir::Pass>()> create;
};

void registerPass(PassDeclaration declaration);

/// Gives a pass that is registered with MLIR (canonicalize, an embedder's own)
/// a PassInfo.
void registerPassInfo(llvm::StringRef argument, PassInfo info,
                      bool readsPassContext = false);

/// The same for the passes that `create` makes. They need neither be registered
/// with MLIR nor have an argument: a pass without one is named by its
/// mlir::Pass::getName(). PassInfo.required can name it.
void registerPassInfo(std::function<std::unique_ptr<mlir::Pass>()> create,
                      PassInfo info, bool readsPassContext = false);
template <typename PassT>
void registerPassInfo(PassInfo info, bool readsPassContext = false) {
  registerPassInfo([] { return std::make_unique<PassT>(); }, std::move(info),
                   readsPassContext);
}

/// What is known of a pass beside its PassInfo, for `partita.skip_unchanged`,
/// `partita.nest_in_functions` and `partita.pass_cache`.
struct PassTraits {
  /// Whether the result for an isolated op depends on that op and on the
  /// attributes of the ops around it alone. The pass can then run on the
  /// functions of a module, in place of the module.
  bool isLocal = false;
  /// Whether the pass has effects beside its result, so that it must run even
  /// where it leaves the module as it is: it prints, counts, or writes a file.
  bool alwaysRuns = false;
  /// Whether the pass leaves what it has made as it is, so that it need not run
  /// twice to show it.
  bool isIdempotent = false;
  /// Whether the results of a pass object depend on its argument, its options
  /// and the PassContext alone, so that they can be kept. Passes made from text
  /// are taken for such passes.
  bool isCacheable = false;
};

/// Sets the traits of the pass that MLIR knows by `argument`. MLIR's own passes
/// have theirs.
void registerPassTraits(llvm::StringRef argument, PassTraits traits);
PassTraits getPassTraits(llvm::StringRef argument);

/// Registers a pass object, such as one made from a callback, or a Sequential,
/// under its name. Textual pipelines and flags find it by that name, too.
void registerPass(const Pass &pass);

/// The declaration of the pass called `name`, or null.
std::shared_ptr<const PassDeclaration> lookupPass(llvm::StringRef name);

/// Whether `name` names a pass, even if only its PassInfo is registered.
bool isRegisteredPass(llvm::StringRef name);

/// The name by which contexts compare: PassInfo.name of the pass called `name`,
/// or `name` itself if there is none.
std::string canonicalPassName(llvm::StringRef name);

/// All declarations, by name.
std::vector<std::shared_ptr<const PassDeclaration>> listPasses();

/// Adds `arguments`, which are registered with MLIR, to suggestions and lists,
/// because MLIR's registry cannot be enumerated.
void addKnownPassArguments(llvm::ArrayRef<llvm::StringRef> arguments);

/// " (did you mean 'a' or 'b'?)" with the known names nearest to `name`, or
/// `hint` if none is near.
std::string suggestPassNames(llvm::StringRef name,
                             llvm::ArrayRef<std::string> more = {},
                             llvm::StringRef hint = "");

/// At most three candidates, nearest to `name` by edit distance first.
std::string suggestNames(llvm::StringRef name,
                         llvm::ArrayRef<std::string> candidates,
                         llvm::StringRef hint = "");

/// The pass called `name`, which must be registered.
Pass getRegisteredPass(llvm::StringRef name);

/// Says that ops called `opName` live in ops called `parentName`. A pass on
/// them then nests itself there in a pipeline for a root further out.
void registerPassAnchor(llvm::StringRef opName, llvm::StringRef parentName);

/// The anchors from below `rootName` down to `opName`; fails if no path is
/// registered.
mlir::FailureOr<llvm::SmallVector<std::string>>
getAnchorPath(llvm::StringRef rootName, llvm::StringRef opName);

/// Counts registrations. Plans made before the last one are stale.
uint64_t getPassRegistryGeneration();

} // namespace partita::transform

#endif // PARTITA_PASS_PASSREGISTRY_H
