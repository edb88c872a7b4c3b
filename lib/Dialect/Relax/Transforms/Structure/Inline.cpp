//===- Inline.cpp - Bodies of functions in the place of calls -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inline.h"
#include "Values.h"

#include "../DimReplacer.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace partita::relax;

SizeNames::SizeNames(FuncOp func) {
  auto add = [&](StringAttr name) { names.try_emplace(name.getValue()); };
  llvm::for_each(func.getParameterNames(), add);
  for (Type type : func.getArgumentTypes())
    forEachNameIn(type, add);
  func.getBody().walk([&](Operation *op) { forEachNameIn(op, add); });
}

StringAttr SizeNames::makeName(StringAttr name) {
  auto [it, isNew] = names.try_emplace(name.getValue());
  if (isNew)
    return name;
  // The table can grow when the new name is added.
  unsigned &count = it->second;
  std::string made;
  do
    made = (name.getValue() + "_" + Twine(++count)).str();
  while (names.contains(made));
  names.try_emplace(made);
  return StringAttr::get(name.getContext(), made);
}

FailureOr<SmallVector<Value>> partita::relax::inlineBody(OpBuilder &builder,
                                                         FuncOp callee,
                                                         ValueRange operands,
                                                         SizeNames &names) {
  SmallVector<StringAttr> parameterNames = callee.getParameterNames();
  SmallVector<Dim> sizes = getSizesOfNames(callee, operands, parameterNames);
  DimReplacer replacer;
  replacer.simplifies = true;
  for (auto [name, size] : llvm::zip(parameterNames, sizes))
    replacer.dims.try_emplace(name, size);
  // Names that the body introduces become other ones.
  bool isKnown = true, isKept = false;
  callee.getBody().walk([&](Operation *op) {
    isKept |= isa<OpaqueExprOp>(op);
    forEachNameIn(op, [&](StringAttr name) {
      if (!replacer.dims.contains(name))
        replacer.dims[name] = names.makeName(name);
      isKnown &= !replacer.dims.lookup(name).isUnknown();
    });
  });
  // Names in what is kept as it is can't be replaced.
  if (!isKnown || (isKept && !replacer.dims.empty()))
    return failure();
  Block &body = callee.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), operands);
  for (Operation &op : body.without_terminator())
    replacer.replaceIn(builder.clone(op, mapping));
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}
