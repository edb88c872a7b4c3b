//===- RunStack.h - The passes that a thread is in --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUNSTACK_H
#define PARTITA_LIB_PASS_RUNSTACK_H

#include "partita/Pass/Run.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Compiler.h"

namespace partita::transform {

using RunRecordRef = std::shared_ptr<const instrument::RunRecord>;
using RunRecords = std::vector<RunRecordRef>;

class PassTracker;
struct ForeignPipeline;
class RunMeter;

/// Makes a context current on this thread without entering it: what a run does
/// on the threads that it uses. `running` is the MLIRContext that the run's
/// passes work in.
class CurrentPassContext {
public:
  explicit CurrentPassContext(const PassContext &context,
                              mlir::MLIRContext *running = nullptr);
  ~CurrentPassContext();
  CurrentPassContext(const CurrentPassContext &) = delete;
  CurrentPassContext &operator=(const CurrentPassContext &) = delete;

private:
  size_t depth;
};

/// Whether this thread is inside a pass that works in `context`, run under
/// `passContext` if that is given.
bool isRunningIn(mlir::MLIRContext *context,
                 const PassContext *passContext = nullptr);

/// A pass of a run that a thread is in.
struct RunFrame {
  /// The pass; of a run without a plan's entry, its root.
  PassStep step{};
  /// The frame around it on this thread.
  RunFrame *outer = nullptr;
  /// The frame that was inside of this one last, and may be again.
  RunFrame *inner = nullptr;
  size_t depth = 0;
  /// The thread, as llvm::get_threadid: asking is a system call.
  uint64_t thread = 0;
  /// If a tracker has pushed the frame: that one, with the pass that MLIR runs.
  const PassTracker *tracker = nullptr;
  const mlir::Pass *pass = nullptr;
  /// If it is of a plan's run inside a pass: that pass, which starts the
  /// pipelines of the plan.
  const mlir::Pass *runner = nullptr;
  /// Of a pipeline in a pass manager that somebody else built: which.
  const ForeignPipeline *pipeline = nullptr;
  /// Set while records of runs inside of it are kept.
  RunMeter *meter = nullptr;
  /// Of a pipeline that MLIR runs: whether a pass has started it.
  bool isForeign = false;
  /// Whether the pass is not to run.
  bool isSkipped = false;
  /// Whether its time is measured.
  bool isMeasured = false;
  /// Whether the notes of errors leave it out.
  bool isUnnamed = false;
  /// Makes the context current for a pass that reads it.
  std::optional<CurrentPassContext> scope;

  /// The element of `pipeline` that is next.
  size_t next = 0;
  mlir::Operation *op = nullptr;
  instrument::Clock::time_point begin;
  std::chrono::nanoseconds cpuBegin{0};
  /// The records of runs inside of it that have ended on this thread.
  RunRecords nested;
};

namespace detail {
/// Of a thread; what needs no initialization is quicker to reach.
extern LLVM_THREAD_LOCAL RunFrame *innermostFrame;
/// The frame inside of `outer`, or the first, where it is not there already.
RunFrame *makeInnerFrame(RunFrame *outer);
/// Frees what a frame holds, which few do.
void release(RunFrame &frame);
} // namespace detail

/// The innermost frame of this thread, or null.
inline RunFrame *getInnermostFrame() { return detail::innermostFrame; }

/// Its pass: what a run that begins now is started by.
inline PassStep getInnermostStep() {
  RunFrame *frame = getInnermostFrame();
  return frame ? frame->step : PassStep();
}

/// Pushes a frame, which stays where it is until it is popped. Inline, as
/// popFrame: a timed pass pushes one on each function.
inline RunFrame &pushFrame(PassStep step) {
  RunFrame *&innermost = detail::innermostFrame;
  RunFrame *outer = innermost;
  RunFrame *frame =
      outer && outer->inner ? outer->inner : detail::makeInnerFrame(outer);
  frame->outer = outer;
  frame->step = step;
  innermost = frame;
  return *frame;
}

/// Pops a frame of this thread, and those above it: MLIR does not say of each
/// pipeline that fails when it ends.
inline void popFrame(RunFrame &frame) {
  RunFrame *&innermost = detail::innermostFrame;
  RunFrame *top;
  do {
    top = innermost;
    innermost = top->outer;
    top->tracker = nullptr;
    top->pass = top->runner = nullptr;
    top->pipeline = nullptr;
    top->meter = nullptr;
    top->isForeign = top->isSkipped = top->isMeasured = top->isUnnamed = false;
    if (top->scope || !top->nested.empty())
      detail::release(*top);
  } while (top != &frame);
}

/// A frame for the time of a scope.
class RunFrameScope {
public:
  explicit RunFrameScope(PassStep step) : frame(pushFrame(step)) {}
  ~RunFrameScope() { popFrame(frame); }
  RunFrameScope(const RunFrameScope &) = delete;
  RunFrameScope &operator=(const RunFrameScope &) = delete;

  RunFrame &operator*() const { return frame; }

private:
  RunFrame &frame;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUNSTACK_H
