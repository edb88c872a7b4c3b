//===- PlanPass.h - A pass that runs a plan ---------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUN_PLANPASS_H
#define PARTITA_LIB_PASS_RUN_PLANPASS_H

#include "../PlanRunnerPass.h"
#include "PlanRun.h"

namespace partita::transform {

/// A pass that runs a plan.
class PlanPassBase : public PlanRunnerPass {
protected:
  PlanPassBase() = default;
  /// Copies have an instrumentation of their own.
  PlanPassBase(const PlanPassBase &other) : PlanRunnerPass(other) {}

  /// Runs the executor's plan on the pass's op.
  mlir::LogicalResult execute(PlanExecutor &executor, const Run &run,
                              mlir::TimingScope *timing = nullptr);

private:
  AnalysisKeeper *getKeeper();
  mlir::LogicalResult runPasses(mlir::OpPassManager &pipeline,
                                mlir::Operation *op);
  void endKeeping();

  AnalysisKeeper::Slot keeper;
  /// The instrumentation of a run, if its pass manager has none.
  std::unique_ptr<mlir::PassInstrumentor> ownInstrumentor;
};

/// The pass that addPlan adds.
class PlanPass : public PlanPassBase {
public:
  PlanPass(std::shared_ptr<PlanExecutor> executor, const PassContext &context,
           mlir::PassManager *pm)
      : executor(std::move(executor)), context(context), pm(pm) {}

  bool isSequential() const override { return false; }
  /// Sets the next run, for a caller that begins runs itself. The pass then
  /// lets go of the context that it was made with.
  void setRun(const Run *newRun) {
    run = newRun;
    context = getNoContext();
  }
  void setTiming(mlir::TimingScope *newTiming) { timing = newTiming; }
  /// Sets what it took to make the passes, for the first run that the pass
  /// begins itself.
  void setSetUp(instrument::PipelineSetUp newSetUp) { setUp = newSetUp; }
  /// Keeps an object as long as the pass manager.
  void keep(std::shared_ptr<void> newKept) { kept = std::move(newKept); }

  llvm::StringRef getName() const override;
  /// The pipeline of the plan, so that `--dump-pass-pipeline` and crash
  /// reproducers show passes that mlir-opt can run without Partita.
  llvm::StringRef getArgument() const override {
    return executor->getPipelineText();
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    executor->getDependentDialects(registry);
  }
  void runOnOperation() override;

private:
  std::unique_ptr<mlir::Pass> clonePass() const override {
    auto copy = std::make_unique<PlanPass>(*this);
    copy->pm = nullptr;
    return copy;
  }

  std::shared_ptr<PlanExecutor> executor;
  PassContext context;
  /// The pass manager that the pass is in; null in a copy, which can be in
  /// another pipeline.
  mlir::PassManager *pm;
  const Run *run = nullptr;
  mlir::TimingScope *timing = nullptr;
  instrument::PipelineSetUp setUp;
  std::shared_ptr<void> kept;
};

/// The passes of a plan in a pass manager.
struct AddedPlan {
  /// The pass that runs the plan, or null if its passes were added bare.
  PlanPass *pass = nullptr;
  /// Set if the passes were added bare and an instrument or a pass needs a
  /// tracker.
  BareTracker *tracker = nullptr;
};

/// addPlan, which also returns what it added.
mlir::FailureOr<AddedPlan> addPlanTo(mlir::PassManager &pm,
                                     std::shared_ptr<const Plan> plan,
                                     const PassContext &context,
                                     const AddPlanOptions &options);

/// Adds the passes of a run that is done as `execution` says to `pm`.
/// `isObserved` says that a caller may ask `pm` for the statistics of passes.
mlir::FailureOr<AddedPlan> addExecution(mlir::PassManager &pm,
                                        const Execution &execution,
                                        const PassContext &context,
                                        const AddPlanOptions &options,
                                        bool isObserved);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUN_PLANPASS_H
