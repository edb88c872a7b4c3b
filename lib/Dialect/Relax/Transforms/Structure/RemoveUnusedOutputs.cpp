//===- RemoveUnusedOutputs.cpp - Drop unused results ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"
#include "Values.h"

#include "../NarrowTypes.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/BitVector.h"

namespace partita::relax {
#define GEN_PASS_DEF_REMOVEUNUSEDOUTPUTSINNER
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct RemoveUnusedOutputsInner
    : relax::impl::RemoveUnusedOutputsInnerBase<RemoveUnusedOutputsInner> {
  void runOnOperation() override;
};
} // namespace

/// The elements of `all` whose bits are set in `used`.
template <typename RangeT>
static auto select(const RangeT &all, const BitVector &used) {
  SmallVector<std::decay_t<decltype(*all.begin())>> selected;
  for (auto [index, each] : llvm::enumerate(all))
    if (used[index])
      selected.push_back(each);
  return selected;
}

static void dropResults(FuncOp func, const BitVector &used) {
  Operation *end = func.getBody().front().getTerminator();
  SmallVector<Value> before(end->getOperands());
  end->setOperands(select(before, used));
  end->removeAttr(seqTypeAttrName);
  for (Value value : llvm::SetVector<Value>(before.begin(), before.end()))
    eraseUnusedPart(value);
  func.setType(FunctionType::get(func.getContext(), func.getArgumentTypes(),
                                 end->getOperandTypes()));
  func.removeResAttrsAttr();
}

/// Replaces `call` by one without the unused results; returns whether types
/// have changed.
static bool dropResults(CallOp call, FuncOp callee, const BitVector &used) {
  DimBinding binding;
  for (auto [formal, operand] :
       llvm::zip(callee.getArgumentTypes(), call.getOperandTypes()))
    (void)binding.bind(formal, operand);
  SmallVector<Value> results =
      select(SmallVector<Value>(call.getResults()), used);
  bool haveTypesChanged = false;
  SmallVector<Type> types;
  for (auto [result, formal] : llvm::zip(results, callee.getResultTypes())) {
    Type inferred = binding.apply(formal), type = result.getType();
    bool saysMore = inferred != type && isMoreGeneral(type, inferred);
    haveTypesChanged |= saysMore;
    types.push_back(saysMore ? inferred : type);
  }
  Location loc = call.getLoc();
  if (auto fused = dyn_cast<FusedLoc>(loc);
      fused && fused.getLocations().size() == call.getNumResults())
    loc = FusedLoc::get(call.getContext(), select(fused.getLocations(), used));
  OpBuilder builder(call);
  auto smaller = CallOp::create(builder, loc, types, call.getCalleeAttr(),
                                call.getOperands(), call.getArgAttrsAttr(),
                                ArrayAttr(), call.getIsPureAttr());
  smaller->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  smaller->removeDiscardableAttr(varTypeAttrName);
  for (auto [result, replacement] : llvm::zip(results, smaller.getResults()))
    result.replaceAllUsesWith(replacement);
  call.erase();
  return haveTypesChanged;
}

void RemoveUnusedOutputsInner::runOnOperation() {
  std::vector<std::pair<PrivateFunction, BitVector>> changes;
  for (auto &[name, function] : findPrivateFunctions(getOperation())) {
    unsigned numResults = function.func.getNumResults();
    // What nothing calls goes as a whole.
    if (numResults < 2 || function.calls.empty())
      continue;
    BitVector used(numResults);
    for (CallOp call : function.calls)
      for (OpResult result : call.getResults())
        if (!result.use_empty())
          used.set(result.getResultNumber());
    if (!used.all())
      changes.emplace_back(function, used);
  }
  if (changes.empty())
    return markAllAnalysesPreserved();
  llvm::SetVector<Operation *> callers;
  for (auto &[function, used] : changes) {
    numOutputs += used.size() - used.count();
    dropResults(function.func, used);
    for (CallOp call : function.calls) {
      auto caller = call->getParentOfType<FuncOp>();
      if (dropResults(call, function.func, used))
        callers.insert(caller);
    }
  }
  for (Operation *caller : callers)
    narrowTypes(cast<FuncOp>(caller));
}
