//===- NodeTable.cpp - TVM's JSON object graph, checked -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeTable.h"

#include "Fields.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita::tvmjson;

namespace json = llvm::json;

/// llvm::json::parse recurses on nesting. TVM's tables need 5 levels.
static constexpr unsigned maxNesting = 64;

/// Types and attributes nest, and MLIR's printer recurses on both.
static constexpr unsigned maxTypeNesting = 32;

/// How many nodes may be read for each byte of the file: by sharing nodes of
/// shared nodes, a small file could describe an exponentially large module.
/// Real modules need less than one.
static constexpr uint64_t maxReadsPerByte = 4;

/// The release whose field types this reader knows.
static constexpr llvm::StringLiteral supportedVersion = "0.27";

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string partita::tvmjson::quote(StringRef text) {
  constexpr size_t limit = 40;
  std::string result;
  llvm::raw_string_ostream os(result);
  os << "'";
  llvm::printEscapedString(text.take_front(limit), os);
  os << (text.size() > limit ? "...'" : "'");
  return result;
}

std::string partita::tvmjson::describe(const json::Value *value) {
  if (!value)
    return "nothing";
  if (std::optional<bool> boolean = value->getAsBoolean())
    return *boolean ? "true" : "false";
  if (std::optional<StringRef> text = value->getAsString())
    return "string " + quote(*text);
  if (value->getAsArray())
    return "an array";
  if (value->getAsObject())
    return "an object";
  if (value->getAsNull())
    return "null";
  std::string result;
  llvm::raw_string_ostream(result) << "number " << *value;
  return result;
}

/// The position of the first bracket that is nested too deeply, or npos.
static size_t findDeepNesting(StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
      continue;
    }
    if (c == '"')
      inString = true;
    else if ((c == '[' || c == '{') && ++depth > maxNesting)
      return i;
    else if ((c == ']' || c == '}') && depth)
      --depth;
  }
  return StringRef::npos;
}

//===----------------------------------------------------------------------===//
// NodeTable
//===----------------------------------------------------------------------===//

LogicalResult NodeTable::parse(StringRef text) {
  size_t deep = findDeepNesting(text);
  if (deep != StringRef::npos)
    return error("expected JSON nested at most " + Twine(maxNesting) +
                 " deep, found more at byte " + Twine(deep));

  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return error("expected JSON: " + llvm::toString(parsed.takeError()));
  root = std::move(*parsed);

  const json::Object *object = root.getAsObject();
  if (!object)
    return error("expected a JSON object with 'root_index', 'nodes' and "
                 "'metadata', found " +
                 describe(&root));
  if (failed(checkHeader(*object)))
    return failure();

  const json::Array *array = object->getArray("nodes");
  nodes.reserve(array->size());
  for (auto [index, value] : llvm::enumerate(*array)) {
    Node node{static_cast<int64_t>(index), "?", nullptr};
    const json::Object *entry = value.getAsObject();
    if (!entry)
      return error(node, "expected an object with 'type' and 'data', found " +
                             describe(&value));
    std::optional<StringRef> type = entry->getString("type");
    if (!type)
      return error(node, "expected field 'type' to be a string, found " +
                             describe(entry->get("type")));
    node.type = *type;
    node.data = entry->get("data");
    if (!node.data && !node.isNone())
      return error(node, "expected field 'data', found none");
    for (const auto &field : *entry)
      if (field.first != "type" && field.first != "data")
        return error(node, "expected only fields 'type' and 'data', found " +
                               quote(field.first));
    nodes.push_back(node);
  }

  std::optional<int64_t> index = object->getInteger("root_index");
  if (!index || *index < 0 || *index >= static_cast<int64_t>(nodes.size()))
    return error("expected 'root_index' to be one of the " +
                 Twine(nodes.size()) + " nodes, found " +
                 describe(object->get("root_index")));
  rootIndex = *index;
  maxReadCount = maxReadsPerByte * text.size();
  read.resize(nodes.size());
  read.set(rootIndex);
  return success();
}

LogicalResult NodeTable::checkHeader(const json::Object &object) {
  if (object.get("b64ndarrays") || object.get("root"))
    return error("expected the JSON of TVM " + supportedVersion +
                 ", found the format of an older release: load it there and "
                 "save it again");
  for (const auto &field : object)
    if (field.first != "root_index" && field.first != "nodes" &&
        field.first != "metadata")
      return error("expected only fields 'root_index', 'nodes' and "
                   "'metadata', found " +
                   quote(field.first));
  if (!object.getArray("nodes"))
    return error("expected 'nodes' to be an array, found " +
                 describe(object.get("nodes")));

  const json::Object *metadata = object.getObject("metadata");
  std::optional<StringRef> text =
      metadata ? metadata->getString("tvm_version") : std::nullopt;
  if (!text)
    return error("expected 'metadata' with a 'tvm_version', found " +
                 describe(metadata ? metadata->get("tvm_version")
                                   : object.get("metadata")));
  auto [major, rest] = text->split('.');
  StringRef minor = rest.split('.').first;
  if ((major + "." + minor).str() != supportedVersion)
    return error("expected a module saved by TVM " + supportedVersion +
                 ", found version " + quote(*text) +
                 ": save it with that release");
  return success();
}

LogicalResult NodeTable::get(const Node &from, const json::Value &index,
                             const Twine &what, Node &result) {
  std::optional<uint64_t> number = index.getAsUINT64();
  if (!number)
    return error(from, "expected " + what +
                           " to be the index of a node, found " +
                           describe(&index));
  if (*number >= nodes.size())
    return error(from, "expected " + what + " to be one of the " +
                           Twine(nodes.size()) + " nodes, found " +
                           describe(&index));
  if (static_cast<int64_t>(*number) >= from.index)
    return error(from,
                 "expected " + what +
                     " to be a node in front of this one, as TVM writes them, "
                     "found node " +
                     Twine(*number) + ": the graph may be cyclic");
  if (readCount++ == maxReadCount)
    return error(from, "expected a module of a size in proportion to the "
                       "file's, found one that shared nodes blow up");
  result = nodes[*number];
  read.set(result.index);
  return success();
}

LogicalResult NodeTable::getArray(const Node &node,
                                  SmallVectorImpl<Node> &elements) {
  if (failed(expect(node, "ffi.Array")))
    return failure();
  const json::Array *array = node.data->getAsArray();
  if (!array)
    return error(node, "expected an array, found " + describe(node.data));
  for (auto [index, value] : llvm::enumerate(*array)) {
    Node element;
    if (failed(get(node, value, "element " + Twine(index), element)))
      return failure();
    elements.push_back(element);
  }
  return success();
}

LogicalResult
NodeTable::getMap(const Node &node,
                  SmallVectorImpl<std::pair<Node, Node>> &entries) {
  if (failed(expect(node, "ffi.Map")))
    return failure();
  const json::Array *array = node.data->getAsArray();
  if (!array || array->size() % 2)
    return error(
        node, "expected an array of keys and values, found " +
                  (array ? "an odd number of elements" : describe(node.data)));
  for (size_t i = 0; i < array->size(); i += 2) {
    Node key, value;
    if (failed(get(node, (*array)[i], "key " + Twine(i / 2), key)) ||
        failed(get(node, (*array)[i + 1], "value " + Twine(i / 2), value)))
      return failure();
    entries.emplace_back(key, value);
  }
  return success();
}

LogicalResult NodeTable::getText(const Node &node, StringRef &result) {
  std::optional<StringRef> text = node.data->getAsString();
  if (!text)
    return error(node, "expected a string, found " + describe(node.data));
  result = *text;
  return success();
}

LogicalResult NodeTable::getString(const Node &node, StringRef &result) {
  return success(succeeded(expect(node, "ffi.String")) &&
                 succeeded(getText(node, result)));
}

LogicalResult NodeTable::getInt(const Node &node, int64_t &result) {
  if (failed(expect(node, "int")))
    return failure();
  std::optional<int64_t> value = node.data->getAsInteger();
  if (!value)
    return error(node,
                 "expected a 64-bit integer, found " + describe(node.data));
  result = *value;
  return success();
}

LogicalResult NodeTable::getIntImm(const Node &node, int64_t &result) {
  Node type, value;
  Fields fields(*this, node, "ir.IntImm");
  if (!(fields && fields.span() && fields.ref("ty", "ir.PrimType", type) &&
        fields.ref("value", "int", value) && fields.done()))
    return failure();
  return getInt(value, result);
}

LogicalResult NodeTable::expect(const Node &node, StringRef type) {
  if (node.type == type)
    return success();
  return error(node, "expected " + type + ", found " + node.type);
}

LogicalResult NodeTable::checkAllRead() {
  int index = read.find_first_unset();
  if (index < 0)
    return success();
  return error(nodes[index], "expected every node to be part of the module, "
                             "found one that nothing refers to");
}

std::string NodeTable::describePlace(const Node &node) const {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << "at node " << node.index << " (";
  llvm::printEscapedString(node.type.take_front(60), os);
  os << ")";
  if (!place.empty())
    os << " in " << llvm::join(place, ", ");
  return result;
}

Failure NodeTable::error(const Node &node, const Twine &message) {
  return error(message + ", " + describePlace(node));
}

Failure NodeTable::error(const Twine &message) {
  emitError(loc) << message;
  return {};
}

LogicalResult NodeTable::withPlace(const Node &node,
                                   function_ref<LogicalResult()> verify,
                                   function_ref<std::string()> what) {
  // What comes after the first error is its consequence.
  std::string message;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(loc.getContext(), [&](Diagnostic &diag) {
      if (diag.getSeverity() == DiagnosticSeverity::Error && message.empty())
        message = diag.str();
      return success();
    });
    result = verify();
  }
  if (succeeded(result))
    return success();
  return error(node, message + (what ? what() : ""));
}

NestingScope::NestingScope(NodeTable &table, const Node &node)
    : table(table), ok(++table.nesting <= maxTypeNesting) {
  if (!ok)
    (void)table.error(node, "expected types and attributes nested at most " +
                                Twine(maxTypeNesting) + " deep, found more");
}
