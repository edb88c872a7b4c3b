//===- Fields.cpp - The fields of one object of TVM's JSON ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fields.h"

#include "TVMNodes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita::tvmjson;

Fields::Fields(NodeTable &table, const Node &node, StringRef type)
    : table(table), node(node) {
  if (failed(table.expect(node, type)))
    return;
  isObject = node.data.isObject();
  if (isObject)
    fields = table.readFields(node.data);
  else
    (void)table.brokenError(node, "expected an object, found " +
                                      node.data.describe());
}

JsonValue Fields::find(StringRef name) {
  known.push_back(name);
  return findField(fields, name);
}

bool Fields::mismatch(StringRef name, StringRef expected, JsonValue found) {
  return table.brokenError(node, "expected field '" + name + "' to be " +
                                     expected + ", found " + found.describe());
}

template <typename T>
bool Fields::read(StringRef name, StringRef expected,
                  std::optional<T> (JsonValue::*get)() const, T &result) {
  JsonValue value = find(name);
  std::optional<T> found = (value.*get)();
  if (!found)
    return mismatch(name, expected, value);
  result = *found;
  return true;
}

bool Fields::integer(StringRef name, int64_t &result) {
  return read(name, "a 64-bit integer", &JsonValue::getInteger, result);
}

bool Fields::boolean(StringRef name, bool &result) {
  return read(name, "true or false", &JsonValue::getBoolean, result);
}

bool Fields::number(StringRef name, double &result) {
  return read(name, "a number", &JsonValue::getNumber, result);
}

bool Fields::text(StringRef name, StringRef &result) {
  JsonValue value = find(name);
  std::optional<StringRef> found = table.readString(value);
  if (!found)
    return mismatch(name, "a string", value);
  result = *found;
  return true;
}

bool Fields::bigInteger(StringRef name, uint64_t &result) {
  Node target;
  return ref(name, target) && succeeded(table.getBigInt(target, result));
}

bool Fields::boxedInteger(StringRef name, int64_t &result) {
  Node target;
  return ref(name, target) && succeeded(table.getInt(target, result));
}

bool Fields::string(StringRef name, StringRef &result) {
  Node target;
  return ref(name, target) && succeeded(table.getString(target, result));
}

bool Fields::ref(StringRef name, Node &result) {
  JsonValue value = find(name);
  if (!value)
    return mismatch(name, "the index of a node", value);
  return succeeded(table.get(node, value, "field '" + name + "'", result));
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

/// The place of an ir.Span.
static bool readSpan(NodeTable &table, const Node &node, Location &loc) {
  SpanNode span;
  StringRef name;
  if (failed(span.read(table, node)) ||
      failed(table.getText(span.sourceName, name)))
    return false;
  for (int64_t position :
       {span.line, span.column, span.endLine, span.endColumn})
    if (position < 0 || position > std::numeric_limits<uint32_t>::max())
      return table.error(node, "expected lines and columns of 32 bits, found " +
                                   Twine(position));
  if (std::tie(span.endLine, span.endColumn) < std::tie(span.line, span.column))
    return table.error(node, "expected a span to end behind its start");
  loc =
      FileLineColRange::get(StringAttr::get(loc.getContext(), name), span.line,
                            span.column, span.endLine, span.endColumn);
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
    // A span made from several spans has the place of the first one.
    SequentialSpanNode sequence;
    if (failed(sequence.read(table, target)))
      return false;
    SmallVector<Location> parts;
    for (const Node &span : sequence.spans) {
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
  // Each known field was found.
  if (fields.size() == known.size())
    return true;
  for (const auto &field : fields)
    if (!llvm::is_contained(known, field.first))
      return table.error(node, "expected fields " + llvm::join(known, ", ") +
                                   ", found " + quote(field.first));
  return true;
}
