//===- TVMNodes.h - The nodes of TVM's JSON ---------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVMNodes.td says which nodes there are, and how their structs are used.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_TVMNODES_H
#define PARTITA_LIB_TARGET_TVMJSON_TVMNODES_H

#include "NodeTable.h"
#include "NodeWriter.h"

namespace partita::tvmjson {

#include "TVMNodes.h.inc"

/// prim.*, whose fields but `ty` are expressions: tir::getPrimFields has their
/// names.
struct PrimNode {
  llvm::StringRef kind;
  Node ty;
  llvm::SmallVector<Node, 3> operands;

  llvm::LogicalResult read(NodeTable &table, const Node &node);

  static mlir::FailureOr<int64_t> add(NodeWriter &writer, llvm::StringRef kind,
                                      mlir::FailureOr<int64_t> ty,
                                      llvm::ArrayRef<int64_t> operands);
};

/// Reads `node` as the first of `NodeTs` that it is, and returns what `import`
/// makes of that; nothing if it is none.
template <typename ResultT, typename... NodeTs, typename Import>
std::optional<ResultT> readAny(NodeTable &table, const Node &node,
                               mlir::Location *span, Import import) {
  std::optional<ResultT> result;
  auto readAs = [&](auto *kind) {
    std::remove_pointer_t<decltype(kind)> fields;
    result = succeeded(fields.read(table, node, span)) ? ResultT(import(fields))
                                                       : ResultT(Failure());
    return true;
  };
  (void)((NodeTs::is(node.type) && readAs(static_cast<NodeTs *>(nullptr))) ||
         ...);
  return result;
}

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_TVMNODES_H
