//===- RunStack.cpp - The passes that a thread is in ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunStack.h"
#include "partita/Support/EscapeText.h"

#include "llvm/Support/Threading.h"

#include <deque>

using namespace mlir;

namespace partita::transform {

LLVM_THREAD_LOCAL detail::ThreadFrames detail::threadFrames;

/// Owns the frames that a thread pushes; deques do not move them.
static thread_local std::deque<PassFrame> passFrames;
static thread_local std::deque<PipelineFrame> pipelineFrames;

PassFrame *detail::makePassFrame() {
  return &passFrames.emplace_back(llvm::get_threadid(), threadFrames);
}

PipelineFrame *detail::makePipelineFrame() {
  return &pipelineFrames.emplace_back();
}

void popFrame(RunFrame &frame) {
  detail::ThreadFrames &frames = detail::threadFrames;
  RunFrame *top;
  do {
    top = frames.innermost;
    frames.innermost = top->outer;
    top->meter = nullptr;
    top->nested.clear();
    if (auto *pass = dyn_cast<PassFrame>(top)) {
      detail::recycle(*pass);
    } else if (auto *pipeline = dyn_cast<PipelineFrame>(top)) {
      pipeline->pipeline = nullptr;
      pipeline->outer = std::exchange(frames.freePipeline, pipeline);
    }
  } while (top != &frame);
}

//===----------------------------------------------------------------------===//
// CrashGuard
//===----------------------------------------------------------------------===//

/// Frees the frames that are pushed and that `live` is not above.
template <typename FrameT>
static void recycleAllBut(const llvm::SmallPtrSetImpl<RunFrame *> &live,
                          std::deque<FrameT> &all, FrameT *&free) {
  free = nullptr;
  for (FrameT &frame : all) {
    if (live.contains(&frame))
      continue;
    frame.meter = nullptr;
    frame.nested.clear();
    if constexpr (std::is_same_v<FrameT, PassFrame>) {
      detail::recycle(frame);
    } else {
      frame.pipeline = nullptr;
      frame.outer = std::exchange(free, &frame);
    }
  }
}

namespace {
struct RestoreThread : llvm::CrashRecoveryContextCleanup {
  RestoreThread(llvm::CrashRecoveryContext *context,
                std::function<void()> recover)
      : CrashRecoveryContextCleanup(context), recover(std::move(recover)) {}

  void recoverResources() override {
    // The thread that has crashed can be gone.
    if (frames == &detail::threadFrames) {
      llvm::SmallPtrSet<RunFrame *, 8> live;
      for (RunFrame *frame = innermost; frame; frame = frame->outer)
        live.insert(frame);
      frames->innermost = innermost;
      recycleAllBut(live, passFrames, frames->freePass);
      recycleAllBut(live, pipelineFrames, frames->freePipeline);
      leaveContexts(numContexts);
    }
    recover();
  }

  detail::ThreadFrames *frames = &detail::threadFrames;
  RunFrame *innermost = getInnermostFrame();
  size_t numContexts = countContexts();
  std::function<void()> recover;
};
} // namespace

CrashGuard::CrashGuard(std::function<void()> recover)
    : context(llvm::CrashRecoveryContext::GetCurrent()) {
  if (!context)
    return;
  cleanup = new RestoreThread(context, std::move(recover));
  context->registerCleanup(cleanup);
}

void CrashGuard::reset() {
  if (cleanup)
    context->unregisterCleanup(std::exchange(cleanup, nullptr));
}

std::vector<std::string> describeRunningPasses() {
  std::vector<std::string> notes;
  StringRef last;
  for (RunFrame *frame = getInnermostFrame(); frame; frame = frame->outer) {
    if (!frame->isNamed)
      continue;
    StringRef name = frame->step.info().name;
    // A pass that is run directly has an equal root, named once.
    if (name != last)
      notes.push_back("in pass '" + escapeName(name) + "'");
    last = name;
  }
  return notes;
}

} // namespace partita::transform
