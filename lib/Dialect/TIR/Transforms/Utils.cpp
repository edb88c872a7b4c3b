//===- Utils.cpp - What several passes on prim_funcs need -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/Matchers.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

void tir::inlineBefore(Block &block, Operation *op) {
  block.getTerminator()->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         block.getOperations());
}

std::optional<int64_t> tir::getConstant(Value value) {
  APInt constant;
  if (auto op = value.getDefiningOp<tir::ConstantOp>()) {
    auto number = dyn_cast<IntegerAttr>(op.getValue());
    if (!number || !number.getValue().isIntN(63))
      return std::nullopt;
    return number.getValue().getZExtValue();
  }
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      !constant.isSignedIntN(64))
    return std::nullopt;
  return constant.getSExtValue();
}

static constexpr StringLiteral annotationsName = "tir.annotations";

DictionaryAttr tir::getLoopAnnotations(Operation *loop) {
  if (auto op = dyn_cast<tir::ForOp>(loop))
    return op.getAnnotationsAttr();
  return loop->getAttrOfType<DictionaryAttr>(annotationsName);
}

void tir::setLoopAnnotations(Operation *loop, DictionaryAttr annotations) {
  if (auto op = dyn_cast<tir::ForOp>(loop))
    op.setAnnotationsAttr(annotations);
  else if (annotations)
    loop->setAttr(annotationsName, annotations);
  else
    loop->removeAttr(annotationsName);
}

void tir::eraseAttrNodes(Value value) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
    if (isa<AttrNodeOp>(user))
      user->erase();
}
