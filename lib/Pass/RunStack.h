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

/// Makes a context current on this thread without entering it, as a run does on
/// the threads that it uses. `running` is the MLIRContext in which the run's
/// passes work.
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

/// Whether this thread is inside a pass that works in `context`; with
/// `passContext`, only if it runs under it.
bool isRunningIn(mlir::MLIRContext *context,
                 const PassContext *passContext = nullptr);

/// A pass of a run that a thread is in.
struct RunFrame {
  /// The pass; the root, if the run has no entry for it.
  PassStep step{};
  /// The frame around it on this thread.
  RunFrame *outer = nullptr;
  /// The last frame inside this one, kept for reuse.
  RunFrame *inner = nullptr;
  size_t depth = 0;
  /// The thread, as llvm::get_threadid, kept because asking is a system call.
  uint64_t thread = 0;
  /// The tracker that has pushed the frame, if one has, and the pass that MLIR
  /// runs.
  const PassTracker *tracker = nullptr;
  const mlir::Pass *pass = nullptr;
  /// In the frame of a plan's run inside a pass: that pass, which starts the
  /// plan's pipelines.
  const mlir::Pass *runner = nullptr;
  /// In the frame of a foreign pass manager's pipeline: the pipeline.
  const ForeignPipeline *pipeline = nullptr;
  /// Set while records of runs inside the pass are kept.
  RunMeter *meter = nullptr;
  /// In the frame of a pipeline that MLIR runs: whether a pass has started it.
  bool isForeign = false;
  /// Whether the pass must not run.
  bool isSkipped = false;
  /// Whether the pass has not run on the op.
  bool isLeftAlone = false;
  /// The number of ops that the pass was not needed on: the op, or ops in it.
  uint64_t numUnchanged = 0;
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
  /// The records of runs inside the pass that have ended on this thread.
  RunRecords nested;
};

namespace detail {
/// One per thread; without an initializer, access is faster.
extern LLVM_THREAD_LOCAL RunFrame *innermostFrame;
/// The frame inside `outer`, or the thread's first frame; made if it is
/// missing.
RunFrame *makeInnerFrame(RunFrame *outer);
/// Frees the objects in a frame, which most frames do not have.
void release(RunFrame &frame);
} // namespace detail

/// The innermost frame of this thread, or null.
inline RunFrame *getInnermostFrame() { return detail::innermostFrame; }

/// The pass of the innermost frame, which starts a run that begins now.
inline PassStep getInnermostStep() {
  RunFrame *frame = getInnermostFrame();
  return frame ? frame->step : PassStep();
}

/// Pushes a frame, whose address is stable until it is popped. This and
/// popFrame are inline, because a timed pass pushes one on each function.
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

/// Pops a frame of this thread, and all frames above it: MLIR does not report
/// the end of every failed pipeline.
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
    top->isLeftAlone = false;
    top->numUnchanged = 0;
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
