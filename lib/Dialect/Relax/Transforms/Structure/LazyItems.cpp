//===- LazyItems.cpp - Load weights where they are needed -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LazyItems.h"
#include "Values.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace partita::relax;

LazyItems::LazyItems(FuncOp func, unsigned first, bool splitsTuple, Load load)
    : func(func), first(first), makeLoad(load) {
  unsigned numParameters = func.getNumArguments();
  if (splitsTuple)
    tuple = func.getArgument(first);
  auto addItem = [&](Type item, ArrayRef<StringAttr> introduced) {
    for (StringAttr name : introduced)
      names.try_emplace(name, Name{unsigned(types.size()), 0});
    types.push_back(item);
  };
  if (tuple)
    for (Type field : cast<TupleType>(tuple.getType()).getTypes())
      addItem(field, getNames(field));
  else
    for (unsigned index = first; index < numParameters; ++index)
      addItem(func.getArgumentTypes()[index], getNamesOfParameter(func, index));
  for (unsigned index = 0; index < first; ++index)
    for (StringAttr name : getNamesOfParameter(func, index))
      names.erase(name);
}

llvm::LogicalResult LazyItems::run() {
  if (tuple)
    for (Operation *user : tuple.getUsers())
      if (!isa<TupleGetItemOp>(user))
        return user->emitOpError("expected the fields of parameter ")
               << first << " of @" << func.getSymName()
               << " to be used one by one, but found a use of the whole tuple";
  visit(func.getBody().front());
  BitVector erased(func.getNumArguments());
  erased.set(first, func.getNumArguments());
  return func.eraseArguments(erased);
}

void LazyItems::visit(Block &block) {
  unsigned before = trail.size();
  for (Operation &op : llvm::make_early_inc_range(block))
    visit(&op);
  while (trail.size() > before) {
    unsigned index = trail.pop_back_val();
    loaded.erase(index);
    for (StringAttr name : getNames(types[index]))
      if (auto it = names.find(name); it != names.end())
        --it->second.numLoaded;
  }
}

void LazyItems::visit(Operation *op) {
  if (auto field = dyn_cast<TupleGetItemOp>(op);
      field && tuple && field.getTupleValue() == tuple) {
    OpBuilder builder(op);
    unsigned index = field.getIndex();
    Value value = makeLoad(builder, index, field.getType(), field);
    field.replaceAllUsesWith(value);
    field.erase();
    setLoaded(index, value);
    return;
  }
  if (!names.empty())
    loadNames(op);
  auto loadOperands = [&](Operation *user) {
    for (OpOperand &operand : user->getOpOperands()) {
      auto parameter = dyn_cast<BlockArgument>(operand.get());
      if (!parameter || tuple ||
          parameter.getOwner() != &func.getBody().front())
        continue;
      if (unsigned number = parameter.getArgNumber(); number >= first) {
        load(op, number - first);
        operand.set(loaded.lookup(number - first));
      }
    }
  };
  loadOperands(op);
  // A function in this one gets its items from around it.
  if (isa<LocalFuncOp>(op))
    op->walk(loadOperands);
  else
    for (Region &region : op->getRegions())
      for (Block &block : region)
        visit(block);
}

void LazyItems::loadNames(Operation *op) {
  auto loadName = [&](StringAttr name) {
    auto it = names.find(name);
    if (it != names.end() && it->second.numLoaded == 0)
      load(op, it->second.item);
  };
  // What is kept as it is can have any name.
  if (isa<OpaqueExprOp>(op))
    for (StringAttr name : func.getParameterNames())
      loadName(name);
  if (isa<LocalFuncOp>(op))
    op->walk([&](Operation *inner) { forEachNameIn(inner, loadName); });
  else
    forEachNameIn(op, loadName);
}

void LazyItems::load(Operation *before, unsigned index) {
  if (loaded.contains(index))
    return;
  OpBuilder builder(before);
  setLoaded(index, makeLoad(builder, index, types[index], TupleGetItemOp()));
}

void LazyItems::setLoaded(unsigned index, Value value) {
  if (!loaded.try_emplace(index, value).second)
    return;
  trail.push_back(index);
  for (StringAttr name : getNames(types[index]))
    if (auto it = names.find(name); it != names.end())
      ++it->second.numLoaded;
}
