//===- OpaqueImporter.cpp - What the dialects lack ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of an op that the dialect lacks becomes relax.call_op if its arguments
// and attributes can be imported; any other expression is kept as text.
//
//===----------------------------------------------------------------------===//

#include "AttributeImporter.h"
#include "FunctionExporter.h"
#include "FunctionImporter.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

LogicalResult SymbolList::substitute(const Node &node, Placeholder &result) {
  if (node.type != "ir.GlobalVar")
    return success();
  auto it = state.names.find(node.index);
  if (it == state.names.end())
    return success();
  auto [symbol, isNew] = indices.try_emplace(node.index, symbols.size());
  if (isNew)
    symbols.push_back(FlatSymbolRefAttr::get(it->second));
  result = {"symbol", std::to_string(symbol->second)};
  return success();
}

LogicalResult SymbolList::writeFunction(NodeTable &table, const Node &function,
                                        std::string &json) {
  table.addKept(function, function.type);
  return writeSubgraph(
      table, function,
      [&](const Node &node, Placeholder &result) {
        return substitute(node, result);
      },
      json);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

LogicalResult FunctionImporter::importOrKeep(const Node &node, Location loc,
                                             Bound &result) {
  if (table.isStrict)
    return importExpr(node, loc, result);
  Block *block = builder.getInsertionBlock();
  auto rollBack = [&, last = block->empty() ? nullptr : &block->back(),
                   numNumbers = numbers.size()] {
    numbers.truncate(numNumbers);
    while (!block->empty() && &block->back() != last &&
           !isa<relax::ConstantOp>(block->back()))
      block->back().erase();
    builder.setInsertionPointToEnd(block);
    result = {};
  };
  for (auto import :
       {&FunctionImporter::importExpr, &FunctionImporter::importCallOp}) {
    Attempt attempt(table);
    if (succeeded((this->*import)(node, loc, result))) {
      attempt.accept();
      return success();
    }
    rollBack();
  }
  return keepExpr(node, loc, result);
}

LogicalResult FunctionImporter::importCallOp(const Node &node, Location loc,
                                             Bound &result) {
  CallNode call;
  StringRef name;
  if (failed(call.read(table, node)))
    return failure();
  Type type = getType(node, call.ty);
  if (!type)
    return failure();
  if (isMissing(type))
    return table.brokenError(node,
                             "expected a call whose type can be inferred");
  // A function whose type does not fit the call.
  if (call.op.type == "ir.GlobalVar")
    return importValueCall(node, call, type, loc, result);
  SmallVector<Value> operands;
  SmallVector<Attribute> typeArgAttrs;
  if (failed(table.expect(call.op, "ir.Op")) ||
      failed(table.getText(call.op, name)) ||
      failed(getValues(call.args, operands)) ||
      failed(getTypeArgs(call.tyArgs, typeArgAttrs)))
    return failure();
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr("op_name", builder.getStringAttr(name))};
  if (failed(addCallAttrs(call, attributes)))
    return failure();
  if (isInPureCode(builder.getInsertionBlock()))
    attributes.push_back(
        builder.getNamedAttr("is_pure", builder.getBoolAttr(true)));
  if (!typeArgAttrs.empty())
    attributes.push_back(
        builder.getNamedAttr(FunctionExporter::getTypeArgsAttrName(),
                             builder.getArrayAttr(typeArgAttrs)));
  if (failed(bindTo(
          createValue(node, loc, "relax.call_op", operands, type, attributes),
          result)))
    return failure();
  table.addKept(node, "op " + name);
  return success();
}

LogicalResult FunctionImporter::keepExpr(const Node &node, Location loc,
                                         Bound &result) {
  SmallVector<Value> operands;
  llvm::DenseMap<int64_t, int64_t> operandOfVar;
  SymbolList symbols(state);
  Type type = relax::ObjectType::get(builder.getContext());
  if (JsonValue index = table.getField(node, "ty")) {
    Node typeNode;
    if (failed(table.get(node, index, "field 'ty'", typeNode)))
      return failure();
    type = getType(node, typeNode);
    if (!type)
      return failure();
    if (isMissing(type))
      type = relax::ObjectType::get(builder.getContext());
  }
  auto substitute = [&](const Node &part, Placeholder &placeholder) {
    auto bound = boundOfVar.find(part.index);
    if (bound != boundOfVar.end()) {
      auto [it, isNew] = operandOfVar.try_emplace(part.index, operands.size());
      if (isNew && failed(join(part, bound->second, operands.emplace_back())))
        return LogicalResult(failure());
      placeholder = {"operand", std::to_string(it->second)};
      return success();
    }
    // A function that calls itself.
    if (part.index == ownVar) {
      placeholder = {"operand", "-1"};
      return success();
    }
    if (part.type == "ir.Var" && types.isDim(part))
      return types.substituteDim(part, placeholder);
    return symbols.substitute(part, placeholder);
  };
  std::string json;
  if (failed(writeSubgraph(table, node, substitute, json)))
    return failure();
  std::string kind = node.type.str();
  if (node.type == "ir.Call")
    kind = "a call that is not of an op, or whose arguments can't be imported";
  table.addKept(node, kind);
  Operation *op = createOpaque(node, loc, json, symbols.get(), operands, type);
  return bindTo(op ? Value(op->getResult(0)) : Value(), result);
}

/// Gives the parameters of `func` their names in `function`, as far as these
/// can be read.
static void nameParams(NodeTable &table, const Node &function,
                       relax::FuncOp func) {
  Attempt attempt(table);
  Node list;
  SmallVector<Node> params;
  JsonValue index = table.getField(function, "params");
  if (!index || failed(table.get(function, index, "field 'params'", list)) ||
      failed(table.getArray(list, params)))
    return;
  for (auto [argument, param] : llvm::zip(func.getArguments(), params)) {
    Node name;
    StringRef text;
    JsonValue nameIndex = table.getField(param, "name");
    if (nameIndex &&
        succeeded(table.get(param, nameIndex, "field 'name'", name)) &&
        succeeded(table.getText(name, text)))
      argument.setLoc(NameLoc::get(StringAttr::get(func.getContext(), text)));
  }
}

LogicalResult FunctionImporter::keepBody(const Node &function) {
  func.getBody().dropAllReferences();
  func.getBody().getBlocks().clear();
  builder.setInsertionPointToStart(func.addEntryBlock());
  nameParams(table, function, func);
  SymbolList symbols(state);
  std::string json;
  if (failed(symbols.writeFunction(table, function, json)))
    return failure();
  Location loc = builder.getUnknownLoc();
  Operation *op = createOpaque(function, loc, json, symbols.get(), {},
                               func.getResultTypes());
  if (!op)
    return failure();
  // Nothing may drop it, with or without results.
  op->removeAttr("is_pure");
  return success(create(function, loc, "relax.return", op->getResults(), {}));
}

Operation *FunctionImporter::createOpaque(const Node &node, Location loc,
                                          StringRef json,
                                          ArrayRef<Attribute> symbols,
                                          ValueRange operands,
                                          TypeRange resultTypes) {
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr("kind", builder.getStringAttr(node.type)),
      builder.getNamedAttr("json",
                           getBytes(builder.getContext(), "expr", json))};
  if (!symbols.empty())
    attributes.push_back(
        builder.getNamedAttr("symbols", builder.getArrayAttr(symbols)));
  if (isInPureCode(builder.getInsertionBlock()))
    attributes.push_back(
        builder.getNamedAttr("is_pure", builder.getBoolAttr(true)));
  return create(node, loc, "relax.opaque_expr", operands, resultTypes,
                attributes);
}
