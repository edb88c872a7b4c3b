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
  FailureOr<int64_t> params = addExprArray(block.getArguments());
  if (failed(params))
    return failure();
  SmallVector<NamedAttribute> attributes(func->getDiscardableAttrs());
  auto returnType = func->getAttrOfType<TypeAttr>(returnTypeName);
  llvm::erase_if(attributes, [](NamedAttribute attribute) {
    return attribute.getName() == returnTypeName;
  });
  FailureOr<int64_t> body = addBlock(block),
                     map = addAnnotations(func, attributes);
  if (failed(body) || failed(map) || failed(type))
    return failure();
  return PrimFuncNode::add(
      writer,
      {type, DictAttrsNode::add(writer, {map}), params,
       returnType ? addType(func, returnType.getValue()) : addEmptyTuple(),
       body});
}

FailureOr<int64_t> TIRBodyExporter::addParamType(BlockArgument argument) {
  auto memref = dyn_cast<MemRefType>(argument.getType());
  if (!memref)
    return isa<tir::HandleType, tir::PtrType>(argument.getType())
               ? FailureOr(AnyTypeNode::add(writer, {}))
               : addType(func, argument.getType());
  tir::BufferDeclOp declaration = declarations.lookup(argument);
  FailureOr<int64_t> values =
      writer.addArray(llvm::enumerate(memref.getShape()),
                      [&](auto entry) -> FailureOr<int64_t> {
                        auto [index, size] = entry;
                        if (ShapedType::isStatic(size))
                          return writer.getIntImm("int64", size);
                        // An unknown size can differ from call to call.
                        Type i64 = IntegerType::get(func.getContext(), 64);
                        Value value =
                            declaration && index < declaration.getShape().size()
                                ? declaration.getShape()[index]
                                : Value();
                        FailureOr<int64_t> dim =
                            value ? addExpr(value) : addVar(func, "n", i64);
                        return succeeded(dim) && value && value.getType() != i64
                                   ? addPrim(func, "Cast", i64, *dim)
                                   : dim;
                      });
  int64_t rank = memref.getRank();
  FailureOr<int64_t> dtype = addType(func, memref.getElementType()),
                     shape = ShapeExprNode::add(
                         writer,
                         {ShapeTypeNode::add(writer, {values, rank}), values});
  return TensorTypeNode::add(writer, {shape, dtype, writer.getNone(), rank});
}

FailureOr<int64_t> TIRBodyExporter::addFunctionType() {
  if (succeeded(funcType))
    return funcType;
  func.walk([&](Operation *op) {
    if (auto declaration = dyn_cast<tir::BufferDeclOp>(op))
      declarations[declaration.getBuffer()] = declaration;
    else if (auto node = dyn_cast<tir::AttrNodeOp>(op))
      nodeOfAttr[node.getAttr()] = node.getValue();
  });
  FailureOr<int64_t> params =
      writer.addArray(func.getArguments(), [&](BlockArgument argument) {
        return addParamType(argument);
      });
  if (failed(params))
    return failure();
  auto returnType = func->getAttrOfType<TypeAttr>(returnTypeName);
  FailureOr<int64_t> result =
      returnType && getDTypeName(returnType.getValue()).size()
          ? addType(func, returnType.getValue())
          : addEmptyTuple();
  funcType = FuncTypeNode::add(
      writer, {params, result, writer.getNone(), isPureFunction(func)});
  return funcType;
}

//===----------------------------------------------------------------------===//
// Variables and buffers
//===----------------------------------------------------------------------===//

FailureOr<int64_t> TIRBodyExporter::addVar(Operation *op, StringRef name,
                                           Type type) {
  return VarNode::add(writer, {addType(op, type), name});
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
    node = VarNode::add(writer, {addBufferType(value), name});
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
                                                  BufferTypeNode::New parts) {
  parts.dtype = addType(op, type.getElementType());
  if (failed(parts.dtype))
    return failure();
  auto scope = dyn_cast_or_null<StringAttr>(type.getMemorySpace());
  if (type.getMemorySpace() && !scope)
    return op->emitError("expected a memory space that is a string, found ")
           << type.getMemorySpace();
  parts.storageScope = scope ? scope.getValue() : "global";
  return BufferTypeNode::add(writer, parts);
}

template <typename OpT>
FailureOr<int64_t> TIRBodyExporter::addBufferType(OpT op, MemRefType type) {
  Type indexType =
      op.getIndexType().value_or(IntegerType::get(op.getContext(), 32));
  BufferTypeNode::New parts;
  if (op.getShape().empty() && !type.hasStaticShape())
    return op.emitError("expected 'shape' of a buffer whose sizes are not all "
                        "constant");
  parts.shape = !op.getShape().empty()
                    ? addExprArray(op.getShape())
                    : writer.addArray(type.getShape(), [&](int64_t size) {
                        return addInteger(op, indexType, size);
                      });
  if (failed(parts.shape))
    return failure();
  parts.strides = addExprArray(op.getStrides());
  parts.allocatedAddr = addExprArray(op.getAllocatedAddr());
  parts.elemOffset = op.getElemOffset() ? addExpr(op.getElemOffset())
                                        : addInteger(op, indexType, 0);
  auto addSize = [&](StringRef kind, JsonValue data) -> int64_t {
    std::optional<uint64_t> index = data.getUnsigned();
    if (kind != "size" || !index || *index >= uint64_t(type.getRank()))
      return -1;
    FailureOr<int64_t> size =
        op.getShape().empty()
            ? addInteger(op, indexType, type.getDimSize(*index))
            : addExpr(op.getShape()[*index]);
    return size.value_or(-1);
  };
  parts.layout = op.getLayoutAttr() ? addNode(op, op.getLayoutAttr(), addSize)
                                    : FailureOr(writer.getNone());
  parts.dataAlignment = op.getDataAlignment();
  parts.offsetFactor = op.getOffsetFactor();
  return addBufferNode(op, type, parts);
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
  BufferTypeNode::New parts;
  parts.shape = writer.addArray(
      type.getShape(), [&](int64_t size) { return add(size, "_size"); });
  parts.strides = writer.addArray(
      steps, [&](int64_t size) { return add(size, "_stride"); });
  parts.elemOffset = add(start, "_offset");
  parts.dataAlignment = 64;
  parts.offsetFactor = 1;
  parts.layout = writer.getNone();
  parts.allocatedAddr = writer.getArray({});
  return addBufferNode(op, type, parts);
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
    return EvaluateNode::add(writer, "tirx.Evaluate",
                             {writer.getIntImm("int32", 0)});
  return SeqStmtNode::add(writer, {writer.getArray(stmts)});
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
    stmts.push_back(*EvaluateNode::add(writer, "tirx.Evaluate", {node}));
    return success();
  }
  FailureOr<int64_t> var =
      addVar(op, getVarName(op->getLoc(), "v"), op->getResult(0).getType());
  if (failed(var))
    return failure();
  nodes[op->getResult(0)] = *var;
  stmts.push_back(*BindNode::add(writer, {var, node}));
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
                        addIndices(op, op.getMemref(), op.getIndices()));
      })
      .Case([&](tir::StoreOp op) {
        return addStore(op, op.getValue(), op.getBuffer(),
                        addExprArray(op.getIndices()));
      })
      .Case([&](tir::EvaluateOp op) {
        return EvaluateNode::add(writer, "tirx.Evaluate",
                                 {addExpr(op.getValue())});
      })
      .Case([&](tir::RetOp op) {
        return EvaluateNode::add(writer, "tirx.Return",
                                 {addExpr(op.getValue())});
      })
      .Case(
          [&](tir::BreakOp) { return JumpNode::add(writer, "tirx.Break", {}); })
      .Case([&](tir::ContinueOp) {
        return JumpNode::add(writer, "tirx.Continue", {});
      })
      .Case([&](tir::ScopeIdOp op) { return addScopeId(op); })
      .Case([&](tir::BindOp op) {
        return BindNode::add(writer,
                             {addVar(op.getResult()), addExpr(op.getValue())});
      })
      .Case([&](tir::AllocBufferOp op) {
        return AllocBufferNode::add(
            writer, {addVar(op.getResult()),
                     addAnnotations(op, op.getAnnotationsAttr())});
      })
      .Case([&](tir::DeclBufferOp op) {
        FailureOr<int64_t> data = addExpr(op.getData());
        return DeclBufferNode::add(writer, {addVar(op.getResult()), data});
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
                     map = addAnnotations(op, annotations),
                     body = addBlock(op->getRegion(0).front());
  if (failed(varNode) || failed(map) || failed(body))
    return failure();
  const auto *found = llvm::find(loopKinds, kind);
  if (found == std::end(loopKinds))
    return op->emitError("expected a kind of loop that TVM has, found \"")
           << kind << "\"";
  return ForNode::add(writer,
                      {varNode, min, extent, found - std::begin(loopKinds),
                       body, thread, map, step});
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
    thread = IterVarNode::add(
        writer, {writer.getNone(), threadVar, 1, *op.getThread()});
  }
  return addForNode(op, var, *min, *extent, *step, op.getKind(), *thread,
                    op.getAnnotationsAttr());
}

FailureOr<int64_t> TIRBodyExporter::addIf(scf::IfOp op) {
  return IfThenElseNode::add(
      writer, {addExpr(op.getCondition()), addBlock(*op.thenBlock()),
               op.elseBlock() ? addBlock(*op.elseBlock())
                              : FailureOr(writer.getNone())});
}

FailureOr<int64_t> TIRBodyExporter::addWhile(scf::WhileOp op) {
  if (op.getNumOperands() || op.getNumResults())
    return op.emitError("expected a loop without values that it carries, which "
                        "TVM lacks");
  return WhileNode::add(writer, {addYielded(*op.getBeforeBody(),
                                            op.getConditionOp().getCondition()),
                                 addBlock(*op.getAfterBody())});
}

FailureOr<int64_t> TIRBodyExporter::addStore(Operation *op, Value value,
                                             Value buffer,
                                             FailureOr<int64_t> indices) {
  FailureOr<int64_t> valueNode = addExpr(value);
  return BufferStoreNode::add(writer, {addExpr(buffer), valueNode, indices});
}

FailureOr<int64_t> TIRBodyExporter::addAssert(tir::AssertOp op) {
  return AssertStmtNode::add(
      writer,
      {addExpr(op.getCondition()), addString(op.getKind()),
       writer.addArray(op.getMessage().getAsValueRange<StringAttr>(),
                       [&](StringRef part) { return addString(part); })});
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
    node = IterVarNode::add(
        writer, {domain, var, int64_t(*op.getIterType()), *op.getThread()});
  } else if (Value inner = nodeOfAttr.lookup(op)) {
    node = addExpr(inner);
  }
  return AttrStmtNode::add(writer, {node, op.getKey(), value, addBlock(block)});
}

FailureOr<int64_t> TIRBodyExporter::addBlockAnnotations(
    tir::BlockOp op, const llvm::MapVector<StringRef, Indices> &lists) {
  DictionaryAttr attributes = op.getAnnotationsAttr();
  if (lists.empty())
    return addAnnotations(op, attributes);
  Indices entries;
  if (attributes)
    for (NamedAttribute attribute : attributes) {
      FailureOr<int64_t> value = addNode(op, attribute.getValue());
      if (failed(value))
        return failure();
      entries.append({writer.getString(attribute.getName()), *value});
    }
  for (const auto &[key, buffers] : lists) {
    if (attributes && attributes.contains(key))
      return op.emitError("expected one annotation \"")
             << key << "\", found another one in 'tir.reads'";
    entries.append({writer.getString(key), writer.getArray(buffers)});
  }
  return writer.getMap(entries);
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
  llvm::MapVector<StringRef, Indices> lists;
  for (auto [argument, kind, min, extent] : llvm::zip_equal(
           block.getArguments(), op.getKinds().getAsValueRange<StringAttr>(),
           op.getMins(), op.getExtents())) {
    FailureOr<int64_t> iterVar = IterVarNode::add(
        writer, {addRange(min, extent), addVar(argument),
                 llvm::find(kindNames, kind) - kindNames.begin(), ""});
    if (failed(iterVar))
      return failure();
    iterVars.push_back(*iterVar);
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
              if (ArrayAttr keys = op.getAnnotationsAttr())
                for (StringRef key : keys.getAsValueRange<StringAttr>())
                  if (failed(add(addExpr(op.getBuffer()), lists[key])))
                    return LogicalResult(failure());
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
            .Case([&](tir::MatchBufferOp op) {
              return add(MatchBufferRegionNode::add(
                             writer, {addVar(op.getResult()),
                                      addRegion(op.getSource(), op.getMins(),
                                                op.getExtents())}),
                         matches);
            })
            .Default([](Operation *) { return success(); });
    if (failed(result))
      return failure();
  }
  FailureOr<int64_t> body = addBlock(block),
                     annotations = addBlockAnnotations(op, lists);
  SBlockNode::New parts = {writer.getArray(iterVars),
                           writer.getArray(reads),
                           writer.getArray(writes),
                           op.getBlockName(),
                           writer.getArray(allocs),
                           writer.getArray(matches),
                           annotations,
                           init,
                           body};
  return SBlockRealizeNode::add(
      writer, {values, predicate, SBlockNode::add(writer, parts)});
}
