//===- RemoveNoOp.cpp - Remove statements without effect ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace partita::tir {
#define GEN_PASS_DEF_REMOVENOOP
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct RemoveNoOp : tir::impl::RemoveNoOpBase<RemoveNoOp> {
  void runOnOperation() override;
};
} // namespace

/// Whether `block` has no statements. Notes about its argument are none.
static bool isEmpty(Block &block) {
  return llvm::all_of(block.without_terminator(), [](Operation &op) {
    return isa<AttrNodeOp>(op) || isExpression(&op);
  });
}

/// The evaluation of a value that can be computed without effect.
static void removeStatement(EvaluateOp op) {
  Operation *def = op.getValue().getDefiningOp();
  if (!def || isa<ScopeIdOp>(def) || wouldOpBeTriviallyDead(def))
    eraseWithOperands(op);
}

static void removeStatement(memref::StoreOp op) {
  if (storesLoaded(op))
    eraseWithOperands(op);
}

static void removeStatement(StoreOp op) {
  if (storesLoaded(op))
    eraseWithOperands(op);
}

/// A loop over nothing, and a loop that does nothing.
static void removeStatement(scf::ForOp op) {
  IntegerFacts facts(op);
  if (op.getNumResults() == 0 &&
      (isEmpty(*op.getBody()) ||
       (!op.getUnsignedCmp() && isIndexInteger(op.getStep().getType()) &&
        facts.compare(arith::CmpIPredicate::sle,
                      facts.getExpr(op.getUpperBound()),
                      facts.getExpr(op.getLowerBound())) == true)))
    eraseWithOperands(op);
}

static void removeStatement(ForOp op) {
  IntegerFacts facts(op);
  if (isEmpty(op.getBody().front()) ||
      (isIndexInteger(op.getExtent().getType()) &&
       facts.compare(arith::CmpIPredicate::sle, facts.getExpr(op.getExtent()),
                     getAffineConstantExpr(0, op.getContext())) == true))
    eraseWithOperands(op);
}

/// An attribute of nothing.
static void removeStatement(AttrOp op) {
  if (isEmpty(op.getBody().front()) ||
      op.getKey() == "pragma_debug_skip_region")
    eraseWithOperands(op);
}

/// Replaces `op` by the ops of its branch.
static void takeBranch(scf::IfOp op, Block *branch) {
  if (branch) {
    Operation *yield = branch->getTerminator();
    op->replaceAllUsesWith(yield->getOperands());
    yield->erase();
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           branch->getOperations());
  }
  eraseWithOperands(op);
}

/// Empty branches, a condition that is known, and `if (a) {} else { b }`, which
/// becomes `if (!a) { b }`.
static void removeStatement(scf::IfOp op) {
  if (std::optional<int64_t> condition = getConstant(op.getCondition()))
    return takeBranch(op, *condition ? op.thenBlock() : op.elseBlock());
  if (op.getNumResults() != 0)
    return;
  if (op.elseBlock() && isEmpty(*op.elseBlock()))
    op.elseBlock()->erase();
  if (!isEmpty(*op.thenBlock()))
    return;
  if (!op.elseBlock())
    return eraseWithOperands(op);
  OpBuilder builder(op);
  Value isTrue = arith::ConstantOp::create(builder, op.getLoc(),
                                           builder.getBoolAttr(true));
  op.getConditionMutable().assign(
      arith::XOrIOp::create(builder, op.getLoc(), op.getCondition(), isTrue));
  op.getThenRegion().takeBody(op.getElseRegion());
}

void RemoveNoOp::runOnOperation() {
  // Inner statements come first.
  getOperation()->walk([](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<AttrOp, EvaluateOp, ForOp, StoreOp, memref::StoreOp, scf::ForOp,
              scf::IfOp>([](auto op) { removeStatement(op); });
  });
}
