//===- SavingPass.h - Passes that run where needed --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that has left an op as it was does so again, as long as the op and the
// attributes of the ops around it are the same. With `partita.skip_unchanged`,
// each pass of a plan is put into a SavingPass, which remembers the hashes of
// ops that the pass has left as they were, and does not run it again on them.
// It knows nothing beforehand, so that no pass needs to be idempotent.
//
// With `partita.nest_in_functions`, passes on the root that are local run on
// the isolated ops in it, on MLIR's threads.
//
// With `partita.verify`, a SavingPass verifies in MLIR's place.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SAVING_SAVINGPASS_H
#define PARTITA_LIB_PASS_SAVING_SAVINGPASS_H

#include "AdaptorVerifier.h"
#include "partita/Pass/PassContext.h"
#include "partita/Support/OpHash.h"

#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/DenseSet.h"

#include <atomic>
#include <mutex>
#include <optional>

namespace partita::transform {

/// The ops that one pass has left as they were, in a run.
class PassFacts {
public:
  /// Whether the pass preserved all analyses of an op with this hash, or none;
  /// nothing if it is not known to leave it as it is. The analyses are valid
  /// in any case, but passes must find those that they find without this.
  std::optional<bool> find(OpHash hash);
  void add(OpHash hash, bool preservesAll);
  void clear();

private:
  std::mutex mutex;
  llvm::DenseMap<OpHash, bool> facts;
};

/// How many ops one step has left as they were, among the first. Hashing the
/// others is not worth its time if the step changes almost all.
class StepSample {
public:
  void add(bool isUnchanged) {
    numOps.fetch_add(1, std::memory_order_relaxed);
    numUnchanged.fetch_add(isUnchanged, std::memory_order_relaxed);
  }
  bool changesMost() const {
    unsigned ops = numOps.load(std::memory_order_relaxed);
    return ops >= 32 && numUnchanged.load(std::memory_order_relaxed) < ops / 16;
  }
  void clear() { numOps = numUnchanged = 0; }

private:
  std::atomic<unsigned> numOps{0}, numUnchanged{0};
};

/// The ops that are known to be valid, by their hashes. Threads share it.
class VerifiedOps {
public:
  bool contains(OpHash hash);
  void add(OpHash hash);
  void clear();

private:
  std::mutex mutex;
  llvm::DenseSet<OpHash> hashes;
};

/// Functions whose bodies passes on the ops around them need not see.
class HiddenFunctions {
public:
  void add(mlir::Operation *function) { bodies.try_emplace(function); }
  bool contains(mlir::Operation *op) const { return bodies.contains(op); }
  size_t size() const { return bodies.size(); }
  void clear() { bodies.clear(); }
  /// Takes the bodies of these functions in `root`, or gives them back.
  /// Threads may do so on several roots.
  void swapBodies(mlir::Operation *root);

private:
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<mlir::Region>> bodies;
};

/// The ops on which a pass has emitted a diagnostic. Threads share it.
class NoisyOps {
public:
  void add(mlir::Operation *op);
  /// Whether there was a diagnostic for `op`, an op in it, or an op around it.
  bool contains(mlir::Operation *op);
  void clear();

private:
  std::mutex mutex;
  llvm::DenseSet<mlir::Operation *> ops, around;
};

/// What a run of a plan knows about its passes and ops. Threads share it.
class RunFacts {
public:
  /// The facts of the pass at `position` among the passes of the plan's step
  /// `number`, and of the steps that repeat this step.
  std::shared_ptr<PassFacts> get(unsigned number, unsigned position);

  /// Forgets all facts, before a run.
  void clear();

  /// The sample of the step `number`.
  std::shared_ptr<StepSample> getSample(unsigned number);

  OpHashes hashes;
  VerifiedOps verified;
  /// The functions whose results of the following passes are known, which have
  /// bodies while a pass runs on a function.
  HiddenFunctions known;
  NoisyOps noisy;
  AdaptorWatch watch;
  /// Whether MLIR verifies after passes, in this run.
  bool verifies = false;
  /// Whether the verifier says something about valid ops, as a warning. From
  /// then on passes run and MLIR verifies as if no work were saved, so that
  /// each warning comes as often.
  std::atomic<bool> verifierSpeaks{false};

private:
  llvm::DenseMap<std::pair<unsigned, unsigned>, std::shared_ptr<PassFacts>>
      passes;
  llvm::DenseMap<unsigned, std::shared_ptr<StepSample>> samples;
};

/// The symbol tables in `table`, from the outside in, and the other ops in
/// them.
void collectOps(mlir::Operation *table,
                llvm::SmallVectorImpl<mlir::Operation *> &tables,
                llvm::SmallVectorImpl<mlir::Operation *> &ops);
/// The functions in `root`, and in the symbol tables in it.
llvm::SmallVector<mlir::Operation *> getAllFunctions(mlir::Operation *root);
/// The functions directly in `root`.
llvm::SmallVector<mlir::Operation *> getFunctions(mlir::Operation *root);

/// Verifies `op`, as MLIR does, and notes in `run` whether the verifier says
/// something though the op is valid.
mlir::LogicalResult verifyAloud(mlir::Operation *op, RunFacts &run,
                                bool isRecursive = true);

/// The pass that stands for another one, and its place in a plan.
struct SavedPass {
  std::shared_ptr<RunFacts> run;
  /// Null if the pass is never skipped.
  std::shared_ptr<PassFacts> facts;
  bool isIdempotent = false;
  /// The sample of the plan's step.
  std::shared_ptr<StepSample> sample;
  /// The ops to verify, if MLIR verifies after passes.
  SavingOptions::Verify verify = SavingOptions::Verify::Each;
};

/// `pass`, which is not run where it has left the op as it is. It has the name
/// of `pass`, and runs it with the same state.
std::unique_ptr<mlir::Pass> makeSavingPass(std::unique_ptr<mlir::Pass> pass,
                                           SavedPass options);

/// `pass`, a local pass on a module, which skips functions, too: it does not
/// see the bodies of functions that it has left as they are.
std::unique_ptr<mlir::Pass> makeHidingPass(std::unique_ptr<mlir::Pass> pass,
                                           SavedPass options);

/// Adds `pass`, a local pass on the root of `pm`, to run on the isolated ops
/// in the root. On a root with other contents it runs on the root. Returns the
/// two passes that do so.
std::pair<const mlir::Pass *, const mlir::Pass *>
addNestedPass(mlir::OpPassManager &pm, std::unique_ptr<mlir::Pass> pass,
              const SavedPass &options);

/// Whether `pass` does nothing on `op`, because a pass in `op` or around it
/// runs in its place (addNestedPass). `hasRun` says whether it has run on `op`.
bool runsElsewhere(const mlir::Pass &pass, mlir::Operation *op, bool hasRun);

/// The pass that `pass` stands for, or `pass` itself.
mlir::Pass &getWrappedPass(mlir::Pass &pass);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_SAVING_SAVINGPASS_H
