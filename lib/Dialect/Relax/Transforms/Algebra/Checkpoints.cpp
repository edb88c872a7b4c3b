//===- Checkpoints.cpp - Compute values again for gradients ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkpoints.h"

using namespace mlir;
using namespace partita::relax;

/// Replaces the mark `op`, whose value leaves the block under another name.
static void eraseMark(Operation *op) {
  Value value = op->getOperand(0);
  if (llvm::any_of(op->getUsers(), llvm::IsaPred<OutputOp>)) {
    OpBuilder builder(op);
    value = AliasOp::create(builder, value.getLoc(), value);
  }
  op->replaceAllUsesWith(ValueRange(value));
  op->erase();
}

Checkpoints::Checkpoints(FuncOp func, DataflowOp dataflow)
    : dataflow(dataflow) {
  // Values that marks end with, and ones that are kept. Both are looked at
  // before the marks go.
  DenseSet<Value> ends, kept;
  SmallVector<Operation *> marks, others;
  kept.insert_range(func.getArguments());
  for (Operation &op : dataflow.getBody()->without_terminator()) {
    if (isa<EndCheckpointOp, StartCheckpointOp>(op)) {
      Value source = op.getOperand(0);
      while (isa_and_nonnull<EndCheckpointOp, StartCheckpointOp>(
          source.getDefiningOp()))
        source = source.getDefiningOp()->getOperand(0);
      if (isa<StartCheckpointOp>(op))
        kept.insert(source);
      else
        ends.insert(op.getResult(0));
      marks.push_back(&op);
      continue;
    }
    bool isKept = llvm::all_of(op.getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return kept.contains(operand) || ends.contains(operand) ||
             (source &&
              (source->getBlock() != dataflow.getBody() || isLiteral(source)));
    });
    if (isKept)
      kept.insert_range(op.getResults());
    others.push_back(&op);
  }
  for (Operation *op : others)
    if (!isLiteral(op))
      for (Value result : op->getResults())
        if (!kept.contains(result))
          recomputed.insert(result);
  for (Operation *mark : marks)
    eraseMark(mark);
}

bool Checkpoints::isKept(Value value) const {
  return !recomputed.contains(value) || mapping.contains(value);
}

void Checkpoints::compute(OpBuilder &builder, Operation *op) {
  Operation *again = builder.clone(*op, mapping);
  if (StringAttr name = getVarName(op->getLoc()))
    again->setLoc(withName(op->getLoc(), name.getValue() + "_cp"));
}

Value Checkpoints::get(OpBuilder &builder, Value value) {
  // Operands first, in order. Chains can be long.
  SmallVector<Operation *> stack;
  if (!isKept(value))
    stack.push_back(value.getDefiningOp());
  while (!stack.empty()) {
    Operation *op = stack.back();
    size_t before = stack.size();
    for (Value operand : llvm::reverse(op->getOperands()))
      if (!isKept(operand))
        stack.push_back(operand.getDefiningOp());
    if (stack.size() != before)
      continue;
    stack.pop_back();
    // An op can be there twice.
    if (!isKept(op->getResult(0)))
      compute(builder, op);
  }
  return mapping.lookupOrDefault(value);
}

void Checkpoints::recompute(OpBuilder &builder, Operation *op,
                            SmallVectorImpl<Value> &operands,
                            SmallVectorImpl<Value> &results) {
  for (Value operand : op->getOperands())
    operands.push_back(get(builder, operand));
  for (Value result : op->getResults())
    results.push_back(get(builder, result));
}

Value Checkpoints::getWhole(Operation *op) {
  auto first = dyn_cast<OpResult>(op->getOperand(0));
  if (!first || first.getOwner()->getNumResults() != op->getNumOperands() ||
      op->getNumOperands() < 2)
    return nullptr;
  return op->getOperands() == ValueRange(first.getOwner()->getResults())
             ? first
             : Value();
}
