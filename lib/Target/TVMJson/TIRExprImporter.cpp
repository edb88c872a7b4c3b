//===- TIRExprImporter.cpp - Expressions of prim_funcs --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TIRBodyImporter.h"

#include "AttributeImporter.h"
#include "PrimOperators.h"
#include "TIRNames.h"
#include "TVMNodes.h"
#include "Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

/// Expressions and statements nest, and so do regions; MLIR recurses on them.
static constexpr unsigned maxReadDepth = 256;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

Type TIRBodyImporter::getDType(StringRef name) {
  MLIRContext *context = builder.getContext();
  if (name.empty())
    return builder.getNoneType();
  if (Type type = getDTypeByName(name, context))
    return type;
  auto [element, lanes] = name.rsplit('x');
  bool isScalable = element.consume_back("xvscale");
  int64_t count = 0;
  if (!lanes.empty() && !lanes.getAsInteger(10, count) && count > 0 &&
      lanes == std::to_string(count)) {
    Type type = getDType(element);
    return type && VectorType::isValidElementType(type)
               ? VectorType::get(count, type, isScalable)
               : Type();
  }
  return {};
}

Type TIRBodyImporter::getType(const Node &node) {
  NestingScope nested(table, node);
  if (!nested)
    return {};
  MLIRContext *context = builder.getContext();
  if (node.type == "ir.PointerType") {
    PointerTypeNode pointer;
    if (failed(pointer.read(table, node)))
      return {};
    Type type = getType(pointer.elementType);
    if (!type)
      return {};
    StringRef scope = pointer.storageScope;
    if (isa<NoneType>(type) && scope == "global")
      return tir::HandleType::get(context);
    return tir::PtrType::get(context, scope,
                             isa<NoneType>(type) ? Type() : type);
  }
  PrimTypeNode prim;
  if (failed(prim.read(table, node)))
    return {};
  if (Type type = getDType(prim.dtype))
    return type;
  return table.error(node, "expected a dtype that has an MLIR type, found " +
                               quote(prim.dtype));
}

Value TIRBodyImporter::getConstant(Type type, TypedAttr value) {
  Value &constant = constants[{value, type}];
  if (constant)
    return constant;
  OpBuilder::InsertionGuard guard(builder);
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(&func.getBody().front());
  Location unknown = builder.getUnknownLoc();
  if (value.getType() == type && !type.isUnsignedInteger())
    constant = arith::ConstantOp::create(builder, unknown, value);
  else
    constant = tir::ConstantOp::create(builder, unknown, type, value);
  lastConstant = constant.getDefiningOp();
  return constant;
}

IntegerAttr TIRBodyImporter::readInteger(const Node &node, int64_t &value) {
  if (table.isBigIntImm(node)) {
    BigIntImmNode big;
    if (failed(big.read(table, node)))
      return {};
    value = static_cast<int64_t>(big.value);
    Type type = getType(big.ty);
    if (type && !type.isUnsignedInteger(64))
      return table.error(node, "expected a number of its integer type, found " +
                                   Twine(big.value));
    return type ? IntegerAttr::get(type, APInt(64, big.value)) : IntegerAttr();
  }
  IntImmNode number;
  if (failed(number.read(table, node)))
    return {};
  value = number.value;
  Type type = getType(number.ty);
  return type ? getInteger(table, node, type, value) : IntegerAttr();
}

Value TIRBodyImporter::importExpr(const Node &node,
                                  const FloatImmNode &number) {
  auto type = dyn_cast_or_null<FloatType>(getType(number.ty));
  if (!type)
    return table.error(node, "expected a number of a float type");
  APFloat exact(number.value), rounded(number.value);
  bool losesInfo = false, again = false;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  APFloat back = rounded;
  back.convert(exact.getSemantics(), APFloat::rmNearestTiesToEven, &again);
  if (back.bitwiseIsEqual(exact))
    return getConstant(type, FloatAttr::get(type, rounded));
  return getConstant(type, builder.getF64FloatAttr(number.value));
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

Location TIRBodyImporter::getNamed(StringRef name, Location span) {
  return NameLoc::get(builder.getStringAttr(name), span);
}

LogicalResult TIRBodyImporter::readVar(const Node &node, Var &result,
                                       bool mayBeVoid) {
  VarNode var;
  if (failed(var.read(table, node)))
    return failure();
  result.name = var.name;
  if (var.ty.type == "tirx.BufferType") {
    result.buffer = var.ty;
    return success();
  }
  result.type = getType(var.ty);
  if (!result.type)
    return failure();
  if (isa<NoneType>(result.type) && !mayBeVoid)
    return table.error(node, "expected a variable that has a value");
  return success();
}

LogicalResult TIRBodyImporter::bind(const Node &node, Value value) {
  if (keptVars.contains(node.index))
    return table.error(node, "expected a variable that nothing kept mentions");
  auto [known, isNew] = valueOfVar.try_emplace(node.index, value);
  if (!isNew) {
    // Several statements, one behind the other, may introduce one variable.
    Operation *first = getVarOwner(known->second), *second = getVarOwner(value);
    if (!first || !second || known->second.getType() != value.getType())
      return table.error(node, "expected a variable that is bound once");
    Attribute id = first->getAttr(sharedVarName);
    if (!id)
      first->setDiscardableAttr(
          sharedVarName, id = builder.getI64IntegerAttr(numSharedVars++));
    second->setDiscardableAttr(sharedVarName, id);
    known->second = value;
  }
  for (auto [index, open] : llvm::enumerate(openAttrs)) {
    if (open.var != node.index)
      continue;
    open.isFound = true;
    if (value.getParentBlock() == &func.getBody().front()) {
      // Nothing in the body of the op introduces it.
      open.op.getOfMutable().assign(value);
      continue;
    }
    int64_t outer = openAttrs.size() - index - 1;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(value);
    tir::AttrNodeOp::create(builder, loc, value, outer);
  }
  return success();
}

LogicalResult TIRBodyImporter::declareVar(const Node &node) {
  Var var;
  if (failed(readVar(node, var)))
    return failure();
  if (var.buffer.index >= 0)
    return table.error(node, "expected a buffer that the function declares");
  Value value = tir::VarOp::create(builder, getNamed(var.name, loc), var.type);
  state.nodeOfVar[value] = node.index;
  return bind(node, value);
}

Value TIRBodyImporter::getVar(const Node &node) {
  if (Value value = valueOfVar.lookup(node.index))
    return value;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&func.getBody().front());
  if (failed(declareVar(node)))
    return {};
  return valueOfVar.lookup(node.index);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Value TIRBodyImporter::create(StringRef name, ValueRange operands, Type type,
                              ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, name, operands, type, attributes);
  return builder.create(state)->getResult(0);
}

Value TIRBodyImporter::getExpr(const Node &node) {
  if (++depth > maxReadDepth)
    return table.error(node, "expected expressions and statements nested at "
                             "most " +
                                 Twine(maxReadDepth) + " deep, found more");
  llvm::scope_exit leave([&] { --depth; });
  if (node.type == "ir.Var")
    return getVar(node);
  if (node.type == "ir.IntImm") {
    int64_t value = 0;
    IntegerAttr number = readInteger(node, value);
    return number ? getConstant(number.getType(), number) : Value();
  }
  if (std::optional<Value> value = readAny<Value, FloatImmNode, TensorLoadNode,
                                           LetNode, ShuffleNode, StringImmNode>(
          table, node, /*span=*/nullptr,
          [&](const auto &fields) { return importExpr(node, fields); }))
    return *value;
  if (node.type.starts_with("prim."))
    return importPrim(node);
  if (node.type == "ir.Call") {
    Value value;
    if (failed(importCall(node, value)))
      return {};
    return value ? value
                 : Value(table.error(node, "expected a call with a value"));
  }
  return table.error(node, "expected an expression of TIR");
}

Value TIRBodyImporter::importExpr(const Node &node,
                                  const StringImmNode &string) {
  return tir::StringOp::create(builder, loc,
                               tir::StringType::get(builder.getContext()),
                               builder.getStringAttr(string.value));
}

LogicalResult TIRBodyImporter::getExprs(ArrayRef<Node> nodes,
                                        SmallVectorImpl<Value> &values) {
  for (const Node &node : nodes)
    if (!values.emplace_back(getExpr(node)))
      return failure();
  return success();
}

LogicalResult TIRBodyImporter::getRange(const Node &node, Value &min,
                                        Value &extent) {
  RangeNode range;
  if (failed(range.read(table, node)))
    return failure();
  min = getExpr(range.min);
  extent = min ? getExpr(range.extent) : Value();
  return success(bool(extent));
}

LogicalResult TIRBodyImporter::getRegion(const Node &node, Value &buffer,
                                         SmallVectorImpl<Value> &mins,
                                         SmallVectorImpl<Value> &extents) {
  TensorRegionNode region;
  if (failed(region.read(table, node)))
    return failure();
  buffer = getExpr(region.source);
  if (!buffer || !isa<MemRefType>(buffer.getType()))
    return failure();
  for (const Node &range : region.region)
    if (failed(getRange(range, mins.emplace_back(), extents.emplace_back())))
      return failure();
  return success();
}

/// The type of a comparison of values of type `type`.
static Type getBoolLike(Type type) {
  auto boolean = IntegerType::get(type.getContext(), 1);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(boolean);
  return boolean;
}

Value TIRBodyImporter::importPrim(const Node &node) {
  PrimNode prim;
  if (failed(prim.read(table, node)))
    return {};
  Type type = getType(prim.ty);
  SmallVector<Value, 3> operands;
  if (!type || failed(getExprs(prim.operands, operands)))
    return {};
  StringRef kind = prim.kind;
  if (kind == "Cast") {
    if (Value value = importCast(operands[0], type))
      return value;
  } else if (kind == "Select") {
    Type condition = operands[0].getType();
    if (operands[1].getType() == type && operands[2].getType() == type &&
        (condition.isSignlessInteger(1) ||
         (isa<VectorType>(type) && condition == getBoolLike(type))))
      return create("arith.select", operands, type);
  } else if (kind == "Not" && operands[0].getType() == type &&
             type.isSignlessInteger(1)) {
    Value one = getConstant(type, builder.getBoolAttr(true));
    return create("arith.xori", {operands[0], one}, type);
  } else if (const PrimOperator *found = findPrimOperator(kind);
             found && operands.size() == 2 &&
             operands[0].getType() == operands[1].getType()) {
    Type operandType = operands[0].getType();
    Type element = getElementTypeOrSelf(operandType);
    StringRef name = found->getArithOp(element);
    if (!name.empty() && type == operandType) {
      // Where TVM has signed overflow undefined.
      if (element.isSignlessInteger() &&
          element.getIntOrFloatBitWidth() >= 32 &&
          (kind == "Add" || kind == "Sub" || kind == "Mul"))
        return create(
            name, operands, type,
            builder.getNamedAttr(
                "overflowFlags",
                arith::IntegerOverflowFlagsAttr::get(
                    builder.getContext(), arith::IntegerOverflowFlags::nsw)));
      return create(name, operands, type);
    }
    if (found->comparison && type == getBoolLike(operandType)) {
      bool isEquality = kind == "EQ" || kind == "NE";
      if (element.isSignlessInteger() &&
          (isEquality || !element.isSignlessInteger(1)))
        return arith::CmpIOp::create(builder, loc, found->comparison->integers,
                                     operands[0], operands[1]);
      if (isa<FloatType>(element))
        return arith::CmpFOp::create(builder, loc, found->comparison->floats,
                                     operands[0], operands[1]);
    }
  }
  return tir::PrimOp::create(builder, loc, type, builder.getStringAttr(kind),
                             operands);
}

Value TIRBodyImporter::getCondition(const Node &node) {
  Value value = getExpr(node);
  if (!value || value.getType().isSignlessInteger(1))
    return value;
  Type type = value.getType();
  TypedAttr zero;
  if (isa<IntegerType>(type))
    zero = IntegerAttr::get(type, 0);
  else if (isa<FloatType>(type))
    zero = FloatAttr::get(type, 0);
  else
    return table.error(node, "expected a condition that is a bool or a number");
  auto op = tir::PrimOp::create(builder, loc, builder.getI1Type(),
                                builder.getStringAttr("NE"),
                                ValueRange{value, getConstant(type, zero)});
  op->setDiscardableAttr(impliedName, builder.getUnitAttr());
  return op;
}

Value TIRBodyImporter::importExpr(const Node &node,
                                  const ShuffleNode &shuffle) {
  SmallVector<Value> vectors, indices;
  Type type = getType(shuffle.ty);
  if (!type || failed(getExprs(shuffle.vectors, vectors)) ||
      failed(getExprs(shuffle.indices, indices)))
    return {};
  return tir::ShuffleOp::create(builder, loc, type, vectors, indices);
}

Value TIRBodyImporter::importCast(Value value, Type type) {
  Type from = getElementTypeOrSelf(value.getType()),
       to = getElementTypeOrSelf(type);
  auto fromVector = dyn_cast<VectorType>(value.getType()),
       toVector = dyn_cast<VectorType>(type);
  if (bool(fromVector) != bool(toVector) ||
      (fromVector && fromVector.clone(to) != toVector))
    return {};
  auto isInteger = [](Type each) { return each.isSignlessInteger(); };
  if (!(isInteger(from) || isa<FloatType>(from)) ||
      !(isInteger(to) || isa<FloatType>(to)) || to.isSignlessInteger(1))
    return {};
  unsigned fromWidth = from.getIntOrFloatBitWidth(),
           toWidth = to.getIntOrFloatBitWidth();
  StringRef name;
  if (fromWidth == 1)
    name = isInteger(to) ? "arith.extui" : "arith.uitofp";
  else if (isInteger(from) != isInteger(to))
    name = isInteger(from) ? "arith.sitofp" : "arith.fptosi";
  else if (fromWidth == toWidth)
    return {};
  else if (isInteger(from))
    name = fromWidth < toWidth ? "arith.extsi" : "arith.trunci";
  else
    name = fromWidth < toWidth ? "arith.extf" : "arith.truncf";
  return create(name, value, type);
}

Value TIRBodyImporter::importExpr(const Node &node, const LetNode &fields) {
  Var var;
  if (failed(readVar(fields.var, var)))
    return {};
  Type type = getType(fields.ty);
  Value value = type ? getExpr(fields.value) : Value();
  if (!value)
    return {};
  auto let = tir::LetOp::create(builder, loc, type, value);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&let.getBody());
  Value argument = block->addArgument(value.getType(), getNamed(var.name, loc));
  if (value.getType() != var.type || failed(bind(fields.var, argument)))
    return {};
  Value body = getExpr(fields.body);
  if (!body)
    return {};
  tir::YieldOp::create(builder, loc, body);
  return let.getResult();
}

bool TIRBodyImporter::castIndices(SmallVectorImpl<Value> &indices) {
  if (!llvm::all_of(indices, [](Value index) {
        return index.getType().isSignlessInteger() &&
               !index.getType().isSignlessInteger(1);
      }))
    return false;
  for (Value &index : indices) {
    Value &cast = indexOfValue[index];
    if (!cast) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(index);
      cast = arith::IndexCastOp::create(builder, builder.getUnknownLoc(),
                                        builder.getIndexType(), index);
      if (index.getDefiningOp() == lastConstant)
        lastConstant = cast.getDefiningOp();
    }
    index = cast;
  }
  return true;
}

Value TIRBodyImporter::importExpr(const Node &node,
                                  const TensorLoadNode &load) {
  Type type = getType(load.ty);
  Value buffer = type ? getExpr(load.source) : Value();
  SmallVector<Value> indices;
  if (!buffer || failed(getExprs(load.indices, indices)))
    return {};
  auto memref = dyn_cast<MemRefType>(buffer.getType());
  if (!memref || memref.getRank() != static_cast<int64_t>(indices.size()))
    return table.error(node, "expected an index for each dimension of a "
                             "buffer");
  if (memref.getElementType() == type && castIndices(indices)) {
    indices.insert(indices.begin(), buffer);
    return create("memref.load", indices, type);
  }
  return tir::LoadOp::create(builder, loc, type, buffer, indices);
}

LogicalResult TIRBodyImporter::importCall(const Node &node, Value &value,
                                          bool isNamed) {
  CallNode call;
  if (failed(call.read(table, node)))
    return failure();
  const Node &op = call.op, &attrs = call.attrs;
  // Functions that return nothing have another type than such intrinsics.
  bool isTuple = op.type == "ir.GlobalVar" && call.ty.type == "ir.TupleType";
  if (isTuple && failed(expectNothing(call.ty)))
    return failure();
  Type type = isTuple ? builder.getNoneType() : getType(call.ty);
  if (!type)
    return failure();
  if (!call.tyArgs.empty())
    return table.error(node, "expected a call without types as arguments");
  bool isVoid = isa<NoneType>(type);
  bool hasResult = !isVoid || (isNamed && !isTuple);
  TypeRange types = hasResult ? TypeRange(type) : TypeRange();
  auto setValue = [&](Operation *created) {
    value = hasResult ? created->getResult(0) : Value();
    return success();
  };
  SmallVector<Value> args;
  if (op.type == "ir.GlobalVar") {
    auto it = state.names.find(op.index);
    if (it == state.names.end() || !attrs.isNone() || isVoid != isTuple ||
        failed(getExprs(call.args, args)))
      return table.error(node, "expected a call of a function of the module");
    return setValue(tir::CallOp::create(
        builder, loc, types, FlatSymbolRefAttr::get(it->second), args));
  }
  StringRef name;
  if (failed(table.expect(op, "ir.Op")) || failed(table.getText(op, name)))
    return failure();
  if (name == "prim.if_then_else" && !isVoid && call.args.size() == 3) {
    value = importIfThenElse(call.args, type);
    return success(bool(value));
  }
  hasJump |= name == "tirx.break_loop" || name == "tirx.continue_loop";
  if (failed(getExprs(call.args, args)))
    return failure();
  StringRef mathOp = getMathOp(name);
  if (!mathOp.empty() && attrs.isNone() && !isVoid &&
      isa<FloatType>(getElementTypeOrSelf(type)) &&
      llvm::all_of(args, [&](Value arg) { return arg.getType() == type; }) &&
      args.size() == getNumMathOperands(mathOp)) {
    value = create(mathOp, args, type);
    return success();
  }
  tir::NodeAttr attrsAttr;
  if (!attrs.isNone()) {
    attrsAttr = getNodeAttribute(attrs);
    if (!attrsAttr)
      return failure();
  }
  return setValue(tir::CallIntrinOp::create(builder, loc, types,
                                            !isVoid && isPureIntrin(name), name,
                                            args, attrsAttr));
}

Value TIRBodyImporter::importIfThenElse(ArrayRef<Node> args, Type type) {
  // Only one of the two values is computed; a Select computes both.
  Value condition = getCondition(args[0]);
  if (!condition)
    return {};
  auto op = scf::IfOp::create(builder, loc, TypeRange(type), condition,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [node, region] :
       llvm::zip_equal(args.drop_front(), op->getRegions())) {
    builder.setInsertionPointToStart(&region.front());
    Value value = getExpr(node);
    if (!value)
      return {};
    builder.setInsertionPointToEnd(&region.front());
    scf::YieldOp::create(builder, loc, value);
  }
  return op.getResult(0);
}
