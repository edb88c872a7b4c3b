//===- TileLayout.cpp - TVM's layouts of buffers --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLayout.h"
#include "TVMNodes.h"
#include "TypeImporter.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partita::tvmjson;
using partita::tir::TileLayoutAttr;

TileLayoutAttr partita::tvmjson::getTileLayout(NodeTable &table,
                                               const Node &node) {
  Attempt attempt(table);
  TileLayoutNode layout;
  if (!TileLayoutNode::is(node.type) || failed(layout.read(table, node)) ||
      !layout.replica.empty() || !layout.offset.empty())
    return {};
  Type type;
  SmallVector<int64_t> extents, strides;
  SmallVector<StringAttr> axes;
  auto read = [&](const Node &number, SmallVectorImpl<int64_t> &list) {
    IntImmNode fields;
    if (failed(fields.read(table, number)))
      return failure();
    Type found = getScalarType(table, fields.ty);
    if (!type)
      type = found;
    list.push_back(fields.value);
    return success(found && found == type);
  };
  for (const Node &node : layout.shard) {
    IterNode iterator;
    StringRef axis;
    if (failed(iterator.read(table, node)) ||
        failed(read(iterator.extent, extents)) ||
        failed(read(iterator.stride, strides)) ||
        failed(table.getText(iterator.axis, axis)))
      return {};
    axes.push_back(StringAttr::get(table.getLoc().getContext(), axis));
  }
  return type ? TileLayoutAttr::get(type.getContext(), type, extents, strides,
                                    axes)
              : TileLayoutAttr();
}

FailureOr<int64_t> partita::tvmjson::addTileLayout(NodeWriter &writer,
                                                   TileLayoutAttr layout) {
  StringRef dtype = getDTypeName(layout.getType());
  if (dtype.empty())
    return failure();
  SmallVector<int64_t> shard;
  for (auto [extent, stride, axis] : llvm::zip_equal(
           layout.getExtents(), layout.getStrides(), layout.getAxes())) {
    FailureOr<int64_t> iterator =
        IterNode::add(writer, {writer.getIntImm(dtype, extent),
                               writer.getIntImm(dtype, stride),
                               writer.add("tirx.Axis", axis.getValue())});
    if (failed(iterator))
      return failure();
    shard.push_back(*iterator);
  }
  return TileLayoutNode::add(
      writer, {writer.getArray(shard), writer.getArray({}), writer.getMap({})});
}
