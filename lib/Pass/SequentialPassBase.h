//===- SequentialPassBase.h - Sequentials as passes of MLIR -----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SEQUENTIALPASSBASE_H
#define PARTITA_LIB_PASS_SEQUENTIALPASSBASE_H

#include "PassImpl.h"
#include "PlanPass.h"
#include "partita/Pass/TextInstruments.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace partita::transform {

/// What the copies of a pass for MLIR's threads have in common.
struct SharedSequential {
  std::mutex mutex;
  /// The Sequential by the name of the op that it runs on, which says where
  /// the anchors in it start.
  llvm::StringMap<transform::Pass> sequentials;
  /// What was warned of.
  llvm::StringSet<> warnings;
  /// The ops for which the plan was printed.
  llvm::StringSet<> explained;
  /// The context that the pass's own options describe, while a run has it, and
  /// its instruments. They report at the end of a run on a root, and else when
  /// the pass goes.
  std::optional<PassContext> own;
  std::optional<instrument::TextInstruments> instruments;

  llvm::Error leave();
  ~SharedSequential();
};

/// Runs a Sequential in a pipeline of MLIR.
class SequentialPassBase : public PlanPassBase {
public:
  void getDependentDialects(mlir::DialectRegistry &registry) const override;

  mlir::LogicalResult initialize(mlir::MLIRContext *) override {
    capture();
    return mlir::success();
  }

  void runOnOperation() override;

protected:
  using PlanPassBase::PlanPassBase;
  SequentialPassBase(const SequentialPassBase &other)
      : PlanPassBase(other), shared(other.shared), captured(other.captured) {}

public:
  /// The Sequential, for a place with these anchors.
  virtual llvm::Expected<transform::Pass>
  makeSequential(llvm::ArrayRef<std::string> anchors) const = 0;

  /// The context that the pass's options describe, if they do, but for its
  /// instruments; and these.
  virtual std::optional<PassContextOptions> getContextOptions() const {
    return std::nullopt;
  }
  virtual std::vector<std::string> getInstrumentTexts() const { return {}; }
  /// Whether to print the plan, and to run nothing.
  virtual bool explains() const { return false; }

private:
  /// The context of a run, for the threads that run functions: they do not have
  /// the scope of the caller, but copies of the pass, made in the first run.
  struct Captured {
    const SequentialPassBase *owner;
    PassContext context;
  };

  /// When a run begins, MLIR asks each pass for its dialects on the thread that
  /// runs the pass manager, but not the copies for other threads. So a copy
  /// that is asked is in another pass manager.
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
  /// The dialects of what can run, once they were asked for.
  mutable std::unique_ptr<mlir::DialectRegistry> dialects;
  std::shared_ptr<const Plan> plan;
  std::string planRoot;
  std::unique_ptr<PlanExecutor> executor;
  /// Sees the passes, once somebody measures.
  PassTracker::Slot tracker;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_SEQUENTIALPASSBASE_H
