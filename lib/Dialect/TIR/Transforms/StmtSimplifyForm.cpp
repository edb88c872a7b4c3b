//===- StmtSimplifyForm.cpp - The form of TVM's expressions ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StmtSimplifyForm.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

/// Marks an op whose first operand is a number.
static constexpr StringLiteral numberFirstName = "tir.number_first";
/// The types of the integers that are indices of a memref.load or memref.store.
static constexpr StringLiteral indexTypesName = "tir.index_types";

//===----------------------------------------------------------------------===//
// noteForm
//===----------------------------------------------------------------------===//

static bool isNumber(Value value) { return matchPattern(value, m_Constant()); }

/// TVM orders the operands of integers' sums and products. It leaves other
/// numbers where they are, while upstream's folders move them to the right.
static bool hasNumberFirst(Operation *op) {
  return op->hasTrait<OpTrait::IsCommutative>() && op->getNumOperands() == 2 &&
         (isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
              arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) ||
          isa<FloatType>(op->getResult(0).getType())) &&
         isNumber(op->getOperand(0)) && !isNumber(op->getOperand(1));
}

/// The operands of a memref.load or memref.store that are indices.
static MutableOperandRange getIndices(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getIndicesMutable();
  return cast<memref::StoreOp>(op).getIndicesMutable();
}

/// Upstream folds a number that is cast to an index.
static void noteIndexTypes(Operation *op) {
  SmallVector<Attribute> types;
  bool hasNumbers = false;
  for (OpOperand &index : getIndices(op)) {
    auto cast = index.get().getDefiningOp<arith::IndexCastOp>();
    bool isCastNumber = cast && isNumber(cast.getIn());
    hasNumbers |= isCastNumber;
    types.push_back(TypeAttr::get(isCastNumber ? cast.getIn().getType()
                                               : index.get().getType()));
  }
  if (hasNumbers)
    op->setAttr(indexTypesName, ArrayAttr::get(op->getContext(), types));
}

void tir::noteForm(Operation *func) {
  func->walk([](Operation *op) {
    // The program may have attributes of these names, too.
    if (!op->getDiscardableAttrDictionary().empty())
      for (StringRef name : {keptName, numberFirstName, indexTypesName})
        op->removeDiscardableAttr(name);
    // The greedy driver erases pure ops and allocations without uses.
    UnitAttr mark = UnitAttr::get(op->getContext());
    if (isa<BindOp, AllocBufferOp, DeclBufferOp>(op)) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      EvaluateOp::create(builder, op->getLoc(), op->getResult(0))
          ->setAttr(keptName, mark);
    } else if (isa<memref::LoadOp, memref::StoreOp>(op)) {
      noteIndexTypes(op);
    } else if (hasNumberFirst(op)) {
      op->setAttr(numberFirstName, mark);
    }
  });
}

//===----------------------------------------------------------------------===//
// restoreForm
//===----------------------------------------------------------------------===//

/// Turns `a > b` into `b < a`, as TVM does. The patterns of arith move numbers
/// to the right side.
static void orderComparison(Operation *op) {
  using arith::CmpFPredicate;
  using arith::CmpIPredicate;
  auto swap = [](auto op, auto predicate) {
    Value lhs = op.getLhs();
    op.getLhsMutable().assign(op.getRhs());
    op.getRhsMutable().assign(lhs);
    op.setPredicate(predicate);
  };
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    switch (cmp.getPredicate()) {
    case CmpIPredicate::sgt:
      return swap(cmp, CmpIPredicate::slt);
    case CmpIPredicate::sge:
      return swap(cmp, CmpIPredicate::sle);
    case CmpIPredicate::ugt:
      return swap(cmp, CmpIPredicate::ult);
    case CmpIPredicate::uge:
      return swap(cmp, CmpIPredicate::ule);
    default:
      return;
    }
  }
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    if (cmp.getPredicate() == CmpFPredicate::OGT)
      swap(cmp, CmpFPredicate::OLT);
    else if (cmp.getPredicate() == CmpFPredicate::OGE)
      swap(cmp, CmpFPredicate::OLE);
  }
}

/// A number of the type `index` has lost the type that it has in TVM.
static void restoreIndexTypes(Operation *op, ArrayAttr types) {
  OpBuilder builder(op);
  for (auto [index, type] :
       llvm::zip_equal(getIndices(op), types.getAsValueRange<TypeAttr>())) {
    APInt number;
    auto integer = dyn_cast<IntegerType>(type);
    if (!integer || !matchPattern(index.get(), m_ConstantInt(&number)) ||
        !number.isSignedIntN(integer.getWidth()))
      continue;
    Value constant = arith::ConstantOp::create(
        builder, op->getLoc(),
        IntegerAttr::get(integer, number.getSExtValue()));
    Operation *folded = index.get().getDefiningOp();
    index.set(arith::IndexCastOp::create(builder, op->getLoc(),
                                         builder.getIndexType(), constant));
    if (folded->use_empty())
      folded->erase();
  }
}

void tir::restoreForm(Operation *func) {
  func->walk([](Operation *op) {
    if (isa<EvaluateOp>(op) && op->hasAttr(keptName))
      return op->erase();
    if (auto types = op->getAttrOfType<ArrayAttr>(indexTypesName)) {
      op->removeAttr(indexTypesName);
      return restoreIndexTypes(op, types);
    }
    if (op->removeAttr(numberFirstName) && isNumber(op->getOperand(1)))
      return op->setOperands({op->getOperand(1), op->getOperand(0)});
    orderComparison(op);
  });
}

bool tir::appendOperands(Value value,
                         llvm::function_ref<Operation *(Value)> getInner,
                         unsigned limit, SmallVectorImpl<Value> &operands) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value operand = worklist.pop_back_val();
    if (Operation *inner = getInner(operand))
      worklist.append({inner->getOperand(1), inner->getOperand(0)});
    else
      operands.push_back(operand);
    if (operands.size() + worklist.size() > limit)
      return false;
  }
  return true;
}
