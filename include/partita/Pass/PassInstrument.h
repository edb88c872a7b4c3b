//===- PassInstrument.h - Callbacks around passes ---------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_PASSINSTRUMENT_H
#define PARTITA_PASS_PASSINSTRUMENT_H

#include "partita/Pass/PassInfo.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/BitmaskEnum.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

namespace mlir {
class Operation;
} // namespace mlir

namespace partita::transform {
class Plan;
struct PassStep;
struct Run;
} // namespace partita::transform

namespace partita::instrument {

LLVM_ENABLE_BITMASK_ENUMS_IN_NAMESPACE();

using Clock = std::chrono::steady_clock;

/// The time that a run spent in one pass. It has records of the passes inside
/// it: a Sequential's members, and the runs that the pass started. A pass that
/// the plan leaves out has no record; a pass that a should_run skipped has one
/// without runs.
struct PassRecord {
  /// The plan of the run, and the index of the pass in its entries.
  std::shared_ptr<const transform::Plan> plan;
  size_t entry = 0;
  const transform::PassInfo &getInfo() const;
  /// Why the pass was to run, in the plan's words.
  std::string getReason() const;
  /// Whether the pass ran because another pass requires it, although the
  /// context disables it by name.
  bool isDisabled = false;
  /// The instruments whose should_run vetoed the pass; empty if it ran.
  std::vector<std::string> vetoedBy;
  /// Whether the pass failed; for a Sequential, whether a pass in it failed.
  bool hasFailed = false;
  /// How many operations the pass ran on.
  uint64_t numRuns = 0;
  /// On how many operations it did not run, because it has left them as they
  /// are before (`partita.skip_unchanged`).
  uint64_t numUnchanged = 0;

  /// When the pass began on its first operation, and ended on its last. These
  /// times, and the following ones, leave out the pauses of the run (RunPause).
  Clock::time_point begin, end;
  /// The sum of the times on each operation. It exceeds the elapsed time where
  /// MLIR runs the pass on functions in parallel. A Sequential has the sum over
  /// its members.
  std::chrono::nanoseconds time{0};
  /// How long at least one thread was in the pass; for a Sequential, from its
  /// first pass to its last.
  std::chrono::nanoseconds wallTime{0};
  /// Processor time of the threads that were in the pass. Set if an instrument
  /// asks for it and the platform measures it.
  std::optional<std::chrono::nanoseconds> cpuTime;

  std::vector<PassRecord> children;
};

/// What it took before the passes of a run could run.
struct PipelineSetUp {
  /// Whether the run's pass manager was made for it, and not taken from an
  /// earlier run of the same pass.
  bool isMade = false;
  /// Whether the pass manager is one that is not kept: the run's options do not
  /// allow it, or it is the caller's own (addPlan).
  bool isForOneRun = false;
  /// The time in which the pass manager was made, and its passes were made and
  /// initialized; 0 if it was taken. Passes are not initialized by themselves
  /// where no instrument wants to know when the run begins and ends.
  std::chrono::nanoseconds time{0};
};

/// The records of a run. The tree is made on first use, because making it takes
/// longer than measuring a short pass.
class RunRecord {
public:
  RunRecord(bool hasFailed, llvm::unique_function<PassRecord()> makeRoot,
            PipelineSetUp setUp = {})
      : failed(hasFailed), setUp(setUp), makeRoot(std::move(makeRoot)) {}
  explicit RunRecord(PassRecord root, PipelineSetUp setUp = {});

  bool hasFailed() const { return failed; }
  const PipelineSetUp &getSetUp() const { return setUp; }
  /// The record of the outermost pass; empty if no instrument wants records.
  const PassRecord &getRoot() const;

private:
  bool failed;
  PipelineSetUp setUp;
  mutable std::once_flag once;
  mutable llvm::unique_function<PassRecord()> makeRoot;
  mutable PassRecord root;
};

/// A pass on one operation; see Run.h.
struct PassSpan;

/// The set of callbacks and data that an instrument wants.
enum class Wants : unsigned {
  /// Nothing but enterPassContext and exitPassContext.
  Nothing = 0,
  /// shouldRun, runBeforePass and runAfterPass, because it looks at the module
  /// between passes, changes it, or vetoes passes. If no instrument of a
  /// context wants the module, passes run merged and in parallel, as in a bare
  /// mlir::PassManager.
  Module = 1 << 0,
  /// beginRun and endRun of every run.
  Runs = 1 << 1,
  /// Filled records in endRun. An instrument that wants Records without Runs
  /// gets endRun only for the outermost of nested runs; its record contains the
  /// inner ones.
  Records = 1 << 2,
  /// Records with processor time, which costs two system calls for each
  /// operation that a pass runs on.
  CPUTime = 1 << 3,
  /// beginSpan and endSpan.
  Spans = 1 << 4,
  /// The pipelines of a plan's steps, to run them again. attachInstruments has
  /// none, and refuses such an instrument.
  Pipelines = 1 << 5,
  LLVM_MARK_AS_BITMASK_ENUM(Pipelines)
};

/// Runs code around passes, as `tvm::instrument::PassInstrument`. The
/// instruments of a PassContext are called in their order, each callback once
/// per pass and module, on the thread that runs the Sequential.
///
/// An instrument is shared by every run of its PassContexts, which can be on
/// several threads: its callbacks guard the state that they change.
class PassInstrument {
public:
  explicit PassInstrument(mlir::StringRef name, Wants wants = Wants::Module)
      : name(name), wantsSet(wants) {}
  virtual ~PassInstrument();

  mlir::StringRef getName() const { return name; }
  /// Whether the instrument wants at least one of `what`.
  bool wants(Wants what) const { return (wantsSet & what) != Wants::Nothing; }

  /// Called when the scope of a PassContext is entered, and left.
  virtual llvm::Error enterPassContext() { return llvm::Error::success(); }
  virtual llvm::Error exitPassContext() { return llvm::Error::success(); }
  /// Called in place of exitPassContext if nothing has run under the context,
  /// because of an error. Files of earlier runs stay as they are.
  virtual llvm::Error abandonPassContext() { return exitPassContext(); }

  /// Whether the pass is to run. One `false` skips the pass. All instruments
  /// are asked, unless the pass is in the context's required_pass.
  virtual llvm::Expected<bool> shouldRun(const transform::PassStep &step) {
    return true;
  }
  /// Called before a pass that runs, and after one that has succeeded.
  virtual llvm::Error runBeforePass(const transform::PassStep &step) {
    return llvm::Error::success();
  }
  virtual llvm::Error runAfterPass(const transform::PassStep &step) {
    return llvm::Error::success();
  }

  /// Called on the thread that runs a plan: before anything of it runs on a
  /// module, and at its end, also when it failed. An error of beginRun keeps
  /// the run from beginning; an error of endRun makes it fail. Instruments
  /// whose beginRun succeeded get an endRun. An instrument that joins in the
  /// middle of a run gets its beginRun then.
  virtual llvm::Error beginRun(const transform::Run &run) {
    return llvm::Error::success();
  }
  virtual llvm::Error endRun(const transform::Run &run,
                             std::shared_ptr<const RunRecord> record) {
    return llvm::Error::success();
  }

  /// Called before and after each pass on each operation, on the thread that
  /// runs it, while other threads work on other operations. Calls for one run
  /// are serialized, so that a slow callback holds back all threads of the run.
  virtual void beginSpan(const PassSpan &span) {}
  virtual void endSpan(const PassSpan &span) {}

  /// The results so far, as text and as data. The data is an array with one
  /// record for each event, or null if the instrument collects nothing.
  virtual void render(llvm::raw_ostream &os) const {}
  virtual llvm::json::Value toJSON() const { return nullptr; }
  /// The text as a string.
  std::string render() const;

private:
  std::string name;
  Wants wantsSet;
};

using PassInstrumentRef = std::shared_ptr<PassInstrument>;

/// Makes instruments from "NAME{options}" for `sequential{instruments=...}`.
/// The registry of instruments sets it.
using InstrumentFactory =
    llvm::Expected<PassInstrumentRef> (*)(llvm::StringRef text);
void setInstrumentFactory(InstrumentFactory factory);
/// Fails if no factory is set.
llvm::Expected<PassInstrumentRef> makeInstrument(llvm::StringRef text);

} // namespace partita::instrument

#endif // PARTITA_PASS_PASSINSTRUMENT_H
