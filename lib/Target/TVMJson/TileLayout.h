//===- TileLayout.h - TVM's layouts of buffers ------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_TILELAYOUT_H
#define PARTITA_LIB_TARGET_TVMJSON_TILELAYOUT_H

#include "NodeWriter.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita::tvmjson {

class NodeTable;
struct Node;

/// The attribute of a tirx.TileLayout; null, without an error, for another node
/// and for one with replicas, an offset, or numbers that are no constants of
/// one type.
partita::tir::TileLayoutAttr getTileLayout(NodeTable &table, const Node &node);

mlir::FailureOr<int64_t> addTileLayout(NodeWriter &writer,
                                       partita::tir::TileLayoutAttr layout);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_TILELAYOUT_H
