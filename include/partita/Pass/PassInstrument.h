//===- PassInstrument.h - Callbacks around passes ---------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_PASSINSTRUMENT_H
#define PARTITA_PASS_PASSINSTRUMENT_H

#include "partita/Pass/PassInfo.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"

#include <chrono>
#include <memory>
#include <mutex>

namespace mlir {
class Operation;
} // namespace mlir

namespace partita::instrument {

/// What a run spent in one pass, with what it spent in the passes inside it (a
/// Sequential's members).
struct PassRecord {
  PassRecord() = default;
  PassRecord(const transform::PassInfo &info, std::chrono::nanoseconds time,
             uint64_t numRuns, std::vector<PassRecord> children)
      : info(info), time(time), numRuns(numRuns),
        children(std::move(children)) {}

  transform::PassInfo info;
  /// Wall time. Where MLIR ran the pass on many functions in one pipeline with
  /// others, the sum of the time spent in each function.
  std::chrono::nanoseconds time{0};
  /// How many operations the pass ran on.
  uint64_t numRuns = 0;
  std::vector<PassRecord> children;
};

/// Runs code around passes, as `tvm::instrument::PassInstrument`. The
/// instruments of a PassContext are called in their order, each callback once
/// per pass and module, on the thread that runs the Sequential.
///
/// An instrument is shared by every run of its PassContexts, which can be on
/// several threads: its callbacks guard the state that they change.
class PassInstrument {
public:
  explicit PassInstrument(mlir::StringRef name) : name(name) {}
  virtual ~PassInstrument();

  mlir::StringRef getName() const { return name; }

  /// Whether the module is looked at, changed or vetoed between passes. If all
  /// instruments of a context answer false, passes run merged and in parallel,
  /// as in a bare mlir::PassManager; such an instrument gets `recordRun` (and
  /// enter and exit) and none of the other three callbacks.
  virtual bool observesModule() const { return true; }

  /// Called when the scope of a PassContext is entered, and left.
  virtual mlir::LogicalResult enterPassContext() { return mlir::success(); }
  virtual mlir::LogicalResult exitPassContext() { return mlir::success(); }

  /// Whether the pass is to run. Asked of all instruments, unless the pass is
  /// in the context's required_pass; one `false` skips the pass.
  virtual mlir::FailureOr<bool> shouldRun(mlir::Operation *module,
                                          const transform::PassInfo &info) {
    return true;
  }

  virtual mlir::LogicalResult runBeforePass(mlir::Operation *module,
                                            const transform::PassInfo &info) {
    return mlir::success();
  }
  virtual mlir::LogicalResult runAfterPass(mlir::Operation *module,
                                           const transform::PassInfo &info) {
    return mlir::success();
  }

  /// Called at the end of each run, failed ones too, with what ran in it, if
  /// `wantsRecords`.
  virtual bool wantsRecords() const { return false; }
  virtual void recordRun(PassRecord record) {}

  /// The message that the last failing callback on this thread left; empties
  /// it.
  std::string takeError();

protected:
  /// Fails a callback with a message: `return emitError("cannot open ...")`.
  mlir::LogicalResult emitError(const llvm::Twine &message);

private:
  std::string name;
  std::mutex errorMutex;
  llvm::DenseMap<uint64_t, std::string> errors;
};

using PassInstrumentRef = std::shared_ptr<PassInstrument>;

} // namespace partita::instrument

#endif // PARTITA_PASS_PASSINSTRUMENT_H
