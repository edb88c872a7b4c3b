//===- RelaxInliner.cpp - How Relax functions are inlined -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace partita::relax;

namespace {
struct RelaxInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  /// The inliner asks for equal types, so that the callee's names of dimensions
  /// are the caller's, but for those that a match_cast introduces: these may
  /// mean something else in the caller.
  bool isLegalToInline(Operation *call, Operation *callable,
                       bool wouldBeCloned) const final {
    bool isInDataflow = call->getParentOfType<DataflowOp>() != nullptr;
    WalkResult result = callable->walk([&](Operation *op) {
      if (isa<MatchCastOp>(op) && !isMemoryEffectFree(op))
        return WalkResult::interrupt();
      return isInDataflow && op != callable && !isMemoryEffectFree(op)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return !result.wasInterrupted();
  }

  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }

  void handleTerminator(Operation *op, ValueRange results) const final {
    for (auto [result, operand] : llvm::zip(results, op->getOperands()))
      result.replaceAllUsesWith(operand);
  }
};
} // namespace

void RelaxDialect::registerInliner() { addInterfaces<RelaxInliner>(); }
