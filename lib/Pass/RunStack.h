//===- RunStack.h - The passes that a thread is in --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUNSTACK_H
#define PARTITA_LIB_PASS_RUNSTACK_H

#include "CurrentPassContext.h"
#include "partita/Pass/Run.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <functional>

namespace partita::transform {

using RunRecordRef = std::shared_ptr<const instrument::RunRecord>;
using RunRecords = std::vector<RunRecordRef>;

class PassTracker;
struct ForeignPipeline;
class RunMeter;

/// Where a thread is in a run: in code of a run itself (a RunScope), in a pass
/// that MLIR runs, or in a pipeline.
struct RunFrame {
  enum class Kind : uint8_t { Scope, Pass, Pipeline, ForeignPipeline };

  explicit RunFrame(Kind kind) : kind(kind) {}

  /// Whether it is a pipeline that a pass has started, outside the plan.
  bool isForeign() const { return kind == Kind::ForeignPipeline; }

  Kind kind;
  /// Whether the notes of errors name the pass.
  bool isNamed = false;
  /// The pass; the root, if the run has no entry for it.
  PassStep step;
  /// The frame around it on this thread.
  RunFrame *outer = nullptr;
  /// The tracker that has pushed the frame, if one has.
  const PassTracker *tracker = nullptr;
  /// Set while records of runs inside the pass are kept.
  RunMeter *meter = nullptr;
  /// The records of runs inside the pass that have ended on this thread.
  RunRecords nested;
};

struct PassFrame;
struct PipelineFrame;

namespace detail {
/// The innermost frame of a thread, and the frames that it can push. These are
/// reused, because most passes are faster than an allocation.
struct ThreadFrames {
  RunFrame *innermost;
  PassFrame *freePass;
  PipelineFrame *freePipeline;
};
/// Without an initializer, access is faster.
extern LLVM_THREAD_LOCAL ThreadFrames threadFrames;
} // namespace detail

/// A pass on one op. MLIR's callbacks push it, or a run that measures a step.
struct PassFrame : RunFrame {
  PassFrame(uint64_t thread, detail::ThreadFrames &frames)
      : RunFrame(Kind::Pass), thread(thread), frames(frames) {}

  static bool classof(const RunFrame *frame) {
    return frame->kind == Kind::Pass;
  }

  /// The thread, as llvm::get_threadid, kept because asking is a system call.
  uint64_t thread;
  /// The frames of the thread, which are faster to reach from here.
  detail::ThreadFrames &frames;
  /// The pass that MLIR runs.
  const mlir::Pass *pass = nullptr;
  /// Whether the pass must not run.
  bool isSkipped = false;
  /// Whether the pass has not run on the op.
  bool isLeftAlone = false;
  /// Whether its time is measured.
  bool isMeasured = false;
  /// The number of ops that the pass was not needed on: the op, or ops in it.
  uint64_t numUnchanged = 0;
  /// Makes the context current for a pass that reads it.
  std::optional<CurrentPassContext> scope;

  /// The following fields are set if its time is measured.
  mlir::Operation *op = nullptr;
  /// When it began, by the run's clock and, if there are spans, by the steady
  /// clock.
  instrument::Clock::time_point begin, spanBegin;
  std::chrono::nanoseconds cpuBegin{0};
};

/// A pipeline that MLIR runs.
struct PipelineFrame : RunFrame {
  PipelineFrame() : RunFrame(Kind::Pipeline) {}

  static bool classof(const RunFrame *frame) {
    return frame->kind >= Kind::Pipeline;
  }

  /// A foreign pass manager's pipeline, and its element that is next; null for
  /// other pipelines.
  const ForeignPipeline *pipeline = nullptr;
  size_t next = 0;
};

namespace detail {
PassFrame *makePassFrame();
PipelineFrame *makePipelineFrame();
/// Puts a frame into the free list. Ending its measurement has reset its meter,
/// and has taken the records.
inline void recycle(PassFrame &frame) {
  frame.isSkipped = frame.isLeftAlone = frame.isMeasured = false;
  frame.numUnchanged = 0;
  if (frame.scope)
    frame.scope.reset();
  frame.outer = std::exchange(frame.frames.freePass, &frame);
}

/// Pushes a frame of the free list, which is linked by `outer`.
template <typename FrameT>
FrameT &push(FrameT *&free, FrameT *(*make)(), PassStep step,
             const PassTracker *tracker) {
  FrameT *frame = free ? free : make();
  free = static_cast<FrameT *>(frame->outer);
  frame->outer = threadFrames.innermost;
  frame->step = step;
  frame->tracker = tracker;
  threadFrames.innermost = frame;
  return *frame;
}
} // namespace detail

/// The innermost frame of this thread, or null.
inline RunFrame *getInnermostFrame() { return detail::threadFrames.innermost; }

/// The pass of the innermost frame, which starts a run that begins now.
inline PassStep getInnermostStep() {
  RunFrame *frame = getInnermostFrame();
  return frame ? frame->step : PassStep();
}

/// Pushes a frame, whose address is stable until it is popped. This and
/// popPassFrame are inline, because a timed pass pushes one on each function.
inline PassFrame &pushPassFrame(PassStep step, const PassTracker *tracker,
                                const mlir::Pass *pass) {
  PassFrame &frame = detail::push(detail::threadFrames.freePass,
                                  detail::makePassFrame, step, tracker);
  frame.pass = pass;
  return frame;
}

inline PipelineFrame &
pushPipelineFrame(PassStep step, const PassTracker *tracker, bool isForeign) {
  PipelineFrame &frame = detail::push(detail::threadFrames.freePipeline,
                                      detail::makePipelineFrame, step, tracker);
  frame.kind =
      isForeign ? RunFrame::Kind::ForeignPipeline : RunFrame::Kind::Pipeline;
  return frame;
}

/// Pops a frame of this thread, and all frames above it: MLIR does not report
/// the end of every failed pipeline.
void popFrame(RunFrame &frame);

/// popFrame, where no frames are above it most often.
inline void popPassFrame(PassFrame &frame) {
  if (LLVM_UNLIKELY(frame.frames.innermost != &frame))
    return popFrame(frame);
  frame.frames.innermost = frame.outer;
  detail::recycle(frame);
}

/// A frame for the time of a scope.
class RunScope {
public:
  explicit RunScope(PassStep step, bool isNamed = true)
      : frame(RunFrame::Kind::Scope) {
    frame.step = step;
    frame.isNamed = isNamed;
    frame.outer = getInnermostFrame();
    detail::threadFrames.innermost = &frame;
  }
  ~RunScope() { popFrame(frame); }
  RunScope(const RunScope &) = delete;
  RunScope &operator=(const RunScope &) = delete;

private:
  RunFrame frame;
};

/// Ends a run when LLVM recovers from a crash in it, as pass managers with a
/// crash reproducer do. Code that crashes runs no destructors: the frames and
/// the contexts of this thread become those from when the guard was made, and
/// then `recover` is called. It must forget a guard that lives on.
class CrashGuard {
public:
  CrashGuard() = default;
  explicit CrashGuard(std::function<void()> recover);
  ~CrashGuard() { reset(); }
  CrashGuard(const CrashGuard &) = delete;
  CrashGuard &operator=(CrashGuard &&other) noexcept {
    reset();
    context = other.context;
    cleanup = std::exchange(other.cleanup, nullptr);
    return *this;
  }

  void reset();
  void forget() { cleanup = nullptr; }

private:
  llvm::CrashRecoveryContext *context = nullptr;
  llvm::CrashRecoveryContextCleanup *cleanup = nullptr;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUNSTACK_H
