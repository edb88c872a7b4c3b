//===- FunctionExporter.cpp - relax.func -> relax.expr.Function -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionExporter.h"
#include "Subgraph.h"
#include "TVMNodes.h"

#include "partita/Dialect/Relax/IR/RelaxDialect.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

DimNode FunctionExporter::addDimVar(StringRef name, StringRef varName,
                                    StringRef dtype) {
  auto [it, isNew] = dimVars.try_emplace(name);
  if (!isNew)
    return it->second;
  int64_t type = writer.getPrimType(dtype), own = 0;
  auto numbers = func->getAttrOfType<DictionaryAttr>(getModuleVarsAttrName());
  Attribute number = numbers ? numbers.get(name) : Attribute();
  // Functions of several modules, and copies of one, can have one number.
  NodeWriter::ModuleVar var(number, type);
  bool isShared = number && writer.moduleVarsOfRelax.insert(var).second;
  int64_t &node = isShared ? writer.nodeOfModuleVar[var] : own;
  if (!node) {
    auto others = func->getAttrOfType<DictionaryAttr>(getDimNamesAttrName());
    auto other = others ? others.getAs<StringAttr>(name) : StringAttr();
    node = *VarNode::add(writer, {type, other             ? other.getValue()
                                        : varName.empty() ? name
                                                          : varName});
  }
  return it->second = {node, saver.save(dtype)};
}

FailureOr<int64_t> FunctionExporter::addDim(Operation *op, relax::Dim dim) {
  if (dim.isNumber())
    return writer.getIntImm("int64", dim.getSize());
  FailureOr<DimNode> node =
      parseDim(dim.getName().getValue(), writer,
               [&](StringRef name) { return addDimVar(name); });
  if (failed(node) && isTooDeep(dim.getName().getValue()))
    return op->emitError("expected a dimension that nests at most ")
           << maxDimBrackets << " brackets and calls, found " << dim.getName();
  if (failed(node))
    return op->emitError("expected a dimension that TVM has, made of numbers, "
                         "names, +, -, *, //, %, min and max, found ")
           << dim.getName();
  return node->index;
}

FailureOr<int64_t> FunctionExporter::addDims(Operation *op,
                                             ArrayRef<relax::Dim> dims) {
  return writer.addArray(dims, [&](relax::Dim dim) { return addDim(op, dim); });
}

FailureOr<int64_t> FunctionExporter::addShapeExpr(Operation *op,
                                                  ArrayRef<relax::Dim> dims) {
  FailureOr<int64_t> values = addDims(op, dims);
  auto rank = static_cast<int64_t>(dims.size());
  return ShapeExprNode::add(
      writer, {ShapeTypeNode::add(writer, {values, rank}), values});
}

static bool anyUnknown(ArrayRef<relax::Dim> dims) {
  return llvm::any_of(dims, [](relax::Dim dim) { return dim.isUnknown(); });
}

FailureOr<int64_t> FunctionExporter::addShapeType(Operation *op, bool isRanked,
                                                  ArrayRef<relax::Dim> dims,
                                                  bool lacksValues) {
  FailureOr<int64_t> values = writer.getNone();
  if (isRanked && !lacksValues && !anyUnknown(dims))
    values = addDims(op, dims);
  int64_t rank = isRanked ? static_cast<int64_t>(dims.size()) : -1;
  return ShapeTypeNode::add(writer, {values, rank});
}

FailureOr<int64_t>
FunctionExporter::addTensorType(Operation *op,
                                const relax::TensorInfo &tensor) {
  int64_t dtype = writer.getNone(), vdevice = writer.getNone();
  if (tensor.elementType) {
    StringRef name = getDTypeName(tensor.elementType);
    if (name.empty())
      return op->emitError("expected a tensor of a dtype that TVM has, found "
                           "one of ")
             << tensor.elementType;
    dtype = writer.getPrimType(name);
  }
  if (auto index = dyn_cast_if_present<IntegerAttr>(tensor.vdevice)) {
    if (index.getInt() >= static_cast<int64_t>(writer.vdevices.size()))
      return op->emitError("expected one of the ")
             << writer.vdevices.size()
             << " vdevices in the module's global infos, found "
             << index.getInt();
    vdevice = writer.vdevices[index.getInt()];
  } else if (tensor.vdevice) {
    FailureOr<int64_t> node = addGlobalInfo(writer, tensor.vdevice);
    if (failed(node))
      return op->emitError("expected the fields of a vdevice, found ")
             << tensor.vdevice;
    vdevice = *node;
  }
  FailureOr<int64_t> shape = writer.getNone();
  // TVM knows all dimensions, or the rank alone.
  if (tensor.shape)
    shape = getShapeVar(op, tensor.shape, tensor.isRanked, tensor.dims,
                        tensor.lacksShape);
  else if (tensor.isRanked && !tensor.lacksShape && !anyUnknown(tensor.dims))
    shape = addShapeExpr(op, tensor.dims);
  int64_t rank = tensor.isRanked ? tensor.getRank() : -1;
  return TensorTypeNode::add(writer, {shape, dtype, vdevice, rank});
}

FailureOr<int64_t> FunctionExporter::addTypes(Operation *op, TypeRange list) {
  return writer.addArray(list, [&](Type each) { return addType(op, each); });
}

FailureOr<int64_t> FunctionExporter::addTypeOf(Operation *op, Value value) {
  if (auto tuple = value.getDefiningOp<relax::TupleOp>())
    return addTupleType(op, tuple.getFields());
  if (value.getDefiningOp<relax::StringOp>())
    return StringTypeNode::add(writer, {});
  auto global = value.getDefiningOp<relax::GlobalOp>();
  auto callable = dyn_cast<relax::CallableType>(value.getType());
  auto hasNames = [](Type type) { return !relax::getNames(type).empty(); };
  if (global && (!callable || llvm::any_of(callable.getInputs(), hasNames)))
    if (int64_t known = globalTypes.lookup(global.getValueAttr().getAttr()))
      return known;
  return addType(op, value.getType());
}

FailureOr<int64_t> FunctionExporter::addTupleType(Operation *op,
                                                  ValueRange fields) {
  if (llvm::none_of(
          fields.getTypes(),
          llvm::IsaPred<relax::CallableType, relax::ObjectType, TupleType>))
    return addType(op, TupleType::get(op->getContext(), fields.getTypes()));
  return TupleTypeNode::add(writer, {writer.addArray(fields, [&](Value field) {
                              return addTypeOf(op, field);
                            })});
}

FailureOr<int64_t> FunctionExporter::addResultType(Operation *op,
                                                   TypeRange list) {
  return list.size() == 1
             ? addType(op, list.front())
             : addType(op, TupleType::get(func.getContext(), list));
}

FailureOr<int64_t> FunctionExporter::addType(Operation *op, Type exported) {
  if (int64_t known = types.lookup(exported))
    return known;
  FailureOr<int64_t> node = addNewType(op, exported);
  if (succeeded(node))
    types[exported] = *node;
  return node;
}

FailureOr<int64_t> FunctionExporter::addNewType(Operation *op, Type exported) {
  if (std::optional<relax::TensorInfo> tensor =
          relax::TensorInfo::get(exported))
    return addTensorType(op, *tensor);
  if (auto shape = dyn_cast<relax::ShapeType>(exported))
    return addShapeType(op, shape.getRanked(), shape.getDims(),
                        shape.getLacksValues());
  if (auto tuple = dyn_cast<TupleType>(exported))
    return TupleTypeNode::add(writer, {addTypes(op, tuple.getTypes())});
  if (auto callable = dyn_cast<relax::CallableType>(exported)) {
    FailureOr<int64_t> params = callable.getTakesAny()
                                    ? writer.getNone()
                                    : addTypes(op, callable.getInputs());
    return FuncTypeNode::add(
        writer, {params, addType(op, callable.getResult()),
                 callable.getDerive() ? writer.getEnvFunc(callable.getDerive())
                                      : writer.getNone(),
                 callable.getPure()});
  }
  if (isa<relax::ObjectType>(exported))
    return AnyTypeNode::add(writer, {});
  FailureOr<int64_t> node = failure();
  if (auto opaque = dyn_cast<relax::OpaqueType>(exported))
    node = writer.paste(opaque.getJson(), [&](StringRef kind, JsonValue data) {
      return resolveInType(kind, data);
    });
  else if (StringRef dtype = getDTypeName(exported); !dtype.empty())
    node = writer.getPrimType(dtype);
  if (failed(node))
    return op->emitError("expected a type that TVM has, found ") << exported;
  return node;
}

int64_t FunctionExporter::resolveInType(StringRef kind, JsonValue data) {
  if (kind == "dim") {
    std::optional<StringRef> name = data.getString(saver);
    return name ? addDimVar(*name).index : -1;
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
  if (!name || !rank || *rank > maxRank)
    return -1;
  FailureOr<int64_t> var = getShapeVar(
      func, *name, *rank >= 0,
      SmallVector<relax::Dim>(std::max<int64_t>(*rank, 0), relax::Dim()));
  return succeeded(var) ? *var : -1;
}

FailureOr<int64_t> FunctionExporter::getShapeVar(Operation *op, StringRef name,
                                                 bool isRanked,
                                                 ArrayRef<relax::Dim> dims,
                                                 bool lacksValues) {
  auto known = shapeVars.find(name);
  if (known != shapeVars.end())
    return known->second;
  // The variable of a parameter has the parameter's type.
  FailureOr<int64_t> shapeType = failure();
  if (!func.isExternal())
    for (BlockArgument argument : func.getArguments())
      if (StringAttr argumentName = relax::getVarName(argument.getLoc());
          argumentName && argumentName == name &&
          isa<relax::ShapeType>(argument.getType()))
        shapeType = addType(func, argument.getType());
  if (failed(shapeType))
    shapeType = addShapeType(op, isRanked, dims, lacksValues);
  if (failed(shapeType))
    return failure();
  return shapeVars[name] = *VarNode::add(writer, {shapeType, name});
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Whether TVM infers the type of `user` from `value` itself, for which a
/// variable can't stand.
static bool isTakenLiterally(Operation *user, Value value) {
  if (isa<relax::AllocTensorOp>(user) && value.getDefiningOp<relax::ShapeOp>())
    return true;
  return isa<relax::AllocTensorOp, relax::MemoryAllocTensorOp,
             relax::VMAllocTensorOp>(user) &&
         value.getDefiningOp<relax::DTypeOp>();
}

FailureOr<int64_t> FunctionExporter::addValue(Operation *user, Value value) {
  if (Value inside = relax::getInside(value); isTakenLiterally(user, inside))
    return addExpr(inside.getDefiningOp());
  auto known = nodeOfValue.find(value);
  if (known != nodeOfValue.end())
    return known->second;
  if (auto field = fieldOfValue.find(value); field != fieldOfValue.end())
    return addGetItem(user, field->second.tuple, field->second.index,
                      value.getType());
  Operation *op = relax::getInside(value).getDefiningOp();
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
  if (int64_t tuple = findTuple(values))
    return tuple;
  if (areFields(values))
    return addValue(
        op,
        values.front().getDefiningOp<relax::TupleGetItemOp>().getTupleValue());
  SmallVector<int64_t> nodes;
  FailureOr<int64_t> tupleType = addTupleType(op, values);
  if (failed(tupleType) || failed(addValues(op, values, nodes)))
    return failure();
  return TupleNode::add(writer, {tupleType, writer.getArray(nodes)});
}

FailureOr<int64_t> FunctionExporter::addGetItem(Operation *op, int64_t tuple,
                                                int64_t index, Type itemType) {
  return TupleGetItemNode::add(writer, {addType(op, itemType), tuple, index});
}

FailureOr<int64_t> FunctionExporter::addExpr(Operation *op) {
  if (auto constant = dyn_cast<relax::ConstantOp>(op)) {
    FailureOr<int64_t> constantType = addType(op, constant.getType()),
                       tensor = addTensor(writer, constant.getValue());
    if (failed(constantType) || failed(tensor))
      return op->emitError("expected a constant that TVM has, found one of "
                           "type ")
             << constant.getType();
    return TensorConstNode::add(writer, {constantType, tensor});
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
    auto value = dyn_cast<FloatAttr>(number.getValue());
    if (!value)
      return failure();
    return FloatImmNode::add(writer, {addType(op, number.getType()),
                                      op->hasAttr(getRoundedAttrName())
                                          ? value.getValueAsDouble()
                                          : getUnrounded(value)});
  }
  if (auto dim = dyn_cast<relax::DimOp>(op)) {
    StringRef dtype = getDTypeName(dim.getType());
    return dim.getDim().isNumber() && !dtype.empty()
               ? writer.getIntImm(dtype, dim.getDim().getSize())
               : addDim(op, dim.getDim());
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
  if (isa<relax::AliasOp, relax::MatchCastOp>(op)) {
    Value value = op->getOperand(0);
    Operation *source = value.getDefiningOp();
    return addValue(op, isPartOfCast(source) ? source->getOperand(0) : value);
  }
  if (auto branch = dyn_cast<relax::IfOp>(op))
    return addIf(branch);
  if (auto local = dyn_cast<relax::LocalFuncOp>(op))
    return addLocalFunc(local);
  if (isObject(op))
    return addObject(op);
  if (op->hasTrait<relax::CallsValue>() || isa<relax::CallOpOp>(op))
    return addValueCall(op);
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
  return CallNode::add(writer, {addExprType(op), callee, writer.getArray(args),
                                attrs, writer.getArray(typeArgs)});
}

FailureOr<int64_t> FunctionExporter::addOpCall(Operation *op) {
  auto call = dyn_cast<relax::TVMCallOpInterface>(op);
  if (!call)
    return op->emitError("expected an op that TVM has, found '")
           << op->getName() << "'";
  SmallVector<int64_t> args;
  ValueRange operands = op->getOperands();
  // A variadic operand is a tuple, unless it is one itself.
  int tuple = call.getTVMTuple();
  ValueRange rest = operands.drop_front(tuple < 0 ? operands.size() : tuple);
  if (failed(addValues(op, operands.drop_back(rest.size()), args)))
    return failure();
  if (tuple >= 0) {
    bool isTuple = rest.size() == 1 && isa<TupleType>(rest.front().getType());
    FailureOr<int64_t> node =
        isTuple ? addValue(op, rest.front()) : addTuple(op, rest);
    if (failed(node))
      return failure();
    args.push_back(*node);
  }
  StringRef name = op->getName().getStringRef();
  int64_t attrs = writer.getNone();
  if (!call.getTVMAttrs().empty()) {
    SmallVector<NamedAttribute> fields;
    for (StringAttr key : op->getName().getAttributeNames()) {
      Attribute value = op->getAttr(key);
      fields.emplace_back(key, value ? value : UnitAttr::get(op->getContext()));
    }
    FailureOr<int64_t> node =
        addAttrs(writer, getAttrsClass(call.getTVMAttrs()), fields);
    if (failed(node))
      return op->emitError("expected attributes that TVM has");
    attrs = *node;
  }
  SmallVector<int64_t> typeArgs;
  if (failed(addTypeArgs(op, getTypeArgsAttrName(), typeArgs)))
    return failure();
  return addCall(op, writer.add("ir.Op", name), args, attrs, typeArgs);
}

LogicalResult
FunctionExporter::addTypeArgs(Operation *op, StringRef name,
                              SmallVectorImpl<int64_t> &typeArgs) {
  auto list = op->getAttrOfType<ArrayAttr>(name);
  for (Attribute each : list ? list.getValue() : ArrayRef<Attribute>()) {
    auto type = dyn_cast<TypeAttr>(each);
    FailureOr<int64_t> node =
        type ? addType(op, type.getValue()) : FailureOr<int64_t>(failure());
    if (failed(node))
      return op->emitError("expected type arguments in '")
             << name << "', found " << each;
    typeArgs.push_back(*node);
  }
  return success();
}

FailureOr<int64_t> FunctionExporter::addObject(Operation *op) {
  if (auto global = dyn_cast<relax::GlobalOp>(op))
    return getGlobalVar(op, global.getValueAttr());
  if (auto string = dyn_cast<relax::StringOp>(op)) {
    return StringImmNode::add(
        writer, {StringTypeNode::add(writer, {}), string.getValue()});
  }
  if (auto dtype = dyn_cast<relax::DTypeOp>(op)) {
    StringRef name = getDTypeName(dtype.getValue());
    if (name.empty())
      return op->emitError("expected a dtype that TVM has, found ")
             << dtype.getValue();
    return DTypeConstNode::add(
        writer, {AnyTypeNode::add(writer, {}), writer.add("DataType", name)});
  }
  SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
  FailureOr<int64_t> attrs = addDictAttrs(writer, attributes);
  if (failed(attrs))
    return op->emitError("expected attributes that TVM has");
  auto function = cast<relax::ExternFuncOp>(op);
  FailureOr<int64_t> funcType = failure();
  if (isa<relax::CallableType>(function.getType())) {
    funcType = addType(op, function.getType());
  } else {
    funcType = FuncTypeNode::add(
        writer,
        {writer.getNone(), AnyTypeNode::add(writer, {}),
         writer.getEnvFunc(function.getDerive()), function.getIsPure()});
  }
  return ExternFuncNode::add(writer, {funcType, attrs, function.getValue()});
}

FailureOr<int64_t> FunctionExporter::addValueCall(Operation *op) {
  SmallVector<int64_t> args, typeArgs;
  if (failed(addValues(op, op->getOperands(), args)))
    return failure();
  if (failed(addTypeArgs(
          op, isa<relax::CallOpOp>(op) ? getTypeArgsAttrName() : "ty_args",
          typeArgs)))
    return failure();
  int64_t attrs = writer.getNone();
  if (auto attrsType = op->getAttrOfType<StringAttr>("attrs_type")) {
    auto values = op->getAttrOfType<DictionaryAttr>("attrs");
    FailureOr<int64_t> node =
        addAttrs(writer, attrsType,
                 values ? values.getValue() : ArrayRef<NamedAttribute>());
    if (failed(node))
      return op->emitError("expected attributes that TVM has");
    attrs = *node;
  }
  if (isa<relax::CallValueOp>(op)) {
    if (args.empty())
      return op->emitError("expected a function to call, found no operand");
    return addCall(op, args.front(), ArrayRef(args).drop_front(), attrs,
                   typeArgs);
  }
  auto call = dyn_cast<relax::CallOpOp>(op);
  StringRef name = call ? call.getOpName() : op->getName().getStringRef();
  return addCall(op, writer.add("ir.Op", name), args, attrs, typeArgs);
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
    if (kind == "operand" && index == -1 && selfVar)
      return selfVar;
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
  FailureOr<int64_t> node = writer.paste(getText(op.getJson()), resolve);
  if (failed(node))
    return op.emitError("expected 'json' to be a graph of TVM's nodes");
  return node;
}
