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

  /// The inliner wants equal types, so that the callee's names of dimensions
  /// mean the same in the caller. Names that a match_cast or a function in the
  /// callee introduces may not. As in TVM, no control flow gets into a dataflow
  /// block.
  bool isLegalToInline(Operation *call, Operation *callable,
                       bool wouldBeCloned) const final {
    // Keep calls with a number argument that gives a dimension its name.
    if (auto func = dyn_cast<FuncOp>(callable))
      for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
        if (func.getArgAttr(i, FuncOp::getDimAttrName()))
          return false;
    bool isInDataflow = call->getParentOfType<DataflowOp>() != nullptr;
    auto func = dyn_cast<FuncOp>(callable);
    WalkResult result = callable->walk([&](Operation *op) {
      // The callee can claim to be pure although it calls impure functions.
      if (auto inner = dyn_cast<CallOp>(op);
          inner && !inner.getIsPure() && func && func.getIsPure())
        return WalkResult::interrupt();
      if (isInDataflow && isa<IfOp>(op))
        return WalkResult::interrupt();
      if (auto local = dyn_cast<LocalFuncOp>(op))
        for (BlockArgument parameter : local.getParameters())
          if (!getNames(parameter.getType()).empty())
            return WalkResult::interrupt();
      bool mustBeFree =
          isa<MatchCastOp>(op) || (isInDataflow && op != callable);
      return mustBeFree && !isPureExpr(op) ? WalkResult::interrupt()
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
