//===- Plan.h - Which passes run, in which order, and why -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_PLAN_H
#define PARTITA_PASS_PLAN_H

#include "partita/Pass/Pass.h"

namespace partita::transform {

/// A pass resolved under a PassContext, before anything runs: what is enabled,
/// what PassInfo.required adds and where, what is skipped, each with its
/// reason. Only should_run is left to the run. Immutable, and shared by runs.
class Plan {
public:
  enum class Reason {
    Direct,         // the pass that is run
    OptLevel,       // opt_level allows it
    RequiredPass,   // named in the context's required_pass
    RequiredBy,     // in the PassInfo.required of `requiredBy`
    SkippedByName,  // named in the context's disabled_pass
    SkippedByLevel, // opt_level is too high for the context's
    SkippedAsDone,  // has run before the checkpoint that the plan resumes from
    SkippedAsMet,   // an earlier run is what `requiredBy` requires
  };

  struct Entry {
    Pass pass;
    /// From 1 on, in the order in which they run; 0 for Sequentials, and for
    /// what is skipped, unless because it has run before.
    unsigned number = 0;
    /// 0 for the root, one more inside each Sequential.
    unsigned depth = 0;
    /// The index one past the last entry inside this one.
    size_t end = 0;
    Reason reason = Reason::Direct;
    /// For RequiredBy, whether the context disables the pass by name.
    bool disabledByName = false;
    /// Whether the context's required_pass names it: should_run is not asked.
    bool inRequiredPass = false;
    /// Whether functions with SkipOptimization are left alone: not by what runs
    /// as it is named, as mlir-opt runs it.
    bool leavesFunctionsAlone = true;
    /// For RequiredBy and SkippedAsMet, the pass that requires it.
    Pass requiredBy;
    /// For both, the pass that says where one on any op runs.
    Pass place;
    /// For both, the number of the last step before it that ran the same pass,
    /// or 0.
    unsigned repeats = 0;

    bool runs() const {
      return reason != Reason::SkippedByName &&
             reason != Reason::SkippedByLevel &&
             reason != Reason::SkippedAsDone && reason != Reason::SkippedAsMet;
    }
  };

  /// Resolves `pass` under `context`; plans are cached. Cycles of required
  /// passes and unknown required passes are errors.
  static llvm::Expected<std::shared_ptr<const Plan>>
  get(const Pass &pass, const PassContext &context);

  /// A plan in which all of `pass` runs, and nothing else: one that was
  /// resolved and printed by getPipeline before, to be run again under
  /// `context`.
  static llvm::Expected<std::shared_ptr<const Plan>>
  getResolved(const Pass &pass, const PassContext &context);

  /// The entries in order, a Sequential before its members.
  llvm::ArrayRef<Entry> entries() const { return list; }

  /// Names in required_pass and disabled_pass that fit no pass, each as a
  /// warning with the nearest names.
  llvm::ArrayRef<std::string> warnings() const { return warningList; }

  /// Why an entry runs, or does not: "runs: opt_level 1 <= 2".
  std::string describe(const Entry &entry) const;

  /// One line an entry: a number for what runs, the name, and the reason.
  void print(llvm::raw_ostream &os) const;

  /// The same as a graph for Graphviz: a box for each Sequential, an arrow to
  /// what runs next, a dashed one to what a pass requires.
  void printGraph(llvm::raw_ostream &os) const;

  /// The textual pipeline of what runs on a root called `rootName`, such that
  /// mlir-opt runs the same without Partita where it knows the passes; of the
  /// steps that `isChosen` accepts only, if it is given.
  llvm::Expected<std::string>
  getPipeline(llvm::StringRef rootName,
              llvm::function_ref<bool(const Entry &)> isChosen = nullptr) const;
  /// That of one of the entries, a step, alone.
  llvm::Expected<std::string> getPipeline(llvm::StringRef rootName,
                                          const Entry &entry) const;

  /// Whether it runs code of the host, which can change the instruments.
  bool runsHostCallback() const { return hostCallback; }
  /// Whether a pass of it reads PassContext::current() on worker threads.
  bool readsPassContext() const { return readsContext; }
  /// Whether a pass of it leaves functions with SkipOptimization alone.
  bool leavesFunctionsAlone() const { return leavesAlone; }

  /// The highest number of an entry.
  unsigned getNumSteps() const { return numSteps; }

  /// This plan without the passes up to number `last`, which have run before.
  std::shared_ptr<const Plan> resumeAfter(unsigned last) const;
  /// The number of the last of those.
  unsigned getNumDone() const { return numDone; }

  /// Differs for every plan of the process.
  uint64_t getId() const { return id; }

private:
  friend class PlanBuilder;
  friend class ForeignPlanBuilder;
  Plan();
  void setNumbers();

  uint64_t id;
  int optLevel = 0;
  unsigned numSteps = 0;
  unsigned numDone = 0;
  bool hostCallback = false, readsContext = false, leavesAlone = false;
  std::vector<Entry> list;
  std::vector<std::string> warningList;
};

struct AddPlanOptions {
  /// Whether a function of the module may carry SkipOptimization.
  bool maySkipFunctions = true;
  /// Stands in for `pm.enableTiming`, which shows the pipelines that a pass
  /// runs beside it, and counts them twice.
  mlir::TimingScope *timing = nullptr;
  /// Whether `pm` verifies, which MLIR does not tell.
  bool verify = true;
  /// Gets the indices of the entries that a should_run was against, in each
  /// run.
  std::vector<size_t> *vetoed = nullptr;
};

/// Adds what `plan` runs under `context` to `pm`. If nothing looks at the
/// module between passes, wants to know when the run begins, or leaves a
/// function out, the passes are added bare, and MLIR merges, parallelises,
/// times, prints and reproduces them as always; instruments that measure are
/// attached to `pm`. Else one pass is added that runs the plan step by step.
mlir::LogicalResult addPlan(mlir::PassManager &pm,
                            std::shared_ptr<const Plan> plan,
                            const PassContext &context,
                            const AddPlanOptions &options = {});

/// Emits the plan's warnings at `loc`.
void emitPlanWarnings(const Plan &plan, mlir::Location loc);

/// The notes that errors of this thread get: "in pass 'a'" for each pass that
/// it is in, the innermost first.
std::vector<std::string> describeRunningPasses();

} // namespace partita::transform

#endif // PARTITA_PASS_PLAN_H
