//===- RemovePurityChecking.cpp - Let pure functions have effects ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_REMOVEPURITYCHECKING
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct RemovePurityChecking
    : relax::impl::RemovePurityCheckingBase<RemovePurityChecking> {
  void runOnOperation() override;
};
} // namespace

/// Replaces `op`, a call that is pure, by one of `PlainOp`.
template <typename PlainOp>
static void makePlain(Operation *op) {
  OpBuilder builder(op);
  auto plain = PlainOp::create(builder, op->getLoc(),
                               op->getResult(0).getType(), op->getOperands());
  plain->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  plain.setTyArgsAttr(op->getAttrOfType<ArrayAttr>("ty_args"));
  // What call_inplace_packed has is its own.
  if (!isa<CallInplacePackedOp>(op)) {
    plain.setAttrsTypeAttr(op->getAttrOfType<StringAttr>("attrs_type"));
    plain.setAttrsAttr(op->getAttrOfType<DictionaryAttr>("attrs"));
  }
  op->replaceAllUsesWith(plain);
  op->erase();
}

void RemovePurityChecking::runOnOperation() {
  FuncOp func = getOperation();
  if (!isChangeable(func))
    return;
  StringRef forced = "relax.force_pure";
  Attribute isTrue = BoolAttr::get(&getContext(), true);
  if (func.getIsPure())
    func->setAttr(forced, isTrue);
  func.walk([&](LocalFuncOp local) {
    if (local.getType().getPure())
      local->setAttr(forced, isTrue);
  });
  func.walk([&](Operation *op) {
    if (!isa<CallPurePackedOp, CallInplacePackedOp, InvokePureClosureOp>(op) ||
        (op->getParentOfType<DataflowOp>() && !isInForcedCode(op)))
      return;
    if (isa<InvokePureClosureOp>(op))
      makePlain<InvokeClosureOp>(op);
    else
      makePlain<CallValueOp>(op);
    ++numCalls;
  });
}
