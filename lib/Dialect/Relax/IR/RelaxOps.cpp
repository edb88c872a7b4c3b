//===- RelaxOps.cpp - Functions, calls, blocks and values -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "RelaxDetail.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace partita::relax;

#define GET_OP_CLASSES
#include "partita/Dialect/Relax/IR/RelaxOps.cpp.inc"

//===----------------------------------------------------------------------===//
// FuncOp
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   FunctionType type) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.function_type = TypeAttr::get(type);
  state.addRegion();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult FuncOp::verifyRegions() { return success(); }

/// Verifies that a terminator gives `types` to its parent.
static LogicalResult verifyTerminator(Operation *op, TypeRange types) {
  if (op->getNumOperands() != types.size())
    return op->emitOpError("expected ")
           << types.size() << " operands, as many as '"
           << op->getParentOp()->getName() << "' has results, found "
           << op->getNumOperands();
  for (auto [index, operand, type] :
       llvm::enumerate(op->getOperandTypes(), types))
    if (operand != type)
      return op->emitOpError("expected operand ")
             << index << " to have type " << type << ", as the result of '"
             << op->getParentOp()->getName() << "', found " << operand;
  return success();
}

LogicalResult ReturnOp::verify() {
  return verifyTerminator(
      *this, cast<FuncOp>((*this)->getParentOp()).getResultTypes());
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

void CallOp::build(OpBuilder &, OperationState &state, FuncOp callee,
                   ValueRange operands) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.callee = FlatSymbolRefAttr::get(callee);
  properties.is_pure = callee.getIsPureAttr();
  state.addOperands(operands);
  state.addTypes(callee.getResultTypes());
}

void CallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getIsPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult CallOp::verify() { return success(); }

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbolTables) {
  return success();
}

//===----------------------------------------------------------------------===//
// CallTIROp
//===----------------------------------------------------------------------===//

LogicalResult CallTIROp::verify() {
  if (getNumResults() == 0)
    return emitOpError("expected at least one result, found none");
  return success();
}

LogicalResult CallTIROp::verifySymbolUses(SymbolTableCollection &symbolTables) {
  return success();
}

//===----------------------------------------------------------------------===//
// DataflowOp
//===----------------------------------------------------------------------===//

void DataflowOp::build(OpBuilder &, OperationState &state, TypeRange results) {
  state.addTypes(results);
  state.addRegion()->emplaceBlock();
}

void DataflowOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBodyRegion());
  else
    regions.emplace_back(getOperation(), getResults());
}

void DataflowOp::getRegionInvocationBounds(
    ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.emplace_back(1, 1);
}

LogicalResult DataflowOp::verifyRegions() { return success(); }

LogicalResult OutputOp::verify() {
  return verifyTerminator(*this, (*this)->getParentOp()->getResultTypes());
}

//===----------------------------------------------------------------------===//
// Values that are not computed
//===----------------------------------------------------------------------===//

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "cst");
}

void MatchCastOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {}

LogicalResult MatchCastOp::verify() { return success(); }
