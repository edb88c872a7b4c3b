//===- RunStack.cpp - The passes that a thread is in ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunStack.h"

using namespace mlir;

namespace partita::transform {

namespace {
/// Frames are used again: most passes are quicker than an allocation.
struct RunStack {
  std::vector<std::unique_ptr<RunFrame>> frames;
  size_t depth = 0;
};
} // namespace

static thread_local RunStack stack;

RunFrame *getInnermostFrame() {
  return stack.depth == 0 ? nullptr : stack.frames[stack.depth - 1].get();
}

PassStep getInnermostStep() {
  RunFrame *frame = getInnermostFrame();
  return frame ? frame->step : PassStep();
}

RunFrame &pushFrame(PassStep step) {
  RunFrame *outer = getInnermostFrame();
  if (stack.depth == stack.frames.size())
    stack.frames.push_back(std::make_unique<RunFrame>());
  RunFrame &frame = *stack.frames[stack.depth++];
  frame.step = step;
  frame.outer = outer;
  return frame;
}

void popFrame(RunFrame &frame) {
  while (true) {
    RunFrame &top = *stack.frames[--stack.depth];
    top.isNamed = true;
    top.tracker = nullptr;
    top.pass = nullptr;
    top.isForeign = false;
    top.pipeline = nullptr;
    top.isSkipped = false;
    top.scope.reset();
    top.isMeasured = false;
    top.meter = nullptr;
    top.nested.clear();
    if (&top == &frame)
      return;
  }
}

std::vector<std::string> describeRunningPasses() {
  std::vector<std::string> notes;
  StringRef last;
  for (RunFrame *frame = getInnermostFrame(); frame; frame = frame->outer) {
    if (frame->tracker || !frame->isNamed)
      continue;
    StringRef name = frame->step.info().name;
    // A pass that is run directly is its own root.
    if (name != last)
      notes.push_back(("in pass '" + name + "'").str());
    last = name;
  }
  return notes;
}

} // namespace partita::transform
