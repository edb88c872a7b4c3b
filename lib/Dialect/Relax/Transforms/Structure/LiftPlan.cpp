//===- LiftPlan.cpp - What can be computed from weights alone -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiftPlan.h"
#include "Values.h"

using namespace mlir;
using namespace partita::relax;

SmallVector<Value>
partita::relax::getUsedVariables(Operation *op,
                                 llvm::SetVector<StringAttr> &names) {
  auto addName = [&](StringAttr name) { names.insert(name); };
  llvm::SetVector<Value> variables;
  SmallVector<Value> worklist;
  op->walk([&](Operation *inner) {
    forEachNameIn(inner, addName);
    llvm::append_range(worklist, llvm::reverse(inner->getOperands()));
    while (!worklist.empty()) {
      Value value = getInside(worklist.pop_back_val());
      Operation *part = value.getDefiningOp();
      if (!part || !isPartOfUser(part)) {
        variables.insert(value);
        continue;
      }
      forEachNameIn(part, addName);
      llvm::append_range(worklist, llvm::reverse(part->getOperands()));
    }
  });
  return variables.takeVector();
}

LiftPlan::LiftPlan(FuncOp func, unsigned numInput, bool liftsNames,
                   function_ref<bool(Operation *)> mayLift)
    : mayLift(mayLift) {
  for (BlockArgument weight : func.getArguments().drop_front(numInput)) {
    available.insert(weight);
    weights.insert(weight);
    if (liftsNames)
      availableNames.insert_range(
          getNamesOfParameter(func, weight.getArgNumber()));
  }
  Block &body = func.getBody().front();
  for (Operation &op : body) {
    auto dataflow = dyn_cast<DataflowOp>(op);
    if (!dataflow) {
      visit(&op, /*isInDataflow=*/false);
      continue;
    }
    for (Operation &inner : dataflow.getBody()->without_terminator())
      visit(&inner, /*isInDataflow=*/true);
  }
  // A number that is a size is needed with the size.
  for (BlockArgument weight : func.getArguments().drop_front(numInput))
    if (auto dim = func.getArgAttrOfType<StringAttr>(weight.getArgNumber(),
                                                     FuncOp::getDimAttrName());
        dim && neededNames.contains(dim))
      needed.insert(weight);
}

bool LiftPlan::canLift(Operation *op, ArrayRef<Value> used,
                       ArrayRef<StringAttr> names) const {
  return op->getNumRegions() == 0 &&
         !isa<ExternFuncOp, OpaqueExprOp, StopLiftParamsOp>(op) &&
         (isa<MatchCastOp>(op) || isPureExpr(op)) &&
         llvm::all_of(used,
                      [&](Value value) { return available.contains(value); }) &&
         llvm::all_of(
             names,
             [&](StringAttr name) { return availableNames.contains(name); }) &&
         mayLift(op);
}

void LiftPlan::visit(Operation *op, bool isInDataflow) {
  if (isPartOfUser(op))
    return;
  llvm::SetVector<StringAttr> names;
  SmallVector<Value> used = getUsedVariables(op, names);
  if (isInDataflow && canLift(op, used, names.getArrayRef())) {
    liftable.insert(op);
    available.insert(op->result_begin(), op->result_end());
    if (llvm::any_of(used,
                     [&](Value value) { return weights.contains(value); }))
      weights.insert(op->result_begin(), op->result_end());
    return;
  }
  needed.insert(op->result_begin(), op->result_end());
  needed.insert(used.begin(), used.end());
  neededNames.insert(names.begin(), names.end());
}

bool LiftPlan::dependsOnWeights(Operation *op) const {
  return op->getNumResults() != 0 && weights.contains(op->getResult(0));
}
