//===- StepStatistics.cpp - Statistics of passes that a pass runs ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepStatistics.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace partita::transform {

/// A statistic of the owner, with the texts that it points to.
struct StepStatistics::Statistic {
  Statistic(mlir::Pass &owner, std::string name, std::string description)
      : name(std::move(name)), description(std::move(description)),
        value(&owner, this->name.c_str(), this->description.c_str()) {}

  std::string name, description;
  mlir::Pass::Statistic value;
};

StepStatistics::StepStatistics(mlir::Pass &owner) : owner(owner) {}
StepStatistics::~StepStatistics() = default;

void StepStatistics::runAfterPass(mlir::Pass *pass, Operation *) {
#if LLVM_ENABLE_STATS
  if (pass == &owner)
    return;
  for (mlir::Pass::Statistic *counted : pass->getStatistics()) {
    StringRef passName =
        pass->getArgument().empty() ? pass->getName() : pass->getArgument();
    std::string name = (passName + "." + counted->getName()).str();
    std::unique_ptr<Statistic> &mirror = statistics[name];
    if (!mirror)
      mirror = std::make_unique<Statistic>(owner, name, counted->getDesc());
    mirror->value += counted->getValue();
    // The pass can run again, and nobody else reports it.
    *counted = 0;
  }
#else
  // Statistics count nothing in this build of LLVM.
  (void)pass;
#endif
}

void StepStatistics::runAfterPassFailed(mlir::Pass *pass, Operation *op) {
  runAfterPass(pass, op);
}

} // namespace partita::transform
