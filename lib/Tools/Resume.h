//===- Resume.h - Runs that go on after a checkpoint ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_RESUME_H
#define PARTITA_LIB_TOOLS_RESUME_H

#include "partita/Pass/PassContext.h"
#include "partita/Pass/Plan.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace partita {

/// The scope of the context that the command line's plan runs under, and what
/// the plan goes on from.
class ResumableScope {
public:
  using PlanRef = std::shared_ptr<const transform::Plan>;
  /// Makes the whole plan for a root of the given name.
  using GetPlan = llvm::function_ref<llvm::Expected<PlanRef>(
      mlir::MLIRContext *, llvm::StringRef)>;

  /// Enters the scope. The last checkpoint in `dir`, if there is one, replaces
  /// the input.
  llvm::Error enter(const mlir::MlirOptMainConfig &config, llvm::StringRef dir,
                    const transform::PassContext &passContext,
                    const mlir::DialectRegistry &registry,
                    std::unique_ptr<llvm::MemoryBuffer> &input,
                    GetPlan getPlan);
  /// Leaves it, if it was entered.
  llvm::Error leave(bool hasFailed) {
    return scope ? scope->exit(hasFailed) : llvm::Error::success();
  }

  /// The rest of the plan after a checkpoint, and its file; null without one.
  PlanRef resumed;
  std::string checkpoint;

private:
  std::optional<transform::PassContextScope> scope;
};

/// The error of a checkpoint that can't be parsed: the text of some attributes
/// of MLIR's can't.
llvm::Error makeCheckpointError(llvm::StringRef path);

} // namespace partita

#endif // PARTITA_LIB_TOOLS_RESUME_H
