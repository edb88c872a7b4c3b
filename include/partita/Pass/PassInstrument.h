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
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"
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
} // namespace partita::transform

namespace partita::instrument {

using Clock = std::chrono::steady_clock;

/// What a run spent in one pass, with what it spent in the passes inside it (a
/// Sequential's members, and what runs that the pass started did). What the
/// plan leaves out has no record; what a should_run skipped has one without
/// runs.
struct PassRecord {
  /// What ran, and which of its entries this is of.
  std::shared_ptr<const transform::Plan> plan;
  size_t entry = 0;
  const transform::PassInfo &getInfo() const;
  /// Why it was to run, in the plan's words.
  std::string getReason() const;
  /// Whether it ran although the context disables it by name, because another
  /// pass requires it.
  bool isDisabled = false;
  /// The instruments whose should_run was against it; empty if it ran.
  std::vector<std::string> vetoedBy;
  /// Whether it failed, or for a Sequential, whether one in it did.
  bool hasFailed = false;
  /// How many operations the pass ran on.
  uint64_t numRuns = 0;

  /// When it began on its first operation, and ended on its last.
  Clock::time_point begin, end;
  /// The time spent in each operation, added up: where MLIR ran the pass on
  /// functions in parallel, more than has passed. A Sequential's is that of its
  /// members.
  std::chrono::nanoseconds time{0};
  /// How long at least one thread was in it; for a Sequential, from its first
  /// pass to its last.
  std::chrono::nanoseconds wallTime{0};
  /// Processor time of the threads that were in it, if an instrument has asked
  /// for it by `wantsCPUTime`, and the platform knows.
  std::optional<std::chrono::nanoseconds> cpuTime;

  std::vector<PassRecord> children;
};

/// A pass on one operation. Where passes run merged, a thread is in one
/// function after the other with all of them, and no Sequential has a span.
struct PassSpan {
  /// What runs, and which of its entries this is.
  const transform::Plan *plan;
  size_t entry;
  /// What the pass runs on; not to be changed, and nobody's after the call.
  mlir::Operation *op;
  /// The thread, as llvm::get_threadid.
  uint64_t thread;
  Clock::time_point begin;
  /// The following are of spans that have ended.
  Clock::time_point end;
  bool hasFailed = false;
};

/// Runs code around passes, as `tvm::instrument::PassInstrument`. The
/// instruments of a PassContext are called in their order, each callback once
/// per pass and module, on the thread that runs the Sequential.
///
/// An instrument is shared by every run of its PassContexts, which can be on
/// several threads: its callbacks guard the state that they change.
class PassInstrument {
public:
  explicit PassInstrument(mlir::StringRef name) : name(name) {}
  virtual ~PassInstrument();

  mlir::StringRef getName() const { return name; }

  /// Whether the module is looked at, changed or vetoed between passes. If all
  /// instruments of a context answer false, passes run merged and in parallel,
  /// as in a bare mlir::PassManager; such an instrument gets none of the three
  /// callbacks that follow enter and exit.
  virtual bool observesModule() const { return true; }

  /// Called when the scope of a PassContext is entered, and left.
  virtual mlir::LogicalResult enterPassContext() { return mlir::success(); }
  virtual mlir::LogicalResult exitPassContext() { return mlir::success(); }

  /// Whether the pass is to run. Asked of all instruments, unless the pass is
  /// in the context's required_pass; one `false` skips the pass.
  virtual mlir::FailureOr<bool> shouldRun(mlir::Operation *module,
                                          const transform::PassInfo &info) {
    return true;
  }

  virtual mlir::LogicalResult runBeforePass(mlir::Operation *module,
                                            const transform::PassInfo &info) {
    return mlir::success();
  }
  virtual mlir::LogicalResult runAfterPass(mlir::Operation *module,
                                           const transform::PassInfo &info) {
    return mlir::success();
  }

  /// Called when a plan begins to run on a module, before anything of it does,
  /// and at its end, also when it failed, if `wantsRuns`; on the thread that
  /// runs it. A failure is that of the run, which does not begin or has failed.
  /// Instruments whose beginRun succeeded get an endRun; one that joins in the
  /// middle of a run gets its beginRun then. Runs that a pass starts are inside
  /// of its own, on one thread, or on several if it is run on functions.
  ///
  /// `transform::currentStep` is the entry of the plan that shouldRun,
  /// runBeforePass and runAfterPass are about.
  virtual bool wantsRuns() const { return false; }
  virtual mlir::LogicalResult beginRun(mlir::Operation *module,
                                       const transform::Plan &plan) {
    return mlir::success();
  }
  virtual mlir::LogicalResult
  endRun(mlir::Operation *module, const transform::Plan &plan, bool hasFailed) {
    return mlir::success();
  }

  /// Called at the end of each run, before endRun, failed ones too, with what
  /// ran in it, if `wantsRecords`. Processor time costs two system calls for
  /// each operation that a pass runs on.
  virtual bool wantsRecords() const { return false; }
  virtual bool wantsCPUTime() const { return false; }
  virtual void recordRun(PassRecord record) {}

  /// Called before and after each pass on each operation, if `wantsSpans`, on
  /// the thread that runs it, while other threads work on other operations. One
  /// call at a time for a run; they hold back the threads of the run.
  virtual bool wantsSpans() const { return false; }
  virtual void beginSpan(const PassSpan &span) {}
  virtual void endSpan(const PassSpan &span) {}

  /// What it has to say so far, for people, and as data: an array with a record
  /// for each thing that it has seen, or null if it collects nothing.
  virtual void render(llvm::raw_ostream &os) const {}
  virtual llvm::json::Value toJSON() const { return nullptr; }
  /// The text as a string.
  std::string render() const;

  /// The message that the last failing callback on this thread left; empties
  /// it.
  std::string takeError();

protected:
  /// Fails a callback with a message: `return emitError("cannot open ...")`.
  mlir::LogicalResult emitError(const llvm::Twine &message);

private:
  std::string name;
  std::mutex errorMutex;
  llvm::DenseMap<uint64_t, std::string> errors;
};

using PassInstrumentRef = std::shared_ptr<PassInstrument>;

} // namespace partita::instrument

#endif // PARTITA_PASS_PASSINSTRUMENT_H
