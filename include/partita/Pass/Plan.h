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

/// A pass resolved under a PassContext before anything runs: which passes are
/// enabled, which ones PassInfo.required adds and where, and which ones are
/// skipped, each with its reason. Only should_run is decided during the run.
/// Immutable, and shared by runs.
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
    SkippedAsMet,   // `requiredBy` requires it, and an earlier run is enough
  };

  struct Entry {
    Pass pass;
    /// From 1, in the order of the run; 0 for Sequentials and for skipped
    /// passes. Passes that have run before a checkpoint keep their numbers.
    unsigned number = 0;
    /// 0 for the root, one more inside each Sequential.
    unsigned depth = 0;
    /// The index one past the last entry inside this one.
    size_t end = 0;
    Reason reason = Reason::Direct;
    /// For RequiredBy, whether the context disables the pass by name.
    bool disabledByName = false;
    /// Whether the context's required_pass names it: then should_run is not
    /// asked.
    bool inRequiredPass = false;
    /// Whether functions with SkipOptimization are left alone. False for passes
    /// that run as they are named, as in mlir-opt.
    bool leavesFunctionsAlone = true;
    /// For RequiredBy and SkippedAsMet, the pass that requires it.
    Pass requiredBy;
    /// For both, the pass whose place decides where a pass on any op runs.
    Pass place;
    /// For both, the number of the last earlier step with the same pass, or 0.
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

  /// A plan in which all of `pass` runs under `context`, and nothing else. For
  /// a pipeline that getPipeline printed for an earlier plan.
  static llvm::Expected<std::shared_ptr<const Plan>>
  getResolved(const Pass &pass, const PassContext &context);

  /// The entries in order, a Sequential before its members.
  llvm::ArrayRef<Entry> entries() const { return list; }

  /// A warning for each name in required_pass and disabled_pass that fits no
  /// pass, with the nearest names.
  llvm::ArrayRef<std::string> warnings() const { return warningList; }

  /// Why an entry runs, or does not: "runs: opt_level 1 <= 2".
  std::string describe(const Entry &entry) const;

  /// Prints one line per entry: its number if it runs, the name, and the
  /// reason. Where `context` skips passes, the line tells since which step a
  /// pass that runs below `rootName` can be skipped. Where it has a pass cache,
  /// the line tells which results are never kept.
  void print(llvm::raw_ostream &os) const;
  void print(llvm::raw_ostream &os, const PassContext &context,
             llvm::StringRef rootName) const;

  /// For each entry, the number of the first step with the same pass in the
  /// same place below `rootName`. 0 for passes that occur once, and for passes
  /// that `partita.skip_unchanged` never skips.
  std::vector<unsigned> findRepeats(llvm::StringRef rootName) const;

  /// Prints a graph for Graphviz: a box for each Sequential, an arrow to the
  /// next pass, and a dashed arrow to a required pass.
  void printGraph(llvm::raw_ostream &os) const;

  /// The textual pipeline of the passes that run on a root called `rootName`.
  /// mlir-opt runs it without Partita if it knows the passes. With `isChosen`,
  /// it has only the accepted steps.
  llvm::Expected<std::string>
  getPipeline(llvm::StringRef rootName,
              llvm::function_ref<bool(const Entry &)> isChosen = nullptr) const;
  /// The textual pipeline of one entry, which must be a step.
  llvm::Expected<std::string> getPipeline(llvm::StringRef rootName,
                                          const Entry &entry) const;

  /// Whether the plan runs code of the host, which can change the instruments.
  bool runsHostCallback() const { return hostCallback; }
  /// Whether one of its passes reads PassContext::current() on worker threads.
  bool readsPassContext() const { return readsContext; }
  /// Whether one of its passes leaves functions with SkipOptimization alone.
  bool leavesFunctionsAlone() const { return leavesAlone; }

  /// The highest number of an entry.
  unsigned getNumSteps() const { return numSteps; }

  /// This plan without the steps up to number `last`, which have run before.
  std::shared_ptr<const Plan> resumeAfter(unsigned last) const;
  /// The number of the last step that resumeAfter has left out.
  unsigned getNumDone() const { return numDone; }

  /// Unique for each plan in the process.
  uint64_t getId() const { return id; }

private:
  friend class PlanBuilder;
  friend class ForeignPlanBuilder;
  Plan();
  void setNumbers();
  void print(llvm::raw_ostream &os, llvm::ArrayRef<std::string> notes) const;

  uint64_t id;
  int optLevel = 0;
  unsigned numSteps = 0;
  unsigned numDone = 0;
  bool hostCallback = false, readsContext = false, leavesAlone = false;
  std::vector<Entry> list;
  std::vector<std::string> warningList;
};

/// A plan in which all members of `pass` run as they stand, without the passes
/// that they require. It is for users who name passes, but no opt level and no
/// list of passes. Sequentials inside keep the rules of `context`, as if they
/// ran by themselves.
llvm::Expected<std::shared_ptr<const Plan>>
getNamedPlan(const Pass &pass, const PassContext &context);

struct AddPlanOptions {
  /// Whether a function of the module may carry SkipOptimization.
  bool maySkipFunctions = true;
  /// Use in place of `pm.enableTiming`, which shows pipelines that a pass runs
  /// beside the pass, and counts them twice.
  mlir::TimingScope *timing = nullptr;
  /// Receives, in each run, the indices of the entries that a should_run
  /// vetoed.
  std::vector<size_t> *vetoed = nullptr;
};

/// Adds the passes that `plan` runs under `context` to `pm`. They are added
/// bare if no instrument looks at the module between passes or wants to know
/// when the run begins, and if no function is left out. Then MLIR merges,
/// parallelizes, times, prints and reproduces them as always, and instruments
/// that measure are attached to `pm`. Else one pass is added that runs the plan
/// step by step.
mlir::LogicalResult addPlan(mlir::PassManager &pm,
                            std::shared_ptr<const Plan> plan,
                            const PassContext &context,
                            const AddPlanOptions &options = {});

/// Emits the plan's warnings at `loc`.
void emitPlanWarnings(const Plan &plan, mlir::Location loc);

/// The notes for errors on this thread: "in pass 'a'" for each running pass,
/// the innermost first.
std::vector<std::string> describeRunningPasses();

} // namespace partita::transform

#endif // PARTITA_PASS_PLAN_H
