//===- ExprImporter.cpp - Relax expressions -> ops ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are made by name from the registered ops, with the result types that the
// JSON declares, and verified: what an op infers has to agree with them.
//
//===----------------------------------------------------------------------===//

#include "FunctionImporter.h"

#include "AttributeImporter.h"
#include "FunctionExporter.h"
#include "Tensor.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Operation *FunctionImporter::create(const Node &node, Location loc,
                                    StringRef name, ValueRange operands,
                                    TypeRange types,
                                    ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, name, operands, types, attributes);
  SmallVector<Type> inferred;
  if (llvm::any_of(types, isMissing)) {
    if (failed(inferTypes(node, state, inferred)))
      return nullptr;
    types = inferred;
    state.types.assign(inferred.begin(), inferred.end());
  }
  Operation *op = builder.create(state);
  // Not all verifiers name the types.
  LogicalResult verified = table.withPlace(
      node, [&] { return verify(op, /*verifyRecursively=*/false); },
      [&] {
        std::string signature;
        llvm::raw_string_ostream(signature)
            << ", in "
            << FunctionType::get(op->getContext(), operands.getTypes(), types);
        return signature;
      });
  return succeeded(verified) ? op : nullptr;
}

Value FunctionImporter::createValue(const Node &node, Location loc,
                                    StringRef name, ValueRange operands,
                                    Type type,
                                    ArrayRef<NamedAttribute> attributes) {
  Operation *op = create(node, loc, name, operands, type, attributes);
  return op ? Value(op->getResult(0)) : Value();
}

Value FunctionImporter::createGetItem(const Node &node, Location loc,
                                      Value tuple, int64_t index, Type type) {
  return createValue(
      node, loc, "relax.tuple_get_item", tuple, type,
      builder.getNamedAttr("index", builder.getI64IntegerAttr(index)));
}

LogicalResult FunctionImporter::castTo(const Node &node, Type type,
                                       Location loc, Value &value) {
  if (value.getType() == type)
    return success();
  // A relax.global that was made for this use takes over the type.
  if (auto global = value.getDefiningOp<relax::GlobalOp>();
      global && global->use_empty() && isa<relax::CallableType>(type)) {
    value.setType(type);
    return success();
  }
  bool isKept = isa<relax::OpaqueType, relax::ObjectType>(value.getType()) ||
                isa<relax::OpaqueType, relax::ObjectType>(type);
  // The types of strings and functions are known.
  if (isa_and_present<relax::DTypeOp, relax::ExternFuncOp, relax::GlobalOp,
                      relax::StringOp>(value.getDefiningOp()))
    isKept = isa<relax::CallableType, relax::OpaqueType>(type);
  if (!isKept && !relax::isMoreGeneral(type, value.getType()))
    return table.error(node,
                       llvm::formatv("expected a value of type {0}, found "
                                     "{1}",
                                     type, value.getType()));
  value = createValue(node, loc, "relax.match_cast", value, type);
  return success(bool(value));
}

Value FunctionImporter::createMatchCast(const Node &node, Location loc,
                                        Value value, Type type) {
  Type any = relax::ObjectType::get(builder.getContext());
  if (!table.isStrict && !relax::isCastable(value.getType(), type) &&
      failed(castTo(node, any, builder.getUnknownLoc(), value)))
    return {};
  return createValue(node, loc, "relax.match_cast", value, type);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult FunctionImporter::join(const Node &node, Bound bound,
                                     Value &value) {
  value = bound.isParts
              ? createValue(node, builder.getUnknownLoc(), "relax.tuple",
                            bound.values, getTupleType(bound))
              : bound.values.front();
  return success(bool(value));
}

/// Whether TVM's normal form gives `node` a variable.
bool FunctionImporter::isBoundInNormalForm(const Node &node) {
  return node.type == "ir.TupleGetItem" || node.type == "relax.expr.If" ||
         node.type == "relax.expr.Function" ||
         (node.type == "ir.Call" && !isDimExpr(node));
}

LogicalResult FunctionImporter::importLeaf(const Node &node, Bound &result) {
  if (state.normalizes && isBoundInNormalForm(node))
    return importNested(node, result);
  if (node.type == "ir.Call" && !isDimExpr(node))
    return table.error(node, "expected a module in normal form, in which every "
                             "call is bound to a variable, found a call in "
                             "another expression");
  if (failed(importExpr(node, builder.getUnknownLoc(), result)))
    return failure();
  if (node.type != "ir.TupleGetItem" || result.isParts)
    return success();
  Value value = result.values.front();
  Operation *op = value.getDefiningOp<relax::TupleGetItemOp>();
  // The result of an op stands for a variable that is a field.
  if (!op)
    op = create(node, builder.getUnknownLoc(), "relax.alias", value,
                value.getType());
  if (!op)
    return failure();
  op->setDiscardableAttr(relax::inlineAttrName, builder.getUnitAttr());
  return bindTo(op->getResult(0), result);
}

LogicalResult FunctionImporter::getValue(const Node &node, Value &value) {
  Bound bound;
  return failure(failed(importLeaf(node, bound)) ||
                 failed(join(node, std::move(bound), value)));
}

LogicalResult FunctionImporter::getValues(ArrayRef<Node> nodes,
                                          SmallVectorImpl<Value> &values) {
  return success(llvm::all_of(nodes, [&](const Node &node) {
    return succeeded(getValue(node, values.emplace_back()));
  }));
}

LogicalResult FunctionImporter::getOperands(const Node &node,
                                            SmallVectorImpl<Value> &operands) {
  // A tuple that only holds operands needs no op.
  if (node.type == "ir.Tuple") {
    TupleNode tuple;
    if (failed(tuple.read(table, node)) || !getType(node, tuple.ty))
      return failure();
    return getValues(tuple.fields, operands);
  }

  Bound bound;
  if (failed(importLeaf(node, bound)))
    return failure();
  auto tuple = bound.isParts
                   ? nullptr
                   : dyn_cast<TupleType>(bound.values.front().getType());
  if (!tuple) {
    llvm::append_range(operands, bound.values);
    return success();
  }
  for (auto [index, type] : llvm::enumerate(tuple.getTypes()))
    if (!operands.emplace_back(createGetItem(
            node, builder.getUnknownLoc(), bound.values.front(), index, type)))
      return failure();
  return success();
}

LogicalResult
FunctionImporter::getTupleOperands(const Node &node,
                                   SmallVectorImpl<Value> &operands) {
  if (node.type == "ir.Tuple")
    return getOperands(node, operands);
  Bound bound;
  if (failed(importLeaf(node, bound)))
    return failure();
  llvm::append_range(operands, bound.values);
  return success();
}

/// Whether an ir.GenericConst is a dtype.
static bool isDType(NodeTable &table, const Node &node) {
  Node value;
  JsonValue index = table.getField(node, "value");
  return index && succeeded(table.get(node, index, "field 'value'", value)) &&
         value.type == "DataType";
}

LogicalResult FunctionImporter::importExpr(const Node &node, Location loc,
                                           Bound &result) {
  NestingScope nested(table, node);
  if (!nested)
    return failure();
  if (node.type == "ir.Var" || node.type == "relax.expr.DataflowVar") {
    auto it = boundOfVar.find(node.index);
    if (it == boundOfVar.end() && isDimExpr(node))
      return importDim(node, loc, result);
    if (it == boundOfVar.end()) {
      Var var{{}, {}, {}, loc};
      if (failed(readVar(node, var)))
        return failure();
      return table.error(node, "expected a variable that is bound in front of "
                               "its use and in reach of it, found " +
                                   quote(var.name));
    }
    result = it->second;
    return success();
  }
  if (node.type == "ir.Call" && !isDimExpr(node))
    return importCall(node, loc, result);
  if (node.type == "ir.GenericConst")
    return isDType(table, node) ? importObject(node, loc, result)
                                : importConstant(node, result);
  if (node.type == "ir.IntImm" || node.type == "ir.FloatImm")
    return importNumber(node, loc, result);
  if (node.type == "relax.expr.ShapeExpr")
    return importShape(node, loc, result);
  if (isDimExpr(node))
    return importDim(node, loc, result);
  if (node.type == "ir.Tuple")
    return importTuple(node, loc, result);
  if (node.type == "ir.TupleGetItem")
    return importTupleGetItem(node, loc, result);
  if (node.type == "relax.expr.If")
    return importIf(node, loc, result);
  if (node.type == "relax.expr.SeqExpr" && state.normalizes) {
    Node body;
    Type type;
    return failure(failed(importSeqExpr(node, body, type)) ||
                   failed(importLeaf(body, result)));
  }
  if (node.type == "ir.StringImm" || node.type == "ir.GlobalVar")
    return importObject(node, loc, result);
  if (node.type == "relax.expr.ExternFunc")
    return importExternFunc(node, loc, result);
  if (node.type == "relax.expr.Function")
    return importLocalFunc(node, loc, result);
  return table.error(node, "expected ir.Var, relax.expr.DataflowVar, ir.Call, "
                           "ir.GenericConst, ir.GlobalVar, ir.IntImm, "
                           "ir.FloatImm, ir.StringImm, relax.expr.ShapeExpr, "
                           "relax.expr.ExternFunc, relax.expr.Function, "
                           "ir.Tuple, ir.TupleGetItem or relax.expr.If, found "
                           "an expression that cannot be imported");
}

/// Whether `node` is an expression of numbers, or a variable of one that is no
/// parameter.
bool FunctionImporter::isDimExpr(const Node &node) {
  if (node.type != "ir.Var" && node.type != "ir.Call")
    return node.type.starts_with("prim.");
  Node type, op;
  StringRef name;
  JsonValue typeIndex = table.getField(node, "ty");
  if (!typeIndex || failed(table.get(node, typeIndex, "field 'ty'", type)) ||
      type.type != "ir.PrimType")
    return false;
  if (node.type == "ir.Var")
    return true;
  // Or it calls an op of TIR.
  JsonValue opIndex = table.getField(node, "op");
  return opIndex && succeeded(table.get(node, opIndex, "field 'op'", op)) &&
         op.type == "ir.Op" && succeeded(table.getText(op, name)) &&
         !name.starts_with("relax.");
}

LogicalResult FunctionImporter::importDim(const Node &node, Location loc,
                                          Bound &result) {
  relax::Dim dim;
  Node typeNode;
  JsonValue index = table.getField(node, "ty");
  if (!index || failed(table.get(node, index, "field 'ty'", typeNode)) ||
      failed(types.getDim(node, dim)))
    return failure();
  Type type = getScalarType(table, typeNode);
  if (!type)
    return failure();
  MLIRContext *context = builder.getContext();
  return bindTo(createValue(node, loc, "relax.dim", {}, type,
                            builder.getNamedAttr(
                                "dims", relax::ShapeAttr::get(context, dim))),
                result);
}

LogicalResult FunctionImporter::importNumber(const Node &node, Location loc,
                                             Bound &result) {
  auto value = dyn_cast_or_null<TypedAttr>(getAttribute(table, node));
  Operation *op =
      value ? create(node, loc, "relax.prim_value", {}, value.getType(),
                     builder.getNamedAttr("value", value))
            : nullptr;
  if (!op)
    return failure();
  if (areRounded(table, node))
    op->setDiscardableAttr(FunctionExporter::getRoundedAttrName(),
                           builder.getUnitAttr());
  return bindTo(op->getResult(0), result);
}

LogicalResult FunctionImporter::importConstant(const Node &node,
                                               Bound &result) {
  Value &constant = constantOfNode[node.index];
  if (!constant) {
    relax::OwnedElements value;
    Location loc = builder.getUnknownLoc();
    if (failed(readConstant(node, value, loc)))
      return failure();
    OpBuilder::InsertionGuard guard(builder);
    if (lastConstant)
      builder.setInsertionPointAfter(lastConstant);
    else
      builder.setInsertionPointToStart(&func.getBody().front());
    lastConstant = create(node, loc, "relax.constant", {}, value.getType(),
                          builder.getNamedAttr("value", value));
    if (!lastConstant)
      return failure();
    constant = lastConstant->getResult(0);
  }
  result = {{constant}};
  return success();
}

LogicalResult FunctionImporter::readConstant(const Node &node,
                                             relax::OwnedElements &result,
                                             Location &loc) {
  TensorConstNode constant;
  if (failed(constant.read(table, node, &loc)))
    return failure();
  Type type = types.getType(constant.ty);
  if (!type)
    return failure();
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType || !tensorType.hasStaticShape())
    return table.error(node, "expected a constant to have a tensor type of "
                             "known shape");

  std::string name = "w" + std::to_string(state.numConstants);
  if (failed(getTensor(table, constant.value, tensorType, name, result)))
    return failure();
  if (isa<relax::TensorAttr>(Attribute(result))) {
    ++state.numConstants;
    loc = NameLoc::get(builder.getStringAttr(name), loc);
  }
  return success();
}

LogicalResult FunctionImporter::importShape(const Node &node, Location loc,
                                            Bound &result) {
  SmallVector<relax::Dim> dims;
  Location span = builder.getUnknownLoc();
  if (failed(types.getShape(node, dims, /*areSizes=*/false, &span)))
    return failure();
  auto value = relax::ShapeAttr::get(builder.getContext(), dims);
  return bindTo(createValue(node, withSpan(loc, span), "relax.shape", {},
                            value.getValueType(),
                            builder.getNamedAttr("dims", value)),
                result);
}

LogicalResult FunctionImporter::importTuple(const Node &node, Location loc,
                                            Bound &result) {
  TupleNode fields;
  Location span = builder.getUnknownLoc();
  if (failed(fields.read(table, node, &span)))
    return failure();
  Type type = getType(node, fields.ty);
  if (!type)
    return failure();
  SmallVector<Value> values;
  if (failed(getValues(fields.fields, values)))
    return failure();
  if (isMissing(type))
    type = TupleType::get(builder.getContext(), ValueRange(values).getTypes());
  // TVM gives a function that is a field its type.
  if (auto tuple = dyn_cast<TupleType>(type);
      tuple && tuple.size() == values.size() &&
      llvm::any_of(values, [](Value value) {
        return value.getDefiningOp<relax::GlobalOp>();
      })) {
    for (auto [value, field] : llvm::zip_equal(values, tuple.getTypes()))
      if (value.getDefiningOp<relax::GlobalOp>() &&
          failed(castTo(node, field, builder.getUnknownLoc(), value)))
        return failure();
    type = TupleType::get(builder.getContext(), ValueRange(values).getTypes());
  }
  return bindTo(
      createValue(node, withSpan(loc, span), "relax.tuple", values, type),
      result);
}

LogicalResult FunctionImporter::importTupleGetItem(const Node &node,
                                                   Location loc,
                                                   Bound &result) {
  TupleGetItemNode item;
  Location span = builder.getUnknownLoc();
  if (failed(item.read(table, node, &span)))
    return failure();
  int64_t index = item.index;
  Type type = getType(node, item.ty);
  Bound bound;
  if (!type || failed(importLeaf(item.tupleValue, bound)))
    return failure();
  loc = withSpan(loc, span);

  if (!bound.isParts)
    return bindTo(createGetItem(node, loc, bound.values.front(), index, type),
                  result);
  if (index < 0 || index >= static_cast<int64_t>(bound.values.size()))
    return table.error(node, "expected field 'index' to be one of the " +
                                 Twine(bound.values.size()) +
                                 " fields of the tuple, found " + Twine(index));
  Value value = bound.values[index];
  // The results of an op have its name; a field that is bound has its own.
  if (relax::getVarName(loc)) {
    value = createValue(node, loc, "relax.alias", value, value.getType());
    if (!value)
      return failure();
  }
  result = {{value}};
  return isMissing(type) ? success()
                         : castTo(node, type, loc, result.values.front());
}
