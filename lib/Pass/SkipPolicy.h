//===- SkipPolicy.h - Passes of others that do not run ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SKIPPOLICY_H
#define PARTITA_LIB_PASS_SKIPPOLICY_H

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace partita::transform {

/// Leaves out the passes of a pass manager that somebody else built whose frame
/// says so. MLIR has one means for it, the action handler of the context, of
/// which there is one: who registers another takes this one's place, and MLIR
/// does not tell.
class SkipPolicy {
public:
  explicit SkipPolicy(mlir::MLIRContext *context);
  /// Gives the place back, if it still has it.
  ~SkipPolicy();
  SkipPolicy(const SkipPolicy &) = delete;
  SkipPolicy &operator=(const SkipPolicy &) = delete;

  /// Whether its action handler is still the context's.
  bool isInPlace() const { return !ownHandler.expired(); }

private:
  mlir::MLIRContext *context;
  /// What its action handler holds, as long as the context has that.
  std::weak_ptr<char> ownHandler;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_SKIPPOLICY_H
