//===- StepStatistics.cpp - Statistics of passes that a pass runs ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepStatistics.h"
#include "../PassAccess.h"
#include "../Saving/SavingPass.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace partita::transform {

/// A statistic of the owner, which also holds its name and description.
struct StepStatistics::Statistic {
  Statistic(mlir::Pass &owner, std::string name, std::string description)
      : name(std::move(name)), description(std::move(description)),
        value(&owner, this->name.c_str(), this->description.c_str()) {}

  std::string name, description;
  mlir::Pass::Statistic value;
};

StepStatistics::StepStatistics(mlir::Pass &owner) : owner(owner) {}
StepStatistics::~StepStatistics() = default;

void StepStatistics::runBeforePass(mlir::Pass *pass, Operation *op) {
  if (pass == &owner)
    isOwnerRunning = true;
  if (pass == &owner || !isOwnerRunning || isAdaptor(*pass))
    return;
  // Passes that run inside a pass's op belong to that pass.
  for (Operation *around = op; around; around = around->getParentOp())
    if (running.contains(around))
      return;
  running[op] = pass;
}

void StepStatistics::runAfterPass(mlir::Pass *pass, Operation *op) {
  if (pass == &owner)
    isOwnerRunning = false;
  auto it = running.find(op);
  if (it == running.end() || it->second != pass)
    return;
  running.erase(it);
#if LLVM_ENABLE_STATS
  for (mlir::Pass::Statistic *counted : getWrappedPass(*pass).getStatistics()) {
    std::string name = getPassArgument(*pass) + "." + counted->getName();
    std::unique_ptr<Statistic> &mirror = statistics[name];
    if (!mirror)
      mirror = std::make_unique<Statistic>(owner, name, counted->getDesc());
    uint64_t &last = lastValues[counted];
    mirror->value += counted->getValue() - last;
    last = counted->getValue();
  }
#endif
}

void StepStatistics::runAfterPassFailed(mlir::Pass *pass, Operation *op) {
  runAfterPass(pass, op);
}

} // namespace partita::transform
