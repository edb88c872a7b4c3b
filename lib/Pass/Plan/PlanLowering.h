//===- PlanLowering.h - From a plan to an OpPassManager -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PLAN_PLANLOWERING_H
#define PARTITA_LIB_PASS_PLAN_PLANLOWERING_H

#include "../Pipeline/PassPlacement.h"
#include "../Saving/SavingPass.h"
#include "partita/Pass/Plan.h"

#include <optional>

namespace partita::transform {

/// How the work of a plan's passes is saved; see SavingPass.h.
struct Savings {
  SavingOptions options;
  /// Null if nothing is saved.
  std::shared_ptr<RunFacts> facts;
  /// The context of the run.
  mlir::MLIRContext *context = nullptr;
  /// For each step that can be skipped because its pass occurs twice in the
  /// plan, the first with its pass.
  llvm::DenseMap<unsigned, unsigned> firstSteps;

  /// Whether other passes than nested ones are put into passes of ours.
  bool wrapsAll() const {
    return options.skipUnchanged || !options.passCache.empty() ||
           options.verify != SavingOptions::Verify::Each;
  }
};

/// Adds passes of a plan to a pass manager, each nested where its op is.
/// Consecutive passes with the same place share a nested manager, so that MLIR
/// runs them function by function.
class PlanLowering {
public:
  /// `runs` says that the added passes will run: passes of a pass manager that
  /// was taken over are then added themselves, not as copies. With `savings`
  /// they are put into passes that run them where they are needed.
  PlanLowering(mlir::OpPassManager &root, llvm::StringRef rootName,
               bool runs = false, const Savings *savings = nullptr)
      : nester(root), rootName(rootName), runs(runs), savings(savings) {}

  /// Adds the pass of an entry that is no Sequential.
  llvm::Error add(const Plan::Entry &entry);

  /// The mlir::Passes that the last `add` put directly in its place.
  llvm::ArrayRef<const mlir::Pass *> getAdded() const { return added; }

  /// Whether the last added passes look at one function at a time, and have
  /// results that can be kept.
  bool isByFunction() const { return byFunction; }

  /// Whether the last added passes are in an `any(...)`.
  bool isInAny() const {
    return llvm::any_of(nester.getMembers(),
                        [](const auto &members) { return members; });
  }
  /// For each anchor around the last added passes, all passes in its
  /// `any(...)`.
  llvm::SmallVector<PipelineNester::AnyMembers> getMembers() const {
    return nester.getMembers();
  }

private:
  void addSaving(mlir::OpPassManager &made, mlir::OpPassManager &manager,
                 llvm::ArrayRef<std::string> path, const Plan::Entry &entry);
  void wrapNested(mlir::Pass &adaptor, const Plan::Entry &entry);
  SavedPass getOptions(const mlir::Pass &pass, const Plan::Entry &entry);

  PipelineNester nester;
  std::string rootName;
  bool runs;
  const Savings *savings;
  /// The number of passes of the last entry that were put into others.
  unsigned numWrapped = 0;
  llvm::SmallVector<const mlir::Pass *> added;
  bool byFunction = true;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PLAN_PLANLOWERING_H
