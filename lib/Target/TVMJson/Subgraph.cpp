//===- Subgraph.cpp - A part of TVM's JSON kept as it is ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subgraph.h"

#include "partita/Support/StructuralEquality.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace partita::tvmjson;

bool partita::tvmjson::isInlineInteger(StringRef type, StringRef field) {
  // Fields that TVM's classes declare as int. If some class declares a field of
  // this name as a reference, the entry names the class, too.
  return llvm::StringSwitch<bool>(field)
      .Cases({"atom_len", "batch_axis", "batch_dims", "channel_axis", "column",
              "coord_start", "cubic_exclude", "data_alignment", "debug_mask",
              "default_device_type"},
             true)
      .Cases({"depth", "device_type", "end_column", "end_line", "groups",
              "id_index", "ignore_index", "index", "inner_mask", "interleave"},
             true)
      .Cases({"iter_type", "k", "l2_promotion", "line", "max_output_size",
              "ndim", "num_groups", "num_inputs", "num_workers",
              "offset_factor"},
             true)
      .Cases({"oob_fill", "outer_mask", "per_element", "rank", "sample_ratio",
              "score_index", "seq_axis", "support_level", "swizzle",
              "swizzle_len"},
             true)
      .Cases({"top_k", "upscale_factor", "value_index", "vdevice_id"}, true)
      .Case("axis",
            llvm::StringSwitch<bool>(type)
                .Cases({"relax.attrs.SplitAttrs", "relax.attrs.FlipAttrs",
                        "relax.attrs.GatherElementsAttrs",
                        "relax.attrs.ScatterElementsAttrs",
                        "relax.attrs.SliceScatterAttrs",
                        "relax.attrs.OneHotAttrs", "relax.attrs.SoftmaxAttrs",
                        "relax.attrs.PReluAttrs"},
                       true)
                .Cases({"relax.attrs.BatchNormAttrs",
                        "relax.attrs.ScatterCollectiveAttrs",
                        "relax.attrs.QuantizeAttrs", "relax.attrs.SortAttrs",
                        "relax.attrs.ArgsortAttrs", "relax.attrs.TopKAttrs",
                        "relax.distributed.PlacementSpec",
                        "relax.distributed.Sharding"},
                       true)
                .Default(false))
      .Case("kind", llvm::StringSwitch<bool>(type)
                        .Cases({"tirx.ExecScope", "tirx.For",
                                "relax.distributed.PlacementSpec",
                                "relax.distributed.Sharding"},
                               true)
                        .Default(false))
      .Case("repeats", type == "relax.attrs.RepeatAttrs")
      .Case("scope", type == "tirx.ScopeIdDef")
      .Default(false);
}

/// Whether the list of a node of `type` has numbers, not references.
static bool holdsNumbers(StringRef type) {
  return type == "ffi.Shape" || type == "Device";
}

bool partita::tvmjson::isReference(StringRef type, StringRef field,
                                   JsonValue value) {
  return value.getUnsigned() && !isInlineInteger(type, field);
}

namespace {
/// Copies nodes in the order in which TVM writes them: what a node refers to
/// first.
class SubgraphWriter {
public:
  using Substitute =
      function_ref<LogicalResult(const Node &node, Placeholder &result)>;

  SubgraphWriter(NodeTable &table, Substitute substitute)
      : table(table), substitute(substitute) {}

  LogicalResult write(const Node &root, std::string &text);

private:
  /// A node that is being copied.
  struct Open {
    Node node;
    SmallVector<Node> targets;
    size_t next = 0;
  };

  LogicalResult open(const Node &node);
  LogicalResult addTargets(const Node &node, SmallVectorImpl<Node> &targets);
  /// Adds a node whose references are numbered.
  void close(const Node &node);
  void add(const Node &node, StringRef type, StringRef data) {
    nodes += numNodes ? "," : "";
    nodes += "{\"type\":" + toJsonString(type);
    if (!data.empty())
      nodes += (",\"data\":" + data).str();
    nodes += "}";
    indexOfNode[node.index] = numNodes++;
  }

  NodeTable &table;
  Substitute substitute;
  std::vector<Open> stack;
  llvm::DenseMap<int64_t, int64_t> indexOfNode;
  std::string nodes;
  int64_t numNodes = 0;
};
} // namespace

/// The nodes that a node refers to.
LogicalResult SubgraphWriter::addTargets(const Node &node,
                                         SmallVectorImpl<Node> &targets) {
  bool isGood = true;
  auto addTarget = [&](JsonValue value) {
    return isGood = succeeded(
               table.get(node, value, "a reference", targets.emplace_back()));
  };
  if (node.data.isArray() && !holdsNumbers(node.type))
    node.data.forEachElement(addTarget);
  else if (node.data.isObject())
    for (const auto &[field, value] : table.readFields(node.data))
      if (isReference(node.type, field, value) && !addTarget(value))
        break;
  return success(isGood);
}

/// Copies a node without references, or begins with one that has some.
LogicalResult SubgraphWriter::open(const Node &node) {
  Placeholder placeholder;
  if (failed(substitute(node, placeholder)))
    return failure();
  if (!placeholder.type.empty()) {
    add(node, placeholder.type, placeholder.data);
    return success();
  }
  Open opened{node, {}};
  if (failed(addTargets(node, opened.targets)))
    return failure();
  if (opened.targets.empty())
    add(node, node.type, node.data.getToken());
  else
    stack.push_back(std::move(opened));
  return success();
}

void SubgraphWriter::close(const Node &node) {
  add(node, node.type,
      renumber(node.type, node.data, [&](uint64_t index) {
        return std::optional<int64_t>(indexOfNode.lookup(index));
      }).value_or("null"));
}

LogicalResult SubgraphWriter::write(const Node &root, std::string &text) {
  if (failed(open(root)))
    return failure();
  while (!stack.empty()) {
    Open &top = stack.back();
    if (top.next == top.targets.size()) {
      close(Node(top.node));
      stack.pop_back();
    } else if (Node target = top.targets[top.next];
               indexOfNode.contains(target.index)) {
      ++top.next;
    } else if (failed(open(target))) {
      return failure();
    }
  }
  int64_t rootIndex = indexOfNode.lookup(root.index);
  text = "{\"root_index\":" + std::to_string(rootIndex) + ",\"nodes\":[" +
         nodes + "]}";
  return success();
}

std::optional<std::string> partita::tvmjson::renumber(
    StringRef type, JsonValue data,
    function_ref<std::optional<int64_t>(uint64_t)> getIndex) {
  std::string text;
  bool isGood = true;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  auto addReference = [&](JsonValue value) {
    std::optional<uint64_t> old = value.getUnsigned();
    std::optional<int64_t> index = old ? getIndex(*old) : std::nullopt;
    isGood = index.has_value();
    text += std::to_string(index.value_or(0));
    return isGood;
  };
  if (data.isArray() && !holdsNumbers(type)) {
    text = "[";
    data.forEachElement([&](JsonValue value) {
      text += text.size() > 1 ? "," : "";
      return addReference(value);
    });
    text += "]";
  } else if (data.isObject()) {
    text = "{";
    data.forEachField([&](JsonValue key, JsonValue value) {
      text += (text.size() > 1 ? "," : "") + key.getToken().str() + ":";
      if (isReference(type, *key.getString(saver), value))
        return addReference(value);
      text += value.getToken();
      return true;
    });
    text += "}";
  } else {
    text = data.getToken().str();
  }
  return isGood ? std::optional(std::move(text)) : std::nullopt;
}

LogicalResult partita::tvmjson::writeSubgraph(
    NodeTable &table, const Node &root,
    function_ref<LogicalResult(const Node &, Placeholder &)> substitute,
    std::string &json) {
  return SubgraphWriter(table, substitute).write(root, json);
}

ElementsAttr partita::tvmjson::getBytes(MLIRContext *context, StringRef name,
                                        StringRef json) {
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(json.size())},
      IntegerType::get(context, 8, IntegerType::Unsigned));
  return DenseResourceElementsAttr::get(
      type, name,
      HeapAsmResourceBlob::allocateAndCopyWithAlign(
          ArrayRef<char>(json.data(), json.size()), alignof(uint8_t)));
}

StringRef partita::tvmjson::getText(ElementsAttr bytes) {
  auto dense = dyn_cast<DenseIntElementsAttr>(bytes);
  if (!dense || dense.isSplat())
    return getResourceBytes(bytes);
  ArrayRef<char> data = dense.getRawData();
  return {data.data(), data.size()};
}
