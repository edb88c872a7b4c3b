//===- BlockBindings.cpp - TVM's bindings of a dataflow block -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFusor.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

bool relax::isFieldOfTuple(Operation *op) {
  if (isa<TupleGetItemOp>(op))
    return true;
  auto alias = dyn_cast<AliasOp>(op);
  auto field = alias ? dyn_cast<OpResult>(alias.getValue()) : OpResult();
  return field && field.getOwner()->getNumResults() > 1;
}

BlockBindings::BlockBindings(DataflowOp dataflow) {
  for (Operation &op : dataflow.getBody()->without_terminator()) {
    if (isLiteralOrTuple(&op))
      continue;
    ofOp[&op] = bindings.size();
    bindings.push_back({&op, std::nullopt});
    if (op.getNumResults() < 2)
      continue;
    // TVM binds each field that an op uses.
    for (OpResult result : op.getResults())
      if (llvm::any_of(result.getUsers(),
                       [](Operation *user) { return !isFieldOfTuple(user); })) {
        ofField[result] = bindings.size();
        bindings.push_back({&op, result.getResultNumber()});
      }
  }
}

std::optional<unsigned> BlockBindings::getBinding(Value value,
                                                  Operation *user) const {
  Operation *op = value.getDefiningOp();
  auto binding = ofOp.find(op);
  if (binding == ofOp.end())
    return std::nullopt;
  if (op->getNumResults() < 2 || isFieldOfTuple(user))
    return binding->second;
  return ofField.lookup(value);
}

std::optional<unsigned> BlockBindings::find(Operation *op) const {
  auto binding = ofOp.find(op);
  return binding == ofOp.end() ? std::nullopt : std::optional(binding->second);
}

std::optional<unsigned> BlockBindings::findField(Value value) const {
  auto binding = ofField.find(value);
  return binding == ofField.end() ? std::nullopt
                                  : std::optional(binding->second);
}

void BlockBindings::forEachUsed(unsigned index,
                                function_ref<void(unsigned used)> visit) const {
  const Binding &binding = bindings[index];
  if (binding.field)
    return visit(ofOp.lookup(binding.op));
  SmallVector<std::pair<Value, Operation *>> worklist;
  auto add = [&](Operation *op) {
    size_t begin = worklist.size();
    for (Value operand : op->getOperands())
      worklist.push_back({operand, op});
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      worklist.push_back({value, op});
    std::reverse(worklist.begin() + begin, worklist.end());
  };
  add(binding.op);
  while (!worklist.empty()) {
    auto [value, user] = worklist.pop_back_val();
    if (std::optional<unsigned> used = getBinding(value, user))
      visit(*used);
    else if (Operation *op = value.getDefiningOp();
             op && op->getBlock() == binding.op->getBlock())
      add(op);
  }
}

bool BlockBindings::isOutput(unsigned index) const {
  const Binding &binding = bindings[index];
  Operation *terminator = binding.op->getBlock()->getTerminator();
  auto isUsed = [&](Value value) {
    return llvm::is_contained(value.getUsers(), terminator);
  };
  if (binding.field)
    return isUsed(binding.op->getResult(*binding.field));
  return binding.op->getNumResults() == 1 && isUsed(binding.op->getResult(0));
}
