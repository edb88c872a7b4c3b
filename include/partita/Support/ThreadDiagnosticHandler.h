//===- ThreadDiagnosticHandler.h - Diagnostics of a thread ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_THREADDIAGNOSTICHANDLER_H
#define PARTITA_SUPPORT_THREADDIAGNOSTICHANDLER_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"

namespace partita {

/// Work that a thread may begin while it waits in other work: a thread of a
/// pool that waits for a parallel loop takes any task of the pool meanwhile.
class ThreadTask {
public:
  ThreadTask();
  ~ThreadTask();
  ThreadTask(const ThreadTask &) = delete;
  ThreadTask &operator=(const ThreadTask &) = delete;

  /// How many tasks the thread has begun and not ended.
  static unsigned getDepth();
};

/// Handles diagnostics of the thread that it was made on. Diagnostics of other
/// threads, and of tasks that the thread takes while it waits, go to the
/// handlers before it. MLIR reports diagnostics of its worker threads on the
/// thread that waits for them.
class ThreadDiagnosticHandler : public mlir::ScopedDiagnosticHandler {
public:
  /// `handle` returns failure for a diagnostic that it leaves to others.
  template <typename HandleT>
  ThreadDiagnosticHandler(mlir::MLIRContext *context, HandleT handle)
      : ScopedDiagnosticHandler(
            context,
            [thread = llvm::get_threadid(), depth = ThreadTask::getDepth(),
             handle](mlir::Diagnostic &diagnostic) mutable {
              return llvm::get_threadid() == thread &&
                             ThreadTask::getDepth() == depth
                         ? mlir::LogicalResult(handle(diagnostic))
                         : mlir::failure();
            }) {}
};

} // namespace partita

#endif // PARTITA_SUPPORT_THREADDIAGNOSTICHANDLER_H
