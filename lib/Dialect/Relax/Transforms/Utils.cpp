//===- Utils.cpp - What passes on Relax have in common --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

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
