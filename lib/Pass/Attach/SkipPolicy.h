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

/// Skips the passes of a foreign pass manager whose frame says so. MLIR's only
/// means for it is the action handler of the context. A context has one
/// handler: if another is registered, it replaces this one, and MLIR does not
/// report that.
class SkipPolicy {
public:
  explicit SkipPolicy(mlir::MLIRContext *context);
  /// Unregisters the handler, if it is still registered.
  ~SkipPolicy();
  SkipPolicy(const SkipPolicy &) = delete;
  SkipPolicy &operator=(const SkipPolicy &) = delete;

  /// Whether its action handler is still the context's.
  bool isInPlace() const { return !ownHandler.expired(); }

private:
  mlir::MLIRContext *context;
  /// Held by the action handler: alive as long as the context has the handler.
  std::weak_ptr<char> ownHandler;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_ATTACH_SKIPPOLICY_H
