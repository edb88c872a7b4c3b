//===- Utils.cpp - What passes on algebra have in common ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

using namespace mlir;
using namespace partita::relax;

CompileTimeValues::CompileTimeValues(FuncOp func) {
  if (func.isExternal())
    return;
  for (BlockArgument parameter : func.getArguments())
    if (isWeight(parameter)) {
      known.insert(parameter);
      names.insert_range(getNames(parameter.getType()));
    }
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != func && isKnown(op))
      known.insert_range(op->getResults());
  });
  // A block gives what its ops compute.
  func.walk([&](DataflowOp op) {
    for (auto [result, output] : llvm::zip(
             op.getResults(), op.getBody()->getTerminator()->getOperands()))
      if (known.contains(output))
        known.insert(result);
  });
}

bool CompileTimeValues::isKnown(Operation *op) const {
  auto areNamesKnown = [&](ShapeAttr dims) {
    return llvm::all_of(dims.getDims(), [&](Dim dim) {
      bool isKnown = !dim.isUnknown();
      if (dim.isName())
        forEachName(dim.getName(), [&](StringRef name) {
          isKnown &= names.contains(StringAttr::get(op->getContext(), name));
        });
      return isKnown;
    });
  };
  if (auto shape = dyn_cast<ShapeOp>(op))
    return areNamesKnown(shape.getDims());
  if (auto dim = dyn_cast<DimOp>(op))
    return areNamesKnown(dim.getDims());
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return known.contains(operand); });
}

int64_t partita::relax::applyRule(FuncOp func, Rule rule) {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && op->getNumRegions() == 0)
      ops.push_back(op);
  });
  // In the order of the program.
  SetVector<Operation *> worklist(ops.rbegin(), ops.rend());
  // These are erased in the end, as rules know values by their addresses.
  SetVector<Operation *> replaced;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (replaced.contains(op))
      continue;
    OpBuilder builder(op);
    Operation *before = op->getPrevNode();
    Value value = rule(builder, op);
    if (!value)
      continue;
    // Others rely on the type, which can say more than follows.
    Operation *root = value.getDefiningOp();
    value.setType(op->getResult(0).getType());
    root->setLoc(op->getLoc());
    root->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->replaceAllUsesWith(ValueRange(value));
    replaced.insert(op);
    worklist.insert(value.user_begin(), value.user_end());
    for (Operation *made = op->getPrevNode(); made != before;
         made = made->getPrevNode())
      worklist.insert(made);
  }
  for (Operation *op : replaced)
    op->erase();
  return replaced.size();
}

bool partita::relax::keepsElementType(MatmulOp op) {
  auto getElementType = [](Value value) {
    std::optional<TensorInfo> info = TensorInfo::get(value.getType());
    return info ? info->elementType : Type();
  };
  Type type = getElementType(op.getResult());
  return type && getElementType(op.getX1()) == type &&
         getElementType(op.getX2()) == type;
}
