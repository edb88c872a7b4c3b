//===- Fields.cpp - The fields of one object of TVM's JSON ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fields.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita::tvmjson;

namespace json = llvm::json;

Fields::Fields(NodeTable &table, const Node &node, StringRef type)
    : table(table), node(node) {
  if (failed(table.expect(node, type)))
    return;
  object = node.data->getAsObject();
  if (!object)
    (void)table.error(node, "expected an object, found " + describe(node.data));
}

const json::Value *Fields::find(StringRef name) {
  known.push_back(name);
  return object->get(name);
}

bool Fields::mismatch(StringRef name, StringRef expected,
                      const json::Value *found) {
  (void)table.error(node, "expected field '" + name + "' to be " + expected +
                              ", found " + describe(found));
  return false;
}

bool Fields::integer(StringRef name, int64_t &result) {
  const json::Value *value = find(name);
  std::optional<int64_t> number = value ? value->getAsInteger() : std::nullopt;
  if (!number)
    return mismatch(name, "a 64-bit integer", value);
  result = *number;
  return true;
}

bool Fields::boolean(StringRef name, bool &result) {
  const json::Value *value = find(name);
  std::optional<bool> boolean = value ? value->getAsBoolean() : std::nullopt;
  if (!boolean)
    return mismatch(name, "true or false", value);
  result = *boolean;
  return true;
}

bool Fields::number(StringRef name, double &result) {
  const json::Value *value = find(name);
  std::optional<double> number = value ? value->getAsNumber() : std::nullopt;
  if (!number)
    return mismatch(name, "a number", value);
  result = *number;
  return true;
}

bool Fields::text(StringRef name, StringRef &result) {
  const json::Value *value = find(name);
  std::optional<StringRef> text = value ? value->getAsString() : std::nullopt;
  if (!text)
    return mismatch(name, "a string", value);
  result = *text;
  return true;
}

bool Fields::string(StringRef name, StringRef &result) {
  Node target;
  return ref(name, target) && succeeded(table.getString(target, result));
}

bool Fields::ref(StringRef name, Node &result) {
  const json::Value *value = find(name);
  if (!value)
    return mismatch(name, "the index of a node", value);
  return succeeded(table.get(node, *value, "field '" + name + "'", result));
}

bool Fields::ref(StringRef name, StringRef type, Node &result) {
  return ref(name, result) && succeeded(table.expect(result, type));
}

bool Fields::array(StringRef name, SmallVectorImpl<Node> &elements) {
  Node target;
  return ref(name, target) && succeeded(table.getArray(target, elements));
}

bool Fields::map(StringRef name,
                 SmallVectorImpl<std::pair<Node, Node>> &entries) {
  Node target;
  return ref(name, target) && succeeded(table.getMap(target, entries));
}

bool Fields::none(StringRef name) {
  Node target;
  if (!ref(name, target))
    return false;
  if (target.isNone())
    return true;
  (void)table.error(node, "expected field '" + name + "' to be None, found " +
                              target.type + ", which cannot be imported");
  return false;
}

/// The place that an ir.Span names.
static bool readSpan(NodeTable &table, const Node &node, Location &loc) {
  Node source;
  int64_t line = 0, column = 0, endLine = 0, endColumn = 0;
  Fields fields(table, node, "ir.Span");
  if (!(fields && fields.ref("source_name", "ir.SourceName", source) &&
        fields.integer("line", line) && fields.integer("column", column) &&
        fields.integer("end_line", endLine) &&
        fields.integer("end_column", endColumn) && fields.done()))
    return false;
  std::optional<StringRef> name = source.data->getAsString();
  if (!name) {
    (void)table.error(source,
                      "expected a string, found " + describe(source.data));
    return false;
  }
  for (int64_t position : {line, column, endLine, endColumn})
    if (position < 0 || position > std::numeric_limits<uint32_t>::max()) {
      (void)table.error(node, "expected lines and columns of 32 bits, found " +
                                  Twine(position));
      return false;
    }
  if (std::tie(endLine, endColumn) < std::tie(line, column)) {
    (void)table.error(node, "expected a span to end behind its start");
    return false;
  }
  loc = FileLineColRange::get(StringAttr::get(loc.getContext(), *name), line,
                              column, endLine, endColumn);
  return true;
}

bool Fields::span(Location *loc) {
  Node target;
  if (!ref("span", target))
    return false;
  if (target.isNone())
    return true;
  Location read = UnknownLoc::get(table.getLoc().getContext());
  if (target.type != "ir.SequentialSpan") {
    if (!readSpan(table, target, read))
      return false;
  } else {
    // The span of several: its own place is the first of theirs.
    Node source;
    int64_t line = 0, column = 0, endLine = 0, endColumn = 0;
    SmallVector<Node> spans;
    Fields fields(table, target, "ir.SequentialSpan");
    if (!(fields && fields.ref("source_name", source) &&
          fields.integer("line", line) && fields.integer("column", column) &&
          fields.integer("end_line", endLine) &&
          fields.integer("end_column", endColumn) &&
          fields.array("spans", spans) && fields.done()))
      return false;
    SmallVector<Location> parts;
    for (const Node &span : spans) {
      parts.push_back(read);
      if (!readSpan(table, span, parts.back()))
        return false;
    }
    read = FusedLoc::get(read.getContext(), parts);
  }
  if (loc)
    *loc = read;
  return true;
}

bool Fields::done() {
  for (const auto &field : *object)
    if (!llvm::is_contained(known, StringRef(field.first))) {
      (void)table.error(node, "expected fields " + llvm::join(known, ", ") +
                                  ", found " + quote(field.first));
      return false;
    }
  return true;
}
