//===- Diagnostics.h - The diagnostics of a run ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUN_DIAGNOSTICS_H
#define PARTITA_LIB_PASS_RUN_DIAGNOSTICS_H

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

/// Records the passes of a pass manager that fail, on all threads, because
/// MLIR's errors do not name them. It costs two calls for each pass and op.
class FailedPassRecorder {
public:
  void attach(mlir::PassManager &pm);
  std::vector<FailedPass> take();
  /// Sets what may end the runs from now on; null for nothing.
  void setInterruption(Interruption *newInterruption) {
    interruption = newInterruption;
  }

private:
  struct Instrumentation;

  Interruption *interruption = nullptr;
  std::mutex mutex;
  std::vector<FailedPass> failed;
};

/// Records the diagnostics of a run. They are emitted on the caller's thread
/// or, with a crash reproducer, on the thread that runs the passes. MLIR emits
/// the diagnostics of worker threads on the thread that waits for them.
class DiagnosticRecorder {
public:
  /// Keeps the diagnostics on `passContext`, and collects them in `collected`,
  /// as RunOptions::diagnostics says. Either can be null.
  DiagnosticRecorder(mlir::Operation *module, const PassContext *passContext,
                     std::vector<PassDiagnostic> *collected);
  /// Hands over the collected diagnostics, with notes on errors.
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

/// Emits a warning that `context` keeps, too. MLIR drops warnings if no handler
/// is registered; this one then goes to stderr.
void emitPassWarning(const PassContext &context, mlir::Location loc,
                     const llvm::Twine &message);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUN_DIAGNOSTICS_H
