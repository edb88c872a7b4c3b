//===- NodeWriter.cpp - Writes TVM's JSON object graph --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeWriter.h"

#include "Subgraph.h"
#include "TVMNodes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/StringSaver.h"

#include <array>
#include <charconv>
#include <cmath>

using namespace mlir;
using namespace partita::tvmjson;

JsonText::JsonText(double value) {
  if (std::isnan(value)) {
    text = "NaN";
  } else if (std::isinf(value)) {
    text = value < 0 ? "-Infinity" : "Infinity";
  } else {
    llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
    if (StringRef(text).find_first_of(".e") == StringRef::npos)
      text += ".0";
  }
}

int64_t NodeWriter::addText(StringRef type, StringRef data) {
  nodes += numNodes ? ",\n" : "";
  nodes += "{\"type\": " + toJsonString(type);
  if (!data.empty())
    nodes += (", \"data\": " + data).str();
  nodes += "}";
  return numNodes++;
}

int64_t NodeWriter::addObject(StringRef type, const JsonFields &fields) {
  std::string text = "{";
  for (const auto &[name, value] : fields) {
    text += text.size() > 1 ? ", " : "";
    text += toJsonString(name) + ": " + value.text;
  }
  return addText(type, text + "}");
}

int64_t NodeWriter::addSpanned(StringRef type, JsonFields fields) {
  fields.emplace_back("span", getNone());
  return addObject(type, fields);
}

int64_t NodeWriter::getString(StringRef text) {
  auto [it, isNew] = strings.try_emplace(text, 0);
  if (isNew)
    it->second = add("ffi.String", text);
  return it->second;
}

/// The text of an array of references.
static std::string toText(ArrayRef<int64_t> indices) {
  std::string text = "[";
  for (int64_t index : indices)
    text += (text.size() > 1 ? ", " : "") + std::to_string(index);
  return text + "]";
}

int64_t NodeWriter::getArray(ArrayRef<int64_t> elements) {
  return addText("ffi.Array", toText(elements));
}

int64_t NodeWriter::getMap(ArrayRef<int64_t> entries) {
  return addText("ffi.Map", toText(entries));
}

FailureOr<int64_t>
NodeWriter::addMap(ArrayRef<NamedAttribute> dictionary,
                   function_ref<FailureOr<int64_t>(Attribute)> addValue) {
  SmallVector<int64_t> entries;
  for (NamedAttribute entry : dictionary) {
    entries.push_back(getString(entry.getName()));
    FailureOr<int64_t> value = addValue(entry.getValue());
    if (failed(value))
      return failure();
    entries.push_back(*value);
  }
  return getMap(entries);
}

int64_t NodeWriter::getPrimType(StringRef dtype) {
  auto [it, isNew] = primTypes.try_emplace(dtype, 0);
  if (isNew)
    it->second = PrimTypeNode::add(*this, {dtype});
  return it->second;
}

int64_t NodeWriter::getEnvFunc(StringRef name) {
  auto [it, isNew] = envFuncs.try_emplace(name, 0);
  if (isNew)
    it->second = add("ir.EnvFunc", name);
  return it->second;
}

int64_t NodeWriter::getIntImm(StringRef dtype, int64_t value) {
  return *IntImmNode::add(*this, {getPrimType(dtype), value});
}

FailureOr<int64_t> NodeWriter::paste(
    StringRef text,
    function_ref<int64_t(StringRef type, JsonValue data)> resolve) {
  // Nobody has checked what a user may have written.
  if (llvm::Error error = checkJson(text, /*maxDepth=*/64)) {
    llvm::consumeError(std::move(error));
    return failure();
  }
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  JsonValue root, list;
  auto getFields = [&](JsonValue object, StringRef firstName, JsonValue &first,
                       StringRef secondName, JsonValue &second) {
    object.forEachField([&](JsonValue key, JsonValue value) {
      StringRef name = *key.getString(saver);
      if (name == firstName)
        first = value;
      else if (name == secondName)
        second = value;
      return true;
    });
  };
  JsonValue graph(text.begin());
  if (!graph.isObject())
    return failure();
  getFields(graph, "root_index", root, "nodes", list);

  std::vector<int64_t> indices;
  bool isGood = list.isArray() && list.forEachElement([&](JsonValue node) {
    JsonValue typeValue, data;
    if (!node.isObject())
      return false;
    getFields(node, "type", typeValue, "data", data);
    std::optional<StringRef> type = typeValue.getString(saver);
    if (!type)
      return false;
    if (*type == "None") {
      indices.push_back(getNone());
      return true;
    }
    if (!data)
      return false;
    if (llvm::is_contained({"operand", "symbol", "dim", "shape", "size"},
                           *type)) {
      indices.push_back(resolve(*type, data));
      return indices.back() >= 0;
    }
    std::optional<std::string> renumbered =
        renumber(*type, data, [&](uint64_t index) {
          return index < indices.size() ? std::optional(indices[index])
                                        : std::nullopt;
        });
    if (renumbered)
      indices.push_back(addText(*type, *renumbered));
    return renumbered.has_value();
  });
  std::optional<uint64_t> index = root.getUnsigned();
  if (!isGood || !index || *index >= indices.size())
    return failure();
  return indices[*index];
}

void NodeWriter::write(int64_t root, llvm::raw_ostream &os) const {
  os << "{\"root_index\": " << root << ",\n\"nodes\": [\n"
     << nodes << "],\n\"metadata\": {\"tvm_version\": \"0.27.0\"}}";
}

double partita::tvmjson::getUnrounded(FloatAttr value) {
  double number = value.getValueAsDouble();
  if (!value.getType().isF32() || !std::isfinite(number))
    return number;
  std::array<char, 32> text;
  const char *end = std::to_chars(text.data(), text.data() + text.size(),
                                  static_cast<float>(number))
                        .ptr;
  double read = number;
  bool isWrong = StringRef(text.data(), end - text.data()).getAsDouble(read);
  return isWrong ? number : read;
}
