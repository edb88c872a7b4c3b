//===- CallImporter.cpp - Functions as values, and calls of them ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments that are no tensors, and calls of other things than ops and
// functions of the module.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "Fields.h"
#include "FunctionImporter.h"

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
    Node type, valueNode;
    StringRef text;
    Fields fields(table, node, node.type);
    if (!(fields && fields.span() &&
          fields.ref("ty", isString ? "ir.StringType" : "relax.AnyType",
                     type) &&
          (isString ? fields.string("value", text)
                    : fields.ref("value", "DataType", valueNode)) &&
          fields.done()))
      return failure();
    Fields typeFields(table, type, type.type);
    if (!(typeFields && typeFields.span() && typeFields.done()))
      return failure();
    value =
        isString ? builder.getStringAttr(text) : getAttribute(table, valueNode);
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
  Node type, attrs, params, ret, derive;
  StringRef name, deriveName;
  bool isPure = true;
  Fields fields(table, node, node.type);
  if (!(fields && fields.span() && fields.ref("ty", "relax.FuncType", type) &&
        fields.ref("attrs", attrs) && fields.string("global_symbol", name) &&
        fields.done()))
    return failure();
  Fields typeFields(table, type, type.type);
  if (!(typeFields && typeFields.span() && typeFields.ref("params", params) &&
        typeFields.ref("ret", "relax.AnyType", ret) &&
        typeFields.ref("derive_func", "ir.EnvFunc", derive) &&
        typeFields.boolean("purity", isPure) && typeFields.done()) ||
      failed(table.getText(derive, deriveName)) || !types.getType(ret))
    return failure();
  // The type that TVM gives one that says nothing of its own.
  if (!params.isNone() || isPure ||
      deriveName != "tvm.relax.type.infer_by_ty_args")
    return table.error(type, "expected an extern function about whose type "
                             "nothing is known, found one with a type");
  Operation *op =
      create(node, loc, "relax.extern_func", {},
             relax::ObjectType::get(builder.getContext()),
             builder.getNamedAttr("value", builder.getStringAttr(name)));
  if (!op || failed(setDictAttrs(table, attrs, op)))
    return failure();
  return bindTo(op->getResult(0), result);
}

LogicalResult
FunctionImporter::importValueCall(const Node &node, const Node &callee,
                                  ArrayRef<Node> args, const Node &attrs,
                                  ArrayRef<Node> typeArgs, Type type,
                                  Location loc, Bound &result) {
  bool isOp = callee.type == "ir.Op";
  StringRef name = "relax.call_value";
  SmallVector<Value> operands;
  if (failed(isOp ? table.getText(callee, name)
                  : getValue(callee, operands.emplace_back())))
    return failure();
  for (const Node &arg : args)
    if (failed(getValue(arg, operands.emplace_back())))
      return failure();
  SmallVector<NamedAttribute> attributes;
  if (!typeArgs.empty()) {
    SmallVector<Attribute> list;
    for (const Node &arg : typeArgs) {
      Type typeArg = types.getType(arg);
      if (!typeArg)
        return failure();
      list.push_back(TypeAttr::get(typeArg));
    }
    attributes.push_back(
        builder.getNamedAttr("ty_args", builder.getArrayAttr(list)));
  }
  if (!attrs.isNone()) {
    NamedAttrList values;
    if (failed(getFields(table, attrs, values)))
      return failure();
    attributes.push_back(
        builder.getNamedAttr("attrs_type", builder.getStringAttr(attrs.type)));
    attributes.push_back(builder.getNamedAttr(
        "attrs", values.getDictionary(builder.getContext())));
  }
  if (isInPureCode(func, builder.getInsertionBlock()))
    attributes.push_back(
        builder.getNamedAttr("is_pure", builder.getBoolAttr(true)));
  return bindTo(createValue(node, loc, name, operands, type, attributes),
                result);
}
