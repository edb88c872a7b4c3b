//===- RewriteDataflowReshape.cpp - Turn kernels into reshape -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Dialect/Relax/Transforms/ReshapeAnalysis.h"

namespace partita::relax {
#define GEN_PASS_DEF_REWRITEDATAFLOWRESHAPE
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// Whether `from` can be reshaped to `to`: both have as many elements, of the
/// same type.
static bool canReshape(Type from, Type to) {
  std::optional<TensorInfo> x = TensorInfo::get(from), y = TensorInfo::get(to);
  return x && y && x->elementType && x->elementType == y->elementType &&
         x->vdevice == y->vdevice && isShapeKnown(*x) && isShapeKnown(*y) &&
         areEqual(multiply(x->dims), multiply(y->dims)) &&
         !multiply(x->dims).isUnknown();
}

/// Whether TVM has a variable for `value` that is known after its block.
static bool isOutput(Value value) {
  return llvm::any_of(value.getUsers(), llvm::IsaPred<OutputOp>);
}

namespace {
struct RewriteDataflowReshape
    : relax::impl::RewriteDataflowReshapeBase<RewriteDataflowReshape> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    DenseMap<Operation *, std::optional<unsigned>> reshaped;
    SmallVector<CallTIROp> calls;
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (!partita::transform::skipsOptimization(func))
        func.walk([&](CallTIROp call) {
          if (isa<DataflowOp>(call->getParentOp()) &&
              call->getNumResults() == 1 && !isOutput(call.getResult(0)))
            calls.push_back(call);
        });
    bool changed = false;
    for (CallTIROp call : calls) {
      auto func = symbols.lookup<tir::PrimFuncOp>(call.getCallee());
      if (!func)
        continue;
      auto [found, isNew] = reshaped.try_emplace(func);
      if (isNew)
        found->second = findReshaped(func);
      if (!found->second || *found->second >= call.getNumOperands())
        continue;
      Value x = call.getOperand(*found->second), result = call.getResult(0);
      if (!canReshape(x.getType(), result.getType()))
        continue;
      OpBuilder builder(call);
      Value shape =
          createShape(builder, TensorInfo::get(result.getType())->dims);
      auto reshape =
          ReshapeOp::create(builder, call.getLoc(), result.getType(), x, shape);
      reshape->setDiscardableAttrs(call->getDiscardableAttrDictionary());
      result.replaceAllUsesWith(reshape.getResult());
      call.erase();
      ++numReshapes;
      changed = true;
    }
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
