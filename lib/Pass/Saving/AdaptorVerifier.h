//===- AdaptorVerifier.h - Verification after adaptors ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After an adaptor, MLIR verifies the root without its contents. For a module
// that includes all uses of symbols in all functions. With `partita.verify`,
// two passes stand around adaptors: MLIR does not verify then, and the second
// pass looks at the uses of symbols in the functions on which passes have run.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SAVING_ADAPTORVERIFIER_H
#define PARTITA_LIB_PASS_SAVING_ADAPTORVERIFIER_H

#include "partita/Pass/PassContext.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <mutex>

namespace partita::transform {

class RunFacts;

/// The ops in a root on which passes have run, while adaptors are watched.
/// Threads share it.
class AdaptorWatch {
public:
  /// Begins and ends watching adaptors that run on `root`.
  void begin(mlir::Operation *root,
             llvm::MutableArrayRef<std::unique_ptr<mlir::Pass>> watched);
  void end() { root = nullptr; }
  bool isActive() const { return root; }

  /// Notes that a pass has ended on an op, in an op directly in the root.
  /// `hasRun` says whether it was not skipped, `hasSameHead` whether the op's
  /// attributes are as they were, and `isForRoot` whether it was a pass on the
  /// root in a plain run. Keeps MLIR from verifying the root.
  void note(mlir::Operation *op, bool hasRun, bool hasSameHead, bool isForRoot);

  /// The ops in the root on which passes have run, each with whether its
  /// attributes are as they were.
  const llvm::MapVector<mlir::Operation *, bool> &getOps() const { return ops; }
  /// Whether a pass that is on the root in a plain run has run, and whether
  /// other passes have run or were skipped.
  bool isForRoot() const { return forRoot; }
  bool isForOps() const { return forOps; }

  /// Whether this is the first call for `root` since forget.
  bool isFirst(mlir::Operation *root) { return roots.insert(root).second; }
  void forget() {
    end();
    roots.clear();
  }

private:
  std::mutex mutex;
  mlir::Operation *root = nullptr;
  llvm::MutableArrayRef<std::unique_ptr<mlir::Pass>> adaptors;
  llvm::MapVector<mlir::Operation *, bool> ops;
  bool forRoot = false, forOps = false;
  llvm::DenseSet<mlir::Operation *> roots;
};

/// Calls `check` without its diagnostics. Fails if there were any: MLIR's
/// verifier then reports what it always reports.
mlir::LogicalResult
checkSilently(mlir::MLIRContext *context,
              llvm::function_ref<mlir::LogicalResult()> check);

/// Puts passes around the adaptors in `pipeline`, which runs on a root.
std::unique_ptr<mlir::OpPassManager>
watchAdaptors(std::unique_ptr<mlir::OpPassManager> pipeline,
              std::shared_ptr<RunFacts> run, SavingOptions::Verify verify);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_SAVING_ADAPTORVERIFIER_H
