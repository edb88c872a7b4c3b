//===- TIRExprExporter.cpp - Expressions of prim_funcs --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TIRBodyExporter.h"

#include "PrimOperators.h"
#include "TIREvaluation.h"
#include "TIRNames.h"
#include "TileLayout.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

/// TVM recurses on expressions, as does this exporter.
static constexpr unsigned maxWrittenDepth = 1000;

//===----------------------------------------------------------------------===//
// Types, constants and attributes
//===----------------------------------------------------------------------===//

/// The dtype that a type is in TVM, if it is one.
static std::optional<std::string> getDType(Type type) {
  if (isa<NoneType>(type))
    return "";
  if (type.isIndex())
    return "int64";
  if (auto vector = dyn_cast<VectorType>(type)) {
    std::optional<std::string> element = getDType(vector.getElementType());
    if (!element || vector.getRank() != 1)
      return std::nullopt;
    return *element + (vector.isScalable() ? "xvscalex" : "x") +
           std::to_string(vector.getDimSize(0));
  }
  if (StringRef name = getDTypeName(type); !name.empty())
    return name.str();
  return std::nullopt;
}

FailureOr<int64_t> TIRBodyExporter::addType(Operation *op, Type type) {
  if (isa<tir::StringType>(type))
    return StringTypeNode::add(writer, {});
  if (isa<tir::HandleType, tir::PtrType>(type)) {
    auto pointer = dyn_cast<tir::PtrType>(type);
    Type element = pointer && pointer.getElement()
                       ? pointer.getElement()
                       : NoneType::get(type.getContext());
    return PointerTypeNode::add(
        writer,
        {addType(op, element), pointer ? pointer.getScope() : "global"});
  }
  if (std::optional<std::string> dtype = getDType(type))
    return writer.getPrimType(*dtype);
  return op->emitError("expected a value of a type that TVM has, found ")
         << type;
}

FailureOr<int64_t> TIRBodyExporter::addInteger(Operation *op, Type type,
                                               int64_t value) {
  return IntImmNode::add(writer, {addType(op, type), value});
}

int64_t TIRBodyExporter::addString(StringRef text) {
  auto [it, isNew] = strings.try_emplace(text, 0);
  if (isNew)
    it->second =
        *StringImmNode::add(writer, {StringTypeNode::add(writer, {}), text});
  return it->second;
}

FailureOr<int64_t> TIRBodyExporter::addConstant(Operation *op, TypedAttr value,
                                                Type type) {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    APInt number = integer.getValue();
    bool isUnsigned = type.isUnsignedInteger() || number.getBitWidth() == 1;
    if (isUnsigned ? number.isIntN(63) : number.isSignedIntN(64))
      return addInteger(op, type,
                        isUnsigned ? int64_t(number.getZExtValue())
                                   : number.getSExtValue());
    if (isUnsigned && number.isIntN(64))
      return BigIntImmNode::add(writer,
                                {addType(op, type), number.getZExtValue()});
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    return FloatImmNode::add(writer,
                             {addType(op, type), number.getValueAsDouble()});
  } else if (auto elements = dyn_cast<DenseElementsAttr>(value);
             elements && elements.isSplat() && isa<VectorType>(type)) {
    auto vector = cast<VectorType>(type);
    FailureOr<int64_t> element = addConstant(
        op, elements.getSplatValue<TypedAttr>(), vector.getElementType());
    if (failed(element) || vector.getRank() != 1 || vector.isScalable())
      return failure();
    return addPrim(op, "Broadcast", type,
                   {*element, writer.getIntImm("int32", vector.getDimSize(0))});
  }
  return op->emitError("expected a constant that TVM has, found ") << value;
}

FailureOr<int64_t> TIRBodyExporter::addNode(Operation *op, Attribute value) {
  return addNode(op, value, [](StringRef, JsonValue) -> int64_t { return -1; });
}

FailureOr<int64_t> TIRBodyExporter::addNode(
    Operation *op, Attribute value,
    function_ref<int64_t(StringRef type, JsonValue data)> resolve) {
  auto node = dyn_cast<tir::NodeAttr>(value);
  auto layout = dyn_cast<tir::TileLayoutAttr>(value);
  FailureOr<int64_t> result = node     ? writer.paste(node.getJson(), resolve)
                              : layout ? addTileLayout(writer, layout)
                                       : addAttribute(writer, value);
  if (failed(result))
    return op->emitError("expected an attribute that TVM has, found ") << value;
  return result;
}

FailureOr<int64_t>
TIRBodyExporter::addAnnotations(Operation *op,
                                ArrayRef<NamedAttribute> attributes) {
  return writer.addMap(attributes,
                       [&](Attribute value) { return addNode(op, value); });
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

FailureOr<int64_t> TIRBodyExporter::addExpr(Value value) {
  auto it = nodes.find(value);
  if (it != nodes.end())
    return it->second;
  if (depth == maxWrittenDepth)
    return value.getDefiningOp()->emitError("expected expressions nested at "
                                            "most ")
           << maxWrittenDepth << " deep, found more";
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  FailureOr<int64_t> node = addNewExpr(value);
  if (succeeded(node))
    nodes[value] = *node;
  return node;
}

FailureOr<int64_t> TIRBodyExporter::addNewExpr(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<tir::VarOp, tir::BindOp, tir::AllocBufferOp, tir::DeclBufferOp,
                 tir::BlockBufferOp, tir::MatchBufferOp>(op))
    return addVar(value);
  return llvm::TypeSwitch<Operation *, FailureOr<int64_t>>(op)
      .Case([&](arith::ConstantOp op) {
        return addConstant(op, op.getValue(), op.getType());
      })
      .Case([&](tir::ConstantOp op) {
        return addConstant(op, op.getValue(), op.getType());
      })
      .Case([&](tir::StringOp op) {
        return FailureOr<int64_t>(addString(op.getValue()));
      })
      .Case([&](tir::ShuffleOp op) {
        return ShuffleNode::add(writer, {addType(op, op.getType()),
                                         addExprArray(op.getVectors()),
                                         addExprArray(op.getIndices())});
      })
      .Case([&](tir::PrimOp op) -> FailureOr<int64_t> {
        if (op->hasAttr(impliedName) && op.getKind() == "NE")
          return addExpr(op.getArgs().front());
        FailureOr<Indices> operands = addExprs(op.getArgs());
        if (failed(operands))
          return failure();
        return addPrim(op, op.getKind(), op.getType(), *operands);
      })
      .Case([&](tir::LetOp op) -> FailureOr<int64_t> {
        Block &block = op.getBody().front();
        FailureOr<int64_t> type = addType(op, op.getType()),
                           bound = addExpr(op.getValue()),
                           var = addVar(block.getArgument(0)),
                           body = addYielded(
                               block, block.getTerminator()->getOperand(0));
        return LetNode::add(writer, {type, var, bound, body});
      })
      .Case([&](scf::IfOp op) -> FailureOr<int64_t> {
        if (op.getNumResults() != 1)
          return op.emitError("expected an 'scf.if' with at most one result");
        FailureOr<int64_t> condition = addExpr(op.getCondition()),
                           yes = addYielded(*op.thenBlock(),
                                            op.thenYield().getOperand(0)),
                           no = addYielded(*op.elseBlock(),
                                           op.elseYield().getOperand(0));
        if (failed(condition) || failed(yes) || failed(no))
          return failure();
        return addIntrin(op, "prim.if_then_else", op.getResult(0).getType(),
                         writer.getArray({*condition, *yes, *no}));
      })
      .Case([&](memref::LoadOp op) {
        return addLoad(op, op.getMemref(),
                       addIndices(op, op.getMemref(), op.getIndices()),
                       op.getType());
      })
      .Case([&](tir::LoadOp op) {
        return addLoad(op, op.getBuffer(), addExprArray(op.getIndices()),
                       op.getType());
      })
      .Case<tir::CallOp, tir::CallIntrinOp>(
          [&](Operation *op) { return addCall(op); })
      .Default([&](Operation *op) { return addArith(op); });
}

FailureOr<TIRBodyExporter::Indices>
TIRBodyExporter::addExprs(ValueRange values) {
  Indices result;
  for (Value value : values) {
    FailureOr<int64_t> node = addExpr(value);
    if (failed(node))
      return failure();
    result.push_back(*node);
  }
  return result;
}

FailureOr<int64_t> TIRBodyExporter::addExprArray(ValueRange values) {
  return writer.addArray(values, [&](Value value) { return addExpr(value); });
}

FailureOr<int64_t> TIRBodyExporter::addIndex(Value value) {
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  return addExpr(cast && value.getType().isIndex() ? cast.getIn() : value);
}

/// The type of the sizes of `buffer`.
Type TIRBodyExporter::getIndexType(Value buffer) {
  auto getType = [](auto op) -> Type {
    if (!op.getShape().empty())
      return op.getShape().front().getType();
    return op.getIndexType().value_or(Type());
  };
  Type type;
  if (Operation *op = buffer.getDefiningOp())
    type = llvm::TypeSwitch<Operation *, Type>(op)
               .Case<tir::AllocBufferOp, tir::DeclBufferOp, tir::BlockBufferOp,
                     tir::MatchBufferOp>(getType)
               .Default(Type());
  else if (tir::BufferDeclOp declaration = declarations.lookup(buffer))
    type = getType(declaration);
  else if (!cast<MemRefType>(buffer.getType()).hasStaticShape())
    type = IntegerType::get(buffer.getContext(), 64);
  return type ? type : IntegerType::get(buffer.getContext(), 32);
}

FailureOr<int64_t> TIRBodyExporter::addIndices(Operation *op, Value buffer,
                                               ValueRange values) {
  return writer.addArray(values, [&](Value value) -> FailureOr<int64_t> {
    // The type index says nothing about the type that a number has in TVM.
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      if (Type type = getIndexType(buffer);
          type.isSignlessInteger() &&
          number.isSignedIntN(type.getIntOrFloatBitWidth()) &&
          !value.getDefiningOp<arith::IndexCastOp>())
        return addInteger(op, type, number.getSExtValue());
    return addIndex(value);
  });
}

FailureOr<int64_t> TIRBodyExporter::addPrim(Operation *op, StringRef kind,
                                            Type type,
                                            ArrayRef<int64_t> operands) {
  return PrimNode::add(writer, kind, addType(op, type), operands);
}

FailureOr<int64_t> TIRBodyExporter::addUnsigned(Operation *op, StringRef kind) {
  auto getUnsigned = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    auto integer = dyn_cast<IntegerType>(element);
    element =
        IntegerType::get(type.getContext(), integer ? integer.getWidth() : 64,
                         IntegerType::Unsigned);
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  };
  FailureOr<Indices> operands = addExprs(op->getOperands());
  if (failed(operands))
    return failure();
  for (auto [node, operand] : llvm::zip_equal(*operands, op->getOperands())) {
    if (!getElementTypeOrSelf(operand.getType()).isIntOrIndex())
      continue;
    Type type = getUnsigned(operand.getType());
    // TVM folds no cast of a negative number.
    APInt number;
    FailureOr<int64_t> cast =
        matchPattern(operand, m_ConstantInt(&number)) && number.isNegative() &&
                number.isIntN(63)
            ? addConstant(op, IntegerAttr::get(type, number), type)
            : addPrim(op, "Cast", type, node);
    if (failed(cast))
      return failure();
    node = *cast;
  }
  Type type = op->getResult(0).getType();
  if (kind == "Cast" && getElementTypeOrSelf(type).isIntOrIndex()) {
    FailureOr<int64_t> cast = addPrim(op, kind, getUnsigned(type), *operands);
    return failed(cast) ? cast : addPrim(op, kind, type, *cast);
  }
  if (kind == "Cast" || isa<arith::CmpIOp>(op))
    return addPrim(op, kind, type, *operands);
  FailureOr<int64_t> result = addPrim(op, kind, getUnsigned(type), *operands);
  return failed(result) ? result : addPrim(op, "Cast", type, *result);
}

FailureOr<int64_t> TIRBodyExporter::addArith(Operation *op) {
  StringRef name = op->getName().getStringRef();
  Type type = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
  if (StringRef intrinsic = getMathIntrin(name); !intrinsic.empty())
    return addIntrin(op, intrinsic, type, addExprArray(op->getOperands()));
  bool isBool = type && getElementTypeOrSelf(type).isSignlessInteger(1);
  StringRef kind = getPrimKind(op);
  if (isa<arith::XOrIOp>(op) && isBool) {
    // Either a negation, or a test whether two booleans differ.
    if (matchPattern(op->getOperand(1), m_One())) {
      FailureOr<int64_t> operand = addExpr(op->getOperand(0));
      return failed(operand) ? operand : addPrim(op, "Not", type, *operand);
    }
    kind = "NE";
  } else if (isa<arith::CeilDivSIOp>(op) && !isa<VectorType>(type)) {
    // TVM has no such op: ceil(a / b) is -floor(-a / b).
    FailureOr<Indices> operands = addExprs(op->getOperands());
    FailureOr<int64_t> zero = addInteger(op, type, 0);
    if (failed(operands) || failed(zero))
      return failure();
    FailureOr<int64_t> negative =
        addPrim(op, "Sub", type, {*zero, operands->front()});
    if (failed(negative))
      return failure();
    FailureOr<int64_t> floor =
        addPrim(op, "FloorDiv", type, {*negative, operands->back()});
    return failed(floor) ? floor : addPrim(op, "Sub", type, {*zero, *floor});
  } else if (isa<arith::IndexCastOp>(op)) {
    FailureOr<int64_t> operand = addExpr(op->getOperand(0));
    if (failed(operand))
      return failure();
    Type from = op->getOperand(0).getType();
    bool isSame = (from.isIndex() && type.isSignlessInteger(64)) ||
                  (type.isIndex() && from.isSignlessInteger(64));
    return isSame ? operand : addPrim(op, "Cast", type, *operand);
  } else if (kind.empty()) {
    Type from = op->getNumOperands() ? op->getOperand(0).getType() : Type();
    bool isFromBool = from && getElementTypeOrSelf(from).isSignlessInteger(1);
    StringRef unsignedKind =
        llvm::StringSwitch<StringRef>(name)
            .Cases({"arith.extui", "arith.uitofp"}, isFromBool ? "" : "Cast")
            .Cases({"arith.fptoui", "arith.index_castui"}, "Cast")
            .Default(getUnsignedPrimKind(op));
    if (!unsignedKind.empty())
      return addUnsigned(op, unsignedKind);
    kind = llvm::StringSwitch<StringRef>(name)
               .Case("arith.select", "Select")
               .Cases({"arith.extsi", "arith.trunci", "arith.extui"}, "Cast")
               .Cases({"arith.sitofp", "arith.fptosi", "arith.uitofp"}, "Cast")
               .Cases({"arith.extf", "arith.truncf"}, "Cast")
               .Default("");
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op); compare && kind.empty())
    return op->emitError("expected a comparison that TVM has, found '")
           << arith::stringifyCmpFPredicate(compare.getPredicate()) << "'";
  if (kind.empty())
    return op->emitError("expected an op that TVM has, found '")
           << op->getName() << "'";
  FailureOr<Indices> operands = addExprs(op->getOperands());
  if (failed(operands))
    return failure();
  return addPrim(op, kind, type, *operands);
}

FailureOr<int64_t> TIRBodyExporter::addCall(Operation *op) {
  Type type = op->getNumResults() ? op->getResult(0).getType()
                                  : NoneType::get(op->getContext());
  FailureOr<int64_t> args = addExprArray(op->getOperands());
  if (failed(args))
    return failure();
  if (auto call = dyn_cast<tir::CallIntrinOp>(op))
    return addIntrin(op, call.getIntrinsic(), type, args,
                     call.getNodeAttrsAttr());
  auto call = cast<tir::CallOp>(op);
  auto callee = globalVars.find(call.getCalleeAttr().getAttr());
  if (callee == globalVars.end())
    return op->emitError("expected a function of name ")
           << call.getCalleeAttr() << ", found none";
  return CallNode::add(
      writer, {call.getResult() ? addType(op, type) : addEmptyTuple(),
               callee->second, args, writer.getNone(), writer.getArray({})});
}

FailureOr<int64_t> TIRBodyExporter::addIntrin(Operation *op, StringRef name,
                                              Type type,
                                              FailureOr<int64_t> args,
                                              tir::NodeAttr attrs) {
  FailureOr<int64_t> typeNode = addType(op, type),
                     attrsNode = attrs ? addNode(op, attrs)
                                       : FailureOr(writer.getNone());
  return CallNode::add(writer, {typeNode, writer.add("ir.Op", name), args,
                                attrsNode, writer.getArray({})});
}

FailureOr<int64_t> TIRBodyExporter::addLoad(Operation *op, Value buffer,
                                            FailureOr<int64_t> indices,
                                            Type type) {
  return TensorLoadNode::add(writer,
                             {addType(op, type), addExpr(buffer), indices});
}

FailureOr<int64_t> TIRBodyExporter::addRange(Value min, Value extent) {
  return RangeNode::add(writer, {addExpr(min), addExpr(extent)});
}

FailureOr<int64_t> TIRBodyExporter::addRegion(Value buffer, ValueRange mins,
                                              ValueRange extents) {
  return TensorRegionNode::add(
      writer, {BufferRegionTypeNode::add(writer, {}), addExpr(buffer),
               writer.addArray(llvm::zip_equal(mins, extents), [&](auto range) {
                 return addRange(std::get<0>(range), std::get<1>(range));
               })});
}

FailureOr<int64_t> TIRBodyExporter::addYielded(Block &block, Value value) {
  // An expression that can't be evaluated where it is used gets a name in front
  // of its use.
  SmallVector<std::pair<int64_t, int64_t>> lets;
  for (Operation &op : block.without_terminator()) {
    if (!isExpression(&op) || op.getNumResults() != 1)
      return op.emitError(
                 "expected only ops that compute a value in a region that "
                 "yields one, found '")
             << op.getName() << "'; give the value to a buffer instead";
    if (isMemoryEffectFree(&op) || isPartOfStatement(&op))
      continue;
    Value result = op.getResult(0);
    FailureOr<int64_t> node = addNewExpr(result),
                       var = addVar(&op, getVarName(op.getLoc(), "v"),
                                    result.getType());
    if (failed(node) || failed(var))
      return failure();
    nodes[result] = *var;
    lets.emplace_back(*var, *node);
  }
  FailureOr<int64_t> result = addExpr(value);
  for (auto [var, node] : llvm::reverse(lets)) {
    result =
        LetNode::add(writer, {addType(block.getParentOp(), value.getType()),
                              var, node, result});
  }
  return result;
}

FailureOr<int64_t> TIRBodyExporter::addScopeId(tir::ScopeIdOp op) {
  Indices ids;
  for (auto [id, name] : llvm::zip_equal(
           op.getIds(), op.getNames().getAsValueRange<StringAttr>())) {
    FailureOr<int64_t> var = addVar(op, name, id.getType());
    if (failed(var))
      return failure();
    ids.push_back(nodes[id] = *var);
  }
  FailureOr<int64_t> extents = writer.getNone(), preferred = extents;
  if (!op.getExtents().empty())
    extents = addExprArray(op.getExtents());
  if (!op.getPreferred().empty())
    preferred = addExprArray(op.getPreferred());
  return ScopeIdDefStmtNode::add(
      writer,
      {ScopeIdDefNode::add(writer, {writer.getArray(ids), extents,
                                    int64_t(op.getScope()), preferred})});
}
