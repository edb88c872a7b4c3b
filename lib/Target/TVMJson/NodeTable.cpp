//===- NodeTable.cpp - TVM's JSON object graph, checked -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeTable.h"

#include "TVMNodes.h"
#include "Tensor.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace partita::tvmjson;

/// Checking JSON recurses on nesting. TVM's tables need 5 levels.
static constexpr unsigned maxJsonNesting = 64;

/// Types and attributes nest, and MLIR's printer recurses on both.
static constexpr unsigned maxTypeNesting = 32;

/// How many nodes may be read for each byte of the file: by sharing nodes of
/// shared nodes, a small file could describe an exponentially large module.
/// Real modules need less than one.
static constexpr uint64_t maxReadsPerByte = 4;

/// The release whose field types this reader knows.
static constexpr llvm::StringLiteral supportedVersion = "0.27";

JsonValue
partita::tvmjson::findField(ArrayRef<std::pair<StringRef, JsonValue>> fields,
                            StringRef name) {
  for (const auto &[key, value] : llvm::reverse(fields))
    if (key == name)
      return value;
  return JsonValue();
}

//===----------------------------------------------------------------------===//
// NodeTable
//===----------------------------------------------------------------------===//

LogicalResult NodeTable::parse(StringRef text, bool isKept) {
  if (llvm::Error error = checkJson(text, maxJsonNesting))
    return this->error(llvm::toString(std::move(error)));
  text = text.ltrim();
  if (!text.starts_with("{"))
    return error("expected a JSON object with 'root_index', 'nodes' and "
                 "'metadata', found " +
                 // Copied for its null character: a number can end the text.
                 JsonValue(text.take_front(60).str().c_str()).describe());
  FieldList fields = readFields(JsonValue(text.begin()));
  if ((!isKept && failed(checkHeader(fields))) ||
      failed(readNodes(findField(fields, "nodes"))))
    return failure();

  JsonValue root = findField(fields, "root_index");
  std::optional<int64_t> index = root.getInteger();
  if (!index || *index < 0 || *index >= static_cast<int64_t>(nodes.size()))
    return error("expected 'root_index' to be one of the " +
                 Twine(nodes.size()) + " nodes, found " + root.describe());
  rootIndex = *index;
  maxReadCount = maxReadsPerByte * text.size();
  read.resize(nodes.size());
  read.set(rootIndex);
  return success();
}

NodeTable::FieldList NodeTable::readFields(JsonValue object) {
  FieldList fields;
  object.forEachField([&](JsonValue key, JsonValue value) {
    fields.emplace_back(*readString(key), value);
    return true;
  });
  return fields;
}

LogicalResult NodeTable::checkHeader(const FieldList &fields) {
  if (findField(fields, "b64ndarrays") || findField(fields, "root"))
    return error("expected the JSON of TVM " + supportedVersion +
                 ", found the format of an older release: load it there and "
                 "save it again");
  for (const auto &[name, value] : fields)
    if (name != "root_index" && name != "nodes" && name != "metadata")
      return error("expected only fields 'root_index', 'nodes' and "
                   "'metadata', found " +
                   quote(name));
  JsonValue nodes = findField(fields, "nodes");
  if (!nodes.isArray())
    return error("expected 'nodes' to be an array, found " + nodes.describe());

  JsonValue metadata = findField(fields, "metadata"), version = metadata;
  if (metadata.isObject())
    version = findField(readFields(metadata), "tvm_version");
  std::optional<StringRef> text =
      metadata.isObject() ? readString(version) : std::nullopt;
  if (!text)
    return error("expected 'metadata' with a 'tvm_version', found " +
                 version.describe());
  auto [major, rest] = text->split('.');
  StringRef minor = rest.split('.').first;
  if ((major + "." + minor).str() != supportedVersion)
    return error("expected a module saved by TVM " + supportedVersion +
                 ", found version " + quote(*text) +
                 ": save it with that release");
  return success();
}

LogicalResult NodeTable::readNodes(JsonValue array) {
  return success(array.forEachElement(
      [&](JsonValue value) { return succeeded(readNode(value)); }));
}

LogicalResult NodeTable::readNode(JsonValue value) {
  Node node{static_cast<int64_t>(nodes.size()), "?", JsonValue()};
  if (!value.isObject())
    return error(node, "expected an object with 'type' and 'data', found " +
                           value.describe());
  FieldList fields = readFields(value);
  JsonValue typeField = findField(fields, "type");
  std::optional<StringRef> type = readString(typeField);
  if (!type)
    return error(node, "expected field 'type' to be a string, found " +
                           typeField.describe());
  node.type = *type;
  node.data = findField(fields, "data");
  if (!node.data && !node.isNone())
    return error(node, "expected field 'data', found none");
  for (const auto &[name, value] : fields)
    if (name != "type" && name != "data")
      return error(node, "expected only fields 'type' and 'data', found " +
                             quote(name));
  auto [it, isNew] = indexOfType.try_emplace(*type, types.size());
  if (isNew)
    types.push_back(*type);
  nodes.push_back({node.data, it->second});
  return success();
}

LogicalResult NodeTable::get(const Node &from, JsonValue index,
                             const Twine &what, Node &result) {
  std::optional<uint64_t> number = index.getUnsigned();
  if (!number)
    return brokenError(from, "expected " + what +
                                 " to be the index of a node, found " +
                                 index.describe());
  if (*number >= nodes.size())
    return brokenError(from, "expected " + what + " to be one of the " +
                                 Twine(nodes.size()) + " nodes, found " +
                                 index.describe());
  if (static_cast<int64_t>(*number) >= from.index)
    return brokenError(
        from, "expected " + what +
                  " to be a node in front of this one, as TVM writes them, "
                  "found node " +
                  Twine(*number) + ": the graph may be cyclic");
  if (readCount++ == maxReadCount)
    return error(from, "expected a module of a size in proportion to the "
                       "file's, found one that shared nodes blow up");
  result = getNode(*number);
  read.set(result.index);
  return success();
}

LogicalResult NodeTable::getArray(const Node &node,
                                  SmallVectorImpl<Node> &elements) {
  if (failed(expect(node, "ffi.Array")))
    return failure();
  if (!node.data.isArray())
    return brokenError(node,
                       "expected an array, found " + node.data.describe());
  size_t index = 0;
  return success(node.data.forEachElement([&](JsonValue value) {
    return succeeded(
        get(node, value, "element " + Twine(index++), elements.emplace_back()));
  }));
}

LogicalResult
NodeTable::getMap(const Node &node,
                  SmallVectorImpl<std::pair<Node, Node>> &entries) {
  if (failed(expect(node, "ffi.Map")))
    return failure();
  if (!node.data.isArray())
    return brokenError(node, "expected an array of keys and values, found " +
                                 node.data.describe());
  size_t count = 0;
  node.data.forEachElement([&](JsonValue) { return ++count; });
  if (count % 2)
    return brokenError(node,
                       "expected an array of keys and values, found an odd "
                       "number of elements");
  size_t index = 0;
  entries.reserve(entries.size() + count / 2);
  return success(node.data.forEachElement([&](JsonValue value) {
    bool isKey = index % 2 == 0;
    if (isKey)
      entries.emplace_back();
    StringRef what = isKey ? "key " : "value ";
    return succeeded(get(node, value, what + Twine(index++ / 2),
                         isKey ? entries.back().first : entries.back().second));
  }));
}

LogicalResult NodeTable::getText(const Node &node, StringRef &result) {
  std::optional<StringRef> text = readString(node.data);
  if (!text)
    return brokenError(node,
                       "expected a string, found " + node.data.describe());
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
  std::optional<int64_t> value = node.data.getInteger();
  if (!value)
    return error(node,
                 "expected a 64-bit integer, found " + node.data.describe());
  result = *value;
  return success();
}

LogicalResult NodeTable::getIntImm(const Node &node, int64_t &result) {
  IntImmNode number;
  StringRef dtype;
  if (failed(number.read(*this, node)) || failed(getDType(number.ty, dtype)))
    return failure();
  result = number.value;
  return success();
}

LogicalResult NodeTable::getBigInt(const Node &node, uint64_t &result) {
  StringRef text;
  if (failed(expect(node, "ffi.BigInt")) || failed(getText(node, text)))
    return failure();
  if (text.getAsInteger(10, result) || llvm::isUInt<63>(result))
    return error(node, "expected an unsigned integer of 64 bits that is no "
                       "int, found " +
                           quote(text));
  return success();
}

bool NodeTable::isBigIntImm(const Node &node) {
  if (node.type != "ir.IntImm")
    return false;
  Node value;
  JsonValue index = getField(node, "value");
  return index && succeeded(get(node, index, "field 'value'", value)) &&
         value.type == "ffi.BigInt";
}

LogicalResult NodeTable::getDType(const Node &node, StringRef &result) {
  if (node.isNone())
    return brokenError(node, "expected a type, found None");
  PrimTypeNode type;
  if (failed(type.read(*this, node)))
    return failure();
  result = type.dtype;
  if (!isDTypeName(result))
    return brokenError(node, "expected a dtype of TVM, found " + quote(result));
  return success();
}

bool NodeTable::isMissingType(const Node &type) {
  if (type.type != "ir.Type")
    return false;
  Node span;
  JsonValue index = getField(type, "span");
  return index && succeeded(get(type, index, "field 'span'", span));
}

bool NodeTable::lacksType(const Node &expr) {
  Node type;
  JsonValue index = getField(expr, "ty");
  return index && succeeded(get(expr, index, "field 'ty'", type)) &&
         isMissingType(type);
}

LogicalResult NodeTable::expect(const Node &node, StringRef type) {
  if (node.type == type)
    return success();
  return error(node, "expected " + type + ", found " + node.type);
}

LogicalResult NodeTable::checkAllRead() {
  // None says nothing, and is written before it is known whether it is needed.
  for (int index = read.find_first_unset(); index >= 0;
       index = read.find_next_unset(index))
    if (Node node = getNode(index); !node.isNone())
      return error(node, "expected every node to be part of the module, found "
                         "one that nothing refers to");
  return success();
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

Failure NodeTable::brokenError(const Node &node, const Twine &message) {
  if (broken.empty())
    broken = (message + ", " + describePlace(node)).str();
  return error(node, message);
}

LogicalResult NodeTable::checkNotBroken() {
  if (broken.empty())
    return success();
  return error(broken);
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
    partita::ThreadDiagnosticHandler handler(
        loc.getContext(), [&](Diagnostic &diag) {
          if (diag.getSeverity() == DiagnosticSeverity::Error &&
              message.empty())
            message = diag.str();
          return success();
        });
    result = verify();
  }
  if (succeeded(result))
    return success();
  return error(node, message + (what ? what() : ""));
}

void NodeTable::warnOfKept() {
  if (kept.empty())
    return;
  llvm::sort(kept);
  kept.erase(llvm::unique(kept), kept.end());
  std::map<std::string, unsigned> numbers;
  for (const auto &[node, kind] : kept)
    ++numbers[kind];
  InFlightDiagnostic warning =
      emitWarning(loc) << "the dialects lack these nodes, so they are kept "
                          "unchanged and passes leave them alone: ";
  llvm::interleaveComma(numbers, warning, [&](const auto &entry) {
    warning << entry.second << " of " << entry.first;
  });
}

Attempt::Attempt(NodeTable &table)
    : table(table), numKept(table.kept.size()),
      handler(table.getLoc().getContext(), [](Diagnostic &) {}) {}

NestingScope::NestingScope(NodeTable &table, const Node &node)
    : table(table), ok(++table.nesting <= maxTypeNesting) {
  if (!ok)
    (void)table.error(node, "expected types and attributes nested at most " +
                                Twine(maxTypeNesting) + " deep, found more");
}
