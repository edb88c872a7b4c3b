//===- WholeTuple.cpp - Tuples that are passed on whole -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WholeTuple.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"

using namespace mlir;
using namespace partita::relax;

TupleGetItemOp partita::relax::getUnnamedField(Value operand) {
  // The function's type can say less of a field.
  auto item = getUncast(operand).getDefiningOp<TupleGetItemOp>();
  bool isFree = item && !isVar(item) && !item->hasAttr(inlineAttrName);
  return isFree ? item : TupleGetItemOp();
}

Value partita::relax::getWholeTuple(Operation *op) {
  if (!takesTuple(op) || isa<TupleOp>(op) || op->getNumOperands() == 0)
    return {};
  Value tuple;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    TupleGetItemOp item = getUnnamedField(operand);
    if (!item || item.getIndex() != index ||
        (tuple && tuple != item.getTupleValue()))
      return {};
    tuple = item.getTupleValue();
  }
  bool isAll = cast<TupleType>(tuple.getType()).size() == op->getNumOperands();
  return isAll ? tuple : Value();
}
