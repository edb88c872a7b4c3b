//===- SkipPolicy.h - Skips passes of foreign managers ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_ATTACH_SKIPPOLICY_H
#define PARTITA_LIB_PASS_ATTACH_SKIPPOLICY_H

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace partita::transform {

/// Skips the passes of foreign pass managers whose frame says so. MLIR's only
/// means for it is the action handler of the context. A context has one
/// handler: if another is registered, it replaces this one, and MLIR does not
/// report that. All policies of a context share a handler, which the last one
/// unregisters.
class SkipPolicy {
public:
  /// Whether the context has an action handler of somebody else's.
  static bool isTaken(mlir::MLIRContext *context);

  explicit SkipPolicy(mlir::MLIRContext *context);

  /// Whether the action handler is still the context's.
  bool isInPlace() const;

private:
  class Handler;
  std::shared_ptr<Handler> handler;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_ATTACH_SKIPPOLICY_H
