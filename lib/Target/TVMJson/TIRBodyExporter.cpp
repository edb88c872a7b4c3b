//===- TIRBodyExporter.cpp - tir.prim_func -> tirx.PrimFunc ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function, its buffers and its statements. TIRExprExporter.cpp has the
// expressions.
//
//===----------------------------------------------------------------------===//

#include "TIRBodyExporter.h"

#include "TIREvaluation.h"
#include "TIRNames.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FailureOr<int64_t> TIRBodyExporter::addFunction() {
  if (func.isExternal() || !llvm::hasSingleElement(func.getBody()))
    return func.emitError("expected a prim_func with a body that is one block, "
                          "found one with ")
           << (func.isExternal() ? "none" : "several");
  // The walk in addFunctionType finds the declarations.
  FailureOr<int64_t> type = addFunctionType();
  Block &block = func.getBody().front();
  Indices params;
  for (BlockArgument argument : block.getArguments()) {
    FailureOr<int64_t> param = addExpr(argument);
    if (failed(param))
      return failure();
    params.push_back(*param);
  }
  SmallVector<NamedAttribute> attributes(func->getDiscardableAttrs());
  auto returnType = func->getAttrOfType<TypeAttr>(returnTypeName);
  llvm::erase_if(attributes, [](NamedAttribute attribute) {
    return attribute.getName() == returnTypeName;
  });
  FailureOr<int64_t> body = addBlock(block),
                     map = addAnnotations(func, attributes);
  if (failed(body) || failed(map) || failed(type))
    return failure();
  int64_t attrs =
              writer.addObject("ir.DictAttrs", JsonFields{{"__dict__", *map}}),
          list = writer.getArray(params);
  FailureOr<int64_t> result =
      returnType ? addType(func, returnType.getValue()) : addEmptyTuple();
  if (failed(result))
    return failure();
  return writer.addSpanned("tirx.PrimFunc", {{"ty", *type},
                                             {"attrs", attrs},
                                             {"params", list},
                                             {"ret_type", *result},
                                             {"body", *body}});
}

FailureOr<int64_t> TIRBodyExporter::addFunctionType() {
  if (funcType)
    return *funcType;
  func.walk([&](Operation *op) {
    if (auto declaration = dyn_cast<tir::BufferDeclOp>(op))
      declarations[declaration.getBuffer()] = declaration;
    else if (auto node = dyn_cast<tir::AttrNodeOp>(op))
      nodeOfAttr[node.getAttr()] = node.getValue();
  });
  Indices params;
  for (BlockArgument argument : func.getArguments()) {
    auto memref = dyn_cast<MemRefType>(argument.getType());
    if (!memref) {
      FailureOr<int64_t> type =
          isa<tir::HandleType, tir::PtrType>(argument.getType())
              ? FailureOr(writer.addSpanned("relax.AnyType", {}))
              : addType(func, argument.getType());
      if (failed(type))
        return failure();
      params.push_back(*type);
      continue;
    }
    tir::BufferDeclOp declaration = declarations.lookup(argument);
    Indices dims;
    for (auto [index, size] : llvm::enumerate(memref.getShape())) {
      if (ShapedType::isStatic(size)) {
        dims.push_back(writer.getIntImm("int64", size));
        continue;
      }
      // An unknown size can differ from call to call.
      Type i64 = IntegerType::get(func.getContext(), 64);
      Value value = declaration && index < declaration.getShape().size()
                        ? declaration.getShape()[index]
                        : Value();
      FailureOr<int64_t> dim = value ? addExpr(value) : addVar(func, "n", i64);
      if (succeeded(dim) && value && value.getType() != i64)
        dim = addPrim(func, "Cast", i64, *dim);
      if (failed(dim))
        return failure();
      dims.push_back(*dim);
    }
    FailureOr<int64_t> dtype = addType(func, memref.getElementType());
    if (failed(dtype))
      return failure();
    int64_t rank = memref.getRank(), values = writer.getArray(dims),
            none = writer.getNone(),
            shapeType = writer.addSpanned("relax.ShapeType",
                                          {{"values", values}, {"ndim", rank}}),
            shape = writer.addSpanned("relax.expr.ShapeExpr",
                                      {{"ty", shapeType}, {"values", values}});
    params.push_back(writer.addSpanned("relax.TensorType", {{"shape", shape},
                                                            {"dtype", *dtype},
                                                            {"vdevice", none},
                                                            {"ndim", rank}}));
  }
  int64_t list = writer.getArray(params);
  auto returnType = func->getAttrOfType<TypeAttr>(returnTypeName);
  FailureOr<int64_t> result =
      returnType && getDTypeName(returnType.getValue()).size()
          ? addType(func, returnType.getValue())
          : addEmptyTuple();
  if (failed(result))
    return failure();
  funcType =
      writer.addSpanned("relax.FuncType", {{"params", list},
                                           {"ret", *result},
                                           {"derive_func", writer.getNone()},
                                           {"purity", isPureFunction(func)}});
  return *funcType;
}

//===----------------------------------------------------------------------===//
// Variables and buffers
//===----------------------------------------------------------------------===//

FailureOr<int64_t> TIRBodyExporter::addVar(Operation *op, StringRef name,
                                           Type type) {
  FailureOr<int64_t> typeNode = addType(op, type);
  if (failed(typeNode))
    return failure();
  int64_t text = writer.getString(name);
  return writer.addSpanned("ir.Var", {{"ty", *typeNode}, {"name", text}});
}

/// The number of a variable that other functions have, too; or null.
static Attribute getModuleVar(Value value) {
  if (auto op = value.getDefiningOp<tir::VarOp>())
    return op->getAttr(moduleVarName);
  auto argument = dyn_cast<BlockArgument>(value);
  auto func =
      argument ? dyn_cast<tir::PrimFuncOp>(argument.getOwner()->getParentOp())
               : tir::PrimFuncOp();
  return func ? func.getArgAttr(argument.getArgNumber(), moduleVarName)
              : Attribute();
}

FailureOr<int64_t> TIRBodyExporter::addVar(Value value) {
  if (auto it = nodes.find(value); it != nodes.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  Location loc = value.getLoc();
  Operation *owner = getVarOwner(value);
  auto shared =
      owner ? owner->getAttrOfType<IntegerAttr>(sharedVarName) : IntegerAttr();
  if (auto it = sharedVars.find(shared); shared && it != sharedVars.end())
    return nodes[value] = it->second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    op = argument.getOwner()->getParentOp();
    // The text of scf.for has no other place for the name.
    if (isa<scf::ForOp>(op))
      loc = op->getLoc();
  }
  bool isBuffer = isa<MemRefType>(value.getType());
  StringRef name = getVarName(loc, isBuffer ? "buffer" : "v");
  FailureOr<int64_t> node = failure();
  if (isBuffer) {
    FailureOr<int64_t> type = addBufferType(value);
    if (failed(type))
      return failure();
    int64_t text = writer.getString(name);
    node = writer.addSpanned("ir.Var", {{"ty", *type}, {"name", text}});
  } else if (Attribute number = getModuleVar(value)) {
    FailureOr<int64_t> type = addType(op, value.getType());
    if (failed(type))
      return failure();
    NodeWriter::ModuleVar key(number, *type);
    if (int64_t known = writer.nodeOfModuleVar.lookup(key))
      return nodes[value] = known;
    node = addVar(op, name, value.getType());
    if (succeeded(node))
      writer.nodeOfModuleVar[key] = *node;
  } else {
    node = addVar(op, name, value.getType());
  }
  if (failed(node))
    return failure();
  if (shared)
    sharedVars[shared] = *node;
  return nodes[value] = *node;
}

FailureOr<int64_t> TIRBodyExporter::addBufferNode(Operation *op,
                                                  MemRefType type,
                                                  JsonFields fields) {
  FailureOr<int64_t> dtype = addType(op, type.getElementType());
  if (failed(dtype))
    return failure();
  auto scope = dyn_cast_or_null<StringAttr>(type.getMemorySpace());
  if (type.getMemorySpace() && !scope)
    return op->emitError("expected a memory space that is a string, found ")
           << type.getMemorySpace();
  int64_t text = writer.getString(scope ? scope.getValue() : "global");
  fields.emplace_back("dtype", *dtype);
  fields.emplace_back("storage_scope", text);
  return writer.addSpanned("tirx.BufferType", fields);
}

template <typename OpT>
FailureOr<int64_t> TIRBodyExporter::addBufferType(OpT op, MemRefType type) {
  Type indexType =
      op.getIndexType().value_or(IntegerType::get(op.getContext(), 32));
  Indices sizes;
  if (!op.getShape().empty()) {
    FailureOr<Indices> shape = addExprs(op.getShape());
    if (failed(shape))
      return failure();
    sizes = *shape;
  } else {
    for (int64_t size : type.getShape()) {
      if (ShapedType::isDynamic(size))
        return op.emitError("expected 'shape' of a buffer whose sizes are not "
                            "all constant");
      FailureOr<int64_t> node = addInteger(op, indexType, size);
      if (failed(node))
        return failure();
      sizes.push_back(*node);
    }
  }
  FailureOr<int64_t> strides = addExprArray(op.getStrides()),
                     addresses = addExprArray(op.getAllocatedAddr()),
                     offset = op.getElemOffset() ? addExpr(op.getElemOffset())
                                                 : addInteger(op, indexType, 0),
                     layout = op.getLayoutAttr()
                                  ? addNode(op, op.getLayoutAttr())
                                  : FailureOr(writer.getNone());
  if (failed(strides) || failed(addresses) || failed(offset) || failed(layout))
    return failure();
  int64_t shape = writer.getArray(sizes);
  return addBufferNode(op, type,
                       {{"shape", shape},
                        {"strides", *strides},
                        {"elem_offset", *offset},
                        {"data_alignment", int64_t(op.getDataAlignment())},
                        {"offset_factor", int64_t(op.getOffsetFactor())},
                        {"layout", *layout},
                        {"allocated_addr", *addresses}});
}

/// The type of a buffer without a declaration: only its memref type is known.
FailureOr<int64_t> TIRBodyExporter::addPlainBufferType(Value buffer,
                                                       Operation *op) {
  auto type = cast<MemRefType>(buffer.getType());
  StringRef name = getVarName(buffer.getLoc(), "buffer");
  bool isStatic = type.hasStaticShape();
  Type i32 = IntegerType::get(op->getContext(), 32),
       i64 = IntegerType::get(op->getContext(), 64);
  // An unknown size is a variable that the call sets.
  auto add = [&](int64_t size, StringRef suffix) {
    return ShapedType::isDynamic(size)
               ? addVar(op, (name + suffix).str(), i64)
               : addInteger(op, isStatic ? i32 : i64, size);
  };
  SmallVector<int64_t> steps;
  int64_t start = 0;
  if (!type.getLayout().isIdentity() &&
      failed(type.getStridesAndOffset(steps, start)))
    return op->emitError("expected a buffer with strides, found ") << type;
  Indices shape, strides;
  for (auto [sizes, suffix, result] :
       {std::tuple(type.getShape(), "_size", &shape),
        std::tuple(ArrayRef<int64_t>(steps), "_stride", &strides)})
    for (int64_t size : sizes) {
      FailureOr<int64_t> node = add(size, suffix);
      if (failed(node))
        return failure();
      result->push_back(*node);
    }
  FailureOr<int64_t> offset = add(start, "_offset");
  if (failed(offset))
    return failure();
  int64_t shapeNode = writer.getArray(shape),
          stridesNode = writer.getArray(strides),
          addresses = writer.getArray({});
  return addBufferNode(op, type,
                       {{"shape", shapeNode},
                        {"strides", stridesNode},
                        {"elem_offset", *offset},
                        {"data_alignment", 64},
                        {"offset_factor", 1},
                        {"layout", writer.getNone()},
                        {"allocated_addr", addresses}});
}

FailureOr<int64_t> TIRBodyExporter::addBufferType(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (Operation *op = buffer.getDefiningOp())
    return llvm::TypeSwitch<Operation *, FailureOr<int64_t>>(op)
        .Case<tir::AllocBufferOp, tir::DeclBufferOp, tir::BlockBufferOp,
              tir::MatchBufferOp>(
            [&](auto op) { return addBufferType(op, type); });
  if (tir::BufferDeclOp declaration = declarations.lookup(buffer))
    return addBufferType(declaration, type);
  return addPlainBufferType(buffer, func);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

FailureOr<int64_t> TIRBodyExporter::addBlock(Block &block) {
  Indices stmts;
  for (Operation &op : block.without_terminator())
    if (failed(addOp(&op, stmts)))
      return failure();
  if (stmts.size() == 1)
    return stmts.front();
  if (stmts.empty())
    return addEvaluate(writer.getIntImm("int32", 0));
  int64_t list = writer.getArray(stmts);
  return writer.addSpanned("tirx.SeqStmt", {{"seq", list}});
}

LogicalResult TIRBodyExporter::addOp(Operation *op, Indices &stmts) {
  // These ops are part of other ops.
  if (isDeclaration(op) || isa<tir::InitOp>(op))
    return success();
  if (isExpression(op))
    return isMemoryEffectFree(op) ? success() : addEffect(op, stmts);
  FailureOr<int64_t> stmt = addStmt(op);
  if (succeeded(stmt))
    stmts.push_back(*stmt);
  return stmt;
}

LogicalResult TIRBodyExporter::addEffect(Operation *op, Indices &stmts) {
  if (isPartOfStatement(op))
    return success();
  FailureOr<int64_t> node = failure();
  if (op->getNumResults() == 0) {
    node = addCall(op);
  } else {
    node = addNewExpr(op->getResult(0));
  }
  if (failed(node))
    return failure();
  if (op->use_empty()) {
    stmts.push_back(addEvaluate(*node));
    return success();
  }
  FailureOr<int64_t> var =
      addVar(op, getVarName(op->getLoc(), "v"), op->getResult(0).getType());
  if (failed(var))
    return failure();
  nodes[op->getResult(0)] = *var;
  stmts.push_back(
      writer.addSpanned("tirx.Bind", {{"var", *var}, {"value", *node}}));
  return success();
}

FailureOr<int64_t> TIRBodyExporter::addStmt(Operation *op) {
  return llvm::TypeSwitch<Operation *, FailureOr<int64_t>>(op)
      .Case<scf::ForOp, tir::ForOp>([&](auto op) { return addFor(op); })
      .Case([&](scf::IfOp op) { return addIf(op); })
      .Case([&](scf::WhileOp op) { return addWhile(op); })
      .Case([&](tir::BlockOp op) { return addSBlock(op); })
      .Case([&](tir::AttrOp op) { return addAttr(op); })
      .Case([&](tir::AssertOp op) { return addAssert(op); })
      .Case([&](memref::StoreOp op) {
        return addStore(op, op.getValueToStore(), op.getMemref(),
                        addIndices(op.getIndices()));
      })
      .Case([&](tir::StoreOp op) {
        return addStore(op, op.getValue(), op.getBuffer(),
                        addExprArray(op.getIndices()));
      })
      .Case([&](tir::EvaluateOp op) -> FailureOr<int64_t> {
        FailureOr<int64_t> value = addExpr(op.getValue());
        return failed(value) ? value : FailureOr(addEvaluate(*value));
      })
      .Case([&](tir::RetOp op) -> FailureOr<int64_t> {
        FailureOr<int64_t> value = addExpr(op.getValue());
        if (failed(value))
          return failure();
        return writer.addSpanned("tirx.Return", {{"value", *value}});
      })
      .Case([&](tir::BreakOp) {
        return FailureOr(writer.addSpanned("tirx.Break", {}));
      })
      .Case([&](tir::ContinueOp) {
        return FailureOr(writer.addSpanned("tirx.Continue", {}));
      })
      .Case([&](tir::ScopeIdOp op) { return addScopeId(op); })
      .Case([&](tir::BindOp op) -> FailureOr<int64_t> {
        FailureOr<int64_t> var = addVar(op.getResult()),
                           value = addExpr(op.getValue());
        if (failed(var) || failed(value))
          return failure();
        return writer.addSpanned("tirx.Bind",
                                 {{"var", *var}, {"value", *value}});
      })
      .Case([&](tir::AllocBufferOp op) -> FailureOr<int64_t> {
        FailureOr<int64_t> buffer = addVar(op.getResult()),
                           annotations = addAnnotations(
                               op, op.getAnnotationsAttr()
                                       ? op.getAnnotationsAttr().getValue()
                                       : ArrayRef<NamedAttribute>());
        if (failed(buffer) || failed(annotations))
          return failure();
        return writer.addSpanned(
            "tirx.AllocBuffer",
            {{"buffer", *buffer}, {"annotations", *annotations}});
      })
      .Case([&](tir::DeclBufferOp op) -> FailureOr<int64_t> {
        FailureOr<int64_t> data = addExpr(op.getData()),
                           buffer = addVar(op.getResult());
        if (failed(buffer) || failed(data))
          return failure();
        return writer.addSpanned("tirx.DeclBuffer",
                                 {{"buffer", *buffer}, {"data", *data}});
      })
      .Default([&](Operation *op) {
        return op->emitError("expected an op that TVM has, found '")
               << op->getName() << "'";
      });
}

FailureOr<int64_t> TIRBodyExporter::addForNode(Operation *op, Value var,
                                               int64_t min, int64_t extent,
                                               int64_t step, StringRef kind,
                                               int64_t thread,
                                               DictionaryAttr annotations) {
  FailureOr<int64_t> varNode = addVar(var),
                     map = addAnnotations(op, annotations
                                                  ? annotations.getValue()
                                                  : ArrayRef<NamedAttribute>()),
                     body = addBlock(op->getRegion(0).front());
  if (failed(varNode) || failed(map) || failed(body))
    return failure();
  const auto *found = llvm::find(loopKinds, kind);
  if (found == std::end(loopKinds))
    return op->emitError("expected a kind of loop that TVM has, found \"")
           << kind << "\"";
  return writer.addSpanned("tirx.For",
                           {{"loop_var", *varNode},
                            {"min", min},
                            {"extent", extent},
                            {"kind", int64_t(found - std::begin(loopKinds))},
                            {"body", *body},
                            {"thread_binding", thread},
                            {"annotations", *map},
                            {"step", step}});
}

FailureOr<int64_t> TIRBodyExporter::addFor(scf::ForOp op) {
  if (op.getNumRegionIterArgs() || op.getUnsignedCmp())
    return op.emitError(
        "expected a loop on signed integers without values that "
        "it carries, which TVM lacks");
  Value lower = op.getLowerBound(), upper = op.getUpperBound();
  Type type = lower.getType();
  FailureOr<int64_t> min = addExpr(lower), extent = failure(),
                     step = writer.getNone();
  APInt first, last;
  auto sum = upper.getDefiningOp<arith::AddIOp>();
  if (matchPattern(lower, m_Zero())) {
    extent = addExpr(upper);
  } else if (matchPattern(lower, m_ConstantInt(&first)) &&
             matchPattern(upper, m_ConstantInt(&last))) {
    bool overflows;
    APInt distance = last.ssub_ov(first, overflows);
    if (overflows || !distance.isSignedIntN(64))
      return op.emitError("expected a loop whose length fits its type");
    extent = addInteger(op, type, distance.getSExtValue());
  } else if (sum && sum.getLhs() == lower) {
    extent = addExpr(sum.getRhs());
  } else {
    FailureOr<int64_t> end = addExpr(upper);
    if (succeeded(end) && succeeded(min))
      extent = addPrim(op, "Sub", type, {*end, *min});
  }
  if (!matchPattern(op.getStep(), m_One()))
    step = addExpr(op.getStep());
  if (failed(min) || failed(extent) || failed(step))
    return failure();
  auto kind = op->getAttrOfType<StringAttr>(loopKindName);
  return addForNode(op, op.getInductionVar(), *min, *extent, *step,
                    kind ? kind.getValue() : loopKinds[0], writer.getNone(),
                    op->getAttrOfType<DictionaryAttr>(loopAnnotationsName));
}

FailureOr<int64_t> TIRBodyExporter::addFor(tir::ForOp op) {
  Value var = op.getBody().getArgument(0);
  FailureOr<int64_t> min = addExpr(op.getMin()),
                     extent = addExpr(op.getExtent()),
                     step = op.getStep() ? addExpr(op.getStep())
                                         : FailureOr(writer.getNone()),
                     thread = writer.getNone();
  if (failed(min) || failed(extent) || failed(step))
    return failure();
  if (op.getThread()) {
    FailureOr<int64_t> threadVar =
        addVar(op, op.getThreadName().value_or(*op.getThread()),
               op.getThreadType().value_or(var.getType()));
    if (failed(threadVar))
      return failure();
    thread = addIterVar(writer.getNone(), *threadVar, 1, *op.getThread());
  }
  return addForNode(op, var, *min, *extent, *step, op.getKind(), *thread,
                    op.getAnnotationsAttr());
}

FailureOr<int64_t> TIRBodyExporter::addIf(scf::IfOp op) {
  FailureOr<int64_t> condition = addExpr(op.getCondition()),
                     yes = addBlock(*op.thenBlock()),
                     no = op.elseBlock() ? addBlock(*op.elseBlock())
                                         : FailureOr(writer.getNone());
  if (failed(condition) || failed(yes) || failed(no))
    return failure();
  return writer.addSpanned(
      "tirx.IfThenElse",
      {{"condition", *condition}, {"then_case", *yes}, {"else_case", *no}});
}

FailureOr<int64_t> TIRBodyExporter::addWhile(scf::WhileOp op) {
  if (op.getNumOperands() || op.getNumResults())
    return op.emitError("expected a loop without values that it carries, which "
                        "TVM lacks");
  FailureOr<int64_t> condition = addYielded(*op.getBeforeBody(),
                                            op.getConditionOp().getCondition()),
                     body = addBlock(*op.getAfterBody());
  if (failed(condition) || failed(body))
    return failure();
  return writer.addSpanned("tirx.While",
                           {{"condition", *condition}, {"body", *body}});
}

FailureOr<int64_t> TIRBodyExporter::addStore(Operation *op, Value value,
                                             Value buffer,
                                             FailureOr<int64_t> indices) {
  FailureOr<int64_t> valueNode = addExpr(value), bufferNode = addExpr(buffer);
  if (failed(valueNode) || failed(bufferNode) || failed(indices))
    return failure();
  return writer.addSpanned(
      "tirx.BufferStore",
      {{"buffer", *bufferNode}, {"value", *valueNode}, {"indices", *indices}});
}

FailureOr<int64_t> TIRBodyExporter::addAssert(tir::AssertOp op) {
  FailureOr<int64_t> condition = addExpr(op.getCondition());
  if (failed(condition))
    return failure();
  Indices parts;
  for (StringRef part : op.getMessage().getAsValueRange<StringAttr>())
    parts.push_back(addString(part));
  int64_t kind = addString(op.getKind()), message = writer.getArray(parts);
  return writer.addSpanned("tirx.AssertStmt", {{"condition", *condition},
                                               {"error_kind", kind},
                                               {"message_parts", message}});
}

FailureOr<int64_t> TIRBodyExporter::addAttr(tir::AttrOp op) {
  FailureOr<int64_t> value = addExpr(op.getValue()), node = writer.getNone();
  Block &block = op.getBody().front();
  if (op.getOf()) {
    node = addExpr(op.getOf());
  } else if (op.getNode()) {
    node = addNode(op, *op.getNode());
  } else if (block.getNumArguments()) {
    FailureOr<int64_t> domain = writer.getNone(),
                       var = addVar(block.getArgument(0));
    if (!op.getDomain().empty())
      domain = addRange(op.getDomain()[0], op.getDomain()[1]);
    if (failed(domain) || failed(var))
      return failure();
    node = addIterVar(*domain, *var, *op.getIterType(), *op.getThread());
  } else if (Value inner = nodeOfAttr.lookup(op)) {
    node = addExpr(inner);
  }
  FailureOr<int64_t> body = addBlock(block);
  if (failed(value) || failed(node) || failed(body))
    return failure();
  int64_t key = writer.getString(op.getKey());
  return writer.addSpanned(
      "tirx.AttrStmt",
      {{"node", *node}, {"attr_key", key}, {"value", *value}, {"body", *body}});
}

FailureOr<int64_t> TIRBodyExporter::addSBlock(tir::BlockOp op) {
  Block &block = op.getBody().front();
  FailureOr<int64_t> values = addExprArray(op.getBindings()),
                     predicate = addExpr(op.getPredicate()),
                     init = writer.getNone();
  if (failed(values) || failed(predicate))
    return failure();
  ArrayRef<StringRef> kindNames = tir::BlockOp::getIteratorKinds();
  Indices iterVars, reads, writes, allocs, matches;
  for (auto [argument, kind, min, extent] : llvm::zip_equal(
           block.getArguments(), op.getKinds().getAsValueRange<StringAttr>(),
           op.getMins(), op.getExtents())) {
    FailureOr<int64_t> domain = addRange(min, extent), var = addVar(argument);
    if (failed(domain) || failed(var))
      return failure();
    iterVars.push_back(addIterVar(
        *domain, *var, llvm::find(kindNames, kind) - kindNames.begin(), ""));
  }
  for (Operation &inner : block.without_terminator()) {
    auto add = [&](FailureOr<int64_t> node, Indices &list) {
      if (succeeded(node))
        list.push_back(*node);
      return LogicalResult(node);
    };
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&inner)
            .Case([&](tir::BlockBufferOp op) {
              return add(addVar(op.getResult()), allocs);
            })
            .Case([&](tir::ReadsOp op) {
              return add(
                  addRegion(op.getBuffer(), op.getMins(), op.getExtents()),
                  reads);
            })
            .Case([&](tir::WritesOp op) {
              return add(
                  addRegion(op.getBuffer(), op.getMins(), op.getExtents()),
                  writes);
            })
            .Case([&](tir::InitOp op) {
              init = addBlock(op.getBody().front());
              return LogicalResult(init);
            })
            .Case([&](tir::MatchBufferOp op) -> LogicalResult {
              FailureOr<int64_t> buffer = addVar(op.getResult()),
                                 source =
                                     addRegion(op.getSource(), op.getMins(),
                                               op.getExtents());
              if (failed(buffer) || failed(source))
                return failure();
              matches.push_back(writer.addObject(
                  "s_tir.MatchBufferRegion",
                  JsonFields{{"buffer", *buffer}, {"source", *source}}));
              return success();
            })
            .Default([](Operation *) { return success(); });
    if (failed(result))
      return failure();
  }
  FailureOr<int64_t> body = addBlock(block),
                     annotations = addAnnotations(
                         op, op.getAnnotationsAttr()
                                 ? op.getAnnotationsAttr().getValue()
                                 : ArrayRef<NamedAttribute>());
  if (failed(body) || failed(annotations))
    return failure();
  int64_t name = writer.getString(op.getBlockName()),
          iterVarList = writer.getArray(iterVars),
          readList = writer.getArray(reads),
          writeList = writer.getArray(writes),
          allocList = writer.getArray(allocs),
          matchList = writer.getArray(matches),
          node =
              writer.addSpanned("s_tir.SBlock", {{"iter_vars", iterVarList},
                                                 {"reads", readList},
                                                 {"writes", writeList},
                                                 {"name_hint", name},
                                                 {"alloc_buffers", allocList},
                                                 {"match_buffers", matchList},
                                                 {"annotations", *annotations},
                                                 {"init", *init},
                                                 {"body", *body}});
  return writer.addSpanned(
      "s_tir.SBlockRealize",
      {{"iter_values", *values}, {"predicate", *predicate}, {"block", node}});
}
