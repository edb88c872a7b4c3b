//===- CurrentPassContext.h - Contexts that runs make current ---*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_CURRENTPASSCONTEXT_H
#define PARTITA_LIB_PASS_CURRENTPASSCONTEXT_H

#include "partita/Pass/PassContext.h"

namespace partita::transform {

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

/// The number of contexts that this thread is in; and leaves the last of them
/// without the callbacks of their instruments, but for the first `number`.
size_t countContexts();
void leaveContexts(size_t number);

/// Whether this thread is inside a pass that works in `context`; with
/// `passContext`, only if it runs under it.
bool isRunningIn(mlir::MLIRContext *context,
                 const PassContext *passContext = nullptr);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_CURRENTPASSCONTEXT_H
