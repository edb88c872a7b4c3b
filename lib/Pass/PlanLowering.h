//===- PlanLowering.h - From a plan to an OpPassManager -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PLANLOWERING_H
#define PARTITA_LIB_PASS_PLANLOWERING_H

#include "partita/Pass/Plan.h"

#include <optional>

namespace partita::transform {

/// Adds passes of a plan to a pass manager, each nested to where its op is.
/// Passes in a row with the same place share a nested manager, so that MLIR
/// runs them function by function.
class PlanLowering {
public:
  PlanLowering(mlir::OpPassManager &root, llvm::StringRef rootName)
      : root(root), rootName(rootName) {}

  /// Adds the pass of an entry that is no Sequential.
  llvm::Error add(const Plan::Entry &entry);

  /// The mlir::Passes that the last `add` made, as far as they stand directly
  /// in its place.
  llvm::ArrayRef<const mlir::Pass *> getAdded() const { return added; }

  /// The anchors below `rootName` of the pass of `entry`.
  static llvm::Expected<llvm::SmallVector<std::string>>
  getPath(const Plan::Entry &entry, llvm::StringRef rootName);

private:
  mlir::OpPassManager &root;
  std::string rootName;
  std::optional<llvm::SmallVector<std::string>> lastPath;
  mlir::OpPassManager *lastNested = nullptr;
  llvm::SmallVector<const mlir::Pass *> added;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PLANLOWERING_H
