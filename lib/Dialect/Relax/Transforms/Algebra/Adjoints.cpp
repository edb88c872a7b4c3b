//===- Adjoints.cpp - Sum up the gradients of values ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Adjoints.h"

using namespace mlir;
using namespace partita::relax;

/// The value that stands for all results of an op.
static Value getRepresentative(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return result ? Value(result.getOwner()->getResult(0)) : value;
}

/// The types of the fields of a value, which can be an op's several results.
static SmallVector<Type> getTupleTypes(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (result && result.getOwner()->getNumResults() > 1)
    return SmallVector<Type>(result.getOwner()->getResultTypes());
  return SmallVector<Type>(cast<TupleType>(value.getType()).getTypes());
}

const Adjoint *Adjoints::lookup(Value value) const {
  auto found = adjoints.find(getRepresentative(value));
  return found == adjoints.end() ? nullptr : &found->second;
}

/// A location with `suffix` after the name of `value`, if it has one.
Location Adjoints::getLoc(Value value) const {
  StringAttr name = getVarName(value);
  return name ? withName(value.getLoc(), name.getValue() + "_adjoint")
              : value.getLoc();
}

Value Adjoints::makeAlias(const Adjoint &adjoint, Location loc) {
  if (adjoint.size() > 1)
    return TupleOp::create(builder, loc, adjoint);
  return AliasOp::create(builder, loc, adjoint.front());
}

void Adjoints::set(Value value, const Adjoint &adjoint) {
  // The last op has made it, or it has a variable of its own.
  Operation *last = builder.getInsertionBlock()->empty()
                        ? nullptr
                        : &*std::prev(builder.getInsertionPoint());
  Operation *op = adjoint.front().getDefiningOp();
  Adjoint named = adjoint;
  if (op && op == last && op->getNumResults() == adjoint.size() &&
      !variables.contains(op))
    op->setLoc(getLoc(value));
  else
    named = {makeAlias(adjoint, getLoc(value))};
  variables.insert(named.front().getDefiningOp());
  adjoints[getRepresentative(value)] = std::move(named);
}

bool Adjoints::canBeZero(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), canBeZero);
  std::optional<TensorInfo> info = TensorInfo::get(type);
  return info && info->elementType && isShapeKnown(*info);
}

Value Adjoints::makeZeros(Type type) {
  Location loc = builder.getUnknownLoc();
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Value> fields;
    for (Type field : tuple.getTypes())
      fields.push_back(makeZeros(field));
    return TupleOp::create(builder, loc, fields);
  }
  TensorInfo info = *TensorInfo::get(type);
  return ZerosOp::create(builder, loc, createShape(builder, info.dims),
                         info.elementType);
}

Value Adjoints::getField(const Adjoint &tuple, int64_t index) {
  Location loc = withName(builder.getUnknownLoc(), "lv");
  // The only field of an argument can stand for the tuple.
  if (tuple.size() == 1 && !isa<TupleType>(tuple.front().getType()))
    return tuple.front();
  if (tuple.size() > 1)
    return AliasOp::create(builder, loc, tuple[index]);
  return TupleGetItemOp::create(builder, loc, tuple.front(), index);
}

Value Adjoints::makeSum(Value a, Value b) {
  Location loc = builder.getUnknownLoc();
  auto tuple = dyn_cast<TupleType>(a.getType());
  if (!tuple) {
    auto sum = AddOp::create(builder, loc, a.getType(), a, b);
    return sum.getResult();
  }
  SmallVector<Value> fields;
  for (int64_t index : llvm::seq<int64_t>(tuple.size())) {
    Value x = getField({a}, index);
    fields.push_back(makeSum(x, getField({b}, index)));
  }
  return TupleOp::create(builder, loc, fields);
}

void Adjoints::add(Value value, const Adjoint &gradient) {
  const Adjoint *known = lookup(value);
  if (!known)
    return set(value, gradient);
  if (known->size() == 1 && gradient.size() == 1)
    return set(value, {makeSum(known->front(), gradient.front())});
  Location loc = builder.getUnknownLoc();
  Adjoint before = *known;
  SmallVector<Value> fields;
  for (int64_t index :
       llvm::seq<int64_t>(std::max(before.size(), gradient.size()))) {
    Value x = getField(before, index);
    fields.push_back(makeSum(x, getField(gradient, index)));
  }
  set(value, {TupleOp::create(builder, loc, fields)});
}

void Adjoints::addField(Value tuple, int64_t index, const Adjoint &gradient) {
  Location loc = builder.getUnknownLoc();
  std::optional<Adjoint> before;
  if (const Adjoint *known = lookup(tuple))
    before = *known;
  SmallVector<Value> fields;
  for (auto [field, type] : llvm::enumerate(getTupleTypes(tuple))) {
    Value value = before ? getField(*before, field) : Value();
    if (int64_t(field) != index) {
      fields.push_back(value ? value : makeZeros(type));
      continue;
    }
    // A tuple that is no variable can be part of another one.
    Value increment = gradient.size() > 1
                          ? Value(TupleOp::create(builder, loc, gradient))
                          : gradient.front();
    fields.push_back(value ? makeSum(value, increment) : increment);
  }
  set(tuple, {TupleOp::create(builder, loc, fields)});
}

void Adjoints::addFields(ValueRange fields, const Adjoint &gradient) {
  for (auto [index, field] : llvm::enumerate(fields)) {
    if (field.getDefiningOp<ConstantOp>())
      continue;
    Value part = getField(gradient, index);
    if (TupleOp tuple = getUnnamedTuple(field))
      addFields(tuple.getFields(), {part});
    else
      add(field, {part});
  }
}
