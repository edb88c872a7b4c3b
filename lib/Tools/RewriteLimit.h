//===- RewriteLimit.h - Stops after some applications of patterns -*- C++ -*-=//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_REWRITELIMIT_H
#define PARTITA_LIB_TOOLS_REWRITELIMIT_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"

#include <atomic>

namespace partita {

/// Counts the patterns that MLIR's drivers try, and lets only the first `limit`
/// run. So one pass can be searched like the steps of a plan. Attempts that do
/// not match count, too, because MLIR announces each attempt in advance. The
/// last allowed attempt is printed before it runs, with its pattern, op and
/// location, so that it is known even if it crashes.
class RewriteLimit {
public:
  explicit RewriteLimit(uint64_t limit) : limit(limit) {}

  /// Becomes the action handler of `context`, which must not have one, and
  /// disables its threads, which would make the order random.
  mlir::LogicalResult attach(mlir::MLIRContext &context);

  /// "rewrites: 12 tried"
  void printTotal(llvm::raw_ostream &os) const;

private:
  void execute(llvm::function_ref<void()> apply,
               const mlir::tracing::Action &action);

  uint64_t limit;
  std::atomic<uint64_t> numTried{0};
};

} // namespace partita

#endif // PARTITA_LIB_TOOLS_REWRITELIMIT_H
