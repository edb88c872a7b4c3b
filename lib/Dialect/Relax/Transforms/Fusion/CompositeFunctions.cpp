//===- CompositeFunctions.cpp - Functions for external compilers ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositeFunctions.h"
#include "../Structure/Values.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace partita::relax;

FailureOr<StringAttr> partita::relax::getCompiler(FuncOp func) {
  auto name = func->getAttrOfType<StringAttr>(compositeAttrName);
  auto [compiler, rest] = name.getValue().split('.');
  if (compiler.size() == name.size())
    return func.emitOpError("expected its attribute 'Composite' to be the name "
                            "of a compiler, a dot and a name, but found '")
           << name.getValue() << "'";
  return StringAttr::get(func.getContext(), compiler);
}

LocalFuncOp partita::relax::createLocalFunction(OpBuilder &builder,
                                                FuncOp func) {
  MLIRContext *context = func.getContext();
  Location unknown = builder.getUnknownLoc();
  // A function gives a tuple as its fields.
  bool isSingle = func.getNumResults() == 1;
  Type result = isSingle ? func.getResultTypes().front()
                         : TupleType::get(context, func.getResultTypes());
  auto type = CallableType::get(context, func.getArgumentTypes(), result,
                                func.getIsPure(), /*takesAny=*/false,
                                /*derive=*/nullptr);
  auto local =
      LocalFuncOp::create(builder, getNamedLoc(context, "local_func"), type);
  for (NamedAttribute attr : func->getDiscardableAttrs())
    if (attr.getName() != primitiveAttrName)
      local->setDiscardableAttr(attr.getName(), attr.getValue());
  Block &body = local.getBodyRegion().emplaceBlock();
  body.addArgument(type, local.getLoc());
  IRMapping mapping;
  for (BlockArgument parameter : func.getArguments())
    mapping.map(parameter,
                body.addArgument(parameter.getType(), parameter.getLoc()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&body);
  Block &source = func.getBody().front();
  for (Operation &op : source.without_terminator())
    builder.clone(op, mapping);
  auto values =
      llvm::map_to_vector(source.getTerminator()->getOperands(),
                          [&](Value value) { return mapping.lookup(value); });
  Value value =
      isSingle ? values.front() : TupleOp::create(builder, unknown, values);
  YieldOp::create(builder, unknown, value);
  return local;
}

SmallVector<Value> partita::relax::callLocalFunction(OpBuilder &builder,
                                                     LocalFuncOp local,
                                                     ValueRange operands,
                                                     TypeRange types) {
  MLIRContext *context = builder.getContext();
  SmallVector<Value> arguments = {local.getResult()};
  llvm::append_range(arguments, operands);
  Type type =
      types.size() == 1 ? types.front() : TupleType::get(context, types);
  auto call = CallValueOp::create(
      builder, getNamedLoc(context, "output"), type, arguments,
      /*ty_args=*/nullptr, /*attrs_type=*/nullptr, /*attrs=*/nullptr,
      builder.getBoolAttr(local.getType().getPure()));
  if (types.size() == 1)
    return {call.getResult()};
  SmallVector<Value> fields;
  for (size_t index = 0; index < types.size(); ++index)
    fields.push_back(TupleGetItemOp::create(builder, builder.getUnknownLoc(),
                                            call.getResult(), index));
  return fields;
}

FuncOp partita::relax::createWrapper(OpBuilder &builder, FuncOp func) {
  OpBuilder outside(builder.getContext());
  auto wrapper = FuncOp::create(outside, func.getLoc(), func.getName(),
                                func.getFunctionType());
  if (!func.getIsPure())
    wrapper.setIsPure(false);
  wrapper.setArgAttrsAttr(func.getArgAttrsAttr());
  Block &body = wrapper.getBody().emplaceBlock();
  for (BlockArgument parameter : func.getArguments())
    body.addArgument(parameter.getType(), parameter.getLoc());
  auto inner = OpBuilder::atBlockEnd(&body);
  LocalFuncOp local = createLocalFunction(inner, func);
  ReturnOp::create(inner, builder.getUnknownLoc(),
                   callLocalFunction(inner, local, body.getArguments(),
                                     func.getResultTypes()));
  return wrapper;
}

void partita::relax::giveToCompiler(FuncOp func, StringAttr compiler) {
  func.setName((func.getName() + "_" + compiler.getValue()).str());
  func.setPublic();
  func->removeAttr(primitiveAttrName);
  func->setAttr(codegenAttrName, compiler);
  func->setAttr("global_symbol", func.getSymNameAttr());
}
