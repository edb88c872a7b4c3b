//===- FunctionExporter.cpp - relax.func -> relax.expr.Function -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionExporter.h"

#include "DimParser.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "partita/Support/StructuralEquality.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static StringAttr getName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  return {};
}

int64_t FunctionExporter::addDimVar(StringRef name) {
  auto [it, isNew] = dimVars.try_emplace(name, 0);
  if (isNew) {
    int64_t dtype = writer.getPrimType("int64"), text = writer.getString(name);
    it->second = writer.addSpanned("ir.Var", {{"ty", dtype}, {"name", text}});
  }
  return it->second;
}

FailureOr<int64_t> FunctionExporter::addDim(Operation *op, relax::Dim dim) {
  if (dim.isNumber())
    return writer.getIntImm("int64", dim.getSize());
  FailureOr<int64_t> node =
      parseDim(dim.getName().getValue(), writer,
               [&](StringRef name) { return addDimVar(name); });
  if (failed(node))
    return op->emitError("expected a dimension that TVM has, made of numbers, "
                         "names, +, -, *, //, %, min and max, found ")
           << dim.getName();
  return node;
}

FailureOr<int64_t> FunctionExporter::addDims(Operation *op,
                                             ArrayRef<relax::Dim> dims) {
  SmallVector<int64_t> nodes;
  for (relax::Dim dim : dims) {
    FailureOr<int64_t> node = addDim(op, dim);
    if (failed(node))
      return failure();
    nodes.push_back(*node);
  }
  return writer.getArray(nodes);
}

FailureOr<int64_t> FunctionExporter::addShapeExpr(Operation *op,
                                                  ArrayRef<relax::Dim> dims) {
  FailureOr<int64_t> values = addDims(op, dims);
  if (failed(values))
    return failure();
  int64_t shapeType = writer.addSpanned(
      "relax.ShapeType",
      {{"values", *values}, {"ndim", static_cast<int64_t>(dims.size())}});
  return writer.addSpanned("relax.expr.ShapeExpr",
                           {{"ty", shapeType}, {"values", *values}});
}

static bool anyUnknown(ArrayRef<relax::Dim> dims) {
  return llvm::any_of(dims, [](relax::Dim dim) { return dim.isUnknown(); });
}

FailureOr<int64_t> FunctionExporter::addTypes(Operation *op, TypeRange list) {
  SmallVector<int64_t> nodes;
  for (Type each : list) {
    FailureOr<int64_t> node = addType(op, each);
    if (failed(node))
      return failure();
    nodes.push_back(*node);
  }
  return writer.getArray(nodes);
}

FailureOr<int64_t> FunctionExporter::addResultType(Operation *op,
                                                   TypeRange list) {
  return list.size() == 1
             ? addType(op, list.front())
             : addType(op, TupleType::get(func.getContext(), list));
}

FailureOr<int64_t> FunctionExporter::addType(Operation *op, Type exported) {
  int64_t &known = types[exported];
  if (known)
    return known;
  FailureOr<int64_t> node = failure();
  if (auto tensor = dyn_cast<TensorType>(exported)) {
    StringRef dtype = getDTypeName(tensor.getElementType());
    if (dtype.empty())
      return op->emitError("expected a tensor of a dtype that TVM has, found ")
             << tensor;
    int64_t shape = writer.getNone(), rank = -1;
    if (auto ranked = dyn_cast<RankedTensorType>(tensor)) {
      SmallVector<relax::Dim> dims = relax::getDims(ranked);
      rank = dims.size();
      // TVM knows all dimensions, or the rank alone.
      if (!anyUnknown(dims)) {
        FailureOr<int64_t> expr = addShapeExpr(op, dims);
        if (failed(expr))
          return failure();
        shape = *expr;
      }
    }
    int64_t dtypeNode = writer.getPrimType(dtype);
    node = writer.addSpanned("relax.TensorType", {{"shape", shape},
                                                  {"dtype", dtypeNode},
                                                  {"vdevice", writer.getNone()},
                                                  {"ndim", rank}});
  } else if (auto shape = dyn_cast<relax::ShapeType>(exported)) {
    FailureOr<int64_t> values = writer.getNone();
    if (!anyUnknown(shape.getDims()))
      values = addDims(op, shape.getDims());
    if (failed(values))
      return failure();
    node = writer.addSpanned(
        "relax.ShapeType",
        {{"values", *values},
         {"ndim", static_cast<int64_t>(shape.getDims().size())}});
  } else if (auto tuple = dyn_cast<TupleType>(exported)) {
    FailureOr<int64_t> fields = addTypes(op, tuple.getTypes());
    if (failed(fields))
      return failure();
    node = writer.addSpanned("ir.TupleType", {{"fields", *fields}});
  } else if (isa<relax::ObjectType>(exported)) {
    node = writer.addSpanned("relax.AnyType", {});
  } else if (auto opaque = dyn_cast<relax::OpaqueType>(exported)) {
    node = writer.paste(opaque.getJson(), [&](StringRef kind, JsonValue data) {
      return resolveInType(kind, data);
    });
  } else if (StringRef dtype = getDTypeName(exported); !dtype.empty()) {
    node = writer.getPrimType(dtype);
  }
  if (failed(node))
    return op->emitError("expected a type that TVM has, found ") << exported;
  return types[exported] = *node;
}

int64_t FunctionExporter::resolveInType(StringRef kind, JsonValue data) {
  if (kind == "dim") {
    std::optional<StringRef> name = data.getString(saver);
    return name ? addDimVar(*name) : -1;
  }
  if (kind != "shape" || !data.isArray())
    return -1;
  SmallVector<JsonValue> fields;
  data.forEachElement([&](JsonValue field) {
    fields.push_back(field);
    return true;
  });
  std::optional<StringRef> name =
      fields.size() == 2 ? fields[0].getString(saver) : std::nullopt;
  std::optional<int64_t> rank =
      fields.size() == 2 ? fields[1].getInteger() : std::nullopt;
  if (!name || !rank)
    return -1;
  auto known = shapeVars.find(*name);
  if (known != shapeVars.end())
    return known->second;
  int64_t shapeType = writer.addSpanned(
      "relax.ShapeType", {{"values", writer.getNone()}, {"ndim", *rank}});
  // That of a parameter has the parameter's type.
  if (!func.isExternal())
    for (BlockArgument argument : func.getArguments())
      if (StringAttr argumentName = getName(argument.getLoc());
          argumentName && argumentName == *name &&
          !isa<relax::OpaqueType>(argument.getType()))
        if (FailureOr<int64_t> type = addType(func, argument.getType());
            succeeded(type))
          shapeType = *type;
  int64_t text = writer.getString(*name);
  return shapeVars[*name] =
             writer.addSpanned("ir.Var", {{"ty", shapeType}, {"name", text}});
}

FailureOr<int64_t> FunctionExporter::addFunctionType() {
  for (Type param : func.getArgumentTypes()) {
    FailureOr<int64_t> node = addType(func, param);
    if (failed(node))
      return failure();
    paramTypes.push_back(*node);
  }
  FailureOr<int64_t> result = addResultType(func, func.getResultTypes());
  if (failed(result))
    return failure();
  resultType = *result;
  int64_t params = writer.getArray(paramTypes);
  type = writer.addSpanned("relax.FuncType", {{"params", params},
                                              {"ret", resultType},
                                              {"derive_func", writer.getNone()},
                                              {"purity", func.getIsPure()}});
  return type;
}

//===----------------------------------------------------------------------===//
// Functions and blocks
//===----------------------------------------------------------------------===//

int64_t FunctionExporter::addVar(Location loc, int64_t varType,
                                 bool isDataflowVar) {
  StringAttr name = getName(loc);
  // The types of others may have referred to it.
  if (auto it = name ? shapeVars.find(name) : shapeVars.end();
      it != shapeVars.end() && !isDataflowVar)
    return it->second;
  int64_t text =
      writer.getString(name ? name.str() : "lv" + std::to_string(numNames++));
  return writer.addSpanned(isDataflowVar ? "relax.expr.DataflowVar" : "ir.Var",
                           {{"ty", varType}, {"name", text}});
}

FailureOr<int64_t> FunctionExporter::addFunction() {
  Block &body = func.getBody().front();
  SmallVector<int64_t> params;
  for (auto [argument, paramType] :
       llvm::zip_equal(body.getArguments(), paramTypes)) {
    params.push_back(
        addVar(argument.getLoc(), paramType, /*isDataflowVar=*/false));
    nodeOfValue[argument] = params.back();
  }
  SmallVector<NamedAttribute> attributes(func->getDiscardableAttrs());
  // In TVM the functions that others can call have this attribute.
  if (func.isPublic() && !func->hasAttr("global_symbol"))
    attributes.emplace_back(StringAttr::get(func.getContext(), "global_symbol"),
                            func.getSymNameAttr());
  FailureOr<int64_t> attrs = addDictAttrs(writer, attributes);
  if (failed(attrs))
    return func.emitError("expected attributes that TVM has, found ")
           << DictionaryAttr::get(func.getContext(), attributes);

  Bindings bindings;
  if (failed(addBlock(body, bindings)))
    return failure();
  Operation *terminator = body.getTerminator();
  SmallVector<Value> values;
  for (Value value : terminator->getOperands()) {
    // What the function's type does not tell is not told here, either.
    auto cast = value.getDefiningOp<relax::MatchCastOp>();
    values.push_back(cast && !nodeOfValue.contains(value) ? cast.getValue()
                                                          : value);
  }
  FailureOr<int64_t> result = values.size() == 1
                                  ? addValue(terminator, values.front())
                                  : addTuple(terminator, values);
  if (failed(result))
    return failure();
  flush(bindings);
  int64_t blockList = writer.getArray(blocks),
          seq = writer.addSpanned(
              "relax.expr.SeqExpr",
              {{"ty", resultType}, {"blocks", blockList}, {"body", *result}}),
          paramList = writer.getArray(params);
  return writer.addSpanned("relax.expr.Function",
                           {{"ty", type},
                            {"attrs", *attrs},
                            {"params", paramList},
                            {"body", seq},
                            {"ret_ty", resultType},
                            {"is_pure", func.getIsPure()}});
}

void FunctionExporter::flush(Bindings &bindings) {
  if (bindings.empty())
    return;
  int64_t list = writer.getArray(bindings);
  blocks.push_back(
      writer.addSpanned("relax.expr.BindingBlock", {{"bindings", list}}));
  bindings.clear();
}

LogicalResult FunctionExporter::addBlock(Block &block, Bindings &bindings) {
  for (Operation &op : block.without_terminator()) {
    if (auto dataflow = dyn_cast<relax::DataflowOp>(op)) {
      if (isDataflow)
        return op.emitError("expected no dataflow block in another, which TVM "
                            "lacks; run relax-to-non-dataflow first");
      flush(bindings);
      if (failed(addDataflow(dataflow)))
        return failure();
    } else if (!isInline(&op) && failed(addBinding(&op, bindings))) {
      return failure();
    }
  }
  return success();
}

/// The location of each result of a dataflow block: importers and passes keep
/// the names of several in a fused one.
static SmallVector<Location> getResultLocs(relax::DataflowOp op) {
  if (auto fused = dyn_cast<FusedLoc>(op.getLoc());
      fused && fused.getLocations().size() == op->getNumResults())
    return llvm::to_vector(fused.getLocations());
  Location loc = op->getNumResults() == 1
                     ? op.getLoc()
                     : Location(UnknownLoc::get(op.getContext()));
  return SmallVector<Location>(op->getNumResults(), loc);
}

/// Whether the variable of a value has the name that it leaves its block by.
static bool hasOneName(Location value, Location output) {
  StringAttr inner = getName(value), outer = getName(output);
  return !inner || !outer || inner == outer;
}

LogicalResult FunctionExporter::addDataflow(relax::DataflowOp op) {
  llvm::SaveAndRestore inside(isDataflow, true);
  Bindings bindings;
  Operation *output = op.getBody()->getTerminator();
  SmallVector<Location> locs = getResultLocs(op);
  outputs.clear();
  for (auto [value, loc] : llvm::zip_equal(output->getOperands(), locs)) {
    Operation *def = value.getDefiningOp();
    bool isOwn = def && def->getBlock() == op.getBody() &&
                 def->getNumResults() == 1 && !isInline(def) &&
                 hasOneName(def->getLoc(), loc);
    if (isOwn)
      outputs.try_emplace(value, isa<UnknownLoc>(loc) ? def->getLoc() : loc);
  }
  if (failed(addBlock(*op.getBody(), bindings)))
    return failure();
  llvm::DenseSet<Value> taken;
  for (auto [value, result, loc] :
       llvm::zip_equal(output->getOperands(), op.getResults(), locs)) {
    if (outputs.contains(value) && taken.insert(value).second) {
      nodeOfValue[result] = nodeOfValue.lookup(value);
      continue;
    }
    // Another variable for a value that has one.
    FailureOr<int64_t> varType = addType(op, value.getType()),
                       expr = addValue(op, value);
    if (failed(varType) || failed(expr))
      return failure();
    int64_t var = addVar(loc, *varType, /*isDataflowVar=*/false);
    bindings.push_back(writer.addSpanned("relax.expr.VarBinding",
                                         {{"var", var}, {"value", *expr}}));
    nodeOfValue[result] = var;
  }
  outputs.clear();
  int64_t list = writer.getArray(bindings);
  blocks.push_back(
      writer.addSpanned("relax.expr.DataflowBlock", {{"bindings", list}}));
  return success();
}

bool FunctionExporter::isInline(Operation *op) const {
  if (isa<relax::ConstantOp>(op))
    return true;
  return isa<relax::ShapeOp, relax::PrimValueOp, relax::TupleOp>(op) &&
         !getName(op->getLoc());
}

/// The cast that only says less of the value of `op`, as the variable's type
/// does in TVM: it follows `op`, has its name, and nobody else uses the value.
static relax::MatchCastOp getOwnCast(Operation *op) {
  if (op->getNumResults() != 1 || !op->hasOneUse() ||
      isa<relax::MatchCastOp>(op))
    return {};
  auto cast = dyn_cast<relax::MatchCastOp>(*op->user_begin());
  if (!cast || cast->getPrevNode() != op || cast.getLoc() != op->getLoc() ||
      !getName(op->getLoc()))
    return {};
  return cast;
}

LogicalResult FunctionExporter::addBinding(Operation *op, Bindings &bindings) {
  if (auto cast = dyn_cast<relax::MatchCastOp>(op)) {
    if (nodeOfValue.contains(cast.getResult()))
      return success();
    // The cast to the function's result is part of the result.
    if (isa<UnknownLoc>(op->getLoc()) && op->hasOneUse() &&
        isa<relax::ReturnOp>(*op->user_begin()))
      return success();
  }
  FailureOr<int64_t> expr = addExpr(op);
  relax::MatchCastOp own = getOwnCast(op);
  Value value = own                        ? own.getResult()
                : op->getNumResults() == 1 ? op->getResult(0)
                                           : Value();
  FailureOr<int64_t> varType = value ? addType(op, value.getType())
                                     : addResultType(op, op->getResultTypes());
  if (failed(expr) || failed(varType))
    return failure();
  auto output = value ? outputs.find(value) : outputs.end();
  bool isOutput = output != outputs.end();
  int64_t var = addVar(isOutput ? output->second : op->getLoc(), *varType,
                       isDataflow && !isOutput);
  if (auto cast = dyn_cast<relax::MatchCastOp>(op))
    bindings.push_back(
        writer.addSpanned("relax.expr.MatchCast",
                          {{"var", var}, {"value", *expr}, {"ty", *varType}}));
  else
    bindings.push_back(writer.addSpanned("relax.expr.VarBinding",
                                         {{"var", var}, {"value", *expr}}));
  if (value) {
    nodeOfValue[value] = var;
    return success();
  }
  tupleOfOp[op] = var;
  for (OpResult result : op->getResults()) {
    // Where all are made a tuple again, that is the variable.
    bool isUsed = llvm::any_of(result.getUsers(), [&](Operation *user) {
      return !isa<relax::TupleOp>(user) ||
             user->getOperands() != ValueRange(op->getResults()) ||
             !isInline(user);
    });
    if (!isUsed)
      continue;
    FailureOr<int64_t> item = addGetItem(op, var, result.getResultNumber(),
                                         result.getType()),
                       itemType = addType(op, result.getType());
    if (failed(item) || failed(itemType))
      return failure();
    int64_t itemVar =
        addVar(UnknownLoc::get(op->getContext()), *itemType, isDataflow);
    bindings.push_back(writer.addSpanned("relax.expr.VarBinding",
                                         {{"var", itemVar}, {"value", *item}}));
    nodeOfValue[result] = itemVar;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

FailureOr<int64_t> FunctionExporter::addValue(Operation *user, Value value) {
  auto known = nodeOfValue.find(value);
  if (known != nodeOfValue.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return user->emitError("expected values of Relax functions, found another");
  FailureOr<int64_t> node = addExpr(op);
  if (succeeded(node) && isa<relax::ConstantOp>(op))
    nodeOfValue[value] = *node;
  return node;
}

LogicalResult FunctionExporter::addValues(Operation *user, ValueRange values,
                                          SmallVectorImpl<int64_t> &nodes) {
  for (Value value : values) {
    FailureOr<int64_t> node = addValue(user, value);
    if (failed(node))
      return failure();
    nodes.push_back(*node);
  }
  return success();
}

FailureOr<int64_t> FunctionExporter::addTuple(Operation *op,
                                              ValueRange values) {
  // The results of one op, all and in order, are its tuple.
  if (Operation *def =
          values.empty() ? nullptr : values.front().getDefiningOp())
    if (auto it = tupleOfOp.find(def);
        it != tupleOfOp.end() && values == ValueRange(def->getResults()))
      return it->second;
  SmallVector<int64_t> nodes;
  FailureOr<int64_t> tupleType =
      addType(op, TupleType::get(op->getContext(), values.getTypes()));
  if (failed(tupleType) || failed(addValues(op, values, nodes)))
    return failure();
  int64_t fields = writer.getArray(nodes);
  return writer.addSpanned("ir.Tuple",
                           {{"ty", *tupleType}, {"fields", fields}});
}

FailureOr<int64_t> FunctionExporter::addGetItem(Operation *op, int64_t tuple,
                                                int64_t index, Type itemType) {
  FailureOr<int64_t> node = addType(op, itemType);
  if (failed(node))
    return failure();
  return writer.addSpanned(
      "ir.TupleGetItem",
      {{"ty", *node}, {"tuple_value", tuple}, {"index", index}});
}

FailureOr<int64_t> FunctionExporter::addExpr(Operation *op) {
  if (auto constant = dyn_cast<relax::ConstantOp>(op)) {
    FailureOr<int64_t> constantType = addType(op, constant.getType()),
                       tensor = addTensor(writer, constant.getValue());
    if (failed(constantType) || failed(tensor))
      return op->emitError("expected a constant that TVM has, found one of "
                           "type ")
             << constant.getType();
    return writer.addSpanned("ir.GenericConst",
                             {{"ty", *constantType}, {"value", *tensor}});
  }
  if (auto number = dyn_cast<relax::PrimValueOp>(op)) {
    StringRef dtype = getDTypeName(number.getType());
    if (auto integer = dyn_cast<IntegerAttr>(number.getValue());
        integer && !dtype.empty())
      return writer.getIntImm(dtype,
                              integer.getType().isSignlessInteger() &&
                                      !integer.getType().isInteger(1)
                                  ? integer.getValue().getSExtValue()
                                  : int64_t(integer.getValue().getZExtValue()));
    FailureOr<int64_t> node = addType(op, number.getType());
    if (auto value = dyn_cast<FloatAttr>(number.getValue());
        value && succeeded(node))
      return writer.addSpanned(
          "ir.FloatImm", {{"ty", *node}, {"value", value.getValueAsDouble()}});
    return failure();
  }
  if (auto shape = dyn_cast<relax::ShapeOp>(op))
    return addShapeExpr(op, shape.getDims().getDims());
  if (isa<relax::TupleOp>(op))
    return addTuple(op, op->getOperands());
  if (auto item = dyn_cast<relax::TupleGetItemOp>(op)) {
    FailureOr<int64_t> tuple = addValue(op, item.getTupleValue());
    if (failed(tuple))
      return failure();
    return addGetItem(op, *tuple, item.getIndex(), item.getType());
  }
  if (auto cast = dyn_cast<relax::MatchCastOp>(op))
    return addValue(op, cast.getValue());
  if (auto call = dyn_cast<relax::CallOpOp>(op))
    return addCallOp(call);
  if (auto call = dyn_cast<relax::CallTIROp>(op))
    return addCallTIR(call);
  if (auto call = dyn_cast<relax::CallOp>(op))
    return addFuncCall(call);
  if (auto opaque = dyn_cast<relax::OpaqueExprOp>(op))
    return addOpaque(opaque);
  if (isa<relax::RelaxDialect>(op->getDialect()))
    return addOpCall(op);
  return op->emitError("expected an op of the relax dialect, found '")
         << op->getName() << "', which TVM lacks";
}

FailureOr<int64_t> FunctionExporter::addCall(Operation *op, int64_t callee,
                                             ArrayRef<int64_t> args,
                                             int64_t attrs,
                                             ArrayRef<int64_t> typeArgs) {
  FailureOr<int64_t> callType = addResultType(op, op->getResultTypes());
  if (failed(callType))
    return failure();
  int64_t argList = writer.getArray(args), typeList = writer.getArray(typeArgs);
  return writer.addSpanned("ir.Call", {{"ty", *callType},
                                       {"op", callee},
                                       {"args", argList},
                                       {"attrs", attrs},
                                       {"ty_args", typeList}});
}

/// TVM's class of the attributes of an op; empty if it has none.
static StringRef getAttrsType(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("relax.astype", "relax.attrs.AstypeAttrs")
      .Case("relax.concat", "relax.attrs.ConcatAttrs")
      .Case("relax.expand_dims", "relax.attrs.ExpandDimsAttrs")
      .Case("relax.matmul", "relax.attrs.MatmulAttrs")
      .Case("relax.permute_dims", "relax.attrs.PermuteDimsAttrs")
      .Case("relax.squeeze", "relax.attrs.SqueezeAttrs")
      .Cases({"relax.max", "relax.mean", "relax.min", "relax.sum"},
             "relax.attrs.StatisticalAttrs")
      .Case("relax.nn.batch_norm", "relax.attrs.BatchNormAttrs")
      .Case("relax.nn.conv2d", "relax.attrs.Conv2DAttrs")
      .Case("relax.nn.layer_norm", "relax.attrs.LayerNormAttrs")
      .Cases({"relax.nn.avg_pool2d", "relax.nn.max_pool2d"},
             "relax.attrs.Pool2DAttrs")
      .Case("relax.nn.softmax", "relax.attrs.SoftmaxAttrs")
      .Default("");
}

FailureOr<int64_t> FunctionExporter::addOpCall(Operation *op) {
  SmallVector<int64_t> args;
  if (isa<relax::ConcatOp>(op)) {
    FailureOr<int64_t> tuple = addTuple(op, op->getOperands());
    if (failed(tuple))
      return failure();
    args.push_back(*tuple);
  } else if (failed(addValues(op, op->getOperands(), args))) {
    return failure();
  }
  StringRef name = op->getName().getStringRef();
  int64_t attrs = writer.getNone();
  if (StringRef attrsType = getAttrsType(name); !attrsType.empty()) {
    SmallVector<NamedAttribute> fields;
    for (StringAttr key : op->getName().getAttributeNames()) {
      Attribute value = op->getAttr(key);
      fields.emplace_back(key, value ? value : UnitAttr::get(op->getContext()));
    }
    FailureOr<int64_t> node = addAttrs(writer, attrsType, fields);
    if (failed(node))
      return op->emitError("expected attributes that TVM has");
    attrs = *node;
  }
  return addCall(op, writer.add("ir.Op", name), args, attrs);
}

FailureOr<int64_t> FunctionExporter::addCallOp(relax::CallOpOp op) {
  SmallVector<int64_t> args;
  if (failed(addValues(op, op.getOperands(), args)))
    return failure();
  int64_t attrs = writer.getNone();
  if (op.getAttrsType()) {
    FailureOr<int64_t> node =
        addAttrs(writer, *op.getAttrsType(),
                 op.getAttrsAttr() ? op.getAttrsAttr().getValue()
                                   : ArrayRef<NamedAttribute>());
    if (failed(node))
      return op.emitError("expected attributes that TVM has");
    attrs = *node;
  }
  return addCall(op, writer.add("ir.Op", op.getOpName()), args, attrs);
}

FailureOr<int64_t> FunctionExporter::getGlobalVar(Operation *op,
                                                  FlatSymbolRefAttr callee) {
  auto it = globalVars.find(callee.getAttr());
  if (it != globalVars.end())
    return it->second;
  return op->emitError("expected the call of a function of the module, found ")
         << callee;
}

FailureOr<int64_t> FunctionExporter::addCallTIR(relax::CallTIROp op) {
  FailureOr<int64_t> callee = getGlobalVar(op, op.getCalleeAttr()),
                     tuple = addTuple(op, op.getOperands()),
                     result = addResultType(op, op->getResultTypes());
  if (failed(callee) || failed(tuple) || failed(result))
    return failure();
  return addCall(op, writer.add("ir.Op", "relax.call_tir"), {*callee, *tuple},
                 writer.getNone(), *result);
}

FailureOr<int64_t> FunctionExporter::addFuncCall(relax::CallOp op) {
  FailureOr<int64_t> callee = getGlobalVar(op, op.getCalleeAttr());
  SmallVector<int64_t> args;
  if (failed(callee) || failed(addValues(op, op.getOperands(), args)))
    return failure();
  return addCall(op, *callee, args, writer.getNone());
}

FailureOr<int64_t> FunctionExporter::addOpaque(relax::OpaqueExprOp op) {
  SmallVector<int64_t> operands;
  if (failed(addValues(op, op.getOperands(), operands)))
    return failure();
  auto resolve = [&](StringRef kind, JsonValue data) -> int64_t {
    if (kind == "dim" || kind == "shape")
      return resolveInType(kind, data);
    std::optional<int64_t> index = data.getInteger();
    if (!index || *index < 0)
      return -1;
    if (kind == "operand")
      return *index < static_cast<int64_t>(operands.size()) ? operands[*index]
                                                            : -1;
    ArrayAttr symbols = op.getSymbolsAttr();
    if (!symbols || *index >= static_cast<int64_t>(symbols.size()))
      return -1;
    auto it =
        globalVars.find(cast<FlatSymbolRefAttr>(symbols[*index]).getAttr());
    return it == globalVars.end() ? -1 : it->second;
  };
  FailureOr<int64_t> node =
      writer.paste(getResourceBytes(op.getJson()), resolve);
  if (failed(node))
    return op.emitError("expected 'json' to be a graph of TVM's nodes");
  return node;
}
