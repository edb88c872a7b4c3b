//===- Utils.cpp - What passes on Relax have in common --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace partita::relax;

DataflowOp partita::relax::dropUnusedOutputs(DataflowOp op) {
  if (llvm::none_of(op.getResults(),
                    [](Value result) { return result.use_empty(); }))
    return op;
  Operation *output = op.getBody()->getTerminator();
  SmallVector<Value> used, operands;
  for (auto [result, operand] :
       llvm::zip(op.getResults(), output->getOperands()))
    if (!result.use_empty()) {
      used.push_back(result);
      operands.push_back(operand);
    }
  output->setOperands(operands);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto smaller = DataflowOp::create(builder, op.getLoc(), TypeRange(operands));
  smaller->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  smaller.getBodyRegion().takeBody(op.getBodyRegion());
  for (auto [result, replacement] : llvm::zip(used, smaller.getResults()))
    result.replaceAllUsesWith(replacement);
  op.erase();
  return smaller;
}

NumErased partita::relax::eraseUnused(Block &block) {
  NumErased erased;
  // Backwards, so that an op comes after its users.
  for (Operation &each : llvm::make_early_inc_range(llvm::reverse(block))) {
    Operation *op = &each;
    unsigned numResults = op->getNumResults();
    if (isOpTriviallyDead(op)) {
      op->erase();
      ++erased.ops;
      continue;
    }
    if (auto dataflow = dyn_cast<DataflowOp>(op)) {
      op = dropUnusedOutputs(dataflow);
      erased.outputs += numResults - op->getNumResults();
    }
    for (Region &region : op->getRegions())
      for (Block &inner : llvm::reverse(region)) {
        NumErased more = eraseUnused(inner);
        erased.ops += more.ops;
        erased.outputs += more.outputs;
      }
  }
  return erased;
}
