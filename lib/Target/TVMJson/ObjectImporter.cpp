//===- ObjectImporter.cpp - Names, strings, dtypes and functions -> ops ---===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttributeImporter.h"
#include "FunctionImporter.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

LogicalResult FunctionImporter::importObject(const Node &node, Location loc,
                                             Bound &result) {
  StringRef name;
  Attribute value;
  if (node.type == "ir.GlobalVar") {
    name = "relax.global";
    StringAttr symbol = state.names.lookup(node.index);
    if (!symbol)
      return table.error(node, "expected a function of the module");
    value = FlatSymbolRefAttr::get(symbol);
  } else {
    bool isString = node.type == "ir.StringImm";
    name = isString ? "relax.string" : "relax.dtype";
    StringImmNode string;
    DTypeConstNode dtype;
    if (failed(isString ? string.read(table, node) : dtype.read(table, node)) ||
        failed(isString ? StringTypeNode().read(table, string.ty)
                        : AnyTypeNode().read(table, dtype.ty)))
      return failure();
    value = isString ? builder.getStringAttr(string.value)
                     : getAttribute(table, dtype.value);
    if (!value)
      return failure();
  }
  return bindTo(createValue(node, loc, name, {},
                            relax::ObjectType::get(builder.getContext()),
                            builder.getNamedAttr("value", value)),
                result);
}

LogicalResult FunctionImporter::importExternFunc(const Node &node, Location loc,
                                                 Bound &result) {
  ExternFuncNode function;
  if (failed(function.read(table, node)))
    return failure();
  auto known =
      dyn_cast_if_present<relax::CallableType>(types.getType(function.ty));
  if (!known)
    return failure();
  SmallVector<NamedAttribute> attributes = {builder.getNamedAttr(
      "value", builder.getStringAttr(function.globalSymbol))};
  // For most external functions TVM knows the types of calls, but not the
  // function's type.
  Type opType = known;
  if (known.getTakesAny() && known.getDerive() &&
      isa<relax::ObjectType>(known.getResult())) {
    opType = known.getResult();
    attributes.push_back(builder.getNamedAttr("derive", known.getDerive()));
    attributes.push_back(
        builder.getNamedAttr("is_pure", builder.getBoolAttr(known.getPure())));
  }
  Operation *op =
      create(node, loc, "relax.extern_func", {}, opType, attributes);
  if (!op || failed(setDictAttrs(table, function.attrs, op)))
    return failure();
  return bindTo(op->getResult(0), result);
}

LogicalResult FunctionImporter::importLocalFunc(const Node &node, Location loc,
                                                Bound &result) {
  FunctionNode function;
  Location span = builder.getUnknownLoc();
  if (failed(function.read(table, node, &span)))
    return failure();
  Type type = types.getType(function.ty);
  Type resultType = type ? types.getType(function.retTy) : nullptr;
  if (!resultType)
    return failure();
  auto callable = dyn_cast<relax::CallableType>(type);
  if (!callable || callable.getTakesAny() || callable.getDerive() ||
      callable.getInputs().size() != function.params.size() ||
      callable.getResult() != resultType ||
      callable.getPure() != function.isPure)
    return table.error(node, "expected fields 'params', 'ret_ty' and 'is_pure' "
                             "to agree with the function's type");

  // Verified when it has its body.
  OperationState state(withSpan(loc, span), "relax.local_func", {}, callable);
  Block &block = state.addRegion()->emplaceBlock();
  BlockArgument self = block.addArgument(callable, loc);
  Operation *op = builder.create(state);
  // No other code can use its variables, or refer to it by its own variable.
  size_t numBound = boundVars.size();
  int64_t own = boundOfVar.contains(ownVar) ? -1 : ownVar;
  llvm::scope_exit forget([&] {
    for (int64_t var : ArrayRef(boundVars).drop_front(numBound))
      boundOfVar.erase(var);
    boundVars.truncate(numBound);
    boundOfVar.erase(own);
  });
  if (own != -1)
    boundOfVar[own] = {{self}};
  for (auto [param, input] :
       llvm::zip_equal(function.params, callable.getInputs())) {
    Var var{{}, {}, {}, builder.getUnknownLoc()};
    if (failed(readVar(param, var)))
      return failure();
    if (var.type != input || input.isIntOrIndexOrFloat())
      return table.error(param, "expected a parameter that is no number, of "
                                "the type in the function's type, found "
                                "another");
    BlockArgument argument = block.addArgument(var.type, var.loc);
    if (failed(bind(var, {{argument}}, var.loc)))
      return failure();
  }
  if (failed(setDictAttrs(table, function.attrs, op)) ||
      failed(importRegion(function.body, op->getRegion(0), resultType)))
    return failure();
  result = {{op->getResult(0)}};
  return table.withPlace(node, [&] { return verify(op); });
}
