//===- Subgraph.h - A part of TVM's JSON kept as it is ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes that the dialects lack are kept as text: a table of nodes of its own,
//
//   {"root_index": 2, "nodes": [..]}
//
// in which a node that stands for something outside has a type of ours:
// {"type": "operand", "data": 0}. The descriptions of relax.opaque_expr and
// tir.opaque_body list them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_SUBGRAPH_H
#define PARTITA_LIB_TARGET_TVMJSON_SUBGRAPH_H

#include "NodeTable.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace partita::tvmjson {

/// Whether an integer in this field is a number, and not a reference: TVM's
/// JSON does not tell the two apart. Floats have a point in it.
bool isInlineInteger(llvm::StringRef type, llvm::StringRef field);

/// Whether `value` is a reference to a node, as the value of an object's
/// `field`.
bool isReference(llvm::StringRef type, llvm::StringRef field, JsonValue value);

/// The placeholder for a node from outside: its type and the text of its data;
/// no type if the node is part of the graph.
struct Placeholder {
  llvm::StringRef type;
  std::string data;
};

/// The text of a node's data with other references, which `getIndex` gives;
/// nothing if it gives none.
std::optional<std::string>
renumber(llvm::StringRef type, JsonValue data,
         llvm::function_ref<std::optional<int64_t>(uint64_t index)> getIndex);

/// Writes `root` and all that it refers to to `json`.
llvm::LogicalResult
writeSubgraph(NodeTable &table, const Node &root,
              llvm::function_ref<llvm::LogicalResult(const Node &node,
                                                     Placeholder &result)>
                  substitute,
              std::string &json);

/// The text as a resource whose name begins with `name`.
mlir::ElementsAttr getBytes(mlir::MLIRContext *context, llvm::StringRef name,
                            llvm::StringRef json);
/// The text that `bytes` are, in a resource or not.
llvm::StringRef getText(mlir::ElementsAttr bytes);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_SUBGRAPH_H
