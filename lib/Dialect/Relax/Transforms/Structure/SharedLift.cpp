//===- SharedLift.cpp - What functions compute alike ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLift.h"
#include "Values.h"

#include "../DimReplacer.h"

using namespace mlir;
using namespace partita::relax;

llvm::LogicalResult
partita::relax::checkWeights(MutableArrayRef<LiftTarget> targets) {
  for (LiftTarget &target : targets.drop_front(!targets.empty())) {
    LiftTarget &first = targets.front();
    auto weights = target.getWeights(), firstWeights = first.getWeights();
    if (weights.size() != firstWeights.size())
      return target.func.emitError("expected @")
             << target.func.getSymName() << " to have " << firstWeights.size()
             << " weights, as @" << first.func.getSymName()
             << " has, but found " << weights.size();
    DimReplacer replacer;
    for (auto [weight, firstWeight] : llvm::zip(weights, firstWeights)) {
      SmallVector<StringAttr> names = getNamesOfParameter(
                                  target.func, weight.getArgNumber()),
                              firstNames = getNamesOfParameter(
                                  first.func, firstWeight.getArgNumber());
      bool isSame = names.size() == firstNames.size();
      for (auto [name, firstName] : llvm::zip(names, firstNames))
        isSame &= replacer.dims.try_emplace(name, firstName).first->second ==
                  Dim(firstName);
      if (!isSame || replacer.apply(weight.getType()) != firstWeight.getType())
        return target.func.emitError("expected weight ")
               << weight.getArgNumber() - target.numInput << " of @"
               << target.func.getSymName() << " to be a "
               << firstWeight.getType() << ", as in @"
               << first.func.getSymName() << ", but found a "
               << weight.getType();
    }
  }
  return success();
}

SharedOps::Key SharedOps::getKey(Operation *op) {
  auto toInteger = [](const void *pointer) {
    return reinterpret_cast<uintptr_t>(pointer);
  };
  Key key = {toInteger(op->getName().getAsOpaquePointer())};
  // Constants can have many elements, which are an attribute of their own.
  auto constant = dyn_cast<ConstantOp>(op);
  Attribute attrs = constant ? Attribute(constant.getValue())
                             : Attribute(op->getAttrDictionary());
  key.push_back(toInteger(attrs.getAsOpaquePointer()));
  for (Type type : op->getResultTypes())
    key.push_back(toInteger(type.getAsOpaquePointer()));
  for (Value operand : op->getOperands()) {
    Value value = getInside(operand);
    if (Operation *part = value.getDefiningOp();
        part && !values.contains(value) && isPartOfUser(part))
      addOp(part);
    // A value that is not known is a value of this function alone.
    auto [it, isNew] = values.try_emplace(value, numValues);
    numValues += isNew;
    key.push_back(it->second);
  }
  return key;
}

void SharedOps::addOp(Operation *op) {
  Operation *first = firstOps.try_emplace(getKey(op), op).first->second;
  if (first == op) {
    numbers[op] = counts.size();
    counts.emplace_back();
    for (Value result : op->getResults())
      values.try_emplace(result, numValues++);
  } else {
    numbers[op] = numbers.lookup(first);
    for (auto [result, firstResult] :
         llvm::zip(op->getResults(), first->getResults())) {
      unsigned number = values.lookup(firstResult);
      values.try_emplace(result, number);
    }
  }
  Count &count = counts[numbers.lookup(op)];
  Operation *func = op->getParentOfType<FuncOp>();
  count.numFunctions += count.last != func;
  count.last = func;
}

SharedOps::SharedOps(MutableArrayRef<LiftTarget> targets)
    : numTargets(targets.size()) {
  for (LiftTarget &target : targets)
    for (auto [index, weight] : llvm::enumerate(target.getWeights())) {
      values[weight] = index;
      numValues = std::max<unsigned>(numValues, index + 1);
    }
  for (LiftTarget &target : targets) {
    LiftPlan plan(target.func, target.numInput, /*liftsNames=*/false,
                  [](Operation *) { return true; });
    for (Operation *op : plan.liftable)
      addOp(op);
  }
}

bool SharedOps::isShared(Operation *op) const {
  auto it = numbers.find(op);
  return it != numbers.end() && counts[it->second].numFunctions == numTargets;
}
