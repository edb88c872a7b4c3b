//===- LazyGetInput.cpp - Get weights by calls ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Utils.h"
#include "LazyItems.h"
#include "Symbols.h"
#include "Values.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_LAZYGETINPUT
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct LazyGetInput : relax::impl::LazyGetInputBase<LazyGetInput> {
  void runOnOperation() override;
};
} // namespace

void LazyGetInput::runOnOperation() {
  FuncOp func = getOperation();
  if (!getGlobalSymbol(func) || !isChangeable(func))
    return;
  FailureOr<unsigned> numInput = getNumInput(func, 0);
  if (failed(numInput))
    return signalPassFailure();
  MLIRContext *context = &getContext();
  unsigned numItems = func.getNumArguments() - *numInput;
  SmallVector<BlockArgument> items(
      func.getArguments().drop_front(*numInput).begin(),
      func.getArguments().end());
  SmallVector<StringAttr> dims;
  SmallVector<std::string> itemNames;
  for (BlockArgument item : items) {
    itemNames.push_back(getParameterName(item));
    dims.push_back(func.getArgAttrOfType<StringAttr>(item.getArgNumber(),
                                                     FuncOp::getDimAttrName()));
  }

  Type number = IntegerType::get(context, 64),
       object = ObjectType::get(context);
  auto type = CallableType::get(context, {number, object}, object,
                                /*pure=*/true, /*takesAny=*/false, {});
  // Before the items, so that these stay the last parameters.
  if (failed(func.insertArgument(*numInput, type, {},
                                 getNamedLoc(context, "fget_param"))))
    return signalPassFailure();
  Value getter = func.getArgument(*numInput);
  auto load = [&](OpBuilder &builder, unsigned index, Type itemType,
                  TupleGetItemOp) -> Value {
    StringRef name = itemNames[index];
    Location loc = getNamedLoc(context, name),
             unknown = builder.getUnknownLoc();
    SmallVector<Value> operands = {
        getter, createInt(builder, index),
        StringOp::create(builder, unknown, object,
                         StringAttr::get(context, name))};
    auto call = CallValueOp::create(
        builder, getNamedLoc(context, name + "_untyped"), object, operands);
    call.setIsPure(true);
    auto cast = MatchCastOp::create(builder, loc, itemType, call.getResult());
    if (!dims[index])
      return cast;
    auto size = MatchCastOp::create(builder, loc, itemType, cast);
    size->setAttr(FuncOp::getDimAttrName(), dims[index]);
    return size;
  };
  LazyItems lazy(func, *numInput + 1, /*splitsTuple=*/false, load);
  if (failed(lazy.run()))
    return signalPassFailure();
  llvm::DenseSet<StringAttr> names;
  names.insert_range(func.getParameterNames());
  setResultTypes(func, llvm::map_to_vector(func.getResultTypes(), [&](Type t) {
                   return forgetNames(t, [&](StringAttr name) {
                     return names.contains(name);
                   });
                 }));
  setNumInput(func, *numInput + 1);
  numInputs += numItems;
}
