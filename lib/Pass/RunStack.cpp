//===- RunStack.cpp - The passes that a thread is in ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunStack.h"
#include "partita/Support/EscapeText.h"

#include "llvm/Support/Threading.h"

using namespace mlir;

namespace partita::transform {

LLVM_THREAD_LOCAL RunFrame *detail::innermostFrame = nullptr;

/// The frames of a thread, by depth. They are reused, because most passes are
/// faster than an allocation.
static thread_local std::vector<std::unique_ptr<RunFrame>> frames;

RunFrame *detail::makeInnerFrame(RunFrame *outer) {
  size_t depth = outer ? outer->depth + 1 : 0;
  if (depth == frames.size()) {
    frames.push_back(std::make_unique<RunFrame>());
    frames.back()->depth = depth;
    frames.back()->thread = llvm::get_threadid();
  }
  RunFrame *frame = frames[depth].get();
  if (outer)
    outer->inner = frame;
  return frame;
}

void detail::release(RunFrame &frame) {
  frame.scope.reset();
  frame.nested.clear();
}

std::vector<std::string> describeRunningPasses() {
  std::vector<std::string> notes;
  StringRef last;
  for (RunFrame *frame = getInnermostFrame(); frame; frame = frame->outer) {
    if (frame->tracker || frame->isUnnamed)
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
