//===- TIRBlockImporter.cpp - Buffers and blocks of prim_funcs ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TIRBodyImporter.h"
#include "TileLayout.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult TIRBodyImporter::readBuffer(const Node &node, Buffer &result) {
  BufferTypeNode fields;
  if (failed(fields.read(table, node)))
    return failure();
  ArrayRef<Node> shape = fields.shape, strides = fields.strides,
                 offset = fields.elemOffset;
  Type element = getType(fields.dtype);
  if (!element)
    return failure();
  if (!MemRefType::isValidElementType(element) ||
      (!strides.empty() && strides.size() != shape.size()))
    return table.error(node, "expected a buffer that a memref can be");

  // A variable that nothing else sets is this buffer's size, stride or offset.
  for (ArrayRef<Node> nodes : {shape, strides, offset})
    for (const Node &part : nodes)
      if (part.type == "ir.Var" && !valueOfVar.contains(part.index) &&
          failed(declareVar(part)))
        return failure();

  // A number that is not negative, its type, or kDynamic.
  auto read = [&](const Node &part, Type &type) {
    int64_t value = 0;
    IntegerAttr number =
        part.type == "ir.IntImm" ? readInteger(part, value) : IntegerAttr();
    if (number)
      type = number.getType();
    return number && value >= 0 ? value : ShapedType::kDynamic;
  };
  Type indexType = builder.getI32Type(), type;
  int64_t start = read(fields.elemOffset, type);
  bool isAtStart = start == 0 && type;
  if (isAtStart)
    indexType = type;
  bool hasSizes = true;
  SmallVector<int64_t> sizes, steps;
  for (const Node &part : shape) {
    Type sizeType;
    sizes.push_back(read(part, sizeType));
    if (!isAtStart && sizes.size() == 1 && sizeType)
      indexType = sizeType;
    hasSizes &= ShapedType::isStatic(sizes.back()) && sizeType == indexType;
  }
  for (const Node &part : strides)
    steps.push_back(read(part, type));
  result.type =
      tir::getBufferType(element, sizes, steps, start, fields.storageScope);

  if ((!hasSizes && failed(getExprs(shape, result.shape))) ||
      failed(getExprs(strides, result.strides)) ||
      (!isAtStart && failed(getExprs(offset, result.offset))) ||
      failed(getExprs(fields.allocatedAddr, result.addresses)))
    return failure();
  auto add = [&](StringRef name, Attribute value) {
    result.attributes.push_back(builder.getNamedAttr(name, value));
  };
  if (indexType != builder.getI32Type())
    add("index_type", TypeAttr::get(indexType));
  if (fields.dataAlignment != 64)
    add("data_alignment", builder.getI64IntegerAttr(fields.dataAlignment));
  if (fields.offsetFactor != 1)
    add("offset_factor", builder.getI64IntegerAttr(fields.offsetFactor));
  if (!fields.layout.isNone()) {
    Attribute attribute = getTileLayout(table, fields.layout);
    if (!attribute)
      attribute = getNodeAttribute(fields.layout, shape);
    if (!attribute)
      return failure();
    add("layout", attribute);
  }
  result.isDefault = hasSizes && isAtStart && strides.empty() &&
                     fields.allocatedAddr.empty() && result.attributes.empty();
  return success();
}

void TIRBodyImporter::setBuffer(const Buffer &buffer, OperationState &state,
                                SmallVector<int32_t> segments) {
  for (ArrayRef<Value> values :
       {ArrayRef(buffer.shape), ArrayRef(buffer.strides),
        ArrayRef(buffer.offset), ArrayRef(buffer.addresses)}) {
    state.addOperands(values);
    segments.push_back(values.size());
  }
  state.addAttributes(buffer.attributes);
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(segments));
}

LogicalResult
TIRBodyImporter::createBuffer(StringRef name, const Node &node, Location span,
                              ValueRange operands, ArrayRef<int32_t> segments,
                              ArrayRef<NamedAttribute> attributes) {
  Var var;
  Buffer buffer;
  if (failed(readVar(node, var)))
    return failure();
  if (var.buffer.index < 0)
    return table.error(node, "expected a buffer");
  if (failed(readBuffer(var.buffer, buffer)))
    return failure();
  OperationState state(getNamed(var.name, span), name, operands, buffer.type,
                       attributes);
  setBuffer(buffer, state, SmallVector<int32_t>(segments));
  return bind(node, builder.create(state)->getResult(0));
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const DeclBufferNode &decl) {
  Value value = getExpr(decl.data);
  return success(value && succeeded(createBuffer("tir.decl_buffer", decl.buffer,
                                                 loc, value, {1}, {})));
}

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const AllocBufferNode &alloc) {
  SmallVector<NamedAttribute> annotations, attributes;
  if (failed(getAnnotations(alloc.annotations, annotations)))
    return failure();
  if (!annotations.empty())
    attributes.push_back(builder.getNamedAttr(
        "annotations", builder.getDictionaryAttr(annotations)));
  return createBuffer("tir.alloc_buffer", alloc.buffer, loc, {}, {},
                      attributes);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult TIRBodyImporter::importStmt(const Node &node,
                                          const SBlockRealizeNode &realize) {
  SBlockNode block;
  SmallVector<NamedAttribute> annotations;
  if (failed(block.read(table, realize.block, &loc)))
    return failure();
  BufferLists lists = takeBufferLists(block.reads, block.annotations);
  if (failed(getAnnotations(block.annotations, annotations)))
    return failure();

  SmallVector<Value> bindings, mins, extents;
  if (failed(getExprs(realize.iterValues, bindings)))
    return failure();
  OperationState state(loc, "tir.block");
  Block &region = state.addRegion()->emplaceBlock();
  SmallVector<Attribute> kinds;
  SmallVector<Node> vars;
  ArrayRef<StringRef> kindNames = tir::BlockOp::getIteratorKinds();
  for (const Node &iterNode : block.iterVars) {
    IterVarNode iterVar;
    Var var;
    if (failed(iterVar.read(table, iterNode)) ||
        failed(readVar(iterVar.var, var)) ||
        failed(
            getRange(iterVar.dom, mins.emplace_back(), extents.emplace_back())))
      return failure();
    if (!iterVar.threadTag.empty() || iterVar.iterType < 0 ||
        iterVar.iterType >= static_cast<int64_t>(kindNames.size()) || !var.type)
      return table.error(iterNode, "expected an iterator of a kind that is "
                                   "known, without a thread");
    kinds.push_back(builder.getStringAttr(kindNames[iterVar.iterType]));
    region.addArgument(var.type, getNamed(var.name, loc));
    vars.push_back(iterVar.var);
  }
  Value predicate = getExpr(realize.predicate);
  if (!predicate)
    return failure();
  for (ValueRange operands : {ValueRange(bindings), ValueRange(mins),
                              ValueRange(extents), ValueRange(predicate)})
    state.addOperands(operands);
  auto count = [](ArrayRef<Value> list) {
    return static_cast<int32_t>(list.size());
  };
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(
                         {count(bindings), count(mins), count(extents), 1}));
  state.addAttribute("block_name", builder.getStringAttr(block.nameHint));
  state.addAttribute("kinds", builder.getArrayAttr(kinds));
  if (!annotations.empty())
    state.addAttribute("annotations", builder.getDictionaryAttr(annotations));
  builder.create(state);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&region);
  for (auto [var, argument] : llvm::zip_equal(vars, region.getArguments()))
    if (failed(bind(var, argument)))
      return failure();
  for (const Node &alloc : block.allocBuffers)
    if (failed(createBuffer("tir.block_buffer", alloc, loc, {}, {}, {})))
      return failure();
  for (const Node &matchNode : block.matchBuffers) {
    MatchBufferRegionNode match;
    Value buffer;
    SmallVector<Value> operands, sizes;
    if (failed(match.read(table, matchNode)) ||
        failed(getRegion(match.source, buffer, operands, sizes)))
      return failure();
    auto rank = static_cast<int32_t>(sizes.size());
    operands.insert(operands.begin(), buffer);
    operands.append(sizes);
    if (failed(createBuffer("tir.match_buffer", match.buffer, loc, operands,
                            {1, rank, rank}, {})))
      return failure();
  }
  if (failed(importAccesses("tir.reads", block.reads, lists)) ||
      failed(importAccesses("tir.writes", block.writes, BufferLists())))
    return failure();
  if (!block.init.isNone()) {
    auto op = tir::InitOp::create(builder, loc);
    OpBuilder::InsertionGuard initGuard(builder);
    builder.createBlock(&op.getBody());
    if (failed(importBlock(block.init)))
      return failure();
    tir::YieldOp::create(builder, builder.getUnknownLoc());
  }
  if (failed(importBlock(block.body)))
    return failure();
  tir::YieldOp::create(builder, builder.getUnknownLoc());
  return success();
}

TIRBodyImporter::BufferLists TIRBodyImporter::takeBufferLists(
    ArrayRef<Node> regions, SmallVectorImpl<std::pair<Node, Node>> &entries) {
  BufferLists lists;
  if (entries.empty())
    return lists;
  llvm::DenseSet<int64_t> sources;
  Attempt attempt(table);
  for (const Node &node : regions) {
    TensorRegionNode region;
    if (succeeded(region.read(table, node)))
      sources.insert(region.source.index);
  }
  llvm::erase_if(entries, [&](const std::pair<Node, Node> &entry) {
    StringRef key;
    SmallVector<Node> buffers;
    if (entry.second.type != "ffi.Array" ||
        failed(table.getString(entry.first, key)) ||
        failed(table.getArray(entry.second, buffers)) || buffers.empty() ||
        !llvm::all_of(buffers, [&](const Node &buffer) {
          return buffer.type == "ir.Var" && sources.contains(buffer.index);
        }))
      return false;
    for (const Node &buffer : buffers)
      lists[buffer.index].push_back(builder.getStringAttr(key));
    return true;
  });
  attempt.accept();
  return lists;
}

LogicalResult TIRBodyImporter::importAccesses(StringRef name,
                                              ArrayRef<Node> regions,
                                              const BufferLists &lists) {
  for (const Node &region : regions) {
    Value buffer;
    SmallVector<Value> mins, extents;
    if (failed(getRegion(region, buffer, mins, extents)))
      return failure();
    OperationState state(loc, name);
    state.addOperands(buffer);
    state.addOperands(mins);
    state.addOperands(extents);
    auto rank = static_cast<int32_t>(mins.size());
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr({1, rank, rank}));
    if (!lists.empty()) {
      TensorRegionNode fields;
      if (failed(fields.read(table, region)))
        return failure();
      SmallVector<Attribute> keys = lists.lookup(fields.source.index);
      if (!keys.empty())
        state.addAttribute("annotations", builder.getArrayAttr(keys));
    }
    builder.create(state);
  }
  return success();
}
