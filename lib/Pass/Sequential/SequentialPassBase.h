//===- SequentialPassBase.h - Sequentials as passes of MLIR -----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SEQUENTIAL_SEQUENTIALPASSBASE_H
#define PARTITA_LIB_PASS_SEQUENTIAL_SEQUENTIALPASSBASE_H

#include "../PassImpl.h"
#include "../Run/PlanPass.h"
#include "partita/Pass/TextInstruments.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace partita::transform {

/// The state that a pass shares with its copies for MLIR's threads.
struct SharedSequential {
  std::mutex mutex;
  /// The Sequential by the name of the op that it runs on; the op decides where
  /// its anchors start.
  llvm::StringMap<transform::Pass> sequentials;
  /// Warnings already emitted.
  llvm::StringSet<> warnings;
  /// The ops for which the plan was printed.
  llvm::StringSet<> explained;
  /// The context from the pass's own options, during a run, and its
  /// instruments. They report at the end of a run on a root. Otherwise they
  /// report when the pass is destroyed.
  std::optional<PassContext> own;
  std::optional<instrument::TextInstruments> instruments;

  llvm::Error leave();
  ~SharedSequential();
};

/// Runs a Sequential in an MLIR pipeline.
class SequentialPassBase : public PlanPassBase {
public:
  void getDependentDialects(mlir::DialectRegistry &registry) const override;

  mlir::LogicalResult initialize(mlir::MLIRContext *) override {
    capture();
    return mlir::success();
  }

  void runOnOperation() override;

  bool isSequential() const override { return true; }

protected:
  SequentialPassBase() = default;
  SequentialPassBase(const SequentialPassBase &other)
      : PlanPassBase(other), shared(other.shared), captured(other.captured) {}

public:
  /// The Sequential, below these anchors.
  virtual llvm::Expected<transform::Pass>
  makeSequential(llvm::ArrayRef<std::string> anchors) const = 0;

  /// Whether the texts of the Sequential's members have the anchors that
  /// makeSequential is given.
  virtual bool hasAnchorsInText() const { return false; }
  /// The name and the level, if they are known before the members.
  virtual std::optional<PassInfo> getInfo() const { return std::nullopt; }

  /// Whether it runs under its own context. Then, as a member of another
  /// Sequential, it stays a pass.
  virtual bool hasContext() const { return false; }
  /// The context that the pass's options describe, if any, without its
  /// instruments. The second function returns the instruments.
  virtual std::optional<PassContextOptions> getContextOptions() const {
    return std::nullopt;
  }
  virtual std::vector<std::string> getInstrumentTexts() const { return {}; }
  /// Whether to print the plan and run nothing.
  virtual bool explains() const { return false; }

private:
  /// The context of a run, for the threads that run functions. They have copies
  /// of the pass, made in the first run, but not the caller's scope.
  struct Captured {
    const SequentialPassBase *owner;
    PassContext context;
  };

  /// When a run begins, MLIR asks each pass for its dialects, on the thread
  /// that runs the pass manager. It does not ask the copies for other threads.
  /// So a copy that is asked belongs to another pass manager.
  void capture() const {
    if (captured && captured->owner == this)
      captured->context = PassContext::current();
    else
      captured =
          std::make_shared<Captured>(Captured{this, PassContext::current()});
  }

  llvm::Expected<transform::Pass> getSequential(llvm::StringRef rootName);
  llvm::Expected<PassContext> getContext();
  bool track();

  std::shared_ptr<SharedSequential> shared =
      std::make_shared<SharedSequential>();
  mutable std::shared_ptr<Captured> captured;
  /// The dialects of the passes that can run; set on first use.
  mutable std::unique_ptr<mlir::DialectRegistry> dialects;
  /// The last run's; null if there is none, or its plan could not be made.
  std::unique_ptr<PlanExecutor> executor;
  /// Sees the passes; set once an instrument measures.
  PassTracker::Slot tracker;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_SEQUENTIAL_SEQUENTIALPASSBASE_H
