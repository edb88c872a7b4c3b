//===- UniqueFunctions.cpp - Functions that a pass adds -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UniqueFunctions.h"
#include "DimReplacer.h"
#include "Structure/Values.h"
#include "Utils.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// A hash of the type and the body, equal for functions that differ in
/// locations and names alone.
static size_t hashFunction(FunctionOpInterface func) {
  llvm::hash_code hash = hash_value(func.getFunctionType());
  func->walk([&](Operation *op) {
    if (op != func)
      hash = llvm::hash_combine(hash,
                                OperationEquivalence::computeHash(
                                    op, OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::IgnoreLocations));
  });
  // DenseMap keeps the last two numbers for itself.
  return size_t(hash) >> 1;
}

bool partita::relax::areSame(FunctionOpInterface a, FunctionOpInterface b) {
  return a->getName() == b->getName() &&
         a.getFunctionType() == b.getFunctionType() &&
         a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         a->getDiscardableAttrDictionary() ==
             b->getDiscardableAttrDictionary() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getFunctionBody(), &b.getFunctionBody(),
             OperationEquivalence::IgnoreLocations);
}

/// A copy of `func` with numbers as the names of its sizes, in the order in
/// which they come. Null if it has no names, or names that can't change.
static OwningOpRef<FuncOp> numberSizes(FuncOp func) {
  DimReplacer replacer;
  bool canChange = true;
  auto add = [&](StringAttr name) {
    auto number =
        StringAttr::get(name.getContext(), "n" + Twine(replacer.dims.size()));
    replacer.dims.try_emplace(name, number);
  };
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
    forEachNameIn(type, add);
    canChange &= !func.getArgAttr(index, FuncOp::getDimAttrName());
  }
  func.getBody().walk([&](Operation *op) {
    forEachNameIn(op, add);
    canChange &=
        !isa<OpaqueExprOp>(op) && !op->hasAttr(FuncOp::getDimAttrName());
  });
  if (replacer.dims.empty() || !canChange)
    return nullptr;
  OwningOpRef<FuncOp> numbered = func.clone();
  replacer.replaceIn(*numbered);
  return numbered;
}

FunctionOpInterface UniqueFunctions::insert(FunctionOpInterface func) {
  StringAttr name = SymbolTable::getSymbolName(func);
  Names &names = namesOf[name];
  Known known{func, nullptr};
  if (auto relaxFunc = dyn_cast<FuncOp>(func.getOperation()))
    known.numbered = numberSizes(relaxFunc);
  std::vector<Known> &others = names.byBody[hashFunction(known.getForm())];
  for (Known &other : others)
    if (areSame(known.getForm(), other.getForm())) {
      func->erase();
      return other.func;
    }
  others.push_back(std::move(known));
  std::string base = name.str();
  while (symbols.lookup(name))
    name = StringAttr::get(func->getContext(),
                           base + std::to_string(++names.count));
  SymbolTable::setSymbolName(func, name);
  symbols.insert(func);
  ++numAdded;
  return func;
}

/// Whether the sizes and elements of a value of type `type` are known.
static bool isKnown(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isKnown);
  if (auto shape = dyn_cast<relax::ShapeType>(type))
    return shape.getRanked() && !shape.getLacksValues();
  std::optional<TensorInfo> info = TensorInfo::get(type);
  return !info || (info->elementType && isShapeKnown(*info));
}

/// Erases ops that are part of an expression which is gone.
static void eraseUnusedParts(ValueRange values) {
  SmallVector<Operation *> worklist;
  auto add = [&](ValueRange operands) {
    for (Value operand : operands)
      if (Operation *op = operand.getDefiningOp();
          isa_and_nonnull<DimOp, PrimValueOp, relax::ShapeOp, TupleOp>(op) &&
          op->use_empty() && !llvm::is_contained(worklist, op))
        worklist.push_back(op);
  };
  add(values);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    add(operands);
  }
}

CallTIROp partita::relax::replaceByKernel(
    Operation *op, UniqueFunctions &functions,
    function_ref<LogicalResult(KernelBuilder &)> build) {
  if (!llvm::all_of(op->getOperandTypes(), isKnown) ||
      !llvm::all_of(op->getResultTypes(), [](Type type) {
        return TensorInfo::get(type) && isKnown(type);
      }))
    return nullptr;
  KernelBuilder kernel(op);
  if (failed(build(kernel)))
    return nullptr;
  FailureOr<tir::PrimFuncOp> func = kernel.finish();
  if (failed(func))
    return nullptr;
  OpBuilder builder(op);
  auto call = CallTIROp::create(builder, op->getLoc(), op->getResultTypes(),
                                FlatSymbolRefAttr::get(functions.insert(*func)),
                                kernel.getArguments());
  call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->replaceAllUsesWith(call);
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  eraseUnusedParts(operands);
  return call;
}
