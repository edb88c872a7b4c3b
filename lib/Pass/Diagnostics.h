//===- Diagnostics.h - The diagnostics of a run ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_DIAGNOSTICS_H
#define PARTITA_LIB_PASS_DIAGNOSTICS_H

#include "partita/Pass/PassContext.h"

#include "mlir/Pass/PassManager.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace partita::transform {

/// A pass that failed on an op.
struct FailedPass {
  std::string name;
  mlir::Operation *op;
};

class Interruption;

/// Keeps which passes of a pass manager fail, on whatever thread: MLIR's errors
/// do not name them. It costs two calls for each pass and op.
class FailedPassRecorder {
public:
  void attach(mlir::PassManager &pm);
  std::vector<FailedPass> take();
  /// What may end the runs from now on; null for nothing.
  void setInterruption(Interruption *newInterruption) {
    interruption = newInterruption;
  }

private:
  struct Instrumentation;

  Interruption *interruption = nullptr;
  std::mutex mutex;
  std::vector<FailedPass> failed;
};

/// Records the diagnostics of a run: those emitted on the caller's thread, or
/// on the one that a crash reproducer runs the passes on. MLIR emits those of
/// worker threads on the thread that waits for them.
class DiagnosticRecorder {
public:
  /// Keeps them on `passContext`, and collects them in `collected`, as
  /// RunOptions::diagnostics says; either can be null.
  DiagnosticRecorder(mlir::Operation *module, const PassContext *passContext,
                     std::vector<PassDiagnostic> *collected);
  /// Hands over what was collected, with the notes of errors.
  ~DiagnosticRecorder();

  /// Finds out which thread `pm` runs on.
  void attach(mlir::PassManager &pm);
  void setFailedPasses(std::vector<FailedPass> passes) {
    failedPasses = std::move(passes);
  }

private:
  struct ThreadFinder;

  mlir::LogicalResult record(mlir::Diagnostic &diagnostic);
  void addNotes(PassDiagnostic &error, mlir::Location location) const;

  mlir::Operation *module;
  const PassContext *passContext;
  std::vector<PassDiagnostic> *collected;
  std::vector<std::pair<PassDiagnostic, mlir::Location>> diagnostics;
  std::vector<FailedPass> failedPasses;
  /// Whether the run is inside another on this thread.
  bool isInner;
  std::thread::id callerThread;
  std::atomic<std::thread::id> runThread;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

/// Emits a warning that `context` keeps, too. MLIR drops warnings for which no
/// handler is registered; this one then goes to stderr.
void emitPassWarning(const PassContext &context, mlir::Location loc,
                     const llvm::Twine &message);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_DIAGNOSTICS_H
