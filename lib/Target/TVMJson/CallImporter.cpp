//===- CallImporter.cpp - Calls -> ops ------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttributeImporter.h"
#include "FunctionExporter.h"
#include "FunctionImporter.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

/// The registered ops of the relax dialect whose names are nearest to `name`.
static std::string getNearestNames(MLIRContext *context, StringRef name) {
  SmallVector<std::pair<unsigned, StringRef>> candidates;
  for (RegisteredOperationName op :
       context->getRegisteredOperationsByDialect("relax")) {
    unsigned distance = name.edit_distance(op.getStringRef());
    if (op.hasInterface<relax::TVMCallOpInterface>() &&
        distance <= name.size() / 3)
      candidates.emplace_back(distance, op.getStringRef());
  }
  llvm::sort(candidates);
  std::string result;
  llvm::raw_string_ostream os(result);
  if (!candidates.empty())
    os << "; the nearest names are ";
  llvm::interleaveComma(ArrayRef(candidates).take_front(3), os,
                        [&](const auto &candidate) { os << candidate.second; });
  return result;
}

LogicalResult
FunctionImporter::getTypeArgs(ArrayRef<Node> typeArgs,
                              SmallVectorImpl<Attribute> &result) {
  for (const Node &arg : typeArgs) {
    Type type = types.getType(arg);
    if (!type)
      return failure();
    result.push_back(TypeAttr::get(type));
  }
  return success();
}

LogicalResult FunctionImporter::importCall(const Node &node, Location loc,
                                           Bound &result) {
  CallNode call;
  Location span = builder.getUnknownLoc();
  if (failed(call.read(table, node, &span)))
    return failure();
  const Node &op = call.op;
  ArrayRef<Node> typeArgs = call.tyArgs;
  Type type = getType(node, call.ty);
  if (!type)
    return failure();
  StringRef name =
      op.type == "ir.Op" ? table.readString(op.data).value_or("") : "";
  auto info = RegisteredOperationName::lookup(name, builder.getContext());
  // A function that is not of Relax has no type that fits the call.
  bool isFunc = op.type == "ir.GlobalVar" && call.attrs.isNone() &&
                typeArgs.empty() && state.functions.contains(op.index);
  if ((op.type != "ir.Op" && !isFunc) ||
      (info && info->hasTrait<relax::CallsValue>()))
    return importValueCall(node, call, type, withSpan(loc, span), result);
  bool isCallTIR = name == "relax.call_tir";
  if (isCallTIR && isMissing(type) && typeArgs.size() == 1)
    type = types.getType(typeArgs.front());
  // The type argument of call_tir repeats the call's type.
  if (isCallTIR &&
      !(typeArgs.size() == 1 && types.getType(typeArgs.front()) == type))
    return table.error(node, "expected the type of relax.call_tir as its one "
                             "type argument ('ty_args'), found others");
  loc = withSpan(loc, span);
  if (op.type == "ir.Op") {
    SmallVector<Attribute> typeArgAttrs;
    if (failed(importOpCall(node, call, type, loc, result)) ||
        (!isCallTIR && failed(getTypeArgs(typeArgs, typeArgAttrs))))
      return failure();
    if (!typeArgAttrs.empty())
      builder.getInsertionBlock()->back().setDiscardableAttr(
          FunctionExporter::getTypeArgsAttrName(),
          builder.getArrayAttr(typeArgAttrs));
    return success();
  }
  return importFuncCall(node, call, type, loc, result);
}

LogicalResult FunctionImporter::importOpCall(const Node &node,
                                             const CallNode &call, Type type,
                                             Location loc, Bound &result) {
  std::optional<StringRef> name = table.readString(call.op.data);
  if (!name)
    return table.error(call.op, "expected the name of an op, found " +
                                    call.op.data.describe());
  if (*name == "relax.call_tir")
    return importCallTIR(node, call.args, type, loc, result);
  std::optional<RegisteredOperationName> info =
      name->starts_with("relax.")
          ? RegisteredOperationName::lookup(*name, builder.getContext())
          : std::nullopt;
  auto *form = info ? info->getInterface<relax::TVMCallOpInterface>() : nullptr;
  if (!form)
    return table.error(node, "expected an op of the relax dialect, found " +
                                 quote(*name) +
                                 getNearestNames(builder.getContext(), *name));

  NamedAttrList attributes;
  if (failed(getOpAttributes(table, call.attrs, *info, attributes)))
    return failure();
  SmallVector<Value> operands;
  for (auto [index, arg] : llvm::enumerate(call.args))
    if (static_cast<int>(index) == form->getTVMTuple()
            ? failed(getTupleOperands(arg, operands))
            : failed(getValue(arg, operands.emplace_back())))
      return failure();

  // TVM's op of several results gives a tuple.
  SmallVector<Type> resultTypes = flattenResult(type);
  Operation *created =
      create(node, loc, *name, operands, resultTypes, attributes);
  if (!created)
    return failure();
  bool isParts = isMissing(type) ? created->getNumResults() != 1
                                 : isa<TupleType>(type) &&
                                       cast<TupleType>(type).size() != 1;
  result = {SmallVector<Value, 1>(created->getResults()), isParts};
  return success();
}

LogicalResult FunctionImporter::importCallTIR(const Node &node,
                                              ArrayRef<Node> args, Type type,
                                              Location loc, Bound &result) {
  if (args.size() != 2)
    return table.error(node, "expected relax.call_tir of a function and a "
                             "tuple, found " +
                                 Twine(args.size()) + " arguments");
  if (failed(table.expect(args[0], "ir.GlobalVar")))
    return failure();
  StringAttr name = state.names.lookup(args[0].index);
  if (!name)
    return table.error(args[0], "expected a function of the module");
  SmallVector<Value> operands;
  if (failed(getOperands(args[1], operands)))
    return failure();
  return createCall(
      node, loc, "relax.call_tir", operands, flattenResult(type),
      builder.getNamedAttr("callee", FlatSymbolRefAttr::get(name)), result);
}

LogicalResult FunctionImporter::createCall(const Node &node, Location loc,
                                           StringRef name, ValueRange operands,
                                           TypeRange resultTypes,
                                           ArrayRef<NamedAttribute> attributes,
                                           Bound &result) {
  Operation *op = create(node, loc, name, operands, resultTypes, attributes);
  if (!op || failed(table.withPlace(node, [&] {
        return cast<SymbolUserOpInterface>(op).verifySymbolUses(
            state.symbolTables);
      })))
    return failure();
  bool isParts = resultTypes.size() != 1;
  result = {SmallVector<Value, 1>(op->getResults()), isParts};
  return success();
}

LogicalResult FunctionImporter::importFuncCall(const Node &node,
                                               const CallNode &call, Type type,
                                               Location loc, Bound &result) {
  relax::FuncOp target = state.functions.lookup(call.op.index);
  SmallVector<Value> operands;
  if (failed(getValues(call.args, operands)) ||
      (isMissing(type) && failed(inferCall(node, target, operands, type))))
    return failure();

  SmallVector<NamedAttribute> attributes = {builder.getNamedAttr(
      "callee", FlatSymbolRefAttr::get(target.getSymNameAttr()))};
  if (!target.getIsPure())
    attributes.push_back(
        builder.getNamedAttr("is_pure", builder.getBoolAttr(false)));
  // The callee can give a tuple whole.
  SmallVector<Type> resultTypes = {type};
  if (target.getResultTypes().size() != 1)
    resultTypes = flattenResult(type);
  return createCall(node, loc, "relax.call", operands, resultTypes, attributes,
                    result);
}

LogicalResult
FunctionImporter::addCallAttrs(const CallNode &call,
                               SmallVectorImpl<NamedAttribute> &attributes) {
  if (call.attrs.isNone())
    return success();
  NamedAttrList values;
  if (failed(getFields(table, call.attrs, values)))
    return failure();
  attributes.push_back(builder.getNamedAttr(
      "attrs_type", builder.getStringAttr(call.attrs.type)));
  attributes.push_back(builder.getNamedAttr(
      "attrs", values.getDictionary(builder.getContext())));
  return success();
}

LogicalResult FunctionImporter::readPurity(const Node &callee, bool &isPure) {
  GlobalVarNode var;
  FuncTypeNode function;
  if (callee.type != "ir.GlobalVar")
    return success();
  if (failed(var.read(table, callee)))
    return failure();
  if (var.ty.type != "relax.FuncType")
    return success();
  if (failed(function.read(table, var.ty)))
    return failure();
  isPure = function.purity;
  return success();
}

LogicalResult FunctionImporter::importValueCall(const Node &node,
                                                const CallNode &call, Type type,
                                                Location loc, Bound &result) {
  const Node &callee = call.op;
  bool isOp = callee.type == "ir.Op";
  StringRef name = "relax.call_value";
  SmallVector<Value> operands;
  if (failed(isOp ? table.getText(callee, name)
                  : getValue(callee, operands.emplace_back())))
    return failure();
  if (failed(getValues(call.args, operands)))
    return failure();
  SmallVector<NamedAttribute> attributes;
  if (!call.tyArgs.empty()) {
    SmallVector<Attribute> list;
    if (failed(getTypeArgs(call.tyArgs, list)))
      return failure();
    attributes.push_back(
        builder.getNamedAttr("ty_args", builder.getArrayAttr(list)));
  }
  if (failed(addCallAttrs(call, attributes)))
    return failure();
  auto function = isOp ? relax::CallableType()
                       : dyn_cast<relax::CallableType>(operands[0].getType());
  if (isMissing(type)) {
    SmallVector<Type> args;
    for (const Node &arg : call.tyArgs)
      if (!args.emplace_back(types.getType(arg)))
        return failure();
    MLIRContext *context = builder.getContext();
    type = args.size() == 1 ? args.front()
           : !args.empty()  ? Type(TupleType::get(context, args))
           : function       ? function.getResult()
                            : Type(relax::ObjectType::get(context));
  }
  Operation *op = create(node, loc, name, operands, type, attributes);
  if (!op)
    return failure();
  // Most ops need not say it: the attribute is true by default.
  auto external = isOp ? relax::ExternFuncOp()
                       : operands[0].getDefiningOp<relax::ExternFuncOp>();
  relax::FuncOp target = state.functions.lookup(callee.index);
  bool isPureGlobal = false;
  if (failed(readPurity(callee, isPureGlobal)))
    return failure();
  if ((isInDataflow(builder.getInsertionBlock()) || isPureGlobal ||
       (function && function.getPure()) || (target && target.getIsPure()) ||
       (external && external.getIsPure())) &&
      !relax::isPureExpr(op))
    op->setAttr("is_pure", builder.getBoolAttr(true));
  return bindTo(op->getResult(0), result);
}
