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
  /// The code of the host on the whole module, which can run passes and change
  /// the instruments; null for other passes. `build` owns it, and copies of the
  /// pass have the same.
  const void *hostCallback = nullptr;
  /// What the host says of this code; see withAlwaysRuns.
  std::optional<bool> alwaysRuns;
  std::function<llvm::Expected<std::string>()> getVersion;
  /// A pass of a pass manager that was taken over. It runs itself unless a copy
  /// must. The pass manager keeps it; plans can live longer.
  const mlir::Pass *original = nullptr;
  std::weak_ptr<TakenPasses> taken;
};

/// An error with a message only.
llvm::Error makePassError(const llvm::Twine &message);

Pass withInfo(const Pass &pass, PassInfo info);

/// The traits of a pass that MLIR knows by its argument. A callback has none,
/// whatever its name is.
PassTraits getTraits(const mlir::Pass &pass);
bool isCallback(const mlir::Pass &pass);

/// Whether `partita.skip_unchanged` may leave the pass out.
bool maySkip(const Pass::Impl &pass);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PASSIMPL_H
