//===- TIRBodyImporter.cpp - tirx.PrimFunc -> tir.prim_func ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function and its statements. TIRBlockImporter.cpp has buffers and blocks,
// TIRExprImporter.cpp the expressions.
//
//===----------------------------------------------------------------------===//

#include "TIRBodyImporter.h"

#include "TIRNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Erases the only statement of `block` if it evaluates an int32 that is 0, as
/// TVM has for no statement.
static void eraseNoStatement(Block &block) {
  auto evaluate = block.empty() ? tir::EvaluateOp()
                                : dyn_cast<tir::EvaluateOp>(block.back());
  if (!evaluate || !evaluate.getValue().getType().isSignlessInteger(32) ||
      !matchPattern(evaluate.getValue(), m_Zero()))
    return;
  Operation *number = evaluate.getValue().getDefiningOp();
  evaluate.erase();
  if (number->use_empty())
    number->erase();
}

LogicalResult TIRBodyImporter::importFunction(const Node &function,
                                              const PrimFuncNode &fields) {
  Block *block = &func.getBody().emplaceBlock();
  builder.setInsertionPointToStart(block);
  SmallVector<std::pair<BlockArgument, Node>> buffers;
  for (const Node &param : fields.params) {
    Var var;
    if (failed(readVar(param, var)))
      return failure();
    // The type of a buffer depends on other parameters.
    BlockArgument argument =
        block->addArgument(var.type ? var.type : builder.getNoneType(),
                           getNamed(var.name, builder.getUnknownLoc()));
    if (failed(bind(param, argument)))
      return failure();
    state.nodeOfVar[argument] = param.index;
    if (var.buffer.index >= 0)
      buffers.emplace_back(argument, var.buffer);
  }
  for (auto &[argument, type] : buffers) {
    Buffer buffer;
    if (failed(readBuffer(type, buffer)))
      return failure();
    argument.setType(buffer.type);
    if (buffer.isDefault)
      continue;
    OperationState state(loc, "tir.buffer", argument, {});
    setBuffer(buffer, state, {1});
    builder.create(state);
  }

  DictAttrsNode attrs;
  SmallVector<std::pair<Node, Node>> entries;
  SmallVector<NamedAttribute> attributes;
  if (failed(attrs.read(table, fields.attrs)) ||
      failed(table.getMap(attrs.dict, entries)) ||
      failed(getAnnotations(entries, attributes)))
    return failure();
  for (NamedAttribute attribute : attributes) {
    if (llvm::is_contained(func->getName().getAttributeNames(),
                           attribute.getName()) ||
        attribute.getName() == returnTypeName)
      return table.error(fields.attrs, "expected no attribute of a name that "
                                       "'tir.prim_func' uses itself");
    func->setDiscardableAttr(attribute.getName(), attribute.getValue());
  }
  if (fields.retType.type != "ir.TupleType") {
    Type type = getType(fields.retType);
    if (!type)
      return failure();
    func->setDiscardableAttr(returnTypeName, TypeAttr::get(type));
  } else if (failed(expectNothing(fields.retType))) {
    return failure();
  }

  if (failed(importBlock(fields.body)))
    return failure();
  if (fields.body.type == "tirx.Evaluate")
    eraseNoStatement(*block);
  tir::ReturnOp::create(builder, builder.getUnknownLoc());
  func.setFunctionType(
      builder.getFunctionType(block->getArgumentTypes(), TypeRange()));
  return table.withPlace(function, [&] { return verify(func); });
}

LogicalResult TIRBodyImporter::expectNothing(const Node &node) {
  TupleTypeNode tuple;
  if (failed(tuple.read(table, node)))
    return failure();
  if (tuple.fields.empty())
    return success();
  return table.error(node, "expected an empty tuple type or a scalar type");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

LogicalResult TIRBodyImporter::importBlock(const Node &node) {
  if (node.type != "tirx.SeqStmt")
    return importStmt(node);
  SeqStmtNode stmts;
  if (failed(stmts.read(table, node)))
    return failure();
  if (stmts.seq.size() < 2)
    return table.error(node, "expected at least two statements");
  for (const Node &stmt : stmts.seq)
    if (failed(importStmt(stmt)))
      return failure();
  return success();
}

LogicalResult TIRBodyImporter::importStmt(const Node &node) {
  if (depth > 128)
    return table.error(node, "expected statements nested at most 128 deep, "
                             "found more");
  ++depth;
  llvm::scope_exit leave([&, outer = loc] { --depth, loc = outer; });
  std::optional<LogicalResult> result =
      readAny<LogicalResult, ForNode, SBlockRealizeNode, BufferStoreNode,
              AttrStmtNode, IfThenElseNode, WhileNode, DeclBufferNode,
              AllocBufferNode, AssertStmtNode, EvaluateNode, BindNode,
              ScopeIdDefStmtNode, JumpNode>(
          table, node, &loc,
          [&](const auto &fields) { return importStmt(node, fields); });
  return result
             ? *result
             : LogicalResult(table.error(node, "expected a statement of TIR"));
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const JumpNode &fields) {
  hasJump = true;
  if (node.type == "tirx.Break")
    tir::BreakOp::create(builder, loc);
  else
    tir::ContinueOp::create(builder, loc);
  return success();
}

/// Whether `value` is this constant.
static bool isConstant(Value value, int64_t number) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) &&
         constant.isSignedIntN(64) && constant.getSExtValue() == number;
}

/// Makes a tir.for of a loop whose body need not run to its end.
static void replaceLoop(scf::ForOp loop, Value extent) {
  OpBuilder builder(loop);
  auto kind = loop->getAttrOfType<StringAttr>(loopKindName);
  NamedAttrList attributes;
  attributes.append("kind", kind ? kind : builder.getStringAttr(loopKinds[0]));
  if (Attribute annotations = loop->getAttr(loopAnnotationsName))
    attributes.append("annotations", annotations);
  if (Attribute shared = loop->getAttr(sharedVarName))
    attributes.append(sharedVarName, shared);
  OperationState state(loop.getLoc(), "tir.for", {loop.getLowerBound(), extent},
                       {}, attributes);
  if (!isConstant(loop.getStep(), 1))
    state.addOperands(loop.getStep());
  Region *body = state.addRegion();
  body->takeBody(loop.getRegion());
  body->front().getTerminator()->erase();
  builder.setInsertionPointToEnd(&body->front());
  tir::YieldOp::create(builder, builder.getUnknownLoc());
  builder.setInsertionPoint(loop);
  builder.create(state);
  loop.erase();
}

/// The end of a loop: of `end - min`, which is the extent of TVM's
/// `range(min, end)`, it is `end`.
Value TIRBodyImporter::getUpper(Value min, Value extent) {
  if (isConstant(min, 0))
    return extent;
  Type type = min.getType();
  APInt first, count;
  if (matchPattern(min, m_ConstantInt(&first)) &&
      matchPattern(extent, m_ConstantInt(&count))) {
    bool overflows;
    APInt end = first.sadd_ov(count, overflows);
    if (!overflows)
      return getConstant(type, IntegerAttr::get(type, end));
  }
  // The export would say other ends in another way.
  auto difference = extent.getDefiningOp<arith::SubIOp>();
  if (difference && difference.getRhs() == min &&
      !matchPattern(difference.getLhs(), m_Constant())) {
    auto sum = difference.getLhs().getDefiningOp<arith::AddIOp>();
    if (!sum || sum.getLhs() != min)
      return difference.getLhs();
  }
  return create("arith.addi", {min, extent}, type);
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const ForNode &fields) {
  SmallVector<NamedAttribute> annotations, attributes;
  Var var;
  if (failed(readVar(fields.loopVar, var)) ||
      failed(getAnnotations(fields.annotations, annotations)))
    return failure();
  const Node &threadNode = fields.threadBinding;
  int64_t kind = fields.kind;
  if (kind < 0 || kind >= static_cast<int64_t>(std::size(loopKinds)) ||
      !var.type || !isa<IntegerType>(var.type))
    return table.error(node, "expected a loop on integers, of a kind that is "
                             "known");
  Value min = getExpr(fields.min),
        extent = min ? getExpr(fields.extent) : Value();
  bool hasStep = !fields.step.isNone();
  Value step = extent && hasStep ? getExpr(fields.step) : Value();
  if (!extent || (hasStep && !step))
    return failure();
  auto add = [&](StringRef name, Attribute value) {
    attributes.push_back(builder.getNamedAttr(name, value));
  };

  Location name = getNamed(var.name, loc);
  OpBuilder::InsertionGuard guard(builder);
  llvm::SaveAndRestore jumps(hasJump, false);
  Type type = var.type;
  bool isScf = type.isSignlessInteger() && !type.isSignlessInteger(1) &&
               min.getType() == type && extent.getType() == type &&
               threadNode.isNone() && kind != 4 &&
               (!step || (step.getType() == type && !isConstant(step, 1)));
  if (isScf) {
    Value upper = getUpper(min, extent);
    if (!step)
      step = getConstant(type, IntegerAttr::get(type, 1));
    auto loop = scf::ForOp::create(builder, name, min, upper, step);
    if (kind != 0)
      loop->setDiscardableAttr(loopKindName,
                               builder.getStringAttr(loopKinds[kind]));
    if (!annotations.empty())
      loop->setDiscardableAttr(loopAnnotationsName,
                               builder.getDictionaryAttr(annotations));
    builder.setInsertionPointToStart(loop.getBody());
    loop.getInductionVar().setLoc(name);
    if (failed(bind(fields.loopVar, loop.getInductionVar())) ||
        failed(importBlock(fields.body)))
      return failure();
    if (hasJump)
      replaceLoop(loop, extent);
    else if (auto difference = extent.getDefiningOp<arith::SubIOp>();
             difference && difference->use_empty())
      difference.erase();
    return success();
  }

  add("kind", builder.getStringAttr(loopKinds[kind]));
  if (!annotations.empty())
    add("annotations", builder.getDictionaryAttr(annotations));
  if (!threadNode.isNone()) {
    IterVarNode thread;
    Var threadVar;
    if (failed(thread.read(table, threadNode)) ||
        failed(readVar(thread.var, threadVar)))
      return failure();
    if (!thread.dom.isNone() || thread.iterType != 1 || !threadVar.type ||
        valueOfVar.contains(thread.var.index) ||
        !keptVars.insert(thread.var.index).second)
      return table.error(threadNode, "expected an axis of threads that only "
                                     "this loop has");
    add("thread", builder.getStringAttr(thread.threadTag));
    if (threadVar.name != thread.threadTag)
      add("thread_name", builder.getStringAttr(threadVar.name));
    if (threadVar.type != type)
      add("thread_type", TypeAttr::get(threadVar.type));
  }
  OperationState state(name, "tir.for", {min, extent}, {}, attributes);
  if (step)
    state.addOperands(step);
  Block &block = state.addRegion()->emplaceBlock();
  Value argument = block.addArgument(type, name);
  builder.create(state);
  builder.setInsertionPointToEnd(&block);
  if (failed(bind(fields.loopVar, argument)) ||
      failed(importBlock(fields.body)))
    return failure();
  tir::YieldOp::create(builder, builder.getUnknownLoc());
  return success();
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const IfThenElseNode &fields) {
  Value condition = getCondition(fields.condition);
  if (!condition)
    return failure();
  bool hasElse = !fields.elseCase.isNone();
  auto op = scf::IfOp::create(builder, loc, TypeRange(), condition,
                              /*withElseRegion=*/hasElse);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.thenBlock());
  if (failed(importBlock(fields.thenCase)))
    return failure();
  if (!hasElse)
    return success();
  builder.setInsertionPointToStart(op.elseBlock());
  return importBlock(fields.elseCase);
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const WhileNode &fields) {
  llvm::SaveAndRestore jumps(hasJump, false);
  auto loop = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value condition = getCondition(fields.condition);
  if (!condition)
    return failure();
  scf::ConditionOp::create(builder, loc, condition, ValueRange());
  builder.createBlock(&loop.getAfter());
  if (failed(importBlock(fields.body)))
    return failure();
  scf::YieldOp::create(builder, loc);
  return success();
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const BufferStoreNode &store) {
  Value buffer = getExpr(store.buffer),
        value = buffer ? getExpr(store.value) : Value();
  SmallVector<Value> indices;
  if (!value || failed(getExprs(store.indices, indices)))
    return failure();
  auto memref = dyn_cast<MemRefType>(buffer.getType());
  if (!memref || memref.getRank() != static_cast<int64_t>(indices.size()))
    return table.error(node, "expected an index for each dimension of a "
                             "buffer");
  if (memref.getElementType() == value.getType() && castIndices(indices)) {
    SmallVector<Value> operands = {value, buffer};
    operands.append(indices);
    OperationState state(loc, "memref.store", operands, {});
    builder.create(state);
    return success();
  }
  tir::StoreOp::create(builder, loc, value, buffer, indices);
  return success();
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const AssertStmtNode &fields) {
  SmallVector<Attribute> message;
  SmallVector<Node> parts = {fields.errorKind};
  llvm::append_range(parts, fields.messageParts);
  for (const Node &part : parts) {
    StringImmNode string;
    if (failed(string.read(table, part)))
      return failure();
    message.push_back(builder.getStringAttr(string.value));
  }
  Value value = getCondition(fields.condition);
  if (!value)
    return failure();
  tir::AssertOp::create(builder, loc, value, cast<StringAttr>(message[0]),
                        builder.getArrayAttr(ArrayRef(message).drop_front()));
  return success();
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const EvaluateNode &fields) {
  if (node.type == "tirx.Return") {
    Value value = getExpr(fields.value);
    if (value)
      tir::RetOp::create(builder, loc, value);
    return success(bool(value));
  }
  Value value;
  if (fields.value.type == "ir.Call") {
    if (failed(importCall(fields.value, value)))
      return failure();
    // A call that has effects is a statement.
    if (!value || isa<tir::CallOp>(value.getDefiningOp()))
      return success();
    if (auto call = value.getDefiningOp<tir::CallIntrinOp>();
        call && !call.getIsPure())
      return success();
  } else {
    value = getExpr(fields.value);
  }
  if (value)
    tir::EvaluateOp::create(builder, loc, value);
  return success(bool(value));
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const BindNode &fields) {
  Var var;
  if (failed(readVar(fields.var, var, /*mayBeVoid=*/true)))
    return failure();
  Value value;
  if (var.type && isa<NoneType>(var.type) && fields.value.type == "ir.Call") {
    if (failed(importCall(fields.value, value, /*isNamed=*/true)))
      return failure();
  } else {
    value = getExpr(fields.value);
  }
  if (!value)
    return failure();
  if (value.getType() != var.type)
    return table.error(node, "expected a variable of its value's type");
  return bind(fields.var, tir::BindOp::create(builder, getNamed(var.name, loc),
                                              var.type, value));
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const AttrStmtNode &fields) {
  const Node &about = fields.node;
  // The value first, as in the op.
  Value value = getExpr(fields.value), of;
  if (!value)
    return failure();
  SmallVector<Value, 2> domain;
  Value min, extent;
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr("key", builder.getStringAttr(fields.attrKey))};
  IterVarNode iterVar;
  Var var;
  bool isOpen = about.type == "ir.Var" && !valueOfVar.contains(about.index);
  if (about.type == "tirx.IterVar") {
    if (failed(iterVar.read(table, about)) ||
        failed(readVar(iterVar.var, var)) ||
        (!iterVar.dom.isNone() && failed(getRange(iterVar.dom, min, extent))))
      return failure();
    if (min)
      domain = {min, extent};
    if (!var.type)
      return table.error(about, "expected an axis of threads");
    attributes.push_back(builder.getNamedAttr(
        "thread", builder.getStringAttr(iterVar.threadTag)));
    attributes.push_back(builder.getNamedAttr(
        "iter_type", builder.getI64IntegerAttr(iterVar.iterType)));
  } else if (about.type.starts_with("ir.") || about.type.starts_with("prim.")) {
    if (!isOpen)
      of = getExpr(about);
    if (!isOpen && !of)
      return failure();
  } else {
    Attribute attribute = getExactAttribute(about);
    if (!attribute)
      return failure();
    attributes.push_back(builder.getNamedAttr("node", attribute));
  }

  OperationState state(loc, "tir.attr", value, {}, attributes);
  if (of)
    state.addOperands(of);
  state.addOperands(domain);
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(
                         {1, of ? 1 : 0, static_cast<int32_t>(domain.size())}));
  Block &block = state.addRegion()->emplaceBlock();
  auto op = cast<tir::AttrOp>(builder.create(state));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  if (var.type &&
      failed(bind(iterVar.var,
                  block.addArgument(var.type, getNamed(var.name, loc)))))
    return failure();
  if (isOpen)
    openAttrs.push_back({op, about.index});
  if (failed(importBlock(fields.body)))
    return failure();
  tir::YieldOp::create(builder, builder.getUnknownLoc());
  if (!isOpen || openAttrs.pop_back_val().isFound)
    return success();
  // Nothing in the body introduces it.
  if (!openAttrs.empty())
    return table.error(about, "expected a variable that the body introduces");
  of = getVar(about);
  if (of)
    op.getOfMutable().assign(of);
  return success(bool(of));
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const ScopeIdDefStmtNode &stmt) {
  ScopeIdDefNode fields;
  if (failed(fields.read(table, stmt.def)))
    return failure();
  SmallVector<Value> operands;
  SmallVector<int32_t> segments;
  for (const Node &list : {fields.extents, fields.preferredExtents}) {
    size_t before = operands.size();
    SmallVector<Node> sizes;
    if (!list.isNone() && (failed(table.getArray(list, sizes)) ||
                           failed(getExprs(sizes, operands))))
      return failure();
    segments.push_back(operands.size() - before);
    if (!list.isNone() && sizes.empty())
      return table.error(list, "expected an extent for each coordinate");
  }
  SmallVector<Type> types;
  SmallVector<Attribute> names;
  for (const Node &id : fields.defIds) {
    Var var;
    if (failed(readVar(id, var)))
      return failure();
    if (!var.type)
      return table.error(id, "expected a coordinate that is a number");
    types.push_back(var.type);
    names.push_back(builder.getStringAttr(var.name));
  }
  OperationState state(loc, "tir.scope_id", operands, types);
  state.addAttribute("scope", builder.getI64IntegerAttr(fields.scope));
  state.addAttribute("names", builder.getArrayAttr(names));
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(segments));
  Operation *op = builder.create(state);
  for (auto [id, value] : llvm::zip_equal(fields.defIds, op->getResults()))
    if (failed(bind(id, value)))
      return failure();
  return success();
}
