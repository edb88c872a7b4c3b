//===- TIRBlockImporter.cpp - Buffers and blocks of prim_funcs ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TIRBodyImporter.h"

#include "Fields.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult TIRBodyImporter::readBuffer(const Node &node, Buffer &result) {
  Node dtype, offset, layout;
  StringRef scope;
  SmallVector<Node> shape, strides, addresses;
  int64_t alignment = 0, factor = 0;
  Fields fields(table, node, "tirx.BufferType");
  if (!(fields && fields.span() && fields.ref("dtype", dtype) &&
        fields.string("storage_scope", scope) && fields.array("shape", shape) &&
        fields.array("strides", strides) && fields.ref("elem_offset", offset) &&
        fields.integer("data_alignment", alignment) &&
        fields.integer("offset_factor", factor) &&
        fields.ref("layout", layout) &&
        fields.array("allocated_addr", addresses) && fields.done()))
    return failure();
  Type element = getType(dtype);
  if (!element)
    return failure();
  if (!MemRefType::isValidElementType(element) ||
      (!strides.empty() && strides.size() != shape.size()))
    return table.error(node, "expected a buffer that a memref can be");

  // A variable that nothing else sets is this buffer's size, stride or offset.
  for (ArrayRef<Node> nodes :
       {ArrayRef(shape), ArrayRef(strides), ArrayRef(offset)})
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
  int64_t start = read(offset, type);
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
  result.type = tir::getBufferType(element, sizes, steps, start, scope);

  if ((!hasSizes && failed(getExprs(shape, result.shape))) ||
      failed(getExprs(strides, result.strides)) ||
      (!isAtStart && failed(getExprs(offset, result.offset))) ||
      failed(getExprs(addresses, result.addresses)))
    return failure();
  auto add = [&](StringRef name, Attribute value) {
    result.attributes.push_back(builder.getNamedAttr(name, value));
  };
  if (indexType != builder.getI32Type())
    add("index_type", TypeAttr::get(indexType));
  if (alignment != 64)
    add("data_alignment", builder.getI64IntegerAttr(alignment));
  if (factor != 1)
    add("offset_factor", builder.getI64IntegerAttr(factor));
  if (!layout.isNone()) {
    tir::NodeAttr attribute = getNodeAttribute(layout);
    if (!attribute)
      return failure();
    add("layout", attribute);
  }
  result.isDefault = hasSizes && isAtStart && strides.empty() &&
                     addresses.empty() && result.attributes.empty();
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

LogicalResult TIRBodyImporter::importBuffer(const Node &node) {
  Node var, data;
  SmallVector<std::pair<Node, Node>> entries;
  SmallVector<NamedAttribute> annotations;
  bool isDecl = node.type == "tirx.DeclBuffer";
  Fields fields(table, node, node.type);
  if (!(fields && fields.span(&loc) && fields.ref("buffer", var) &&
        (isDecl ? fields.ref("data", data)
                : fields.map("annotations", entries)) &&
        fields.done()) ||
      failed(getAnnotations(entries, annotations)))
    return failure();
  if (isDecl) {
    Value value = getExpr(data);
    return success(value && succeeded(createBuffer("tir.decl_buffer", var, loc,
                                                   value, {1}, {})));
  }
  SmallVector<NamedAttribute> attributes;
  if (!annotations.empty())
    attributes.push_back(builder.getNamedAttr(
        "annotations", builder.getDictionaryAttr(annotations)));
  return createBuffer("tir.alloc_buffer", var, loc, {}, {}, attributes);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult TIRBodyImporter::importSBlock(const Node &node) {
  Node predicateNode, blockNode, init, body;
  StringRef name;
  SmallVector<Node> values, iterVars, reads, writes, allocs, matches;
  SmallVector<std::pair<Node, Node>> entries;
  SmallVector<NamedAttribute> annotations;
  Fields fields(table, node, "s_tir.SBlockRealize");
  if (!(fields && fields.span(&loc) && fields.array("iter_values", values) &&
        fields.ref("predicate", predicateNode) &&
        fields.ref("block", blockNode) && fields.done()))
    return failure();
  Fields block(table, blockNode, "s_tir.SBlock");
  if (!(block && block.span(&loc) && block.array("iter_vars", iterVars) &&
        block.array("reads", reads) && block.array("writes", writes) &&
        block.string("name_hint", name) &&
        block.array("alloc_buffers", allocs) &&
        block.array("match_buffers", matches) &&
        block.map("annotations", entries) && block.ref("init", init) &&
        block.ref("body", body) && block.done()) ||
      failed(getAnnotations(entries, annotations)))
    return failure();

  SmallVector<Value> bindings, mins, extents;
  if (failed(getExprs(values, bindings)))
    return failure();
  OperationState state(loc, "tir.block");
  Block &region = state.addRegion()->emplaceBlock();
  SmallVector<Attribute> kinds;
  SmallVector<Node> vars;
  ArrayRef<StringRef> kindNames = tir::BlockOp::getIteratorKinds();
  for (const Node &iterNode : iterVars) {
    IterVar iterVar;
    Var var;
    if (failed(readIterVar(iterNode, iterVar)) ||
        failed(readVar(iterVar.var, var)) ||
        failed(getRange(iterVar.domain, mins.emplace_back(),
                        extents.emplace_back())))
      return failure();
    if (!iterVar.tag.empty() || iterVar.type < 0 ||
        iterVar.type >= static_cast<int64_t>(kindNames.size()) || !var.type)
      return table.error(iterNode, "expected an iterator of a kind that is "
                                   "known, without a thread");
    kinds.push_back(builder.getStringAttr(kindNames[iterVar.type]));
    region.addArgument(var.type, getNamed(var.name, loc));
    vars.push_back(iterVar.var);
  }
  Value predicate = getExpr(predicateNode);
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
  state.addAttribute("block_name", builder.getStringAttr(name));
  state.addAttribute("kinds", builder.getArrayAttr(kinds));
  if (!annotations.empty())
    state.addAttribute("annotations", builder.getDictionaryAttr(annotations));
  builder.create(state);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&region);
  for (auto [var, argument] : llvm::zip_equal(vars, region.getArguments()))
    if (failed(bind(var, argument)))
      return failure();
  for (const Node &alloc : allocs)
    if (failed(createBuffer("tir.block_buffer", alloc, loc, {}, {}, {})))
      return failure();
  for (const Node &match : matches) {
    Node var, source;
    Value buffer;
    SmallVector<Value> operands, sizes;
    Fields matchFields(table, match, "s_tir.MatchBufferRegion");
    if (!(matchFields && matchFields.ref("buffer", var) &&
          matchFields.ref("source", source) && matchFields.done()) ||
        failed(getRegion(source, buffer, operands, sizes)))
      return failure();
    auto rank = static_cast<int32_t>(sizes.size());
    operands.insert(operands.begin(), buffer);
    operands.append(sizes);
    if (failed(createBuffer("tir.match_buffer", var, loc, operands,
                            {1, rank, rank}, {})))
      return failure();
  }
  if (failed(importAccesses("tir.reads", reads)) ||
      failed(importAccesses("tir.writes", writes)))
    return failure();
  if (!init.isNone()) {
    auto op = tir::InitOp::create(builder, loc);
    OpBuilder::InsertionGuard initGuard(builder);
    builder.createBlock(&op.getBody());
    if (failed(importBlock(init)))
      return failure();
    tir::YieldOp::create(builder, builder.getUnknownLoc());
  }
  if (failed(importBlock(body)))
    return failure();
  tir::YieldOp::create(builder, builder.getUnknownLoc());
  return success();
}

LogicalResult TIRBodyImporter::importAccesses(StringRef name,
                                              ArrayRef<Node> regions) {
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
    builder.create(state);
  }
  return success();
}
