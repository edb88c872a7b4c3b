//===- TIRAttributeImporter.cpp - Attributes of TIR's nodes ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TIRBodyImporter.h"

#include "AttributeImporter.h"
#include "Fields.h"
#include "Subgraph.h"
#include "TypeImporter.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

/// Whether addAttribute makes the same node from getAttribute's result.
static bool isExact(NodeTable &table, const Node &node) {
  NestingScope nested(table, node);
  if (!nested)
    return false;
  if (node.type == "ffi.Array") {
    SmallVector<Node> elements;
    return succeeded(table.getArray(node, elements)) &&
           llvm::all_of(elements, [&](const Node &element) {
             return isExact(table, element);
           });
  }
  if (node.type == "ffi.Map") {
    SmallVector<std::pair<Node, Node>> entries;
    return succeeded(table.getMap(node, entries)) &&
           llvm::all_of(entries, [&](const auto &entry) {
             return entry.first.type == "ffi.String" &&
                    isExact(table, entry.second);
           });
  }
  if (node.type == "ir.IntImm") {
    // An attribute of one of these types is a plain number.
    JsonValue index = table.getField(node, "ty");
    Node typeNode;
    if (!index || failed(table.get(node, index, "field 'ty'", typeNode)))
      return false;
    Type type = getScalarType(table, typeNode);
    return type && !type.isSignlessInteger(1) && !type.isSignlessInteger(64);
  }
  return node.isNone() || node.type == "bool" || node.type == "int" ||
         node.type == "float" || node.type == "ffi.String" ||
         node.type == "DataType";
}

tir::NodeAttr TIRBodyImporter::getNodeAttribute(const Node &node,
                                                ArrayRef<Node> sizes) {
  llvm::DenseSet<int64_t> vars;
  std::string json;
  llvm::DenseMap<int64_t, size_t> sizeOfNode;
  for (auto [index, size] : llvm::enumerate(sizes))
    sizeOfNode.try_emplace(size.index, index);
  auto substitute = [&](const Node &part, Placeholder &placeholder) {
    auto size = sizeOfNode.find(part.index);
    if (size != sizeOfNode.end() && part.type != "ir.IntImm") {
      placeholder = {"size", std::to_string(size->second)};
      return success();
    }
    if (part.type == "ir.GlobalVar" ||
        (part.type == "ir.Var" &&
         (valueOfVar.contains(part.index) || keptVars.contains(part.index))))
      return LogicalResult(table.error(
          part, "expected a constant, found one that mentions a variable"));
    if (part.type == "ir.Var")
      vars.insert(part.index);
    return success();
  };
  if (failed(writeSubgraph(table, node, substitute, json)))
    return {};
  keptVars.insert(vars.begin(), vars.end());
  return tir::NodeAttr::get(builder.getContext(), json);
}

Attribute TIRBodyImporter::getExactAttribute(const Node &node) {
  {
    Attempt attempt(table);
    if (isExact(table, node))
      if (Attribute attribute = getAttribute(table, node)) {
        attempt.accept();
        return attribute;
      }
  }
  return getNodeAttribute(node);
}

LogicalResult
TIRBodyImporter::getAnnotations(ArrayRef<std::pair<Node, Node>> entries,
                                SmallVectorImpl<NamedAttribute> &result) {
  NamedAttrList list;
  for (const auto &[key, value] : entries) {
    StringRef name;
    if (failed(table.getString(key, name)))
      return failure();
    Attribute attribute = getExactAttribute(value);
    if (!attribute)
      return failure();
    if (name.empty() || list.set(name, attribute))
      return table.error(key, "expected keys that are different and not empty, "
                              "found " +
                                  quote(name));
  }
  llvm::append_range(result, list);
  return success();
}
