//===- UniqueFunctions.cpp - Functions that a pass adds -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UniqueFunctions.h"

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

static bool areSame(FunctionOpInterface a, FunctionOpInterface b) {
  return a->getName() == b->getName() &&
         a.getFunctionType() == b.getFunctionType() &&
         a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         a->getDiscardableAttrDictionary() ==
             b->getDiscardableAttrDictionary() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getFunctionBody(), &b.getFunctionBody(),
             OperationEquivalence::IgnoreLocations);
}

FunctionOpInterface UniqueFunctions::insert(FunctionOpInterface func) {
  StringAttr name = SymbolTable::getSymbolName(func);
  Names &names = namesOf[name];
  SmallVector<FunctionOpInterface, 1> &others =
      names.byBody[hashFunction(func)];
  for (FunctionOpInterface other : others)
    if (areSame(func, other)) {
      func->erase();
      return other;
    }
  others.push_back(func);
  std::string base = name.str();
  while (symbols.lookup(name))
    name = StringAttr::get(func->getContext(),
                           base + std::to_string(++names.count));
  SymbolTable::setSymbolName(func, name);
  symbols.insert(func);
  ++numAdded;
  return func;
}
